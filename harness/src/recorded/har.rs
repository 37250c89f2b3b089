//! An HTTP Archive, as browsers and proxies write it.

use std::time::Duration;

use serde::Deserialize;
use tideover_model::Timestamp;

use crate::recorded::{Recorded, Recording};
use crate::target::{Prepared, PreparedAction, PreparedCall, Seen};

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: String,
    #[serde(default = "at_once")]
    time: serde_json::Number,
    request: Request,
    response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<Content>,
}

#[derive(Deserialize)]
struct Response {
    status: u16,
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Content {
    mime_type: Option<String>,
    text: Option<String>,
    encoding: Option<String>,
}

fn at_once() -> serde_json::Number {
    0.into()
}

/// Reads an archive: its requests to paths of `/v1/`, in the order in which they were sent.
pub(super) fn read(text: &str) -> Result<Recording, String> {
    let archive: Archive = serde_json::from_str(text)
        .map_err(|error| format!("it is neither a HAR file nor a journal: {error}"))?;
    let (mut target, mut recorded) = (None, Vec::new());
    for (index, entry) in archive.log.entries.into_iter().enumerate() {
        let url = entry.request.url.clone();
        let Some((base, _)) = url.split_once("/v1/") else { continue };
        target.get_or_insert_with(|| base.to_owned());
        let read = entry.recorded(base).map_err(|problem| format!("entry {index}: {problem}"))?;
        recorded.push(read);
    }
    recorded.sort_by_key(|one| one.since);
    let target = target.unwrap_or_default();
    Ok(Recording { target, inbox: None, cases: vec![recorded], accepted: Vec::new() })
}

impl Entry {
    fn recorded(self, base: &str) -> Result<Recorded, String> {
        let Entry { started_date_time, time, request, response } = self;
        let since = Timestamp::parse(&started_date_time)
            .ok_or_else(|| format!("{started_date_time:?} is no date-time"))?;
        // Milliseconds, with a fraction.
        let took = Duration::try_from_secs_f64(time.as_f64().unwrap_or_default());
        let milliseconds = took.map_or(0, |took| took.as_secs());
        let header = |wanted: &str| {
            let mut headers = request.headers.iter();
            let found = headers.find(|header| header.name.eq_ignore_ascii_case(wanted))?;
            Some(found.value.clone())
        };
        let (authorization, content_type) = (header("authorization"), header("content-type"));
        let body = request.post_data.as_ref().and_then(|data| data.text.clone());
        let mime_type = request.post_data.and_then(|data| data.mime_type);
        let content_type = content_type.or(mime_type.filter(|name| !name.is_empty()));
        let path = request.url.strip_prefix(base).unwrap_or(&request.url).to_owned();
        let call = PreparedCall {
            method: request.method,
            path,
            content_type,
            body: body.unwrap_or_default().into_bytes(),
        };
        // Browsers write 0 for what was never answered.
        let seen = (response.status > 0)
            .then(|| response.content.bytes().map(|body| Seen::new(response.status, &body)))
            .transpose()?;
        let sent = Prepared { authorization, action: PreparedAction::Call(call) };
        Ok(Recorded { sent, seen, since, now: since.after_milliseconds(milliseconds) })
    }
}

impl Content {
    fn bytes(self) -> Result<Vec<u8>, String> {
        use base64::Engine;
        let text = self.text.unwrap_or_default();
        match self.encoding.as_deref() {
            None | Some("") => Ok(text.into_bytes()),
            Some("base64") => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map_err(|error| format!("the body is no base64: {error}")),
            Some(other) => Err(format!("the body is encoded as {other:?}, not as base64")),
        }
    }
}

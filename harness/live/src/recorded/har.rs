//! An HTTP Archive, as browsers and proxies write it.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall};
use tideover_model::Timestamp;

use crate::recorded::order::{Heard, in_order};
use crate::recorded::{Recorded, Recording};

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
    /// Browsers set it for what they did not fetch again.
    #[serde(rename = "_fromCache")]
    from_cache: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<Content>,
    /// Bytes; -1 if nobody knows.
    #[serde(default = "unknown")]
    body_size: i64,
}

#[derive(Deserialize)]
struct Response {
    status: u16,
    content: Option<Content>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    mime_type: Option<String>,
    text: Option<String>,
    encoding: Option<String>,
    /// Bytes; -1 if nobody knows.
    #[serde(default = "unknown")]
    size: i64,
}

fn unknown() -> i64 {
    -1
}

fn at_once() -> serde_json::Number {
    0.into()
}

/// What stands for the keys of a recording that they were left out of.
const LEFT_OUT: &str = "Bearer left_out_sk_recording";

/// Reads an archive: its requests to paths of `/v1/`, in the order in which they were sent.
pub(super) fn read(text: &str) -> Result<Recording, String> {
    let archive: Archive = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is neither a HAR file nor a journal: {error}"))?;
    let (mut target, mut heard, mut hastened) = (None, Vec::new(), false);
    for (index, entry) in archive.log.entries.into_iter().enumerate() {
        let url = entry.request.url.clone();
        let Some((base, _)) = url.split_once("/v1/") else {
            hastened |= entry.request.method == "POST" && url.ends_with("/_sim/actions");
            continue;
        };
        target.get_or_insert_with(|| without_user(base));
        let read = entry.recorded(base).map_err(|problem| format!("entry {index}: {problem}"))?;
        heard.push(read);
    }
    set_keys(&mut heard);
    let (cases, unjudged) = in_order(heard);
    let target = target.unwrap_or_default();
    Ok(Recording { target, inbox: None, cases, accepted: Vec::new(), hastened, unjudged })
}

/// A URL without user name and password.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// Where no request has a key, they were left out of the recording; where one was refused that was taken another
/// time, it was not issued yet, or revoked.
fn set_keys(heard: &mut [Heard]) {
    if heard.iter().all(|one| one.recorded.sent.authorization.is_none()) {
        for one in heard.iter_mut() {
            one.recorded.sent.authorization = Some(LEFT_OUT.to_owned());
        }
    }
    let is_taken = |one: &&Heard| (200..=299).contains(&one.status);
    let taken: BTreeSet<String> = heard
        .iter()
        .filter(is_taken)
        .filter_map(|one| one.recorded.sent.authorization.clone())
        .collect();
    let refused = heard.iter_mut().filter(|one| one.status == 401);
    for one in refused.filter(|one| {
        let key = one.recorded.sent.authorization.as_ref();
        key.is_some_and(|key| taken.contains(key))
    }) {
        one.unjudged = Some("their keys were taken another time");
    }
}

impl Entry {
    fn recorded(self, base: &str) -> Result<Heard, String> {
        let unjudged = self.unjudged();
        let Entry { started_date_time, time, request, response, .. } = self;
        let status = response.status;
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
        let body = body.unwrap_or_default().into_bytes();
        let call = PreparedCall::new(request.method, path, content_type, body);
        // Browsers write 0 for what was never answered.
        let seen = (response.status > 0)
            .then(|| response.content.map_or(Ok(Vec::new()), Content::bytes))
            .transpose()?
            .map(|body| tideover_exchange::Response::new(status, &body));
        let sent = Prepared { authorization, action: PreparedAction::Call(call) };
        let now = since.after_milliseconds(milliseconds);
        Ok(Heard { recorded: Recorded { sent, seen, since, now }, status, unjudged })
    }

    /// Why it cannot be judged, if that is so.
    fn unjudged(&self) -> Option<&'static str> {
        let Entry { request, response, .. } = self;
        let has_body = matches!(request.method.as_str(), "PUT" | "POST");
        let sent = request.post_data.as_ref().and_then(|data| data.text.as_deref());
        let (is_sent, is_complete) =
            (sent.is_some_and(|text| !text.is_empty()), response.is_complete());
        match response.status {
            _ if request.method == "OPTIONS" => Some("browsers ask by them whether they may ask"),
            304 => Some("a cache answered them"),
            _ if self.from_cache.is_some() => Some("a cache answered them"),
            _ if has_body && !is_sent && request.body_size != 0 => {
                Some("their bodies were left out of the recording")
            }
            1.. if !is_complete => Some("their answers were left out of the recording"),
            _ => None,
        }
    }
}

impl Response {
    /// Whether its body, if it has one, is there.
    fn is_complete(&self) -> bool {
        let has_none = matches!(self.status, 204 | 205);
        let has_text = |content: &Content| {
            let is_empty = |text: &String| text.is_empty() && content.size > 0;
            // An answer of nothing has no type.
            let is_json = content.mime_type.as_ref().is_some_and(|name| name.contains("json"));
            let is_nothing = content.size == 0 && !(is_json && content.text.is_none());
            is_nothing || content.text.as_ref().is_some_and(|text| !is_empty(text))
        };
        has_none || self.content.as_ref().is_some_and(has_text)
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

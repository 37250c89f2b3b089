//! An HTTP Archive, as browsers and proxies write it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Deserialize;
use tideover_exchange::target::path_of;
use tideover_exchange::{Arrival, Prepared, PreparedAction, PreparedCall, has_a_field};
use tideover_model::{Timestamp, signature};

use crate::recorded::deliveries::ObservedDelivery;
use crate::recorded::order::{ObservedRequest, REFUSED_KEY};
use crate::recorded::{Recorded, Recording, RecordingProblem, Traffic, rename_first_key};

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    creator: Option<Creator>,
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
    /// A webhook to the receiver, in a recording of our own.
    #[serde(rename = "_webhook")]
    is_webhook: Option<bool>,
    /// The base URL of the service, in a recording of our own.
    #[serde(rename = "_target")]
    target: Option<String>,
    /// Why a proxy of ours has not sent it.
    #[serde(rename = "_notSent")]
    not_sent: Option<String>,
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

#[derive(Debug, thiserror::Error)]
pub(super) enum EntryProblem {
    #[error("{0:?} is no date-time")]
    NoDateTime(String),
    #[error("the body is no base64: {0}")]
    NoBase64(base64::DecodeError),
    #[error("the body is encoded as {0:?}, not as base64")]
    Encoding(String),
}

fn unknown() -> i64 {
    -1
}

fn at_once() -> serde_json::Number {
    0.into()
}

/// The `Authorization` header of all requests, if the recording has none.
const LEFT_OUT: &str = "Bearer left_out_sk_recording";

#[derive(Deserialize)]
struct Creator {
    name: String,
}

/// Who leaves out no `Authorization` header.
const OURS: &str = "Tideover watch";

/// What an entry is to the judge.
pub enum Read {
    /// A request to a path of `/v1/`.
    Request(Box<ObservedRequest>),
    /// An attempt of a delivery.
    Delivery(Box<ObservedDelivery>),
    /// An action of the operator port, which may force a hidden transition.
    Hastens,
    /// A move of the service's clock.
    MovesClock,
    Other,
}

/// Reads one entry of an archive.
///
/// # Errors
/// It is not of the form of one.
pub fn read_entry(entry: serde_json::Value) -> Result<Read, UnreadableEntry> {
    let entry: Entry = serde_json::from_value(entry).map_err(|_| UnreadableEntry)?;
    let mut read = entry.read().map_err(|_| UnreadableEntry)?;
    if let Read::Request(observed) = &mut read {
        rename_first_key(&mut observed.recorded);
    }
    Ok(read)
}

/// An entry that is none.
#[derive(Debug, thiserror::Error)]
#[error("this is no entry of an HTTP Archive")]
pub struct UnreadableEntry;

/// Reads an archive: its requests to paths of `/v1/`, in the order in which they were sent.
pub(super) fn read(text: &str) -> Result<Recording, RecordingProblem> {
    let archive: Archive = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(RecordingProblem::Neither)?;
    let (mut target, mut observed) = (None, Vec::new());
    let (mut hastened, mut clock_moves) = (false, false);
    let mut deliveries = Vec::new();
    for (index, entry) in archive.log.entries.into_iter().enumerate() {
        let base = entry.base();
        match entry.read().map_err(|problem| RecordingProblem::Entry { index, problem })? {
            Read::Request(one) => {
                target = target.or_else(|| base.as_deref().map(without_user));
                observed.push(*one);
            }
            Read::Delivery(one) => deliveries.push(*one),
            Read::Hastens => hastened = true,
            Read::MovesClock => clock_moves = true,
            Read::Other => {}
        }
    }
    let is_ours = archive.log.creator.is_some_and(|creator| creator.name == OURS);
    set_keys(&mut observed, is_ours);
    let (target, unjudged) = (target.unwrap_or_default(), BTreeMap::new());
    let traffic = Traffic::AsItCame(observed);
    let (inbox, accepted) = (None, Vec::new());
    Ok(Recording { target, inbox, traffic, deliveries, accepted, hastened, clock_moves, unjudged })
}

/// A URL without user name and password.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// Sets the keys. If no request has one, the recording left them out. If a key was refused and accepted at another time,
/// it was not issued yet, or revoked: such a refusal cannot be judged.
fn set_keys(observed: &mut [ObservedRequest], are_all_there: bool) {
    if !are_all_there && observed.iter().all(|one| one.recorded.sent.authorization.is_none()) {
        for one in observed.iter_mut() {
            one.recorded.sent.authorization = Some(LEFT_OUT.to_owned());
        }
    }
    let accepted = observed.iter().filter(|one| (200..=299).contains(&one.status));
    let accepted: BTreeSet<String> =
        accepted.filter_map(|one| one.recorded.sent.authorization.clone()).collect();
    for one in observed.iter_mut().filter(|one| one.status == 401) {
        if one.recorded.sent.authorization.as_ref().is_some_and(|key| accepted.contains(key)) {
            one.unjudged = Some(REFUSED_KEY);
        }
    }
}

/// What stands from the version on in a path or a URL: the path of an operation. A service may serve it under a prefix.
pub fn from_version(path: &str) -> Option<&str> {
    path.find("/v1/").map(|at| &path[at..])
}

impl Entry {
    /// The base URL of the service, if it is a request to it.
    fn base(&self) -> Option<String> {
        let url = &self.request.url;
        let base = url.strip_suffix(from_version(url)?)?;
        self.not_sent.is_none().then(|| base.to_owned())
    }

    /// What it is to the judge.
    fn read(self) -> Result<Read, EntryProblem> {
        if self.is_webhook == Some(true) {
            return Ok(Read::Delivery(Box::new(self.delivery()?)));
        }
        if let Some(base) = self.base() {
            return Ok(Read::Request(Box::new(self.recorded(&base)?)));
        }
        let posts_to = |path| self.request.method == "POST" && self.request.url.ends_with(path);
        if posts_to("/_sim/actions") {
            return Ok(Read::Hastens);
        }
        Ok(if posts_to("/_sim/clock") { Read::MovesClock } else { Read::Other })
    }

    /// When it was sent, and when the answer had come.
    fn times(&self) -> Result<(Timestamp, Timestamp), EntryProblem> {
        let since = Timestamp::parse(&self.started_date_time)
            .ok_or_else(|| EntryProblem::NoDateTime(self.started_date_time.clone()))?;
        // `time` is milliseconds with a fraction, so the "milliseconds" of this duration are microseconds.
        let took = Duration::try_from_secs_f64(self.time.as_f64().unwrap_or_default());
        let took = took.map_or(0, |took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        Ok((since, since.after_microseconds(took)))
    }

    fn delivery(self) -> Result<ObservedDelivery, EntryProblem> {
        let (since, now) = self.times()?;
        let Entry { request, response, .. } = self;
        let path = path_of(&request.url).unwrap_or("/").to_owned();
        let (delivery, signature) =
            (request.header(signature::DELIVERY_HEADER), request.header(signature::HEADER));
        let headers = request.headers.into_iter().map(|header| (header.name, header.value));
        let headers = headers.filter(|(name, _)| !has_a_field(name)).collect();
        let body = request.post_data.map_or(Ok(Vec::new()), Content::bytes)?.into();
        let status = response.status;
        let arrived = Some(since);
        let arrival =
            Arrival { path, delivery, signature, headers, body, status, at: None, arrived };
        Ok(ObservedDelivery { arrival, since, now })
    }

    fn recorded(self, base: &str) -> Result<ObservedRequest, EntryProblem> {
        let unjudged = self.unjudged();
        let (since, now) = self.times()?;
        let Entry { request, response, .. } = self;
        let status = response.status;
        let (authorization, content_type) =
            (request.header("authorization"), request.header("content-type"));
        let body = request.post_data.as_ref().and_then(|data| data.text.clone());
        let mime_type = request.post_data.and_then(|data| data.mime_type);
        let content_type = content_type.or(mime_type.filter(|name| !name.is_empty()));
        let path = request.url.strip_prefix(base).unwrap_or(&request.url).to_owned();
        let body = body.unwrap_or_default().into_bytes();
        let call = PreparedCall::new(request.method, path, content_type, body);
        // Browsers write status 0 if there was no response.
        let seen = (response.status > 0)
            .then(|| response.content.map_or(Ok(Vec::new()), Content::bytes))
            .transpose()?
            .map(|body| tideover_exchange::Response::new(status, &body));
        let sent = Prepared { authorization, action: PreparedAction::Call(call) };
        Ok(ObservedRequest { recorded: Recorded { sent, seen, since, now }, status, unjudged })
    }

    /// Why it cannot be judged, if it cannot.
    fn unjudged(&self) -> Option<&'static str> {
        let Entry { request, response, .. } = self;
        let has_body = matches!(request.method.as_str(), "PUT" | "POST");
        let sent = request.post_data.as_ref().and_then(|data| data.text.as_deref());
        let (is_sent, is_complete) =
            (sent.is_some_and(|text| !text.is_empty()), response.is_complete());
        let has_prefix = self.target.is_some() && self.target != self.base();
        match response.status {
            // Whether the path was refused or the request, nobody knows.
            status if has_prefix && !(200..=299).contains(&status) => {
                Some("their paths have a prefix, and were refused")
            }
            _ if request.method == "HEAD" => {
                Some("HEAD gets no body, by which a response is judged")
            }
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

impl Request {
    fn header(&self, wanted: &str) -> Option<String> {
        let mut headers = self.headers.iter();
        let found = headers.find(|header| header.name.eq_ignore_ascii_case(wanted))?;
        Some(found.value.clone())
    }
}

impl Response {
    /// Whether the recording has its body, if it has one.
    fn is_complete(&self) -> bool {
        let has_none = matches!(self.status, 204 | 205);
        let has_text = |content: &Content| {
            let is_empty = |text: &String| text.is_empty() && content.size > 0;
            // An empty response has no media type.
            let is_json = content.mime_type.as_ref().is_some_and(|name| name.contains("json"));
            let is_nothing = content.size == 0 && !(is_json && content.text.is_none());
            is_nothing || content.text.as_ref().is_some_and(|text| !is_empty(text))
        };
        has_none || self.content.as_ref().is_some_and(has_text)
    }
}

impl Content {
    fn bytes(self) -> Result<Vec<u8>, EntryProblem> {
        use base64::Engine;
        let text = self.text.unwrap_or_default();
        match self.encoding.as_deref() {
            None | Some("") => Ok(text.into_bytes()),
            Some("base64") => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map_err(EntryProblem::NoBase64),
            Some(other) => Err(EntryProblem::Encoding(other.to_owned())),
        }
    }
}

//! An entry as the journal keeps it: its texts are in one buffer, and nothing is parsed before someone asks, because
//! every request pays for recording.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method};
use serde_json::{Map, Value};
use tideover_model::exchange::Response;
use tideover_model::{
    Answer, Clause, Code, OperationKind, PlatformId, Timestamp, exchange, masked,
};

use crate::fault::Act;
use crate::grease::Freedom;
use crate::journal::entry::{CausedEvent, CutPart, Entry, Message, Payload, RealTime};
use crate::respond;

/// The number of bytes kept of a path, and of a query.
const PATH_KEPT: usize = 256;
/// The number of bytes kept of a method.
const METHOD_KEPT: usize = 32;
/// The number of bytes kept of the headers.
const HEADERS_KEPT: usize = 16 << 10;
/// The largest buffer that is used again. Bytes.
const SPARE: usize = 4 << 10;

/// A request as it arrived.
pub(crate) struct Arrived<'a> {
    pub(crate) head: &'a Parts,
    /// The body, even an empty one; `None` if nobody read it.
    pub(crate) body: Option<&'a Bytes>,
    /// What the service ignores in it.
    pub(crate) warnings: Vec<String>,
    /// The number of requests that had been answered when it arrived.
    pub(crate) after: u64,
}

/// How a request was handled.
pub(crate) struct Handled<'a> {
    pub(crate) time: Timestamp,
    pub(crate) operation: Option<OperationKind>,
    pub(crate) answer: Option<&'a Answer>,
    pub(crate) response: Option<&'a Response>,
    /// Whether the response names its clause in a header.
    pub(crate) hints: bool,
    pub(crate) note: Option<String>,
    pub(crate) fault: Option<String>,
    /// What the fault does.
    pub(crate) act: Option<Act>,
    /// The caller, if the request was understood.
    pub(crate) caller: Option<PlatformId>,
    /// How often the state of the world had changed before.
    pub(crate) turns: u64,
    /// The seconds after which the response asks the client to come again.
    pub(crate) retry_after: Option<u32>,
    pub(crate) grease: Vec<Freedom>,
    /// The numbers of the deliveries that it caused.
    pub(crate) deliveries: Range<u64>,
    /// The positions of the states before and after it.
    pub(crate) states: Range<u64>,
}

/// An entry as the journal keeps it.
#[derive(Debug)]
pub(crate) struct Record {
    pub(super) time: Timestamp,
    /// The wall time. Milliseconds since the start of 1970.
    pub(super) real_time: u64,
    method: Cow<'static, str>,
    pub(super) operation: Option<OperationKind>,
    pub(super) status: Option<u16>,
    pub(super) code: Option<Code>,
    pub(super) clause: Option<Clause>,
    note: Option<String>,
    pub(super) warnings: Vec<String>,
    pub(super) fault: Option<String>,
    pub(super) act: Option<Act>,
    pub(super) caller: Option<PlatformId>,
    pub(super) turns: u64,
    pub(super) after: u64,
    pub(super) retry_after: Option<u32>,
    grease: Vec<Freedom>,
    pub(super) deliveries: Range<u64>,
    pub(super) states: Range<u64>,
    hints: bool,
    texts: Texts,
}

/// What can be cut, besides bodies.
const PARTS: [CutPart; 4] = [CutPart::Method, CutPart::Path, CutPart::Query, CutPart::Headers];

/// Path, query, headers, and both bodies, one after the other.
#[derive(Debug)]
struct Texts {
    buffer: Vec<u8>,
    /// Where path, query, headers and the request's body end.
    ends: [usize; 4],
    has_query: bool,
    /// Which of [`PARTS`] are longer than what is kept of them.
    cut: [bool; PARTS.len()],
    /// The whole length of the request's body, if someone read it. Bytes.
    sent: Option<usize>,
    /// The whole length of the response's body. Bytes.
    answered: usize,
}

impl Record {
    /// The bytes of each, beside its texts.
    pub(super) const FIXED: usize = size_of::<Record>();

    /// An entry, with the buffer of another one.
    pub(super) fn new(
        spare: Vec<u8>,
        body_kept: usize,
        real_time: u64,
        arrived: Arrived<'_>,
        handled: Handled<'_>,
    ) -> Record {
        let Arrived { head, body, warnings, after } = arrived;
        let Handled { time, operation, answer, response, hints, .. } = handled;
        let answered = response.map_or(&[][..], |response| &response.body);
        Record {
            time,
            real_time,
            method: method(&head.method),
            operation,
            status: response.map(|response| response.status),
            code: answer.and_then(|answer| answer.as_ref().err()).map(|refusal| refusal.code),
            clause: answer.map(exchange::clause),
            note: handled.note,
            warnings,
            fault: handled.fault,
            act: handled.act,
            caller: handled.caller,
            turns: handled.turns,
            after,
            retry_after: handled.retry_after,
            grease: handled.grease,
            deliveries: handled.deliveries,
            states: handled.states,
            hints,
            texts: Texts::new(spare, body_kept, head, body, answered),
        }
    }

    /// The bytes that it takes, besides [`Record::FIXED`].
    pub(super) fn size(&self) -> usize {
        let warnings: usize = self.warnings.iter().map(String::len).sum();
        self.texts.buffer.len() + warnings
    }

    /// All bytes that it takes, as far as they can be counted.
    pub(super) fn whole_size(&self) -> usize {
        self.size() + Record::FIXED
    }

    /// Its buffer, for another entry.
    pub(super) fn into_spare(self) -> Vec<u8> {
        let buffer = self.texts.buffer;
        if buffer.capacity() <= SPARE { buffer } else { Vec::new() }
    }

    /// The query, if there is one.
    pub(super) fn query(&self) -> &[u8] {
        self.texts.part(1)
    }

    /// The whole length of the answer's body. Bytes.
    pub(super) fn answered_length(&self) -> usize {
        self.texts.answered
    }

    pub(super) fn are_headers_cut(&self) -> bool {
        self.texts.is_cut(CutPart::Headers)
    }

    /// Whether all of the request is kept.
    pub(super) fn is_whole(&self) -> bool {
        self.has_whole_body() && !PARTS.into_iter().any(|part| self.texts.is_cut(part))
    }

    pub(super) fn method(&self) -> &str {
        &self.method
    }

    pub(super) fn path(&self) -> &str {
        str::from_utf8(self.texts.part(0)).unwrap_or_default()
    }

    /// The path, if all of it is kept.
    pub(super) fn whole_path(&self) -> Option<&str> {
        (!self.texts.is_cut(CutPart::Path)).then(|| self.path())
    }

    pub(super) fn sent(&self) -> &[u8] {
        self.texts.part(3)
    }

    pub(super) fn answered(&self) -> &[u8] {
        self.texts.part(4)
    }

    /// Whether all of the request's body is kept, if someone read it.
    pub(super) fn has_whole_body(&self) -> bool {
        self.texts.sent == Some(self.sent().len())
    }

    /// Name and value of each header of the request.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let lines = self.texts.part(2).split(|byte| *byte == b'\n');
        lines.filter_map(|line| {
            let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
            Some((str::from_utf8(name).ok()?, String::from_utf8_lossy(&value[1..])))
        })
    }

    /// As it is shown.
    pub(super) fn entry(&self, number: u64, events: Vec<CausedEvent>) -> Entry {
        let start = Timestamp::from_unix(0).unwrap_or(Timestamp::MAX);
        let texts = &self.texts;
        let text = |part| String::from_utf8_lossy(texts.part(part)).into_owned();
        let payload = |part: &[u8], length: usize| Payload {
            bytes: Bytes::copy_from_slice(part),
            length: length as u64,
        };
        let sent = texts.sent.filter(|length| *length > 0);
        let answered = (texts.answered > 0).then(|| payload(self.answered(), texts.answered));
        let answered = match self.operation {
            Some(OperationKind::Subscribe) => answered.map(unsigned),
            _ => answered,
        };
        Entry {
            number,
            time: self.time,
            real_time: RealTime(start.after_milliseconds(self.real_time)),
            method: self.method.clone().into_owned(),
            path: self.path().to_owned(),
            query: texts.has_query.then(|| text(1)),
            cut: PARTS.into_iter().filter(|part| texts.is_cut(*part)).collect(),
            operation: self.operation,
            status: self.status,
            code: self.code,
            clause: self.clause,
            note: self.note.clone(),
            warnings: self.warnings.clone(),
            fault: self.fault.clone(),
            grease: self.grease.clone(),
            masked: false,
            events,
            request: Message {
                headers: by_name(self.headers()),
                body: sent.map(|length| payload(self.sent(), length)),
                unread: texts.sent.is_none(),
            },
            response: self.status.map(|_| Message {
                headers: self.answered_headers(),
                body: answered,
                unread: false,
            }),
        }
    }

    fn answered_headers(&self) -> BTreeMap<String, String> {
        let clause = self.clause.filter(|_| self.hints);
        let set = respond::headers(self.texts.answered > 0, clause, self.retry_after);
        set.map(|(name, value)| (name.as_str().to_owned(), value.into_owned())).collect()
    }
}

impl Texts {
    fn new(
        mut buffer: Vec<u8>,
        body_kept: usize,
        head: &Parts,
        body: Option<&Bytes>,
        answered: &[u8],
    ) -> Texts {
        let kept = |bytes: &[u8]| bytes.len().min(body_kept);
        let sent: &[u8] = body.map_or(&[], |body| body);
        let (path, query) = (head.uri.path(), head.uri.query());
        let cut = |text: &str| text.floor_char_boundary(PATH_KEPT);
        buffer.clear();
        let heads = 2 * PATH_KEPT + headers_length(&head.headers);
        buffer.reserve_exact(heads + kept(sent) + kept(answered));
        let mut ends = [0; 4];
        buffer.extend_from_slice(&path.as_bytes()[..cut(path)]);
        ends[0] = buffer.len();
        if let Some(query) = query {
            buffer.extend_from_slice(&query.as_bytes()[..cut(query)]);
        }
        ends[1] = buffer.len();
        let are_headers_cut = write_headers(&mut buffer, &head.headers);
        ends[2] = buffer.len();
        // A copy: the original shares the buffer of its connection, which would stay in memory.
        buffer.extend_from_slice(&sent[..kept(sent)]);
        ends[3] = buffer.len();
        buffer.extend_from_slice(&answered[..kept(answered)]);
        let is_query_cut = query.is_some_and(|query| ends[1] - ends[0] < query.len());
        let is_method_cut = head.method.as_str().len() > METHOD_KEPT;
        let cut = [is_method_cut, ends[0] < path.len(), is_query_cut, are_headers_cut];
        let (sent, answered) = (body.map(Bytes::len), answered.len());
        Texts { buffer, ends, has_query: query.is_some(), cut, sent, answered }
    }

    fn is_cut(&self, part: CutPart) -> bool {
        PARTS.iter().zip(self.cut).any(|(known, is_cut)| *known == part && is_cut)
    }

    /// The text of this number.
    fn part(&self, part: usize) -> &[u8] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = self.ends.get(part).copied().unwrap_or(self.buffer.len());
        &self.buffer[start..end]
    }
}

/// Writes headers, one a line: no value has a line feed. Returns whether some did not fit.
fn write_headers(buffer: &mut Vec<u8>, headers: &HeaderMap) -> bool {
    let first = buffer.len();
    for (name, value) in headers {
        let start = buffer.len();
        buffer.extend_from_slice(name.as_str().as_bytes());
        buffer.push(b':');
        match value.to_str() {
            Ok(value) if is_secret(name) => write_hidden(buffer, value),
            Err(_) if is_secret(name) => {}
            _ => buffer.extend_from_slice(value.as_bytes()),
        }
        buffer.push(b'\n');
        if buffer.len() - first > HEADERS_KEPT {
            buffer.truncate(start);
            return true;
        }
    }
    false
}

fn is_secret(name: &HeaderName) -> bool {
    [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].contains(name)
}

/// Writes the scheme, if there is one, and the masked credentials.
fn write_hidden(buffer: &mut Vec<u8>, value: &str) {
    let (scheme, credentials) = value.split_at(value.find(' ').map_or(0, |space| space + 1));
    buffer.extend_from_slice(scheme.as_bytes());
    buffer.extend_from_slice(masked(credentials).as_bytes());
}

/// An upper bound for what [`write_headers`] writes, but for secrets. Bytes.
fn headers_length(headers: &HeaderMap) -> usize {
    let lines = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 2);
    lines.sum::<usize>().min(HEADERS_KEPT)
}

/// Joins the values of one name by commas.
fn by_name<'a>(headers: impl Iterator<Item = (&'a str, Cow<'a, str>)>) -> BTreeMap<String, String> {
    let mut by_name = BTreeMap::<String, String>::new();
    for (name, value) in headers {
        match by_name.get_mut(name) {
            Some(values) => {
                values.push_str(", ");
                values.push_str(&value);
            }
            None => {
                by_name.insert(name.to_owned(), value.into_owned());
            }
        }
    }
    by_name
}

/// A method in the form that the journal keeps.
fn method(method: &Method) -> Cow<'static, str> {
    match *method {
        Method::GET => Cow::Borrowed("GET"),
        Method::PUT => Cow::Borrowed("PUT"),
        Method::POST => Cow::Borrowed("POST"),
        Method::DELETE => Cow::Borrowed("DELETE"),
        _ => Cow::Owned(method.as_str().chars().take(METHOD_KEPT).collect()),
    }
}

/// The response of a subscription without its signing secret, which may have any form if a face minted it.
fn unsigned(answer: Payload) -> Payload {
    let fields = serde_json::from_slice::<Map<String, Value>>(&answer.bytes).ok();
    let secret = fields.as_ref().and_then(|fields| fields.get("secret")?.as_str());
    let (Some(secret), Some(text)) = (secret.filter(|secret| !secret.is_empty()), answer.text())
    else {
        return answer;
    };
    let shown = text.replace(secret, &masked(secret));
    Payload { length: shown.len() as u64, bytes: shown.into() }
}

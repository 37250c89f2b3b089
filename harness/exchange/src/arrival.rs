//! Requests that arrive at the inbox.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tideover_model::words::EventType;
use tideover_model::{Timestamp, signature};

use crate::masking::withheld;
use crate::matcher::leaves;
use crate::payload::Payload;

/// The status of a request that gets no response.
pub const NO_ANSWER: u16 = 0;

/// A request that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    pub path: String,
    pub delivery: Option<String>,
    pub signature: Option<String>,
    /// The other headers, in their order.
    pub headers: Vec<(String, String)>,
    pub body: Payload,
    /// The status of our response, or [`NO_ANSWER`].
    pub status: u16,
    /// The target's time of arrival, where its clock can be read.
    pub at: Option<Timestamp>,
    /// The wall time of arrival, if the request came over a network.
    pub arrived: Option<Timestamp>,
}

/// Whether a header has a field of its own in an arrival.
pub fn has_a_field(header: &str) -> bool {
    let own = [signature::DELIVERY_HEADER, signature::HEADER];
    own.iter().any(|own| own.eq_ignore_ascii_case(header))
}

impl Arrival {
    /// The time in the signature. Unix seconds.
    pub fn signed_at(&self) -> Option<u64> {
        let mut fields = self.signature.as_deref()?.split(',');
        fields.find_map(|field| field.strip_prefix("t="))?.parse().ok()
    }

    /// The listed type of its event, in the body or in a header: the document doesn't show where it stands (§6 Gaps in
    /// events).
    pub fn event_type(&self) -> Option<&'static str> {
        let of_headers = || listed_in(self.headers.iter().map(|(_, value)| &**value));
        self.body.json().and_then(kind_of_event).or_else(of_headers)
    }

    /// All headers, those that the document names first.
    pub fn all_headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let delivery = self.delivery.as_deref().map(|value| (signature::DELIVERY_HEADER, value));
        let signed = self.signature.as_deref().map(|value| (signature::HEADER, value));
        let others = self.headers.iter().map(|(name, value)| (&**name, &**value));
        delivery.into_iter().chain(signed).chain(others)
    }

    pub fn masked_body(&self) -> Option<Value> {
        self.body.json().map(withheld)
    }

    /// The beginning of the body, if it is not empty and not JSON.
    pub fn text(&self) -> Option<String> {
        const SHOWN: usize = 2000;
        let is_text = !self.body.is_empty() && self.body.json().is_none();
        let beginning = &self.body[..self.body.len().min(SHOWN)];
        is_text.then(|| String::from_utf8_lossy(beginning).into_owned())
    }
}

/// In one line: its event, its path and our response.
impl fmt::Display for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = self.event_type().unwrap_or("no known event");
        write!(f, "{event} on {} → ", self.path)?;
        match self.status {
            NO_ANSWER => f.write_str("no answer"),
            status => write!(f, "{status}"),
        }
    }
}

impl Serialize for Arrival {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        let headers = self.all_headers().map(|(name, value)| (name.to_owned(), value.into()));
        map.serialize_entry("headers", &headers.collect::<Map<String, Value>>())?;
        if let Some(body) = self.masked_body() {
            map.serialize_entry("body", &body)?;
        }
        if let Some(text) = self.text() {
            map.serialize_entry("text", &text)?;
        }
        map.serialize_entry("answered", &self.status)?;
        if let Some(at) = self.at {
            map.serialize_entry("at", &at)?;
        }
        map.end()
    }
}

/// The type of an event, found anywhere in it, because the document doesn't name the field.
pub fn kind_of_event(event: &Value) -> Option<&'static str> {
    listed_in(leaves(event).filter_map(Value::as_str))
}

/// The first of the texts that is a listed type.
fn listed_in<'a>(mut texts: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    texts.find_map(|text| EventType::parse(text).map(EventType::name))
}

//! Requests that arrive at the inbox.

use serde_json::Value;
use tideover_model::Timestamp;
use tideover_model::words::EventType;

use crate::exchange::payload::Payload;

/// The status of a request that gets no response.
pub const NO_ANSWER: u16 = 0;

/// A request that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The path.
    pub path: String,
    /// The `Service-Delivery` header.
    pub delivery: Option<String>,
    /// The `Service-Signature` header.
    pub signature: Option<String>,
    /// The raw body.
    pub body: Payload,
    /// The status of our response, or [`NO_ANSWER`].
    pub status: u16,
    /// The target's time of arrival, where its clock can be read.
    pub at: Option<Timestamp>,
    /// The wall time of arrival, if the request came over a network.
    pub arrived: Option<Timestamp>,
}

impl Arrival {
    /// The time in the signature. Unix seconds.
    pub fn signed_at(&self) -> Option<u64> {
        let mut fields = self.signature.as_deref()?.split(',');
        fields.find_map(|field| field.strip_prefix("t="))?.parse().ok()
    }
}

/// The type of an event, found anywhere in it, because the document doesn't name the field.
pub(crate) fn kind_of_event(event: &Value) -> Option<&'static str> {
    match event {
        Value::String(text) => {
            EventType::ALL.map(EventType::name).into_iter().find(|it| it == text)
        }
        Value::Object(fields) => fields.values().find_map(kind_of_event),
        Value::Array(items) => items.iter().find_map(kind_of_event),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A whole number, or a string of its digits.
pub(crate) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

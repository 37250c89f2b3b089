//! A delivery that arrived at the inbox.

use serde_json::Value;
use tideover_model::Timestamp;
use tideover_model::words::EventType;

use crate::exchange::payload::Payload;

/// The status of a request that is not answered.
pub const NO_ANSWER: u16 = 0;

/// A request that came.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The path that it came to.
    pub path: String,
    /// The `Service-Delivery` header.
    pub delivery: Option<String>,
    /// The `Service-Signature` header.
    pub signature: Option<String>,
    /// The raw body.
    pub body: Payload,
    /// What it was answered; [`NO_ANSWER`] where it was not.
    pub status: u16,
    /// What the target's clock showed when it came, where that can be asked.
    pub at: Option<Timestamp>,
    /// What the clock on the wall showed when it came, where it came over a network.
    pub arrived: Option<Timestamp>,
}

impl Arrival {
    /// When it was signed, as its signature says: Unix seconds.
    pub fn signed_at(&self) -> Option<u64> {
        let mut fields = self.signature.as_deref()?.split(',');
        fields.find_map(|field| field.strip_prefix("t="))?.parse().ok()
    }
}

/// The kind of an event, in whatever field: the document does not name the field.
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

/// A number, or the digits of one in a text.
pub(crate) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

//! An entry of the journal, as it is shown.

use std::collections::BTreeMap;

use axum::body::Bytes;
use serde::Serialize;
use serde::ser::Serializer;
use tideover_model::words::EventKind;
use tideover_model::{Clause, Code, OperationKind, Timestamp};
use utoipa::ToSchema;

use crate::grease::Freedom;

/// A request to the partner API, and its response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JournalEntry)]
pub struct Entry {
    /// The number of requests before it.
    pub number: u64,
    /// When the service answered it, by the world's clock.
    #[schema(value_type = String, format = DateTime)]
    pub time: Timestamp,
    /// When that was by the wall clock.
    #[schema(value_type = String, format = DateTime)]
    pub real_time: RealTime,
    /// The first 32 bytes of the method.
    pub method: String,
    /// The first 256 bytes of the path as sent, without the query.
    pub path: String,
    /// The first 256 bytes of the query, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub query: Option<String>,
    /// Of what the journal keeps only the beginning, besides bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<CutPart>,
    /// The `operationId`, if path and method name an operation.
    #[schema(value_type = Option<String>, required = true)]
    pub operation: Option<OperationKind>,
    /// The HTTP status of the service's answer, even of one that a fault withheld from the client; none if a fault
    /// kept the request from the service.
    #[schema(required = true)]
    pub status: Option<u16>,
    /// The code of the refusal, if the service refused it.
    #[schema(value_type = Option<String>, required = true)]
    pub code: Option<Code>,
    /// The sentence of the document, or the assumption, that decided the answer: the stable name of its place.
    #[serde(serialize_with = "clause")]
    #[schema(value_type = Option<String>, required = true)]
    pub clause: Option<Clause>,
    /// A hint about a successful request: that an address is incomplete.
    #[schema(required = true)]
    pub note: Option<String>,
    /// What the service ignored in the request, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The label of the fault that the request met, if it met one.
    #[schema(required = true)]
    pub fault: Option<String>,
    /// The freedoms that the response takes, if the world has grease. The client may have got another code than
    /// `code`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub grease: Vec<Freedom>,
    /// Whether a key or a signing secret in path, query, headers or body of the request is masked, besides those in the
    /// headers `Authorization`, `Proxy-Authorization` and `Cookie`, which always are.
    #[serde(skip_serializing_if = "is_false")]
    pub masked: bool,
    /// The deliveries that the request caused, as far as the log of deliveries still has them.
    pub events: Vec<CausedEvent>,
    /// What the client sent.
    pub request: Message,
    /// What the service answered, even if a fault withheld it; none if a fault kept the request from it.
    #[schema(required = true)]
    pub response: Option<Message>,
}

/// A part of a request, as far as it is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CutPart {
    /// The method.
    Method,
    /// The path.
    Path,
    /// The query.
    Query,
    /// The headers: those that are missing did not fit.
    Headers,
}

/// Headers and body of a request or a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Message {
    /// The headers by name, in lower case. Values of one name are joined by commas, and secrets are masked. Of a response, those
    /// that the service itself sets.
    pub headers: BTreeMap<String, String>,
    /// The body, if there is one and somebody read it. The secret of a new subscription is masked.
    #[schema(value_type = Option<PayloadView>, required = true)]
    pub body: Option<Payload>,
    /// Whether there is a body that nobody read: the request was refused for its path, its key or its size.
    #[serde(skip_serializing_if = "is_false")]
    pub unread: bool,
}

/// A body, or its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The bytes kept.
    pub bytes: Bytes,
    /// The length of the whole body. Bytes.
    pub length: u64,
}

/// A webhook that a request caused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CausedEvent {
    /// The number of the delivery in the log of deliveries.
    pub index: u64,
    /// Its `Service-Delivery`.
    pub delivery: String,
    /// The identifier of the event.
    pub id: String,
    /// The type of the event.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub event: EventKind,
}

/// A time by the wall clock. It differs from run to run, so any two are equal: entries of two runs can be compared.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RealTime(pub Timestamp);

impl PartialEq for RealTime {
    fn eq(&self, _: &RealTime) -> bool {
        true
    }
}

impl Eq for RealTime {}

impl Payload {
    /// Whether the journal keeps only the beginning.
    pub fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < self.length
    }

    /// The text, if it is UTF-8. A character that is cut is left out.
    pub fn text(&self) -> Option<&str> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Some(text),
            Err(error) if self.is_cut() && error.error_len().is_none() => {
                std::str::from_utf8(&self.bytes[..error.valid_up_to()]).ok()
            }
            Err(_) => None,
        }
    }
}

/// A body, or its beginning.
#[derive(Serialize, ToSchema)]
#[schema(as = Payload)]
struct PayloadView<'a> {
    /// The length of the whole body. Bytes.
    length: u64,
    /// The body, if it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<&'a str>,
    /// The body in base64, if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    base64: Option<String>,
    /// True if only the beginning of the body is kept.
    #[serde(skip_serializing_if = "is_false")]
    cut: bool,
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.text();
        let base64 = text.is_none().then(|| base64(&self.bytes));
        PayloadView { length: self.length, text, base64, cut: self.is_cut() }.serialize(serializer)
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn is_false(value: &bool) -> bool {
    !value
}

fn clause<S: Serializer>(clause: &Option<Clause>, serializer: S) -> Result<S::Ok, S::Error> {
    clause.map(Clause::name).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_is_text_or_base64_and_says_that_it_is_cut() {
        let shown =
            |bytes: &[u8], length| json!(Payload { bytes: Bytes::copy_from_slice(bytes), length });
        assert_eq!(shown("€".as_bytes(), 3), json!({ "length": 3, "text": "€" }));
        assert_eq!(shown(&[255], 1), json!({ "length": 1, "base64": "/w==" }));
        let cut = json!({ "length": 6, "text": "€", "cut": true });
        assert_eq!(shown(&"€€".as_bytes()[..4], 6), cut);
        assert_eq!(shown(&"€€".as_bytes()[..4], 4), json!({ "length": 4, "base64": "4oKs4g==" }));
    }
}

//! Responses.

use std::fmt;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::masking::withheld;
use tideover_model::wire::field;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    pub status: u16,
    pub body: Body,
}

/// The body of a response. Its `Debug` output masks sensitive fields.
#[derive(Clone, Default, PartialEq)]
pub enum Body {
    #[default]
    Empty,
    /// JSON, shared by all copies of the response.
    Json(Arc<Value>),
    /// The beginning of any other body.
    Other(String),
}

impl Response {
    pub fn new(status: u16, bytes: &[u8]) -> Response {
        let body = if bytes.is_empty() {
            Body::Empty
        } else if let Ok(mut json) = serde_json::from_slice(bytes) {
            read_forms(&mut json);
            Body::Json(Arc::new(json))
        } else {
            return Response::cut(status, bytes);
        };
        Response { status, body }
    }

    /// A response of `status` whose body is not JSON; only the beginning is kept.
    pub fn cut(status: u16, bytes: &[u8]) -> Response {
        const SHOWN: usize = 2000;
        let beginning = &bytes[..bytes.len().min(SHOWN)];
        Response { status, body: Body::Other(String::from_utf8_lossy(beginning).into_owned()) }
    }

    /// A response of `status` whose body has more than `read` bytes, the limit for reading.
    pub fn too_long(status: u16, read: usize) -> Response {
        Response {
            status,
            body: Body::Other(format!("more than {} MiB, which are not read", read >> 20)),
        }
    }

    pub fn json(&self) -> Option<&Value> {
        match &self.body {
            Body::Json(json) => Some(json),
            Body::Empty | Body::Other(_) => None,
        }
    }

    pub fn success_body(&self) -> Option<&Value> {
        self.json().filter(|_| self.is_success())
    }

    pub fn masked_body(&self) -> Option<Value> {
        self.json().map(withheld)
    }

    /// Whether it has a status of 4xx.
    pub fn is_refused(&self) -> bool {
        (400..500).contains(&self.status)
    }

    pub fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    pub fn code(&self) -> Option<&str> {
        self.json()?.get(field::CODE)?.as_str()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Empty => f.write_str("no body"),
            Body::Json(json) => write!(f, "{}", withheld(json)),
            Body::Other(text) => write!(f, "{text:?}"),
        }
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", &self.status)?;
        match &self.body {
            Body::Empty => {}
            Body::Json(json) => map.serialize_entry("body", &withheld(json))?,
            Body::Other(text) => map.serialize_entry("text", text)?,
        }
        map.end()
    }
}

/// Gives a body one form where the document allows several: a number without a fraction is an integer, since JSON does
/// not distinguish 100 from 100.0, and the reference of a subscription is text, since its type is not shown (§2 Webhook
/// subscription).
pub fn read_forms(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0").and_then(|whole| whole.parse::<i64>().ok());
            whole.into_iter().for_each(|whole| *value = whole.into());
        }
        Value::Array(items) => items.iter_mut().for_each(read_forms),
        Value::Object(members) => {
            members.values_mut().for_each(read_forms);
            let numbered = members.get_mut(field::REFERENCE).filter(|value| value.is_number());
            numbered.into_iter().for_each(|reference| *reference = reference.to_string().into());
        }
        _ => {}
    }
}

//! What the harness talks to: the bare model, or anything that answers HTTP.

mod bare;
mod embedded;
mod http;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tideover_model::{Timestamp, masked};

use crate::inbox::Arrival;
use crate::step::{Action, Call, Caller, Memory, Step};

pub use bare::{Bare, INBOX, service};
pub use embedded::embedded;
pub use http::Http;

/// A step with its references replaced, ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// What is sent.
    pub action: PreparedAction,
}

/// What of a step is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum PreparedAction {
    /// A request of the partner API.
    Call(PreparedCall),
    /// An action of the operator port.
    Act(Map<String, Value>),
    /// The clock moves forward by so many seconds.
    Advance(u64),
    /// The deliveries queued since this was last asked.
    Deliveries,
}

/// A request of the partner API, as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedCall {
    /// The HTTP method.
    pub method: String,
    /// The path, encoded.
    pub path: String,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// What a target answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Body,
}

/// The body of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// JSON.
    Json(Value),
    /// Anything else: its beginning.
    Other(String),
}

/// A target could not be asked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreachable(pub String);

/// What the harness talks to.
pub trait Target {
    /// The API key that steps of nobody in particular carry.
    fn api_key(&self) -> &str;

    /// Sends a step and waits for the answer.
    ///
    /// # Errors
    /// [`Unreachable`] if no answer came.
    fn send(&mut self, step: &Prepared) -> impl Future<Output = Result<Seen, Unreachable>>;

    /// Where webhooks come to the harness; `None` if it has no inbox that the target could reach.
    fn inbox(&self) -> Option<&str>;

    /// What came to the inbox since this was last asked, once nothing more is on its way.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer.
    fn arrivals(&mut self) -> impl Future<Output = Result<Vec<Arrival>, Unreachable>>;
}

impl Prepared {
    /// `step`, with its references read from `memory`.
    pub fn from_step(step: &Step, memory: &Memory, api_key: &str) -> Prepared {
        let authorization = match &step.caller {
            Caller::Default => Some(format!("Bearer {api_key}")),
            Caller::Key(key) => Some(format!("Bearer {}", memory.resolve(key))),
            Caller::Header(header) => Some(memory.resolve(header)),
            Caller::Nobody => None,
        };
        let action = match &step.action {
            Action::Call(call) => PreparedAction::Call(PreparedCall::from_call(call, memory)),
            Action::Act(fields) => PreparedAction::Act(memory.resolve_fields(fields)),
            Action::Advance(seconds) => PreparedAction::Advance(*seconds),
            Action::Deliveries => PreparedAction::Deliveries,
        };
        Prepared { authorization, action }
    }
}

impl PreparedCall {
    fn from_call(call: &Call, memory: &Memory) -> PreparedCall {
        let body = match (&call.body, &call.text, &call.hex) {
            (Some(json), ..) => memory.resolve_value(json).to_string().into_bytes(),
            (None, Some(text), _) => memory.resolve(text).into_bytes(),
            (None, None, Some(hex)) => base16ct::mixed::decode_vec(hex).unwrap_or_default(),
            (None, None, None) => Vec::new(),
        };
        let implied = call.body.is_some().then(|| "application/json".to_owned());
        PreparedCall {
            method: call.method.clone(),
            path: encoded(&memory.resolve(&call.path)),
            content_type: call.content_type.clone().or(implied),
            body,
        }
    }
}

/// A path as every client would send it: what may not stand in a URL is percent-encoded, what is encoded
/// stays.
fn encoded(path: &str) -> String {
    const KEPT: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'<')
        .add(b'>')
        .add(b'`')
        .add(b'{')
        .add(b'}')
        .add(b'\\')
        .add(b'^')
        .add(b'|')
        .add(b'?');
    percent_encoding::utf8_percent_encode(path, KEPT).to_string()
}

impl Seen {
    /// An answer of `status` with `bytes` for a body.
    pub fn new(status: u16, bytes: &[u8]) -> Seen {
        const SHOWN: usize = 2000;
        let body = if bytes.is_empty() {
            Body::Empty
        } else if let Ok(json) = serde_json::from_slice(bytes) {
            Body::Json(json)
        } else {
            Body::Other(String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]).into_owned())
        };
        Seen { status, body }
    }

    /// The body, if it is JSON.
    pub fn json(&self) -> Option<&Value> {
        match &self.body {
            Body::Json(json) => Some(json),
            Body::Empty | Body::Other(_) => None,
        }
    }

    /// Whether the target did as it was asked.
    pub fn is_success(&self) -> bool {
        (200..=299).contains(&self.status)
    }

    /// The code of a failure.
    pub fn code(&self) -> Option<&str> {
        self.json()?.get("code")?.as_str()
    }
}

/// What may be written down of an answer: a secret or a key, but for its middle.
fn withheld(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) => {
            let mask = |(name, value): (&String, &Value)| match value {
                Value::String(secret) if matches!(name.as_str(), "secret" | "key") => {
                    (name.clone(), masked(secret).into())
                }
                value => (name.clone(), withheld(value)),
            };
            fields.iter().map(mask).collect()
        }
        Value::Array(items) => items.iter().map(withheld).collect(),
        value => value.clone(),
    }
}

impl Serialize for Seen {
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

/// When a world starts unless it is told otherwise.
pub const START: &str = "2026-01-01T00:00:00Z";

/// [`START`] as an instant.
pub fn start() -> Timestamp {
    Timestamp::parse(START).expect("a date-time")
}

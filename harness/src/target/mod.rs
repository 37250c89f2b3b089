//! What the harness talks to: the bare model, or anything that answers HTTP.

mod bare;
pub mod client;
mod embedded;
mod http;

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tideover_model::wire::exchange::{Asked, Request};
use tideover_model::{Operation, OperationKind, Timestamp, masked};

use crate::inbox::Arrival;
use crate::payload::Payload;
use crate::step::{Action, Call, Memory, Step};

pub(crate) use bare::origin;
pub use bare::{Answer, Bare, INBOX, service};
pub use embedded::{embedded, embedded_with};
pub use http::{Http, PATIENCE};

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

/// A request of the partner API, as it is sent; what it asks for is read once.
#[derive(Clone, Debug)]
pub struct PreparedCall {
    /// The HTTP method.
    pub method: String,
    /// The path, encoded.
    pub path: String,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    body: Payload,
    asked: OnceLock<Box<Asked>>,
}

/// What a target answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Body,
}

/// The body of an answer; its `Debug` does not tell what must not be.
#[derive(Clone, Default, PartialEq)]
pub enum Body {
    /// None.
    #[default]
    Empty,
    /// JSON, which whoever keeps an answer shares.
    Json(Arc<Value>),
    /// Anything else: its beginning.
    Other(String),
}

/// No answer came to a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{why}")]
#[serde(rename_all = "camelCase")]
pub struct Unanswered {
    /// What happened instead.
    pub why: String,
    /// Whether the target may have done as it was asked.
    pub applied: Applied,
    /// Whether nothing more can be asked: the run is over.
    #[serde(skip)]
    pub is_last: bool,
}

/// Whether a request that was not answered may have been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Applied {
    /// It was never sent.
    Never,
    /// It was sent, at least in part.
    MayBe,
}

impl Unanswered {
    /// It was never sent.
    pub fn never(why: impl Into<String>) -> Unanswered {
        Unanswered { why: why.into(), applied: Applied::Never, is_last: false }
    }

    /// It was sent, at least in part.
    pub fn may_be(why: impl Into<String>) -> Unanswered {
        Unanswered { why: why.into(), applied: Applied::MayBe, is_last: false }
    }

    /// The same, after which nothing more can be asked.
    #[must_use]
    pub fn and_last(self) -> Unanswered {
        Unanswered { is_last: true, ..self }
    }
}

impl From<Unanswered> for Unreachable {
    fn from(unanswered: Unanswered) -> Unreachable {
        Unreachable(unanswered.why)
    }
}

/// A target could not be asked: a run cannot go on.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreachable(pub String);

/// What `${inbox}` stands for where there is none: webhooks go nowhere.
pub const NO_INBOX: &str = "https://inbox.invalid";

/// What the harness talks to.
pub trait Target {
    /// The API key that steps of nobody in particular carry.
    fn api_key(&self) -> &str;

    /// Sends a step and waits for the answer.
    ///
    /// # Errors
    /// [`Unanswered`] if no answer came.
    fn send(&mut self, step: &Prepared) -> impl Future<Output = Result<Seen, Unanswered>>;

    /// Where webhooks come to the harness; `None` if it has no inbox that the target could reach.
    fn inbox(&self) -> Option<&str>;

    /// What steps can refer to before any is played.
    fn memory(&self) -> Memory {
        Memory::with_inbox(self.inbox().unwrap_or(NO_INBOX))
    }

    /// What came to the inbox since this was last asked, once nothing more is on its way.
    ///
    /// # Errors
    /// [`Unanswered`] if the target does not answer.
    fn arrivals(&mut self) -> impl Future<Output = Result<Vec<Arrival>, Unanswered>>;
}

impl Prepared {
    /// `step`, with the names and the references that `memory` has for it.
    pub fn from_step(step: &Step, memory: &Memory, api_key: &str) -> Prepared {
        let step = &*memory.named(step);
        let authorization = step.caller.authorization(memory, api_key);
        let action = match &step.action {
            Action::Call(call) => PreparedAction::Call(PreparedCall::from_call(call, memory)),
            Action::Act(fields) => PreparedAction::Act(memory.resolve_fields(fields)),
            Action::Advance(seconds) => PreparedAction::Advance(*seconds),
            Action::Deliveries => PreparedAction::Deliveries,
        };
        Prepared { authorization, action }
    }

    /// The request, if it is one.
    pub fn call(&self) -> Option<&PreparedCall> {
        match &self.action {
            PreparedAction::Call(call) => Some(call),
            PreparedAction::Act(_) | PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                None
            }
        }
    }

    /// The endpoint that it asks, if there is one.
    pub fn kind(&self) -> Option<OperationKind> {
        self.call()?.asked().kind
    }

    /// The name of the operator port's action, if it is one.
    pub(crate) fn action_name(&self) -> Option<&str> {
        match &self.action {
            PreparedAction::Act(fields) => fields.get("action")?.as_str(),
            PreparedAction::Call(_) | PreparedAction::Advance(_) | PreparedAction::Deliveries => {
                None
            }
        }
    }

    /// What it asks for, as findings name it.
    pub(crate) fn operation(&self) -> String {
        match &self.action {
            PreparedAction::Call(call) => match self.kind() {
                Some(kind) => kind.to_string(),
                None => format!("{} {}", call.method, call.path),
            },
            PreparedAction::Act(_) => format!("action {}", self.action_name().unwrap_or("?")),
            PreparedAction::Advance(_) => "the clock".to_owned(),
            PreparedAction::Deliveries => "deliveries".to_owned(),
        }
    }

    /// Whether it may tell a target of the inbox at `origin`: only a subscription can.
    pub(crate) fn tells_of(&self, origin: &str) -> bool {
        let PreparedAction::Call(call) = &self.action else { return false };
        call.method == "POST" && String::from_utf8_lossy(&call.body).contains(origin)
    }
}

impl PartialEq for PreparedCall {
    fn eq(&self, other: &PreparedCall) -> bool {
        self.method == other.method
            && self.path == other.path
            && self.content_type == other.content_type
            && self.body == other.body
    }
}

impl PreparedCall {
    /// A request with `body`, in `content_type`.
    pub fn new(
        method: impl Into<String>,
        path: impl Into<String>,
        content_type: Option<String>,
        body: Vec<u8>,
    ) -> PreparedCall {
        let (method, path) = (method.into(), path.into());
        PreparedCall { method, path, content_type, body: body.into(), asked: OnceLock::new() }
    }

    /// The same request, with another body.
    #[must_use]
    pub(crate) fn with_body(&self, body: Vec<u8>) -> PreparedCall {
        let PreparedCall { method, path, content_type, .. } = self;
        PreparedCall::new(method, path, content_type.clone(), body)
    }

    /// The same request, which doesn't say of what type its body is.
    #[must_use]
    pub(crate) fn without_media_type(&self) -> PreparedCall {
        PreparedCall::new(&self.method, &self.path, None, self.body.to_vec())
    }

    /// The body.
    pub fn body(&self) -> &Payload {
        &self.body
    }

    /// The path without the query.
    pub(crate) fn plain_path(&self) -> &str {
        self.path.split_once('?').map_or(&self.path, |(path, _)| path)
    }

    /// What it asks for, as the document has it.
    pub(crate) fn asked(&self) -> &Asked {
        self.asked.get_or_init(|| {
            Box::new(Asked::by(&Request {
                method: &self.method,
                path: self.plain_path(),
                authorization: None,
                content_type: self.content_type.as_deref(),
                body: &self.body,
            }))
        })
    }

    /// The operation that it asks for, if it is one of the published form.
    pub(crate) fn operation(&self) -> Option<&Operation> {
        self.asked().operation.as_ref().ok()
    }

    fn from_call(call: &Call, memory: &Memory) -> PreparedCall {
        let body = match (&call.body, &call.text, &call.hex) {
            (Some(json), ..) => memory.resolve_json(json).into_bytes(),
            (None, Some(text), _) => memory.resolve(text).into_bytes(),
            (None, None, Some(hex)) => base16ct::mixed::decode_vec(hex).unwrap_or_default(),
            (None, None, None) => Vec::new(),
        };
        let implied = call.body.is_some().then(|| "application/json".to_owned());
        let content_type = call.content_type.clone().or(implied);
        PreparedCall::new(&call.method, encoded(&memory.resolve(&call.path)), content_type, body)
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
    std::borrow::Cow::from(percent_encoding::utf8_percent_encode(path, KEPT)).into_owned()
}

impl Seen {
    /// An answer of `status` with `bytes` for a body.
    pub fn new(status: u16, bytes: &[u8]) -> Seen {
        let body = if bytes.is_empty() {
            Body::Empty
        } else if let Ok(json) = serde_json::from_slice(bytes) {
            Body::Json(Arc::new(json))
        } else {
            return Seen::cut(status, bytes);
        };
        Seen { status, body }
    }

    /// An answer of `status` whose body is not JSON: its beginning.
    pub fn cut(status: u16, bytes: &[u8]) -> Seen {
        const SHOWN: usize = 2000;
        let beginning = &bytes[..bytes.len().min(SHOWN)];
        Seen { status, body: Body::Other(String::from_utf8_lossy(beginning).into_owned()) }
    }

    /// An answer of `status` whose body has more than `read` bytes, which are too many to be read.
    pub fn too_long(status: u16, read: usize) -> Seen {
        Seen {
            status,
            body: Body::Other(format!("more than {} MiB, which are not read", read >> 20)),
        }
    }

    /// The body, if it is JSON.
    pub fn json(&self) -> Option<&Value> {
        match &self.body {
            Body::Json(json) => Some(json),
            Body::Empty | Body::Other(_) => None,
        }
    }

    /// The body, if it is JSON and the target did as it was asked.
    pub(crate) fn told_in_success(&self) -> Option<&Value> {
        self.json().filter(|_| self.is_success())
    }

    /// The body, if it is JSON, as it may be told.
    pub fn told(&self) -> Option<Value> {
        self.json().map(withheld)
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

/// What may be written down: a secret, a key, an account number or a tax id, but for its middle.
pub(crate) fn withheld(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), withheld_field(name, value))).collect()
        }
        Value::Array(items) => items.iter().map(withheld).collect(),
        value => value.clone(),
    }
}

fn withheld_field(name: &str, value: &Value) -> Value {
    if is_withheld(name) || matches!(name, "secret" | "key") {
        hidden(value)
    } else {
        withheld(value)
    }
}

/// Whatever stands in a field that is withheld, but for its middle.
fn hidden(value: &Value) -> Value {
    match value {
        Value::String(text) => masked(text).into(),
        Value::Number(number) => masked(&number.to_string()).into(),
        Value::Array(items) => items.iter().map(hidden).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), hidden(value))).collect()
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// Whether a field tells of whom a business is, or of its account.
pub(crate) fn is_withheld(name: &str) -> bool {
    matches!(name, "accountNumber" | "taxId")
}

/// What may be told of the field `name` of an answer.
pub(crate) fn told(name: &str, value: &Value) -> String {
    withheld_field(name, value).to_string()
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

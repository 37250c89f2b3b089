//! A step as it is sent, with its references replaced.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Map, Value, json};
use tideover_model::exchange::{Asked, Request};
use tideover_model::wire::action::name_in;
use tideover_model::wire::route::route;
use tideover_model::wire::written::Written;
use tideover_model::{ActionKind, Operation, OperationKind};

use crate::Memory;
use crate::corrected::corrected_body;
use crate::matcher::texts;
use crate::payload::Payload;
use crate::step::{Action, Call, Step};

/// A step with its references replaced, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    pub authorization: Option<String>,
    pub action: PreparedAction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreparedAction {
    Call(PreparedCall),
    Act(Map<String, Value>),
    /// Moves the clock forward by this many seconds.
    Advance(u64),
    /// Lists the deliveries queued since the last such step.
    Deliveries,
}

/// A request of the partner API, ready to be sent. It is parsed once, and corrected once.
#[derive(Clone, Debug)]
pub struct PreparedCall {
    pub method: String,
    /// The path, encoded.
    pub path: String,
    pub content_type: Option<String>,
    body: Payload,
    asked: OnceLock<Box<Asked>>,
    corrected: OnceLock<Option<Box<PreparedCall>>>,
}

impl Prepared {
    /// `step`, with its names and references resolved by `memory`.
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

    pub fn call(&self) -> Option<&PreparedCall> {
        let PreparedAction::Call(call) = &self.action else { return None };
        Some(call)
    }

    pub fn kind(&self) -> Option<OperationKind> {
        self.call()?.asked().kind
    }

    /// The well-formed version of a request whose media type or body is wrong. `None` if it is well-formed, or has no such
    /// version.
    pub fn corrected(&self) -> Option<Prepared> {
        let action = PreparedAction::Call(self.call()?.corrected()?.clone());
        Some(Prepared { authorization: self.authorization.clone(), action })
    }

    /// What a service takes the request for if it accepts it: the well-formed version, or the request itself.
    pub fn taken(&self) -> Cow<'_, Prepared> {
        self.corrected().map_or(Cow::Borrowed(self), Cow::Owned)
    }

    /// The action of the operator port that it asks for, if it is a known one.
    pub fn acts(&self) -> Option<ActionKind> {
        let PreparedAction::Act(fields) = &self.action else { return None };
        ActionKind::of(fields)
    }

    pub fn operation(&self) -> String {
        match &self.action {
            PreparedAction::Call(call) => match self.kind() {
                Some(kind) => kind.to_string(),
                None => format!("{} {}", call.method, call.path),
            },
            PreparedAction::Act(fields) => {
                format!("action {}", name_in(fields).unwrap_or("?"))
            }
            PreparedAction::Advance(_) => "the clock".to_owned(),
            PreparedAction::Deliveries => "deliveries".to_owned(),
        }
    }

    /// Whether it may give a target the inbox URL `origin`. Only a subscription can.
    pub fn mentions(&self, origin: &str) -> bool {
        let PreparedAction::Call(call) = &self.action else { return false };
        call.method == "POST" && String::from_utf8_lossy(&call.body).contains(origin)
    }
}

/// A step as an HTTP request: to the API or, where its path begins with `/_sim/`, to the operator port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpForm<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub content_type: Option<&'a str>,
    pub body: Cow<'a, [u8]>,
}

impl PreparedAction {
    /// The path and the body of a POST to the operator port, if it is one.
    pub fn operator_call(&self) -> Option<(&'static str, Value)> {
        match self {
            PreparedAction::Act(fields) => Some(("/_sim/actions", Value::Object(fields.clone()))),
            PreparedAction::Advance(seconds) => {
                Some(("/_sim/clock", json!({ "advanceSeconds": seconds })))
            }
            PreparedAction::Call(_) | PreparedAction::Deliveries => None,
        }
    }

    pub fn http_form(&self) -> HttpForm<'_> {
        if let PreparedAction::Call(PreparedCall { method, path, content_type, body, .. }) = self {
            let (content_type, body) = (content_type.as_deref(), Cow::Borrowed(&**body));
            return HttpForm { method, path, content_type, body };
        }
        match self.operator_call() {
            Some((path, body)) => HttpForm {
                method: "POST",
                path,
                content_type: Some("application/json"),
                body: Cow::Owned(body.to_string().into_bytes()),
            },
            None => HttpForm {
                method: "GET",
                path: "/_sim/deliveries",
                content_type: None,
                body: Cow::Borrowed(&[]),
            },
        }
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

impl Eq for PreparedCall {}

impl PreparedCall {
    pub fn new(
        method: impl Into<String>,
        path: impl Into<String>,
        content_type: Option<String>,
        body: Vec<u8>,
    ) -> PreparedCall {
        let (method, path) = (method.into(), path.into());
        PreparedCall {
            method,
            path,
            content_type,
            body: body.into(),
            asked: OnceLock::new(),
            corrected: OnceLock::new(),
        }
    }

    pub fn of(operation: &Operation) -> PreparedCall {
        let Written { method, path, content_type, body } = operation.written();
        PreparedCall::new(method, path, content_type.map(str::to_owned), body)
    }

    #[must_use]
    pub fn with_body(&self, body: Vec<u8>) -> PreparedCall {
        let PreparedCall { method, path, content_type, .. } = self;
        PreparedCall::new(method, path, content_type.clone(), body)
    }

    #[must_use]
    pub fn with_path(&self, path: String) -> PreparedCall {
        let PreparedCall { method, content_type, body, .. } = self;
        PreparedCall::new(method, path, content_type.clone(), body.to_vec())
    }

    /// The same call at the path without the slashes that name nothing.
    #[must_use]
    pub fn tidied(&self) -> PreparedCall {
        let names = self.path.split('/').filter(|name| !name.is_empty());
        self.with_path(names.fold(String::new(), |path, name| path + "/" + name))
    }

    /// The same call with the last two names of its path as one, then with the last three, and so on. A service may take a
    /// slash for a part of an identifier.
    pub fn with_longer_names(&self) -> impl Iterator<Item = PreparedCall> {
        let slashes = self.path.rmatch_indices('/').filter(|(at, _)| *at > 0);
        slashes.map(|(at, _)| {
            let (start, rest) = (&self.path[..at], &self.path[at + 1..]);
            self.with_path(format!("{start}%2F{}", rest.replace('/', "%2F")))
        })
    }

    /// Whether the percent-encoding of the path spells no text, so that it names nothing: a server may refuse it before the
    /// service sees it.
    pub fn is_misspelt(&self) -> bool {
        let path = self.plain_path();
        let is_digit = |digit: &u8| digit.is_ascii_hexdigit();
        let is_escape =
            |rest: &str| rest.as_bytes().get(..2).is_some_and(|it| it.iter().all(is_digit));
        !path.split('%').skip(1).all(is_escape)
            || percent_encoding::percent_decode_str(path).decode_utf8().is_err()
    }

    /// Whether an identifier of the path, or a text of the body, has more characters than `most`.
    pub fn has_text_longer_than(&self, most: usize) -> bool {
        let is_longer = |text: &str| text.chars().nth(most).is_some();
        let named = route(&self.method, self.plain_path()).and_then(|way| way.identifiers());
        named.is_ok_and(|names| names.iter().any(|name| is_longer(name)))
            || self.body().json().is_some_and(|body| texts(body).into_iter().any(is_longer))
    }

    #[must_use]
    pub fn without_media_type(&self) -> PreparedCall {
        PreparedCall::new(&self.method, &self.path, None, self.body.to_vec())
    }

    pub fn body(&self) -> &Payload {
        &self.body
    }

    pub fn plain_path(&self) -> &str {
        self.path.split_once('?').map_or(&self.path, |(path, _)| path)
    }

    /// The request, parsed as the document defines it.
    pub fn asked(&self) -> &Asked {
        self.asked.get_or_init(|| Box::new(Asked::by(&self.as_request(None))))
    }

    /// The request with an `Authorization` header, as it is answered.
    pub fn as_request<'a>(&'a self, authorization: Option<&'a str>) -> Request<'a> {
        Request {
            method: &self.method,
            path: self.plain_path(),
            authorization,
            content_type: self.content_type.as_deref(),
            body: &self.body,
        }
    }

    /// The requested operation, if the request has the published form.
    pub fn operation(&self) -> Option<&Operation> {
        self.asked().operation.as_ref().ok()
    }

    /// What a service takes the request for if it is not well-formed and yet accepted. `None` if it is well-formed, or has
    /// no well-formed version.
    pub fn corrected(&self) -> Option<&PreparedCall> {
        self.corrected.get_or_init(|| self.correct().map(Box::new)).as_deref()
    }

    fn correct(&self) -> Option<PreparedCall> {
        if self.operation().is_some() {
            return None;
        }
        let mut plain = self.tidied().without_media_type();
        if plain.operation().is_none() {
            plain = plain.with_body(corrected_body(&self.body)?);
        }
        plain.operation().is_some().then_some(plain)
    }

    fn from_call(call: &Call, memory: &Memory) -> PreparedCall {
        let body = match (&call.body, &call.text, &call.hex) {
            (Some(json), ..) => memory.resolve_json(json).into_bytes(),
            (None, Some(text), _) => memory.resolve(text).into_bytes(),
            (None, None, Some(hex)) => const_hex::decode(hex).unwrap_or_default(),
            (None, None, None) => Vec::new(),
        };
        let implied = call.body.is_some().then(|| "application/json".to_owned());
        let content_type = call.content_type.clone().or(implied);
        PreparedCall::new(&call.method, encoded(&memory.resolve(&call.path)), content_type, body)
    }
}

/// Percent-encodes characters that a URL doesn't allow. Existing encoding stays.
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

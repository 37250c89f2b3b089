//! One symbolic action: a request, an operator action, or a move of the clock.
//!
//! A step has the form that it has on the wire, with references to values that the target creates.
//! `${name.path.to.field}` is a field of the response to the step `name`. `${inbox}` is the URL where the
//! harness receives webhooks. `${start+30d}` is the instant 30 days after the target's clock at the first step; `s` counts
//! seconds, and `-` goes back. A reference to a missing field stays as it is, so any subset of a run is also a
//! run.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tideover_model::wire::route::route;
use tideover_model::{ActionKind, OperationKind};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StepLine", into = "StepLine")]
pub struct Step {
    /// The name that later steps refer to.
    pub name: Option<String>,
    /// Its purpose, in plain words.
    pub note: Option<String>,
    pub caller: Caller,
    pub action: Action,
    /// The response that a hand-written transcript expects.
    pub expect: Option<Expect>,
    /// The clauses that a hand-written transcript meets here.
    pub clauses: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caller {
    /// The target's main key.
    #[default]
    Default,
    /// A key or a reference to one.
    Key(String),
    /// An `Authorization` header. `${key}` in it is the target's main key, `${key.cut}` the same without its last
    /// character. `${key.asName}` and `${key.asPassword}` are credentials of Basic authentication with that key.
    Header(String),
    Nobody,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Call(Call),
    Act(Map<String, Value>),
    /// Moves the clock forward by this many seconds.
    Advance(u64),
    /// Lists the deliveries queued since the last such step.
    Deliveries,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    pub method: String,
    /// The path, encoded.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "any_value")]
    pub body: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A body of bytes that are not UTF-8, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// The name of a CSV file beside the transcript's folder, in `imports/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<String>,
    /// The media type, if the form of the body doesn't imply it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// The response that a hand-written transcript expects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub status: u16,
    /// What the body must contain; more fields are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// Reads `null` as a value, not as an absent field.
fn any_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Step {
    /// A step of the default caller, without a name.
    pub fn new(action: Action) -> Step {
        Step {
            name: None,
            note: None,
            caller: Caller::Default,
            action,
            expect: None,
            clauses: Vec::new(),
        }
    }

    #[must_use]
    pub fn by(self, caller: &Caller) -> Step {
        Step { caller: caller.clone(), ..self }
    }

    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Step {
        Step { name: Some(name.into()), ..self }
    }

    /// The kind of its request, if it is one to a served path.
    pub fn kind(&self) -> Option<OperationKind> {
        match &self.action {
            Action::Call(call) => call.kind(),
            Action::Act(_) | Action::Advance(_) | Action::Deliveries => None,
        }
    }

    /// The kind of its action, if it is one of the operator port.
    pub fn acts(&self) -> Option<ActionKind> {
        match &self.action {
            Action::Act(fields) => ActionKind::of(fields),
            Action::Call(_) | Action::Advance(_) | Action::Deliveries => None,
        }
    }
}

/// Whether an action of the operator port lets a later request of this kind fail, or one to no served path.
pub fn lets_fail(action: ActionKind, request: Option<OperationKind>) -> bool {
    match action {
        ActionKind::InterruptNextImport => request == Some(OperationKind::ImportInvoices),
        ActionKind::UpstreamFails => true,
        _ => false,
    }
}

impl Call {
    /// A request of this kind, with `identifiers` in its path.
    pub fn of(kind: OperationKind, identifiers: &[&str], body: Option<Value>) -> Call {
        Call { body, ..Call::bare(kind.method(), kind.path_of(identifiers)) }
    }

    /// A request of this kind without a body, with `segments` in its path: encoded identifiers, or references.
    pub fn at(kind: OperationKind, segments: &[&str]) -> Call {
        Call::bare(kind.method(), kind.path_with(segments))
    }

    /// A request of this kind with a text as its body.
    pub fn text_of(kind: OperationKind, identifiers: &[&str], text: String) -> Call {
        let content_type = kind.media_type().map(str::to_owned);
        Call { text: Some(text), content_type, ..Call::of(kind, identifiers, None) }
    }

    /// The kind of the operation that it asks for, if its method and its path are those of one.
    pub fn kind(&self) -> Option<OperationKind> {
        route(&self.method, &self.path).ok().map(|route| route.kind)
    }

    pub fn json(method: &str, path: impl Into<String>, body: Value) -> Call {
        Call { body: Some(body), ..Call::bare(method, path) }
    }

    pub fn bare(method: &str, path: impl Into<String>) -> Call {
        let (method, path) = (method.to_owned(), path.into());
        Call { method, path, body: None, text: None, hex: None, csv: None, content_type: None }
    }

    pub fn text(method: &str, path: impl Into<String>, text: String, content_type: &str) -> Call {
        let content_type = Some(content_type.to_owned());
        Call { text: Some(text), content_type, ..Call::bare(method, path) }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(
        default,
        rename = "as",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "any_value"
    )]
    caller: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authorization: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<Call>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    advance_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deliveries: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expect: Option<Expect>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clauses: Vec<String>,
}

/// What whoever wrote a step has to mend in it.
#[derive(Debug, thiserror::Error)]
enum MalformedStep {
    #[error("a step has one of call, act, advanceSeconds, deliveries")]
    Action,
    #[error("as is a key or null, and stands without authorization")]
    Caller,
}

impl TryFrom<StepLine> for Step {
    type Error = MalformedStep;

    fn try_from(written: StepLine) -> Result<Step, MalformedStep> {
        let action = match (written.call, written.act, written.advance_seconds, written.deliveries)
        {
            (Some(call), None, None, None) => Action::Call(call),
            (None, Some(act), None, None) => Action::Act(act),
            (None, None, Some(seconds), None) => Action::Advance(seconds),
            (None, None, None, Some(true)) => Action::Deliveries,
            _ => return Err(MalformedStep::Action),
        };
        let caller = match (written.caller, written.authorization) {
            (None, None) => Caller::Default,
            (None, Some(header)) => Caller::Header(header),
            (Some(Value::Null), None) => Caller::Nobody,
            (Some(Value::String(key)), None) => Caller::Key(key),
            _ => return Err(MalformedStep::Caller),
        };
        let StepLine { name, note, expect, clauses, .. } = written;
        Ok(Step { name, note, caller, action, expect, clauses })
    }
}

impl From<Step> for StepLine {
    fn from(step: Step) -> StepLine {
        let Step { name, note, expect, clauses, .. } = step;
        let mut written = StepLine { name, note, expect, clauses, ..StepLine::default() };
        match step.caller {
            Caller::Default => {}
            Caller::Key(key) => written.caller = Some(Value::String(key)),
            Caller::Header(header) => written.authorization = Some(header),
            Caller::Nobody => written.caller = Some(Value::Null),
        }
        match step.action {
            Action::Call(call) => written.call = Some(call),
            Action::Act(act) => written.act = Some(act),
            Action::Advance(seconds) => written.advance_seconds = Some(seconds),
            Action::Deliveries => written.deliveries = Some(true),
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_survives_serialization() {
        for line in [
            r#"{"name":"hook","as":"${b.key}","call":{"method":"POST","path":"/v1/webhooks","body":{"url":"https://a.example/"}},"expect":{"status":201}}"#,
            r#"{"as":null,"call":{"method":"PUT","path":"/v1/invoices/a","body":null}}"#,
            r#"{"authorization":"Basic x","call":{"method":"GET","path":"/"}}"#,
            r#"{"note":"later","advanceSeconds":5}"#,
            r#"{"deliveries":true,"clauses":["6.delivery.5"]}"#,
        ] {
            let step: Step = serde_json::from_str(line).unwrap();
            assert_eq!(serde_json::to_string(&step).unwrap(), line);
        }
    }

    #[test]
    fn a_step_does_one_thing() {
        for line in [
            "{}",
            r#"{"deliveries":false}"#,
            r#"{"advanceSeconds":1,"deliveries":true}"#,
            r#"{"advanceSecond":1}"#,
        ] {
            assert!(serde_json::from_str::<Step>(line).is_err(), "{line}");
        }
    }
}

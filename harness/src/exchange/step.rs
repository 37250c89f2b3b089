//! One symbolic action: a request of a caller, a move of the outside world, a move of the clock.
//!
//! A step is written as it goes over the wire, with references where a value was made by the target:
//! `${name.path.to.field}` is read from the answer to the step called `name`, and `${inbox}` is where webhooks
//! come to the harness. A reference to a missing field stays as text, so that any part of a run can be played.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// A step of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Step {
    /// What later steps call it.
    pub name: Option<String>,
    /// What it is for, in plain words.
    pub note: Option<String>,
    /// Who does it.
    pub caller: Caller,
    /// What is done.
    pub action: Action,
    /// What a hand-written transcript expects.
    pub expect: Option<Expect>,
    /// The clauses that a hand-written transcript meets here.
    pub clauses: Vec<String>,
}

/// Whose API key a step carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Caller {
    /// The key that the target was given with.
    #[default]
    Default,
    /// A key, perhaps a reference.
    Key(String),
    /// An `Authorization` header as it stands.
    Header(String),
    /// No header.
    Nobody,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A request of the partner API.
    Call(Call),
    /// An action of the operator port.
    Act(Map<String, Value>),
    /// The clock moves forward by so many seconds.
    Advance(u64),
    /// The deliveries queued since this was last asked.
    Deliveries,
}

/// A request of the partner API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// The HTTP method.
    pub method: String,
    /// The path, encoded.
    pub path: String,
    /// A JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "any_value")]
    pub body: Option<Value>,
    /// A body as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A body of bytes that are not UTF-8, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// The name of a CSV file beside the transcript's folder, in `imports/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<String>,
    /// The media type, where it is not that of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// What a hand-written transcript expects of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The HTTP status.
    pub status: u16,
    /// What the body must hold; more is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// `null` is a body too.
fn any_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Step {
    /// A step of nobody in particular.
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

    /// The same step, by `caller`.
    #[must_use]
    pub fn by(self, caller: &Caller) -> Step {
        Step { caller: caller.clone(), ..self }
    }

    /// The same step, called `name`.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Step {
        Step { name: Some(name.into()), ..self }
    }
}

impl Call {
    /// A request with a JSON body.
    pub fn json(method: &str, path: impl Into<String>, body: Value) -> Call {
        Call { body: Some(body), ..Call::bare(method, path) }
    }

    /// A request without a body.
    pub fn bare(method: &str, path: impl Into<String>) -> Call {
        let (method, path) = (method.to_owned(), path.into());
        Call { method, path, body: None, text: None, hex: None, csv: None, content_type: None }
    }

    /// A request with a body as it stands.
    pub fn text(method: &str, path: impl Into<String>, text: String, content_type: &str) -> Call {
        let content_type = Some(content_type.to_owned());
        Call { text: Some(text), content_type, ..Call::bare(method, path) }
    }
}

/// A step as a line of a transcript.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
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

impl TryFrom<Written> for Step {
    type Error = String;

    fn try_from(written: Written) -> Result<Step, String> {
        let action = match (written.call, written.act, written.advance_seconds, written.deliveries)
        {
            (Some(call), None, None, None) => Action::Call(call),
            (None, Some(act), None, None) => Action::Act(act),
            (None, None, Some(seconds), None) => Action::Advance(seconds),
            (None, None, None, Some(true)) => Action::Deliveries,
            _ => return Err("a step has one of call, act, advanceSeconds, deliveries".into()),
        };
        let caller = match (written.caller, written.authorization) {
            (None, None) => Caller::Default,
            (None, Some(header)) => Caller::Header(header),
            (Some(Value::Null), None) => Caller::Nobody,
            (Some(Value::String(key)), None) => Caller::Key(key),
            _ => return Err("as is a key or null, and stands without authorization".into()),
        };
        let Written { name, note, expect, clauses, .. } =
            Written { call: None, act: None, caller: None, authorization: None, ..written };
        Ok(Step { name, note, caller, action, expect, clauses })
    }
}

impl From<Step> for Written {
    fn from(step: Step) -> Written {
        let mut written = Written {
            name: step.name,
            note: step.note,
            caller: None,
            authorization: None,
            call: None,
            act: None,
            advance_seconds: None,
            deliveries: None,
            expect: step.expect,
            clauses: step.clauses,
        };
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
    fn a_step_survives_being_written() {
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

//! The responses that later steps refer to.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value};
use tideover_model::Timestamp;

use crate::dates::{seconds_from_start, start};
use crate::renaming::{OWN, Renaming};
use crate::step::{Caller, Step};

/// The responses to named steps. References are read from them.
#[derive(Clone, Debug)]
pub struct Memory {
    answers: BTreeMap<String, Value>,
    /// Makes the names in steps unique when they are sent, if set.
    renaming: Option<Renaming>,
    /// The target's clock at the first step, in whole seconds. Dates in steps count from it.
    start: Timestamp,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { answers: BTreeMap::new(), renaming: None, start: start() }
    }
}

/// How a reference begins.
const OPEN: &str = "${";

impl Memory {
    /// A memory in which `${inbox}` is `origin`, where the harness receives webhooks.
    pub fn with_inbox(origin: &str) -> Memory {
        let answers = BTreeMap::from([("inbox".to_owned(), Value::from(origin))]);
        Memory { answers, ..Memory::default() }
    }

    /// The same memory, which renames the steps that are sent with it.
    #[must_use]
    pub fn renaming(self, renaming: Renaming) -> Memory {
        Memory { renaming: Some(renaming), ..self }
    }

    /// The same memory, of steps that start when the target's clock shows this.
    #[must_use]
    pub fn starting(self, at: Timestamp) -> Memory {
        Memory { start: Timestamp::from_unix(at.unix()).unwrap_or(at), ..self }
    }

    pub(crate) fn named<'a>(&self, step: &'a Step) -> Cow<'a, Step> {
        match &self.renaming {
            Some(renaming) => Cow::Owned(renaming.rename(step)),
            None => Cow::Borrowed(step),
        }
    }

    #[must_use]
    pub fn knowing(mut self, name: &str, value: Value) -> Memory {
        self.answers.insert(name.to_owned(), value);
        self
    }

    pub fn keep(&mut self, step: &Step, body: Option<&Value>) {
        if let (Some(name), Some(body)) = (&step.name, body) {
            self.answers.insert(name.clone(), body.clone());
        }
    }

    /// `text` with its references replaced.
    pub fn resolve(&self, text: &str) -> String {
        self.resolved(text, String::push_str)
    }

    /// The same, with what replaces a reference as `write` writes it.
    fn resolved(&self, text: &str, write: impl Fn(&mut String, &str)) -> String {
        if !text.contains(OPEN) {
            return text.to_owned();
        }
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(OPEN) {
            let Some(length) = rest[start..].find('}') else { break };
            let reference = &rest[start + OPEN.len()..start + length];
            resolved.push_str(&rest[..start]);
            match self.instant(reference).as_ref().or_else(|| self.look_up(reference)) {
                None if rest[start..].starts_with(OWN) => {}
                Some(Value::String(value)) => write(&mut resolved, value),
                Some(value) => write(&mut resolved, &value.to_string()),
                None => {
                    // A reference to what is there may follow within it.
                    resolved.push_str(OPEN);
                    rest = &rest[start + OPEN.len()..];
                    continue;
                }
            }
            rest = &rest[start + length + 1..];
        }
        resolved.push_str(rest);
        resolved
    }

    /// Whether a step asks about a response that never came, or lacks what the step reads of it.
    pub fn lacks_for(&self, step: &Step) -> bool {
        let asks = Step { caller: Caller::Default, ..step.clone() };
        let asks = serde_json::to_string(&asks).unwrap_or_default();
        self.resolve(&asks).contains("${")
    }

    /// `value` with the references in its strings replaced.
    pub fn resolve_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.resolve(text)),
            Value::Array(items) => items.iter().map(|item| self.resolve_value(item)).collect(),
            Value::Object(fields) => Value::Object(self.resolve_fields(fields)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// `value` as JSON text, with the references in its strings replaced.
    pub fn resolve_json(&self, value: &Value) -> String {
        // The `Display` of a `Value` is several times slower.
        let written = serde_json::to_string(value).unwrap_or_default();
        if !written.contains(OPEN) {
            return written;
        }
        // No character of a reference is escaped in JSON.
        self.resolved(&written, |resolved, value| {
            let quoted = serde_json::to_string(value).unwrap_or_default();
            resolved.push_str(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
        })
    }

    /// `fields` with the references in their values replaced.
    pub fn resolve_fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        fields.iter().map(|(name, value)| (name.clone(), self.resolve_value(value))).collect()
    }

    /// What [`from_start`](crate::from_start) refers to, unless no clock can show it.
    fn instant(&self, reference: &str) -> Option<Value> {
        let moved = self.start.unix().checked_add(seconds_from_start(reference)?)?;
        Some(Timestamp::from_unix(moved)?.to_string().into())
    }

    fn look_up(&self, reference: &str) -> Option<&Value> {
        let mut parts = reference.split('.');
        within(self.answers.get(parts.next()?)?, parts)
    }
}

/// The value at the end of a way: the names of fields, and the indexes of elements.
pub fn within<'v, 'p>(
    value: &'v Value,
    way: impl IntoIterator<Item = &'p str>,
) -> Option<&'v Value> {
    way.into_iter().try_fold(value, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        value => value.get(part),
    })
}

impl Caller {
    /// The `Authorization` header, its references read from `memory`.
    pub fn authorization(&self, memory: &Memory, api_key: &str) -> Option<String> {
        match self {
            Caller::Default => Some(["Bearer ", api_key].concat()),
            Caller::Key(key) => Some(["Bearer ", &memory.resolve(key)].concat()),
            Caller::Header(header) => {
                let cut = api_key.char_indices().last().map_or("", |(last, _)| &api_key[..last]);
                let basic = |credentials: String| BASE64.encode(credentials);
                let forms = [
                    ("${key}", api_key.to_owned()),
                    ("${key.cut}", cut.to_owned()),
                    ("${key.asName}", basic(format!("{api_key}:"))),
                    ("${key.asPassword}", basic(format!(":{api_key}"))),
                ];
                let header = forms.into_iter().fold(header.clone(), |header, (name, form)| {
                    if header.contains(name) { header.replace(name, &form) } else { header }
                });
                Some(memory.resolve(&header))
            }
            Caller::Nobody => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dates::from_start;
    use crate::step::{Action, Call};

    #[test]
    fn references_read_the_responses_to_named_steps() {
        let mut memory = Memory::default();
        let list = Step::new(Action::Deliveries).named("list");
        memory.keep(&list, Some(&json!([{ "reference": "whs_1", "n": 7 }])));
        assert_eq!(memory.resolve("/v1/webhooks/${list.0.reference}"), "/v1/webhooks/whs_1");
        assert_eq!(memory.resolve("${list.0.n}-${list.1.n}-${x.y}"), "7-${list.1.n}-${x.y}");
        assert_eq!(memory.resolve("${unclosed"), "${unclosed");
    }

    #[test]
    fn dates_count_from_the_clock_at_the_first_step() {
        let start = Timestamp::parse("2026-11-29T15:31:31.25Z").expect("a date-time");
        let memory = Memory::default().starting(start);
        let resolved = |seconds| memory.resolve(&from_start(seconds));
        assert_eq!(resolved(0), "2026-11-29T15:31:31Z");
        assert_eq!(resolved(2 * 86_400), "2026-12-01T15:31:31Z");
        assert_eq!(resolved(-86_400), "2026-11-28T15:31:31Z");
        assert_eq!(resolved(86_401), "2026-11-30T15:31:32Z");
        // No clock shows them, so they stay as they are.
        for reference in
            ["${start+9999999d}", "${start+99999999999999999d}", "${start}", "${start+1h}"]
        {
            assert_eq!(memory.resolve(reference), reference);
        }
    }

    #[test]
    fn what_replaces_a_reference_in_json_is_escaped() {
        let memory = Memory::default().knowing("odd", json!({ "text": "a\"b\n", "number": 7 }));
        let body = json!({ "text": "x${odd.text}y${odd.number}", "due": from_start(0), "no": "${x.y", "key": "${x}" });
        let resolved = memory.resolve_json(&body);
        assert_eq!(serde_json::from_str::<Value>(&resolved).unwrap(), memory.resolve_value(&body));
        let (text, due) = ("xa\"b\ny7", "2026-01-01T00:00:00Z");
        assert_eq!(
            memory.resolve_value(&body),
            json!({ "text": text, "due": due, "no": "${x.y", "key": "${x}" })
        );
    }

    #[test]
    fn a_step_lacks_what_no_response_has_given() {
        let mut memory = Memory::with_inbox("https://inbox.example");
        let made = Step::new(Action::Deliveries).named("made");
        memory.keep(&made, Some(&json!({ "reference": "whs_1" })));
        let delete = |reference: &str| Step::new(Action::Call(Call::bare("DELETE", reference)));
        assert!(!memory.lacks_for(&delete("/v1/webhooks/${made.reference}")));
        assert!(!memory.lacks_for(&delete("${inbox}/accepts")));
        assert!(memory.lacks_for(&delete("/v1/webhooks/${made.secret}")));
        assert!(memory.lacks_for(&delete("/v1/webhooks/${refused.reference}")));
    }
}

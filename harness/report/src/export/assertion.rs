//! What the last response must be, by the document.

use serde_json::Value;
use tideover_exchange::evidence::finding::OUTCOME;
use tideover_exchange::{Response, within};
use tideover_model::wire::schema::{Role, in_replies};

/// What is asserted of the last response.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Assertion {
    /// A success, whichever status it has: no status of a success is documented everywhere.
    Success,
    /// This status.
    Status(u16),
    /// A refusal with this code.
    Code(String),
    /// A field of the body, by its way, has this value.
    Field { way: Vec<String>, value: Value },
    /// A field of the body, by its way, has some text: the document leaves its words open.
    SomeText { way: Vec<String> },
}

impl Assertion {
    /// What the model answered and the service did not, where the finding is: in `field`. `None` if the response does
    /// not show it.
    pub(super) fn of(field: &str, right: &Response, seen: &Seen) -> Option<Assertion> {
        let was_success = (200..300).contains(&seen.status);
        match (right.code(), right.is_success()) {
            (Some(code), false) if seen.code() != Some(code) => {
                return Some(Assertion::Code(code.to_owned()));
            }
            (_, true) if !was_success => return Some(Assertion::Success),
            _ => {}
        }
        if field == OUTCOME || field == "status" && right.status != seen.status {
            return (right.status != seen.status).then_some(Assertion::Status(right.status));
        }
        let way: Vec<String> = field.split('.').map(str::to_owned).collect();
        let (way, value) = different(right.json()?, seen.body.as_ref()?, &way)?;
        let name = way.iter().rfind(|part| part.parse::<usize>().is_err())?;
        let roles = || in_replies(name).iter().map(|field| field.role);
        if roles().any(|role| matches!(role, Role::Instant)) {
            // One instant has many forms.
            return None;
        }
        if value.is_string() && roles().any(|role| matches!(role, Role::Prose | Role::Text)) {
            // The words are free: only their absence is wrong.
            let is_some = |text: &Value| text.as_str().is_some_and(|text| !text.is_empty());
            let is_missing =
                !seen.body.as_ref().and_then(|body| at(body, &way)).is_some_and(is_some);
            return is_missing.then_some(Assertion::SomeText { way });
        }
        Some(Assertion::Field { way, value: value.clone() })
    }
}

/// The first place under a way where `right` has a value and `seen` another or none. `*` is any element of a list.
fn different<'v>(
    right: &'v Value,
    seen: &Value,
    way: &[String],
) -> Option<(Vec<String>, &'v Value)> {
    let Some(star) = way.iter().position(|part| part == "*") else {
        let value = at(right, way)?;
        return (Some(value) != at(seen, way)).then(|| (way.to_vec(), value));
    };
    let elements = at(right, &way[..star])?.as_array()?.len();
    (0..elements).find_map(|index| {
        let mut way = way.to_vec();
        way[star] = index.to_string();
        different(right, seen, &way)
    })
}

/// The last response, as the transcript has it.
pub(super) struct Seen {
    pub(super) status: u16,
    pub(super) body: Option<Value>,
}

impl Seen {
    fn code(&self) -> Option<&str> {
        self.body.as_ref()?.get("code")?.as_str()
    }
}

/// The value at the end of a way.
pub(super) fn at<'v>(value: &'v Value, way: &[String]) -> Option<&'v Value> {
    within(value, way.iter().map(String::as_str))
}

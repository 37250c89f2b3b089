//! Whether two arrivals report the same event.

use serde_json::Value;
use tideover_exchange::{Payload, kind_of_event};
use tideover_model::wire::field;

/// The field that identifies an event, where a body has it (`gap.eventPayload`).
const ID: &str = "id";

/// Whether two bodies report the same event: their bytes are equal, or kind and identifier are, or kind, subject and
/// time are. Two events may still be alike, because the document doesn't show what an event contains.
pub(super) fn is_same_event(one: &Payload, other: &Payload) -> bool {
    if **one == **other {
        return true;
    }
    let (Some(one), Some(other)) = (one.json(), other.json()) else { return false };
    let same = |names: &[&str]| names.iter().all(|name| one.get(name) == other.get(name));
    let has_id = one.get(ID).is_some_and(Value::is_string);
    kind_of_event(one).is_some()
        && kind_of_event(one) == kind_of_event(other)
        && (has_id && same(&[ID]) || same(&[field::DATA, field::OCCURRED_AT, field::SEQUENCE]))
}

//! Compares a response with what a hand-written transcript expects.
//!
//! Objects match as subsets, arrays element by element, date-times as instants. A placeholder matches a value
//! that isn't known in advance: `<any>`, `<string>`, `<digits>`, `<integer>`, `<boolean>`, `<date-time>`.
//! `<absent>` matches a missing key.

use serde_json::Value;
use tideover_model::Timestamp;

/// A field that is not as expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    pub field: String,
    pub expected: String,
    pub seen: String,
}

/// Every field where `seen` does not match `expected`.
pub fn mismatches(expected: &Value, seen: Option<&Value>) -> Vec<Mismatch> {
    let mut found = Vec::new();
    compare("", expected, seen, &mut found);
    found
}

fn compare(field: &str, expected: &Value, seen: Option<&Value>, found: &mut Vec<Mismatch>) {
    let inside = |name: &str| match field {
        "" => name.to_owned(),
        field => format!("{field}.{name}"),
    };
    match (expected, seen) {
        (Value::Object(expected), Some(Value::Object(seen))) => {
            for (name, expected) in expected {
                compare(&inside(name), expected, seen.get(name), found);
            }
        }
        (Value::Array(expected), Some(Value::Array(seen))) if expected.len() == seen.len() => {
            for (index, (expected, seen)) in expected.iter().zip(seen).enumerate() {
                compare(&inside(&index.to_string()), expected, Some(seen), found);
            }
        }
        (expected, seen) if !holds(expected, seen) => found.push(Mismatch {
            field: field.to_owned(),
            expected: expected.to_string(),
            seen: seen.map_or_else(|| "nothing".to_owned(), Value::to_string),
        }),
        _ => {}
    }
}

fn holds(expected: &Value, seen: Option<&Value>) -> bool {
    let Some(seen) = seen else { return expected == "<absent>" };
    let Value::String(expected) = expected else { return expected == seen };
    let text = seen.as_str();
    match expected.as_str() {
        "<any>" => true,
        "<absent>" => false,
        "<string>" => seen.is_string(),
        "<digits>" => text.is_some_and(is_digits),
        "<integer>" => seen.is_i64() || seen.is_u64(),
        "<boolean>" => seen.is_boolean(),
        "<date-time>" => text.is_some_and(|text| Timestamp::parse(text).is_some()),
        expected => text.is_some_and(|text| same_text(expected, text)),
    }
}

pub fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether two texts are the same string or the same instant.
pub fn same_text(one: &str, other: &str) -> bool {
    let same_instant = |instant| Some(instant) == Timestamp::parse(other);
    one == other || Timestamp::parse(one).is_some_and(same_instant)
}

/// The strings of an answer, however deep they stand.
pub fn texts(answer: &Value) -> Vec<&str> {
    leaves(answer).filter_map(Value::as_str).collect()
}

/// The values of a body that hold no others, however deep they stand.
pub fn leaves(body: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match body {
        Value::Array(items) => Box::new(items.iter().flat_map(leaves)),
        Value::Object(fields) => Box::new(fields.values().flat_map(leaves)),
        leaf => Box::new(std::iter::once(leaf)),
    }
}

/// The fields of a body with their names, however deep they stand; those of an object before those within it.
pub fn fields(body: &Value) -> Box<dyn Iterator<Item = (&str, &Value)> + '_> {
    match body {
        Value::Array(items) => Box::new(items.iter().flat_map(fields)),
        Value::Object(named) => {
            let own = named.iter().map(|(name, value)| (name.as_str(), value));
            Box::new(own.chain(named.values().flat_map(fields)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// The seconds from `one` to `other`. `None` if either is not an instant.
pub fn instants_apart(one: &str, other: &str) -> Option<i64> {
    let (one, other) = (Timestamp::parse(one)?, Timestamp::parse(other)?);
    Some(other.unix() - one.unix())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(expected: Value, seen: Value) -> Vec<String> {
        mismatches(&expected, Some(&seen)).into_iter().map(|mismatch| mismatch.field).collect()
    }

    #[test]
    fn objects_match_as_subsets_and_arrays_element_by_element() {
        let seen = json!({ "a": 1, "b": [{ "c": 2, "d": 3 }] });
        assert!(fields(json!({ "b": [{ "c": 2 }] }), seen.clone()).is_empty());
        assert_eq!(fields(json!({ "b": [{ "c": 3 }], "a": 2 }), seen.clone()), ["a", "b.0.c"]);
        assert_eq!(fields(json!({ "b": [] }), seen), ["b"]);
    }

    #[test]
    fn placeholders_match_unknown_values() {
        let seen = json!({ "s": "x", "d": "12", "i": 3, "t": "2026-01-01T01:00:00+01:00" });
        let good = json!({ "s": "<string>", "d": "<digits>", "i": "<integer>", "q": "<absent>",
            "t": "2026-01-01T00:00:00Z" });
        assert!(fields(good, seen.clone()).is_empty());
        let bad = json!({ "s": "<digits>", "d": "<integer>", "i": "<string>", "t": "<absent>",
            "n": "<any>" });
        assert_eq!(fields(bad, seen), ["d", "i", "n", "s", "t"]);
    }
}

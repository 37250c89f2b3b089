//! The readings of a body by services that are more lenient than we assume.

use serde_json::Value;

use crate::clause;
use crate::clause::Clause;

/// Ever more lenient readings of `text`, each with the assumption that excludes it.
pub(crate) fn readings(text: &str) -> Vec<(Clause, Value)> {
    // Of two equal keys, the last counts.
    let Ok(last_keys) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let whole_numbers = with_whole_numbers(last_keys.clone());
    let no_nulls = without_nulls(whole_numbers.clone());
    vec![
        (clause!("gap.duplicateKeys"), last_keys),
        (clause!("gap.integerForm"), whole_numbers),
        (clause!("gap.nullOptional"), no_nulls),
    ]
}

/// The most lenient reading of `body`, if it is JSON.
pub fn most_lenient(body: &[u8]) -> Option<Vec<u8>> {
    let (_, reading) = readings(std::str::from_utf8(body).ok()?).pop()?;
    serde_json::to_vec(&reading).ok()
}

/// Treats 1.0 and 1e3 as whole numbers.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0);
            // Beyond this, an f64 can't represent every whole number.
            let exact = whole.filter(|number| number.abs() < 9e15);
            let is_written_so = number.is_f64();
            match exact.filter(|_| is_written_so) {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "it is whole, and small enough"
                )]
                Some(exact) => Value::from(exact as i64),
                None => Value::Number(number),
            }
        }
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, with_whole_numbers(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

/// Treats null as absent.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let present = fields.into_iter().filter(|(_, value)| !value.is_null());
            present.map(|(name, value)| (name, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

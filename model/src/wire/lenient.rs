//! A body as a service may read it that asks for less than we assume.

use serde_json::Value;

use crate::clause;
use crate::clause::Clause;

/// What `text` says if it is read ever more leniently, each time with the assumption by which we do not.
pub(crate) fn readings(text: &str) -> Vec<(Clause, Value)> {
    // The last of two keys stands.
    let Ok(last_keys) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let whole_numbers = with_whole_numbers(last_keys.clone());
    let no_nulls = without_nulls(whole_numbers.clone());
    vec![
        (clause!("gap.duplicateKeys"), last_keys),
        (clause!("gap.integerForm"), whole_numbers),
        (clause!("gap.nullOptional"), no_nulls),
    ]
}

/// `body` as the most lenient of them reads it, if it is JSON.
pub fn most_lenient(body: &[u8]) -> Option<Vec<u8>> {
    let (_, reading) = readings(std::str::from_utf8(body).ok()?).pop()?;
    serde_json::to_vec(&reading).ok()
}

/// 1.0 and 1e3 are whole numbers, however they are written.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0);
            // Beyond, not every whole number is one of these.
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

/// Null is as good as nothing.
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

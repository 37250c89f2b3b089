//! The readings of a body by services that are more lenient than we assume.

use std::borrow::Cow;

use serde_json::Value;

use crate::clause;
use crate::clause::Clause;
use crate::wire::field;
use crate::wire::import_file::{MOST_ROWS, quoted};
use crate::wire::sheet::Sheet;

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

/// The most lenient reading of a file: in Latin-1 if it is not UTF-8, and its face values as plain digits. `None` if that
/// is how it is written.
pub fn most_lenient_file(body: &[u8]) -> Option<Vec<u8>> {
    let text: Cow<'_, str> = match std::str::from_utf8(body) {
        Ok(text) => text.into(),
        Err(_) => body.iter().map(|byte| char::from(*byte)).collect(),
    };
    // The column names, the rows and one excess row.
    let sheet = Sheet::read(&text, MOST_ROWS + 2)?;
    let names = sheet.records().next()?;
    let place = names.cells().position(|name| name == field::FACE_VALUE)?;
    let mut is_otherwise = text.as_bytes() != body;
    let mut written = String::with_capacity(text.len());
    for record in sheet.records() {
        let cells = record.cells().enumerate().map(|(index, cell)| {
            let digits = if index == place { digits_of(cell) } else { None };
            is_otherwise |= digits.is_some();
            quoted(digits.map_or(cell.into(), Cow::from))
        });
        written.push_str(&cells.collect::<Vec<_>>().join(","));
        written.push('\n');
    }
    is_otherwise.then(|| written.into_bytes())
}

/// The digits of a whole number that a cell writes otherwise: `+5`, `007`, `1e3`, `5.00` or `1,000`.
fn digits_of(cell: &str) -> Option<String> {
    let plain = cell.trim().replace(',', "");
    let digits = whole(plain.parse().ok()?)?.to_string();
    (digits != cell).then_some(digits)
}

/// The whole number that this is.
fn whole(number: f64) -> Option<i64> {
    // Beyond this, an f64 can't represent every whole number.
    let is_exact = number.fract() == 0.0 && number.abs() < 9e15;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough")]
    is_exact.then_some(number as i64)
}

/// Treats 1.0 and 1e3 as whole numbers.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let is_written_so = number.is_f64();
            match number.as_f64().and_then(whole).filter(|_| is_written_so) {
                Some(whole) => Value::from(whole),
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

#[cfg(test)]
mod tests {
    use super::most_lenient_file;

    fn read(file: &[u8]) -> Option<String> {
        most_lenient_file(file).map(|file| String::from_utf8(file).unwrap())
    }

    #[test]
    fn a_number_in_any_form_is_its_digits() {
        for written in ["+5", "005", "5.0", "5e0", " 5", "5 "] {
            let file = format!("externalId,faceValue\n\"a,b\",{written}\n");
            assert_eq!(
                read(file.as_bytes()).unwrap(),
                "externalId,faceValue\n\"a,b\",5\n",
                "{written}"
            );
        }
        assert_eq!(read(b"faceValue\n\"1,000\"\n").unwrap(), "faceValue\n1000\n");
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_latin_1() {
        assert_eq!(read(b"faceValue,note\n5,Caf\xe9\n").unwrap(), "faceValue,note\n5,Caf\u{e9}\n");
    }

    #[test]
    fn what_is_plain_has_no_other_reading() {
        for plain in ["5", "five", "5.5", "-", ""] {
            assert_eq!(
                read(format!("externalId,faceValue\na,{plain}\n").as_bytes()),
                None,
                "{plain}"
            );
        }
    }
}

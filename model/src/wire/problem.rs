//! Error messages for JSON of the wrong shape: a sentence that names the field, what it expects, and what it got.

use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::tax_id::DIGITS as TAX_ID_DIGITS;
use crate::wire::nearest::cut;

/// The fields whose values a message repeats. Of any other, which may be a tax id or an account number
/// (`2.business.taxIdOnFile.2`), it says only what kind of value it is.
const SHOWN: [&str; 9] = [
    "externalId",
    "payeeExternalId",
    "invoiceExternalId",
    "status",
    "faceValue",
    "invoiceFaceValue",
    "issueDate",
    "dueDate",
    "eventTypes",
];

/// What is wrong at the first field that does not fit. `whole` is what was read, if it can be read at all.
pub(crate) fn problem(
    whole: Option<&Value>,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> String {
    let path = error.path();
    let problem = without_position(&error.inner().to_string());
    if let Some(name) = named(&problem, "missing field `") {
        return if path.iter().next().is_none() {
            format!("{name} is missing.")
        } else {
            format!("{path}.{name} is missing.")
        };
    }
    let place = if path.iter().next().is_none() { "the body".to_owned() } else { path.to_string() };
    let Some(expected) = expectation(&problem) else { return format!("{place}: {problem}") };
    let got = got(whole, path).map_or_else(String::new, |got| format!(", got {got}"));
    format!("{place}: expected {expected}{got}.")
}

/// Removes line and column, which don't help with a body that a program wrote.
fn without_position(problem: &str) -> String {
    let end = problem.rfind(" at line ").unwrap_or(problem.len());
    problem[..end].to_owned()
}

/// The name in backticks after `words`.
fn named<'a>(problem: &'a str, words: &str) -> Option<&'a str> {
    problem.strip_prefix(words)?.split('`').next()
}

/// What the field expects. The rest of serde's message has the value.
fn expectation(problem: &str) -> Option<&str> {
    const BEFORE: &str = "expected ";
    let is_shown = problem.starts_with("invalid ") || problem.starts_with(BEFORE);
    let at = problem.rfind(BEFORE).filter(|_| is_shown)?;
    Some(&problem[at + BEFORE.len()..])
}

/// Whether a text may be a tax id or the number of an account in the wrong place.
fn is_like_a_number(text: &str) -> bool {
    const MOST_DIGITS: usize = 4;
    let mut runs = text.split(|sign: char| !sign.is_ascii_digit());
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits == TAX_ID_DIGITS || runs.any(|run| run.len() > MOST_DIGITS)
}

/// The value at a place, in a form that shows no secret.
fn got(whole: Option<&Value>, path: &Path) -> Option<String> {
    let (mut value, mut name) = (whole?, "");
    for segment in path {
        value = match segment {
            Segment::Map { key } => {
                name = key;
                value.get(key)?
            }
            Segment::Seq { index } => value.get(index)?,
            Segment::Enum { .. } | Segment::Unknown => return None,
        };
    }
    let is_shown = SHOWN.contains(&name);
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) if is_shown => number.to_string(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) if is_shown && !is_like_a_number(text) => format!("{:?}", cut(text)),
        Value::String(text) => format!("a text of {} characters", text.chars().count()),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    })
}

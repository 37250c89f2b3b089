//! Error messages for JSON of the wrong shape: a sentence that names the field, what it expects, and what it got.

use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use crate::tax_id::DIGITS as TAX_ID_DIGITS;
pub use crate::wire::nearest::cut;
use crate::wire::nearest::nearest;

/// The fields whose values a message repeats. Of any other, which may be a tax id or an account number
/// (`2.business.taxIdOnFile.2`), it says only what kind of value it is.
const SHOWN: [&str; 23] = [
    "externalId",
    "payeeExternalId",
    "invoiceExternalId",
    "status",
    "faceValue",
    "invoiceFaceValue",
    "issueDate",
    "dueDate",
    "eventTypes",
    // Of the operator port.
    "amount",
    "requests",
    "afterRows",
    "route",
    "email",
    "platform",
    "platforms",
    "seed",
    "start",
    "clock",
    "speed",
    "grease",
    "scenario",
    "expiresAfterIdleSeconds",
];

/// What is wrong at the first field that does not fit. `whole` is what was read, if it can be read at all.
pub fn problem(
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
    if let Some(name) = named(&problem, "unknown field `") {
        return unknown_field(name, &alternatives(&problem));
    }
    let place = if path.iter().next().is_none() { "the body".to_owned() } else { path.to_string() };
    let Some(expected) = expectation(&problem) else { return format!("{place}: {problem}") };
    let got = got(whole, path).map_or_else(String::new, |got| format!(", got {got}"));
    format!("{place}: expected {expected}{got}.")
}

/// The names of the fields on the way to the first that does not fit, the missing one included.
pub(crate) fn names(error: &serde_path_to_error::Error<serde_json::Error>) -> Vec<String> {
    let within = error.path().iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown => None,
    });
    let problem = error.inner().to_string();
    let missing = named(&problem, "missing field `").map(str::to_owned);
    within.chain(missing).collect()
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

/// A field that nothing has, with the nearest that there is, or with all.
pub fn unknown_field(name: &str, known: &[&str]) -> String {
    let way_out = match (nearest(name, known.iter().copied()), known) {
        (Some(meant), _) => format!("Did you mean {meant}?"),
        (None, []) => "It has no fields.".to_owned(),
        (None, [only]) => format!("The only field is {only}."),
        (None, known) => format!("The fields are {}.", known.join(", ")),
    };
    format!("{}: no such field. {way_out}", cut(name))
}

/// The names in backticks after the first, which is the unknown one.
fn alternatives(problem: &str) -> Vec<&str> {
    problem.split('`').skip(3).step_by(2).collect()
}

/// What the field expects. The rest of serde's message has the value.
fn expectation(problem: &str) -> Option<String> {
    const BEFORE: &str = "expected ";
    if problem.starts_with("unknown variant `") {
        let known = alternatives(problem);
        let (last, rest) = known.split_last()?;
        return Some(if rest.is_empty() {
            (*last).to_owned()
        } else {
            format!("{} or {last}", rest.join(", "))
        });
    }
    let is_shown = problem.starts_with("invalid ") || problem.starts_with(BEFORE);
    let at = problem.rfind(BEFORE).filter(|_| is_shown)?;
    Some(plain(&problem[at + BEFORE.len()..]))
}

/// What serde expects, in words that are none of Rust.
fn plain(expected: &str) -> String {
    match expected {
        "u64" | "u32" | "u16" | "u8" | "usize" => "a whole number, not negative",
        "i64" | "i32" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
    .to_owned()
}

/// What is wrong with a value: the place, what it expects, and what it got. Nothing in it is secret.
pub fn unfit(place: &str, expected: &str, got: Option<&Value>) -> String {
    let got = got.map_or_else(|| "nothing".to_owned(), shown);
    format!("{place}: expected {expected}, got {got}.")
}

/// The same for one of several words, of which serde says that it is none.
pub fn unfit_word(place: &str, why: &str, got: &str) -> String {
    let expected = expectation(why).unwrap_or_else(|| "another value".to_owned());
    unfit(place, &expected, Some(&got.into()))
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
            Segment::Enum { variant } => value.get(variant)?,
            Segment::Unknown => return None,
        };
    }
    let is_secret = value.as_str().is_some_and(is_like_a_number);
    Some(if SHOWN.contains(&name) && !is_secret { shown(value) } else { hidden(value) })
}

/// A value that is no secret, as far as a sentence can show it.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) if !text.is_empty() => format!("{:?}", cut(text)),
        other => hidden(other),
    }
}

/// What kind of value it is.
fn hidden(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => format!("a text of {} characters", text.chars().count()),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

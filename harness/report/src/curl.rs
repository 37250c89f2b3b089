//! A step as a curl line that sends the same request.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tideover_exchange::Memory;
use tideover_exchange::step::{Action, Caller};
use tideover_exchange::target::NO_INBOX;
use tideover_exchange::transcript::Transcript;
use tideover_exchange::{HttpForm, Prepared, PreparedAction, Response};
use tideover_model::Timestamp;
use tideover_model::wire::field;

use crate::mark::{MARK, marked, with_plain_marks};

/// The size limit of a body on a command line, in bytes.
const MOST_BYTES: usize = 8192;

/// The curl lines of the steps of a transcript, with references replaced by values from the responses.
///
/// - `$BASE_URL`, `$API_KEY`: the target and its key. `$OPERATOR_URL`: the operator port, if elsewhere.
/// - `$OTHER_KEY`: the key in the response to the step named `other`. What a service mints, such as
///   `$MINE_REFERENCE`, differs from run to run: a shell that does not know it says which step's response has it.
/// - Against a live endpoint, `$RUN` is an unused name and `$INBOX` the URL of the inbox. `$TAX_ID_1`,
///   `$ACCOUNT_1` and so on are the user's own values. `$HEADER_1` and so on are the extra headers' values.
pub fn curl(transcript: &Transcript, answers: &[(Timestamp, Option<Response>)]) -> Vec<String> {
    let Transcript { header, steps, .. } = transcript;
    let memory = if header.live.is_some() { variables() } else { Memory::with_inbox(NO_INBOX) };
    let mut memory = memory.starting(began(transcript, answers));
    let extra = header.live.as_ref().map(|live| &*live.headers).unwrap_or_default();
    let mut lines = Vec::with_capacity(steps.len());
    let mut minted = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let sent = Prepared::from_step(step, &memory, "$API_KEY");
        let line = line(&sent, step.caller == Caller::Default, extra);
        lines.push(minted.iter().fold(line, |line, one: &Minted| one.explained_in(line)));
        let Some((_, Some(seen))) = answers.get(index) else { continue };
        let (Some(name), Some(body)) = (&step.name, seen.json()) else { continue };
        let mut body = body.clone();
        minted.extend(Minted::taken_from(&mut body, name, index + 1));
        memory.keep(step, Some(&body));
    }
    lines
}

/// What the target's clock showed at the first step. That of a live target may be far from ours; a response comes with
/// the time after its step.
fn began(transcript: &Transcript, answers: &[(Timestamp, Option<Response>)]) -> Timestamp {
    let Transcript { header, steps, .. } = transcript;
    let Some((after, _)) = answers.first().filter(|_| header.live.is_some()) else {
        return header.start;
    };
    match steps.first().map(|step| &step.action) {
        Some(Action::Advance(seconds)) => after.before_milliseconds(seconds.saturating_mul(1000)),
        _ => *after,
    }
}

/// The fields of responses that later steps send, and whose values differ from run to run.
const MINTED: [&str; 3] = [field::KEY, field::REFERENCE, field::URL];

/// A value that a response mints, as a shell variable.
struct Minted {
    variable: String,
    field: &'static str,
    /// The number of the step whose response has it, from 1.
    step: usize,
}

impl Minted {
    /// Puts variables in place of the values that the response to the step `name` mints.
    fn taken_from(body: &mut Value, name: &str, step: usize) -> Vec<Minted> {
        let mut taken = Vec::new();
        for field in MINTED {
            let Some(value) = body.get_mut(field).filter(|value| value.is_string()) else {
                continue;
            };
            let variable = variable_of(name, field);
            *value = marked(&variable).into();
            taken.push(Minted { variable, field, step });
        }
        taken
    }

    /// The line, with words for a shell in which the variable is not set.
    fn explained_in(&self, line: String) -> String {
        let Minted { variable, field, step } = self;
        let words = format!("\"${{{variable}:?{field} in the response to step {step}}}\"");
        line.replace(&format!("\"${variable}\""), &words)
    }
}

/// The name of a shell variable for a field of the response to the step `name`.
fn variable_of(name: &str, field: &str) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' };
    format!("{name}_{field}").chars().map(plain).collect()
}

/// The references of steps against a live endpoint, as shell variables.
fn variables() -> Memory {
    /// The number of the user's tax ids and accounts that have a variable.
    const MOST: usize = 64;
    let variable = |name: &str| Value::from(marked(name));
    let numbered = |name: &str| -> Vec<Value> {
        (1..=MOST).map(|number| variable(&format!("{name}_{number}"))).collect()
    };
    Memory::with_inbox(&marked("INBOX"))
        .knowing("run", variable("RUN"))
        .knowing("other", json!({ "key": variable("OTHER_KEY") }))
        .knowing(
            "own",
            json!({ "taxIds": numbered("TAX_ID"), "accountNumbers": numbered("ACCOUNT") }),
        )
}

/// The curl line of a request, with the target's own key if `by_default`, and with `extra` headers.
fn line(sent: &Prepared, by_default: bool, extra: &[String]) -> String {
    let HttpForm { method, path, content_type, body } = sent.action.http_form();
    let base = match sent.action {
        PreparedAction::Call(_) => "$BASE_URL",
        PreparedAction::Act(_) | PreparedAction::Advance(_) | PreparedAction::Deliveries => {
            "${OPERATOR_URL:-$BASE_URL}"
        }
    };
    let mut line =
        format!("curl -g --path-as-is -X {method} \"{base}\"{}", quoted(&with_plain_marks(path)));
    match &sent.authorization {
        None => {}
        Some(_) if by_default => line.push_str(" -H \"Authorization: Bearer $API_KEY\""),
        Some(value) => push_header(&mut line, "Authorization", value),
    }
    for (number, name) in (1..).zip(extra) {
        push_header(&mut line, name, &marked(&format!("HEADER_{number}")));
    }
    match content_type {
        Some(value) => push_header(&mut line, "Content-Type", value),
        // Without this, curl would declare a form.
        None if !body.is_empty() => line.push_str(" -H 'Content-Type:'"),
        None => {}
    }
    with_body(line, &body)
}

/// Adds a header; curl wants a semicolon after the name of an empty one.
fn push_header(line: &mut String, name: &str, value: &str) {
    let header = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
    line.push_str(" -H ");
    line.push_str(&quoted(&header));
}

fn with_body(line: String, body: &[u8]) -> String {
    match std::str::from_utf8(body) {
        _ if body.is_empty() => line,
        _ if body.len() > MOST_BYTES => {
            format!("# a body of {} bytes is too long to show; replay sends it", body.len())
        }
        Ok(text) if !text.contains('\0') => format!("{line} --data-raw {}", quoted(text)),
        _ => format!("printf '{}' | {line} --data-binary @-", octal(body)),
    }
}

fn octal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(4 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "\\{byte:03o}");
    }
    text
}

/// The text as one shell word.
pub fn quoted(text: &str) -> String {
    let mut word = String::with_capacity(text.len() + 2);
    for (index, part) in text.split(MARK).enumerate() {
        match index % 2 {
            0 => word.push_str(&format!("'{}'", part.replace('\'', r"'\''"))),
            _ => word.push_str(&format!("\"${part}\"")),
        }
    }
    word
}

//! A step in plain words.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use tideover_exchange::step::{Action, Call, Caller, Step};
use tideover_exchange::target::inbox::answer_in_words;
use tideover_exchange::{DAY, seconds_from_start};
use tideover_model::OperationKind;
use tideover_model::wire::action;
use tideover_model::wire::action::name_in;
use tideover_model::wire::route::route;

use crate::figures::counted;

/// The number of shown characters of a body.
const SHOWN: usize = 600;

pub fn plain(step: &Step) -> String {
    let words = match &step.action {
        Action::Call(call) => call_in_words(call),
        Action::Act(fields) => action_in_words(fields),
        Action::Advance(seconds) => format!("the clock moves forward by {seconds} s"),
        Action::Deliveries => "read the deliveries that were queued".to_owned(),
    };
    match &step.caller {
        Caller::Default => words,
        Caller::Key(key) if key == "${other.key}" => format!("{words} (as the other platform)"),
        Caller::Key(key) => format!("{words} (as {key})"),
        Caller::Header(header) => format!("{words} (with Authorization: {header:?})"),
        Caller::Nobody => format!("{words} (without a key)"),
    }
}

/// A step in a few words, short enough for a diagram.
pub fn title(step: &Step) -> String {
    match &step.action {
        Action::Call(call) => {
            format!("{} {}", call.method, decoded(call.path.trim_start_matches("/v1")))
        }
        Action::Act(fields) => action_name(fields),
        Action::Advance(seconds) => format!("{seconds} s pass"),
        Action::Deliveries => "GET deliveries".to_owned(),
    }
}

fn call_in_words(call: &Call) -> String {
    let Ok(found) = route(&call.method, &call.path) else {
        return format!("{} {}", call.method, call.path);
    };
    let names = found.encoded_identifiers().map(decoded);
    let phrase = found.kind.endpoint().phrase;
    let phrase = phrase.replace("{0}", &names[0]).replace("{1}", &names[1]);
    if !found.kind.endpoint().has_body() {
        return phrase;
    }
    // A body without the expected fields is shown as it is.
    let words = body_in_words(found.kind, &phrase, call).unwrap_or_else(|| match raw_body(call) {
        body if body.is_empty() => format!("{phrase} without a body"),
        body => format!("{phrase} with {body}"),
    });
    match call.content_type.as_deref().filter(|sent| found.kind.media_type() != Some(sent)) {
        Some(other) => format!("{words}, sent as {other:?}"),
        None => words,
    }
}

/// A date that counts from the start, in words.
fn date_in_words(text: &str) -> String {
    let reference = text.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    let Some(seconds) = reference.and_then(seconds_from_start) else { return text.to_owned() };
    let side = if seconds < 0 { "before" } else { "after" };
    let seconds = seconds.unsigned_abs();
    let day = DAY.unsigned_abs();
    let days = counted(seconds / day, "day");
    match seconds % day {
        0 => format!("{days} {side} the start"),
        rest if rest % 3600 == 0 => format!("{days} and {} h {side} the start", rest / 3600),
        rest => format!("{days} and {rest} s {side} the start"),
    }
}

/// The phrase `phrase` with the important fields of the body; `None` if one is missing.
fn body_in_words(kind: OperationKind, phrase: &str, call: &Call) -> Option<String> {
    if kind == OperationKind::ImportInvoices {
        let rows = call.text.as_deref()?.lines().count().saturating_sub(1);
        return Some(format!("{phrase}: a file of {}", counted(rows as u64, "row")));
    }
    let body = call.body.as_ref()?;
    let word = |value: &Value| match value {
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(shown(value)),
    };
    let field = |name: &str| word(body.get(name)?);
    let party = |role: &str| word(body.get(role)?.get("externalId")?);
    Some(match kind {
        OperationKind::SyncInvoice => format!(
            "{phrase} of {}, owed by {}: {}, {} cents, due {}",
            party("payee")?,
            party("payor")?,
            field("status")?,
            field("faceValue")?,
            date_in_words(&field("dueDate")?),
        ),
        OperationKind::SyncBusiness => format!("{phrase}: {}", raw_body(call)),
        OperationKind::SetPayoutAccount => {
            format!("{phrase}, routing number {}", field("routingNumber")?)
        }
        OperationKind::RequestAdvance => format!(
            "{phrase} against invoice {} of {}",
            field("invoiceExternalId")?,
            field("payeeExternalId")?
        ),
        OperationKind::Quote => {
            format!("quote {} cents for {}", field("invoiceFaceValue")?, field("externalId")?)
        }
        OperationKind::Invite => format!("invite {} to {}", field("email")?, field("externalId")?),
        OperationKind::CreateOnboardingSession => format!("{phrase} for {}", field("externalId")?),
        OperationKind::Subscribe => {
            let url = field("url")?;
            // Whoever sends it by hand needs a receiver that does the same.
            let answer =
                Some(&*url).filter(|url| url.starts_with("${inbox}")).and_then(answer_in_words);
            let answers = answer.map(|it| format!(", which answers {it}")).unwrap_or_default();
            format!("{phrase} {url}{answers}")
        }
        OperationKind::GetInvoice
        | OperationKind::GetImport
        | OperationKind::ImportInvoices
        | OperationKind::GetBusiness
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => return None,
    })
}

/// A path or a part of it, percent-decoded.
fn decoded(path: &str) -> Cow<'_, str> {
    percent_decode_str(path).decode_utf8_lossy()
}

/// The name of an action of the operator port, as words.
fn action_name(fields: &Map<String, Value>) -> String {
    let name = name_in(fields).unwrap_or("?");
    let mut words = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(character.to_ascii_lowercase());
    }
    words
}

fn action_in_words(fields: &Map<String, Value>) -> String {
    let words = format!("outside: {}", action_name(fields));
    let shown_fields: Vec<String> = fields
        .iter()
        .filter(|(name, _)| *name != action::NAME)
        .map(|(name, value)| format!("{name} {}", shown(value)))
        .collect();
    if shown_fields.is_empty() { words } else { format!("{words} ({})", shown_fields.join(", ")) }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        value => value.to_string(),
    }
}

fn raw_body(call: &Call) -> String {
    let bytes = || call.hex.as_ref().map(|hex| format!("the bytes {hex}"));
    let body = call.body.as_ref().map(Value::to_string).or_else(|| call.text.clone());
    let body = body.or_else(bytes);
    shortened(&body.unwrap_or_default())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_without_the_expected_fields_is_shown_as_it_is() {
        let words = |call| plain(&Step::new(Action::Call(call)));
        let quote = |body| words(Call::json("POST", "/v1/quotes", body));
        let body = json!({ "externalId": "v1", "invoiceFaceValue": 7 });
        assert_eq!(quote(body), "quote 7 cents for v1");
        assert_eq!(quote(json!([])), "ask for a quote with []");
        let sync = |body| words(Call { body, ..Call::bare("PUT", "/v1/invoices/i1") });
        assert_eq!(sync(Some(json!({ "status": 1 }))), r#"sync invoice i1 with {"status":1}"#);
        assert_eq!(sync(None), "sync invoice i1 without a body");
        let nameless = json!({ "payee": "v1", "status": "ISSUED" });
        assert_eq!(sync(Some(nameless.clone())), format!("sync invoice i1 with {nameless}"));
        let bytes = Call { hex: Some("ff".into()), ..Call::bare("POST", "/v1/advances") };
        assert_eq!(words(bytes), "request an advance with the bytes ff");
    }

    #[test]
    fn a_date_that_counts_from_the_start_is_in_words() {
        assert_eq!(date_in_words("${start+1d}"), "1 day after the start");
        assert_eq!(date_in_words("${start+2768400s}"), "32 days and 1 h after the start");
        assert_eq!(date_in_words("${start-172800s}"), "2 days before the start");
        assert_eq!(date_in_words("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00Z");
    }

    #[test]
    fn a_receiver_that_does_not_accept_is_described() {
        let words = |url| {
            let call = Call::json("POST", "/v1/webhooks", json!({ "url": url }));
            plain(&Step::new(Action::Call(call)))
        };
        assert_eq!(words("${inbox}/accepts/1"), "subscribe ${inbox}/accepts/1");
        assert_eq!(words("${inbox}/gone/1"), "subscribe ${inbox}/gone/1, which answers 410");
        assert_eq!(words("https://example.com/gone"), "subscribe https://example.com/gone");
    }
}

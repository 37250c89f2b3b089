//! A step in plain words.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use tideover_model::OperationKind;
use tideover_model::wire::route::route;

use crate::step::{Action, Call, Caller, Step};

/// What of a body is shown.
const SHOWN: usize = 600;

/// A step in plain words.
pub fn plain(step: &Step) -> String {
    let words = match &step.action {
        Action::Call(call) => call_in_words(call),
        Action::Act(fields) => action_in_words(fields),
        Action::Advance(seconds) => format!("the clock moves forward by {seconds} s"),
        Action::Deliveries => "read the deliveries that were queued".to_owned(),
    };
    match &step.caller {
        Caller::Default => words,
        Caller::Key(key) => format!("{words} (as {key})"),
        Caller::Header(header) => format!("{words} (with Authorization: {header:?})"),
        Caller::Nobody => format!("{words} (without a key)"),
    }
}

/// A step in few words: what a diagram has room for.
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
    let other = || format!("{} {}", call.method, call.path);
    let Ok(found) = route(&call.method, &call.path) else { return other() };
    let segment = |index| decoded(call.path.split('/').nth(index).unwrap_or_default());
    let last = decoded(call.path.rsplit('/').next().unwrap_or_default());
    let body = call.body.as_ref();
    let field = |name: &str| body.and_then(|body| body.get(name)).map(shown).unwrap_or_default();
    match found.kind {
        OperationKind::GetInvoice => {
            format!("read invoice {last} of {}", segment(3))
        }
        OperationKind::SyncInvoice => match body {
            None => format!("sync invoice {last} with {}", raw_body(call)),
            Some(body) => format!(
                "sync invoice {last} of {}, owed by {}: {}, {} cents, due {}",
                shown(&body["payee"]["externalId"]),
                shown(&body["payor"]["externalId"]),
                field("status"),
                field("faceValue"),
                field("dueDate"),
            ),
        },
        OperationKind::GetImport => format!("read the report of import {last}"),
        OperationKind::ImportInvoices => {
            let lines =
                call.text.as_deref().map_or(0, |text| text.lines().count().saturating_sub(1));
            format!("import a file of {lines} rows as {last}")
        }
        OperationKind::SetPayoutAccount => {
            let number = field("routingNumber");
            format!("set the payout account of {}, routing number {number}", segment(3))
        }
        OperationKind::GetBusiness => format!("read business {last}"),
        OperationKind::SyncBusiness => match body {
            None => format!("sync business {last} with {}", raw_body(call)),
            Some(_) => format!("sync business {last}: {}", raw_body(call)),
        },
        OperationKind::RequestAdvance => {
            format!(
                "request an advance against invoice {} of {}",
                field("invoiceExternalId"),
                field("payeeExternalId")
            )
        }
        OperationKind::Quote => {
            format!("quote {} cents for {}", field("invoiceFaceValue"), field("externalId"))
        }
        OperationKind::Invite => format!("invite {} to {}", field("email"), field("externalId")),
        OperationKind::CreateOnboardingSession => {
            format!("create an onboarding session for {}", field("externalId"))
        }
        OperationKind::Subscribe => format!("subscribe {}", field("url")),
        OperationKind::ListSubscriptions => "list the subscriptions".to_owned(),
        OperationKind::Unsubscribe => format!("delete subscription {last}"),
    }
}

/// A path, or a part of it, as it is meant.
fn decoded(path: &str) -> Cow<'_, str> {
    percent_decode_str(path).decode_utf8_lossy()
}

/// The name of an action of the operator port, as words.
fn action_name(fields: &Map<String, Value>) -> String {
    let name = fields.get("action").and_then(Value::as_str).unwrap_or("?");
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
    let told: Vec<String> = fields
        .iter()
        .filter(|(name, _)| *name != "action")
        .map(|(name, value)| format!("{name} {}", shown(value)))
        .collect();
    if told.is_empty() { words } else { format!("{words} ({})", told.join(", ")) }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn raw_body(call: &Call) -> String {
    let body = call.body.as_ref().map(Value::to_string).or_else(|| call.text.clone());
    shortened(&body.unwrap_or_default())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
    }
}

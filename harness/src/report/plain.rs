//! A step in plain words.

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

fn call_in_words(call: &Call) -> String {
    let other = || format!("{} {}", call.method, call.path);
    let Ok(found) = route(&call.method, &call.path) else { return other() };
    let last = call.path.split('/').nth_back(0).unwrap_or_default();
    let body = call.body.as_ref();
    let field = |name: &str| body.and_then(|body| body.get(name)).map(shown).unwrap_or_default();
    match found.kind {
        OperationKind::GetInvoice => {
            let payee = call.path.split('/').nth(3).unwrap_or_default();
            format!("read invoice {last} of {payee}")
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
            let business = call.path.split('/').nth(3).unwrap_or_default();
            format!(
                "set the payout account of {business}, routing number {}",
                field("routingNumber")
            )
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

fn action_in_words(fields: &Map<String, Value>) -> String {
    let name = fields.get("action").and_then(Value::as_str).unwrap_or("?");
    let mut words = String::from("outside: ");
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(character.to_ascii_lowercase());
    }
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

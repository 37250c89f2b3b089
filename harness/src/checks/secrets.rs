//! What is never told: secrets after the first time, tax ids, who funds (`4.webhookList.1`,
//! `2.business.taxIdOnFile.2`, `1.general.5`).

use serde_json::Value;
use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Exchange, Notes};

pub(super) struct Withheld;

impl Check for Withheld {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(kind) = exchange.kind() else { return };
        let Some(body) = exchange.seen.json() else { return };
        let mut withhold = |clause, names: &[&str]| {
            let told = field_among(body, names);
            notes.expect(exchange, clause, told.is_none(), "body", || {
                ("not told", told.map_or(String::new(), |name| format!("a field {name}")))
            });
        };
        withhold(clause!("1.general.5"), &["funder", "funderId", "funderName", "fundingTerms"]);
        match kind {
            OperationKind::Subscribe if !exchange.seen.is_success() => {
                withhold(clause!("4.webhooks.3"), &["secret", "signingSecret"]);
            }
            _ if !exchange.seen.is_success() => {}
            OperationKind::ListSubscriptions => {
                withhold(clause!("4.webhookList.1"), &["secret", "signingSecret"]);
            }
            OperationKind::GetBusiness => {
                withhold(clause!("2.business.taxIdOnFile.2"), &["taxId", "taxIdentifier"]);
            }
            _ => {}
        }
    }
}

/// Whether a field holds anything, masked strings apart.
fn tells(value: &Value) -> bool {
    match value {
        // Whether there is one may be told.
        Value::Null | Value::Bool(_) => false,
        Value::String(text) => !text.is_empty() && !text.contains(['*', '…', '•']),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// The first field of `value` that tells something and is one of `names`, however deep it stands.
fn field_among<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let named = names.contains(&name.as_str()) && tells(value);
            if named { Some(name.as_str()) } else { field_among(value, names) }
        }),
        Value::Array(items) => items.iter().find_map(|item| field_among(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

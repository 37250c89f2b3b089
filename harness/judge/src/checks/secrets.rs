//! What is never shown: secrets after the first response, tax ids, who funds (`4.webhookList.1`,
//! `2.business.taxIdOnFile.2`, `1.general.5`).

use std::collections::BTreeSet;

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_exchange::matcher::{fields, texts};
use tideover_model::wire::field;
use tideover_model::{OperationKind, TAX_ID_DIGITS, clause};

use crate::checks::subscribed::KnownSubscriptions;
use crate::checks::{Check, Notes};

#[derive(Default)]
pub(super) struct Withheld {
    /// The tax ids that were sent, as numbers.
    tax_ids: BTreeSet<u64>,
    subscriptions: KnownSubscriptions,
    /// Signing secrets, whatever the field is called: those that signed, and those whose field says so.
    secrets: BTreeSet<String>,
}

impl Check for Withheld {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(kind) = exchange.kind() else { return };
        if kind == OperationKind::SyncBusiness {
            self.tax_ids.extend(exchange.synced_tax_id().and_then(|text| tax_id(&text)));
        }
        self.learn_secrets(exchange);
        let Some(body) = exchange.seen.json() else { return };
        let is_given = kind == OperationKind::Subscribe && exchange.seen.is_success();
        if !is_given && texts(body).iter().any(|text| self.secrets.contains(*text)) {
            let clause = match kind {
                OperationKind::ListSubscriptions => clause!("4.webhookList.1"),
                _ => clause!("4.webhooks.3"),
            };
            notes.expect(exchange, clause, false, "body", || ("absent", "a signing secret"));
            return;
        }
        let may_show = exchange.seen.is_success() && !self.tax_ids.is_empty();
        if may_show && self.holds_a_tax_id(body) {
            let clause = clause!("2.business.taxIdOnFile.2");
            notes.expect(exchange, clause, false, "body", || ("absent", "a tax id that was sent"));
            return;
        }
        let mut withhold = |clause, names: &[&str]| {
            let shown = field_among(body, names);
            notes.expect(exchange, clause, shown.is_none(), "body", || {
                ("absent", format!("a field {}", shown.as_deref().unwrap_or_default()))
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
                withhold(clause!("2.business.taxIdOnFile.2"), &[field::TAX_ID, "taxIdentifier"]);
            }
            _ => {}
        }
    }
}

/// The texts of fields that are called a secret.
fn named_secrets(body: &Value) -> impl Iterator<Item = &str> {
    const SHORTEST: usize = 16;
    let is_named = |name: &str| name.to_ascii_lowercase().ends_with("secret");
    let named = fields(body).filter(move |(name, value)| is_named(name) && holds_secret(value));
    named.filter_map(|(_, value)| value.as_str()).filter(|text| text.len() >= SHORTEST)
}

/// The digits of a tax id as one number, without separators.
fn tax_id(text: &str) -> Option<u64> {
    let digits = || text.bytes().filter(u8::is_ascii_digit).map(|digit| u64::from(digit - b'0'));
    let number = || digits().fold(0, |number, digit| number * 10 + digit);
    (digits().count() == TAX_ID_DIGITS).then(number)
}

impl Withheld {
    fn learn_secrets(&mut self, exchange: &Exchange<'_>) {
        self.subscriptions.learn(exchange);
        if let Some(body) = exchange.success_of(OperationKind::Subscribe) {
            self.secrets.extend(named_secrets(body).map(str::to_owned));
        }
        for arrival in exchange.arrivals {
            self.secrets.extend(self.subscriptions.secret_of(arrival).map(str::to_owned));
        }
    }

    /// Whether `value` contains a tax id that was sent, at any depth and under any name.
    fn holds_a_tax_id(&self, value: &Value) -> bool {
        match value {
            // A shorter text has no room for a tax id.
            Value::String(text) if text.len() >= TAX_ID_DIGITS => {
                let mut tax_ids = text.split_whitespace().filter_map(tax_id);
                tax_ids.any(|tax_id| self.tax_ids.contains(&tax_id))
            }
            Value::Number(number) => {
                number.as_u64().is_some_and(|number| self.tax_ids.contains(&number))
            }
            Value::Array(items) => items.iter().any(|item| self.holds_a_tax_id(item)),
            Value::Object(fields) => fields.values().any(|value| self.holds_a_tax_id(value)),
            Value::Null | Value::Bool(_) | Value::String(_) => false,
        }
    }
}

/// Whether a field holds a value. Masked strings don't count.
fn holds_secret(value: &Value) -> bool {
    match value {
        // A field may show whether there is a secret.
        Value::Null | Value::Bool(_) => false,
        Value::String(text) => !text.is_empty() && !text.contains(['*', '…', '•']),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// The dotted path of the first field of `value` with a value and one of `names`, at any depth.
fn field_among(value: &Value, names: &[&str]) -> Option<String> {
    let within = |name: &str, value: &Value| {
        field_among(value, names).map(|inner| format!("{name}.{inner}"))
    };
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let named = names.contains(&name.as_str()) && holds_secret(value);
            if named { Some(name.clone()) } else { within(name, value) }
        }),
        Value::Array(items) => {
            (0..).zip(items).find_map(|(index, item): (usize, _)| within(&index.to_string(), item))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

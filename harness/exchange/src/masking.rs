//! Masking of sensitive fields in a response.

use serde_json::Value;
use tideover_model::masked;
use tideover_model::wire::schema::{Role, in_replies, in_requests};

/// `body` with the middle of each secret, key, account number and tax id masked.
pub fn withheld(body: &Value) -> Value {
    match body {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), withheld_field(name, value))).collect()
        }
        Value::Array(items) => items.iter().map(withheld).collect(),
        value => value.clone(),
    }
}

fn withheld_field(name: &str, value: &Value) -> Value {
    let is_hidden =
        |role: &Role| matches!(role, Role::AccountNumber | Role::TaxId | Role::Secret | Role::Key);
    if has_role(name, is_hidden) { hidden(value) } else { withheld(value) }
}

/// The value of a sensitive field, with the middle of each string and number masked.
fn hidden(value: &Value) -> Value {
    match value {
        Value::String(text) => masked(text).into(),
        Value::Number(number) => masked(&number.to_string()).into(),
        Value::Array(items) => items.iter().map(hidden).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), hidden(value))).collect()
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

/// Whether a field identifies the owner of a business, or its bank account.
pub(crate) fn is_withheld(name: &str) -> bool {
    has_role(name, |role| matches!(role, Role::AccountNumber | Role::TaxId))
}

/// Whether a field of this name has such a role anywhere in the document.
fn has_role(name: &str, is_it: impl Fn(&Role) -> bool) -> bool {
    in_requests(name).iter().chain(in_replies(name)).any(|field| is_it(&field.role))
}

/// The field `name` of a response, masked if it is sensitive.
pub fn masked_field(name: &str, value: &Value) -> String {
    withheld_field(name, value).to_string()
}

//! Which parts of a response may be printed.

use serde_json::Value;
use tideover_model::masked;

/// What may be written down: a secret, a key, an account number or a tax id, but for its middle.
pub(crate) fn withheld(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), withheld_field(name, value))).collect()
        }
        Value::Array(items) => items.iter().map(withheld).collect(),
        value => value.clone(),
    }
}

fn withheld_field(name: &str, value: &Value) -> Value {
    if is_withheld(name) || matches!(name, "secret" | "key") {
        hidden(value)
    } else {
        withheld(value)
    }
}

/// Whatever stands in a field that is withheld, but for its middle.
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

/// Whether a field identifies a business or its account.
pub(crate) fn is_withheld(name: &str) -> bool {
    matches!(name, "accountNumber" | "taxId")
}

/// The field `name` of a response, masked where it must not be shown.
pub(crate) fn masked_field(name: &str, value: &Value) -> String {
    withheld_field(name, value).to_string()
}

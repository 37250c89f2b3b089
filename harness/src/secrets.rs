//! What must not be written down anywhere, by its value: an answer may tell it under any name.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tideover_model::{Timestamp, masked};

use crate::target::Seen;

/// What is shorter could stand in any text.
const SHORTEST: usize = 6;

/// Nobody signs with less.
const SHORTEST_SECRET: usize = 16;

/// Values that are told masked.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    values: BTreeSet<String>,
}

impl Secrets {
    /// Keeps a value, and its digits if there is more in it.
    pub fn keep(&mut self, value: &str) {
        let digits: String = value.chars().filter(char::is_ascii_digit).collect();
        let spellings = [value.to_owned(), digits].into_iter();
        self.values.extend(spellings.filter(|value| value.chars().count() >= SHORTEST));
    }

    /// Keeps what the answer to a new subscription tells: whatever it is called, one of it is the secret. A
    /// refusal tells none; what fails without a code may have been carried out.
    pub fn keep_all_of_subscription(&mut self, seen: &Seen) {
        if !(seen.is_success() || seen.status >= 500 && seen.code().is_none()) {
            return;
        }
        let Some(Value::Object(fields)) = seen.json() else { return };
        let told = fields.iter().filter(|(name, _)| !matches!(&***name, "reference" | "url"));
        let strings = told.filter_map(|(_, value)| value.as_str());
        let may_be_secret =
            |text: &&str| text.len() >= SHORTEST_SECRET && Timestamp::parse(text).is_none();
        strings.filter(may_be_secret).for_each(|secret| self.keep(secret));
    }

    /// `text` without them.
    pub fn conceal(&self, text: &str) -> String {
        // The longest first: one may stand in another.
        let mut values: Vec<&String> = self.values.iter().filter(|it| text.contains(*it)).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let conceal = |text: String, value: &String| text.replace(value, &masked(value));
        values.into_iter().fold(text.to_owned(), conceal)
    }

    /// `value` without them, wherever they stand in it.
    pub fn conceal_in(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.conceal(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.conceal_in(item)).collect(),
            Value::Object(fields) => {
                let conceal =
                    |(name, value): (String, Value)| (self.conceal(&name), self.conceal_in(value));
                Value::Object(fields.into_iter().map(conceal).collect::<Map<_, _>>())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_told_nowhere_whatever_it_is_called() {
        let mut secrets = Secrets::default();
        secrets.keep("12-3456789");
        secrets.keep("5");
        let answer = json!({
            "reference": "whs_1", "url": "https://a.example/hook", "signingSecret": "whsec_abc/def+0123", "n": 5,
        });
        secrets.keep_all_of_subscription(&Seen::new(201, answer.to_string().as_bytes()));
        let told = json!({
            "whsec_abc/def+0123": ["5", "tax id 123456789 or 12-3456789", { "at": "https://a.example/hook" }],
        });
        let concealed = secrets.conceal_in(told).to_string();
        for secret in ["whsec_abc/def+0123", "123456789", "12-3456789"] {
            assert!(!concealed.contains(secret), "{concealed}");
        }
        assert!(concealed.contains("https://a.example/hook") && concealed.contains("\"5\""));
    }

    #[test]
    fn what_refuses_a_subscription_is_no_secret_and_what_breaks_off_may_be() {
        let told = |status, answer: serde_json::Value| {
            let mut secrets = Secrets::default();
            let seen = Seen::new(status, answer.to_string().as_bytes());
            secrets.keep_all_of_subscription(&seen);
            secrets.conceal("already_subscribed")
        };
        let refusal = json!({ "error": "This is subscribed.", "code": "already_subscribed" });
        assert_eq!(told(409, refusal.clone()), "already_subscribed");
        assert_eq!(told(502, refusal), "already_subscribed");
        let half = json!({ "token": "already_subscribed" });
        assert_eq!(told(409, half.clone()), "already_subscribed");
        for status in [200, 201, 500] {
            assert_eq!(told(status, half.clone()), "already_…ibed", "{status}");
        }
    }
}

//! Secret values, which no output may contain. A response may show one under any field name.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tideover_model::{TAX_ID_DIGITS, Timestamp, bearer, masked, tax_id_digits};

use crate::matcher::texts;
use crate::{Body, Prepared, PreparedAction, Response, is_withheld};

/// A shorter value could occur in any text by chance.
const SHORTEST: usize = 6;

/// No signing secret is shorter.
const SHORTEST_SECRET: usize = 16;

/// Values that every output masks.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    values: BTreeSet<String>,
}

impl Secrets {
    /// Keeps a value, its digits, and its digits without leading zeros.
    pub fn keep(&mut self, value: &str) {
        let digits = tax_id_digits(value);
        let as_a_number = digits.trim_start_matches('0').to_owned();
        let spellings = [value.to_owned(), digits, as_a_number].into_iter();
        self.values.extend(spellings.filter(|value| value.chars().count() >= SHORTEST));
    }

    /// Keeps the value of a header, and its longer words: a token often follows its scheme.
    pub fn keep_header(&mut self, value: &str) {
        self.keep(value);
        let words = value.split([' ', ';', ',']).filter(|word| word.len() >= SHORTEST_SECRET);
        words.for_each(|word| self.keep(word));
    }

    /// Keeps every possible secret in the response to a new subscription, under any field name. A refusal has
    /// none. A failure without a code may have created the subscription. What the request itself sent is no secret:
    /// masked, a printed request would be another one.
    pub fn keep_all_of_subscription(&mut self, sent: &Prepared, seen: &Response) {
        if !(seen.is_success() || seen.status >= 500 && seen.code().is_none()) {
            return;
        }
        let body = sent.call().map(|call| String::from_utf8_lossy(call.body()));
        self.keep_words(seen, body.as_deref().unwrap_or_default());
        let plain = sent.call().and_then(|call| call.body().json()).map(texts).unwrap_or_default();
        let Some(Value::Object(fields)) = seen.json() else { return };
        let is_known = |name: &str| matches!(name, "reference" | "url" | "eventTypes");
        let unknown = fields.iter().filter(|(name, _)| !is_known(name));
        let strings = unknown.flat_map(|(_, value)| texts(value));
        let may_be_secret =
            |text: &&str| text.len() >= SHORTEST_SECRET && Timestamp::parse(text).is_none();
        let secrets = strings.filter(may_be_secret).filter(|text| !plain.contains(text));
        secrets.for_each(|secret| self.keep(secret));
    }

    /// Keeps every possible secret in a response that is not JSON, unless it stands in `plain`.
    pub fn keep_words(&mut self, seen: &Response, plain: &str) {
        let Body::Other(text) = &seen.body else { return };
        let is_part = |it: char| it.is_ascii_alphanumeric() || "_-+/=".contains(it);
        let words = text.split(|it| !is_part(it)).filter(|word| word.len() >= SHORTEST_SECRET);
        words.filter(|word| !plain.contains(word)).for_each(|word| self.keep(word));
    }

    /// Keeps the long numbers in a response that is not JSON: one may be an account number.
    pub fn keep_numbers_of(&mut self, seen: &Response) {
        if let Body::Other(text) = &seen.body {
            self.keep_numbers(text);
        }
    }

    /// Keeps the key, the tax ids, the account numbers and the query values of a request.
    pub fn keep_all_of_request(&mut self, sent: &Prepared) {
        let header = sent.authorization.as_deref();
        match header.and_then(bearer) {
            Some(key) => self.keep(key),
            None => header.into_iter().for_each(|header| self.keep_header(header)),
        }
        match &sent.action {
            PreparedAction::Act(fields) => self.keep_fields(fields),
            PreparedAction::Call(call) => {
                // No operation has a query: its values are for a proxy in front of the service.
                let query = call.path.split_once('?').map_or("", |(_, query)| query);
                let values = query.split('&').filter_map(|pair| pair.split_once('='));
                values.for_each(|(_, value)| self.keep(value));
                match call.body().json() {
                    Some(body) => self.keep_in(body),
                    None => self.keep_numbers(&String::from_utf8_lossy(call.body())),
                }
            }
            PreparedAction::Advance(_) | PreparedAction::Deliveries => {}
        }
    }

    /// Keeps every number in `text` with at least as many digits as a tax id.
    fn keep_numbers(&mut self, text: &str) {
        for (_, run) in numbers(text) {
            let digits = tax_id_digits(run);
            if digits.len() >= TAX_ID_DIGITS {
                self.keep(&digits);
            }
        }
    }

    fn keep_in(&mut self, body: &Value) {
        match body {
            Value::Object(fields) => self.keep_fields(fields),
            Value::Array(items) => items.iter().for_each(|item| self.keep_in(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn keep_fields(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            match value {
                Value::String(text) if is_withheld(name) => self.keep(text),
                Value::Number(number) if is_withheld(name) => self.keep(&number.to_string()),
                value => self.keep_in(value),
            }
        }
    }

    pub fn conceal(&self, text: &str) -> String {
        // The longest first: one secret may be part of another.
        let mut values: Vec<&String> = self.values.iter().filter(|it| text.contains(*it)).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let conceal = |text: String, value: &String| text.replace(value, &masked(value));
        self.conceal_spelled(values.into_iter().fold(text.to_owned(), conceal))
    }

    /// `text` with every secret number masked, whatever separates its digits.
    fn conceal_spelled(&self, text: String) -> String {
        let (mut concealed, mut copied) = (String::new(), 0);
        for (start, run) in numbers(&text) {
            let digits = tax_id_digits(run);
            if self.values.contains(&digits) {
                concealed.push_str(&text[copied..start]);
                concealed.push_str(&masked(&digits));
                copied = start + run.len();
            }
        }
        if copied == 0 {
            return text;
        }
        concealed.push_str(&text[copied..]);
        concealed
    }

    pub fn conceal_in(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.conceal(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.conceal_in(item)).collect(),
            Value::Object(fields) => {
                let conceal =
                    |(name, value): (String, Value)| (self.conceal(&name), self.conceal_in(value));
                Value::Object(fields.into_iter().map(conceal).collect::<Map<_, _>>())
            }
            Value::Number(number) if self.values.contains(&number.to_string()) => {
                Value::String(masked(&number.to_string()))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

/// The numbers in `text`, each with its start.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|it: char| it.is_ascii_digit())?;
        let run = spelled(&text[start..]);
        at = start + run.len();
        Some((start, run))
    })
}

/// The digits at the start of `text`, with the separators between them.
fn spelled(text: &str) -> &str {
    let is_separator = |it: u8| matches!(it, b' ' | b'-' | b'.');
    let bytes = text.as_bytes();
    let ends = (0..bytes.len()).find(|&at| {
        let goes_on = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        !(bytes[at].is_ascii_digit() || is_separator(bytes[at]) && goes_on)
    });
    &text[..ends.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Memory;
    use crate::step::{Action, Call, Step};

    use super::*;

    #[test]
    fn a_secret_is_masked_under_any_name() {
        let mut secrets = Secrets::default();
        secrets.keep("12-3456789");
        secrets.keep("5");
        let answer = json!({
            "reference": "whs_1", "url": "https://a.example/hook", "n": 5,
            "signing": { "name": "hmac", "value": "whsec_abc/def+0123" }, "eventTypes": ["partner.invoice.paid"],
        });
        secrets.keep_all_of_subscription(
            &subscription("https://a.example/hook"),
            &Response::new(201, answer.to_string().as_bytes()),
        );
        let report = json!({
            "whsec_abc/def+0123": ["5", "tax id 123456789 or 12-3456789", { "at": "https://a.example/hook" }],
            "spelled": ["no. 12 3456789, or 12.345.6789", 123_456_789],
        });
        let concealed = secrets.conceal_in(report).to_string();
        for secret in ["whsec_abc/def+0123", "123456789", "12-3456789", "3456789", "345.6789"] {
            assert!(!concealed.contains(secret), "{concealed}");
        }
        assert_eq!(secrets.conceal("at 2026-01-02, 1.5"), "at 2026-01-02, 1.5");
        assert!(concealed.contains("https://a.example/hook") && concealed.contains("\"5\""));
        assert_eq!(secrets.conceal("partner.invoice.paid"), "partner.invoice.paid");
    }

    fn subscription(url: &str) -> Prepared {
        let body = json!({ "url": url, "eventTypes": ["partner.invoice.paid"] });
        let step = Step::new(Action::Call(Call::json("POST", "/v1/webhooks", body)));
        Prepared::from_step(&step, &Memory::default(), "key")
    }

    /// Whatever the response calls the URL and the events, they are what the request sent.
    #[test]
    fn what_a_request_sends_in_plain_is_no_secret() {
        let url = "https://hooks.example/accepts/1";
        let answer = json!({
            "target": url, "topics": ["partner.invoice.paid"], "token": "whsec_abc/def+0123",
        });
        for answer in [answer.to_string(), format!("created {url} whsec_abc/def+0123")] {
            let mut secrets = Secrets::default();
            secrets.keep_all_of_subscription(
                &subscription(url),
                &Response::new(201, answer.as_bytes()),
            );
            let line = format!("curl {url} partner.invoice.paid");
            assert_eq!(secrets.conceal(&line), line);
            assert!(!secrets.conceal(&answer).contains("whsec_abc/def+0123"));
        }
    }

    #[test]
    fn a_refused_subscription_has_no_secret_but_a_failed_one_may() {
        let concealed = |status, answer: serde_json::Value| {
            let mut secrets = Secrets::default();
            let seen = Response::new(status, answer.to_string().as_bytes());
            secrets.keep_all_of_subscription(&subscription("https://a.example/hook"), &seen);
            secrets.conceal("already_subscribed")
        };
        let refusal = json!({ "error": "This is subscribed.", "code": "already_subscribed" });
        assert_eq!(concealed(409, refusal.clone()), "already_subscribed");
        assert_eq!(concealed(502, refusal), "already_subscribed");
        let half = json!({ "token": "already_subscribed" });
        assert_eq!(concealed(409, half.clone()), "already_subscribed");
        for status in [200, 201, 500] {
            assert_eq!(concealed(status, half.clone()), "already_…ibed", "{status}");
        }
    }
}

//! What hides secrets before anything is kept: keys, signing secrets, tax ids and account numbers.
//!
//! The judge compares tax ids and account numbers, so each gets another number in its place: the same for the same, two for
//! two, with as many digits; of an account the last four stay, because answers show them. The numbers come from a secret
//! that ends with the process. Nothing keeps the true ones.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use serde_json::Value;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, Response};
use tideover_model::wire::schema::{Role, in_replies, in_requests};
use tideover_model::{Operation, OperationKind, bearer, masked, tax_id_digits};
use tideover_sim::masked_by_form;

/// How many digits of an account stay.
const SHOWN: usize = 4;

/// As many digits may be a tax id, in a text that nobody can read.
const SUSPECT: usize = 9;

/// The most keys that are kept apart.
const MOST_KEYS: usize = 1024;

#[derive(Default)]
pub(crate) struct Veil {
    random: RandomState,
    /// How each key is shown, by its hash.
    keys: BTreeMap<u64, String>,
    /// The keys and the signing secrets, which an answer may show again.
    secrets: Secrets,
    kept: usize,
}

/// A request and an answer without secrets.
pub(crate) struct Veiled {
    pub(crate) authorization: Option<String>,
    pub(crate) path: String,
    pub(crate) sent: Vec<u8>,
    pub(crate) answered: Option<Vec<u8>>,
    /// The signing secrets that the answer may show.
    pub(crate) secrets: Vec<String>,
}

/// A request as it passed.
pub(crate) struct Bare<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) authorization: Option<&'a str>,
    pub(crate) content_type: Option<&'a str>,
    pub(crate) sent: &'a [u8],
    pub(crate) answered: Option<(u16, &'a [u8])>,
}

impl Veil {
    pub(crate) fn cover(&mut self, bare: &Bare<'_>) -> Veiled {
        let authorization = bare.authorization.map(|header| self.header(header));
        if let Some(key) = bare.authorization.and_then(bearer) {
            self.keep(key);
        }
        let call = PreparedCall::new(
            bare.method,
            bare.path,
            bare.content_type.map(str::to_owned),
            bare.sent.to_vec(),
        );
        let numbers = match call.operation() {
            Some(operation @ Operation::ImportInvoices { .. }) => of_file(operation),
            _ => Vec::new(),
        };
        let sent = self.body(bare.sent, &numbers);
        let prepared = Prepared { authorization: None, action: PreparedAction::Call(call) };
        let secrets = self.keep_secrets(&prepared, bare.answered);
        let answered = bare.answered.map(|(_, body)| self.body(body, &numbers));
        let path = self.path(bare.path);
        Veiled { authorization, path, sent, answered, secrets }
    }

    /// A body that belongs to no exchange of the API.
    pub(crate) fn body(&self, body: &[u8], numbers: &[String]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(body) else { return self.conceal(body).into_owned() };
        let text = match serde_json::from_str::<Value>(text) {
            Ok(value) => self.json(text, value),
            Err(_) if !numbers.is_empty() => Cow::Owned(self.file(text, numbers)),
            Err(_) if text.is_empty() => Cow::Borrowed(text),
            Err(_) => Cow::Owned(self.suspects(text)),
        };
        self.conceal(text.as_bytes()).into_owned()
    }

    /// A header, if it says nothing secret; otherwise a sign that there was one.
    pub(crate) fn plain_header(&self, name: &str, value: &str) -> String {
        match PLAIN.contains(&name) {
            true => String::from_utf8_lossy(&self.conceal(value.as_bytes())).into_owned(),
            false => "…".to_owned(),
        }
    }

    /// No operation has a query: its values are for a proxy in front of the service.
    fn path(&self, path: &str) -> String {
        let path = String::from_utf8_lossy(&self.conceal(path.as_bytes())).into_owned();
        let Some((path, query)) = path.split_once('?') else { return path };
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) => format!("{name}=%E2%80%A6"),
            None => "%E2%80%A6".to_owned(),
        });
        format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
    }

    /// The `Authorization` header. Two keys are shown in two ways, because the judge tells callers apart by them.
    fn header(&mut self, header: &str) -> String {
        let key = bearer(header);
        let hash = self.random.hash_one(header);
        if let Some(shown) = self.keys.get(&hash) {
            return shown.clone();
        }
        let shown = match key {
            Some(key) => {
                let scheme = &header[..header.len() - key.len()];
                let shown = format!("{scheme}{}", masked(key));
                let same = self.keys.values().filter(|other| other.starts_with(&shown)).count();
                if same == 0 { shown } else { format!("{shown}.{}", same + 1) }
            }
            None => {
                let scheme: String =
                    header.chars().take_while(char::is_ascii_alphabetic).take(10).collect();
                let has_more = scheme.len() < header.len();
                format!("{scheme}{}", if has_more { " …" } else { "" })
            }
        };
        if self.keys.len() < MOST_KEYS {
            self.keys.insert(hash, shown.clone());
        }
        shown
    }

    fn keep(&mut self, secret: &str) {
        if self.kept < MOST_KEYS && !matches!(self.conceal_known(secret), Cow::Owned(_)) {
            self.secrets.keep(secret);
            self.kept += 1;
        }
    }

    /// Keeps the secrets in the answer to a subscription, and returns those that may sign deliveries.
    fn keep_secrets(&mut self, sent: &Prepared, answered: Option<(u16, &[u8])>) -> Vec<String> {
        let Some((status, body)) =
            answered.filter(|_| sent.kind() == Some(OperationKind::Subscribe))
        else {
            return Vec::new();
        };
        let seen = Response::new(status, body);
        let mut texts = Vec::new();
        if seen.is_success()
            && let Some(Value::Object(fields)) = seen.json()
        {
            texts.extend(fields.values().filter_map(Value::as_str).map(str::to_owned));
        }
        if self.kept < MOST_KEYS {
            self.secrets.keep_all_of_subscription(sent, &seen);
            self.kept += texts.len();
        }
        texts
    }

    fn conceal_known<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let concealed = self.secrets.conceal(text);
        if concealed == text { Cow::Borrowed(text) } else { Cow::Owned(concealed) }
    }

    fn conceal<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let by_form = masked_by_form(text);
        match std::str::from_utf8(&by_form).map(|text| self.conceal_known(text)) {
            Ok(Cow::Owned(concealed)) => Cow::Owned(concealed.into_bytes()),
            Ok(Cow::Borrowed(_)) | Err(_) => by_form,
        }
    }

    /// JSON with other numbers. Where that can be done in the text, all the rest of it stays as it is.
    fn json<'a>(&self, text: &'a str, mut value: Value) -> Cow<'a, str> {
        let mut numbers = Vec::new();
        self.replace_in(&mut value, &mut numbers);
        if numbers.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut replaced = text.to_owned();
        for (old, new) in &numbers {
            replaced = replaced.replace(&old.to_string(), &new.to_string());
        }
        match serde_json::from_str::<Value>(&replaced) {
            Ok(read) if read == value => Cow::Owned(replaced),
            _ => Cow::Owned(value.to_string()),
        }
    }

    fn replace_in(&self, value: &mut Value, numbers: &mut Vec<(Value, Value)>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if !value.is_object() && !value.is_array() && has_role(name, is_number) {
                        let is_account = has_role(name, |role| matches!(role, Role::AccountNumber));
                        let new = self.number_in(value, is_account);
                        if new != *value {
                            numbers.push((value.clone(), new.clone()));
                            *value = new;
                        }
                    } else {
                        self.replace_in(value, numbers);
                    }
                }
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.replace_in(item, numbers));
            }
            _ => {}
        }
    }

    fn number_in(&self, value: &Value, is_account: bool) -> Value {
        match value {
            Value::String(text) if is_account => self.account(text).into(),
            Value::String(text) => self.number(text, 0).into(),
            Value::Number(number) => {
                let new = self.number(&number.to_string(), 0);
                new.parse::<u64>().map_or_else(|_| new.into(), Value::from)
            }
            value => value.clone(),
        }
    }

    /// A file with other tax ids. Those in rows that nobody can read are any number of nine digits.
    fn file(&self, text: &str, numbers: &[String]) -> String {
        let known = numbers.iter().filter(|number| !number.is_empty());
        let text = known.fold(text.to_owned(), |text, number| {
            text.replace(number.as_str(), &self.number(number, 0))
        });
        match numbers.iter().any(String::is_empty) {
            true => self.suspects(&text),
            false => text,
        }
    }

    /// A text with other digits in each number that may be a tax id or an account.
    fn suspects(&self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|it: char| it.is_ascii_digit()) {
            shown.push_str(&rest[..start]);
            rest = &rest[start..];
            let length = rest
                .find(|it: char| !(it.is_ascii_digit() || matches!(it, '-' | ' ' | '.')))
                .unwrap_or(rest.len());
            let run = &rest[..length];
            let digits = tax_id_digits(run).len();
            match digits >= SUSPECT {
                true => shown.push_str(&self.number(run, 0)),
                false => shown.push_str(run),
            }
            rest = &rest[length..];
        }
        shown.push_str(rest);
        shown
    }

    fn account(&self, text: &str) -> String {
        self.number(text, SHOWN)
    }

    /// `text` with other digits, except the last `shown`. Whatever separates them stays.
    fn number(&self, text: &str, shown: usize) -> String {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|it| it - b'0').collect();
        let hidden = digits.len().saturating_sub(shown);
        let mut others = self.permuted(&digits[..hidden]).into_iter();
        let mut replace = |sign: char| match sign.is_ascii_digit() {
            true => others.next().map_or(sign, |digit| char::from(b'0' + digit)),
            false => sign,
        };
        text.chars().map(&mut replace).collect()
    }

    /// A permutation of all numbers of as many digits: a Feistel network, whose rounds are keyed hashes. So two numbers
    /// never become one.
    fn permuted(&self, digits: &[u8]) -> Vec<u8> {
        const ROUNDS: u8 = 8;
        if digits.len() < 2 {
            let moved = self.random.hash_one("digit") % 10;
            return digits.iter().map(|it| (it + u8::try_from(moved).unwrap_or(0)) % 10).collect();
        }
        let (left, right) = digits.split_at(digits.len() / 2);
        let (mut left, mut right) = (left.to_vec(), right.to_vec());
        for round in 0..ROUNDS {
            let mut hash = self.random.hash_one((round, digits.len(), &right));
            for digit in &mut left {
                *digit = (*digit + u8::try_from(hash % 10).unwrap_or(0)) % 10;
                hash /= 10;
            }
            std::mem::swap(&mut left, &mut right);
        }
        left.into_iter().chain(right).collect()
    }
}

fn is_number(role: &Role) -> bool {
    matches!(role, Role::AccountNumber | Role::TaxId)
}

/// Whether a field of this name has such a role anywhere in the document.
fn has_role(name: &str, is_it: impl Fn(&Role) -> bool) -> bool {
    in_requests(name).iter().chain(in_replies(name)).any(|field| is_it(&field.role))
}

/// The tax ids in a file; an empty text for a row that cannot be read.
fn of_file(operation: &Operation) -> Vec<String> {
    let Operation::ImportInvoices { file, .. } = operation else { return Vec::new() };
    let of_row = |sync: &tideover_model::InvoiceSync| {
        let parties = [&sync.payee, &sync.payor];
        parties.into_iter().filter_map(|party| party.details.tax_id.clone()).collect::<Vec<_>>()
    };
    let numbers = file.rows.iter().flat_map(|row| match &row.sync {
        Ok(sync) => of_row(sync),
        Err(_) => vec![String::new()],
    });
    // The longest first: one may be a part of another.
    let mut numbers: Vec<String> = numbers.collect();
    numbers.sort_by_key(|number| std::cmp::Reverse(number.len()));
    numbers.dedup();
    numbers
}

/// Headers that say nothing secret.
const PLAIN: [&str; 30] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "access-control-allow-origin",
    "access-control-request-headers",
    "access-control-request-method",
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-type",
    "date",
    "etag",
    "expect",
    "host",
    "if-none-match",
    "last-modified",
    "origin",
    "retry-after",
    "sec-fetch-mode",
    "sec-fetch-site",
    "server",
    "service-delivery",
    "transfer-encoding",
    "user-agent",
    "vary",
    "via",
    "www-authenticate",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn cover(veil: &mut Veil, body: &str) -> String {
        let bare = Bare {
            method: "PUT",
            path: "/v1/organizations/acme?token=abcdefgh",
            authorization: Some("Bearer live_sk_0123456789abcdef"),
            content_type: Some("application/json"),
            sent: body.as_bytes(),
            answered: None,
        };
        let veiled = veil.cover(&bare);
        assert_eq!(veiled.authorization.as_deref(), Some("Bearer live_sk_…cdef"));
        assert_eq!(veiled.path, "/v1/organizations/acme?token=%E2%80%A6");
        String::from_utf8(veiled.sent).unwrap()
    }

    #[test]
    fn numbers_get_others_in_their_place_and_the_rest_stays() {
        let mut veil = Veil::default();
        let body = r#"{ "taxId":"12-3456789",  "legalName": "A", "n": 1e2, "n": 2 }"#;
        let shown = cover(&mut veil, body);
        assert!(
            !shown.contains("3456789")
                && shown.ends_with(r#","legalName": "A", "n": 1e2, "n": 2 }"#)
                || shown.contains(r#"  "legalName": "A", "n": 1e2, "n": 2 }"#),
            "{shown}"
        );
        assert_eq!(shown.len(), body.len());
        assert_eq!(shown, cover(&mut veil, body), "the same for the same");
        let account = cover(&mut veil, r#"{"accountNumber":"000123456789"}"#);
        assert!(account.ends_with("6789\"}") && !account.contains("00012345"), "{account}");
        let broken = cover(&mut veil, r#"{"taxId": "12-3456789""#);
        assert!(!broken.contains("3456789"), "{broken}");
    }

    #[test]
    fn two_numbers_never_become_one() {
        let veil = Veil::default();
        let all: BTreeSet<String> =
            (0..1000).map(|number| veil.number(&format!("{number:03}"), 0)).collect();
        assert_eq!(all.len(), 1000);
    }

    #[test]
    fn two_keys_are_kept_apart() {
        let mut veil = Veil::default();
        let shown = ["Bearer a_sk_111111cdef", "Bearer a_sk_222222cdef", "Bearer a_sk_111111cdef"]
            .map(|header| veil.header(header));
        assert_eq!(shown[0], shown[2]);
        assert_ne!(shown[0], shown[1]);
        assert_eq!(veil.header("Basic dXNlcjpwYXNz"), "Basic …");
    }
}

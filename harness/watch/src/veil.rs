//! What hides secrets before anything is kept: keys, signing secrets, tax ids and account numbers.
//!
//! The judge compares tax ids and account numbers, so each gets another number in its place: the same for the same, two for
//! two, with as many digits; of an account the last four stay, because answers show them. The numbers come from a secret
//! that ends with the process. Nothing keeps the true ones.
//!
//! What is shown is what the table of fields allows, and not what looks harmless: a value in a field that the table does not
//! have, and a body that cannot be read, may be anything, and are replaced. A file is left out, where its cells may stand in
//! other columns than they seem to, because replacing all of them would change its verdict.

mod json;
mod sheet;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::BuildHasher;
use std::iter::repeat_n;
use std::ops::Range;
use std::sync::LazyLock;

use serde_json::Value;
use tideover_exchange::matcher::texts;
use tideover_exchange::secrets::Secrets;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, Response};
use tideover_live::recorded::from_version;
use tideover_model::wire::schema::columns::{Column, column};
use tideover_model::wire::schema::{EVENT, FAILURE, Field, Role, words};
use tideover_model::words::EventType;
use tideover_model::{
    Code, FaceValue, OperationKind, SigningKey, bearer, is_routing_number, masked, signature,
    tax_id_digits,
};
use tideover_sim::masked_by_form;

use self::json::{Rewriting, Shows};
use crate::copy::Side;

/// How many digits of an account stay.
const SHOWN: usize = 4;

/// How what stands for a value begins.
const STAND_IN: &str = "masked-";

/// What an RFC 3339 date-time begins with, each digit as 0.
const DATE: &[u8] = b"0000-00-00";

/// With nanoseconds and an offset.
const LONGEST_INSTANT: usize = 35;

/// The most keys that are kept apart.
const MOST_KEYS: usize = 1024;

/// The most tax ids and account numbers that are remembered. Beyond it, every number may be one.
const MOST_NUMBERS: usize = 100_000;

#[derive(Default)]
pub(crate) struct Veil {
    random: RandomState,
    /// How each key is shown, by its hash.
    keys: BTreeMap<u64, String>,
    /// The keys and the signing secrets, which an answer may show again.
    secrets: Secrets,
    kept: usize,
    /// The tax ids and account numbers that passed, by the hash of their digits.
    numbers: RefCell<BTreeSet<u64>>,
    /// The keys of texts that may be signing secrets, each with the key of what is shown in its place.
    signers: VecDeque<(SigningKey, SigningKey)>,
}

/// A request and an answer without secrets.
pub(crate) struct Veiled {
    pub(crate) authorization: Option<String>,
    pub(crate) path: String,
    /// The signature of a delivery, made anew: what is shown in place of the secret signs what is shown in place of the
    /// body. If no secret that passed signs the body, none signs what is shown.
    pub(crate) signature: Option<String>,
    /// `None` if it is left out, because nobody knows where its secrets are.
    pub(crate) sent: Option<Vec<u8>>,
    pub(crate) answered: Option<Vec<u8>>,
    /// The signing secrets that the answer may show.
    pub(crate) secrets: Vec<String>,
}

/// A request as it passed.
#[derive(Clone, Copy)]
pub(crate) struct Bare<'a> {
    pub(crate) side: Side,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) authorization: Option<&'a str>,
    pub(crate) content_type: Option<&'a str>,
    pub(crate) signature: Option<&'a str>,
    pub(crate) sent: &'a [u8],
    pub(crate) answered: Option<(u16, &'a [u8])>,
}

impl Veil {
    pub(crate) fn cover(&mut self, bare: &Bare<'_>) -> Veiled {
        let authorization = bare.authorization.map(|header| self.header(header));
        if let Some(key) = bare.authorization.and_then(bearer) {
            self.keep(key);
        }
        // A service may take a path with a prefix for the path without.
        let path = from_version(bare.path).unwrap_or(bare.path);
        let call = PreparedCall::new(
            bare.method,
            path,
            bare.content_type.map(str::to_owned),
            bare.sent.to_vec(),
        );
        let kind = call.asked().kind.filter(|_| bare.side == Side::Api);
        let prepared = Prepared { authorization: None, action: PreparedAction::Call(call) };
        // A body may repeat them.
        let secrets = self.keep_secrets(&prepared, bare.answered);
        let plain = Shows { prose: true, computed: false };
        let sent = match (bare.side, kind) {
            (Side::Webhooks, _) => Some(self.body(bare.sent, EVENT, plain)),
            (Side::Api, Some(OperationKind::ImportInvoices)) => self.file(bare.sent),
            (Side::Api, Some(kind)) => Some(self.body(bare.sent, kind.fields(), plain)),
            (Side::Api, None) => Some(self.body(bare.sent, &[], plain)),
        };
        let signature = bare
            .signature
            .map(|header| self.signed_anew(header, bare.sent, sent.as_deref().unwrap_or_default()));
        let is_known = sent.as_deref().is_some_and(|sent| !has_stand_in(sent));
        let answered = bare.answered.map(|(status, body)| {
            let computed = kind.is_some() && (200..=299).contains(&status);
            // A report is the same whoever asks, so that what is shown of it depends on no request.
            let prose = is_known && !(computed && reports_rows(kind));
            let shows = Shows { prose, computed };
            self.body(body, fields_of_answer(kind, status), shows)
        });
        let path = self.path(bare.path);
        Veiled { authorization, path, signature, sent, answered, secrets }
    }

    /// A signature of `shown`, if the header is one of `body` with a known secret. Otherwise one that nobody made, or a
    /// sign that there was something else.
    fn signed_anew(&self, header: &str, body: &[u8], shown: &[u8]) -> String {
        let Some(at) = signature::signed_at(header) else { return "…".to_owned() };
        let signs = |key: &SigningKey| key.verify(Some(header.as_bytes()), body, at).is_ok();
        match self.signers.iter().rev().find(|(secret, _)| signs(secret)) {
            Some((_, other)) => other.sign(at, shown).to_string(),
            None => format!("t={at},v1={:064}", 0),
        }
    }

    /// A body that should be JSON with these fields. Of any other, nothing is shown: it stays a body that nobody can read.
    fn body(&self, body: &[u8], fields: &'static [Field], shows: Shows) -> Vec<u8> {
        if body.trim_ascii().is_empty() {
            return body.to_vec();
        }
        match std::str::from_utf8(body).map(|text| (text, serde_json::from_str::<Value>(text))) {
            Ok((text, Ok(_))) => Rewriting::of(self, text, fields, shows).into_bytes(),
            Ok((_, Err(_))) | Err(_) => self.stand_in(body).into_bytes(),
        }
    }

    /// A header, if it says nothing secret; otherwise a sign that there was one.
    pub(crate) fn plain_header(&self, name: &str, value: &str) -> String {
        match PLAIN.contains(&name) {
            true => self.concealed(value),
            false => "…".to_owned(),
        }
    }

    /// No operation has a query: its values are for a proxy in front of the service.
    fn path(&self, path: &str) -> String {
        let path = self.concealed(path);
        let Some((path, query)) = path.split_once('?') else { return path };
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) => format!("{name}=%E2%80%A6"),
            None => "%E2%80%A6".to_owned(),
        });
        format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
    }

    /// The `Authorization` header. Two keys are shown in two ways, because the judge distinguishes callers by them.
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
        // Where the secret stands is not shown.
        let shown = seen.success_body().map(texts).unwrap_or_default();
        let texts: Vec<String> = shown.into_iter().map(str::to_owned).collect();
        for text in &texts {
            let other = self.stand_in(text.as_bytes());
            self.signers.push_back((SigningKey::new(text), SigningKey::new(&other)));
        }
        self.signers.drain(..self.signers.len().saturating_sub(MOST_KEYS));
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

    fn concealed(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.conceal(text.as_bytes())).into_owned()
    }

    fn conceal<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let by_form = masked_by_form(text);
        match std::str::from_utf8(&by_form).map(|text| self.conceal_known(text)) {
            Ok(Cow::Owned(concealed)) => Cow::Owned(concealed.into_bytes()),
            Ok(Cow::Borrowed(_)) | Err(_) => by_form,
        }
    }

    /// Remembers the number of a field that holds a secret one. One of four digits or fewer is shown anyway, and may be the
    /// number of a row.
    fn keep_number(&self, role: Option<Role>, number: &str) {
        let is_short = significant_digits(number).count() <= SHOWN;
        if matches!(role, Some(Role::TaxId | Role::AccountNumber)) && !is_short {
            let mut numbers = self.numbers.borrow_mut();
            if numbers.len() < MOST_NUMBERS {
                numbers.insert(self.hash_of_digits(number));
            }
        }
    }

    /// Whether a number may be a tax id or an account that passed before.
    fn may_be_secret(&self, number: &str) -> bool {
        let numbers = self.numbers.borrow();
        numbers.len() >= MOST_NUMBERS || numbers.contains(&self.hash_of_digits(number))
    }

    fn hash_of_digits(&self, number: &str) -> u64 {
        self.random.hash_one(significant_digits(number).collect::<String>())
    }

    /// A text in the place of such a field; `None` for a field that the document does not know.
    fn text(&self, role: Option<Role>, text: &str) -> String {
        self.keep_number(role, text);
        let shown = self.concealed(text);
        match role {
            _ if text.is_empty() => shown,
            Some(role) if is_plain(role, text) => shown,
            Some(Role::TaxId) if is_spelled_plainly(text) => self.number(&shown, 0),
            Some(Role::AccountNumber) if is_spelled_plainly(text) => self.account(&shown),
            // Of a signing secret, the judge needs one of its own for each.
            Some(Role::Key) if shown != text => shown,
            Some(role) if is_worded(role) && has_plain_digits(text) => self.numbers(&shown),
            None if is_word_of_document(text) => shown,
            Some(_) | None => self.stand_in(text.as_bytes()),
        }
    }

    /// A file with other values in the cells that may hold secrets. `None` if nobody knows which cells these are.
    fn file(&self, body: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(body).ok()?;
        let rows = sheet::rows(text)?;
        let (names, rows) =
            rows.split_first().map_or((&[][..], &[][..]), |(names, rows)| (names, rows));
        let columns: Vec<Option<&Column>> =
            names.iter().map(|cell| column(&sheet::unquoted(&text[cell.clone()]))).collect();
        let (mut shown, mut copied) = (String::with_capacity(text.len()), 0);
        let mut replace = |cell: &Range<usize>, other: String| {
            shown.push_str(&text[copied..cell.start]);
            shown.push_str(&other);
            copied = cell.end;
        };
        for (cell, _) in names.iter().zip(&columns).filter(|(_, column)| column.is_none()) {
            replace(cell, self.numbers(&self.concealed(&text[cell.clone()])));
        }
        for (cell, column) in rows.iter().flat_map(|row| row.iter().zip(&columns)) {
            replace(cell, self.cell(column.map(|column| column.field.role), &text[cell.clone()]));
        }
        shown.push_str(&text[copied..]);
        Some(shown.into_bytes())
    }

    /// A cell with its quotes. Where only digits change, the quotes stay.
    fn cell(&self, role: Option<Role>, cell: &str) -> String {
        let text = sheet::unquoted(cell);
        self.keep_number(role, &text);
        match role {
            _ if text.trim().is_empty() => cell.to_owned(),
            Some(Role::Amount) if is_amount(&text) => cell.to_owned(),
            // With other digits, an impossible amount could become a possible one.
            Some(Role::Amount) => self.stand_in(cell.as_bytes()),
            Some(role) if is_plain(role, &text) => self.concealed(cell),
            Some(Role::TaxId) if is_spelled_plainly(&text) => self.number(cell, 0),
            Some(role) if is_worded(role) && has_plain_digits(&text) => {
                self.numbers(&self.concealed(cell))
            }
            Some(_) | None => self.stand_in(cell.as_bytes()),
        }
    }

    /// What stands for a value of which nobody knows what it says: the same for the same, two for two. It is neither JSON
    /// nor a value of any form that the document asks for, and no shorter, because the length of a body has a limit.
    fn stand_in(&self, value: &[u8]) -> String {
        let mut shown = format!("{STAND_IN}{:016x}", self.random.hash_one(value));
        // A width of the formatter ends at 65,535.
        shown.extend(repeat_n('-', value.len().saturating_sub(shown.len())));
        shown
    }

    /// A text with other digits in each number that may be a tax id or an account. A shorter one may be the last four
    /// digits of an account, which stay anyway.
    fn numbers(&self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|it: char| it.is_ascii_digit()) {
            shown.push_str(&rest[..start]);
            rest = &rest[start..];
            // A tax id may be spelled with any punctuation.
            let ends = |it: char| it.is_alphanumeric() && !it.is_ascii_digit();
            let (run, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
            match tax_id_digits(run).len() > SHOWN {
                true => shown.push_str(&self.number(run, 0)),
                false => shown.push_str(run),
            }
            rest = after;
        }
        shown.push_str(rest);
        shown
    }

    /// A number as JSON writes it, with other digits. It gets no leading zero, which JSON does not allow: it moves on to
    /// the next number without one, so that two numbers still never become one.
    fn numeral(&self, number: &str) -> String {
        let digits: Vec<u8> =
            number.bytes().filter(u8::is_ascii_digit).map(|it| it - b'0').collect();
        let digits: Vec<u8> = digits.into_iter().skip_while(|it| *it == 0).collect();
        if digits.is_empty() {
            return number.to_owned();
        }
        let mut others = self.permuted(&digits);
        while others.first() == Some(&0) {
            others = self.permuted(&others);
        }
        others.into_iter().map(|digit| char::from(b'0' + digit)).collect()
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
        // Fewer than a hash has.
        const DIGITS_OF_HASH: usize = 16;
        if digits.len() < 2 {
            let moved = self.random.hash_one("digit") % 10;
            return digits.iter().map(|it| (it + u8::try_from(moved).unwrap_or(0)) % 10).collect();
        }
        let (left, right) = digits.split_at(digits.len() / 2);
        let (mut left, mut right) = (left.to_vec(), right.to_vec());
        for round in 0..ROUNDS {
            let key = self.random.hash_one((round, digits.len(), &right));
            for (place, part) in left.chunks_mut(DIGITS_OF_HASH).enumerate() {
                let mut hash = self.random.hash_one((key, place));
                for digit in part {
                    *digit = (*digit + u8::try_from(hash % 10).unwrap_or(0)) % 10;
                    hash /= 10;
                }
            }
            std::mem::swap(&mut left, &mut right);
        }
        left.into_iter().chain(right).collect()
    }
}

/// Bodies for paths that the document does not have may be of anything: none of their fields are known.
fn fields_of_answer(kind: Option<OperationKind>, status: u16) -> &'static [Field] {
    match kind {
        Some(kind) if (200..=299).contains(&status) => kind.reply_fields(),
        Some(_) => FAILURE,
        None => &[],
    }
}

/// Whether a success of the operation says of rows of a file what is wrong with them, and may repeat their cells.
fn reports_rows(kind: Option<OperationKind>) -> bool {
    matches!(kind, Some(OperationKind::ImportInvoices | OperationKind::GetImport))
}

/// Whether such a text is shown: a name, an address or an identifier, or whatever has the form that its field asks for.
fn is_plain(role: Role, text: &str) -> bool {
    match role {
        Role::Business
        | Role::Invoice
        | Role::Import
        | Role::Subscription
        | Role::Invitation
        | Role::Platform
        | Role::LegalName
        | Role::Receiver
        | Role::Link => true,
        Role::Email => text.contains('@'),
        Role::Instant => is_like_an_instant(text),
        Role::RoutingNumber => is_routing_number(text),
        _ => false,
    }
}

/// Whether only the numbers in such a text may be secret.
fn is_worded(role: Role) -> bool {
    matches!(
        role,
        Role::Word(_)
            | Role::Prose
            | Role::Text
            | Role::Phone
            | Role::EventTypes
            | Role::Amount
            | Role::Count
            | Role::Flag
    )
}

/// Whether other digits hide the number that it spells: letters and digits of other scripts could spell one, too.
fn is_spelled_plainly(number: &str) -> bool {
    number.chars().all(|it| it.is_ascii_digit() || !it.is_alphanumeric())
}

fn significant_digits(number: &str) -> impl Iterator<Item = char> {
    number.chars().filter(char::is_ascii_digit).skip_while(|it| *it == '0')
}

fn has_plain_digits(text: &str) -> bool {
    text.chars().all(|it| it.is_ascii_digit() || !it.is_numeric())
}

fn has_stand_in(shown: &[u8]) -> bool {
    shown.windows(STAND_IN.len()).any(|part| part == STAND_IN.as_bytes())
}

/// A wrong date is worth showing as it is. Neither a tax id nor an account begins like one.
fn is_like_an_instant(text: &str) -> bool {
    let is_like = |(sign, form): (u8, &u8)| match form {
        b'0' => sign.is_ascii_digit(),
        form => sign == *form,
    };
    text.len() <= LONGEST_INSTANT
        && text.len() >= DATE.len()
        && text.bytes().zip(DATE).all(is_like)
        && text.bytes().all(|it| it.is_ascii_digit() || b"-:.+TtZz ".contains(&it))
}

fn is_amount(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_digit())
        && text.parse().ok().and_then(FaceValue::new).is_some()
}

/// A code or an event, which conduct reads under any name.
fn is_word_of_document(text: &str) -> bool {
    Code::parse(text).is_some() || EventType::parse(text).is_some()
}

/// A word of an enumeration, which says nothing of anybody.
fn is_word_of_state(text: &str) -> bool {
    static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words().collect());
    WORDS.contains(text)
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
mod tests;

//! What the document leaves open about the form of a request: which of two codes refuses it, or whether any
//! does.

use serde_json::{Map, Value};
use tideover_exchange::matcher::is_digits;
use tideover_exchange::{Prepared, PreparedCall, Response};
use tideover_model::destination::is_left_open;
use tideover_model::wire::field;
use tideover_model::wire::schema::columns::COLUMNS;
use tideover_model::wire::schema::{Domain, Field};
use tideover_model::{Clause, Code, Face, OperationKind, Timestamp, clause, is_tax_id};
use url::Url;

use crate::belief::hypothesis::Hypothesis;

/// A text longer than this may be refused, because the document states no limit. Characters.
const LONG: usize = 96;

const DATES: [&str; 2] = [field::ISSUE_DATE, field::DUE_DATE];

/// Whether a text is a tax id in every reading. Punctuation is optional, and only a hyphen in its usual place surely
/// counts as such.
pub(super) fn is_plainly_a_tax_id(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    is_tax_id(text) && has_digits_and_hyphens_only(text) && USUAL_PARTS.contains(&&*parts)
}

/// How many digits stand between the hyphens of a tax id: of a company, and of a person.
const USUAL_PARTS: [&[usize]; 3] = [&[9], &[2, 7], &[3, 2, 4]];

/// Whether a text has no other punctuation than the hyphen.
pub(super) fn has_digits_and_hyphens_only(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Codes that may replace those that are `due`. A value of the wrong form breaks the published schema
/// (`7.codes.invalid_request`) and also the rule for that value.
pub(super) fn codes_left_open(call: &PreparedCall, due: &[Code], is_made_up: bool) -> Vec<Code> {
    let sent = call.body().json();
    let text = |field: &str| sent.and_then(|body| body.get(field)?.as_str());
    let is_of_wrong_form = |code: &Code| match code {
        Code::InvalidRoutingNumber => {
            text("routingNumber").is_some_and(|it| !(it.len() == 9 && is_digits(it)))
        }
        Code::DestinationRefused => {
            text(field::URL).is_some_and(|it| Url::parse(it).is_err() || is_left_open(it))
        }
        Code::InvalidInvitee => text("email").is_some_and(|it| !it.contains('@')),
        Code::SubscriptionNotFound => is_made_up,
        Code::UnreadableFile => std::str::from_utf8(call.body()).is_ok(),
        _ => false,
    };
    let mut codes = Vec::new();
    if due.iter().any(is_of_wrong_form) || has_an_empty_text(call) {
        codes.push(Code::InvalidRequest);
    }
    // An empty body, or one that is no object, is neither surely unreadable nor surely of the wrong form.
    let is_no_object =
        call.body().trim_ascii().is_empty() || sent.is_some_and(|it| !it.is_object());
    if is_no_object && due.iter().any(|it| is_about_the_body(*it)) {
        codes.extend([Code::InvalidRequest, Code::UnreadableRequest]);
    }
    // A file that claims to be JSON also isn't of the media type that it claims.
    if due.contains(&Code::UnsupportedMediaType) && sent.is_none() {
        codes.push(Code::UnreadableRequest);
    }
    codes
}

fn is_about_the_body(code: Code) -> bool {
    matches!(code, Code::InvalidRequest | Code::UnreadableRequest)
}

impl Hypothesis {
    /// The assumption that lets a request pass, where the target refuses it.
    pub(super) fn refusal_left_open(&self, sent: &Prepared, seen: &Response) -> Option<Clause> {
        let call = sent.call()?;
        let code = seen.code().and_then(Code::parse)?;
        if code == Code::InvalidRequest && call.has_text_longer_than(LONG) {
            return Some(clause!("gap.bodyLimit"));
        }
        if sent.kind() == Some(OperationKind::ImportInvoices) {
            let is_unreadable = matches!(
                code,
                Code::UnreadableFile | Code::UnreadableRequest | Code::InvalidRequest
            );
            let is_open = is_unreadable && is_of_open_form(call.body());
            // Which media type a file has is not shown.
            let is_open = is_open || code == Code::UnsupportedMediaType;
            return is_open.then_some(clause!("gap.csvForm"));
        }
        // Whether a service sends to a name that it cannot resolve is not shown, nor who subscribed it before: nobody has
        // without a right key.
        let is_about_the_host = match code {
            Code::DestinationRefused => true,
            Code::AlreadySubscribed => {
                let translated = self.translate(sent);
                self.bare.face().authenticate(translated.authorization.as_deref()).is_ok()
            }
            _ => false,
        };
        let url = text_of(call, field::URL);
        let is_open = names_a_host(call) || is_left_open(&url);
        if is_about_the_host && is_open && !self.hears(&url) {
            return Some(clause!("gap.subscriptionForm"));
        }
        // Which invitees are invalid is not shown: those may be that nobody can write to. Whoever has invited one of them
        // does not ask for that.
        if code == Code::InvalidInvitee
            && is_nobodys(&text_of(call, "email"))
            && !self.bare.face().invited().any(is_nobodys)
        {
            return Some(clause!("gap.invitationLink"));
        }
        if code != Code::InvalidRequest {
            return None;
        }
        if has_an_empty_text(call) || has_a_blank_text(call) {
            return Some(clause!("gap.emptyIdentifier"));
        }
        if self.sends_a_malformed_tax_id(sent) {
            return Some(clause!("gap.taxIdForm"));
        }
        let body = call.body().json()?;
        if names_a_contact(body) {
            return Some(clause!("gap.partyFields"));
        }
        has_odd_dates(body).then_some(clause!("gap.datesReadBack"))
    }

    /// Whether the path names a subscription by a reference that the target never gave.
    pub(super) fn is_made_up(&self, sent: &Prepared) -> bool {
        let Some(call) = sent.call() else { return false };
        sent.kind() == Some(OperationKind::Unsubscribe)
            && self.translate(sent).call().is_some_and(|translated| translated.path == call.path)
    }
}

/// Whether an address is in a domain that is reserved for examples and tests (RFC 2606).
fn is_nobodys(email: &str) -> bool {
    const RESERVED: [&str; 4] = ["example", "test", "invalid", "localhost"];
    let domain = email.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    let mut labels = domain.trim_end_matches('.').rsplit('.');
    let [top, second] = [labels.next(), labels.next()].map(Option::unwrap_or_default);
    email.contains('@') && (RESERVED.contains(&top) || second == "example")
}

/// Whether a text is empty for which the document states no least length. Whether it names anything is not shown.
fn has_an_empty_text(call: &PreparedCall) -> bool {
    has_text(call, |least, text| least == 0 && text.is_empty())
}

/// Whether a text has characters, and none that shows. Whether they count is not shown.
fn has_a_blank_text(call: &PreparedCall) -> bool {
    has_text(call, |_, text| !text.is_empty() && text.trim().is_empty())
}

/// Whether a text of the body is such, given its least length.
fn has_text(call: &PreparedCall, is_it: fn(usize, &str) -> bool) -> bool {
    let body = call.body().json().and_then(Value::as_object);
    call.asked().kind.zip(body).is_some_and(|(kind, body)| is_any(kind.fields(), body, is_it))
}

fn is_any(fields: &[Field], body: &Map<String, Value>, is_it: fn(usize, &str) -> bool) -> bool {
    fields.iter().any(|field| match (field.domain(), body.get(field.name)) {
        (Domain::Text { least }, Some(Value::String(text))) => is_it(least, text),
        (Domain::TaxId, Some(Value::String(text))) => is_it(0, text),
        (Domain::Object(within), Some(Value::Object(body))) => is_any(within, body, is_it),
        _ => false,
    })
}

/// Whether a subscription names its host.
fn names_a_host(call: &PreparedCall) -> bool {
    Url::parse(&text_of(call, field::URL)).is_ok_and(|url| url.domain().is_some())
}

fn text_of(call: &PreparedCall, field: &str) -> String {
    let sent = call.body().json().and_then(|body| body.get(field)?.as_str());
    sent.unwrap_or_default().to_owned()
}

/// Whether a file has a form that the document neither permits nor forbids: a byte order mark, another encoding than UTF-8,
/// a column that it does not show, a ragged line.
fn is_of_open_form(body: &[u8]) -> bool {
    let is_plain = std::str::from_utf8(body)
        .is_ok_and(|text| !text.starts_with('\u{feff}') && !has_other_columns(text));
    !is_plain || is_ragged(body)
}

fn has_other_columns(file: &str) -> bool {
    let mut names = file.lines().next().unwrap_or_default().split(',');
    names.any(|name| COLUMNS.iter().all(|column| column.name != name.trim_matches('"')))
}

/// Whether a line of a file has more or fewer cells than the first. Ignores files with quotes.
fn is_ragged(body: &[u8]) -> bool {
    let cells = |line: &[u8]| line.iter().filter(|byte| **byte == b',').count();
    let mut lines = body.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let Some(header) = lines.next().map(cells) else { return false };
    !body.contains(&b'"') && lines.any(|line| cells(line) != header)
}

/// Whether the request has fields whose names are not shown: a contact, or a party's tax id or contact.
fn names_a_contact(body: &Value) -> bool {
    let party = |name: &str| body.get(name).and_then(Value::as_object);
    let has_more = |name: &str| party(name).is_some_and(|party| party.len() > 2);
    body.get(field::CONTACT).is_some() || has_more("payee") || has_more("payor")
}

/// Whether a date uses lowercase letters, which RFC 3339 leaves open, or the dates of an invoice are out of
/// order.
fn has_odd_dates(body: &Value) -> bool {
    let date = |name: &str| body.get(name).and_then(Value::as_str);
    let is_small = |text: &str| text.contains(['t', 'z']);
    let [issued, due] = DATES.map(date);
    let is_out_of_order = issued
        .zip(due)
        .and_then(|(issued, due)| {
            let read = |text: &str| Timestamp::parse(&text.to_ascii_uppercase());
            Some(read(due)? < read(issued)?)
        })
        .unwrap_or(false);
    is_out_of_order || DATES.iter().filter_map(|name| date(name)).any(is_small)
}

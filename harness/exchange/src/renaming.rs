//! A one-to-one renaming of the names in a step, so that no case meets data of another case.
//!
//! The generator uses the same few names in every case. At a target that cannot be reset, each play replaces
//! them when it sends a step: identifiers, legal names, tax ids, e-mail addresses, bank accounts and foreign
//! webhook URLs. Malformed values and references to responses stay unchanged.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use tideover_model::wire::route::served_at;
use tideover_model::wire::schema::columns::column;
use tideover_model::wire::schema::{Role, in_requests};
use tideover_model::{OperationKind, tax_id_digits};

use crate::step::{Action, Call, Step};

/// The default range of tax ids. None has a leading zero, which a target that keeps numbers would lose.
pub const TAX_IDS: RangeInclusive<u32> = 100_000_000..=999_999_999;

/// The distance between the tax ids of two plays: more than the range that one case uses.
const TAX_IDS_APART: u64 = 1009;

/// The first two digits that no tax id has been given. The document says "valid" and not what that is: a service may
/// know who gives out the numbers.
const UNASSIGNED: [u64; 17] = [0, 7, 8, 9, 17, 18, 19, 28, 29, 49, 69, 70, 78, 79, 89, 96, 97];

/// How many numbers begin with the same two digits.
const OF_A_PREFIX: u64 = 10_000_000;

/// The last digits of an account number, which stay because the mask shows them (§2 Payout account).
const MASK: usize = 4;

/// A shorter account number is a boundary value and stays.
const SHORTEST_RENAMED: usize = 9;

/// The origin of foreign receivers. At a live target the run's own inbox replaces it.
const FOREIGN: &str = "https://hooks.example.com";

/// Stands within an identifier for what the play puts before each: two identifiers that join to the same text as two
/// others then still do. Nothing where nothing is renamed.
pub const OWN: &str = "${names}";

/// The names of one play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    prefix: String,
    play: u64,
    /// The number added to each tax id.
    shift: u64,
    /// The numbers that tax ids become: one range at least.
    tax_ids: Vec<RangeInclusive<u64>>,
}

/// The parts of a range of tax ids that somebody may have been given; all of it, if there are none.
fn assigned(all: &RangeInclusive<u32>) -> Vec<RangeInclusive<u64>> {
    let (first, last) = (u64::from(*all.start()), u64::from(*all.end()));
    let within = |prefix: u64| {
        let (from, to) = (prefix * OF_A_PREFIX, (prefix + 1) * OF_A_PREFIX - 1);
        from.max(first)..=to.min(last)
    };
    let prefixes = (0..100).filter(|prefix| !UNASSIGNED.contains(prefix));
    let parts: Vec<_> = prefixes.map(within).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { vec![first..=last] } else { parts }
}

impl Renaming {
    /// The names of play number `play` of the run `run`. Tax ids come from `tax_ids`.
    pub fn new(run: &str, play: u64, tax_ids: RangeInclusive<u32>) -> Renaming {
        let drawn = run.bytes().fold(0_u64, |sum, byte| {
            sum.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(byte) + 0x9e37)
        });
        let shift = (drawn >> 16).wrapping_add(play.wrapping_mul(TAX_IDS_APART));
        Renaming { prefix: format!("{run}{play}-"), play, shift, tax_ids: assigned(&tax_ids) }
    }

    /// `step` with the names of this play.
    pub fn rename(&self, step: &Step) -> Step {
        let action = match &step.action {
            Action::Call(call) => Action::Call(self.call(call)),
            Action::Act(fields) => Action::Act(self.fields(fields)),
            action @ (Action::Advance(_) | Action::Deliveries) => action.clone(),
        };
        Step { action, ..step.clone() }
    }

    fn call(&self, call: &Call) -> Call {
        let is_import = call.kind() == Some(OperationKind::ImportInvoices);
        let text = |text: &String| {
            if is_import { self.file(text) } else { self.text(text) }
        };
        Call {
            path: self.path(&call.path),
            body: call.body.as_ref().map(|body| self.value("", body)),
            text: call.text.as_ref().map(text),
            hex: call.hex.as_ref().map(|hex| in_latin_1(hex, |it| text(&it))),
            ..call.clone()
        }
    }

    /// A path, or the part of it at which something is served. Its identifiers stay encoded; the prefix has only letters,
    /// digits and hyphens.
    fn path(&self, path: &str) -> String {
        match (served_at(path), path.rsplit_once('/')) {
            (Some(at), _) if at.kind != OperationKind::Unsubscribe => {
                at.kind.path_with(&at.encoded_identifiers().map(|name| self.identifier(name)))
            }
            (None, Some((start, rest))) => format!("{}/{rest}", self.path(start)),
            _ => path.to_owned(),
        }
    }

    fn fields(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        fields.iter().map(|(field, value)| (field.clone(), self.value(field, value))).collect()
    }

    fn value(&self, field: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => Value::Object(self.fields(fields)),
            Value::String(text) => Value::String(self.word(field, text)),
            other => other.clone(),
        }
    }

    /// The text of a field, by what the field is wherever it stands: a step may be malformed on purpose.
    fn word(&self, field: &str, text: &str) -> String {
        let of_column = column(field).map(|column| column.field.role);
        self.renamed(in_requests(field).iter().map(|field| field.role).chain(of_column), text)
    }

    /// The text of a value that may have any of these roles.
    fn renamed(&self, roles: impl IntoIterator<Item = Role>, text: &str) -> String {
        let renamed = roles.into_iter().find_map(|role| self.of_role(role, text));
        renamed.unwrap_or_else(|| text.to_owned())
    }

    /// The text of a value with this role; `None` if such values stay.
    fn of_role(&self, role: Role, text: &str) -> Option<String> {
        match role {
            Role::Business | Role::Invoice | Role::Import | Role::Platform => {
                Some(self.identifier(text))
            }
            Role::LegalName => Some(self.legal_name(text)),
            Role::TaxId => Some(self.tax_id(text)),
            Role::Email => Some(self.email(text)),
            Role::AccountNumber => Some(self.account(text)),
            Role::Receiver => Some(self.url(text)),
            _ => None,
        }
    }

    fn identifier(&self, name: &str) -> String {
        let name = name.replace(OWN, &self.prefix);
        if stays(&name) { name } else { format!("{}{name}", self.prefix) }
    }

    fn legal_name(&self, name: &str) -> String {
        if stays(name) { name.to_owned() } else { format!("{} {name}", self.prefix) }
    }

    /// Replaces nine digits with nine others and keeps the separators.
    fn tax_id(&self, text: &str) -> String {
        let digits = tax_id_digits(text);
        let is_one = digits.len() == 9 && !text.chars().any(char::is_alphabetic);
        let Some(number) = digits.parse::<u64>().ok().filter(|_| is_one) else {
            return text.to_owned();
        };
        let renamed = format!("{:09}", self.number_at(number.wrapping_add(self.shift)));
        let mut renamed = renamed.chars();
        let next = |character: char| match character.is_ascii_digit() {
            true => renamed.next().unwrap_or(character),
            false => character,
        };
        text.chars().map(next).collect()
    }

    /// The number at a place among the tax ids. Places beyond the last begin anew.
    fn number_at(&self, place: u64) -> u64 {
        let size = |range: &RangeInclusive<u64>| range.end() - range.start() + 1;
        let mut left = place % self.tax_ids.iter().map(size).sum::<u64>();
        let in_it = |range| {
            let number = (left < size(range)).then(|| range.start() + left);
            left = left.saturating_sub(size(range));
            number
        };
        self.tax_ids.iter().find_map(in_it).unwrap_or_default()
    }

    fn email(&self, text: &str) -> String {
        let is_address =
            text.split_once('@').is_some_and(|(local, host)| is_plain_address(local, host));
        if is_address { format!("{}{text}", self.prefix) } else { text.to_owned() }
    }

    fn account(&self, text: &str) -> String {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_plain || !(SHORTEST_RENAMED..=17).contains(&text.len()) {
            return text.to_owned();
        }
        let (head, mask) = text.split_at(text.len() - MASK);
        let width = head.len();
        let room = 10_u64.pow(u32::try_from(width).unwrap_or(0));
        let renamed = (head.parse::<u64>().unwrap_or(0) + self.play) % room;
        format!("{renamed:0width$}{mask}")
    }

    fn url(&self, text: &str) -> String {
        match text.strip_prefix(FOREIGN) {
            Some(rest) => format!("${{inbox}}/accepts/elsewhere{rest}"),
            None => text.to_owned(),
        }
    }

    /// A body that a transcript keeps as text: JSON that no `Value` can hold, or no JSON.
    fn text(&self, text: &str) -> String {
        const NAMES: [&str; 3] =
            ["\"externalId\":\"", "\"payeeExternalId\":\"", "\"legalName\":\""];
        let mut renamed = text.to_owned();
        for name in NAMES {
            let space = if name.starts_with("\"legal") { " " } else { "" };
            renamed = renamed.replace(name, &format!("{name}{}{space}", self.prefix));
        }
        renamed
    }

    /// A CSV file. Cells keep their quotes and lines their ends.
    fn file(&self, text: &str) -> String {
        let mut columns: Option<Vec<String>> = None;
        let mut renamed = String::with_capacity(text.len() * 2);
        for record in records(text) {
            let cells = cells(record);
            let Some(columns) = &columns else {
                let bare = |cell: &&str| {
                    cell.trim_matches(|c: char| c == '\u{feff}' || c.is_whitespace() || c == '"')
                        .to_owned()
                };
                columns = Some(cells.iter().map(bare).collect());
                renamed.push_str(record);
                continue;
            };
            let cell = |(index, cell): (usize, &&str)| match columns.get(index) {
                Some(column) => self.cell(column, cell).into_owned(),
                None => (*cell).to_owned(),
            };
            let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
            renamed.push_str(&cells.join(","));
        }
        renamed
    }

    /// A cell, with its quotes and the end of its line.
    fn cell<'a>(&self, name: &str, cell: &'a str) -> Cow<'a, str> {
        let word = |text: &str| match column(name) {
            Some(column) => self.renamed([column.field.role], text),
            None => self.word(name, text),
        };
        let end = cell.len() - cell.trim_end_matches(['\r', '\n']).len();
        let (content, end) = cell.split_at(cell.len() - end);
        let quoted = content.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match quoted {
            Some(inner) => format!("\"{}\"{end}", word(inner)).into(),
            None if content.trim().is_empty() => cell.into(),
            None => format!("{}{end}", word(content)).into(),
        }
    }
}

/// Whether a name stays: it is empty, or refers to a response.
fn stays(name: &str) -> bool {
    name.trim().is_empty() || name.contains("${")
}

/// The bytes with what `rename` makes of them, each of which is a character of Latin-1.
fn in_latin_1(hex: &str, rename: impl Fn(String) -> String) -> String {
    let Ok(bytes) = const_hex::decode(hex) else { return hex.to_owned() };
    let renamed = rename(bytes.into_iter().map(char::from).collect());
    let bytes: Vec<u8> = renamed.chars().filter_map(|it| u8::try_from(it).ok()).collect();
    const_hex::encode(bytes)
}

fn is_plain_address(local: &str, host: &str) -> bool {
    let is_plain = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    is_plain(local) && is_plain(host) && !host.contains(['@', '>'])
}

/// The records of a CSV file, each with the end of its line.
fn records(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split_inclusive(move |character: char| {
        is_quoted ^= character == '"';
        character == '\n' && !is_quoted
    })
}

/// The raw cells of a record.
fn cells(record: &str) -> Vec<&str> {
    let mut is_quoted = false;
    record
        .split(move |character: char| {
            is_quoted ^= character == '"';
            character == ',' && !is_quoted
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn renaming(play: u64) -> Renaming {
        Renaming::new("td-x-", play, TAX_IDS)
    }

    fn renamed(call: Call) -> Call {
        match renaming(7).rename(&Step::new(Action::Call(call))).action {
            Action::Call(call) => call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_identifier_gets_the_prefix() {
        let body =
            json!({ "payee": { "externalId": "v1", "legalName": "V1 Ltd" }, "status": "ISSUED" });
        let call = renamed(Call::json("PUT", "/v1/invoices/i%254", body));
        assert_eq!(call.path, "/v1/invoices/td-x-7-i%254");
        assert_eq!(call.body.unwrap()["payee"]["externalId"], "td-x-7-v1");
        let call = renamed(Call::bare("GET", "/v1/organizations/v%2F3/invoices/i1"));
        assert_eq!(call.path, "/v1/organizations/td-x-7-v%2F3/invoices/td-x-7-i1");
        let call = renamed(Call::bare("GET", "/v1/organizations/v1/more"));
        assert_eq!(call.path, "/v1/organizations/td-x-7-v1/more");
        assert_eq!(renamed(Call::bare("GET", "/v1/x/y/")).path, "/v1/x/y/");
    }

    #[test]
    fn empty_malformed_and_referenced_values_stay() {
        let body = json!({ "externalId": "", "taxId": "12-345678", "email": "ann@",
            "legalName": " ", "payeeExternalId": "${report.rows.0.payeeExternalId}" });
        assert_eq!(renamed(Call::json("POST", "/v1/x", body.clone())).body.unwrap(), body);
        for email in ["Ann <ann@v.example>", "a b@v.example", "@v.example", "ann"] {
            assert_eq!(renaming(1).email(email), email);
        }
    }

    #[test]
    fn tax_ids_keep_their_separators_and_stay_distinct() {
        let (plain, spelled) = ("120000001", "12-0000001");
        let one = renaming(1);
        assert_eq!(one.tax_id(spelled).replace('-', ""), one.tax_id(plain));
        assert_eq!(one.tax_id(spelled).find('-'), Some(2));
        assert_ne!(one.tax_id(plain), one.tax_id("120000002"));
        assert_ne!(one.tax_id(plain), renaming(2).tax_id(plain));
    }

    #[test]
    fn tax_ids_begin_with_assigned_digits() {
        let all = Renaming::new("td-x", 0, 150_000_000..=209_999_999);
        let prefixes: BTreeSet<String> = (0..1000_u32)
            .map(|n| all.tax_id(&format!("{:09}", n * 100_003))[..2].to_owned())
            .collect();
        assert_eq!(Vec::from_iter(&prefixes), ["15", "16", "20"]);
        let only = Renaming::new("td-x", 0, 170_000_000..=170_000_009);
        let renamed: BTreeSet<String> =
            (0..10).map(|n| only.tax_id(&format!("12000000{n}"))).collect();
        assert_eq!(renamed.len(), 10, "a range that is asked for is kept");
    }

    #[test]
    fn cells_keep_their_quotes() {
        let file = "externalId,payeeLegalName,payeeExternalId\r\ni1,\"Name, v1\",\r\nragged\r\n";
        assert_eq!(
            renaming(7).file(file),
            "externalId,payeeLegalName,payeeExternalId\r\n\
             td-x-7-i1,\"td-x-7- Name, v1\",\r\ntd-x-7-ragged\r\n"
        );
    }

    #[test]
    fn accounts_keep_their_mask_and_their_length() {
        assert_eq!(renaming(7).account("000123456789"), "000123526789");
        assert_eq!(renaming(7).account("1234"), "1234");
    }
}

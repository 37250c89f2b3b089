//! A check of a request's field that is left out, or is too lax or too strict: each check of each field's domain.
//!
//! The body is read as another one before it is parsed. A mistake that is not noticed is mended, so that the service
//! handles what came as if it were valid; what is refused though it is valid is spoiled.

use serde_json::{Value, json};
use tideover_exchange::target::INBOX;
use tideover_model::wire::schema::{Documented, Domain, Field, Role, documented};
use tideover_model::{OperationKind, Timestamp, is_routing_number, is_tax_id};

use crate::generated::{Mutation, Operator, keep};
use crate::hooks::rereading;

pub(super) fn mutations() -> Vec<Mutation> {
    let mut all = Vec::new();
    for kind in OperationKind::ALL {
        for Documented { path, field, .. } in documented(kind.fields()) {
            let refused = refusable(field).into_iter();
            all.extend(refused.map(|it| strict(kind, field, path.clone(), it)));
            let taken = mistakes(field).into_iter();
            let taken = taken.filter(|it| !is_unknown_too(kind, field, *it));
            all.extend(taken.map(|it| lax(kind, field, path.clone(), it)));
        }
    }
    all
}

/// Valid values that a check which is too strict refuses. Where no bound is stated, a service may have one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Refusable {
    /// Larger than this.
    Above(i64),
    /// Smaller than this.
    Below(i64),
    /// With more characters than this.
    Longer(usize),
    /// With fewer characters than this.
    Shorter(usize),
    /// With signs beyond ASCII.
    Unicode,
    /// With a sign that is no letter and no digit.
    Punctuated,
    /// Beginning with a zero.
    ZeroFirst,
    /// Ending with a zero.
    ZeroLast,
    /// This member.
    Member(&'static str),
    /// With a fraction of a second.
    Fraction,
    /// With an offset from UTC.
    Offset,
    /// Any, though the field is optional.
    Any,
    /// None, though the field is optional.
    Absent,
}

fn refusable(field: &Field) -> Vec<Refusable> {
    let mut all = match field.domain() {
        Domain::Integer { least, most } => vec![
            Refusable::Above(most / 2),
            Refusable::Above(most - 1),
            Refusable::Below(least + 1),
        ],
        Domain::Text { least } => {
            let shorter = (least > 0).then_some(Refusable::Shorter(least + 1));
            shorter.into_iter().chain([Refusable::Unicode, Refusable::Punctuated]).collect()
        }
        // Its punctuation is optional; what else it may have is not shown.
        Domain::TaxId => vec![Refusable::Punctuated],
        Domain::Digits { least, most } => {
            vec![Refusable::Longer(most - 1), Refusable::Shorter(least + 1), Refusable::ZeroFirst]
        }
        Domain::RoutingNumber => vec![Refusable::ZeroFirst, Refusable::ZeroLast],
        Domain::Word(words) => words.iter().map(|word| Refusable::Member(word)).collect(),
        Domain::Email => vec![Refusable::Punctuated],
        Domain::Instant => vec![Refusable::Fraction, Refusable::Offset],
        // Which URLs it will not send to is the service's own choice.
        Domain::Url | Domain::Object(_) | Domain::Flag | Domain::Open => Vec::new(),
    };
    if !field.is_required {
        all.push(Refusable::Absent);
        // Of some, neither the type nor the fields are shown, so that any value may be a wrong one.
        let is_open = matches!(field.domain(), Domain::Object(_) | Domain::Open);
        all.extend((!is_open).then_some(Refusable::Any));
    }
    all
}

impl Refusable {
    fn holds(self, value: Option<&Value>) -> bool {
        let Some(value) = value else { return matches!(self, Refusable::Absent) };
        let text = value.as_str().unwrap_or_default();
        match self {
            Refusable::Above(most) => value.as_i64().is_some_and(|number| number > most),
            Refusable::Below(least) => value.as_i64().is_some_and(|number| number < least),
            Refusable::Longer(most) => text.chars().count() > most,
            Refusable::Shorter(least) => value.is_string() && text.chars().count() < least,
            Refusable::Unicode => !text.is_ascii(),
            Refusable::Punctuated => {
                let is_plain = |sign: char| sign.is_alphanumeric() || "@. ".contains(sign);
                !text.chars().all(is_plain)
            }
            Refusable::ZeroFirst => text.starts_with('0'),
            Refusable::ZeroLast => text.ends_with('0'),
            Refusable::Member(word) => text == word,
            Refusable::Fraction => text.contains('.'),
            Refusable::Offset => !text.is_empty() && !text.ends_with(['Z', 'z']),
            Refusable::Any => !value.is_null(),
            Refusable::Absent => false,
        }
    }

    fn words(self) -> String {
        match self {
            Refusable::Above(most) => format!("above {most}"),
            Refusable::Below(least) => format!("below {least}"),
            Refusable::Longer(most) => format!("longer than {most}"),
            Refusable::Shorter(least) => format!("shorter than {least}"),
            Refusable::Unicode => "beyond ASCII".to_owned(),
            Refusable::Punctuated => "with punctuation".to_owned(),
            Refusable::ZeroFirst => "with a leading zero".to_owned(),
            Refusable::ZeroLast => "with a zero at its end".to_owned(),
            Refusable::Member(word) => format!("of {word}"),
            Refusable::Fraction => "with a fraction".to_owned(),
            Refusable::Offset => "with an offset".to_owned(),
            Refusable::Any => "of any value".to_owned(),
            Refusable::Absent => "that is left out".to_owned(),
        }
    }
}

fn strict(
    kind: OperationKind,
    field: &'static Field,
    path: Vec<&'static str>,
    refused: Refusable,
) -> Mutation {
    let words = format!("{kind:?} refuses a {} {}", path.join("."), refused.words());
    Mutation::new(Operator::Strict, field.clause, words, move || {
        let path = keep(path.clone());
        rereading(keep(move |asked: OperationKind, body: &[u8]| {
            // No field of the document's is true or false.
            reread(asked == kind, body, path, |value| refused.holds(value).then_some(true.into()))
        }))
    })
}

/// What is wrong with a value and is not noticed.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    Missing,
    Null,
    /// A number, where it must be something else.
    Number,
    Text,
    Flag,
    List,
    Object,
    /// A value of another type that carries a valid one: its digits as a number, its number as a text, a list of it.
    Carrier,
    Empty,
    /// This number alone: one beyond a bound.
    Exactly(i64),
    Below(i64),
    Above(i64),
    /// A text of this length alone: one beyond a bound.
    OfLength(usize),
    Shorter(usize),
    Longer(usize),
    NoDigits,
    /// Nine digits, of which the last is wrong.
    WrongCheck,
    /// Nine digits, two of which beside each other have changed places.
    Swapped,
    WithoutTime,
    WithoutZone,
    NoDay,
    NoInstant,
    OtherWord,
    OtherCase,
    NoAddress,
    Insecure,
    Loopback,
    Private,
    LinkLocal,
}

/// Whether nothing has such an identifier, so that it is refused all the same: which refusal comes first is open.
fn is_unknown_too(kind: OperationKind, field: &Field, mistake: Mistake) -> bool {
    let is_name = matches!(field.role, Role::Business | Role::Invoice);
    matches!(mistake, Mistake::Empty) && is_name && kind != OperationKind::SyncInvoice
}

fn mistakes(field: &Field) -> Vec<Mistake> {
    // Whether null stands for an optional field that is left out is not shown.
    let absent = field.is_required.then_some([Mistake::Missing, Mistake::Null]);
    let all = absent.into_iter().flatten().chain(of_types(field.domain()));
    all.chain(of_domain(field.domain())).collect()
}

fn of_types(domain: Domain) -> Vec<Mistake> {
    let types = [Mistake::Number, Mistake::Text, Mistake::Flag, Mistake::List, Mistake::Object];
    let own = match domain {
        Domain::Open => return Vec::new(),
        Domain::Object(_) => 4,
        Domain::Integer { .. } => 0,
        Domain::Flag => 2,
        _ => 1,
    };
    let others = types.into_iter().enumerate().filter(|(place, _)| *place != own);
    let carrier = (!matches!(domain, Domain::Object(_) | Domain::Flag)).then_some(Mistake::Carrier);
    others.map(|(_, it)| it).chain(carrier).collect()
}

fn of_domain(domain: Domain) -> Vec<Mistake> {
    match domain {
        Domain::Integer { least, most } => vec![
            Mistake::Exactly(least - 1),
            Mistake::Below(least),
            Mistake::Exactly(most + 1),
            Mistake::Above(most),
        ],
        // Where no least length is stated, an empty text is open.
        Domain::Text { least: 0 }
        | Domain::TaxId
        | Domain::Object(_)
        | Domain::Flag
        | Domain::Open => Vec::new(),
        Domain::Text { .. } => vec![Mistake::Empty],
        Domain::Digits { least, most } => vec![
            Mistake::OfLength(least - 1),
            Mistake::Shorter(least),
            Mistake::OfLength(most + 1),
            Mistake::Longer(most),
            Mistake::NoDigits,
        ],
        Domain::RoutingNumber => vec![
            Mistake::WrongCheck,
            Mistake::Swapped,
            Mistake::OfLength(8),
            Mistake::Shorter(9),
            Mistake::OfLength(10),
            Mistake::Longer(9),
            Mistake::NoDigits,
        ],
        Domain::Instant => {
            vec![Mistake::WithoutTime, Mistake::WithoutZone, Mistake::NoDay, Mistake::NoInstant]
        }
        Domain::Word(_) => vec![Mistake::OtherWord, Mistake::OtherCase],
        Domain::Email => vec![Mistake::NoAddress],
        Domain::Url => {
            vec![Mistake::Insecure, Mistake::Loopback, Mistake::Private, Mistake::LinkLocal]
        }
    }
}

impl Mistake {
    fn holds(self, value: Option<&Value>, field: &Field) -> bool {
        let Some(value) = value else { return matches!(self, Mistake::Missing) };
        match self {
            Mistake::Missing => false,
            Mistake::Null => value.is_null(),
            Mistake::Number => value.is_number(),
            Mistake::Text => value.is_string(),
            Mistake::Flag => value.is_boolean(),
            Mistake::List => value.is_array(),
            Mistake::Object => value.is_object(),
            Mistake::Carrier => carried(field.domain(), value).is_some(),
            Mistake::Exactly(number) => value.as_i64() == Some(number),
            Mistake::Below(least) => value.as_i64().is_some_and(|number| number < least),
            Mistake::Above(most) => value.as_i64().is_some_and(|number| number > most),
            _ => value.as_str().is_some_and(|text| self.holds_in(text, field)),
        }
    }

    fn holds_in(self, text: &str, field: &Field) -> bool {
        let length = text.chars().count();
        let is_digits = !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit());
        let is_instant = Timestamp::parse(text).is_some();
        match self {
            Mistake::Empty => text.is_empty(),
            Mistake::OfLength(only) => is_digits && length == only,
            Mistake::Shorter(least) => is_digits && length < least,
            Mistake::Longer(most) => is_digits && length > most,
            Mistake::NoDigits => !is_digits,
            Mistake::WrongCheck => is_digits && length == 9 && !is_routing_number(text),
            Mistake::Swapped => is_digits && length == 9 && is_swapped(text),
            Mistake::WithoutTime => !is_instant && length == 10 && text.matches('-').count() == 2,
            Mistake::WithoutZone => !is_instant && Timestamp::parse(&format!("{text}Z")).is_some(),
            Mistake::NoDay => !is_instant && text.contains('T') && text.ends_with('Z'),
            Mistake::NoInstant => !is_instant,
            Mistake::OtherWord => !words(field).contains(&text) && cased(field, text).is_none(),
            Mistake::OtherCase => !words(field).contains(&text) && cased(field, text).is_some(),
            Mistake::NoAddress => !text.contains('@'),
            Mistake::Insecure => text.starts_with("http://") && !text.starts_with(INBOX),
            Mistake::Loopback => goes_to(text, &["127.", "localhost", "[::1]"]),
            Mistake::Private => goes_to(text, &["10.", "192.168.", "172.16.", "[fd"]),
            Mistake::LinkLocal => goes_to(text, &["169.254.", "[fe80:"]),
            _ => false,
        }
    }

    fn words(self) -> String {
        let words = match self {
            Mistake::Missing => "that is left out",
            Mistake::Null => "that is null",
            Mistake::Number => "that is a number",
            Mistake::Text => "that is a text",
            Mistake::Flag => "that is true or false",
            Mistake::List => "that is a list",
            Mistake::Object => "that is an object",
            Mistake::Carrier => "that another JSON type carries",
            Mistake::Empty => "that is empty",
            Mistake::Exactly(number) => return format!("of {number}"),
            Mistake::Below(least) => return format!("of less than {least}"),
            Mistake::Above(most) => return format!("of more than {most}"),
            Mistake::OfLength(length) => return format!("of {length} digits"),
            Mistake::Shorter(least) => return format!("of less than {least} digits"),
            Mistake::Longer(most) => return format!("of more than {most} digits"),
            Mistake::NoDigits => "with other signs than digits",
            Mistake::WrongCheck => "with a wrong check digit",
            Mistake::Swapped => "with two digits in each other's place",
            Mistake::WithoutTime => "that is a day",
            Mistake::WithoutZone => "without a zone",
            Mistake::NoDay => "on a day that does not exist",
            Mistake::NoInstant => "that is no date-time",
            Mistake::OtherWord => "that is another word",
            Mistake::OtherCase => "in another case",
            Mistake::NoAddress => "that is no address",
            Mistake::Insecure => "without https",
            Mistake::Loopback => "of this host",
            Mistake::Private => "of a private network",
            Mistake::LinkLocal => "of a link",
        };
        words.to_owned()
    }
}

/// The valid value that one of another type carries.
fn carried(domain: Domain, value: &Value) -> Option<Value> {
    let carried = match value {
        Value::Array(items) => items.first().filter(|_| items.len() == 1)?.clone(),
        Value::Number(number) if !matches!(domain, Domain::Integer { .. }) => {
            number.to_string().into()
        }
        Value::String(text) if matches!(domain, Domain::Integer { .. }) => {
            text.parse::<i64>().ok()?.into()
        }
        _ => return None,
    };
    is_of(domain, &carried).then_some(carried)
}

/// Whether a value is of a domain.
fn is_of(domain: Domain, value: &Value) -> bool {
    if let Domain::Integer { least, most } = domain {
        return value.as_i64().is_some_and(|number| (least..=most).contains(&number));
    }
    value.as_str().is_some_and(|text| match domain {
        Domain::Text { least } => text.chars().count() >= least,
        Domain::TaxId => is_tax_id(text),
        Domain::Digits { least, most } => {
            (least..=most).contains(&text.len()) && text.bytes().all(|sign| sign.is_ascii_digit())
        }
        Domain::RoutingNumber => is_routing_number(text),
        Domain::Instant => Timestamp::parse(text).is_some(),
        Domain::Word(words) => words.contains(&text),
        Domain::Email => text.contains('@'),
        Domain::Url => text.starts_with("https://"),
        Domain::Integer { .. } | Domain::Object(_) | Domain::Flag | Domain::Open => false,
    })
}

fn words(field: &Field) -> &'static [&'static str] {
    match field.domain() {
        Domain::Word(words) => words,
        _ => &[],
    }
}

/// The member that the text is, if its case and the spaces around it do not count.
fn cased(field: &Field, text: &str) -> Option<&'static str> {
    words(field).iter().copied().find(|word| word.eq_ignore_ascii_case(text.trim()))
}

fn is_swapped(text: &str) -> bool {
    let swapped = |place: usize| {
        let mut signs: Vec<char> = text.chars().collect();
        signs.swap(place, place + 1);
        signs.into_iter().collect::<String>()
    };
    !is_routing_number(text) && (0..8).any(|place| is_routing_number(&swapped(place)))
}

fn goes_to(url: &str, hosts: &[&str]) -> bool {
    let host = url.split_once("://").map_or("", |(_, host)| host);
    hosts.iter().any(|one| host.starts_with(one))
}

/// A value with the mistake is handled as if it were a valid one.
fn lax(
    kind: OperationKind,
    field: &'static Field,
    path: Vec<&'static str>,
    mistake: Mistake,
) -> Mutation {
    let words = format!("{kind:?} takes a {} {}", path.join("."), mistake.words());
    Mutation::new(Operator::Lax, field.clause, words, move || {
        let path = keep(path.clone());
        rereading(keep(move |asked: OperationKind, body: &[u8]| {
            reread(asked == kind, body, path, |value| {
                mistake.holds(value, field).then(|| mended(field, value))
            })
        }))
    })
}

/// The body with another value at the end of `path`.
fn reread(
    is_it: bool,
    body: &[u8],
    path: &[&str],
    other: impl FnOnce(Option<&Value>) -> Option<Value>,
) -> Option<Vec<u8>> {
    let mut body: Value = if is_it { serde_json::from_slice(body).ok()? } else { return None };
    let [outer @ .., name] = path else { return None };
    let place = outer.iter().try_fold(&mut body, |place, name| place.get_mut(*name))?;
    let object = place.as_object_mut()?;
    let other = other(object.get(*name))?;
    object.insert((*name).to_owned(), other);
    Some(body.to_string().into_bytes())
}

/// A valid value, as near to this one as a service that does not check it would read it.
fn mended(field: &Field, value: Option<&Value>) -> Value {
    let valid = valid(field);
    let Some(value) = value else { return valid };
    if let Some(carried) = carried(field.domain(), value) {
        return carried;
    }
    match (field.domain(), value) {
        (Domain::Integer { least, most }, Value::Number(number)) => {
            number.as_i64().map_or(valid, |number| number.clamp(least, most).into())
        }
        (Domain::Integer { .. }, Value::String(text)) => {
            text.parse::<i64>().map_or(valid, Value::from)
        }
        (Domain::Text { .. } | Domain::TaxId, Value::Number(number)) => number.to_string().into(),
        (Domain::Text { .. } | Domain::TaxId, Value::Bool(flag)) => flag.to_string().into(),
        (Domain::Digits { least, most }, Value::String(text)) => {
            let digits: String = text.chars().filter(char::is_ascii_digit).take(most).collect();
            format!("{digits:0>least$}").into()
        }
        (Domain::Word(_), Value::String(text)) => cased(field, text).map_or(valid, Value::from),
        _ => valid,
    }
}

/// A valid value.
fn valid(field: &Field) -> Value {
    match field.domain() {
        Domain::Object(fields) => {
            let required = fields.iter().filter(|field| field.is_required);
            required.map(|field| (field.name.to_owned(), self::valid(field))).collect()
        }
        Domain::Text { .. } | Domain::TaxId => json!("sample"),
        Domain::Digits { .. } => json!("1013900454"),
        Domain::RoutingNumber => json!("021000021"),
        Domain::Integer { least, .. } => json!(least.max(100)),
        Domain::Instant => json!("2026-01-02T00:00:00Z"),
        Domain::Word(words) => json!(words[0]),
        Domain::Email => json!("lax@v.example"),
        Domain::Url => json!("https://hooks.example.com/lax"),
        Domain::Flag => json!(true),
        Domain::Open => json!([]),
    }
}

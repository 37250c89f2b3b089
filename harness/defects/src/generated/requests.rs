//! A request that is read otherwise than it was sent, or refused although it is valid: each field of each request, and
//! each identifier.

use serde_json::{Map, Value};
use tideover_model::exchange::respond;
use tideover_model::wire::route::route;
use tideover_model::wire::schema::{Documented, Domain, Field, Role, documented};
use tideover_model::{Answer, Code, Operation, OperationKind, Refusal, clause};

use crate::Inner;
use crate::generated::{Mutation, Operator, keep};
use crate::hooks::{answer, encoding, operation};

pub(super) fn mutations() -> Vec<Mutation> {
    let mut all = Vec::new();
    for kind in OperationKind::ALL {
        for Documented { path, field, .. } in documented(kind.fields()) {
            let refused = refusable(field).into_iter();
            all.extend(refused.map(|it| strict(kind, field, path.clone(), it)));
            all.extend(has_invalid_values(field).then(|| lax(kind, field, path.clone())));
            // A subscription does not say the addresses of its host, so that it cannot be written and read again.
            if kind != OperationKind::Subscribe {
                let read = readings(field).into_iter();
                all.extend(read.map(|it| reading(kind, field, path.clone(), it)));
            }
        }
    }
    all.extend(ROLES.into_iter().flat_map(|role| TEXT_EDITS.map(|edit| identity(role, edit))));
    all
}

/// Valid values that a check which is too strict refuses.
#[derive(Clone, Copy, Debug)]
enum Refusable {
    /// Larger than this.
    Above(i64),
    /// Smaller than this.
    Below(i64),
    /// With more characters than this.
    Longer(usize),
    /// With signs beyond ASCII.
    Unicode,
    /// With a sign that is no letter and no digit.
    Punctuated,
    /// Beginning with a zero.
    ZeroFirst,
    /// This member.
    Member(&'static str),
}

fn refusable(field: &Field) -> Vec<Refusable> {
    match field.domain() {
        Domain::Integer { most, .. } => {
            vec![Refusable::Above(most / 2), Refusable::Above(most - 1), Refusable::Below(2)]
        }
        Domain::Text { .. } | Domain::TaxId => vec![
            Refusable::Longer(12),
            Refusable::Longer(50),
            Refusable::Unicode,
            Refusable::Punctuated,
        ],
        Domain::Digits { least, most } => vec![
            Refusable::Longer(most - 1),
            Refusable::Longer(most / 2),
            Refusable::Longer(least),
            Refusable::ZeroFirst,
        ],
        Domain::RoutingNumber => vec![Refusable::ZeroFirst],
        Domain::Word(words) => words.iter().map(|word| Refusable::Member(word)).collect(),
        Domain::Email => vec![Refusable::Longer(20), Refusable::Punctuated],
        Domain::Url => vec![Refusable::Longer(60)],
        Domain::Object(_) | Domain::Instant | Domain::Flag | Domain::Open => Vec::new(),
    }
}

impl Refusable {
    fn holds(self, value: &Value) -> bool {
        let text = value.as_str().unwrap_or_default();
        match self {
            Refusable::Above(most) => value.as_i64().is_some_and(|number| number > most),
            Refusable::Below(least) => value.as_i64().is_some_and(|number| number < least),
            Refusable::Longer(most) => text.chars().count() > most,
            Refusable::Unicode => !text.is_ascii(),
            Refusable::Punctuated => {
                let is_plain = |sign: char| sign.is_alphanumeric() || "@. ".contains(sign);
                !text.chars().all(is_plain)
            }
            Refusable::ZeroFirst => text.starts_with('0'),
            Refusable::Member(word) => text == word,
        }
    }

    fn words(self) -> String {
        match self {
            Refusable::Above(most) => format!("above {most}"),
            Refusable::Below(least) => format!("below {least}"),
            Refusable::Longer(most) => format!("longer than {most}"),
            Refusable::Unicode => "beyond ASCII".to_owned(),
            Refusable::Punctuated => "with punctuation".to_owned(),
            Refusable::ZeroFirst => "with a leading zero".to_owned(),
            Refusable::Member(word) => format!("of {word}"),
        }
    }
}

/// Whether some values of the field are refused.
fn has_invalid_values(field: &Field) -> bool {
    !matches!(field.domain(), Domain::Open | Domain::Email | Domain::Url)
}

/// A field whose form is not checked: what breaks it is taken for something else.
fn lax(kind: OperationKind, field: &'static Field, path: Vec<&'static str>) -> Mutation {
    let words = format!("{kind:?} takes any {}", path.join("."));
    Mutation::new(Operator::Lax, field.clause, words, move || {
        encoding(keep(move |profile: &_, answer: &Answer| {
            let mut response = respond(profile, answer);
            let is_refused = answer.as_ref().is_err_and(|refusal| {
                refusal.code == Code::InvalidRequest && refusal.clause == field.clause
            });
            if is_refused {
                response.status = 200;
                response.body = sample(kind.reply_fields()).to_string().into_bytes();
            }
            response
        }))
    })
}

/// A response that has all fields.
fn sample(fields: &[Field]) -> Value {
    let fields = fields.iter().filter(|field| field.is_required);
    fields.map(|field| (field.name.to_owned(), sample_of(field))).collect::<Map<_, _>>().into()
}

fn sample_of(field: &Field) -> Value {
    match field.role {
        Role::Object(within) => sample(within),
        Role::List(_) | Role::EventTypes => Value::Array(Vec::new()),
        Role::Amount | Role::Count => 0.into(),
        Role::Flag => false.into(),
        Role::Instant => tideover_exchange::start().after(30 * 86_400).to_string().into(),
        Role::Word(words) => words.last().copied().into(),
        _ => "sample".into(),
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
        answer(keep(move |inner: &mut Inner<'_>, operation: Operation| -> Answer {
            let sent = (operation.kind() == kind).then(|| body_of(&operation)).flatten();
            let value = sent.as_ref().and_then(|body| at(body, path));
            if value.is_some_and(|value| refused.holds(value)) {
                return Err(Refusal::new(Code::InvalidRequest, field.clause));
            }
            inner.answer(operation)
        }))
    })
}

/// How a value is read.
#[derive(Clone, Copy, Debug)]
enum Reading {
    Left,
    More,
    Capped(i64),
    First,
    Text(TextEdit),
}

#[derive(Clone, Copy, Debug)]
enum TextEdit {
    LowerCase,
    Trimmed,
    Letters,
    First(usize),
    Last(usize),
    Unicode,
}

const TEXT_EDITS: [TextEdit; 8] = [
    TextEdit::LowerCase,
    TextEdit::Trimmed,
    TextEdit::Letters,
    TextEdit::First(8),
    TextEdit::First(32),
    TextEdit::First(64),
    TextEdit::Last(8),
    TextEdit::Unicode,
];

/// The readings that another response must show.
fn readings(field: &Field) -> Vec<Reading> {
    let mut readings = match field.role {
        Role::Amount => {
            vec![Reading::More, Reading::Capped(1_000_000), Reading::Capped(100_000_000)]
        }
        Role::Word(_) => vec![Reading::First],
        Role::Business | Role::Invoice => TEXT_EDITS.into_iter().map(Reading::Text).collect(),
        // A service may give all names a form of its own: its case, its signs, a length for any name of a company.
        Role::LegalName => {
            let edits =
                [TextEdit::Letters, TextEdit::First(8), TextEdit::First(32), TextEdit::Last(8)];
            edits.into_iter().map(Reading::Text).collect()
        }
        _ => Vec::new(),
    };
    if !field.is_required {
        readings.push(Reading::Left);
    }
    readings
}

fn reading(
    kind: OperationKind,
    field: &'static Field,
    path: Vec<&'static str>,
    read: Reading,
) -> Mutation {
    let words = format!("{kind:?} reads {} {}", path.join("."), read.words());
    Mutation::new(Operator::Request, field.clause, words, move || {
        let path = keep(path.clone());
        operation(keep(move |operation: &mut Operation| {
            if operation.kind() == kind {
                rewrite(operation, |_, body| edit_at(body, path, field, read));
            }
        }))
    })
}

impl Reading {
    fn words(self) -> String {
        match self {
            Reading::Left => "as if it were left out".to_owned(),
            Reading::More => "as one more".to_owned(),
            Reading::Capped(most) => format!("up to {most}"),
            Reading::First => "as the first word".to_owned(),
            Reading::Text(edit) => edit.words(),
        }
    }
}

impl TextEdit {
    fn of(self, text: &str) -> String {
        let kept: String = match self {
            TextEdit::LowerCase => text.to_lowercase(),
            TextEdit::Trimmed => text.trim().to_owned(),
            TextEdit::Letters => text.chars().filter(|sign| sign.is_alphanumeric()).collect(),
            TextEdit::First(most) => text.chars().take(most).collect(),
            TextEdit::Last(most) => {
                let skipped = text.chars().count().saturating_sub(most);
                text.chars().skip(skipped).collect()
            }
            TextEdit::Unicode => {
                text.chars().map(|it| if it.is_ascii() { it } else { '?' }).collect()
            }
        };
        if kept.is_empty() { text.to_owned() } else { kept }
    }

    fn words(self) -> String {
        match self {
            TextEdit::LowerCase => "in lower case".to_owned(),
            TextEdit::Trimmed => "without spaces around it".to_owned(),
            TextEdit::Letters => "without punctuation".to_owned(),
            TextEdit::First(most) => format!("up to {most} characters"),
            TextEdit::Last(most) => format!("by its last {most} characters"),
            TextEdit::Unicode => "in ASCII".to_owned(),
        }
    }
}

const ROLES: [Role; 3] = [Role::Business, Role::Invoice, Role::Import];

/// All identifiers of a role are compared in another form.
fn identity(role: Role, edit: TextEdit) -> Mutation {
    let words = format!("{role:?} identifiers are read {}", edit.words());
    let is_it = move |other: &Role| std::mem::discriminant(other) == std::mem::discriminant(&role);
    Mutation::new(Operator::Identity, clause!("1.general.4"), words, move || {
        operation(keep(move |operation: &mut Operation| {
            let kind = operation.kind();
            if kind == OperationKind::Subscribe {
                return;
            }
            rewrite(operation, |identifiers, body| {
                let named = kind.path_roles().iter().zip(identifiers);
                for (_, name) in named.filter(|(role, _)| is_it(role)) {
                    *name = edit.of(name);
                }
                identify(body, kind.fields(), &is_it, edit);
            });
        }))
    })
}

fn identify(body: &mut Value, fields: &[Field], is_it: &dyn Fn(&Role) -> bool, edit: TextEdit) {
    for field in fields {
        let Some(value) = body.get_mut(field.name) else { continue };
        match value.as_str() {
            Some(text) if is_it(&field.role) => *value = edit.of(text).into(),
            _ => identify(value, field.within(), is_it, edit),
        }
    }
}

fn edit_at(body: &mut Value, path: &[&str], field: &Field, read: Reading) {
    let [outer @ .., name] = path else { return };
    let place = outer.iter().try_fold(body, |place, name| place.get_mut(*name));
    let Some(Value::Object(object)) = place else { return };
    let Some(value) = object.get(*name) else { return };
    let changed = match read {
        Reading::Left => {
            object.remove(*name);
            return;
        }
        Reading::More => value.as_i64().map(|number| Value::from(number + 1)),
        Reading::Capped(most) => value.as_i64().map(|number| Value::from(number.min(most))),
        Reading::First => match field.role {
            Role::Word(words) => words.first().map(|word| Value::from(*word)),
            _ => None,
        },
        Reading::Text(edit) => value.as_str().map(|text| Value::from(edit.of(text))),
    };
    if let Some(changed) = changed {
        object.insert((*name).to_owned(), changed);
    }
}

fn at<'a>(body: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(body, |place, name| place.get(*name))
}

fn body_of(operation: &Operation) -> Option<Value> {
    serde_json::from_slice(&operation.written().body).ok()
}

/// Writes the operation, edits the identifiers of its path and its JSON body, and reads it again. What cannot be read any
/// more stays as it was.
pub(super) fn rewrite(operation: &mut Operation, edit: impl FnOnce(&mut [String; 2], &mut Value)) {
    let written = operation.written();
    let Ok(found) = route(written.method, &written.path) else { return };
    let Ok(mut identifiers) = found.identifiers() else { return };
    let mut body = serde_json::from_slice(&written.body).unwrap_or(Value::Null);
    edit(&mut identifiers, &mut body);
    let names: Vec<&str> = identifiers.iter().map(String::as_str).collect();
    let path = found.kind.path_of(&names);
    let Ok(found) = route(written.method, &path) else { return };
    let bytes = if body.is_null() { written.body } else { body.to_string().into_bytes() };
    if let Ok(read) = found.decode(written.content_type, &bytes) {
        *operation = read;
    }
}

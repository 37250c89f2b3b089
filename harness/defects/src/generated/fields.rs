//! A field of a response that has another value: each field of the table, by what the field is.

use serde_json::{Map, Value};
use tideover_model::exchange::respond;
use tideover_model::wire::schema::{Documented, Field, Origin, Role, documented};
use tideover_model::{OperationKind, Timestamp};

use crate::generated::{Mutation, Operator, UNITS, keep};
use crate::hooks::encoding;

/// What becomes of the value of a field.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Dropped,
    /// It has another name.
    Renamed,
    Retyped,
    More,
    Less,
    Halved,
    Negated,
    Constant,
    OtherMember,
    UnknownMember,
    LowerMember,
    /// So many seconds later.
    Later(u64),
    /// So many seconds earlier.
    Earlier(u64),
    Null,
    Cut,
    Capital,
    /// The value of another field of the same object.
    Of(&'static str),
}

/// In which responses.
#[derive(Clone, Copy, Debug)]
enum When {
    Always,
    /// Where the response says something of this parity: half of the subjects.
    ForSome,
    /// Where a number of the response is larger than this.
    Above(i64),
}

const TIMES: [When; 3] = [When::Always, When::ForSome, When::Above(1_000_000)];

pub(super) fn mutations() -> Vec<Mutation> {
    let mut all = Vec::new();
    for kind in OperationKind::ALL {
        for Documented { path, field, beside } in documented(kind.reply_fields()) {
            for edit in edits(field, beside) {
                let times = TIMES.into_iter().filter(|when| when.may_hold(kind));
                all.extend(times.map(|when| mutation(kind, field, path.clone(), edit, when)));
            }
        }
    }
    all
}

/// Each field that the document names, with a value of another type.
pub(super) fn of_fields() -> impl Iterator<Item = Mutation> {
    OperationKind::ALL.into_iter().flat_map(|kind| {
        let fields = kind.reply_fields().iter();
        let documented = fields.filter(|field| field.is_documented());
        documented
            .map(move |field| mutation(kind, field, vec![field.name], Edit::Retyped, When::Always))
    })
}

/// Each window of a link, a unit of its own longer and shorter.
pub(super) fn of_windows() -> Vec<Mutation> {
    let mut all = Vec::new();
    for kind in OperationKind::ALL {
        let Some(link) = kind.endpoint().link else { continue };
        let unit = if link.life.is_multiple_of(86_400) { 86_400 } else { 60 };
        let fields = documented(kind.reply_fields());
        for Documented { path, field, .. } in
            fields.into_iter().filter(|it| it.field.origin == Origin::Clock)
        {
            for edit in [Edit::Later(unit), Edit::Earlier(unit)] {
                all.extend(TIMES[..2].iter().map(|when| {
                    let one = mutation(kind, field, path.clone(), edit, *when);
                    Mutation { operator: Operator::Time, clause: link.clause, ..one }
                }));
            }
        }
    }
    all
}

fn mutation(
    kind: OperationKind,
    field: &'static Field,
    path: Vec<&'static str>,
    edit: Edit,
    when: When,
) -> Mutation {
    let words = format!("{} of {kind:?} is {}{}", path.join("."), edit.words(), when.words());
    Mutation::new(Operator::Field, field.clause, words, move || {
        let path = keep(path.clone());
        encoding(keep(move |profile: &_, answer: &_| {
            let mut response = respond(profile, answer);
            let is_it = answer.as_ref().is_ok_and(|reply| reply.kind() == kind);
            if is_it
                && let Ok(mut body) = serde_json::from_slice::<Value>(&response.body)
                && when.holds(&body)
            {
                edit_at(&mut body, path, field, edit);
                response.body = body.to_string().into_bytes();
            }
            response
        }))
    })
}

/// The edits that the document forbids for such a field.
fn edits(field: &Field, beside: &'static [Field]) -> Vec<Edit> {
    let mut edits = vec![Edit::Retyped];
    if field.is_required {
        edits.extend([Edit::Dropped, Edit::Renamed]);
        let is_never_null = matches!(
            field.role,
            Role::Flag | Role::Amount | Role::Count | Role::Instant | Role::List(_)
        );
        if is_never_null {
            edits.push(Edit::Null);
        }
    }
    let is_alike = |other: &&Field| {
        other.name != field.name
            && std::mem::discriminant(&other.role) == std::mem::discriminant(&field.role)
            && other.is_documented()
    };
    let others = beside.iter().filter(is_alike).map(|other| Edit::Of(other.name));
    match (field.role, field.origin) {
        // Its wording may change at any time, and what else a text contains is not shown.
        (Role::Prose | Role::Text, Origin::State) => {}
        (Role::Amount | Role::Count, _) => {
            edits.extend([Edit::More, Edit::Less, Edit::Halved, Edit::Constant]);
            edits.extend(others);
        }
        (Role::Flag, _) => {
            edits.extend([Edit::Negated, Edit::Constant]);
            edits.extend(others);
        }
        (Role::Word(_), _) => {
            edits.extend([
                Edit::OtherMember,
                Edit::UnknownMember,
                Edit::LowerMember,
                Edit::Constant,
            ]);
        }
        // Those of the service's clock are of the windows.
        (Role::Instant, Origin::Clock) => {}
        (Role::Instant, _) => {
            edits.extend(
                UNITS.into_iter().flat_map(|unit| [Edit::Later(unit), Edit::Earlier(unit)]),
            );
            edits.extend(others);
        }
        (Role::Object(_) | Role::List(_) | Role::EventTypes, _) => {}
        // What the service chooses must only differ from what it chose before.
        (_, Origin::Service) => edits.push(Edit::Constant),
        // A service may give all names a form of its own.
        (Role::LegalName, _) => edits.extend([Edit::Cut, Edit::Constant]),
        _ => edits.extend([Edit::Cut, Edit::Capital, Edit::Constant]),
    }
    edits
}

impl Edit {
    fn words(self) -> String {
        match self {
            Edit::Dropped => "left out".to_owned(),
            Edit::Renamed => "under another name".to_owned(),
            Edit::Retyped => "of another type".to_owned(),
            Edit::More => "one more".to_owned(),
            Edit::Less => "one less".to_owned(),
            Edit::Halved => "half of it".to_owned(),
            Edit::Negated => "the contrary".to_owned(),
            Edit::Constant => "always the same".to_owned(),
            Edit::OtherMember => "another listed word".to_owned(),
            Edit::UnknownMember => "an unlisted word".to_owned(),
            Edit::LowerMember => "in small letters".to_owned(),
            Edit::Later(seconds) => format!("{seconds} seconds later"),
            Edit::Earlier(seconds) => format!("{seconds} seconds earlier"),
            Edit::Null => "null".to_owned(),
            Edit::Cut => "cut by one sign".to_owned(),
            Edit::Capital => "in capital letters".to_owned(),
            Edit::Of(other) => format!("that of {other}"),
        }
    }

    /// The new value; `None` if the field is left out.
    fn of(self, value: &Value, field: &Field, object: &Map<String, Value>) -> Option<Value> {
        let number = value.as_i64();
        let text = value.as_str();
        let changed = match self {
            Edit::Dropped => return None,
            Edit::Renamed => None,
            Edit::Retyped => Some(match value {
                Value::Null => return Some(Value::Null),
                Value::String(_) => Value::from(7),
                Value::Bool(flag) => Value::from(flag.to_string()),
                Value::Number(number) => Value::from(number.to_string()),
                Value::Array(_) | Value::Object(_) => Value::from("none"),
            }),
            Edit::More => number.map(|number| Value::from(number + 1)),
            Edit::Less => number.map(|number| Value::from(number - 1)),
            Edit::Halved => number.map(|number| Value::from(number / 2)),
            Edit::Negated => value.as_bool().map(|flag| Value::from(!flag)),
            Edit::Constant => match field.role {
                Role::Flag => value.as_bool().map(|_| Value::from(true)),
                Role::Word(words) => text.and_then(|_| Some(Value::from(*words.first()?))),
                _ if number.is_some() => Some(Value::from(100)),
                _ => text.map(|_| Value::from("constant-0000")),
            },
            Edit::OtherMember => match field.role {
                Role::Word(words) => text.map(|text| {
                    let at = words.iter().position(|word| *word == text).unwrap_or(0);
                    Value::from(words[(at + 1) % words.len()])
                }),
                _ => None,
            },
            Edit::UnknownMember => text.map(|text| Value::from(format!("{text}_X"))),
            Edit::LowerMember => text.map(|text| Value::from(text.to_lowercase())),
            Edit::Later(seconds) => moved(text, |time| time.after(seconds)),
            Edit::Earlier(seconds) => moved(text, |time| time.before_milliseconds(seconds * 1000)),
            Edit::Null => Some(Value::Null),
            Edit::Cut => text.map(|text| {
                let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
                Value::from(&text[..last])
            }),
            Edit::Capital => text.map(|text| Value::from(text.to_uppercase())),
            Edit::Of(other) => object.get(other).cloned(),
        };
        Some(changed.unwrap_or_else(|| value.clone()))
    }
}

fn moved(text: Option<&str>, change: impl FnOnce(Timestamp) -> Timestamp) -> Option<Value> {
    text.and_then(Timestamp::parse).map(|time| change(time).to_string().into())
}

/// The name in another convention: `external_id`, or `Status` where it is one word.
fn other_name(name: &str) -> String {
    let mut other = String::new();
    for sign in name.chars() {
        if sign.is_ascii_uppercase() {
            other.push('_');
        }
        other.push(sign.to_ascii_lowercase());
    }
    if other == name { name[..1].to_uppercase() + &name[1..] } else { other }
}

impl When {
    const fn words(self) -> &'static str {
        match self {
            When::Always => "",
            When::ForSome => " for some subjects",
            When::Above(_) => " where amounts are large",
        }
    }

    /// Whether any response to `kind` can be such a one.
    fn may_hold(self, kind: OperationKind) -> bool {
        let has_amounts = matches!(
            kind,
            OperationKind::GetInvoice | OperationKind::RequestAdvance | OperationKind::Quote
        );
        !matches!(self, When::Above(_)) || has_amounts
    }

    fn holds(self, body: &Value) -> bool {
        match self {
            When::Always => true,
            When::ForSome => {
                body.to_string().bytes().fold(0_u8, |sum, byte| sum.wrapping_add(byte)) % 2 == 1
            }
            When::Above(least) => match body {
                Value::Number(number) => number.as_i64().is_some_and(|number| number > least),
                Value::Object(fields) => fields.values().any(|value| self.holds(value)),
                Value::Array(items) => items.iter().any(|item| self.holds(item)),
                Value::Null | Value::Bool(_) | Value::String(_) => false,
            },
        }
    }
}

/// Edits the field at the end of `path`, in each object of a list.
fn edit_at(value: &mut Value, path: &[&'static str], field: &Field, edit: Edit) {
    match (value, path) {
        (Value::Array(items), _) => {
            items.iter_mut().for_each(|item| edit_at(item, path, field, edit));
        }
        (Value::Object(object), [name]) => {
            let Some(value) = object.get(*name) else { return };
            let changed = edit.of(value, field, object);
            object.remove(*name);
            if let Some(changed) = changed {
                let renamed = matches!(edit, Edit::Renamed);
                let name = if renamed { other_name(name) } else { (*name).to_owned() };
                object.insert(name, changed);
            }
        }
        (Value::Object(object), [name, rest @ ..]) => {
            if let Some(inner) = object.get_mut(*name) {
                edit_at(inner, rest, field, edit);
            }
        }
        _ => {}
    }
}

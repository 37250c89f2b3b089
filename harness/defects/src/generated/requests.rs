//! A request that is read otherwise than it was sent: each field of each request.

use serde_json::Value;
use tideover_model::wire::route::route;
use tideover_model::wire::schema::{Documented, Field, Role, documented};
use tideover_model::{Operation, OperationKind, Timestamp};

use crate::generated::texts::{TextEdit, text_edits};
use crate::generated::{Mutation, Operator, UNITS, keep};
use crate::hooks::operation;

pub(super) fn mutations() -> Vec<Mutation> {
    let mut all = Vec::new();
    // A subscription does not say the addresses of its host, so that it cannot be written and read again.
    for kind in OperationKind::ALL.into_iter().filter(|kind| *kind != OperationKind::Subscribe) {
        for Documented { path, field, beside } in documented(kind.fields()) {
            let read = readings(field, beside).into_iter();
            all.extend(read.map(|it| reading(kind, field, path.clone(), it)));
        }
    }
    all
}

/// How a value is read.
#[derive(Clone, Copy, Debug)]
enum Reading {
    Left,
    More,
    Less,
    Capped(i64),
    First,
    /// So many seconds later.
    Later(u64),
    /// So many seconds earlier.
    Earlier(u64),
    /// The value of another field of the same object.
    Of(&'static str),
    Text(TextEdit),
}

/// The readings that another response must show.
fn readings(field: &Field, beside: &'static [Field]) -> Vec<Reading> {
    let mut readings = match field.role {
        Role::Amount => vec![
            Reading::More,
            Reading::Less,
            Reading::Capped(1_000_000),
            Reading::Capped(100_000_000),
        ],
        Role::Word(_) => vec![Reading::First],
        Role::Instant => {
            let moved = |unit| [Reading::Later(unit), Reading::Earlier(unit)];
            UNITS.into_iter().flat_map(moved).collect()
        }
        Role::Business | Role::Invoice => text_edits().into_iter().map(Reading::Text).collect(),
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
    let is_alike = |other: &&Field| {
        other.name != field.name
            && matches!(field.role, Role::Instant | Role::Object(_))
            && std::mem::discriminant(&other.role) == std::mem::discriminant(&field.role)
    };
    readings.extend(beside.iter().filter(is_alike).map(|other| Reading::Of(other.name)));
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
            Reading::Less => "as one less".to_owned(),
            Reading::Later(seconds) => format!("{seconds} seconds later"),
            Reading::Earlier(seconds) => format!("{seconds} seconds earlier"),
            Reading::Of(other) => format!("as {other}"),
            Reading::Capped(most) => format!("up to {most}"),
            Reading::First => "as the first word".to_owned(),
            Reading::Text(edit) => edit.words(),
        }
    }
}

fn edit_at(body: &mut Value, path: &[&str], field: &Field, read: Reading) {
    let [outer @ .., name] = path else { return };
    let place = outer.iter().try_fold(body, |place, name| place.get_mut(*name));
    let Some(Value::Object(object)) = place else { return };
    let Some(value) = object.get(*name) else { return };
    let moved = |change: &dyn Fn(Timestamp) -> Timestamp| {
        let time = value.as_str().and_then(Timestamp::parse);
        time.map(|time| Value::from(change(time).to_string()))
    };
    let changed = match read {
        Reading::Left => {
            object.remove(*name);
            return;
        }
        Reading::More => value.as_i64().map(|number| Value::from(number + 1)),
        // The least is read as it is.
        Reading::Less => value.as_i64().map(|number| Value::from((number - 1).max(1))),
        Reading::Later(seconds) => moved(&|time| time.after(seconds)),
        Reading::Earlier(seconds) => moved(&|time| time.before_milliseconds(seconds * 1000)),
        Reading::Of(other) => object.get(other).cloned(),
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

/// Writes the operation, edits the identifiers of its path and its JSON body, and reads it again. What cannot be read any
/// more stays as it was.
pub(super) fn rewrite(operation: &mut Operation, edit: impl FnOnce(&mut [String; 2], &mut Value)) {
    let written = operation.written();
    let Ok(found) = route(written.method, &written.path) else { return };
    let Ok(mut identifiers) = found.identifiers() else { return };
    let mut body = serde_json::from_slice(&written.body).unwrap_or(Value::Null);
    let before = (identifiers.clone(), body.clone());
    edit(&mut identifiers, &mut body);
    // Writing a file loses what is wrong with its rows.
    if before == (identifiers.clone(), body.clone()) {
        return;
    }
    let names: Vec<&str> = identifiers.iter().map(String::as_str).collect();
    let path = found.kind.path_of(&names);
    let Ok(found) = route(written.method, &path) else { return };
    let bytes = if body.is_null() { written.body } else { body.to_string().into_bytes() };
    if let Ok(read) = found.decode(written.content_type, &bytes) {
        *operation = read;
    }
}

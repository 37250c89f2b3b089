//! JSON as a liberty changes it.

use serde_json::{Map, Value, json};
use tideover_exchange::PreparedCall;
use tideover_model::OperationKind;
use tideover_model::wire::schema::{Field, Role};

use crate::right::draw::happens;

pub(super) fn kind_of(call: &PreparedCall) -> Option<OperationKind> {
    call.asked().kind
}

pub(super) fn members(kind: Option<OperationKind>) -> &'static [Field] {
    kind.map_or(&[], OperationKind::reply_fields)
}

/// Does something with every object in a value.
pub(super) fn each_object(value: &mut Value, act: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(|inner| each_object(inner, act));
            act(object);
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| each_object(inner, act)),
        _ => {}
    }
}

/// Does something with the objects that a value holds, each with its fields.
pub(super) fn each_described(
    value: &mut Value,
    fields: &'static [Field],
    act: &mut impl FnMut(&mut Map<String, Value>, &'static [Field]),
) {
    match value {
        Value::Object(object) => {
            for field in fields {
                if let (Some(inner), Role::Object(within) | Role::List(within)) =
                    (object.get_mut(field.name), field.role)
                {
                    each_described(inner, within, act);
                }
            }
            act(object, fields);
        }
        Value::Array(list) => list.iter_mut().for_each(|inner| each_described(inner, fields, act)),
        _ => {}
    }
}

/// A name in a style of the service's own.
pub(super) fn styled(name: &str, style: u64) -> String {
    match style {
        0 => name.chars().fold(String::new(), |mut all, letter| {
            if letter.is_ascii_uppercase() {
                all.push('_');
            }
            all.push(letter.to_ascii_lowercase());
            all
        }),
        1 => format!("x-{name}"),
        _ => name.chars().rev().collect(),
    }
}

pub(super) fn add_members(value: &mut Value, salt: u64) {
    let mut occasion = 0;
    each_object(value, &mut |object| {
        occasion += 1;
        if happens(salt, occasion, 50) {
            let more = [
                json!(null),
                json!(true),
                json!(7),
                json!("2031-05-06T07:08:09Z"),
                json!({ "of": ["its", "own"] }),
                json!([]),
                json!("FUNDED by nobody"),
            ];
            let which = usize::try_from(occasion).unwrap_or(0) % more.len();
            object.insert(format!("_{}{occasion}", salt % 1000), more[which].clone());
        }
    });
}

pub(super) fn rename(body: &mut Value, from: &str, to: &str) {
    if let Some(object) = body.as_object_mut()
        && let Some(value) = object.remove(from)
    {
        object.insert(to.to_owned(), value);
    }
}

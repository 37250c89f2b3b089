//! Changes that responses and events share: further fields, another order of keys, white space.

use serde_json::Value;
use tideover_model::Seeded;

use crate::grease::draws::Draws;
use crate::grease::freedom::Freedom;
use crate::grease::json::{Json, Style};

/// The freedoms that change a form: responses and events have their own.
pub(super) struct Freedoms {
    /// `None` where no field may be added.
    pub(super) extra_field: Option<Freedom>,
    pub(super) key_order: Freedom,
    pub(super) white_space: Freedom,
}

/// Writes `json` in a form drawn for `occasion`. Returns its bytes, and all freedoms that are taken then.
pub(super) fn formed(
    seeded: Seeded,
    occasion: u64,
    freedoms: &Freedoms,
    mut json: Json,
    mut taken: Vec<Freedom>,
) -> (Vec<u8>, Vec<Freedom>) {
    let draws = |freedom| Draws::of(seeded, freedom, occasion);
    if let Some(freedom) = freedoms.extra_field
        && add_field(&mut json, draws(freedom))
    {
        taken.push(freedom);
    }
    if reorder(&mut json, draws(freedoms.key_order)) {
        taken.push(freedoms.key_order);
    }
    let mut body = json.compact();
    let mut spacing = draws(freedoms.white_space);
    if spacing.takes() {
        let spaced = json.written(&mut Style::drawn(spacing));
        // An empty list has no room for some styles.
        taken.extend((spaced != body).then_some(freedoms.white_space));
        body = spaced;
    }
    (body, taken)
}

/// Names that no field of the document or of the mock has.
const NAMES: [&str; 8] =
    ["traceId", "revision", "links", "tags", "annotations", "preview", "locale", "origin"];

/// Adds a field to one of the objects.
fn add_field(json: &mut Json, mut draws: Draws) -> bool {
    let mut objects = 0_usize;
    json.each_object(&mut |_| objects += 1);
    if objects == 0 || !draws.takes() {
        return false;
    }
    let chosen = draws.index(objects);
    // No client can know the name in advance.
    let name = format!("{}{:x}", draws.one_of(&NAMES), draws.below(1 << 16));
    let value = some_value(&mut draws);
    let mut index = 0;
    json.each_object(&mut |fields| {
        if index == chosen {
            let place = draws.index(fields.len() + 1);
            fields.insert(place, (name.clone(), value.clone()));
        }
        index += 1;
    });
    true
}

/// Never an amount, a time or a text that a client could mistake for a real value.
fn some_value(draws: &mut Draws) -> Json {
    let word = Json::Leaf(format!("g{:06x}", draws.below(1 << 24)).into());
    match draws.below(6) {
        0 => word,
        1 => Json::Leaf(Value::Null),
        2 => Json::Leaf(true.into()),
        3 => Json::Leaf(draws.below(10).into()),
        4 => Json::Array(vec![word]),
        _ => Json::Object(vec![("value".to_owned(), word)]),
    }
}

/// Puts the members of every object into another order. Returns whether any order changed.
fn reorder(json: &mut Json, mut draws: Draws) -> bool {
    if !draws.takes() {
        return false;
    }
    let mut changed = false;
    json.each_object(&mut |fields| {
        let before: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        draws.shuffle(fields);
        changed |= !before.iter().eq(fields.iter().map(|(name, _)| name));
    });
    changed
}

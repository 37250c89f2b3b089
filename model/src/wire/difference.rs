//! The difference between two states, in words: which fields of which subjects have changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The fields of a subject, each with its value as text. The names of fields within fields are dotted.
pub type FieldTexts = BTreeMap<String, String>;

/// A field that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldChange {
    /// The field, dotted.
    pub field: String,
    /// The value before; null if it did not exist.
    #[schema(required = true)]
    pub before: Option<String>,
    /// The value after; null if it does not exist.
    #[schema(required = true)]
    pub after: Option<String>,
}

/// The fields of a JSON object. `text` makes the text of a value, from the name of its field; where it makes none, the
/// field counts as absent.
///
/// ```
/// use tideover_model::wire::difference::{changed, field_texts, text};
///
/// let of = |state| field_texts(&serde_json::json!({ "advance": { "state": state } }), text);
/// let changes = changed(&of("FUNDING"), &of("FUNDED"));
/// assert_eq!(changes[0].to_string(), "advance.state FUNDING → FUNDED");
/// ```
pub fn field_texts(value: &Value, text: impl Fn(&str, &Value) -> Option<String>) -> FieldTexts {
    let mut fields = FieldTexts::new();
    flatten("", value, &text, &mut fields);
    fields
}

/// The text of a value: strings as they are, anything else as JSON; none of null.
pub fn text(_: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

fn flatten(
    field: &str,
    value: &Value,
    text: &impl Fn(&str, &Value) -> Option<String>,
    fields: &mut FieldTexts,
) {
    match value {
        Value::Object(inner) => {
            for (name, value) in inner {
                let dotted =
                    if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                flatten(&dotted, value, text, fields);
            }
        }
        value => {
            let name = field.rsplit('.').next().unwrap_or_default();
            fields.extend(text(name, value).map(|text| (field.to_owned(), text)));
        }
    }
}

/// The fields whose values differ.
pub fn changed(before: &FieldTexts, after: &FieldTexts) -> Vec<FieldChange> {
    let fields: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |field: &String| {
        let (before, after) = (before.get(field).cloned(), after.get(field).cloned());
        (before != after).then(|| FieldChange { field: field.clone(), before, after })
    };
    fields.into_iter().filter_map(change).collect()
}

impl fmt::Display for FieldChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = [&self.before, &self.after].map(|it| it.as_deref().unwrap_or("–"));
        write!(f, "{} {before} → {after}", self.field)
    }
}

/// What a subject has come to between two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Became {
    /// It was not there before.
    New,
    /// Some of its fields have other values.
    Changed,
    /// It is not there after.
    Gone,
}

/// A business, an invoice, a subscription or the books, as far as they have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SubjectChange {
    /// What has changed, such as `invoice INV-1 of acme`.
    pub subject: String,
    /// What it has come to.
    pub became: Became,
    /// The fields that differ.
    pub fields: Vec<FieldChange>,
    /// All of it in a sentence.
    pub sentence: String,
}

/// The subjects of a state by their names.
pub type Subjects = BTreeMap<String, FieldTexts>;

/// What has changed from one state to another, by the names of the subjects.
pub fn difference(before: &Subjects, after: &Subjects) -> Vec<SubjectChange> {
    let nothing = FieldTexts::new();
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |name: &String| {
        let (was, is) = (before.get(name), after.get(name));
        let became = match (was, is) {
            (None, _) => Became::New,
            (_, None) => Became::Gone,
            _ => Became::Changed,
        };
        let fields = changed(was.unwrap_or(&nothing), is.unwrap_or(&nothing));
        if fields.is_empty() && became == Became::Changed {
            return None;
        }
        let sentence = sentence(name, became, &fields);
        Some(SubjectChange { subject: name.clone(), became, fields, sentence })
    };
    names.into_iter().filter_map(change).collect()
}

fn sentence(name: &str, became: Became, fields: &[FieldChange]) -> String {
    let parts: Vec<String> = match became {
        Became::New => {
            let values = fields.iter().filter_map(|it| Some((&it.field, it.after.as_deref()?)));
            values.map(|(field, value)| format!("{field} {value}")).collect()
        }
        Became::Changed => fields.iter().map(FieldChange::to_string).collect(),
        Became::Gone => return format!("{name} is gone"),
    };
    match became {
        Became::New => format!("{name} is new: {}", parts.join(", ")),
        _ => format!("{name}: {}", parts.join(", ")),
    }
}

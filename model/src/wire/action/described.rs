//! The actions for who wants to use them: what each does, its fields, and an example.

use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::{PartialSchema, ToSchema};

use crate::wire::action::form::Action;
use crate::wire::action::{ActionKind, NAME};

/// An action: what it does, its fields, and an example.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ActionDescribed)]
pub struct Described {
    /// The name.
    pub action: String,
    /// What it does.
    pub does: String,
    /// The fields beside `action`.
    pub fields: Vec<Field>,
    /// The body of a request for it.
    #[schema(value_type = BTreeMap<String, Value>)]
    pub example: Map<String, Value>,
}

/// A field of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ActionField)]
pub struct Field {
    /// The name.
    pub name: String,
    /// What it holds, in words: `string`, `integer`, `one of VENDOR_ASSERTION, W9_UPLOAD`.
    #[serde(rename = "type")]
    pub holds: String,
    /// Whether every request needs it.
    pub required: bool,
    /// What it means.
    pub meaning: String,
}

/// All actions, in the order of [`ActionKind::ALL`].
pub fn described() -> Vec<Described> {
    let schemas = schemas();
    let describe = |kind: &ActionKind| {
        let schema = &schemas[&schema_name(*kind)];
        let required = schema["required"].as_array();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let own = properties.filter(|(name, _)| *name != NAME);
        let field = |(name, property): (&String, &Value)| Field {
            name: name.clone(),
            holds: holds(property, &schemas),
            required: required.is_some_and(|names| names.iter().any(|it| it == name)),
            meaning: text(&property["description"]),
        };
        Described {
            action: kind.name().to_owned(),
            does: text(&schema["description"]),
            fields: own.map(field).collect(),
            example: schema["example"].as_object().cloned().unwrap_or_default(),
        }
    };
    ActionKind::ALL.iter().map(describe).collect()
}

/// The JSON schema of the body of a request for each action, under [`schema_name`], and all schemas that these
/// refer to.
pub fn schemas() -> Map<String, Value> {
    let mut referred = Vec::new();
    Action::schemas(&mut referred);
    let mut schemas: Map<String, Value> =
        referred.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
    let forms = json!(Action::schema());
    for form in forms["oneOf"].as_array().into_iter().flatten() {
        let Some(kind) = form["required"][0].as_str().and_then(ActionKind::parse) else { continue };
        schemas.insert(schema_name(kind), flat(kind, form));
    }
    schemas
}

/// The name of an action's schema: `PayorPays`.
pub fn schema_name(kind: ActionKind) -> String {
    format!("{kind:?}")
}

/// The schema of `{"action": NAME, …}`, from that of `{NAME: {…}}`.
fn flat(kind: ActionKind, form: &Value) -> Value {
    let own = &form["properties"][kind.name()];
    let name = json!({ "type": "string", "const": kind.name(), "description": "The action." });
    let mut properties = own["properties"].as_object().cloned().unwrap_or_default();
    properties.insert(NAME.to_owned(), name);
    let mut required = vec![json!(NAME)];
    required.extend(own["required"].as_array().into_iter().flatten().cloned());
    let example = kind.with(form["example"].as_object().cloned().unwrap_or_default());
    json!({
        "type": "object",
        "description": form["description"],
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "example": example,
    })
}

/// What a property holds, in words.
fn holds(property: &Value, schemas: &Map<String, Value>) -> String {
    let referred = |schema: &Value| {
        let name = schema["$ref"].as_str()?.rsplit('/').next()?;
        schemas.get(name).cloned()
    };
    let parts = property["oneOf"].as_array().into_iter().flatten();
    let Some(schema) = parts.chain([property]).find_map(referred) else {
        return text(&property["type"]);
    };
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", words.join(", "));
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    let names: Vec<&str> = properties.map(|(name, _)| name.as_str()).collect();
    format!("object of {}", names.join(", "))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::action::asked;

    #[test]
    fn every_action_is_described_and_its_example_is_read() {
        for (kind, described) in ActionKind::ALL.iter().zip(described()) {
            assert_eq!(described.action, kind.name());
            assert!(described.does.ends_with('.'), "{described:?}");
            asked(&described.example, "").unwrap_or_else(|why| panic!("{kind}: {why}"));
            let shown = described.example.keys().filter(|name| *name != NAME);
            let names: Vec<&String> = described.fields.iter().map(|field| &field.name).collect();
            assert_eq!(shown.collect::<Vec<_>>(), names, "{kind}");
            for field in &described.fields {
                assert!(field.meaning.ends_with('.') && !field.holds.is_empty(), "{field:?}");
                let mut lacking = described.example.clone();
                lacking.remove(&field.name);
                assert_eq!(asked(&lacking, "").is_err(), field.required, "{kind}: {field:?}");
            }
        }
    }
}

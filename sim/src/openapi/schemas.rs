//! The schemas of bodies, derived from the code's own types.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// The schemas that responses and requests refer to, by name.
#[derive(Default)]
pub(super) struct Schemas(pub(super) Map<String, Value>);

impl Schemas {
    /// A reference to the request schema `T`. Adds the schema and everything that it refers to.
    pub(super) fn request<T: ToSchema>(&mut self) -> Value {
        self.0.extend(schemas_of::<T>());
        reference(&T::name())
    }

    /// A reference to the response schema `T`. Each object is one schema, and enumerations that may grow are
    /// open: a client generated from it can read today's and future responses.
    pub(super) fn answer<T: ToSchema>(&mut self) -> Value {
        let answer = reference(&T::name());
        self.describe(&answer, &schemas_of::<T>(), &opened);
        answer
    }

    /// A reference to the schema of what the operator port sends. An object is closed, so that a test notices a property
    /// that the schema lacks.
    pub(super) fn sent<T: ToSchema>(&mut self) -> Value {
        self.closed::<T>(&|schema, all| closed(opened(schema, all)))
    }

    /// A reference to the schema of what the operator port reads: its enumerations are closed too.
    pub(super) fn read<T: ToSchema>(&mut self) -> Value {
        self.closed::<T>(&|schema, _| closed(schema.clone()))
    }

    fn closed<T: ToSchema>(&mut self, shape: &Shape<'_>) -> Value {
        let schema = reference(&T::name());
        self.describe(&schema, &schemas_of::<T>(), shape);
        schema
    }

    /// A reference to the response schema `T` with a constant value for one property.
    pub(super) fn variant<T: ToSchema>(&mut self, property: &str, value: bool) -> Value {
        let variant = self.answer::<T>();
        self.0[&*T::name()]["properties"][property]["const"] = value.into();
        variant
    }

    /// Adds everything that `schema` refers to, directly or indirectly.
    fn describe(&mut self, schema: &Value, all: &Map<String, Value>, shape: &Shape<'_>) {
        if let Some(name) = referred(schema) {
            let object = shape(&merged(&all[name], all), all);
            self.describe(&object, all, shape);
            self.0.insert(name.to_owned(), object);
        }
        match schema {
            Value::Array(parts) => parts.iter().for_each(|part| self.describe(part, all, shape)),
            Value::Object(parts) => {
                parts.values().for_each(|part| self.describe(part, all, shape));
            }
            _ => {}
        }
    }
}

/// How to change a schema, given all schemas by name.
type Shape<'a> = dyn Fn(&Value, &Map<String, Value>) -> Value + 'a;

/// An object without any other properties, or one of several.
fn closed(mut schema: Value) -> Value {
    if schema.get("properties").is_some() {
        schema["additionalProperties"] = false.into();
    }
    if let Some(Value::Array(forms)) = schema.get_mut("oneOf") {
        forms.iter_mut().for_each(|form| *form = closed(form.take()));
    }
    schema
}

/// The schema of `T` and everything that it refers to, by name.
pub(super) fn schemas_of<T: ToSchema>() -> Map<String, Value> {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    schemas.into_iter().map(|(name, schema)| (name, json!(schema))).collect()
}

const COMPONENTS: &str = "#/components/schemas/";

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("{COMPONENTS}{name}") })
}

/// The name in `schema`'s reference, if it is one.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(COMPONENTS)
}

/// One object schema in place of an `allOf`.
fn merged(schema: &Value, all: &Map<String, Value>) -> Value {
    let schema = referred(schema).map_or(schema, |name| &all[name]);
    let Some(parts) = schema["allOf"].as_array() else { return schema.clone() };
    let parts: Vec<Value> = parts.iter().map(|part| merged(part, all)).collect();
    let properties = parts.iter().filter_map(|part| part["properties"].as_object()).flatten();
    let required = parts.iter().filter_map(|part| part["required"].as_array()).flatten();
    json!({
        "type": "object",
        "description": schema["description"],
        "properties": properties.collect::<BTreeMap<_, _>>(),
        "required": required.collect::<Vec<_>>(),
    })
}

/// Opens the enumerations of a schema, since they may grow (`9.versioning.2`): each becomes a string with its known
/// values as examples.
pub(super) fn opened(schema: &Value, all: &Map<String, Value>) -> Value {
    let referred = referred(schema).map(|name| &all[name]);
    if let Some(known) = referred.filter(|referred| referred.get("enum").is_some()) {
        let about = schema.get("description").unwrap_or(&known["description"]);
        return open(about.as_str().unwrap_or_default(), &known["enum"]);
    }
    match schema {
        Value::Array(parts) => parts.iter().map(|part| opened(part, all)).collect(),
        Value::Object(parts) => {
            parts.iter().map(|(name, part)| (name.clone(), opened(part, all))).collect()
        }
        other => other.clone(),
    }
}

fn open(about: &str, values: &Value) -> Value {
    let names = values.as_array().into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let description = format!("{about} Known: {}; others may be added.", names.join(", "));
    json!({ "type": "string", "description": description, "examples": values })
}

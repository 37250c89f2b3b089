//! The partner API in OpenAPI 3.1, built from the code's own types, tables and statuses.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tideover_model::wire::reply::{AdvanceRepeated, AdvanceRequested, Failure};
use tideover_model::wire::{reply, request};
use tideover_model::{Code, OperationKind, Profile, Refusal, Success, clause, exchange};
use utoipa::ToSchema;

/// The schemas that responses and requests refer to, by name.
#[derive(Default)]
struct Schemas(Map<String, Value>);

impl Schemas {
    /// A reference to the request schema `T`. Adds the schema and everything that it refers to.
    fn request<T: ToSchema>(&mut self) -> Value {
        self.0.extend(schemas_of::<T>());
        reference(&T::name())
    }

    /// A reference to the response schema `T`. Each object is one schema, and enumerations that may grow are
    /// open: a client generated from it can read today's and future responses.
    fn answer<T: ToSchema>(&mut self) -> Value {
        let answer = reference(&T::name());
        self.describe(&answer, &schemas_of::<T>());
        answer
    }

    /// The same, with a constant value for one property.
    fn variant<T: ToSchema>(&mut self, property: &str, value: bool) -> Value {
        let variant = self.answer::<T>();
        self.0[&*T::name()]["properties"][property]["const"] = value.into();
        variant
    }

    /// Adds everything that `schema` refers to, directly or indirectly.
    fn describe(&mut self, schema: &Value, all: &Map<String, Value>) {
        if let Some(name) = referred(schema) {
            let object = opened(&merged(&all[name], all), all);
            self.describe(&object, all);
            self.0.insert(name.to_owned(), object);
        }
        match schema {
            Value::Array(parts) => parts.iter().for_each(|part| self.describe(part, all)),
            Value::Object(parts) => parts.values().for_each(|part| self.describe(part, all)),
            _ => {}
        }
    }
}

/// The schema of `T` and everything that it refers to, by name.
fn schemas_of<T: ToSchema>() -> Map<String, Value> {
    let mut schemas = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut schemas);
    schemas.into_iter().map(|(name, schema)| (name, json!(schema))).collect()
}

const COMPONENTS: &str = "#/components/schemas/";

fn reference(name: &str) -> Value {
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

/// The same schema with open enumerations: a string with its known values replaces each enumeration, which
/// may grow (`9.versioning.2`).
fn opened(schema: &Value, all: &Map<String, Value>) -> Value {
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

/// The document of a service that assumes `profile`.
pub(crate) fn document(profile: &Profile) -> Value {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for kind in OperationKind::ALL {
        let path = paths.entry(kind.path()).or_insert_with(|| json!({}));
        path[kind.method().to_ascii_lowercase()] = operation(profile, kind, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Receivables Advance Partner API",
            "version": "v1",
            "description": "The API of this mock, under its profile.",
        },
        "servers": [{ "url": "/" }],
        "security": [{ "apiKey": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas.0,
            "securitySchemes": { "apiKey": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(profile: &Profile, kind: OperationKind, schemas: &mut Schemas) -> Value {
    let mut operation = json!({
        "operationId": kind,
        "summary": kind.endpoint().summary,
        "parameters": parameters(kind),
        "responses": responses(profile, kind, schemas),
    });
    if let Some((media_type, schema)) = request_body(kind, schemas) {
        operation["requestBody"] = json!({
            "required": true,
            "content": { media_type: { "schema": schema } },
        });
    }
    operation
}

/// The parameters in the path: identifiers of at least one character.
fn parameters(kind: OperationKind) -> Vec<Value> {
    let parameter = |name| {
        let schema = json!({ "type": "string", "minLength": 1 });
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    };
    kind.parameters().map(parameter).collect()
}

fn request_body(kind: OperationKind, schemas: &mut Schemas) -> Option<(&'static str, Value)> {
    let schema = match kind {
        OperationKind::GetInvoice
        | OperationKind::GetImport
        | OperationKind::GetBusiness
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => return None,
        OperationKind::ImportInvoices => return Some(("text/csv", json!({ "type": "string" }))),
        OperationKind::SyncInvoice => schemas.request::<request::InvoiceSync>(),
        OperationKind::SetPayoutAccount => schemas.request::<request::PayoutAccount>(),
        OperationKind::SyncBusiness => schemas.request::<request::BusinessSync>(),
        OperationKind::RequestAdvance => schemas.request::<request::AdvanceRequest>(),
        OperationKind::Quote => schemas.request::<request::QuoteRequest>(),
        OperationKind::Invite => schemas.request::<request::InvitationRequest>(),
        OperationKind::CreateOnboardingSession => schemas.request::<request::SessionRequest>(),
        OperationKind::Subscribe => schemas.request::<request::SubscriptionRequest>(),
    };
    Some(("application/json", schema))
}

/// The body of a success; `None` if it has none.
fn success_body(kind: OperationKind, schemas: &mut Schemas) -> Option<Value> {
    Some(match kind {
        OperationKind::GetInvoice => schemas.answer::<reply::Invoice>(),
        OperationKind::SyncInvoice => schemas.answer::<reply::InvoiceSynced>(),
        OperationKind::GetImport | OperationKind::ImportInvoices => {
            schemas.answer::<reply::ImportReport>()
        }
        OperationKind::SetPayoutAccount => schemas.answer::<reply::PayoutAccountSet>(),
        OperationKind::GetBusiness => schemas.answer::<reply::Business>(),
        OperationKind::SyncBusiness => schemas.answer::<reply::BusinessSynced>(),
        // `gap.advanceVariants`: the value of one property distinguishes them.
        OperationKind::RequestAdvance => {
            let first = schemas.variant::<AdvanceRequested>("alreadyRequested", false);
            let repeat = schemas.variant::<AdvanceRepeated>("alreadyRequested", true);
            schemas.0.insert("AdvanceResponse".into(), json!({ "oneOf": [first, repeat] }));
            reference("AdvanceResponse")
        }
        OperationKind::Quote => schemas.answer::<reply::Quoted>(),
        OperationKind::Invite => schemas.answer::<reply::Invited>(),
        OperationKind::CreateOnboardingSession => schemas.answer::<reply::SessionCreated>(),
        OperationKind::Subscribe => schemas.answer::<reply::Subscribed>(),
        OperationKind::ListSubscriptions => {
            json!({ "type": "array", "items": schemas.answer::<reply::Subscription>() })
        }
        OperationKind::Unsubscribe => return None,
    })
}

fn responses(profile: &Profile, kind: OperationKind, schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    let content = |schema| json!({ "application/json": { "schema": schema } });
    let body = success_body(kind, schemas);
    let repeat = (kind == OperationKind::RequestAdvance).then_some(Success::RepeatAdvance);
    for success in repeat.into_iter().chain([kind.into()]) {
        let mut response = json!({ "description": "Success." });
        if let Some(schema) = &body {
            response["content"] = content(schema.clone());
        }
        responses.insert(profile.success_status(success).to_string(), response);
    }
    let failure = schemas.answer::<Failure<'_>>();
    for (status, codes) in refusals(profile, kind) {
        let sentences: Vec<_> =
            codes.iter().map(|code| format!("`{code}`: {}", code.sentence())).collect();
        let mut content = content(failure.clone());
        content["application/json"]["examples"] = codes.into_iter().map(example).collect();
        let response = json!({ "description": sentences.join(" "), "content": content });
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

/// An example failure with this code, under its name.
fn example(code: Code) -> (String, Value) {
    (
        code.to_string(),
        json!({ "value": Failure { error: code.sentence().into(), code: code.name() } }),
    )
}

/// The codes that an operation can return, by status.
fn refusals(profile: &Profile, kind: OperationKind) -> BTreeMap<u16, Vec<Code>> {
    let mut by_status = BTreeMap::<u16, Vec<Code>>::new();
    for code in Code::OF_ANY_OPERATION.iter().chain(kind.codes()) {
        // Where the document states a status for only one operation, the clause decides.
        let clause = match (kind, code) {
            (OperationKind::RequestAdvance, Code::BusinessNotFound | Code::InvoiceNotFound) => {
                clause!("4.advances.5")
            }
            _ => clause!("7.shape.1"),
        };
        let status = exchange::status(profile, &Err(Refusal::new(*code, clause)));
        by_status.entry(status).or_default().push(*code);
    }
    by_status
}

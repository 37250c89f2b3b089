//! The partner API in OpenAPI 3.1, built from the code's own types, tables and statuses.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tideover_model::wire::exchange;
use tideover_model::wire::reply::{self, AdvanceRepeated, AdvanceRequested, Failure};
use tideover_model::wire::request;
use tideover_model::{Code, OperationKind, Profile, Refusal, Success, clause};
use utoipa::ToSchema;

/// The schemas that answers and requests refer to, by name.
#[derive(Default)]
struct Schemas(Map<String, Value>);

impl Schemas {
    /// A reference to the schema of `T`, which is told together with all that it refers to.
    fn of<T: ToSchema>(&mut self) -> Value {
        let mut schemas = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut schemas);
        for (name, schema) in schemas {
            self.0.insert(name, json!(schema));
        }
        reference(&T::name())
    }

    /// A `T` in which one property has one value.
    fn with<T: ToSchema>(&mut self, property: &str, value: bool) -> Value {
        json!({ "allOf": [self.of::<T>(), { "properties": { property: { "const": value } } }] })
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
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
            "description": "As this mock speaks it, under its profile.",
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
        "summary": summary(kind),
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

/// The names in braces in the path: identifiers of at least one character.
fn parameters(kind: OperationKind) -> Vec<Value> {
    let names = kind.path().split('/').filter_map(|segment| {
        segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'))
    });
    let parameter = |name| {
        let schema = json!({ "type": "string", "minLength": 1 });
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    };
    names.map(parameter).collect()
}

fn request_body(kind: OperationKind, schemas: &mut Schemas) -> Option<(&'static str, Value)> {
    let schema = match kind {
        OperationKind::GetInvoice
        | OperationKind::GetImport
        | OperationKind::GetBusiness
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => return None,
        OperationKind::ImportInvoices => return Some(("text/csv", json!({ "type": "string" }))),
        OperationKind::SyncInvoice => schemas.of::<request::InvoiceSync>(),
        OperationKind::SetPayoutAccount => schemas.of::<request::PayoutAccount>(),
        OperationKind::SyncBusiness => schemas.of::<request::BusinessSync>(),
        OperationKind::RequestAdvance => schemas.of::<request::AdvanceRequest>(),
        OperationKind::Quote => schemas.of::<request::QuoteRequest>(),
        OperationKind::Invite => schemas.of::<request::InvitationRequest>(),
        OperationKind::CreateOnboardingSession => schemas.of::<request::SessionRequest>(),
        OperationKind::Subscribe => schemas.of::<request::SubscriptionRequest>(),
    };
    Some(("application/json", schema))
}

/// The body of a success; `None` where there is none.
fn success_body(kind: OperationKind, schemas: &mut Schemas) -> Option<Value> {
    Some(match kind {
        OperationKind::GetInvoice => schemas.of::<reply::Invoice>(),
        OperationKind::SyncInvoice => schemas.of::<reply::InvoiceSynced>(),
        OperationKind::GetImport | OperationKind::ImportInvoices => {
            schemas.of::<reply::ImportReport>()
        }
        OperationKind::SetPayoutAccount => schemas.of::<reply::PayoutAccountSet>(),
        OperationKind::GetBusiness => schemas.of::<reply::Business>(),
        OperationKind::SyncBusiness => schemas.of::<reply::BusinessSynced>(),
        // `gap.advanceVariants`: what separates them is the value of one property.
        OperationKind::RequestAdvance => {
            let first = schemas.with::<AdvanceRequested>("alreadyRequested", false);
            let repeat = schemas.with::<AdvanceRepeated>("alreadyRequested", true);
            schemas.0.insert("AdvanceResponse".into(), json!({ "oneOf": [first, repeat] }));
            reference("AdvanceResponse")
        }
        OperationKind::Quote => schemas.of::<reply::Quoted>(),
        OperationKind::Invite => schemas.of::<reply::Invited>(),
        OperationKind::CreateOnboardingSession => schemas.of::<reply::SessionCreated>(),
        OperationKind::Subscribe => schemas.of::<reply::Subscribed>(),
        OperationKind::ListSubscriptions => {
            json!({ "type": "array", "items": schemas.of::<reply::Subscription>() })
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
        let mut response = json!({ "description": "It is done." });
        if let Some(schema) = &body {
            response["content"] = content(schema.clone());
        }
        responses.insert(profile.success_status(success).to_string(), response);
    }
    let failure = schemas.of::<Failure<'_>>();
    for (status, codes) in refusals(profile, kind) {
        let sentences: Vec<_> =
            codes.iter().map(|code| format!("`{code}`: {}", code.sentence())).collect();
        let schema = json!({ "allOf": [failure, { "properties": { "code": { "enum": codes } } }] });
        let response = json!({ "description": sentences.join(" "), "content": content(schema) });
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

/// The codes that an operation can answer, by status.
fn refusals(profile: &Profile, kind: OperationKind) -> BTreeMap<u16, Vec<Code>> {
    let mut by_status = BTreeMap::<u16, Vec<Code>>::new();
    for code in Code::OF_ANY_OPERATION.iter().chain(kind.codes()) {
        // The clause decides where the document states a status for one operation alone.
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

fn summary(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::GetInvoice => "Read an invoice and the advance against it",
        OperationKind::SyncInvoice => "Create or update an invoice",
        OperationKind::GetImport => "Read an import's report",
        OperationKind::ImportInvoices => "Import invoices from CSV",
        OperationKind::SetPayoutAccount => "Set the account that receives the advances",
        OperationKind::GetBusiness => "Read a business and its onboarding",
        OperationKind::SyncBusiness => "Create or update a business",
        OperationKind::RequestAdvance => "Request an advance on an invoice",
        OperationKind::Quote => "Price an advance without requesting it",
        OperationKind::Invite => "Invite a person at a business",
        OperationKind::CreateOnboardingSession => "Create an onboarding link",
        OperationKind::Subscribe => "Subscribe to events",
        OperationKind::ListSubscriptions => "List the live subscriptions",
        OperationKind::Unsubscribe => "Stop deliveries to a subscription",
    }
}

//! The operations of the partner API.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tideover_model::wire::reply::{AdvanceRepeated, AdvanceRequested, Failure};
use tideover_model::wire::{reply, request};
use tideover_model::{Code, OperationKind, Profile, Refusal, Success, clause, exchange};

use crate::openapi::examples::{Examples, Exchange};
use crate::openapi::prose;
use crate::openapi::schemas::{Schemas, reference};

/// The longest body that is shown as an example. Bytes.
const LONGEST_SHOWN: usize = 2000;

/// An operation, with its examples.
pub(super) fn operation(
    profile: &Profile,
    kind: OperationKind,
    schemas: &mut Schemas,
    examples: &Examples,
) -> Value {
    let mut operation = json!({
        "operationId": kind,
        "tags": [prose::tag(kind)],
        "summary": kind.endpoint().summary,
        "description": prose::rules(kind),
        "parameters": parameters(kind, examples),
        "responses": responses(profile, kind, schemas, examples),
    });
    if let Some((media_type, schema)) = kind.media_type().zip(request_body(kind, schemas)) {
        let content = json!({ "schema": schema, "examples": requests(kind, examples) });
        operation["requestBody"] = json!({
            "required": true,
            "content": { media_type: content },
        });
    }
    operation
}

/// The parameters in the path: identifiers of at least one character.
fn parameters(kind: OperationKind, examples: &Examples) -> Vec<Value> {
    let good = examples.exchanges(kind).find(|(_, exchange)| exchange.answer.is_ok());
    let shown = |index: usize| good.and_then(|(_, exchange)| exchange.identifiers.get(index));
    let parameter = |(index, name)| {
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": prose::identifier(kind, name),
            "schema": { "type": "string", "minLength": 1 },
            "example": shown(index),
        })
    };
    kind.parameters().enumerate().map(parameter).collect()
}

/// The bodies that the story sent: those of successes, and those that the operation refused with a code of its own.
fn requests(kind: OperationKind, examples: &Examples) -> Map<String, Value> {
    let mut requests = Map::new();
    for (name, exchange) in examples.exchanges(kind) {
        let refusal = exchange.answer.as_ref().err();
        // An address that is none violates the schema too.
        let fits = |code| kind.codes().contains(&code) && code != Code::InvalidInvitee;
        let shown = refusal.is_none_or(|refusal| fits(refusal.code));
        if !shown || exchange.body.is_empty() || exchange.body.len() > LONGEST_SHOWN {
            continue;
        }
        let value = match kind {
            OperationKind::ImportInvoices => Value::String(exchange.body.clone()),
            _ => serde_json::from_str(&exchange.body).unwrap_or_default(),
        };
        requests.insert(name.to_owned(), json!({ "value": value }));
    }
    requests
}

/// The schema of a request's body; `None` if it has none.
fn request_body(kind: OperationKind, schemas: &mut Schemas) -> Option<Value> {
    Some(match kind {
        OperationKind::GetInvoice
        | OperationKind::GetImport
        | OperationKind::GetBusiness
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => return None,
        // Generators take a text that is no JSON for one only with a format.
        OperationKind::ImportInvoices => json!({ "type": "string", "format": "binary" }),
        OperationKind::SyncInvoice => schemas.request::<request::InvoiceSync>(),
        OperationKind::SetPayoutAccount => schemas.request::<request::PayoutAccount>(),
        OperationKind::SyncBusiness => schemas.request::<request::BusinessSync>(),
        OperationKind::RequestAdvance => schemas.request::<request::AdvanceRequest>(),
        OperationKind::Quote => schemas.request::<request::QuoteRequest>(),
        OperationKind::Invite => schemas.request::<request::InvitationRequest>(),
        OperationKind::CreateOnboardingSession => schemas.request::<request::SessionRequest>(),
        OperationKind::Subscribe => schemas.request::<request::SubscriptionRequest>(),
    })
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

fn responses(
    profile: &Profile,
    kind: OperationKind,
    schemas: &mut Schemas,
    examples: &Examples,
) -> Value {
    let mut responses = Map::new();
    let content = |schema| json!({ "application/json": { "schema": schema } });
    let body = success_body(kind, schemas);
    let repeat = (kind == OperationKind::RequestAdvance).then_some(Success::RepeatAdvance);
    for success in repeat.into_iter().chain([kind.into()]) {
        let status = profile.success_status(success);
        let mut response = json!({ "description": prose::rule(kind.endpoint().body) });
        if let Some(schema) = &body {
            response["content"] = content(schema.clone());
            response["content"]["application/json"]["examples"] =
                successes(profile, kind, status, examples).into();
        }
        responses.insert(status.to_string(), response);
    }
    let failure = schemas.answer::<Failure<'_>>();
    for (status, codes) in refusals(profile, kind) {
        let refused: Vec<Refused> =
            codes.into_iter().map(|code| Refused::of(kind, code, examples)).collect();
        let sentences: Vec<_> = refused.iter().map(|refused| &*refused.sentence).collect();
        let mut content = content(failure.clone());
        content["application/json"]["examples"] =
            refused.iter().map(|refused| refused.example.clone()).collect();
        let response = json!({ "description": sentences.join("\n"), "content": content });
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

/// The successful answers of the story with this status, by name.
fn successes(
    profile: &Profile,
    kind: OperationKind,
    status: u16,
    examples: &Examples,
) -> Map<String, Value> {
    let good = examples.exchanges(kind).filter(|(_, exchange)| {
        exchange.answer.is_ok() && exchange::status(profile, &exchange.answer) == status
    });
    let shown = |(name, exchange): (&str, &Exchange)| {
        let body = exchange::body(&exchange.answer)?;
        Some((name.to_owned(), json!({ "value": body })))
    };
    good.filter_map(shown).collect()
}

/// A code that an operation can return.
struct Refused {
    sentence: String,
    /// A failure with this code, under its name.
    example: (String, Value),
}

impl Refused {
    /// As it occurs in the story. A code that does not occur there has the sentence of the error table.
    fn of(kind: OperationKind, code: Code, examples: &Examples) -> Refused {
        let met = examples.refused(kind, code).and_then(|exchange| exchange.answer.as_ref().err());
        let place = met.map_or(code.clause(), |refusal| refusal.clause).place();
        let message = met.map_or(code.sentence(), |refusal| &refusal.message);
        let value = json!({ "value": Failure { error: message.into(), code: code.name() } });
        Refused {
            sentence: format!("- `{code}`: {} ({place})", code.sentence()),
            example: (code.to_string(), value),
        }
    }
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

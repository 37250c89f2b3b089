//! The OpenAPI document, compared with real responses.

mod examples;
mod operator;
mod webhooks;

use std::cell::RefCell;
use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::{Value, json};
use tideover_model::{Cents, Code, OperationKind, Profile, Range};

use crate::support::{Answer, Caller, KEY, feed, invoice, world};

/// The document, and its observed parts.
struct Document {
    document: Value,
    /// Operations with the codes that they returned; `None` for a success.
    seen: RefCell<BTreeSet<(OperationKind, Option<Code>)>>,
}

impl Document {
    async fn of(caller: &Caller) -> Document {
        let document = caller.get("/_sim/openapi.json").await.json();
        Document { document, seen: RefCell::default() }
    }

    fn operation(&self, kind: OperationKind) -> &Value {
        &self.document["paths"][kind.path()][kind.method().to_ascii_lowercase()]
    }

    /// The violations of `schema` by `instance`.
    fn objections(&self, schema: &Value, instance: &Value) -> Vec<String> {
        objections(&self.document, schema, instance)
    }

    fn response(&self, kind: OperationKind, status: u16) -> &Value {
        let response = &self.operation(kind)["responses"][status.to_string()];
        assert!(response.is_object(), "{kind:?} does not answer {status}");
        response
    }

    /// Checks a response against the document.
    fn check(&self, kind: OperationKind, answer: &Answer) {
        let response = self.response(kind, answer.status);
        if answer.body.is_empty() {
            assert!(response.get("content").is_none(), "{kind:?} answers without a body");
            self.seen.borrow_mut().insert((kind, None));
            return;
        }
        let schema = &response["content"]["application/json"]["schema"];
        let body = answer.json();
        assert_eq!(self.objections(schema, &body), [""; 0], "{kind:?}: {body}");
        let code = (answer.status >= 300).then(|| Code::parse(&answer.code()).expect("a code"));
        self.seen.borrow_mut().insert((kind, code));
        // A control: without any one of its fields, the response violates the schema.
        for field in body.as_object().into_iter().flat_map(serde_json::Map::keys) {
            let mut maimed = body.clone();
            maimed.as_object_mut().unwrap().remove(field);
            let missed = self.objections(schema, &maimed).is_empty();
            assert_eq!(missed, field == "taxIdResult", "{kind:?} without {field}");
        }
    }
}

/// The violations by `instance` of a `schema` in `document`.
fn objections(document: &Value, schema: &Value, instance: &Value) -> Vec<String> {
    let mut root = schema.clone();
    root["components"] = document["components"].clone();
    let validator =
        jsonschema::options().should_validate_formats(true).build(&root).expect("a schema");
    validator.iter_errors(instance).map(|error| error.to_string()).collect()
}

/// A caller that checks all its exchanges against the document.
struct Checked {
    caller: Caller,
    document: Document,
}

impl Checked {
    async fn ask(&self, kind: OperationKind, names: &[&str], body: impl Into<Body>) -> Value {
        let media_type = match kind {
            OperationKind::ImportInvoices => "text/csv",
            _ => "application/json",
        };
        self.ask_with(kind, names, media_type, body).await
    }

    async fn ask_with(
        &self,
        kind: OperationKind,
        names: &[&str],
        media_type: &str,
        body: impl Into<Body>,
    ) -> Value {
        let answer = self.send(kind, names, media_type, KEY, body.into()).await;
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    }

    async fn send(
        &self,
        kind: OperationKind,
        names: &[&str],
        media_type: &str,
        key: &str,
        body: Body,
    ) -> Answer {
        let mut names = names.iter();
        let segments = kind.path().split('/').map(|segment| {
            if segment.starts_with('{') { names.next().copied().unwrap_or("none") } else { segment }
        });
        let request = Request::builder()
            .method(kind.method())
            .uri(segments.collect::<Vec<_>>().join("/"))
            .header(header::AUTHORIZATION, key)
            .header(header::CONTENT_TYPE, media_type);
        let answer = self.caller.send(request.body(body).unwrap()).await;
        self.document.check(kind, &answer);
        answer
    }

    /// Sends a body that satisfies the document.
    async fn ask_well(&self, kind: OperationKind, names: &[&str], body: Value) -> Value {
        let request = &self.document.operation(kind)["requestBody"];
        let schema = &request["content"]["application/json"]["schema"];
        assert_eq!(self.document.objections(schema, &body), [""; 0], "{kind:?}: {body}");
        self.ask(kind, names, body.to_string()).await
    }
}

const CSV: &str = "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,\
    issueDate,dueDate\nI,acme,Acme,Globex,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n\
    ,,,,,,,\n";

async fn checked(profile: Profile) -> Checked {
    let caller = Caller::of(&world(profile));
    let document = Document::of(&caller).await;
    Checked { caller, document }
}

#[tokio::test]
async fn every_operation_responds_as_described() {
    use OperationKind::*;
    let profile =
        Profile { concentration_limit: Range::exactly(Cents(1_000_000)), ..Profile::default() };
    let checked = checked(profile).await;
    businesses(&checked).await;
    advances(&checked).await;
    let api = &checked;

    api.ask(GetImport, &["i"], "").await;
    api.ask(ImportInvoices, &["i"], CSV).await;
    api.ask(GetImport, &["i"], "").await;
    api.ask(ImportInvoices, &["i"], format!("{CSV},,,,,,,\n")).await;
    api.ask(ImportInvoices, &["j"], "externalId").await;
    api.ask(ImportInvoices, &["j"], CSV.to_owned() + &",,,,,,,\n".repeat(1000)).await;
    api.ask_with(ImportInvoices, &["j"], "application/json", "{}").await;

    let hook = json!({ "url": "https://a.example/", "eventTypes": ["partner.loan.paid"] });
    let subscribed = api.ask_well(Subscribe, &[], hook.clone()).await;
    api.ask_well(Subscribe, &[], hook).await;
    api.ask_well(Subscribe, &[], json!({ "url": "http://127.0.0.1/" })).await;
    api.ask_well(Subscribe, &[], json!({ "url": "https://b.example/" })).await;
    api.ask(ListSubscriptions, &[], "").await;
    let reference = subscribed["reference"].as_str().unwrap();
    api.ask(Unsubscribe, &[reference], "").await;
    api.ask(Unsubscribe, &[reference], "").await;

    for kind in OperationKind::ALL {
        let sized = vec![b'x'; 1_048_577];
        api.ask(kind, &[], sized).await;
        api.ask(kind, &[], feed(|| Some(Err(std::io::ErrorKind::ConnectionReset.into())))).await;
        api.send(kind, &[], "application/json", "Bearer x", Body::empty()).await;
    }
    api.caller.act(json!({ "action": "upstreamFails", "requests": 14 })).await;
    let sync = json!({ "legalName": "A" });
    let quote = json!({ "externalId": "a", "invoiceFaceValue": 1 });
    let names = json!({ "payeeExternalId": "a", "invoiceExternalId": "b" });
    let account = json!({ "accountNumber": "1234", "routingNumber": "021000021" });
    for (kind, body) in [
        (GetInvoice, Value::Null),
        (SyncInvoice, invoice("a", "b")),
        (GetImport, Value::Null),
        (SetPayoutAccount, account),
        (GetBusiness, Value::Null),
        (SyncBusiness, sync),
        (RequestAdvance, names),
        (Quote, quote),
        (Invite, json!({ "externalId": "a", "email": "a@b.example" })),
        (CreateOnboardingSession, json!({ "externalId": "a" })),
        (Subscribe, json!({ "url": "x" })),
        (ListSubscriptions, Value::Null),
        (Unsubscribe, Value::Null),
    ] {
        assert_eq!(api.ask(kind, &[], body.to_string()).await["code"], "upstream_failed");
    }
    assert_eq!(api.ask(ImportInvoices, &[], CSV).await["code"], "upstream_failed");

    let seen = checked.document.seen.borrow();
    for kind in OperationKind::ALL {
        assert!(seen.contains(&(kind, None)), "{kind:?} never succeeded");
        let any = Code::OF_ANY_OPERATION.iter().filter(|code| **code != Code::InvalidRequest);
        for code in kind.codes().iter().chain(any) {
            assert!(seen.contains(&(kind, Some(*code))), "{kind:?} never answered {code}");
        }
    }
}

async fn businesses(api: &Checked) {
    use OperationKind::*;
    let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021",
        "label": "x" });
    api.ask(GetBusiness, &["acme"], "").await;
    api.ask_well(SetPayoutAccount, &["acme"], account.clone()).await;
    let invitation = json!({ "externalId": "acme", "email": "ada@acme.example" });
    api.ask_well(Invite, &[], invitation.clone()).await;
    api.ask_well(CreateOnboardingSession, &[], json!({ "externalId": "acme" })).await;
    let quote = json!({ "externalId": "acme", "invoiceFaceValue": 100_000 });
    api.ask_well(Quote, &[], quote.clone()).await;

    let sync = json!({ "legalName": "Acme LLC", "taxId": "12-3456789" });
    api.ask_well(SyncBusiness, &["acme"], sync.clone()).await;
    let again = api.ask_well(SyncBusiness, &["acme"], sync).await;
    assert_eq!(again["taxIdResult"], json!({ "outcome": "unchanged" }));
    api.ask(SyncBusiness, &["acme"], "{}").await;
    api.ask(GetBusiness, &["acme"], "").await;
    api.ask_well(SetPayoutAccount, &["acme"], account).await;
    let wrong = json!({ "accountNumber": "1234", "routingNumber": "021000022" });
    api.ask_well(SetPayoutAccount, &["acme"], wrong).await;
    api.ask_well(Invite, &[], invitation).await;
    api.ask(Invite, &[], json!({ "externalId": "acme", "email": "ada" }).to_string()).await;
    api.ask_well(CreateOnboardingSession, &[], json!({ "externalId": "acme" })).await;
    api.ask_well(Quote, &[], quote).await;
}

async fn advances(api: &Checked) {
    use OperationKind::*;
    let request = async |payee: &str, invoice: &str| {
        let names = json!({ "payeeExternalId": payee, "invoiceExternalId": invoice });
        api.ask_well(RequestAdvance, &[], names).await
    };
    api.ask(GetInvoice, &["nobody", "INV-1"], "").await;
    api.ask(GetInvoice, &["acme", "INV-1"], "").await;
    api.ask_well(SyncInvoice, &["INV-1"], invoice("acme", "globex")).await;
    api.ask(GetInvoice, &["acme", "INV-1"], "").await;
    assert_eq!(request("nobody", "INV-1").await["code"], "business_not_found");
    assert_eq!(request("acme", "none").await["code"], "invoice_not_found");
    assert_eq!(request("acme", "INV-1").await["code"], "business_not_eligible");

    api.caller.onboard().await;
    api.caller.advance_clock(300).await;
    api.ask(GetBusiness, &["acme"], "").await;
    let own = api.ask_well(SyncInvoice, &["INV-2"], invoice("acme", "acme")).await;
    assert_eq!(own["outcome"], "created");
    assert_eq!(request("acme", "INV-2").await["code"], "self_dealing");
    let mut voided = invoice("acme", "globex");
    voided["status"] = "VOIDED".into();
    api.ask_well(SyncInvoice, &["INV-3"], voided).await;
    assert_eq!(request("acme", "INV-3").await["code"], "invoice_not_financeable");
    assert_eq!(request("acme", "INV-1").await["alreadyRequested"], false);
    let repeated = request("acme", "INV-1").await;
    assert_eq!(repeated["alreadyRequested"], true);
    api.ask_well(SyncInvoice, &["INV-4"], invoice("acme", "globex")).await;
    assert_eq!(request("acme", "INV-4").await["code"], "concentration_exceeded");
    api.caller.advance_clock(86_400).await;
    api.ask(GetInvoice, &["acme", "INV-1"], "").await;

    // The constant distinguishes the variants.
    let schema = json!({ "$ref": "#/components/schemas/AdvanceResponse" });
    let mut neither = repeated;
    neither["alreadyRequested"] = false.into();
    assert!(!api.document.objections(&schema, &neither).is_empty());
}

#[tokio::test]
async fn bodies_outside_the_schema_are_invalid() {
    use OperationKind::*;
    let api = checked(Profile::default()).await;
    for (kind, body) in [
        (SyncBusiness, json!([])),
        (SyncBusiness, json!({ "legalName": "" })),
        (SyncBusiness, json!({ "legalName": "A", "taxId": null })),
        (SyncBusiness, json!({ "legalName": "A", "contact": null })),
        (SyncBusiness, json!({ "legalName": "A", "contact": [] })),
        (SyncBusiness, json!({ "legalName": "A", "contact": { "address": [] } })),
        (SyncBusiness, json!({ "legalName": "A", "contact": { "name": null } })),
        (SetPayoutAccount, json!({ "accountNumber": "123", "routingNumber": "021000021" })),
        (SetPayoutAccount, json!({ "accountNumber": "1234", "routingNumber": 21_000_021 })),
        (
            SetPayoutAccount,
            json!({ "accountNumber": "1234", "routingNumber": "021000021", "label": "" }),
        ),
        (Quote, json!({ "externalId": "", "invoiceFaceValue": 1 })),
        (Quote, json!({ "externalId": "a", "invoiceFaceValue": 0 })),
        (Quote, json!({ "externalId": "a", "invoiceFaceValue": 1.5 })),
        (Quote, json!({ "externalId": "a", "invoiceFaceValue": 2_147_483_648_u32 })),
        (RequestAdvance, json!({ "payeeExternalId": "", "invoiceExternalId": "" })),
        (Subscribe, json!({ "url": "https://a.example/", "eventTypes": [] })),
        (Subscribe, json!({ "url": "https://a.example/", "eventTypes": null })),
        (Subscribe, json!({ "url": "https://a.example/", "eventTypes": ["partner.x"] })),
        (Invite, json!({ "externalId": "a", "email": 1 })),
        (CreateOnboardingSession, json!({ "externalId": null })),
    ] {
        let request = &api.document.operation(kind)["requestBody"];
        let schema = &request["content"]["application/json"]["schema"];
        assert!(!api.document.objections(schema, &body).is_empty(), "{kind:?}: {body}");
        let answer = api.ask(kind, &["a"], body.to_string()).await;
        assert_eq!(answer["code"], "invalid_request", "{kind:?}: {body}");
    }
}

/// `gap.addressKnown`: the schema shows what an account needs, but the service refuses no incomplete address.
#[tokio::test]
async fn the_schema_requires_a_complete_address() {
    use OperationKind::*;
    let api = checked(Profile::default()).await;
    let request = &api.document.operation(SyncBusiness)["requestBody"];
    let schema = &request["content"]["application/json"]["schema"];
    let whole = json!({ "line1": "1 Quay", "city": "Portland", "state": "OR",
        "postalCode": "97201" });
    let sync = |address: Value| json!({ "legalName": "A", "contact": { "address": address } });
    api.ask_well(SyncBusiness, &["a"], sync(whole.clone())).await;
    for part in ["line1", "city", "state", "postalCode"] {
        let mut lacking = whole.clone();
        lacking.as_object_mut().unwrap().remove(part);
        let body = sync(lacking);
        assert!(!api.document.objections(schema, &body).is_empty(), "{body}");
        assert_eq!(api.ask(SyncBusiness, &["b"], body.to_string()).await["externalId"], "b");
    }
}

#[tokio::test]
async fn the_document_is_complete() {
    let document = Document::of(&Caller::standard()).await;
    assert_eq!(document.document["openapi"], "3.1.0");
    assert_eq!(
        document.document["components"]["securitySchemes"]["apiKey"],
        json!({ "type": "http", "scheme": "bearer" })
    );
    let mut ids = BTreeSet::new();
    for kind in OperationKind::ALL {
        let operation = document.operation(kind);
        assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()));
        let names: Vec<_> = operation["parameters"].as_array().unwrap().iter().collect();
        assert_eq!(names.len(), kind.path().matches('{').count());
        for parameter in names {
            let name = parameter["name"].as_str().unwrap();
            assert!(kind.path().contains(&format!("{{{name}}}")));
            assert_eq!((&parameter["in"], &parameter["required"]), (&json!("path"), &json!(true)));
        }
    }
    let operations = document.document["paths"].as_object().unwrap().values();
    let count: usize = operations.map(|path| path.as_object().unwrap().len()).sum();
    assert_eq!(count, OperationKind::ALL.len());
    let csv = document.operation(OperationKind::ImportInvoices);
    assert!(csv["requestBody"]["content"]["text/csv"].is_object());
    let text = document.document.to_string();
    for (_, reference) in text.match_indices("\"$ref\":\"#").map(|(at, found)| {
        let rest = &text[at + found.len()..];
        (at, &rest[..rest.find('"').unwrap()])
    }) {
        assert!(document.document.pointer(reference).is_some(), "{reference} leads nowhere");
    }
}

/// `9.versioning.2`, `7.shape.3`: future values in responses are no error for today's clients. Requests keep
/// their enumerations.
#[tokio::test]
async fn response_enumerations_are_open() {
    use OperationKind::*;
    let document = Document::of(&Caller::standard()).await;
    let schemas = document.document["components"]["schemas"].as_object().unwrap();
    let closed: Vec<&String> = schemas
        .iter()
        .filter(|(_, schema)| schema.get("enum").is_some())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(closed, ["EventType", "InvoiceStatus"], "requests alone have these");
    for kind in OperationKind::ALL {
        for (status, response) in document.operation(kind)["responses"].as_object().unwrap() {
            let schema = &response["content"]["application/json"]["schema"];
            assert!(!reaches(schema, schemas, &["enum", "allOf"]), "{kind:?} {status}: {schema}");
        }
    }
    let requested = &document.operation(SyncInvoice)["requestBody"]["content"]["application/json"];
    assert!(reaches(&requested["schema"], schemas, &["enum"]));
    let failure = json!({ "error": "Something new.", "code": "not_known_yet" });
    let schema = json!({ "$ref": "#/components/schemas/Failure" });
    assert_eq!(document.objections(&schema, &failure), [""; 0]);
}

/// Whether a schema, or a schema that it refers to, contains one of `words`.
fn reaches(schema: &Value, all: &serde_json::Map<String, Value>, words: &[&str]) -> bool {
    match schema {
        Value::Array(parts) => parts.iter().any(|part| reaches(part, all, words)),
        Value::Object(parts) => parts.iter().any(|(word, part)| match part.as_str() {
            Some(path) if word == "$ref" => {
                reaches(&all[path.rsplit('/').next().unwrap()], all, words)
            }
            _ => words.contains(&word.as_str()) || reaches(part, all, words),
        }),
        _ => false,
    }
}

#[tokio::test]
async fn the_profile_determines_statuses() {
    let mut profile = Profile::default();
    profile.success.insert(OperationKind::Quote.into(), 203);
    profile.refusals.insert(Code::InvoiceNotFound, 410);
    let document = Document::of(&Caller::of(&world(profile))).await;
    let codes = |kind, status| {
        let content = &document.response(kind, status)["content"]["application/json"];
        assert_eq!(content["schema"], json!({ "$ref": "#/components/schemas/Failure" }));
        let examples = content["examples"].as_object().unwrap();
        for (code, example) in examples {
            assert_eq!(example["value"]["code"], *code);
            assert_eq!(document.objections(&content["schema"], &example["value"]), [""; 0]);
        }
        examples.keys().cloned().collect::<Vec<_>>()
    };
    document.response(OperationKind::Quote, 203);
    assert!(document.operation(OperationKind::Quote)["responses"].get("200").is_none());
    assert_eq!(codes(OperationKind::GetInvoice, 410), ["invoice_not_found"]);
    // For an advance, the document states the status.
    let both = ["business_not_found", "invoice_not_found"];
    assert_eq!(codes(OperationKind::RequestAdvance, 404), both);
    assert!(document.operation(OperationKind::RequestAdvance)["responses"].get("410").is_none());
}

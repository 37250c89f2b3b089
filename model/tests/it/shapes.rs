//! The shape of every body, compared with snapshots and with the hand-written examples in `fixtures/wire`.
//!
//! Tests the clauses of single fields: `2.invoice.externalId`, `2.invoice.status`,
//! `2.invoice.faceValue`, `2.invoice.advance.2`, `2.invoiceSynced.externalId`, `2.invoiceSynced.outcome`,
//! `2.invoiceSynced.reason`, `2.importReport.externalId`, `2.importReport.rowCount`,
//! `2.importReport.finished`, `2.importReport.extra`, `2.importReport.rows`, `2.business.externalId`,
//! `2.business.name`, `2.business.taxIdOnFile`, `2.business.complianceRoute`, `2.business.onboarding`,
//! `2.business.remittance`, `2.remittance.accountNumber`, `2.remittance.routingNumber`,
//! `2.businessSynced.externalId`, `2.businessSynced.created`, `2.businessSynced.reason`,
//! `2.businessSynced.taxIdResult`, `2.payoutAccount.externalId`, `2.payoutAccount.mask`,
//! `2.advance.alreadyRequested`, `2.advance.financeableAmount`, `2.advance.advanceAmount`,
//! `2.advance.feeTotal`, `2.advance.forwardedAtPayment`, `2.advance.remittance`,
//! `2.quote.financeableAmount`, `2.quote.advanceAmount`, `2.quote.feeTotal`,
//! `2.quote.forwardedAtPayment`, `2.quote.extra`, `2.invitation.inviteId`, `2.invitation.expiresAt`,
//! `2.session.url`, `2.session.expiresAt`, `2.subscription.secret`, `2.subscription.reference`.

#![expect(clippy::disallowed_methods, reason = "reads the fixtures")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::desk::{Desk, Seen, invoice_body, plain};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/wire")
}

/// The JSON files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Value> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    files
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            (name, serde_json::from_str(&text).expect("a fixture is JSON"))
        })
        .collect()
}

/// A value with its type in place of each leaf.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => json!("null"),
        Value::Bool(_) => json!("boolean"),
        Value::Number(number) => json!(if number.is_i64() { "integer" } else { "number" }),
        Value::String(_) => json!("string"),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), shape(field))).collect()
        }
    }
}

/// Sends the request of a fixture.
fn send(desk: &mut Desk, request: &Value) -> Seen {
    let (method, path) = (plain(&request["method"]), plain(&request["path"]));
    match request["text"].as_str() {
        None => desk.send(method, path, &request["body"]),
        Some(text) => {
            let content_type = request["contentType"].as_str();
            Seen::of(&desk.exchange(method, path, content_type, text.as_bytes()))
        }
    }
}

const PAYEE_EVENTS: [&str; 2] = ["partner.loan.issued", "partner.loan.paid"];

/// A service in which the request of the fixture gets the fixture's kind of response.
fn prepared(name: &str, request: &mut Value, all: &BTreeMap<String, Value>) -> Desk {
    let mut desk = Desk::open();
    match name {
        "put-business" => {
            desk.put("/v1/organizations/acme", &json!({ "legalName": "Acme" }));
        }
        "put-payout-account" | "post-invitation" | "post-onboarding-session" => {
            desk.sync_business("acme", "123456789");
        }
        "post-quote" => {
            desk.sync_business("acme", "123456789");
            desk.set_payout_account("acme");
        }
        "get-business" => desk.onboard("acme", "123456789"),
        "post-advance" => {
            desk.onboard("acme", "123456789");
            desk.sync_invoice("acme", "INV-1", 1_000_000);
        }
        "post-advance-repeat" | "put-invoice" | "get-invoice" => {
            desk.onboard("acme", "123456789");
            desk.sync_invoice("acme", "INV-1", 1_000_000);
            desk.request_advance("acme", "INV-1");
            if name == "get-invoice" {
                desk.fund();
                desk.pay("acme", "INV-1", 300_000);
                let mut sync = invoice_body("acme", "globex", 1_000_000);
                sync["status"] = json!("PARTIALLY_PAID");
                desk.put("/v1/invoices/INV-1", &sync);
            }
        }
        "put-import" | "get-import" => {
            desk.onboard("harbor", "123456789");
            desk.sync_invoice("harbor", "INV-102", 99_900);
            desk.request_advance("harbor", "INV-102");
            if name == "get-import" {
                send(&mut desk, &all["put-import"]["request"]);
            }
        }
        "post-webhook" => {}
        "get-webhooks" => {
            let url = "https://hooks.first.example/in";
            desk.post("/v1/webhooks", &json!({ "url": url, "eventTypes": PAYEE_EVENTS }));
            desk.subscribe();
        }
        "delete-webhook" => {
            desk.subscribe();
            let listed = desk.get("/v1/webhooks").body;
            request["path"] = json!(format!("/v1/webhooks/{}", plain(&listed[0]["reference"])));
        }
        unknown => panic!("no state is known for the fixture {unknown}"),
    }
    desk
}

/// `2.invoice.advance.2`, `2.advance.intro.2`: keys and types equal the fixtures', in both directions.
#[test]
fn responses_have_the_shape_of_the_examples() {
    let all = files(&fixtures());
    assert_eq!(all.len(), 16, "fifteen answers and an error");
    for (name, fixture) in &all {
        let (seen, expected) = if name == "error" {
            let mut desk = Desk::open();
            desk.sync_business("acme", "123456789");
            desk.sync_invoice("acme", "INV-1", 1_000);
            (desk.request_advance("acme", "INV-1"), fixture.clone())
        } else {
            let mut request = fixture["request"].clone();
            let mut desk = prepared(name, &mut request, &all);
            (send(&mut desk, &request), fixture["response"].clone())
        };
        assert_eq!(seen.status, expected["status"], "{name}: {seen:?}");
        let shapes = (shape(&seen.body), shape(&expected["body"]));
        assert_eq!(shapes.0, shapes.1, "{name}");
        assert_eq!(seen.body["code"], expected["body"]["code"], "{name}");
    }
}

/// A life that causes every kind of event once.
fn life() -> Desk {
    let mut desk = Desk::open();
    desk.subscribe();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    desk.request_advance("acme", "INV-1");
    desk.fund();
    desk.pay("acme", "INV-1", 1_000_000);
    desk
}

/// `gap.eventPayload`, `6.delivery.5`, `6.delivery.6`, `6.events.intro.2`
#[test]
fn events_have_the_shape_of_the_examples() {
    let fixtures = files(&fixtures().join("events"));
    assert_eq!(fixtures.len(), 9);
    let events = life().events();
    for (name, fixture) in &fixtures {
        let kind = plain(&fixture["type"]);
        assert_eq!(kind, format!("partner.{}", name.replacen('-', ".", 1)));
        let of_kind: Vec<_> = events.iter().filter(|event| event["type"] == kind).collect();
        assert!(!of_kind.is_empty(), "no event of the life is a {kind}");
        for event in of_kind {
            assert_eq!(shape(event), shape(fixture), "{name}");
        }
    }
}

/// The bytes of every response and every event: review them when they change.
#[test]
fn answers_and_events_look_as_they_did() {
    let all = files(&fixtures());
    let mut answers = serde_json::Map::new();
    for (name, fixture) in all.iter().filter(|(name, _)| *name != "error") {
        let mut request = fixture["request"].clone();
        let mut desk = prepared(name, &mut request, &all);
        let seen = send(&mut desk, &request);
        answers.insert(name.clone(), json!({ "status": seen.status, "body": seen.body }));
    }
    insta::assert_json_snapshot!("answers", answers);
    insta::assert_json_snapshot!("events", life().events());
}

/// `7.shape.1`, `7.shape.error`, `7.shape.code`: one refusal of each kind that a request can cause.
#[test]
fn refusals_look_as_they_did() {
    let mut refusals = Vec::new();
    let mut desk = life();
    desk.put("/v1/organizations/new", &json!({ "legalName": "New" }));
    desk.sync_invoice("new", "INV-1", 1_000);
    desk.put("/v1/invoices/own", &invoice_body("acme", "acme", 1_000));
    let mut voided = invoice_body("acme", "globex", 1_000);
    voided["status"] = json!("VOIDED");
    desk.put("/v1/invoices/void", &voided);
    for (method, path, body) in [
        ("GET", "/v1/nothing", json!(null)),
        ("GET", "/v1/organizations/none", json!(null)),
        ("GET", "/v1/organizations/acme/invoices/none", json!(null)),
        ("GET", "/v1/invoices/imports/none", json!(null)),
        ("DELETE", "/v1/webhooks/none", json!(null)),
        ("PUT", "/v1/organizations/acme", json!({})),
        ("PUT", "/v1/organizations/acme", json!({ "legalName": 7 })),
        ("PUT", "/v1/organizations/acme", json!({ "legalName": "A", "contact": { "name": 7 } })),
        ("POST", "/v1/quotes", json!({ "externalId": "acme", "invoiceFaceValue": 0 })),
        ("POST", "/v1/advances", json!({ "payeeExternalId": "acme", "invoiceExternalId": "own" })),
        ("POST", "/v1/advances", json!({ "payeeExternalId": "acme", "invoiceExternalId": "void" })),
        ("POST", "/v1/advances", json!({ "payeeExternalId": "new", "invoiceExternalId": "INV-1" })),
        ("POST", "/v1/invitations", json!({ "externalId": "acme", "email": "ada" })),
        ("POST", "/v1/webhooks", json!({ "url": "https://10.0.0.1/" })),
        ("POST", "/v1/webhooks", json!({ "url": "https://hooks.example.com/in" })),
        ("PUT", "/v1/organizations/acme/payout-account", {
            json!({ "accountNumber": "1234", "routingNumber": "021000022" })
        }),
        ("PUT", "/v1/invoices/imports/one", json!({})),
    ] {
        let seen = desk.send(method, path, &body);
        let request = format!("{method} {path} {body}");
        refusals.push(json!({ "request": request, "status": seen.status, "body": seen.body }));
    }
    insta::assert_json_snapshot!("refusals", refusals);
}

//! The webhooks of the partner API's document, compared with real deliveries.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tideover_model::SigningKey;
use tideover_model::signature::Rejection;
use tideover_model::words::EventType;

use super::Document;
use crate::support::Caller;

/// The request for an event.
fn webhook(document: &Document, event: &str) -> Value {
    let webhook = document.document["webhooks"][event]["post"].clone();
    assert!(webhook.is_object(), "{event}");
    webhook
}

fn content(webhook: &Value) -> &Value {
    &webhook["requestBody"]["content"]["application/json"]
}

fn header<'a>(webhook: &'a Value, name: &str) -> &'a str {
    let headers = webhook["parameters"].as_array().unwrap();
    let header = headers.iter().find(|header| header["name"] == name).unwrap();
    assert_eq!((&header["in"], &header["required"]), (&json!("header"), &json!(true)));
    header["example"].as_str().unwrap()
}

#[tokio::test]
async fn the_signature_of_every_example_is_valid() {
    let document = Document::of(&Caller::standard()).await;
    let created = document.response(tideover_model::OperationKind::Subscribe, 201);
    let created = &created["content"]["application/json"]["examples"]["subscribed"]["value"];
    let key = SigningKey::new(created["secret"].as_str().unwrap());
    let mut deliveries = BTreeSet::new();
    for event in EventType::ALL {
        let webhook = webhook(&document, event.name());
        let example = &content(&webhook)["examples"]["delivered"];
        let about = example["description"].as_str().unwrap();
        let raw = about.split('`').find(|text| text.starts_with('{')).unwrap();
        let body: Value = serde_json::from_str(raw).unwrap();
        assert_eq!(body, example["value"]);
        assert_eq!(body["type"], event.name());
        assert!(about.contains(created["secret"].as_str().unwrap()), "{about}");
        let signature = header(&webhook, "Service-Signature");
        let at = signature[2..signature.find(',').unwrap()].parse().unwrap();
        let judge = |raw: &str| key.verify(Some(signature.as_bytes()), raw.as_bytes(), at);
        assert_eq!(judge(raw), Ok(()), "{event:?}");
        assert_eq!(judge(&raw.replace("acme", "Acme")), Err(Rejection::DigestDiffers));
        assert!(deliveries.insert(header(&webhook, "Service-Delivery").to_owned()));
    }
}

#[tokio::test]
async fn every_delivery_is_as_described() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.onboard().await;
    caller.advance_clock(300).await;
    let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(caller.post("/v1/advances", names.clone()).await.status, 201);
    caller.advance_clock(3630).await;
    let mut pays = names;
    pays["action"] = "payorPays".into();
    pays["amount"] = 1_000_000.into();
    assert_eq!(caller.act(pays).await.status, 200);

    let document = Document::of(&caller).await;
    let deliveries = caller.get("/_sim/deliveries").await.json();
    let mut seen = BTreeSet::new();
    for delivery in deliveries["deliveries"].as_array().unwrap() {
        let body = &delivery["body"];
        let event = body["type"].as_str().unwrap();
        seen.insert(event.to_owned());
        let webhook = webhook(&document, event);
        let schema = &content(&webhook)["schema"];
        assert_eq!(document.objections(schema, body), [""; 0], "{body}");
        // A control: no field can be missing, and the type is the event's own.
        let path = schema["$ref"].as_str().unwrap().trim_start_matches('#');
        let described = &document.document.pointer(path).unwrap()["properties"];
        for field in body.as_object().unwrap().keys() {
            assert!(described.get(field).is_some(), "{event}: {field}");
            let mut maimed = body.clone();
            maimed.as_object_mut().unwrap().remove(field);
            assert!(!document.objections(schema, &maimed).is_empty(), "{event} without {field}");
        }
        for field in body["data"].as_object().unwrap().keys() {
            let mut maimed = body.clone();
            maimed["data"].as_object_mut().unwrap().remove(field);
            assert!(!document.objections(schema, &maimed).is_empty(), "{event} without {field}");
        }
        let mut other = body.clone();
        other["type"] = "partner.x".into();
        assert!(!document.objections(schema, &other).is_empty(), "{event}");
    }
    let names = EventType::ALL.map(|event| event.name().to_owned());
    assert_eq!(seen, BTreeSet::from(names));
    let webhooks = document.document["webhooks"].as_object().unwrap();
    assert_eq!(webhooks.len(), EventType::ALL.len());
    for webhook in webhooks.values() {
        let answers: Vec<_> = webhook["post"]["responses"].as_object().unwrap().keys().collect();
        assert_eq!(answers, ["2XX", "410", "default"]);
    }
}

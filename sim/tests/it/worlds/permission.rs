//! The options of a mock hold for each of its worlds, whatever a document says that one is made from.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tideover_sim::{Destinations, Mock};

use super::{ACME, Desk, acme};
use crate::receiver::Receiver;

const PRIVATE: [&str; 3] =
    ["http://10.9.8.7/", "https://169.254.169.254/latest", "http://localhost:9/"];

/// Whether the world of a key refuses all private destinations.
async fn refuses(desk: &Desk, key: &str) {
    for url in PRIVATE {
        let (status, answer) = desk.post(key, "/v1/webhooks", json!({ "url": url })).await;
        assert_eq!((status, &answer["code"]), (422, &json!("destination_refused")), "{key} {url}");
    }
}

/// Asserts that nothing is sent to the subscription that came with the document.
async fn sends_nothing(desk: &Desk, key: &str, receiver: &Receiver) {
    desk.put(key, ACME, acme()).await;
    let wait = json!({ "patienceSeconds": 20 });
    assert_eq!(desk.post(key, "/_sim/deliveries/wait", wait).await.1["quiet"], true);
    let (_, log) = desk.get(key, "/_sim/deliveries").await;
    let attempts = log["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|it| it["attempts"].as_array().unwrap());
    let problems: Vec<&str> = attempts.map(|it| it["problem"].as_str().unwrap()).collect();
    assert!(
        !problems.is_empty() && problems.iter().all(|why| why.contains("--webhooks local")),
        "{problems:?}"
    );
    assert!(receiver.received().is_empty());
}

/// A snapshot of a mock that sends anywhere, with a subscription of a receiver on this machine.
async fn permissive(receiver: &Receiver) -> (Desk, Vec<u8>) {
    let desk = Desk::of(Mock::builder().webhooks(Destinations::Anywhere)).await;
    let hook = json!({ "url": receiver.url });
    assert_eq!(desk.post("rap_sk_local", "/v1/webhooks", hook).await.0, 201);
    let snapshot = desk.snapshot("default").await;
    (desk, snapshot)
}

#[tokio::test]
async fn a_snapshot_brings_no_permission_of_its_own() {
    let receiver = Receiver::good().await;
    let (_, snapshot) = permissive(&receiver).await;
    let desk = Desk::of(Mock::builder()).await;
    let (name, keys) = desk.world(json!({})).await;
    for (world, key) in [("default", "rap_sk_local"), (&*name, &*keys[0])] {
        assert_eq!(desk.restore(world, &snapshot).await.0, 200);
        refuses(&desk, key).await;
        sends_nothing(&desk, key, &receiver).await;
    }
    let (status, fork) = desk.post("", "/_sim/worlds/w1/fork", Value::Null).await;
    assert_eq!(status, 200);
    refuses(&desk, fork["keys"][0]["key"].as_str().unwrap()).await;
    assert_eq!(desk.post(&keys[0], "/_sim/reset", Value::Null).await.0, 200);
    refuses(&desk, &keys[0]).await;
    let (_, made) = desk.world(json!({ "scenario": "onboarded", "grease": true })).await;
    refuses(&desk, &made[0]).await;
}

#[tokio::test]
async fn a_greased_snapshot_brings_none_either() {
    let receiver = Receiver::good().await;
    let greased = Desk::of(Mock::builder().webhooks(Destinations::Anywhere).grease(true)).await;
    let hook = json!({ "url": receiver.url });
    greased.post("rap_sk_local", "/v1/webhooks", hook).await;
    let snapshot = greased.snapshot("default").await;
    let desk = Desk::of(Mock::builder()).await;
    assert_eq!(desk.restore("default", &snapshot).await.0, 200);
    refuses(&desk, "rap_sk_local").await;
}

#[tokio::test]
async fn a_state_file_brings_no_permission_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let receiver = Receiver::good().await;
    let desk = Desk::of(Mock::builder().webhooks(Destinations::Anywhere).state(&file)).await;
    let (_, keys) = desk.world(json!({})).await;
    for key in ["rap_sk_local", &keys[0]] {
        let hook = json!({ "url": receiver.url });
        assert_eq!(desk.post(key, "/v1/webhooks", hook).await.0, 201);
    }
    desk.mock.stop_and_save().await.unwrap();
    let desk = Desk::of(Mock::builder().state(&file)).await;
    assert!(desk.mock.has_loaded_state());
    for key in ["rap_sk_local", &keys[0]] {
        refuses(&desk, key).await;
        sends_nothing(&desk, key, &receiver).await;
    }
}

/// The mock permits more than the document did.
#[tokio::test]
async fn a_document_takes_no_permission_away() {
    let strict = Desk::of(Mock::builder()).await;
    let snapshot = strict.snapshot("default").await;
    let receiver = Receiver::good().await;
    let desk = Desk::of(Mock::builder().webhooks(Destinations::Local)).await;
    assert_eq!(desk.restore("default", &snapshot).await.0, 200);
    let hook = json!({ "url": receiver.url });
    assert_eq!(desk.post("rap_sk_local", "/v1/webhooks", hook).await.0, 201);
    desk.put("rap_sk_local", ACME, acme()).await;
    assert!(desk.mock.quiet(Duration::from_secs(20)).await.quiet);
    assert_eq!(receiver.received().len(), 1);
}

/// No option gives a clock such a speed, and so no document does.
#[tokio::test]
async fn a_document_brings_no_impossible_speed() {
    let desk = Desk::of(Mock::builder()).await;
    let text = String::from_utf8(desk.snapshot("default").await).unwrap();
    let state = &text[text.find("\"state\":").unwrap() + 8..text.len() - 1];
    let fast = state.replacen("\"speed\":null", "\"speed\":4294967295", 1);
    assert_ne!(fast, state);
    let document = tideover_model::Sealed { format: "tideover-world", version: 3 }.seal(&fast);
    let path = "/_sim/worlds/default/snapshot";
    let (status, answer) = desk.bytes("", Method::PUT, path, document).await;
    let answer = String::from_utf8(answer).unwrap();
    assert!(status == 400 && answer.contains("times as fast"), "{answer}");
}

//! Long answers of the operator port are made piece by piece.

use axum::body::{Body, HttpBody};
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tideover_model::Destinations;
use tideover_sim::{JournalFilter, Mock};
use tower::ServiceExt;

use crate::support::{Caller, KEY, Raw};

/// A mock with some 16 MB in its journal.
async fn full() -> (Mock, Caller) {
    let mock = Mock::start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let name = "x".repeat(40_000);
    for number in 0..400 {
        let path = format!("/v1/organizations/b-{number}");
        assert_eq!(caller.put(&path, json!({ "legalName": name })).await.status, 200);
    }
    (mock, caller)
}

async fn asked(mock: &Mock, path: &str) -> Body {
    let request = Request::get(path).header("authorization", KEY).body(Body::empty()).unwrap();
    mock.router().oneshot(request).await.unwrap().into_body()
}

async fn frame(body: &mut Body) -> Vec<u8> {
    let frame = body.frame().await.map(|frame| frame.unwrap().into_data().unwrap());
    frame.unwrap_or_default().to_vec()
}

#[tokio::test]
async fn a_long_journal_comes_in_pieces() {
    let (mock, caller) = full().await;
    for path in ["/_sim/journal", "/_sim/journal.har", "/_sim/journal?text=xxx"] {
        let mut body = asked(&mock, path).await;
        assert_eq!(body.size_hint().exact(), None);
        let mut whole = Vec::new();
        loop {
            let piece = frame(&mut body).await;
            if piece.is_empty() {
                break;
            }
            // A piece ends with the entry in which it is full.
            assert!(piece.len() < 200_000, "{path}: {}", piece.len());
            whole.extend(piece);
        }
        let document: Value = serde_json::from_slice(&whole).unwrap();
        let entries = document.get("entries").unwrap_or(&document["log"]["entries"]);
        assert_eq!(entries.as_array().unwrap().len(), 400, "{path}");
        if path == "/_sim/journal" {
            assert_eq!(*entries, json!(mock.journal()));
            assert_eq!((&document["next"], &document["dropped"]), (&json!(400), &json!(0)));
        }
    }
    let short = caller.get("/_sim/journal?after=399").await;
    assert_eq!(short.headers["content-type"], "application/json");
    assert_eq!(short.json()["entries"].as_array().unwrap().len(), 1);
    let short = asked(&mock, "/_sim/journal?after=399").await;
    assert!(short.size_hint().exact().is_some(), "one piece has a length");
}

/// What is asked for is the journal of that moment, as far as it is still there.
#[tokio::test]
async fn a_journal_that_changes_meanwhile_stays_a_document() {
    let (mock, caller) = full().await;
    let mut body = asked(&mock, "/_sim/journal").await;
    let mut whole = frame(&mut body).await;
    caller.get("/v1/webhooks").await;
    whole.extend(body.collect().await.unwrap().to_bytes());
    let document: Value = serde_json::from_slice(&whole).unwrap();
    assert_eq!(
        (document["entries"].as_array().unwrap().len(), &document["next"]),
        (400, &json!(400))
    );

    let mut body = asked(&mock, "/_sim/journal").await;
    let mut whole = frame(&mut body).await;
    caller.post("/_sim/reset", Value::Null).await;
    for _ in 0..5 {
        caller.get("/v1/webhooks").await;
    }
    whole.extend(body.collect().await.unwrap().to_bytes());
    let document: Value = serde_json::from_slice(&whole).unwrap();
    let paths = document["entries"].as_array().unwrap().iter().map(|entry| &entry["path"]);
    assert!(paths.clone().count() < 20, "no more after a reset");
    assert!(paths.into_iter().all(|path| path.as_str().unwrap().contains("organizations")));
    assert_eq!(mock.count_requests(&JournalFilter::new()), 5);
}

#[tokio::test]
async fn all_deliveries_and_all_worlds_are_listed() {
    let mock = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    // Nobody listens there.
    caller.post("/v1/webhooks", json!({ "url": "http://127.0.0.1:9/" })).await;
    for number in 0..150 {
        let path = format!("/v1/organizations/b-{number}");
        caller.put(&path, json!({ "legalName": "Acme" })).await;
        caller.post("/_sim/worlds", json!({})).await;
    }
    let listed = caller.get("/_sim/deliveries").await.json();
    let numbers =
        listed["deliveries"].as_array().unwrap().iter().map(|it| it["index"].as_u64().unwrap());
    assert!(numbers.eq(0..150), "{listed}");
    assert_eq!((&listed["next"], &listed["dropped"]), (&json!(150), &json!(0)));
    let last = caller.get("/_sim/deliveries?after=149").await.json();
    assert_eq!(last["deliveries"].as_array().unwrap().len(), 1);
    for beyond in ["150", "18446744073709551615"] {
        let none = caller.get(&format!("/_sim/deliveries?after={beyond}")).await.json();
        assert_eq!(none["deliveries"], json!([]));
    }
    let worlds = caller.get("/_sim/worlds").await.json();
    let names =
        worlds["worlds"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned());
    let expected = (1..=150).map(|number| format!("w{number}"));
    assert!(names.eq(std::iter::once("default".to_owned()).chain(expected)), "{worlds}");
}

/// The documents of four readers that take nothing are in memory. The fifth waits until the first ones are gone.
#[tokio::test]
async fn a_reader_that_stalls_holds_no_document_for_ever() {
    let limits =
        tideover_sim::Limits { pause: std::time::Duration::from_millis(50), ..Default::default() };
    let mock = Mock::builder().limits(limits).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    for number in 0..12 {
        let name = json!({ "legalName": "x".repeat(1_000_000) });
        assert_eq!(caller.put(&format!("/v1/organizations/b-{number}"), name).await.status, 200);
    }
    let mut readers = Vec::new();
    for _ in 0..4 {
        let mut reader = Raw::connect(mock.address()).await;
        reader.write("GET /_sim/worlds/default/snapshot HTTP/1.1\r\nhost: x\r\n\r\n").await;
        let head = reader.head().await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        readers.push(reader);
    }
    let answer = caller.get("/_sim/worlds/default/snapshot").await;
    // Twelve names of a million letters, and what else a world has.
    assert_eq!((answer.status, answer.body.len() > 12_000_000), (200, true), "{}", answer.status);
    // One that nobody reads at all is gone at once.
    for _ in 0..20 {
        drop(asked(&mock, "/_sim/worlds/default/snapshot").await);
    }
}

//! What a mock takes on is bounded, and what is refused names the bound.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tideover_sim::{JournalLimits, Limits, Mock};
use tower::ServiceExt;

use crate::support::{Answer, Caller};

async fn bounded(limits: Limits) -> (Mock, Caller) {
    let mock = Mock::builder().limits(limits).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    (mock, caller)
}

fn names(answer: &Answer, option: &str) {
    let said = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(said.contains(option), "{said}");
}

#[tokio::test]
async fn a_mock_has_at_most_so_many_worlds() {
    let (_mock, caller) = bounded(Limits { worlds: 3, ..Limits::default() }).await;
    assert_eq!(caller.post("/_sim/worlds", json!({})).await.status, 200);
    assert_eq!(caller.post("/_sim/worlds/w1/fork", Value::Null).await.status, 200);
    for path in ["/_sim/worlds", "/_sim/worlds/w1/fork"] {
        let refused = caller.post(path, json!({})).await;
        refused.refused(409, "action_refused");
        names(&refused, "at most 3 worlds");
        names(&refused, "--max-worlds");
    }
    caller.delete("/_sim/worlds/w1").await;
    assert_eq!(caller.post("/_sim/worlds", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_world_has_at_most_so_many_subscriptions() {
    let (_mock, caller) = bounded(Limits { subscriptions: 2, ..Limits::default() }).await;
    let subscribe = async |number: u32| {
        let url = format!("https://hooks.example/{number}");
        caller.post("/v1/webhooks", json!({ "url": url })).await
    };
    assert_eq!(subscribe(1).await.status, 201);
    let second = subscribe(2).await.json();
    // Whoever comes first in the ladder of refusals stays there.
    subscribe(2).await.refused(409, "already_subscribed");
    let snapshot = caller.get("/_sim/worlds/default/snapshot").await.body;
    for _ in 0..2 {
        let refused = subscribe(3).await;
        refused.refused(422, "destination_refused");
        names(&refused, "at most 2 subscriptions");
        names(&refused, "--max-subscriptions");
        // A document does not lift the bound.
        assert_eq!(
            caller.bytes("PUT", "/_sim/worlds/default/snapshot", snapshot.clone()).await.status,
            200
        );
    }
    let gone = format!("/v1/webhooks/{}", second["reference"].as_str().unwrap());
    assert_eq!(caller.delete(&gone).await.status, 204);
    assert_eq!(subscribe(3).await.status, 201);
    caller.post("/_sim/reset", Value::Null).await;
    assert_eq!(
        (subscribe(1).await.status, subscribe(2).await.status, subscribe(3).await.status),
        (201, 201, 422)
    );
}

#[tokio::test]
async fn at_most_so_many_requests_wait() {
    let (mock, caller) = bounded(Limits { waiting: 1, ..Limits::default() }).await;
    let events = Request::get("/_sim/events").body(Body::empty()).unwrap();
    let mut stream = mock.router().oneshot(events).await.unwrap().into_body();
    stream.frame().await.unwrap().unwrap();
    let wait = json!({ "patienceSeconds": 0 });
    for path in ["/_sim/journal/wait", "/_sim/deliveries/wait"] {
        let refused = caller.post(path, wait.clone()).await;
        refused.refused(409, "action_refused");
        names(&refused, "1 requests wait already");
        names(&refused, "--max-waiting");
    }
    caller.get("/_sim/events").await.refused(409, "action_refused");
    drop(stream);
    while caller.post("/_sim/journal/wait", wait.clone()).await.status != 200 {
        tokio::task::yield_now().await;
    }
}

/// The largest journal gives first, and all together keep no more than is allowed.
#[tokio::test]
async fn all_journals_together_are_bounded() {
    let limits = Limits { journals: 100_000, ..Limits::default() };
    let (_mock, caller) = bounded(limits).await;
    let made = caller.post("/_sim/worlds", json!({})).await.json();
    let small = caller.with_key(made["keys"][0]["key"].as_str().unwrap());
    for _ in 0..3 {
        small.get("/v1/webhooks").await;
    }
    let name = "x".repeat(4000);
    for _ in 0..100 {
        caller.put("/v1/organizations/acme", json!({ "legalName": name })).await;
        let journal = caller.get("/_sim/journal").await.json();
        assert!(journal["entries"].as_array().unwrap().len() * 4000 < 100_000, "{journal}");
    }
    let large = caller.get("/_sim/journal").await.json();
    let entries = large["entries"].as_array().unwrap();
    assert_eq!(
        (&large["next"], entries.last().unwrap()["number"].as_u64()),
        (&json!(100), Some(99))
    );
    assert_eq!(large["dropped"].as_u64().unwrap() as usize, 100 - entries.len());
    assert!((10..25).contains(&entries.len()), "{}", entries.len());
    assert_eq!(small.get("/_sim/journal").await.json()["dropped"], 0);
    // What is gone with its world makes room.
    caller.delete("/_sim/worlds/w1").await;
    caller.post("/_sim/reset", Value::Null).await;
    for _ in 0..10 {
        caller.put("/v1/organizations/acme", json!({ "legalName": name })).await;
    }
    assert_eq!(caller.get("/_sim/journal").await.json()["dropped"], 0);
}

#[tokio::test]
async fn a_budget_smaller_than_a_request_keeps_nothing() {
    let limits = Limits { journals: 1, ..Limits::default() };
    let mock =
        Mock::builder().limits(limits).journal(JournalLimits::default()).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    for number in 1..4 {
        caller.get("/v1/webhooks").await;
        let journal = caller.get("/_sim/journal").await.json();
        assert_eq!(journal, json!({ "entries": [], "next": number, "dropped": number }));
    }
}

/// Whatever a request is too long in, the refusal repeats little of it.
#[tokio::test]
async fn a_refusal_of_the_operator_port_is_short() {
    let (_mock, caller) = bounded(Limits::default()).await;
    let long = "€".repeat(3000);
    let encoded = "%E2%82%AC".repeat(3000);
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    let mut answers = Vec::new();
    for path in [
        format!("/_sim/journal?{encoded}=1"),
        format!("/_sim/journal?operation={encoded}"),
        format!("/_sim/journal?code={encoded}"),
        format!("/_sim/journal/count?clause={encoded}"),
        format!("/_sim/journal.har?after={encoded}"),
        format!("/_sim/deliveries?{encoded}=1"),
        format!("/_sim/deliveries?type={encoded}"),
        format!("/_sim/deliveries?state={encoded}"),
        format!("/_sim/objections?payee={encoded}&invoice={encoded}"),
        format!("/_sim/objections?payee=acme&invoice={encoded}"),
        format!("/_sim/worlds/{encoded}"),
        format!("/_sim/{encoded}"),
    ] {
        answers.push(caller.get(&path).await);
    }
    let field = |name: &str| json!({ name: long });
    for (path, body) in [
        ("/_sim/actions", json!({ "action": long })),
        ("/_sim/actions", json!({ "action": "payorPays", long.clone(): 1 })),
        ("/_sim/actions", json!({ "action": "collectionAccountOpens", "payeeExternalId": long })),
        (
            "/_sim/actions",
            json!({ "action": "vendorConfirmsTaxId", "payeeExternalId": "acme", "route": long }),
        ),
        (
            "/_sim/actions",
            json!({ "action": "vendorAcceptsInvitation", "payeeExternalId": "acme", "email": long }),
        ),
        ("/_sim/actions", json!({ "action": "vendorOpensSession", "url": long })),
        ("/_sim/actions", json!({ "action": "revokeKey", "key": long })),
        ("/_sim/clock", json!({ long.clone(): 1 })),
        ("/_sim/clock", field("advanceTo")),
        ("/_sim/journal/wait", json!({ long.clone(): 1 })),
        ("/_sim/journal/wait", json!({ "filter": { long.clone(): [] } })),
        ("/_sim/journal/wait", json!({ "filter": { "operation": long } })),
        ("/_sim/faults", json!({ long.clone(): 1 })),
        ("/_sim/faults", field("act")),
        ("/_sim/faults", json!({ "act": "requestRepeated", "operation": long })),
        ("/_sim/worlds", json!({ long.clone(): 1 })),
        ("/_sim/worlds", field("scenario")),
        ("/_sim/worlds", json!({ "profile": { long.clone(): 1 } })),
    ] {
        answers.push(caller.post(path, body).await);
    }
    let format = json!({ "format": long, "version": 1 }).to_string();
    answers.push(caller.bytes("PUT", "/_sim/worlds/default/snapshot", format).await);
    for answer in answers {
        assert!((400..500).contains(&answer.status), "{answer:?}");
        answer.json();
        assert!(answer.body.len() < 1200, "{}: {answer:?}", answer.body.len());
    }
}

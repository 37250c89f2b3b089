//! Rules of faults through the operator port.

use axum::body::Body;
use serde_json::{Value, json};

use crate::support::{Answer, Caller};

async fn add(caller: &Caller, body: Value) -> Answer {
    caller.post("/_sim/faults", body).await
}

async fn listed(caller: &Caller) -> Value {
    caller.get("/_sim/faults").await.json()["faults"].clone()
}

async fn delete(caller: &Caller, path: &str) -> Answer {
    caller.bytes("DELETE", path, Body::empty()).await
}

#[tokio::test]
async fn rules_are_added_listed_and_deleted() {
    let caller = Caller::standard();
    assert_eq!(listed(&caller).await, json!([]));
    let drops = json!({ "act": "upstreamFails", "when": "beforeCommit", "operation": "list_subscriptions",
        "nth": 2 });
    assert_eq!(add(&caller, drops).await.json(), json!({ "ids": [1] }));
    let more = json!({ "rules": [
        { "act": "answerCut", "afterBytes": 1, "identifier": "acme", "label": "half" },
        { "act": "answerDelayed", "milliseconds": 0, "percent": 100 },
    ] });
    assert_eq!(add(&caller, more).await.json(), json!({ "ids": [2, 3] }));
    for status in [200, 502] {
        assert_eq!(caller.get("/v1/webhooks").await.status, status);
    }
    let expected = json!([
        { "id": 1, "label": "upstreamFails.beforeCommit", "operation": "list_subscriptions", "nth": 2,
            "act": "upstreamFails", "when": "beforeCommit", "matched": 2, "fired": 1 },
        { "id": 2, "label": "half", "identifier": "acme", "act": "answerCut", "afterBytes": 1,
            "matched": 0, "fired": 0 },
        { "id": 3, "label": "answerDelayed", "percent": 100, "act": "answerDelayed", "milliseconds": 0,
            "matched": 2, "fired": 1 },
    ]);
    assert_eq!(listed(&caller).await, expected);
    assert_eq!(delete(&caller, "/_sim/faults/2").await.json(), json!({ "applied": true }));
    for gone in
        ["/_sim/faults/2", "/_sim/faults/0", "/_sim/faults/x", "/_sim/faults/99999999999999999999"]
    {
        delete(&caller, gone).await.refused(404, "unknown_fault");
    }
    assert_eq!(listed(&caller).await.as_array().unwrap().len(), 2);
    assert_eq!(delete(&caller, "/_sim/faults").await.json(), json!({ "applied": true }));
    assert_eq!(listed(&caller).await, json!([]));
    assert_eq!(
        add(&caller, json!({ "act": "requestRepeated" })).await.json(),
        json!({ "ids": [4] })
    );
    caller.post("/_sim/reset", json!({})).await;
    assert_eq!(listed(&caller).await, json!([]));
}

#[tokio::test]
async fn a_bad_rule_is_refused_with_its_field() {
    let caller = Caller::standard();
    let good = json!({ "act": "requestRepeated" });
    for (body, expected) in [
        (json!(3), "the body: expected a rule, or {\"rules\": [RULE, …]}, got 3."),
        (
            json!({ "rules": [], "act": "requestRepeated" }),
            "act: no such field. The only field is rules.",
        ),
        (json!({ "rules": good }), "rules: expected a list of rules, got an object."),
        (json!({ "rules": [good, 3] }), "rules[1]: expected an object"),
        (json!({ "rules": [good, {}] }), "rules[1].act: expected one of upstreamFails, "),
        (json!({ "act": "requestRepeated", "percent": 101 }), "percent: expected a whole number"),
        (
            json!({ "act": "requestRepeated", "times": 1 }),
            "times: requestRepeated has only the fields",
        ),
        (
            json!({ "act": "requestRepeated", "operation": "quotes" }),
            "operation: expected one of get_invoice",
        ),
        (
            json!({ "act": "deliveryDropped", "operation": "quote" }),
            "operation: deliveryDropped has only the fields label, event, payee, invoice, nth, percent, act, attempts",
        ),
        (
            json!({ "act": "upstreamFails", "when": "afterCommit", "event": "partner.loan.paid" }),
            "event: upstreamFails has only the fields label, operation, identifier, ",
        ),
        (
            json!({ "act": "deliveryLate", "seconds": 0 }),
            "seconds: expected a whole number from 1 to 100800, got 0",
        ),
        (
            json!({ "act": "deliverySwapped", "event": "partner.loan" }),
            "event: expected one of partner.organization.added, ",
        ),
        (
            json!({ "act": "upstreamFails", "when": "later" }),
            "when: expected beforeCommit or afterCommit",
        ),
    ] {
        let answer = add(&caller, body).await;
        answer.refused(400, "invalid_request");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.starts_with(expected), "{error}");
    }
    caller.bytes("POST", "/_sim/faults", "{").await.refused(400, "unreadable_request");
    let stranger = caller.with_key("never issued");
    for method in ["GET", "POST", "DELETE"] {
        stranger.bytes(method, "/_sim/faults", "{}").await.refused(401, "unauthorized");
    }
    delete(&stranger, "/_sim/faults/1").await.refused(401, "unauthorized");
    assert_eq!(listed(&caller).await, json!([]), "nothing was added");
}

#[tokio::test]
async fn a_world_has_a_bounded_number_of_rules() {
    let caller = Caller::standard();
    let rules = |count| json!({ "rules": vec![json!({ "act": "requestRepeated" }); count] });
    add(&caller, rules(101)).await.refused(409, "action_refused");
    assert_eq!(add(&caller, rules(100)).await.status, 200);
    add(&caller, rules(1)).await.refused(409, "action_refused");
    assert_eq!(add(&caller, rules(0)).await.json(), json!({ "ids": [] }));
    delete(&caller, "/_sim/faults/7").await;
    assert_eq!(add(&caller, rules(1)).await.json(), json!({ "ids": [101] }));
}

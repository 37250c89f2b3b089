//! What was done to a world beside the API, and where that stands among requests and webhooks.

use serde_json::{Value, json};
use tideover_model::{Destinations, Timestamp};
use tideover_sim::{ClockChoice, Mock};

use crate::support::{Caller, invoice};

async fn seen(caller: &Caller, after: u64) -> Vec<Value> {
    let answer = caller.get(&format!("/_sim/interventions?after={after}")).await.json();
    answer["interventions"].as_array().unwrap().clone()
}

/// The names of fields that are not null, with their values, except the number and the time.
fn shown(intervention: &Value) -> Value {
    let fields = intervention.as_object().unwrap().iter();
    let present = fields
        .filter(|(name, value)| !value.is_null() && !["number", "time"].contains(&name.as_str()));
    present
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[tokio::test]
async fn each_is_listed_with_what_it_is_about() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await;
    caller.act(json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": "acme" })).await;
    caller.post("/_sim/clock", json!({ "advanceSeconds": 60 })).await;
    let pays = json!({
        "action": "payorPays", "payeeExternalId": "acme", "invoiceExternalId": "INV-1", "amount": 5,
    });
    caller.act(pays).await;
    let starts = json!({
        "action": "fundingStarts", "payeeExternalId": "acme", "invoiceExternalId": "INV-1",
    });
    let refused = caller.act(starts).await;
    let rules = json!({ "rules": [{ "act": "requestRepeated", "label": "twice" }, { "act": "deliverySwapped" }] });
    caller.post("/_sim/faults", rules).await;
    caller.delete("/_sim/faults/1").await;
    caller.delete("/_sim/faults").await;
    caller.delete("/_sim/faults").await;
    let about = |kind: &str, mut more: Value| {
        more["kind"] = kind.into();
        more["nextRequest"] = 2.into();
        more
    };
    let all = seen(&caller, 0).await;
    let mut all_shown: Vec<Value> = all.iter().map(shown).collect();
    let first = all_shown[0]["nextDelivery"].take();
    assert!(
        all_shown[1]["nextDelivery"].as_u64() > first.as_u64(),
        "onboarding causes webhooks: {all:?}"
    );
    all_shown.iter_mut().for_each(|it| drop(it.as_object_mut().unwrap().remove("nextDelivery")));
    let expected = [
        about("action", json!({ "action": "vendorCompletesOnboarding", "payee": "acme" })),
        about("clockMoved", json!({ "until": "2026-01-01T00:01:00Z" })),
        about(
            "action",
            json!({ "action": "payorPays", "payee": "acme", "invoice": "INV-1", "amount": 5 }),
        ),
        about(
            "action",
            json!({
                "action": "fundingStarts", "payee": "acme", "invoice": "INV-1", "refused": refused.json()["error"],
            }),
        ),
        about("faultAdded", json!({ "fault": "twice" })),
        about("faultAdded", json!({ "fault": "deliverySwapped" })),
        about("faultRemoved", json!({ "fault": "twice" })),
        about("faultsCleared", json!({})),
    ];
    assert_eq!(all_shown, expected);
    assert_eq!(
        (&all[1]["time"], &all[2]["time"]),
        (&json!("2026-01-01T00:00:00Z"), &json!("2026-01-01T00:01:00Z"))
    );
    assert_eq!(seen(&caller, 7).await, all[7..]);
    assert_eq!(caller.get("/_sim/overview").await.json()["nextIntervention"], 8);
}

#[tokio::test]
async fn a_refused_move_of_the_clock_says_why() {
    let caller = Caller::standard();
    let back = json!({ "advanceTo": "2025-12-31T00:00:00Z" });
    let refused = caller.post("/_sim/clock", back).await;
    assert_eq!(refused.status, 409);
    let [moved] = &seen(&caller, 0).await[..] else { panic!("one move") };
    assert_eq!(
        (&moved["kind"], &moved["refused"]),
        (&json!("clockMoved"), &refused.json()["error"])
    );
    assert_eq!(moved["until"], moved["time"]);
}

#[tokio::test]
async fn a_reset_begins_the_log_again() {
    let caller = Caller::standard();
    caller.post("/_sim/clock", json!({ "advanceSeconds": 60 })).await;
    caller.get("/v1/webhooks").await;
    caller.post("/_sim/reset", json!({})).await;
    let all = seen(&caller, 0).await;
    let expected =
        json!({ "kind": "action", "action": "reset", "nextRequest": 0, "nextDelivery": 0 });
    assert_eq!((all.len(), shown(&all[0])), (1, expected));
    assert_eq!(all[0]["time"], "2026-01-01T00:00:00Z");
}

#[tokio::test]
async fn keys_in_what_callers_name_are_masked() {
    let caller = Caller::standard();
    caller
        .act(json!({ "action": "markTestAccount", "externalId": "rap_sk_0123456789abcdef" }))
        .await;
    caller.act(json!({ "action": "revokeKey", "key": "rap_sk_0123456789abcdef" })).await;
    let text = json!(seen(&caller, 0).await).to_string();
    assert!(text.contains("rap_sk_…cdef") && !text.contains("0123456789"), "{text}");
}

/// A subscription to the mock's own receiver: its webhooks are accepted, and one that is sent again is listed.
#[tokio::test]
async fn the_receiver_accepts_what_the_mock_sends() {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let mock =
        Mock::builder().webhooks(Destinations::Local).start_at(start).clock(ClockChoice::Still);
    let mock = mock.start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let url = format!("{}/_sim/receiver", mock.url());
    assert_eq!(caller.post("/v1/webhooks", json!({ "url": url })).await.status, 201);
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme Ltd" })).await;
    caller.post("/_sim/deliveries/wait", json!({})).await;
    let sent = caller.get("/_sim/deliveries").await.json()["deliveries"][0].clone();
    assert_eq!(sent["state"], "accepted", "{sent}");
    let id = sent["id"].as_str().unwrap();
    caller.post(&format!("/_sim/deliveries/{id}/resend"), json!({})).await;
    let again = seen(&caller, 0).await;
    assert_eq!((&again[0]["kind"], &again[0]["delivery"]), (&json!("resent"), &json!(id)));
}

#[tokio::test]
async fn the_names_of_clauses_are_explained() {
    let caller = Caller::standard();
    let refused = caller.get("/v1/organizations/nobody").await;
    let name = refused.headers["tideover-clause"].to_str().unwrap();
    let clauses = caller.get("/_sim/clauses").await.json();
    let clauses = clauses["clauses"].as_array().unwrap();
    let clause = clauses.iter().find(|it| it["name"] == name).unwrap();
    assert_eq!((&clause["reason"], &clause["profile"]), (&Value::Null, &Value::Null));
    assert!(
        clause["wording"].as_str().unwrap().len() > 10
            && clause["place"].as_str().unwrap().starts_with('§')
    );
    let assumed = clauses.iter().find(|it| it["name"] == "gap.bodyLimit").unwrap();
    assert!(assumed["reason"].is_string() && assumed["profile"].is_string(), "{assumed}");
}

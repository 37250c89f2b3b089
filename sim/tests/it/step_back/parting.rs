//! Where two worlds part.

use serde_json::{Value, json};
use tideover_sim::Mock;

use crate::support::{Caller, invoice};

/// The last common entry, and the first of each world after it: `world entry what`.
async fn parting(caller: &Caller, one: &str, other: &str) -> Option<[String; 3]> {
    let path = format!("/_sim/worlds/{one}/parting?with={other}");
    let answer = caller.get(&path).await.json();
    if answer["shared"] == json!(false) {
        for name in ["lastCommon", "here", "there"] {
            assert_eq!(answer[name], Value::Null, "{answer}");
        }
        return None;
    }
    let named = |entry: &Value| {
        let words = ["world", "entry", "what"].map(|it| entry[it].as_str().unwrap_or("?"));
        if entry.is_null() { "–".to_owned() } else { words.join(" ") }
    };
    Some(["lastCommon", "here", "there"].map(|name| named(&answer[name])))
}

async fn fork(caller: &Caller, of: &str, body: Value) -> (String, Caller) {
    let made = caller.post(&format!("/_sim/worlds/{of}/fork"), body).await.json();
    let key = made["keys"][0]["key"].as_str().unwrap();
    (made["id"].as_str().unwrap().to_owned(), caller.with_key(key))
}

async fn sync(caller: &Caller, number: u32) {
    let path = format!("/v1/invoices/INV-{number}");
    assert_eq!(caller.put(&path, invoice("acme", "globex")).await.status, 200);
}

fn is(entries: [&str; 3]) -> Option<[String; 3]> {
    Some(entries.map(str::to_owned))
}

#[tokio::test]
async fn copies_part_where_they_were_made() {
    let mock = Mock::start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let at_once = fork(&caller, "default", json!({})).await;
    sync(&caller, 1).await;
    caller.advance_clock(60).await;
    let (early, one) = fork(&caller, "default", json!({})).await;
    assert_eq!(
        parting(&caller, "default", &early).await,
        is(["default i0 the clock moved to 2026-01-01T00:01:00Z", "–", "–"])
    );
    sync(&caller, 2).await;
    sync(&caller, 3).await;
    let (late, other) = fork(&caller, "default", json!({ "at": 1 })).await;
    let issue = json!({ "action": "issueKey" });
    one.act(issue.clone()).await;
    sync(&one, 4).await;
    sync(&other, 5).await;
    let moved = "default i0 the clock moved to 2026-01-01T00:01:00Z";
    let (second, third) =
        ("default 1 PUT /v1/invoices/INV-2 → 200", "default 2 PUT /v1/invoices/INV-3 → 200");
    let of_early = format!("{early} i0 issueKey");
    let of_late = format!("{late} 0 PUT /v1/invoices/INV-5 → 200");
    assert_eq!(parting(&caller, "default", &early).await, is([moved, second, &of_early]));
    assert_eq!(parting(&caller, &early, "default").await, is([moved, &of_early, second]));
    assert_eq!(parting(&caller, "default", &late).await, is([second, third, &of_late]));
    // Two copies of one world part where the earlier was made; the later goes on in the original.
    assert_eq!(parting(&caller, &early, &late).await, is([moved, &of_early, second]));
    assert_eq!(parting(&caller, &late, &early).await, is([moved, second, &of_early]));
    // A copy of a copy.
    let (grandchild, deep) = fork(&caller, &late, json!({ "at": "start" })).await;
    sync(&deep, 6).await;
    let of_deep = format!("{grandchild} 0 PUT /v1/invoices/INV-6 → 200");
    assert_eq!(parting(&caller, &grandchild, "default").await, is([second, &of_deep, third]));
    assert_eq!(parting(&caller, &late, &grandchild).await, is([second, &of_late, &of_deep]));
    assert_eq!(
        parting(&caller, &at_once.0, "default").await,
        is(["–", "–", "default 0 PUT /v1/invoices/INV-1 → 200"])
    );
    assert_eq!(parting(&caller, "default", "default").await, is([third, "–", "–"]));
    mock.stop().await;
}

/// What caused a webhook is a part of the state at it, and so of what a copy from there shares.
#[tokio::test]
async fn a_copy_from_a_webhook_shares_what_caused_it() {
    let mock = Mock::start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    sync(&caller, 1).await;
    caller.act(json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": "acme" })).await;
    let deliveries = caller.get("/_sim/deliveries").await.json();
    let of = |event: &str| {
        let all = deliveries["deliveries"].as_array().unwrap();
        let found = all.iter().find(|it| it["event"] == event).unwrap();
        json!({ "at": format!("d{}", found["index"]) })
    };
    let synced = "default 1 PUT /v1/invoices/INV-1 → 200";
    let onboarded = "default i0 vendorCompletesOnboarding acme";
    let (by_request, _) = fork(&caller, "default", of("partner.invoice.created")).await;
    assert_eq!(parting(&caller, &by_request, "default").await, is([synced, "–", onboarded]));
    let (by_action, _) = fork(&caller, "default", of("partner.organization.optedIn")).await;
    assert_eq!(parting(&caller, &by_action, "default").await, is([onboarded, "–", "–"]));
    mock.stop().await;
}

#[tokio::test]
async fn what_shares_nothing_does_not_part() {
    let mock = Mock::start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    sync(&caller, 1).await;
    let made = caller.post("/_sim/worlds", json!({})).await.json();
    assert_eq!(parting(&caller, "default", made["id"].as_str().unwrap()).await, None);
    let (copy, _) = fork(&caller, "default", json!({})).await;
    let (sibling, _) = fork(&caller, "default", json!({})).await;
    // The original is gone from the history of a copy that is reset, and the other way round.
    caller.post(&format!("/_sim/worlds/{copy}/reset"), json!({})).await;
    assert_eq!(parting(&caller, "default", &copy).await, None);
    let first = "default 0 PUT /v1/invoices/INV-1 → 200";
    assert_eq!(parting(&caller, "default", &sibling).await, is([first, "–", "–"]));
    let (third, _) = fork(&caller, "default", json!({})).await;
    caller.post("/_sim/reset", json!({})).await;
    assert_eq!(parting(&caller, "default", &sibling).await, None);
    assert_eq!(parting(&caller, &third, &sibling).await, is([first, "–", "–"]));
    caller.get("/_sim/worlds/default/parting?with=w99").await.refused(404, "unknown_world");
    caller.get("/_sim/worlds/default/parting").await.refused(400, "invalid_request");
    mock.stop().await;
}

//! No journal and no archive has a whole key or signing secret, wherever a client sends it.

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::{Value, json};
use tideover_sim::Mock;

use crate::support::Caller;

/// Sends a request with `secret` in its path, its query, a header and its body, and to an unknown path.
async fn leak(caller: &Caller, key: &str, secret: &str) {
    for path in ["/v1/organizations/acme", "/nowhere"] {
        let request = Request::put(format!("{path}?key={secret}&again={secret}"))
            .header(header::AUTHORIZATION, format!("Bearer {key}"))
            .header("x-api-key", secret)
            .header("x-note", format!("use {secret}, please"))
            .header(header::CONTENT_TYPE, "application/json");
        let body = json!({ "legalName": format!("Acme {secret}"), secret: 1 });
        caller.send(request.body(Body::from(body.to_string())).unwrap()).await;
    }
    caller.get(&format!("/v1/organizations/{secret}")).await;
}

async fn shown(caller: &Caller) -> String {
    let mut all = String::new();
    for path in ["/_sim/journal", "/_sim/journal.har", "/_sim/journal/unexpected"] {
        let answer = caller.get(path).await;
        answer.json();
        all.push_str(str::from_utf8(&answer.body).unwrap());
    }
    all
}

#[tokio::test]
async fn keys_and_secrets_are_masked_wherever_they_stand() {
    let mock = Mock::start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let issued = caller.act(json!({ "action": "issueKey", "platform": "second" })).await.json();
    let key = issued["key"].as_str().unwrap();
    let made = caller.post("/_sim/worlds", json!({ "platforms": 2 })).await.json();
    let hook = json!({ "url": "https://hooks.example/" });
    let secret = caller.post("/v1/webhooks", hook).await.json();
    let secret = secret["secret"].as_str().unwrap();
    let others = made["keys"].as_array().unwrap().iter().map(|key| key["key"].as_str().unwrap());
    let secrets: Vec<&str> = [key, secret, "rap_sk_local", "live_sk_0123456789abcdef"]
        .into_iter()
        .chain(others)
        .collect();
    for secret in &secrets {
        leak(&caller, "rap_sk_local", secret).await;
    }
    let shown = shown(&caller).await + &format!("{:?}", mock.journal());
    for secret in &secrets {
        assert!(!shown.contains(secret), "{secret}");
        let end = &secret[secret.len() - 4..];
        assert!(shown.contains(&format!("…{end}")), "{secret}");
    }
}

/// A key that a later action issues is one of the world already: the seed decides it.
#[tokio::test]
async fn a_key_is_masked_before_it_is_issued() {
    let caller = Caller::standard();
    let twin = Caller::standard();
    let issued = twin.act(json!({ "action": "issueKey" })).await.json();
    let key = issued["key"].as_str().unwrap();
    leak(&caller, key, key).await;
    assert!(!shown(&caller).await.contains(key));
}

#[tokio::test]
async fn a_chosen_key_is_masked_too() {
    let mock = Mock::builder().api_key("our-own-test-key").start().await.unwrap();
    let caller = Caller::of_mock(&mock).with_key("our-own-test-key");
    leak(&caller, "our-own-test-key", "our-own-test-key").await;
    let shown = shown(&caller).await;
    assert!(!shown.contains("our-own-test-key") && shown.contains("…-key"), "{shown}");
}

/// The rest of a request stays as it was sent, and what differs is marked: nobody repeats it by mistake.
#[tokio::test]
async fn a_masked_request_is_marked() {
    let caller = Caller::standard();
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    caller.put("/v1/organizations/acme", json!({ "legalName": "rap_sk_0123456789" })).await;
    let journal = caller.get("/_sim/journal").await.json();
    let [plain, masked] = journal["entries"].as_array().unwrap().as_slice() else {
        panic!("{journal}")
    };
    assert_eq!((plain.get("masked"), &masked["masked"]), (None, &json!(true)));
    let body = &masked["request"]["body"];
    assert_eq!(body["text"], json!({ "legalName": "rap_sk_…6789" }).to_string());
    assert!(body.get("cut").is_none(), "{body}");
    let archive = caller.get("/_sim/journal.har").await.json();
    let marks = archive["log"]["entries"].as_array().unwrap().iter().map(|it| it.get("_masked"));
    assert_eq!(marks.collect::<Vec<_>>(), [None, Some(&Value::Bool(true))]);
}

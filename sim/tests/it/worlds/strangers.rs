//! Keys that no world knows.

use reqwest::Method;
use serde_json::{Value, json};
use tideover_sim::Mock;

use super::{ACME, Desk};

impl Desk {
    async fn requests(&self) -> usize {
        self.mock.journal().len()
    }
}

#[tokio::test]
async fn a_key_of_a_world_that_is_gone_reaches_no_other() {
    let desk = Desk::open().await;
    let (id, keys) = desk.world(Value::Null).await;
    assert_eq!(desk.ask("", Method::DELETE, "/_sim/worlds/w1", Value::Null).await.0, 200);
    let fault = json!({ "act": "upstreamFails", "when": "beforeCommit" });
    assert_eq!(desk.post(desk.mock.api_key(), "/_sim/faults", fault).await.0, 200);
    let why = format!("the world {id} is gone");
    for (key, why) in [(&*keys[0], &*why), ("rap_sk_w9_local", "is not one that was issued")] {
        for (method, path) in [
            (Method::GET, "/v1/webhooks"),
            (Method::PUT, ACME),
            (Method::GET, "/_sim/clock"),
            (Method::POST, "/_sim/reset"),
            (Method::GET, "/_sim/events"),
        ] {
            let (status, body) = desk.ask(key, method, path, json!({})).await;
            assert_eq!((status, &body["code"]), (401, &json!("unauthorized")), "{path}");
            assert!(body["error"].as_str().unwrap().contains(why), "{path}: {body}");
        }
        let (status, body) = desk.get(key, "/v1/nothing").await;
        assert_eq!((status, &body["code"]), (404, &json!("unknown_endpoint")));
        let impossible = desk.mock.as_platform(key).upstream_fails(1).unwrap_err().to_string();
        assert!(impossible.contains(why), "{impossible}");
    }
    assert_eq!((desk.requests().await, desk.mock.faults()[0].matched), (0, 0));
    // A key that names no world concerns the default one.
    assert_eq!(desk.get("rap_sk_0", "/v1/webhooks").await.0, 502);
    assert_eq!((desk.requests().await, desk.mock.faults()[0].matched), (1, 1));
}

#[tokio::test]
async fn the_usual_first_key_is_not_issued_if_another_one_is() {
    let desk = Desk::of(Mock::builder().api_key("test-key")).await;
    for path in [ACME, "/_sim/clock"] {
        let (status, body) = desk.get("rap_sk_local", path).await;
        let error = body["error"].as_str().unwrap();
        assert!(status == 401 && error.contains("is not one that was issued"), "{path}: {error}");
    }
    assert_eq!(desk.mock.journal()[0].code.unwrap().name(), "unauthorized");
}

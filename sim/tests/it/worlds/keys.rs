//! The keys of a copy.

use serde_json::{Value, json};
use tideover_sim::Mock;

use super::{ACME, Desk};

/// The keys in an answer, each with its platform.
fn keys(made: &Value) -> Vec<(String, String)> {
    let text = |key: &Value, name: &str| key[name].as_str().unwrap().to_owned();
    let keys = made["keys"].as_array().unwrap().iter();
    keys.map(|key| (text(key, "platform"), text(key, "key"))).collect()
}

#[tokio::test]
async fn a_copy_returns_every_live_key_with_its_platform() {
    let desk = Desk::of(Mock::builder().api_key("test-key")).await;
    let (_, made) = desk.post("", "/_sim/worlds", json!({ "platforms": ["b", "a", "b"] })).await;
    let original = keys(&made);
    let platforms: Vec<&str> = original.iter().map(|(platform, _)| &**platform).collect();
    assert_eq!(platforms, ["local", "b", "b", "a"]);
    assert_eq!(original[0].1, "rap_sk_w1_local");
    let first = &original[0].1;
    let revoke = json!({ "action": "revokeKey", "key": original[3].1 });
    assert_eq!(desk.post(first, "/_sim/actions", revoke).await.0, 200);
    let issue = json!({ "action": "issueKey", "platform": "c" });
    let (_, later) = desk.post(first, "/_sim/actions", issue).await;
    let mut expected = original[..3].to_vec();
    expected.push(("c".into(), later["key"].as_str().unwrap().into()));
    for (platform, key) in &expected {
        let business = json!({ "legalName": platform });
        desk.put(key, &format!("/v1/organizations/{platform}"), business).await;
    }
    let renamed = |name: &str, first: &str| -> Vec<(String, String)> {
        let key = |key: &str| {
            if key.ends_with("_local") { first.into() } else { key.replacen("_w1_", name, 1) }
        };
        expected.iter().map(|(platform, it)| (platform.clone(), key(it))).collect()
    };
    let (_, fork) = desk.post("", "/_sim/worlds/w1/fork", Value::Null).await;
    assert_eq!(keys(&fork), renamed("_w2_", "rap_sk_w2_local"));
    let snapshot = desk.snapshot("w1").await;
    let (_, restored) = desk.restore("default", &snapshot).await;
    assert_eq!(keys(&restored), renamed("_", "test-key"));
    for (platform, key) in keys(&fork).into_iter().chain(keys(&restored)) {
        assert_eq!(desk.get(&key, &format!("/v1/organizations/{platform}")).await.0, 200, "{key}");
        assert_eq!(desk.get(&key, ACME).await.0, 404, "{key}");
    }
}

/// Who has several worlds and sends no key learns which one it was.
#[tokio::test]
async fn a_call_without_a_key_says_which_world_it_took() {
    let desk = Desk::open().await;
    let taken = async |key: Option<&str>, path: &str| {
        let request = desk.client.get(format!("{}{path}", desk.mock.url()));
        let request = match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        let answer = request.send().await.unwrap();
        answer.headers().get("tideover-world").map(|it| it.to_str().unwrap().to_owned())
    };
    assert_eq!(taken(None, "/_sim/clock").await, None, "there is only one");
    let (_, keys) = desk.world(json!({})).await;
    assert_eq!(taken(None, "/_sim/clock").await.as_deref(), Some("default"));
    assert_eq!(taken(Some(&keys[0]), "/_sim/clock").await, None);
    assert_eq!(taken(None, "/_sim/worlds").await, None, "it is about all of them");
}

//! Worlds that expire when nobody uses them.

use serde_json::{Value, json};

use super::{ACME, Desk};
use crate::support::Caller;

impl Desk {
    /// Looking at the list does not count as a use.
    async fn has(&self, world: &str) -> bool {
        let (_, list) = self.get("", "/_sim/worlds").await;
        list["worlds"].as_array().unwrap().iter().any(|it| it["id"] == world)
    }

    async fn fork(&self, world: &str, body: Value) -> String {
        let (status, made) = self.post("", &format!("/_sim/worlds/{world}/fork"), body).await;
        assert_eq!(status, 200, "{made}");
        made["id"].as_str().unwrap().to_owned()
    }
}

/// Whoever is younger and unused expires first.
#[tokio::test]
async fn a_world_in_use_does_not_expire() {
    let desk = Desk::open().await;
    let soon = || json!({ "expiresAfterIdleSeconds": 2 });
    let (watched, keys) = desk.world(soon()).await;
    let url = format!("{}/_sim/events", desk.mock.url());
    let stream = desk.client.get(url).bearer_auth(&keys[0]).send().await.unwrap();
    let (asked, keys) = desk.world(soon()).await;
    let caller = Caller::of_mock(&desk.mock).with_key(&keys[0]);
    let wait = json!({ "count": 1, "patienceSeconds": 3600 });
    let waiting = {
        let caller = caller.clone();
        tokio::spawn(async move { caller.post("/_sim/journal/wait", wait).await })
    };
    let (younger, _) = desk.world(soon()).await;
    while desk.has(&younger).await {}
    assert!(desk.has(&watched).await && desk.has(&asked).await);
    drop(stream);
    assert_eq!(caller.get(ACME).await.status, 404);
    assert_eq!(waiting.await.unwrap().json()["reached"], true);
    assert!(desk.has(&asked).await, "the time begins anew");
    while desk.has(&watched).await || desk.has(&asked).await {}
}

#[tokio::test]
async fn a_fork_expires_as_its_original_unless_it_is_told_otherwise() {
    let desk = Desk::open().await;
    let (original, _) = desk.world(json!({ "expiresAfterIdleSeconds": 2 })).await;
    let later = desk.fork(&original, json!({ "expiresAfterIdleSeconds": 3600 })).await;
    let same = desk.fork(&original, Value::Null).await;
    let of_one_that_stays = desk.fork("default", json!({ "expiresAfterIdleSeconds": 2 })).await;
    let kept = desk.fork("default", json!({})).await;
    let path = "/_sim/worlds/default/fork";
    let (status, body) = desk.post("", path, json!({ "seed": 7 })).await;
    let error = body["error"].as_str().unwrap();
    assert!(status == 400 && error.starts_with("seed: no such field."), "{error}");
    for gone in [original, same, of_one_that_stays] {
        while desk.has(&gone).await {}
    }
    assert!(desk.has(&later).await && desk.has(&kept).await);
}

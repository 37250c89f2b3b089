//! Who waits in a world that is deleted or replaced.

use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{ACME, Desk, acme};
use crate::receiver::{Reaction, Receiver};
use crate::support::{Answer, Caller};

/// The time after which a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longer than the test's own patience.
const WAIT: &str = r#"{ "patienceSeconds": 3600 }"#;
const SNAPSHOT: &str = "/_sim/worlds/w1/snapshot";

struct Ending {
    desk: Desk,
    /// Of the world that ends.
    caller: Caller,
    snapshot: Vec<u8>,
    _receiver: Receiver,
}

impl Ending {
    /// A world `w1`, in which an attempt is in flight, and its snapshot from before.
    async fn of_a_busy_world() -> Ending {
        let receiver = Receiver::start(|_, _| Reaction::Hang).await;
        let desk = Desk::open().await;
        let (id, keys) =
            desk.world(json!({ "profile": { "webhooks": { "patience": 3_600_000 } } })).await;
        let snapshot = desk.snapshot(&id).await;
        let subscription = json!({ "url": receiver.url });
        assert_eq!(desk.post(&keys[0], "/v1/webhooks", subscription).await.0, 201);
        assert_eq!(desk.put(&keys[0], ACME, acme()).await.0, 200);
        while receiver.received().is_empty() {
            tokio::task::yield_now().await;
        }
        let caller = Caller::of_mock(&desk.mock).with_key(&keys[0]);
        Ending { desk, caller, snapshot, _receiver: receiver }
    }

    async fn end(&self, by: &str) {
        let ended = match by {
            "DELETE" => self.caller.delete("/_sim/worlds/w1").await,
            _ => self.caller.bytes("PUT", SNAPSHOT, self.snapshot.clone()).await,
        };
        assert_eq!(ended.status, 200, "{ended:?}");
    }

    /// The answer to a request that waits while the world ends.
    async fn during(&self, path: &str, body: &str, by: &str) -> Answer {
        let waiting = self.caller.bytes("POST", path, Body::from(body.to_owned()));
        let (answer, ()) =
            timeout(PATIENCE, async { tokio::join!(waiting, self.end(by)) }).await.unwrap();
        answer
    }
}

#[tokio::test]
async fn a_stream_of_events_ends_with_its_world() {
    for by in ["PUT", "DELETE"] {
        let ending = Ending::of_a_busy_world().await;
        let stream = ending.caller.get("/_sim/events");
        let (answer, ()) =
            timeout(PATIENCE, async { tokio::join!(stream, ending.end(by)) }).await.unwrap();
        assert!(answer.body.starts_with(b"data: "), "{answer:?}");
        let again = ending.caller.begun("GET", "/_sim/events").await;
        assert_eq!(again.status, if by == "PUT" { 200 } else { 401 });
    }
}

#[tokio::test]
async fn a_wait_in_a_deleted_world_says_that_it_is_gone() {
    for path in ["/_sim/journal/wait", "/_sim/deliveries/wait"] {
        let ending = Ending::of_a_busy_world().await;
        let body = json!({ "count": 9, "patienceSeconds": 3600 }).to_string();
        let body = if path.contains("journal") { &*body } else { WAIT };
        let answer = ending.during(path, body, "DELETE").await;
        answer.refused(401, "unauthorized");
        assert!(answer.json()["error"].as_str().unwrap().contains("the world w1 is gone"));
    }
}

#[tokio::test]
async fn a_wait_goes_on_in_the_world_that_replaces_another() {
    let ending = Ending::of_a_busy_world().await;
    let answer = ending.during("/_sim/deliveries/wait", WAIT, "PUT").await;
    assert_eq!(answer.json(), json!({ "quiet": true, "nextDue": null, "retrying": 0 }));
    let ending = Ending::of_a_busy_world().await;
    let body = json!({ "count": 3, "patienceSeconds": 3600 }).to_string();
    let waiting = ending.caller.bytes("POST", "/_sim/journal/wait", body);
    let asking = async {
        ending.end("PUT").await;
        // The two requests before are no longer in the journal.
        for status in [404; 3] {
            assert_eq!(ending.caller.get(ACME).await.status, status);
        }
    };
    let (answer, ()) = timeout(PATIENCE, async { tokio::join!(waiting, asking) }).await.unwrap();
    assert_eq!(answer.json(), json!({ "reached": true, "count": 3 }));
}

#[tokio::test]
async fn a_move_of_the_clock_ends_with_its_world() {
    for by in ["PUT", "DELETE"] {
        let ending = Ending::of_a_busy_world().await;
        let answer = ending.during("/_sim/clock", r#"{ "advanceSeconds": 60 }"#, by).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let (_, worlds) = ending.desk.get("", "/_sim/worlds").await;
        let shown = worlds["worlds"].as_array().unwrap();
        let now = shown.iter().find(|world| world["id"] == "w1").map(|world| &world["now"]);
        let still: Value = "2026-01-01T00:00:00Z".into();
        assert_eq!(now, (by == "PUT").then_some(&still), "only the world that is gone moves");
    }
}

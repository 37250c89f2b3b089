//! Worlds of one mock: keys, clocks, copies, snapshots, scenarios and webhooks, each apart from the others.

mod ending;
mod expiry;
mod keys;
mod names;
mod permission;
mod reset;
mod strangers;

use reqwest::Method;
use serde_json::{Value, json};
use tideover_model::{Profile, Range, Timestamp};
use tideover_sim::{
    Builder, ClockChoice, Destinations, Mock, RecipeError, Scenario, ScenarioError, StartError,
    World, wall_time,
};

use crate::receiver::{Reaction, Receiver};
use crate::support::{invoice, world};

/// A mock and a client of it.
struct Desk {
    mock: Mock,
    client: reqwest::Client,
}

impl Desk {
    async fn open() -> Desk {
        Desk::of(Mock::builder().webhooks(Destinations::Local)).await
    }

    async fn of(builder: Builder) -> Desk {
        Desk { mock: builder.start().await.unwrap(), client: crate::plain::client() }
    }

    async fn bytes(&self, key: &str, method: Method, path: &str, body: Vec<u8>) -> (u16, Vec<u8>) {
        let url = format!("{}{path}", self.mock.url());
        let request = self.client.request(method, url).bearer_auth(key).body(body);
        let answer = request.header("content-type", "application/json").send().await.unwrap();
        (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
    }

    async fn ask(&self, key: &str, method: Method, path: &str, body: Value) -> (u16, Value) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let (status, body) = self.bytes(key, method, path, body).await;
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    async fn get(&self, key: &str, path: &str) -> (u16, Value) {
        self.ask(key, Method::GET, path, Value::Null).await
    }

    async fn post(&self, key: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask(key, Method::POST, path, body).await
    }

    async fn put(&self, key: &str, path: &str, body: Value) -> (u16, Value) {
        self.ask(key, Method::PUT, path, body).await
    }

    /// Makes a world; returns its name and its keys.
    async fn world(&self, options: Value) -> (String, Vec<String>) {
        let (status, made) = self.post("", "/_sim/worlds", options).await;
        assert_eq!(status, 200, "{made}");
        let keys = made["keys"].as_array().unwrap();
        let keys = keys.iter().map(|key| key["key"].as_str().unwrap().to_owned());
        (made["id"].as_str().unwrap().to_owned(), keys.collect())
    }

    async fn snapshot(&self, world: &str) -> Vec<u8> {
        let path = format!("/_sim/worlds/{world}/snapshot");
        let (status, bytes) = self.bytes("", Method::GET, &path, Vec::new()).await;
        assert_eq!(status, 200);
        bytes
    }

    async fn restore(&self, world: &str, snapshot: &[u8]) -> (u16, Value) {
        let path = format!("/_sim/worlds/{world}/snapshot");
        let (status, body) = self.bytes("", Method::PUT, &path, snapshot.to_vec()).await;
        (status, serde_json::from_slice(&body).unwrap())
    }
}

fn acme() -> Value {
    json!({ "legalName": "Acme LLC" })
}

const ACME: &str = "/v1/organizations/acme";

#[tokio::test]
async fn a_key_selects_its_world_and_no_other() {
    let desk = Desk::open().await;
    let (one, keys) = desk.world(json!({ "platforms": ["second"] })).await;
    let (two, other) = desk.world(json!({ "platforms": 2, "seed": 1 })).await;
    assert_eq!((one.as_str(), two.as_str()), ("w1", "w2"));
    assert_eq!((keys[0].as_str(), other[0].as_str()), ("rap_sk_w1_local", "rap_sk_w2_local"));
    let all = [desk.mock.api_key().to_owned(), keys[1].clone(), other[0].clone(), other[1].clone()];
    assert_eq!(desk.put(&keys[0], ACME, acme()).await.0, 200);
    assert_eq!(desk.get(&keys[0], ACME).await.0, 200);
    for key in &all {
        let (status, body) = desk.get(key, ACME).await;
        assert_eq!((status, &body["code"]), (404, &json!("business_not_found")), "{key}");
    }
    // The key of one world is revoked in no other, although both worlds issued the same one.
    let revoke = json!({ "action": "revokeKey", "key": keys[1] });
    assert_eq!(desk.post(&other[0], "/_sim/actions", revoke.clone()).await.0, 409);
    assert_eq!(desk.post(&keys[0], "/_sim/actions", revoke).await.0, 200);
    assert_eq!(desk.get(&keys[1], ACME).await.0, 401);
    assert_eq!(desk.get(&other[1], ACME).await.0, 404);
    let (_, issued) = desk.post(&other[1], "/_sim/actions", json!({ "action": "issueKey" })).await;
    let issued = issued["key"].as_str().unwrap();
    assert!(issued.starts_with("rap_sk_w2_"), "{issued}");
    assert_eq!(desk.get(issued, ACME).await.0, 404);
}

/// Whoever has lost the answer with the keys finds them again.
#[tokio::test]
async fn the_list_says_how_large_each_world_is_and_which_keys_select_it() {
    let desk = Desk::of(Mock::builder().api_key("partner-key")).await;
    let (_, keys) = desk.world(json!({ "scenario": "onboarded", "platforms": 2 })).await;
    let issue = json!({ "action": "issueKey" });
    let (_, issued) = desk.post(&keys[0], "/_sim/actions", issue).await;
    desk.post(&keys[0], "/_sim/actions", json!({ "action": "revokeKey", "key": keys[0] })).await;
    desk.get(&keys[1], ACME).await;
    let (_, list) = desk.get("", "/_sim/worlds").await;
    let first = json!({ "id": "default", "now": "2026-01-01T00:00:00Z", "platforms": ["local"],
        "keys": [{ "platform": "local", "key": "partner-key" }],
        "businesses": 0, "invoices": 0, "requests": 0 });
    assert_eq!(list["worlds"][0], first);
    let other = &list["worlds"][1];
    let platforms = [("local", &issued["key"]), ("platform 2", &json!(keys[1]))];
    let named = platforms.map(|(platform, key)| json!({ "platform": platform, "key": key }));
    assert_eq!(other["keys"], json!(named));
    assert_eq!(other["platforms"], json!(["local", "platform 2"]));
    let size = ["businesses", "invoices", "requests"].map(|name| &other[name]);
    assert_eq!(size, [&json!(2), &json!(1), &json!(1)]);
    assert_eq!(desk.get("", "/_sim/worlds/w1").await.1, *other);
}

#[tokio::test]
async fn each_world_has_its_clock_its_journal_and_its_faults() {
    let desk = Desk::open().await;
    let start = "2027-05-05T05:05:05Z";
    let faults = json!([{ "act": "upstreamFails", "when": "beforeCommit" }]);
    let (_, keys) = desk.world(json!({ "start": start, "faults": faults })).await;
    let (_, other) = desk.world(Value::Null).await;
    let now = async |key: &str| desk.get(key, "/_sim/clock").await.1["now"].clone();
    assert_eq!(now(&keys[0]).await, start);
    desk.post(&keys[0], "/_sim/clock", json!({ "advanceSeconds": 55 })).await;
    assert_eq!(now(&keys[0]).await, "2027-05-05T05:06:00Z");
    assert_eq!(now(&other[0]).await, "2026-01-01T00:00:00Z");
    assert_eq!(desk.put(&keys[0], ACME, acme()).await.0, 502);
    assert_eq!(desk.put(&other[0], ACME, acme()).await.0, 200);
    let entries = async |key: &str| {
        desk.get(key, "/_sim/journal").await.1["entries"].as_array().unwrap().len()
    };
    assert_eq!((entries(&keys[0]).await, entries(&other[0]).await), (1, 1));
    assert_eq!(entries(desk.mock.api_key()).await, 0);
}

#[tokio::test]
async fn a_fork_begins_as_its_original_and_goes_its_own_way() {
    let desk = Desk::open().await;
    let (original, keys) = desk.world(json!({ "scenario": "onboarded" })).await;
    let (_, made) = desk.post("", &format!("/_sim/worlds/{original}/fork"), Value::Null).await;
    let copy = made["id"].as_str().unwrap();
    let key = made["keys"][0]["key"].as_str().unwrap();
    let read = async |world: &str| {
        let snapshot: Value = serde_json::from_slice(&desk.snapshot(world).await).unwrap();
        let mut service = snapshot["state"]["service"]["state"].clone();
        let series = service.as_object_mut().unwrap().remove("series");
        (service, series)
    };
    // Only the names that follow are others.
    let (copied, begun) = (read(copy).await, read(&original).await);
    assert_eq!(copied.0, begun.0);
    assert_ne!(copied.1, begun.1);
    let invoice = "/v1/organizations/acme/invoices/INV-1";
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(desk.post(key, "/v1/advances", advance).await.0, 201);
    assert!(desk.get(key, invoice).await.1["advance"].is_object());
    assert!(desk.get(&keys[0], invoice).await.1["advance"].is_null());
    assert_ne!(desk.snapshot(copy).await, desk.snapshot(&original).await);
}

#[tokio::test]
async fn a_snapshot_is_restored_to_the_same_bytes() {
    let receiver = Receiver::start(|_, _| Reaction::Answer(500)).await;
    for grease in [false, true] {
        let desk = Desk::open().await;
        let options = json!({ "scenario": "funded", "grease": grease, "platforms": 2,
            "faults": [{ "act": "answerDelayed", "milliseconds": 1, "nth": 3 }] });
        let (from, keys) = desk.world(options).await;
        let subscription = json!({ "url": receiver.url });
        assert!(desk.post(&keys[0], "/v1/webhooks", subscription).await.0 < 300);
        let mut changed = invoice("acme", "globex");
        changed["faceValue"] = json!(1_000_001);
        assert!(desk.put(&keys[0], "/v1/invoices/INV-2", changed).await.0 < 300);
        // Failed once, so that a retry is due in the restored world.
        desk.post(&keys[0], "/_sim/deliveries/wait", Value::Null).await;
        let snapshot = desk.snapshot(&from).await;
        let (to, _) = desk.world(Value::Null).await;
        let (status, restored) = desk.restore(&to, &snapshot).await;
        assert_eq!((status, &restored["keys"][0]["key"]), (200, &json!("rap_sk_w2_local")));
        assert_eq!(desk.snapshot(&to).await, snapshot);
        let before = receiver.received().len();
        desk.post("rap_sk_w2_local", "/_sim/clock", json!({ "advanceSeconds": 3600 })).await;
        assert!(receiver.received().len() > before, "the retries go on");
        let (_, log) = desk.get("rap_sk_w2_local", "/_sim/deliveries").await;
        // Grease may have sent nothing yet.
        let first = log["deliveries"][0]["attempts"][0]["number"].as_u64();
        assert!(first == Some(2) || grease, "{log}");
        assert_eq!(desk.restore("default", &snapshot).await.0, 200);
        assert_eq!(desk.snapshot("default").await, snapshot);
    }
}

#[tokio::test]
async fn a_damaged_or_newer_snapshot_changes_nothing() {
    let desk = Desk::open().await;
    let (id, keys) = desk.world(json!({ "scenario": "onboarded" })).await;
    let snapshot = String::from_utf8(desk.snapshot(&id).await).unwrap();
    assert_eq!(desk.put(&keys[0], "/v1/organizations/b", acme()).await.0, 200);
    let kept = desk.snapshot(&id).await;
    for (damaged, status, words) in [
        (String::new(), 400, "not JSON"),
        (snapshot[..snapshot.len() / 2].to_owned(), 400, "not JSON"),
        (snapshot.replace("Acme Ltd", "Acme Inc"), 400, "damaged"),
        (snapshot.replacen("\"version\":3", "\"version\":4", 1), 400, "newer release"),
        (snapshot.replacen("\"version\":3", "\"version\":2", 1), 400, "earlier release"),
        (snapshot.replacen("tideover-world", "tideover-service", 1), 400, "not a snapshot"),
    ] {
        let (answered, body) = desk.restore(&id, damaged.as_bytes()).await;
        let error = body["error"].as_str().unwrap();
        assert!(answered == status && error.contains(words), "{answered} {error}");
        assert_eq!(desk.snapshot(&id).await, kept);
    }
    let (status, body) = desk.restore("w9", snapshot.as_bytes()).await;
    assert_eq!((status, &body["code"]), (404, &json!("unknown_world")));
}

/// A receiver that serves the next test on the same port gets nothing from the last one.
#[tokio::test]
async fn nothing_of_a_deleted_world_is_sent() {
    let receiver = Receiver::start(|_, _| Reaction::Hang).await;
    let desk = Desk::open().await;
    let (id, keys) = desk.world(Value::Null).await;
    let subscription = json!({ "url": receiver.url });
    assert_eq!(desk.post(&keys[0], "/v1/webhooks", subscription).await.0, 201);
    assert_eq!(desk.put(&keys[0], ACME, acme()).await.0, 200);
    while receiver.received().is_empty() {
        tokio::task::yield_now().await;
    }
    let path = format!("/_sim/worlds/{id}");
    assert_eq!(desk.ask("", Method::DELETE, &path, Value::Null).await.0, 200);
    let sent = receiver.received().len();
    assert_eq!(desk.get("", &path).await.1["code"], "unknown_world");
    let (status, body) = desk.get(&keys[0], ACME).await;
    assert_eq!((status, &body["code"]), (401, &json!("unauthorized")));
    // The names of worlds are not used again: the old key selects no new world.
    assert_eq!(desk.world(Value::Null).await.0, "w2");
    assert_eq!(desk.get(&keys[0], ACME).await.0, 401);
    assert_eq!(receiver.received().len(), sent);
    let (status, body) = desk.ask("", Method::DELETE, "/_sim/worlds/default", Value::Null).await;
    assert_eq!((status, &body["code"]), (409, &json!("action_refused")));
}

#[tokio::test]
async fn an_idle_world_expires_if_asked_to() {
    let desk = Desk::open().await;
    let (id, _) = desk.world(json!({ "expiresAfterIdleSeconds": 1 })).await;
    let (kept, _) = desk.world(Value::Null).await;
    // The list does not count as a use.
    let names = async || {
        let (_, list) = desk.get("", "/_sim/worlds").await;
        let worlds = list["worlds"].as_array().unwrap().clone();
        worlds.iter().map(|world| world["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["default".to_owned(), id, kept.clone()]);
    while names().await.len() == 3 {}
    assert_eq!(names().await, ["default".to_owned(), kept]);
}

#[tokio::test]
async fn a_reset_concerns_one_world() {
    let desk = Desk::open().await;
    let (id, keys) = desk.world(Value::Null).await;
    assert_eq!(desk.put(&keys[0], ACME, acme()).await.0, 200);
    assert_eq!(desk.put(desk.mock.api_key(), ACME, acme()).await.0, 200);
    let path = format!("/_sim/worlds/{id}/reset");
    assert_eq!(desk.post("", &path, Value::Null).await.0, 200);
    assert_eq!(desk.get(&keys[0], ACME).await.0, 404);
    assert_eq!(desk.get(desk.mock.api_key(), ACME).await.0, 200);
}

#[tokio::test]
async fn a_world_that_cannot_be_made_says_why() {
    let desk = Desk::open().await;
    for (options, words) in [
        (json!({ "platform": 2 }), "platform: no such field. Did you mean platforms?"),
        (json!({ "platforms": 0 }), "platforms: expected 1 to 1000"),
        (json!({ "platforms": true }), "platforms: expected a number of platforms"),
        (json!({ "scenario": "rich" }), "scenario: expected fresh, "),
        (json!({ "clock": "still", "speed": 2 }), "speed: a clock that stands has none"),
        (json!({ "clock": "running", "speed": 0 }), "speed: expected 1 to 1000000"),
        (json!({ "speed": 1_000_001 }), "speed: expected 1 to 1000000"),
        (json!({ "profile": { "body_limit": "x" } }), "profile.body_limit: "),
        (json!({ "faults": [{ "act": "explode" }] }), "faults[0].act: "),
        (json!([]), "expected an object"),
    ] {
        let (status, body) = desk.post("", "/_sim/worlds", options.clone()).await;
        let error = body["error"].as_str().unwrap();
        assert!(status == 400 && error.contains(words), "{options}: {error}");
    }
    let (status, body) = desk.post("", "/_sim/worlds/w7/fork", Value::Null).await;
    assert_eq!((status, &body["code"]), (404, &json!("unknown_world")));
}

/// What each scenario promises: requirements met, and the state of the first invoice's advance.
#[tokio::test]
async fn scenarios_begin_in_the_middle_of_the_story() {
    let desk = Desk::open().await;
    for (scenario, onboarded, state, collected) in [
        ("fresh", None, None, None),
        ("onboarded", Some(true), None, Some("UNCOLLECTED")),
        ("funded", Some(true), Some("FUNDED"), Some("UNCOLLECTED")),
        ("repaid", Some(true), Some("REPAID"), Some("COLLECTED")),
        ("at-the-limit", Some(true), Some("REQUESTED"), Some("UNCOLLECTED")),
    ] {
        let (_, keys) = desk.world(json!({ "scenario": scenario })).await;
        let (_, business) = desk.get(&keys[0], ACME).await;
        let met = business["onboarding"].as_object();
        let met = met.map(|onboarding| onboarding.values().all(|met| met == true));
        assert_eq!(met, onboarded, "{scenario}: {business}");
        let (_, invoice) = desk.get(&keys[0], "/v1/organizations/acme/invoices/INV-1").await;
        assert_eq!(invoice["advance"]["state"].as_str(), state, "{scenario}: {invoice}");
        assert_eq!(invoice["collectionState"].as_str(), collected, "{scenario}");
    }
    let (_, keys) = desk.world(json!({ "scenario": "at-the-limit" })).await;
    let mut refused = 0;
    for number in 1..100 {
        let advance =
            json!({ "payeeExternalId": "acme", "invoiceExternalId": format!("INV-{number}") });
        let (status, body) = desk.post(&keys[0], "/v1/advances", advance).await;
        match body["code"].as_str() {
            None => assert_eq!((status, &body["alreadyRequested"]), (200, &json!(true))),
            Some("concentration_exceeded") => refused += 1,
            other => assert_eq!(other, Some("invoice_not_found")),
        }
    }
    assert_eq!(refused, 1);
}

#[tokio::test]
async fn the_library_plays_scenarios_and_says_where_one_stops() {
    let mock = Mock::builder().scenario(Scenario::Repaid).start().await.unwrap();
    assert_eq!(mock.audit(), Ok(()));
    let snapshot = mock.world().snapshot().unwrap();
    let restored = World::restore(&snapshot).unwrap();
    assert_eq!(restored.snapshot().unwrap(), snapshot);
    let none = Profile {
        concentration_limit: Range::exactly(tideover_sim::Cents(1)),
        ..Profile::default()
    };
    let stopped = Mock::builder().profile(none).scenario(Scenario::Funded).start().await;
    let Err(StartError::World(RecipeError::Scenario(ScenarioError { step, .. }))) = stopped else {
        panic!("{stopped:?}")
    };
    assert_eq!(step, "POST /v1/advances");
}

#[tokio::test]
async fn the_first_key_can_be_chosen() {
    let desk = Desk::of(Mock::builder().api_key("test-key")).await;
    assert_eq!(desk.mock.api_key(), "test-key");
    assert_eq!(desk.put("test-key", ACME, acme()).await.0, 200);
    assert_eq!(desk.get("rap_sk_local", ACME).await.0, 401);
    let (_, keys) = desk.world(Value::Null).await;
    assert_eq!(desk.get(&keys[0], ACME).await.0, 404);
    assert!(desk.mock.issue_key(None).is_ok());
    let (status, _) =
        desk.post("test-key", "/_sim/actions", json!({ "action": "revokeKey" })).await;
    assert_eq!(status, 200);
    assert_eq!(desk.get("test-key", ACME).await.0, 401);
    for key in ["", "two words", "rap_sk_w1_local", "rap_sk_0", &"x".repeat(201)] {
        let refused = Mock::builder().api_key(key).start().await;
        assert!(matches!(refused, Err(StartError::ApiKey)), "{key}");
    }
}

/// A router without a socket makes no other worlds: it does not know how the first one was made.
#[tokio::test]
async fn a_router_has_one_world() {
    let caller = crate::support::Caller::of(&world(Profile::default()));
    caller.post("/_sim/worlds", json!({})).await.refused(409, "action_refused");
    let forked = caller.post("/_sim/worlds/default/fork", Value::Null).await.json();
    assert_eq!(forked["keys"][0]["key"], "rap_sk_w1_local");
    assert_eq!(caller.with_key("rap_sk_w1_local").get(ACME).await.status, 404);
}

#[tokio::test]
async fn a_world_with_a_running_clock_starts_at_the_wall_time() {
    let running = || Mock::builder().clock(ClockChoice::Running { speed: 1 });
    let desk = Desk::of(running()).await;
    let begun = desk.mock.now();
    assert!(begun <= wall_time().after(1), "{begun}");
    while wall_time() <= begun.after(1) {}
    let now = async |desk: &Desk, options: Value| {
        let (_, made) = desk.post("", "/_sim/worlds", options).await;
        Timestamp::parse(made["now"].as_str().unwrap()).unwrap()
    };
    let made = now(&desk, Value::Null).await;
    assert!(begun < made && made <= wall_time().after(1), "{begun} {made}");
    let chosen = json!({ "start": "2030-01-01T00:00:00Z", "clock": "still" });
    assert_eq!(now(&desk, chosen).await.to_string(), "2030-01-01T00:00:00Z");
    let start = Timestamp::parse("2031-01-01T00:00:00Z").unwrap();
    let desk = Desk::of(running().start_at(start)).await;
    assert!(now(&desk, Value::Null).await.to_string().starts_with("2031-"));
}

#[tokio::test]
async fn a_refused_snapshot_says_what_is_wrong() {
    let desk = Desk::open().await;
    for (document, code, error) in [
        (
            r#"{"format":"tideover-state","version":1}"#,
            "invalid_request",
            "this is not a snapshot: its format is \"tideover-state\", version 1, not \"tideover-world\"",
        ),
        ("[]", "invalid_request", "this is not a snapshot: "),
        ("{", "unreadable_request", "the body is not JSON: EOF while parsing"),
    ] {
        let (status, body) = desk.restore("default", document.as_bytes()).await;
        assert_eq!((status, &body["code"]), (400, &json!(code)), "{body}");
        assert!(body["error"].as_str().unwrap().starts_with(error), "{body}");
    }
}

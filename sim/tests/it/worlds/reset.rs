//! A reset brings a world back to its start, however it began.

use serde_json::{Value, json};
use tideover_model::{Happening, PlatformId};
use tideover_sim::{Mock, Scenario};

use super::{ACME, Desk, acme};

/// How a world is reset.
const WAYS: [&str; 3] = ["/_sim/worlds/w1/reset", "/_sim/reset", "/_sim/actions"];

impl Desk {
    async fn reset(&self, key: &str, way: &str) {
        // With the names of the first time, so that all is as it was.
        let asked = match way {
            "/_sim/actions" => json!({ "action": "reset", "repeat": true }),
            _ => json!({ "repeat": true }),
        };
        let (status, body) = self.post(key, way, asked).await;
        assert_eq!(status, 200, "{way}: {body}");
    }

    async fn issue(&self, key: &str, platform: &str) -> String {
        let issue = json!({ "action": "issueKey", "platform": platform });
        let (_, issued) = self.post(key, "/_sim/actions", issue).await;
        issued["key"].as_str().unwrap().to_owned()
    }

    /// Changes whatever a test can change of a world; returns a key that was issued on the way.
    async fn change(&self, keys: &[String]) -> String {
        let later = self.issue(&keys[0], "later").await;
        let revoke = json!({ "action": "revokeKey", "key": keys[1] });
        assert_eq!(self.post(&keys[0], "/_sim/actions", revoke).await.0, 200);
        let hook = json!({ "url": "http://127.0.0.1:9/" });
        assert!(self.post(&keys[0], "/v1/webhooks", hook).await.0 < 300);
        let fault = json!({ "act": "requestRepeated", "operation": "sync_business" });
        assert_eq!(self.post(&keys[0], "/_sim/faults", fault).await.0, 200);
        assert_eq!(self.put(&keys[0], ACME, acme()).await.0, 502, "the first fault");
        let party = json!({ "externalId": "other", "legalName": "Other" });
        let mut invoice = crate::support::invoice("other", "globex");
        invoice["payee"] = party;
        assert!(self.put(&later, "/v1/invoices/INV-9", invoice).await.0 < 300);
        let moved = json!({ "advanceSeconds": 86_400 });
        assert_eq!(self.post(&keys[0], "/_sim/clock", moved).await.0, 200);
        later
    }
}

/// The fault would stop every scenario: each begins with a sync.
#[tokio::test]
async fn a_reset_brings_back_scenario_platforms_and_faults() {
    for (scenario, grease) in
        [("fresh", false), ("onboarded", true), ("funded", false), ("repaid", false)]
    {
        for way in WAYS {
            let desk = Desk::open().await;
            let fault = json!({ "act": "upstreamFails", "when": "beforeCommit",
                "operation": "sync_business" });
            let options = json!({ "scenario": scenario, "grease": grease, "seed": 5,
                "platforms": ["second", "third"], "faults": [fault] });
            let (id, keys) = desk.world(options).await;
            let begun = desk.snapshot(&id).await;
            let later = desk.change(&keys).await;
            assert_ne!(desk.snapshot(&id).await, begun);
            desk.reset(&keys[2], way).await;
            assert!(desk.snapshot(&id).await == begun, "{scenario} after {way}");
            for log in ["journal", "deliveries"] {
                let (_, kept) = desk.get(&keys[0], &format!("/_sim/{log}")).await;
                let kept = kept["entries"].as_array().or(kept["deliveries"].as_array()).cloned();
                assert_eq!(kept, Some(Vec::new()), "{log}");
            }
            for key in &keys {
                assert!(desk.get(key, "/v1/webhooks").await.0 < 300, "{key}");
            }
            assert_eq!(desk.get(&later, "/v1/webhooks").await.0, 401);
            let invoice = desk.get(&keys[0], "/v1/organizations/acme/invoices/INV-1").await;
            assert_eq!(invoice.0 < 300, scenario != "fresh", "{invoice:?}");
        }
    }
}

#[tokio::test]
async fn a_mock_resets_to_its_scenario() {
    let mock = Mock::builder().scenario(Scenario::Funded).start().await.unwrap();
    let begun = mock.world().snapshot().unwrap();
    mock.payor_pays("acme", "INV-1", 1_000_000).unwrap();
    for _ in 0..2 {
        mock.happen(Happening::Reset { repeats: true }).unwrap();
        assert!(mock.world().snapshot().unwrap() == begun);
        assert_eq!(mock.audit(), Ok(()));
    }
    let world = Mock::builder().scenario(Scenario::Repaid).world().unwrap();
    let begun = world.snapshot().unwrap();
    world.outside().mark_test_account("acme").unwrap();
    world.happen(PlatformId::DEFAULT, Happening::Reset { repeats: true }).unwrap();
    assert!(world.snapshot().unwrap() == begun);
    // Otherwise its names are new ones.
    world.outside().reset().unwrap();
    assert!(world.snapshot().unwrap() != begun);
}

/// A document says how its world began.
#[tokio::test]
async fn a_copy_resets_to_the_start_of_its_original() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let kept = || Mock::builder().state(&file);
    let desk = Desk::of(kept().scenario(Scenario::Onboarded)).await;
    let first = desk.snapshot("default").await;
    let (id, keys) = desk.world(json!({ "scenario": "funded", "platforms": 2 })).await;
    let begun = desk.snapshot(&id).await;
    let pays = json!({ "action": "payorPays", "payeeExternalId": "acme",
        "invoiceExternalId": "INV-1", "amount": 7 });
    assert_eq!(desk.post(&keys[0], "/_sim/actions", pays).await.0, 200);
    let (_, fork) = desk.post("", "/_sim/worlds/w1/fork", Value::Null).await;
    let (other, _) = desk.world(json!({ "seed": 8 })).await;
    assert_eq!(desk.restore(&other, &desk.snapshot(&id).await).await.0, 200);
    for copy in [fork["id"].as_str().unwrap(), &other] {
        assert!(desk.snapshot(copy).await != begun);
        desk.reset("", &format!("/_sim/worlds/{copy}/reset")).await;
        // A fork has names of its own.
        let is_fork = copy != other;
        assert!((desk.snapshot(copy).await == begun) != is_fork, "{copy}");
    }
    let key = fork["keys"][0]["key"].as_str().unwrap();
    let (_, invoice) = desk.get(key, "/v1/organizations/acme/invoices/INV-1").await;
    assert_eq!((&invoice["collected"], invoice["advance"].is_object()), (&json!(0), true));
    assert_eq!(desk.put("", ACME, acme()).await.0, 401);
    desk.mock.mark_test_account("acme").unwrap();
    desk.mock.stop_and_save().await.unwrap();
    let desk = Desk::of(kept()).await;
    desk.mock.happen(Happening::Reset { repeats: true }).unwrap();
    desk.reset("", "/_sim/worlds/w1/reset").await;
    assert!(desk.snapshot("default").await == first);
    assert!(desk.snapshot(&id).await == begun);
}

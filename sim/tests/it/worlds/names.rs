//! Names that a world mints are its own: secrets, references, and the identifiers of events and deliveries.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{ACME, Desk, acme};

impl Desk {
    /// What a new subscription, a new business, a new invitation and a new account bring: secret, references,
    /// identifiers, the number of the account.
    async fn minted(&self, key: &str) -> BTreeSet<String> {
        let hook = json!({ "url": "http://127.0.0.1:9/" });
        let (_, hook) = self.post(key, "/v1/webhooks", hook).await;
        assert!(self.put(key, ACME, acme()).await.0 < 300);
        let invite = json!({ "externalId": "acme", "email": "ann@acme.example" });
        let (_, invited) = self.post(key, "/v1/invitations", invite).await;
        let account = self.opened(key).await;
        let (_, deliveries) = self.get(key, "/_sim/deliveries").await;
        let names = [&hook["secret"], &hook["reference"], &invited["inviteId"], &account];
        let sent = deliveries["deliveries"].as_array().unwrap().iter();
        let sent = sent.flat_map(|one| [&one["id"], &one["body"]["id"]]);
        let names: Vec<&Value> = names.into_iter().chain(sent).collect();
        assert!(names.len() >= 6, "{deliveries}");
        names.into_iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Lets acme do what it must for its collection account, and returns the number of that account.
    async fn opened(&self, key: &str) -> Value {
        for mut action in [
            json!({ "action": "vendorAcceptsInvitation", "email": "ann@acme.example" }),
            json!({ "action": "vendorConfirmsTaxId", "route": "VENDOR_ASSERTION",
                    "taxId": "123456789" }),
            json!({ "action": "vendorSignsAgreement", "address": {
                    "line1": "1 Main St", "city": "Austin", "state": "TX", "postalCode": "73301",
                    "country": "US" } }),
            json!({ "action": "vendorAddsBankAccount", "accountNumber": "12345678",
                    "routingNumber": "021000021" }),
            json!({ "action": "collectionAccountOpens" }),
        ] {
            action["payeeExternalId"] = "acme".into();
            let (status, answer) = self.post(key, "/_sim/actions", action).await;
            assert_eq!(status, 200, "{answer}");
        }
        let (_, acme) = self.get(key, ACME).await;
        acme["remittance"]["accountNumber"].clone()
    }

    async fn start_again(&self, key: &str, body: Value) {
        let (status, answer) = self.post(key, "/_sim/reset", body).await;
        assert_eq!(status, 200, "{answer}");
    }
}

#[tokio::test]
async fn no_two_worlds_share_a_name() {
    let desk = Desk::open().await;
    let mut names = BTreeSet::new();
    let mut mint = async |key: &str| {
        let minted = desk.minted(key).await;
        assert!(!minted.contains(""), "{minted:?}");
        assert!(names.is_disjoint(&minted), "{minted:?}");
        names.extend(minted.iter().cloned());
        minted
    };
    let key = tideover_model::Service::FIRST_KEY;
    let first = mint(key).await;
    let (one, keys) = desk.world(json!({})).await;
    mint(&keys[0]).await;
    let (_, keys) = desk.world(json!({})).await;
    mint(&keys[0]).await;
    // A copy mints names that neither its original nor another copy mints.
    for _ in 0..2 {
        let (status, copy) = desk.post("", &format!("/_sim/worlds/{one}/fork"), Value::Null).await;
        assert_eq!(status, 200, "{copy}");
        let key = copy["keys"][0]["key"].as_str().unwrap();
        desk.start_again(key, Value::Null).await;
        mint(key).await;
    }
    // Nor does a world that begins anew mint those from before.
    desk.start_again(key, Value::Null).await;
    mint(key).await;
    desk.start_again(key, json!({})).await;
    mint(key).await;
    // Unless that is asked for.
    desk.start_again(key, json!({ "repeat": true })).await;
    assert_eq!(desk.minted(key).await, first);
    // The names between are not forgotten.
    desk.start_again(key, json!({})).await;
    mint(key).await;
}

#[tokio::test]
async fn a_seed_that_is_asked_for_means_the_same_names() {
    let desk = Desk::open().await;
    let mut minted = Vec::new();
    for _ in 0..2 {
        let (_, keys) = desk.world(json!({ "seed": 7 })).await;
        minted.push(desk.minted(&keys[0]).await);
    }
    assert_eq!(minted[0], minted[1]);
}

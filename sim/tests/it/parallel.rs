//! An example integration, tested two hundred times at once against one mock: each test has a world of its own.

use serde_json::{Value, json};
use tideover_model::{SigningKey, Timestamp};
use tideover_sim::{Destinations, Mock, SigningTime};
use tokio::task::JoinSet;

use crate::receiver::Receiver;
use crate::support::{invoice, start};

const TESTS: u64 = 200;

/// An integration: it knows a base URL and an API key, and nothing of worlds.
struct Integration {
    client: reqwest::Client,
    url: String,
    key: String,
}

impl Integration {
    async fn send(&self, method: reqwest::Method, path: &str, body: Value) -> Value {
        let request = self.client.request(method, format!("{}{path}", self.url));
        let answer = request.bearer_auth(&self.key).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {answer:?}");
        answer.json().await.unwrap_or_default()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.send(reqwest::Method::POST, path, body).await
    }

    async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}{path}", self.url)).bearer_auth(&self.key);
        request.send().await.unwrap().json().await.unwrap()
    }
}

/// From an empty world to a repaid advance of `face_value` cents, with every webhook verified. Its clock ends
/// `days` later.
async fn story(integration: &Integration, face_value: u64, days: u64) {
    let receiver = Receiver::good().await;
    let subscribed = integration.post("/v1/webhooks", json!({ "url": receiver.url })).await;
    let key = SigningKey::new(subscribed["secret"].as_str().unwrap());
    let put = reqwest::Method::PUT;
    let acme = json!({ "legalName": format!("Acme {face_value}"), "taxId": "12-3456789" });
    integration.send(put.clone(), "/v1/organizations/acme", acme).await;
    let mut sync = invoice("acme", "globex");
    sync["faceValue"] = face_value.into();
    integration.send(put, "/v1/invoices/INV-1", sync).await;
    let complete = json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": "acme" });
    integration.post("/_sim/actions", complete).await;
    let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    integration.post("/v1/advances", names.clone()).await;
    integration.post("/_sim/clock", json!({ "advanceSeconds": days * 24 * 3600 })).await;
    let mut pays = names;
    pays["action"] = "payorPays".into();
    pays["amount"] = face_value.into();
    integration.post("/_sim/actions", pays).await;
    integration.post("/_sim/deliveries/wait", json!({ "patienceSeconds": 60 })).await;

    let read = integration.get("/v1/organizations/acme/invoices/INV-1").await;
    assert_eq!(
        (&read["advance"]["state"], &read["collected"]),
        (&json!("REPAID"), &face_value.into())
    );
    let now = integration.get("/_sim/clock").await["now"].clone();
    let now = Timestamp::parse(now.as_str().unwrap()).unwrap();
    assert_eq!(now, start().after(days * 24 * 3600), "its clock is its own");
    let received = receiver.received();
    let of_kind = |kind: &str| received.iter().filter(|it| it.json()["type"] == kind).count();
    assert_eq!((of_kind("partner.loan.paid"), of_kind("partner.organization.optedIn")), (1, 1));
    for webhook in &received {
        let signature = webhook.headers["service-signature"].as_bytes();
        let at = signature_time(&webhook.headers["service-signature"]);
        assert_eq!(key.verify(Some(signature), &webhook.body, at), Ok(()));
        let sent = serde_json::from_slice::<Value>(&webhook.body).unwrap();
        assert!(
            sent["data"]["collected"].as_u64().is_none_or(|cents| cents == face_value),
            "{sent}"
        );
    }
}

/// The `t` of a signature.
fn signature_time(header: &str) -> u64 {
    let time = header.split(',').find_map(|part| part.strip_prefix("t=")).unwrap();
    time.parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_tests_share_one_mock() {
    let mock = Mock::builder()
        .webhooks(Destinations::Local)
        .signing(SigningTime::Virtual)
        .start()
        .await
        .unwrap();
    let client = crate::plain::client();
    let mut tests = JoinSet::new();
    for number in 1..=TESTS {
        let (client, url) = (client.clone(), mock.url().to_owned());
        tests.spawn(async move {
            let made = client.post(format!("{url}/_sim/worlds")).send().await.unwrap();
            let made: Value = made.json().await.unwrap();
            let key = made["keys"][0]["key"].as_str().unwrap().to_owned();
            let integration = Integration { client, url, key };
            story(&integration, 100_000 + number, 2 + number % 30).await;
            let path = format!("{}/_sim/worlds/{}", integration.url, made["id"].as_str().unwrap());
            assert_eq!(integration.client.delete(path).send().await.unwrap().status(), 200);
        });
    }
    let mut passed = 0;
    while let Some(test) = tests.join_next().await {
        test.unwrap();
        passed += 1;
    }
    assert_eq!(passed, TESTS);
    assert_eq!((mock.now(), mock.journal().len()), (start(), 0), "the default world saw nothing");
}

//! Webhooks with grease, over real sockets.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use tideover_model::words::EventType;
use tideover_model::{Destinations, SigningKey};
use tideover_sim::grease::Freedom;
use tideover_sim::{DeliveryState, Mock, SigningTime};

use crate::grease::{Asked, asked, stories};
use crate::receiver::{Reaction, Received, Receiver};

const DAY: u64 = 24 * 3600;

/// A mock with grease that sends to this machine, and a client of it.
struct Desk {
    mock: Mock,
    client: reqwest::Client,
    requests: u64,
}

impl Desk {
    async fn open(seed: u64) -> Desk {
        let builder = Mock::builder().seed(seed).grease(true).webhooks(Destinations::Local);
        let mock = builder.signing(SigningTime::Virtual).start().await.unwrap();
        Desk { mock, client: crate::plain::client(), requests: 0 }
    }

    async fn send(&mut self, asked: &Asked) -> (u16, Vec<u8>) {
        self.requests += u64::from(asked.is_partner_api());
        let method = asked.method.parse().unwrap();
        let url = format!("{}{}", self.mock.url(), asked.path);
        let media_type = if asked.is_csv { "text/csv" } else { "application/json" };
        let request = self.client.request(method, url).bearer_auth(self.mock.api_key());
        let request = request.header("content-type", media_type).body(asked.body.clone());
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
    }

    async fn subscribe(&mut self, body: Value) -> Value {
        let (status, body) = self.send(&asked("POST", "/v1/webhooks", body)).await;
        assert!((200..=202).contains(&status), "{status}");
        serde_json::from_slice(&body).unwrap()
    }

    /// Plays stories, and lets everything arrive.
    async fn play(&mut self, vendors: u32) {
        for asked in stories(vendors) {
            self.send(&asked).await;
        }
        self.mock.advance_clock(60).await.unwrap();
        assert!(self.mock.quiet(Duration::from_secs(20)).await.quiet);
    }

    fn met(&self, freedom: Freedom) -> u64 {
        self.mock.coverage().unwrap().met(freedom)
    }
}

fn kind(received: &Received) -> String {
    received.json()["type"].as_str().unwrap().to_owned()
}

fn is_listed(kind: &str) -> bool {
    EventType::ALL.iter().any(|event| event.name() == kind)
}

#[tokio::test]
async fn every_freedom_is_met_within_some_hundred_requests() {
    for seed in [1, 2, 3] {
        let mut desk = Desk::open(seed).await;
        let receiver = Receiver::good().await;
        desk.subscribe(json!({ "url": receiver.url })).await;
        desk.play(16).await;
        let unmet = desk.mock.coverage().unwrap().unmet();
        assert_eq!(unmet, [], "seed {seed}, after {} requests", desk.requests);
        assert!(desk.requests <= 450, "{}", desk.requests);
        let (status, report) = desk.send(&asked("GET", "/_sim/freedoms", "")).await;
        let report: Value = serde_json::from_slice(&report).unwrap();
        assert_eq!((status, &report["grease"], &report["unmet"]), (200, &json!(true), &json!([])));
        for (freedom, row) in Freedom::ALL.into_iter().zip(report["freedoms"].as_array().unwrap()) {
            assert_eq!(row["name"], freedom.name());
            assert_eq!(row["clause"], freedom.clause().name());
            assert_eq!(row["met"], desk.met(freedom));
        }
    }
}

#[tokio::test]
async fn every_greased_delivery_verifies_and_is_listed() {
    let mut desk = Desk::open(4).await;
    let receiver = Receiver::good().await;
    let secret = desk.subscribe(json!({ "url": receiver.url })).await["secret"].clone();
    let key = SigningKey::new(secret.as_str().unwrap());
    desk.play(4).await;
    let mut bodies: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut repeated = 0;
    for received in receiver.received() {
        let header = received.headers["service-signature"].as_bytes();
        let now = desk.mock.now().unix_unsigned();
        assert!(key.verify(Some(header), &received.body, now).is_ok());
        let id = received.headers["service-delivery"].clone();
        let before = bodies.insert(id, received.body.clone());
        repeated += u32::from(before.is_some());
        assert!(before.is_none_or(|before| before == received.body));
    }
    assert!(repeated > 0);
    let entries = desk.mock.deliveries(0);
    assert_eq!(entries.len(), bodies.len());
    let mut taken = BTreeSet::new();
    for entry in entries {
        assert_eq!(entry.state, DeliveryState::Accepted);
        assert_eq!(bodies[&entry.delivery.id], &*entry.delivery.body);
        let is_new = entry.grease.contains(&Freedom::NewEvent);
        assert_eq!(is_listed(entry.delivery.event.name()), !is_new);
        let event: Value = serde_json::from_slice(&entry.delivery.body).unwrap();
        assert!(event["id"].is_string() && event["occurredAt"].is_string(), "{event}");
        taken.extend(entry.grease);
    }
    let of_deliveries = &Freedom::ALL[12..18];
    assert_eq!(taken.into_iter().collect::<Vec<_>>(), of_deliveries);
    let view = desk.send(&asked("GET", "/_sim/deliveries", "")).await.1;
    let view: Value = serde_json::from_slice(&view).unwrap();
    let shown = view["deliveries"].as_array().unwrap();
    assert!(shown.iter().any(|it| it["grease"][0] == "new-event"));
    for it in shown {
        let body = &bodies[it["id"].as_str().unwrap()];
        assert_eq!(it["text"].as_str().map(str::as_bytes), Some(&body[..]));
    }
}

/// `6.subscription.3`, `2.subscription.eventTypes`
#[tokio::test]
async fn only_a_subscription_without_event_types_gets_new_events() {
    let mut desk = Desk::open(1).await;
    let (all, listed) = (Receiver::good().await, Receiver::good().await);
    let kinds: Vec<&str> = EventType::ALL.iter().map(|event| event.name()).collect();
    desk.subscribe(json!({ "url": all.url })).await;
    desk.subscribe(json!({ "url": listed.url, "eventTypes": kinds })).await;
    desk.play(4).await;
    assert!(all.received().iter().any(|received| !is_listed(&kind(received))));
    // Not exact: grease delivers some of them twice or late.
    assert!(listed.received().len() > 20);
    assert!(listed.received().iter().all(|received| is_listed(&kind(received))));
}

/// A delivery is met once the receiver has accepted it; a new event is retried like any other.
#[tokio::test]
async fn a_delivery_counts_when_it_is_accepted() {
    let mut desk = Desk::open(1).await;
    let receiver =
        Receiver::start(|earlier, _| Reaction::Answer(if earlier < 60 { 500 } else { 200 })).await;
    desk.subscribe(json!({ "url": receiver.url })).await;
    for asked in stories(2).iter().take(9) {
        desk.send(asked).await;
    }
    assert!(desk.mock.quiet(Duration::from_secs(20)).await.quiet);
    let of_deliveries = &Freedom::ALL[12..18];
    assert!(of_deliveries.iter().all(|freedom| desk.met(*freedom) == 0));
    for _ in 0..10 {
        desk.play(1).await;
    }
    desk.mock.advance_clock(DAY).await.unwrap();
    let entries = desk.mock.deliveries(0);
    assert!(entries.iter().all(|entry| entry.state == DeliveryState::Accepted));
    let retried = |entry: &&tideover_sim::DeliveryEntry| {
        entry.attempts.len() > 1 && entry.grease.contains(&Freedom::NewEvent)
    };
    assert!(entries.iter().any(|entry| retried(&entry)));
    assert!(desk.met(Freedom::EventExtraField) > 0);
}

#[tokio::test]
async fn deliveries_overtake_one_another() {
    let mut desk = Desk::open(1).await;
    let receiver = Receiver::good().await;
    desk.subscribe(json!({ "url": receiver.url })).await;
    desk.play(4).await;
    // By the clock of the world: how fast the receiver is does not matter.
    let entries = desk.mock.deliveries(0);
    let first_attempts: Vec<_> = entries.iter().map(|entry| entry.attempts[0].at).collect();
    assert!(!first_attempts.is_sorted());
    let queued: Vec<_> = entries.iter().map(|entry| entry.delivery.queued_at).collect();
    assert!(queued.is_sorted());
}

//! Snapshots: a restored service is the same service; other bytes are refused.

mod hostile;
mod restart;

use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};
use tideover_model::{
    Attempt, Consequence, Face, Range, Receipt, Service, SigningKey, Timestamp, UnreadableSnapshot,
    Webhooks,
};

use crate::desk::{Desk, START, invoice_body};
use crate::generate::{Sharing, Walk, steps};

/// Webhooks that come late, twice and few at once.
fn irregular() -> Webhooks {
    let lateness = Range { min: 0, max: 600 };
    Webhooks { lateness, duplicates: 50, at_once: 3, ..Webhooks::default() }
}

fn hash(service: &Service) -> u64 {
    let mut hasher = DefaultHasher::new();
    service.hash(&mut hasher);
    hasher.finish()
}

/// A result of an attempt, different from attempt to attempt; `None` for one that stays in flight.
fn receipt(attempt: &Attempt) -> Option<Receipt> {
    match (attempt.delivery.number + 3 * u64::from(attempt.number)) % 6 {
        0 | 1 => None,
        2 => Some(Receipt::Answered(200)),
        3 => Some(Receipt::Answered(500)),
        4 => Some(Receipt::TimedOut),
        _ => Some(Receipt::Failed),
    }
}

/// A sender of attempts, which remembers those in flight.
#[derive(Default)]
struct Sender {
    in_flight: Vec<Attempt>,
}

impl Sender {
    /// Ends the attempts in flight, begins what is due, and ends some of it.
    fn send(&mut self, service: &mut Service, now: Timestamp) -> Vec<(Attempt, Consequence)> {
        let mut ended = Vec::new();
        for attempt in self.in_flight.drain(..) {
            let consequence = service.handle_receipt(now, &attempt, Receipt::Answered(503));
            ended.push((attempt, consequence));
        }
        while let Some(attempt) = service.poll_attempt(now) {
            match receipt(&attempt) {
                None => self.in_flight.push(attempt),
                Some(receipt) => {
                    let consequence = service.handle_receipt(now, &attempt, receipt);
                    ended.push((attempt, consequence));
                }
            }
        }
        ended
    }
}

/// An advance at every stage, and a payment of every kind.
fn finance(walk: &mut Walk) {
    let desk = walk.as_platform(0);
    for (invoice, face_value) in [("i0", 50_000), ("i1", 40_000)] {
        desk.sync_invoice("b0", invoice, face_value);
        assert_eq!(desk.request_advance("b0", invoice).status, 201);
    }
    desk.fund();
    desk.pay("b0", "i0", 10_000);
    desk.pay("b0", "i1", 50_000);
    for (invoice, seconds) in [("i2", 30), ("i3", 29)] {
        desk.sync_invoice("b0", invoice, 30_000);
        assert_eq!(desk.request_advance("b0", invoice).status, 201);
        desk.wait(seconds);
    }
    desk.sync_invoice("b0", "i4", 20_000);
    desk.pay("b0", "i4", 5_000);
}

/// Links, imports, keys, subscriptions, and businesses with every part.
fn administrate(walk: &mut Walk) {
    let desk = walk.as_platform(1);
    let mut invoice = invoice_body("b1", "b2", 900);
    let contact = json!({ "name": "Ada", "email": "a@b.example", "phone": "1" });
    invoice["payor"]["contact"] = contact.clone();
    invoice["payor"]["taxId"] = json!("444444444");
    desk.put("/v1/invoices/i9", &invoice);
    desk.put("/v1/organizations/b2", &json!({ "legalName": "B", "contact": contact }));
    desk.act(&json!({ "action": "markTestAccount", "externalId": "b2" }));
    desk.post("/v1/onboarding-sessions", &json!({ "externalId": "b1" }));
    desk.post("/v1/invitations", &json!({ "externalId": "b1", "email": "ada@b1.example" }));
    for after_rows in [2, 7] {
        desk.act(&json!({ "action": "interruptNextImport", "afterRows": after_rows }));
        let line = format!("b1,B,C,ISSUED,500,{START},{START}\n");
        let csv = format!(
            "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,\
             dueDate\nr1,{line}bad\nr2,{line}"
        );
        desk.import("imp", csv.as_bytes());
    }
    desk.act(&json!({ "action": "interruptNextImport", "afterRows": 1 }));
    let key = desk.act(&json!({ "action": "issueKey" }))["key"].clone();
    desk.act(&json!({ "action": "revokeKey", "key": key }));
    let kinds = ["partner.loan.paid", "partner.organization.added"];
    let body = json!({ "url": "https://HOOKS.example.com", "eventTypes": kinds });
    assert_eq!(desk.post("/v1/webhooks", &body).status, 201);
    let address =
        json!({ "line1": "1", "line2": "2", "city": "3", "state": "4", "postalCode": "5" });
    for (business, tax_id) in [("b3", "555555555"), ("b4", "666666666")] {
        desk.sync_business(business, tax_id);
        desk.claim(business);
        desk.act(&json!({
            "action": "vendorSignsAgreement", "payeeExternalId": business, "address": address,
        }));
        let body = json!({
            "accountNumber": "1234", "routingNumber": "021000021", "label": "Main",
        });
        desk.put(&format!("/v1/organizations/{business}/payout-account"), &body);
    }
    desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "b3" }));
    desk.act(&json!({ "action": "upstreamFails", "requests": 1 }));
}

/// A service with everything that a service can have.
fn full() -> Walk {
    let (mut walk, mut sender) = (Walk::sending(irregular()), Sender::default());
    for _ in 0..4 {
        walk.desk.wait(400);
        sender.send(&mut walk.desk.service, walk.desk.now);
    }
    finance(&mut walk);
    while walk.desk.service.poll_delivery().is_some() {}
    administrate(&mut walk);
    sender.send(&mut walk.desk.service, walk.desk.now);
    let waiting = sender.in_flight.pop().expect("an attempt is in flight");
    let (service, now) = (&mut walk.desk.service, walk.desk.now);
    service.handle_receipt(now, &waiting, Receipt::Failed);
    service.resend(now, &waiting.delivery, waiting.number).expect("it waits");
    walk
}

/// A snapshot's state.
fn state(bytes: &[u8]) -> Value {
    let document: Value = serde_json::from_slice(bytes).expect("a snapshot is JSON");
    document["state"].clone()
}

proptest! {
    #![proptest_config(Config { cases: 128, failure_persistence: None, ..Config::default() })]

    /// A restored service is the service that was written, and remains it.
    #[test]
    fn a_restored_service_is_the_same_service(
        before in steps(Sharing::Shared, 40),
        after in steps(Sharing::Shared, 20),
        journal in any::<bool>(),
    ) {
        let (mut walk, mut sender) = (Walk::sending(irregular()), Sender::default());
        for step in &before {
            walk.take(step);
            sender.send(&mut walk.desk.service, walk.desk.now);
            while journal && walk.desk.service.poll_delivery().is_some() {}
        }
        let bytes = walk.desk.service.snapshot().unwrap();
        let mut again = walk.clone();
        again.desk.service = Service::restore(&bytes).unwrap();
        prop_assert!(again.desk.service == walk.desk.service);
        prop_assert_eq!(hash(&again.desk.service), hash(&walk.desk.service));
        prop_assert!(again.desk.service.snapshot().unwrap() == bytes);

        let now = walk.desk.now;
        let (old, new) = (&mut walk.desk.service, &mut again.desk.service);
        prop_assert_eq!(old.handle_restart(now), new.handle_restart(now));
        for late in sender.in_flight {
            let accepted = Receipt::Answered(200);
            prop_assert_eq!(old.handle_receipt(now, &late, accepted), Consequence::None);
            prop_assert_eq!(new.handle_receipt(now, &late, accepted), Consequence::None);
        }
        let mut senders = (Sender::default(), Sender::default());
        for step in &after {
            prop_assert_eq!(walk.take(step), again.take(step));
            let (old, new) = (&mut walk.desk, &mut again.desk);
            let sent = senders.0.send(&mut old.service, old.now);
            prop_assert_eq!(sent, senders.1.send(&mut new.service, new.now));
            prop_assert_eq!(old.service.poll_timeout(), new.service.poll_timeout());
            prop_assert_eq!(old.events(), new.events());
        }
        prop_assert!(again.desk.service == walk.desk.service);
        prop_assert!(again.desk.service.snapshot().unwrap() == walk.desk.service.snapshot().unwrap());
    }
}

#[test]
fn a_full_service_survives() {
    let service = full().desk.service;
    let bytes = service.snapshot().unwrap();
    let restored = Service::restore(&bytes).unwrap();
    assert!(restored == service);
    assert_eq!(hash(&restored), hash(&service));
    assert_eq!(String::from_utf8(restored.snapshot().unwrap()), String::from_utf8(bytes.clone()));
    // It has something of everything.
    let text = String::from_utf8(bytes).unwrap();
    let states = ["Requested", "Funding", "Funded", "Repaid", "Closed", "Verifying", "Open"];
    let links = ["Active", "\"Used\"", "\"revoked\":true", "\"rejected\"", "invalid_request"];
    let causes = ["Event", "Late", "Retry", "Duplicate", "Resent"].map(|it| format!("\"{it}\""));
    let deliveries = ["UnderWay", "Waiting", "\"resumes_at\":\"2026"];
    let words = states.iter().chain(&links).chain(&deliveries).map(|word| (*word).to_owned());
    for word in words.chain(causes) {
        assert!(text.contains(&word), "no {word}");
    }
    let empty: Vec<String> = state(text.as_bytes())
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| value.as_array().is_some_and(Vec::is_empty))
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(empty, Vec::<String>::new());
}

/// A release that cannot read this file needs a new version of the form, and a way to read this one.
#[test]
fn a_snapshot_of_version_2_remains_readable() {
    let bytes = include_bytes!("snapshot/version_2.json").trim_ascii_end();
    let restored = Service::restore(bytes).unwrap();
    assert_eq!(String::from_utf8(restored.snapshot().unwrap()), String::from_utf8(bytes.to_vec()));
    assert_eq!(restored.audit(), Ok(()));
}

/// It has the states of SHA-256 after a signing key, and not the secret.
#[test]
fn a_snapshot_of_version_1_is_refused_with_the_reason() {
    let bytes = include_bytes!("snapshot/version_1.json").trim_ascii_end();
    assert_eq!(
        Service::restore(bytes).unwrap_err().to_string(),
        "the snapshot has version 1, of an earlier release, and this release reads only version 2; \
         use the release that wrote it, or begin anew"
    );
}

/// Its attempts carry signatures by the secret that the subscriber was shown.
#[test]
fn a_restored_service_signs_with_the_same_secret() {
    let mut desk = Desk::open();
    let hook = json!({ "url": "https://hooks.example/" });
    let secret = desk.post("/v1/webhooks", &hook).body["secret"].clone();
    desk.sync_business("b0", "111111111");
    let mut restored = Service::restore(&desk.service.snapshot().unwrap()).unwrap();
    let attempt = restored.poll_attempt(desk.now).expect("an attempt is due");
    let shown = SigningKey::new(secret.as_str().expect("a new subscription shows its secret"));
    let signed = shown.sign(desk.now.unix_unsigned(), &attempt.delivery.body);
    assert_eq!(attempt.sign(desk.now), signed);
}

#[test]
fn other_bytes_are_refused_with_the_reason() {
    let bytes = full().desk.service.snapshot().unwrap();
    let why = |bytes: &[u8]| Service::restore(bytes).unwrap_err().to_string();
    let replaced = |from: &str, to: &str| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    for other in ["", "hello", "[]", "{}", "null", r#"{"format":"x","version":1}"#] {
        let why = why(other.as_bytes());
        assert!(why.starts_with("this is not a snapshot: "), "{other}: {why}");
    }
    let truncated = why(&bytes[..bytes.len() - 1]);
    assert!(truncated.contains("EOF"), "{truncated}");
    assert_eq!(
        why(&replaced("\"version\":2", "\"version\":3")),
        "the snapshot has version 3, but this release reads snapshots only up to version 2; use \
         a newer release"
    );
    assert_eq!(
        why(br#"{"format":"tideover-service","version":7,"contents":[]}"#),
        "the snapshot has version 7, but this release reads snapshots only up to version 2; use \
         a newer release"
    );
    assert_eq!(
        why(&replaced("\"failing_requests\":1", "\"failing_requests\":2")),
        "the snapshot is damaged: its state does not match its checksum"
    );
    assert_eq!(Service::restore(&replaced("\"checksum\"", "\"sum\"")), damaged());
    assert_eq!(Service::restore(&replaced("\"state\"", "\"State\"")), damaged());
}

fn damaged() -> Result<Service, UnreadableSnapshot> {
    Err(UnreadableSnapshot::Damaged)
}

/// No release can take a damaged file for a whole one.
#[test]
fn changed_and_missing_bytes_are_noticed() {
    let bytes = full().desk.service.snapshot().unwrap();
    // All that is not the state, and some of the state.
    let indexes = (0..200).chain((200..bytes.len()).step_by(9)).chain([bytes.len() - 1]);
    for (index, bit) in indexes.zip((0..8).cycle()) {
        let mut flipped = bytes.clone();
        flipped[index] ^= 1 << bit;
        assert!(Service::restore(&flipped).is_err(), "bit {bit} of byte {index}");
    }
    for length in (0..bytes.len()).step_by(50) {
        assert!(Service::restore(&bytes[..length]).is_err(), "{length} bytes");
    }
}

//! The events of a transaction and their order: that of the document's table, the payee before the payor,
//! linked identifiers in the order of their linking.

use serde_json::json;
use tideover_model::Face;

use crate::desk::{Desk, invoice_body};

/// `6.events.organization.added`, `6.events.invoice.created`, `4.invoiceSync.3`
#[test]
fn an_invoice_announces_its_payee_its_payor_and_itself() {
    let mut desk = Desk::open();
    desk.subscribe();
    desk.sync_invoice("acme", "INV-1", 1_000);
    let events = desk.events();
    let about: Vec<_> = events
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), event["data"]["externalId"].as_str()))
        .collect();
    assert_eq!(
        about,
        [
            ("partner.organization.added", Some("acme")),
            ("partner.organization.added", Some("globex")),
            ("partner.invoice.created", None),
        ]
    );
    desk.sync_invoice("acme", "INV-1", 1_000);
    assert_eq!(desk.events(), Vec::<serde_json::Value>::new());
}

/// `6.events.invoice.factoredUpdated`, `6.events.loan.issued`, `6.events.loan.paid`, `6.delivery.6`
#[test]
fn an_advance_recovered_on_funding_sends_both_states_first() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000);
    desk.subscribe();
    desk.request_advance("acme", "INV-1");
    assert_eq!(
        desk.event_names(),
        ["partner.invoice.factoredUpdated REQUESTED", "partner.loan.created"]
    );
    desk.pay("acme", "INV-1", 1_000);
    assert_eq!(desk.event_names(), ["partner.invoice.paid"]);
    desk.wait(10_000);
    let events = desk.events();
    let types_and_sequences: Vec<_> = events
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), event["sequence"].as_u64()))
        .collect();
    assert_eq!(
        types_and_sequences,
        [
            ("partner.invoice.factoredUpdated", Some(2)),
            ("partner.invoice.factoredUpdated", Some(3)),
            ("partner.invoice.factoredUpdated", Some(4)),
            ("partner.loan.issued", None),
            ("partner.loan.paid", None),
        ]
    );
    let times: Vec<_> = events.iter().map(|event| event["occurredAt"].as_str().unwrap()).collect();
    assert_eq!(times[0], "2026-01-01T00:02:30Z");
    assert!(times[1..].iter().all(|time| *time == "2026-01-01T01:02:30Z"), "{times:?}");
}

/// `6.events.invoice.paid` comes before `6.events.invoice.factoredUpdated` and `6.events.loan.paid`.
#[test]
fn a_full_payment_sends_invoice_then_state_then_loan() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000);
    desk.request_advance("acme", "INV-1");
    desk.fund();
    desk.subscribe();
    desk.pay("acme", "INV-1", 1_000);
    assert_eq!(
        desk.event_names(),
        ["partner.invoice.paid", "partner.invoice.factoredUpdated REPAID", "partner.loan.paid"]
    );
}

/// `6.events.organization.optedIn`, `6.events.organization.remittanceUpdated`, `gap.sharedBusiness`
#[test]
fn a_shared_business_sends_events_for_every_identifier() {
    let mut desk = Desk::open();
    desk.subscribe();
    desk.sync_business("first", "123456789");
    desk.sync_business("second", "123456789");
    desk.events();
    desk.claim("second");
    desk.act(&json!({ "action": "vendorSignsAgreement", "payeeExternalId": "second" }));
    desk.set_payout_account("first");
    let names = |desk: &mut Desk| -> Vec<String> {
        let events = desk.events().into_iter();
        events.map(|event| event["data"]["externalId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&mut desk), ["first", "second"], "the payout account");
    desk.wait(119);
    assert!(names(&mut desk).is_empty());
    desk.wait(1);
    assert_eq!(names(&mut desk), ["first", "second", "first", "second"]);
    // Sent again only when it opts in again.
    desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "first" }));
    assert!(names(&mut desk).is_empty());
    desk.sync_business("first", "123456789");
    assert_eq!(names(&mut desk), ["first", "second"]);
}

/// `4.webhooks.3`, `4.recovery.3`, `4.webhookDeletion.1`, `gap.subscriptionForm`
#[test]
fn spellings_of_one_destination_are_the_same() {
    let mut desk = Desk::open();
    let subscribe = |desk: &mut Desk, url: &str| desk.post("/v1/webhooks", &json!({ "url": url }));
    let first = subscribe(&mut desk, "https://hooks.example.com/in");
    assert_eq!(first.status, 201);
    for url in [
        "https://hooks.example.com/in",
        "https://HOOKS.example.com:443/in",
        "HTTPS://hooks.example.com/./in",
        "https://hooks.example.com/in#later",
    ] {
        assert_eq!(subscribe(&mut desk, url).code(), "already_subscribed", "{url}");
    }
    assert_eq!(subscribe(&mut desk, "https://hooks.example.com/in?x").status, 201);

    desk.sync_business("acme", "123456789");
    let reference = first.body["reference"].as_str().unwrap().to_owned();
    let deleted = desk.send("DELETE", &format!("/v1/webhooks/{reference}"), &json!(null));
    assert_eq!(deleted.status, 204);
    let sent = std::iter::from_fn(|| desk.service.poll_attempt(desk.now)).count();
    assert_eq!(sent, 1, "the deleted one gets nothing more");
    let again = subscribe(&mut desk, "https://hooks.example.com/in");
    assert_eq!(again.status, 201);
    assert_ne!(again.body["secret"], first.body["secret"]);
}

/// `6.subscription.3`, `2.subscription.eventTypes`, `gap.deliveryIdentity`
#[test]
fn a_subscription_gets_each_wanted_event_once() {
    let mut desk = Desk::open();
    let kinds = ["partner.invoice.created", "partner.invoice.created", "partner.loan.paid"];
    let body = json!({ "url": "https://a.example.com/", "eventTypes": kinds });
    assert_eq!(
        desk.post("/v1/webhooks", &body).body["eventTypes"],
        json!(["partner.invoice.created", "partner.loan.paid"])
    );
    desk.post("/v1/webhooks", &json!({ "url": "https://b.example.com/" }));
    desk.put("/v1/invoices/INV-1", &invoice_body("acme", "globex", 1_000));
    let mut deliveries =
        std::iter::from_fn(|| tideover_model::Face::poll_delivery(&mut desk.service))
            .collect::<Vec<_>>();
    let created = deliveries.split_off(2);
    assert_eq!(created.len(), 2);
    assert_eq!(created[0].body, created[1].body);
    assert_ne!(created[0].id, created[1].id);
}

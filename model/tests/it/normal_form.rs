//! The normal form: what has no effect on anything to come is not compared, and everything else is.

use serde_json::json;
use tideover_model::{Face, Receipt, Seeded, Service};

use crate::desk::{Desk, START, instant, invoice_body};

/// A desk with a vendor that is onboarded and subscribed to.
fn open() -> Desk {
    let mut desk = Desk::open();
    desk.subscribe();
    desk.onboard("acme", "12-3456789");
    desk.sync_business("globex", "98-7654321");
    accept(&mut desk);
    desk
}

/// Polls everything, and accepts every delivery that is due.
fn accept(desk: &mut Desk) {
    desk.events();
    while let Some(attempt) = desk.service.poll_attempt(desk.now) {
        desk.service.handle_receipt(desk.now, &attempt, Receipt::Answered(200));
    }
}

/// Syncs an invoice that is due already.
fn sync(desk: &mut Desk, invoice: &str) {
    let mut body = invoice_body("acme", "globex", 100_000);
    body["dueDate"] = json!(START);
    assert_eq!(desk.put(&format!("/v1/invoices/{invoice}"), &body).status, 200);
    accept(desk);
}

fn normal(desk: &Desk) -> Service<Seeded> {
    desk.service.clone().normal_form(desk.now, instant("2030-01-01T00:00:00Z"))
}

#[test]
fn the_order_of_creation_and_the_time_between_vanish() {
    let (mut one, mut other) = (open(), open());
    sync(&mut one, "a");
    one.wait(77);
    sync(&mut one, "b");
    other.wait(5);
    sync(&mut other, "b");
    sync(&mut other, "a");
    assert_ne!(one.service, other.service);
    assert_eq!(normal(&one), normal(&other));
}

#[test]
fn what_is_due_keeps_its_distance() {
    let request = |wait| {
        let mut desk = open();
        sync(&mut desk, "a");
        assert_eq!(desk.request_advance("acme", "a").status, 201);
        accept(&mut desk);
        desk.wait(wait);
        desk
    };
    assert_ne!(normal(&request(0)), normal(&request(29)));
    let mut late = open();
    late.wait(1000);
    sync(&mut late, "a");
    assert_eq!(late.request_advance("acme", "a").status, 201);
    accept(&mut late);
    assert_eq!(normal(&request(0)), normal(&late));
    let due = normal(&late).poll_timeout().unwrap();
    assert_eq!(due, instant("2030-01-01T00:00:30Z"));
}

#[test]
fn a_retry_keeps_its_distance_and_its_delivery() {
    let mut desk = open();
    let before = normal(&desk);
    desk.put("/v1/organizations/initech", &json!({ "legalName": "Initech" }));
    let delivery = desk.service.poll_delivery().unwrap();
    let attempt = desk.service.poll_attempt(desk.now).unwrap();
    desk.service.handle_receipt(desk.now, &attempt, Receipt::Answered(503));
    desk.now = desk.now.after(2);
    let mut service = normal(&desk);
    assert_ne!(service, before);
    let due = instant("2030-01-01T00:00:03Z");
    assert_eq!(service.poll_timeout(), Some(due));
    let again = service.poll_attempt(due).unwrap();
    assert_eq!((&again.delivery.id, again.number), (&delivery.id, 2));
    assert_eq!(again.delivery.body, delivery.body);
}

#[test]
fn a_normal_form_is_its_own() {
    let mut desk = open();
    sync(&mut desk, "b");
    sync(&mut desk, "a");
    desk.request_advance("acme", "b");
    accept(&mut desk);
    desk.wait(31);
    accept(&mut desk);
    let origin = instant("2030-01-01T00:00:00Z");
    let once = normal(&desk);
    assert_eq!(once.clone().normal_form(origin, origin), once);
}

#[test]
fn another_amount_is_another_state() {
    let (mut one, mut other) = (open(), open());
    for (desk, amount) in [(&mut one, 1), (&mut other, 2)] {
        sync(desk, "a");
        desk.pay("acme", "a", amount);
        accept(desk);
    }
    assert_ne!(normal(&one), normal(&other));
}

//! The distribution of payors' money, to the cent.

use serde_json::{Value, json};
use tideover_model::Cents;

use crate::desk::{Desk, invoice_body};

/// An invoice of 1000000 cents with a funded advance of 900000 and a fee of 40000.
fn funded() -> Desk {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    desk.request_advance("acme", "INV-1");
    desk.fund();
    desk
}

fn advance(desk: &mut Desk) -> Value {
    desk.invoice("acme", "INV-1")["advance"].clone()
}

/// `1.service.3.3`, `gap.waterfall`, `2.amounts.feeTotal`, `2.amounts.forwardedAtPayment.3`
#[test]
fn a_payment_flows_down_the_waterfall() {
    let mut desk = funded();
    for (amount, owed, state) in [
        (899_999, 40_001, "FUNDED"),
        (1, 40_000, "FUNDED"),
        (39_999, 1, "FUNDED"),
        (1, 0, "REPAID"),
        (60_000, 0, "REPAID"),
    ] {
        desk.pay("acme", "INV-1", amount);
        let seen = advance(&mut desk);
        assert_eq!((&seen["amountOwed"], &seen["state"]), (&json!(owed), &json!(state)));
        desk.audit();
    }
    let invoice = desk.invoice("acme", "INV-1");
    assert_eq!(invoice["collectionState"], "COLLECTED");
    assert_eq!(invoice["status"], "ISSUED");
}

/// `gap.advanceTransitions`, `2.invoice.collected`
#[test]
fn a_payment_before_funding_waits_for_it() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    desk.request_advance("acme", "INV-1");
    desk.pay("acme", "INV-1", 950_000);
    let seen = desk.invoice("acme", "INV-1");
    assert_eq!(
        (&seen["collected"], &seen["advance"]["amountOwed"]),
        (&950_000.into(), &940_000.into())
    );
    assert_eq!(seen["advance"]["state"], "REQUESTED");
    desk.audit();
    desk.wait(30);
    assert_eq!(advance(&mut desk)["state"], "FUNDING");
    desk.wait(3600);
    let seen = advance(&mut desk);
    assert_eq!((&seen["state"], &seen["amountOwed"]), (&json!("REPAID"), &json!(0)));
    assert_eq!(seen["fundedAt"], seen["repaidAt"]);
    desk.audit();
}

/// `2.invoice.collected.2`, `gap.collectionThresholds`
#[test]
fn excess_payments_stay_in_suspense() {
    let mut desk = funded();
    let paid = desk.pay("acme", "INV-1", 2_147_483_647);
    assert_eq!(paid, json!({ "applied": 1_000_000, "suspense": 2_146_483_647 }));
    assert_eq!(desk.pay("acme", "INV-1", 1), json!({ "applied": 0, "suspense": 1 }));
    assert_eq!(desk.invoice("acme", "INV-1")["collected"], 1_000_000);
    desk.audit();
}

/// `gap.faceValueLowered`, `6.events.invoice.paid`, `gap.alreadyCollected`
#[test]
fn a_lowered_face_value_caps_collected() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000);
    desk.pay("acme", "INV-1", 1);
    assert_eq!(desk.request_advance("acme", "INV-1").code(), "invoice_not_financeable");
    desk.pay("acme", "INV-1", 599);
    assert_eq!(desk.invoice("acme", "INV-1")["collectionState"], "PARTIALLY_COLLECTED");
    assert_eq!(desk.request_advance("acme", "INV-1").code(), "invoice_not_financeable");

    desk.subscribe();
    desk.sync_invoice("acme", "INV-1", 500);
    let seen = desk.invoice("acme", "INV-1");
    assert_eq!((&seen["collected"], &seen["collectionState"]), (&json!(500), &json!("COLLECTED")));
    assert_eq!(desk.event_names(), ["partner.invoice.paid"]);

    desk.sync_invoice("acme", "INV-1", 2_000);
    assert_eq!(desk.invoice("acme", "INV-1")["collected"], 600);
    desk.audit();
}

/// `5.authentication.5`, `1.general.4`, `gap.testAccount`
#[test]
fn a_test_account_enters_no_ledger() {
    let mut desk = Desk::open();
    desk.put("/v1/organizations/acme", &json!({ "legalName": "Acme" }));
    desk.act(&json!({ "action": "markTestAccount", "externalId": "acme" }));
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    desk.request_advance("acme", "INV-1");
    desk.fund();
    let books = books(&desk);
    desk.pay("acme", "INV-1", 2_000_000);
    assert_eq!(advance(&mut desk)["state"], "REPAID");
    assert_eq!(self::books(&desk), books, "the ledger did not move");
    assert!(books.contains(&format!("{:?}", [Cents::ZERO; 6])));
    desk.audit();
}

/// The ledger, from the service's debug form.
fn books(desk: &Desk) -> String {
    let shown = format!("{:?}", desk.service);
    let (_, rest) = shown.split_once("Ledger {").expect("a ledger");
    rest.split('}').next().unwrap_or_default().to_owned()
}

/// `5.authentication.5`: the request decides whether an advance moves money.
#[test]
fn marking_a_test_account_keeps_earlier_advances() {
    let mut desk = funded();
    desk.act(&json!({ "action": "markTestAccount", "externalId": "acme" }));
    // Funder, vendor, payor, held, fees, suspense.
    let has = |desk: &Desk, balances: [i64; 6]| {
        let books = books(desk);
        assert!(books.contains(&format!("{:?}", balances.map(Cents))), "{books}");
    };
    has(&desk, [-900_000, 900_000, 0, 0, 0, 0]);
    desk.pay("acme", "INV-1", 500_000);
    has(&desk, [-400_000, 900_000, -500_000, 0, 0, 0]);
    desk.put("/v1/invoices/INV-2", &invoice_body("acme", "globex", 5_000));
    desk.request_advance("acme", "INV-2");
    desk.fund();
    desk.pay("acme", "INV-2", 5_000);
    has(&desk, [-400_000, 900_000, -500_000, 0, 0, 0]);
    desk.pay("acme", "INV-1", 500_000);
    has(&desk, [0, 960_000, -1_000_000, 0, 40_000, 0]);
    desk.audit();
}

/// `2.amounts.financeableAmount.2`, `8.perInvoiceMaximum`, `2.amounts.forwardedAtPayment`
#[test]
fn the_excess_over_the_maximum_is_forwarded_on_payment() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 2_147_483_647);
    let offered = desk.request_advance("acme", "INV-1").body;
    assert_eq!(offered["financeableAmount"], 25_000_000);
    assert_eq!(offered["advanceAmount"], 22_500_000);
    assert_eq!(offered["forwardedAtPayment"], 2_147_483_647_i64 - 22_500_000 - 1_000_000);
    desk.fund();
    desk.pay("acme", "INV-1", 2_147_483_647);
    desk.audit();
}

/// `gap.zeroAdvance`, `8.faceValue`, `gap.pricing`
#[test]
fn extreme_amounts_and_dates_have_a_price() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1);
    assert_eq!(desk.request_advance("acme", "INV-1").code(), "invoice_not_financeable");
    for (number, due) in [
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59.999999999Z",
        "2026-01-01T23:59:60Z",
    ]
    .into_iter()
    .enumerate()
    {
        let mut body = invoice_body("acme", "globex", 100_000);
        body["dueDate"] = json!(due);
        let path = format!("/v1/invoices/far-{number}");
        if desk.put(&path, &body).status == 200 {
            let seen = desk.request_advance("acme", &format!("far-{number}"));
            assert_eq!(seen.status, 201, "{due}");
            assert!(seen.body["forwardedAtPayment"].as_i64() >= Some(0));
        }
    }
    desk.wait(u64::MAX);
    desk.sync_invoice("acme", "INV-9", 5_000);
    assert_eq!(desk.request_advance("acme", "INV-9").status, 201);
    desk.wait(u64::MAX);
    assert_eq!(desk.invoice("acme", "INV-9")["advance"]["state"], "FUNDED");
    desk.audit();
}

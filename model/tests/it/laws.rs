//! Laws that hold on every walk.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use tideover_model::wire::route::route;
use tideover_model::{Code, Face};

use crate::desk::Seen;
use crate::generate::{BUSINESSES, Body, INVOICES, Sharing, Step, Walk, steps};

fn walks() -> Config {
    Config { cases: 256, failure_persistence: None, ..Config::default() }
}

const MOST: usize = 50;

/// A walk in which everything due has happened before each step, and deliveries are drained.
fn settled(walk: &mut Walk) -> Walk {
    walk.desk.service.handle_timeout(walk.desk.now);
    while walk.desk.service.poll_delivery().is_some() {}
    walk.clone()
}

fn reads_only(step: &Step) -> bool {
    matches!(step, Step::Call { method, path, .. }
        if route(method, path).is_ok_and(|route| route.kind.reads()))
}

/// Whether the document lists it as safe to retry (§4 Idempotency summary).
fn is_safe_to_retry(step: &Step) -> bool {
    matches!(step, Step::Call { method: "PUT", .. })
        || matches!(step, Step::Call { path, .. } if path == "/v1/advances")
}

fn json(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or(Value::Null)
}

proptest! {
    #![proptest_config(walks())]

    /// `7.retrying.2`: a refusal and an impossible happening change nothing.
    #[test]
    fn a_refusal_changes_nothing(steps in steps(Sharing::Shared, MOST)) {
        let mut walk = Walk::start();
        for step in &steps {
            let before = settled(&mut walk);
            let (status, _) = walk.take(step);
            if status >= 400 {
                prop_assert!(walk.desk.service == before.desk.service, "{status} after {step:?}");
            }
        }
    }

    /// `4.quotes.2`, `5.authentication.3.2`
    #[test]
    fn a_read_changes_nothing(steps in steps(Sharing::Shared, MOST)) {
        let mut walk = Walk::start();
        for step in &steps {
            let before = settled(&mut walk);
            let answer = walk.take(step);
            if reads_only(step) {
                prop_assert!(walk.desk.service == before.desk.service, "{step:?}");
                prop_assert_eq!(walk.take(step), answer, "{:?}", step);
            }
        }
    }

    /// `4.idempotency.1`, `7.retrying.3`, `4.invoiceSync.2`, `4.businessSync.intro.2`,
    /// `4.payoutAccount.1.2`, `4.advances.2`, `4.imports.7.2`
    #[test]
    fn a_repeated_write_changes_nothing_more(steps in steps(Sharing::Shared, MOST)) {
        let mut walk = Walk::start();
        for step in &steps {
            settled(&mut walk);
            let (status, body) = walk.take(step);
            let interrupted = json(&body)["finished"] == false;
            if is_safe_to_retry(step) && status < 300 && !interrupted {
                let before = settled(&mut walk);
                let (again, _) = walk.take(step);
                prop_assert!(again < 300, "{again} after {step:?}");
                prop_assert!(walk.desk.service == before.desk.service, "{step:?}");
            }
        }
    }

    /// The same inputs give the same bytes: responses, deliveries and state.
    #[test]
    fn a_repeated_walk_gives_the_same_bytes(steps in steps(Sharing::Shared, MOST)) {
        let (mut first, mut second) = (Walk::start(), Walk::start());
        for step in &steps {
            prop_assert_eq!(first.take(step), second.take(step));
            loop {
                let delivery = first.desk.service.poll_delivery();
                prop_assert_eq!(&delivery, &second.desk.service.poll_delivery());
                if delivery.is_none() {
                    break;
                }
            }
        }
        prop_assert!(first.desk.service == second.desk.service);
    }

    /// No cent appears or disappears (`1.service.3.3`), and the view of an invoice is coherent:
    /// `2.invoice.collected.2`, `2.invoice.notFundableReason`, `2.invoice.notFundableReason.2`,
    /// `2.invoice.collectionState`, `2.invoice.advance`.
    #[test]
    fn the_books_balance_and_invoices_are_coherent(steps in steps(Sharing::Shared, MOST)) {
        let mut walk = Walk::start();
        for step in &steps {
            walk.take(step);
            prop_assert_eq!(walk.desk.service.audit(), Ok(()), "after {:?}", step);
            for invoice in invoices(&mut walk) {
                let (collected, face_value) = (&invoice["collected"], &invoice["faceValue"]);
                let (collected, face_value) = (collected.as_i64(), face_value.as_i64());
                prop_assert!(collected >= Some(0) && collected <= face_value, "{invoice}");
                let expected = match collected {
                    Some(0) => "UNCOLLECTED",
                    all if all == face_value => "COLLECTED",
                    _ => "PARTIALLY_COLLECTED",
                };
                prop_assert_eq!(&invoice["collectionState"], expected);
                match invoice["notFundableReason"].as_str() {
                    None => prop_assert_eq!(&invoice["fundable"], true),
                    Some(reason) => {
                        prop_assert_eq!(&invoice["fundable"], false);
                        prop_assert!(!reason.contains(|c: char| c.is_ascii_digit()), "{reason}");
                        prop_assert!(reason.ends_with('.') && reason.matches('.').count() == 1);
                    }
                }
                prop_assert!(invoice["advance"].is_null() || invoice["fundable"] == false);
            }
        }
    }

    /// `2.invoice.fundable`, `2.invoice.fundable.2`, `2.quote.fundable`, `2.quote.notFundableReason.3`
    #[test]
    fn fundable_and_the_advance_request_agree(steps in steps(Sharing::Shared, MOST)) {
        let mut walk = Walk::start();
        for step in &steps {
            walk.take(step);
            for platform in 0..2 {
                for (payee, invoice) in pairs() {
                    prop_assert_eq!(verdicts_differ(&walk, platform, payee, invoice), None);
                }
            }
        }
    }
}

fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUSINESSES.into_iter().flat_map(|payee| INVOICES.map(|invoice| (payee, invoice)))
}

/// Every invoice that either platform can read.
fn invoices(walk: &mut Walk) -> Vec<Value> {
    let mut found = Vec::new();
    for platform in 0..2 {
        for (payee, invoice) in pairs() {
            let path = format!("/v1/organizations/{payee}/invoices/{invoice}");
            let seen = walk.as_platform(platform).get(&path);
            found.extend((seen.status == 200).then_some(seen.body));
        }
    }
    found
}

/// Reads whether an invoice is fundable, and then requests the advance from a copy of the service.
fn verdicts_differ(walk: &Walk, platform: usize, payee: &str, invoice: &str) -> Option<String> {
    let mut copy = walk.clone();
    let desk = copy.as_platform(platform);
    let read = desk.get(&format!("/v1/organizations/{payee}/invoices/{invoice}"));
    let asked: Seen = desk.request_advance(payee, invoice);
    let agree = match (read.body["fundable"].as_bool(), asked.status) {
        (Some(true), status) => status == 201,
        (Some(false), status) => {
            let sentence = &asked.body["error"];
            status == 200
                || [409, 422].contains(&status) && (sentence == &read.body["notFundableReason"])
        }
        (None, status) => status == 404,
    };
    (!agree).then(|| format!("{platform} {payee} {invoice}: {read:?}, {asked:?}"))
}

/// Checks the walks' coverage: they reach every refusal of the service and every state.
#[test]
fn the_walks_reach_every_code_and_every_state() {
    let mut runner = TestRunner::deterministic();
    let mut met = BTreeSet::new();
    for _ in 0..300 {
        let steps = steps(Sharing::Shared, MOST).new_tree(&mut runner).unwrap().current();
        let mut walk = Walk::start();
        for step in &steps {
            let (_, body) = walk.take(step);
            let body = json(&body);
            let words = [&body["code"], &body["outcome"], &body["advance"]["state"]];
            let result = &body["taxIdResult"]["outcome"];
            let route = &body["complianceRoute"];
            met.extend(words.into_iter().chain([result, route]).map(Value::to_string));
        }
        for invoice in invoices(&mut walk) {
            met.insert(invoice["advance"]["state"].to_string());
            met.insert(invoice["collectionState"].to_string());
        }
    }
    let codes = Code::ALL.map(Code::name).into_iter();
    // No walk sends malformed requests, bad keys, oversized bodies or planned failures.
    let unmet = [
        "unreadable_request",
        "unauthorized",
        "payload_too_large",
        "upstream_failed",
        "unknown_endpoint",
        "unsupported_media_type",
        "too_many_rows",
    ];
    let codes = codes.filter(|code| !unmet.contains(code));
    let states = ["REQUESTED", "FUNDING", "FUNDED", "REPAID", "COLLECTED", "PARTIALLY_COLLECTED"];
    let results = ["accepted", "unchanged", "malformed", "differs", "heldByAnother", "statusOnly"];
    let routes = ["VENDOR_ASSERTION", "W9_UPLOAD", "PARTNER_SUPPLIED"];
    for word in codes.chain(states).chain(results).chain(routes) {
        assert!(met.contains(&format!("{word:?}")), "no walk meets {word}");
    }
    let csv = |step: &Step| matches!(step, Step::Call { body: Body::Csv(_), .. });
    assert!(steps(Sharing::Shared, 400).new_tree(&mut runner).unwrap().current().iter().any(csv));
}

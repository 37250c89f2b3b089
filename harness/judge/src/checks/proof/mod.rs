//! Every check reports a response that breaks its law, and accepts a valid one.

mod deliveries;

use serde_json::{Value, json};
use tideover_exchange::Memory;
use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::{Arrival, Exchange, Inside, Prepared, Response, start};
use tideover_model::{PlatformId, SigningKey, clause};

use crate::checks::{Check, Notes};

/// Runs `check` on exchanges. Returns the broken clauses.
pub(in crate::checks) fn broken(
    check: &mut dyn Check,
    exchanges: &[(Call, u16, Value)],
) -> Vec<&'static str> {
    broken_inside(check, exchanges, None)
}

fn broken_inside(
    check: &mut dyn Check,
    exchanges: &[(Call, u16, Value)],
    inside: Option<Inside>,
) -> Vec<&'static str> {
    let shown =
        exchanges.iter().map(|exchange| TestExchange { inside: inside.clone(), ..exchange.into() });
    broken_by(check, &shown.collect::<Vec<_>>())
}

/// A test exchange: a response and everything that comes with it.
#[derive(Clone)]
struct TestExchange {
    call: Call,
    status: u16,
    body: Value,
    arrivals: Vec<Arrival>,
    predicted_arrivals: Vec<Arrival>,
    inside: Option<Inside>,
    /// How far the run moves the clock, in place of the call. Seconds.
    moves: Option<u64>,
}

impl From<&(Call, u16, Value)> for TestExchange {
    fn from((call, status, body): &(Call, u16, Value)) -> TestExchange {
        let (call, status, body) = (call.clone(), *status, body.clone());
        let (arrivals, predicted_arrivals) = (Vec::new(), Vec::new());
        let (inside, moves) = (None, None);
        TestExchange { call, status, body, arrivals, predicted_arrivals, inside, moves }
    }
}

fn broken_by(check: &mut dyn Check, shown: &[TestExchange]) -> Vec<&'static str> {
    let findings = noted_by(check, shown).findings;
    findings.iter().map(|finding| finding.clause.name()).collect()
}

fn noted_by(check: &mut dyn Check, shown: &[TestExchange]) -> Notes {
    let mut notes = Notes::default();
    for TestExchange { call, status, body, arrivals, predicted_arrivals, inside, moves } in shown {
        let step = Step::new(moves.map_or(Action::Call(call.clone()), Action::Advance));
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let seen = Response::new(*status, &bytes);
        let sent = Prepared::from_step(&step, &Memory::default(), "key");
        let exchange = Exchange {
            platform: Some(PlatformId::DEFAULT),
            unsettled: false,
            arrivals,
            predicted_arrivals,
            inside: inside.as_ref(),
            ..Exchange::alone(&sent, &seen, start())
        };
        check.observe(&exchange, &mut notes);
    }
    assert_ne!(notes.met, Tally::default(), "nothing was met");
    notes
}

pub(in crate::checks) fn get(path: &str) -> Call {
    Call::bare("GET", path)
}

fn advance() -> Call {
    let body = json!({ "payeeExternalId": "v", "invoiceExternalId": "i" });
    Call::json("POST", "/v1/advances", body)
}

const INVOICE: &str = "/v1/organizations/v/invoices/i";

#[test]
fn finds_a_malformed_error() {
    let of =
        |body| broken(&mut super::error_shape::ErrorShape, &[(get("/v1/webhooks"), 401, body)]);
    assert!(of(json!({ "error": "no", "code": "unauthorized" })).is_empty());
    assert_eq!(of(json!({ "error": "no" })), ["7.shape.code"]);
    assert_eq!(of(json!({ "error": {}, "code": "x" })), ["7.shape.error"]);
    assert_eq!(of(json!("no")), ["7.shape.1"]);
    // A server may refuse a path that spells nothing, and need not know the shape. A service that fails must.
    let misspelt = |status| {
        let calls = [
            (get("/v1/webhooks"), 401, json!({ "error": "no", "code": "unauthorized" })),
            (get("/v1/organizations/%zz"), status, json!("no")),
        ];
        broken(&mut super::error_shape::ErrorShape, &calls)
    };
    assert!(misspelt(400).is_empty());
    assert_eq!(misspelt(500), ["7.shape.1"]);
}

#[test]
fn finds_wrong_sums_of_amounts() {
    let of = |financeable: i64, advance: i64, fee: i64, forwarded: i64| {
        let body = json!({ "financeableAmount": financeable, "advanceAmount": advance,
            "feeTotal": fee, "forwardedAtPayment": forwarded });
        let quote = json!({ "externalId": "v", "invoiceFaceValue": 1000 });
        let call = Call::json("POST", "/v1/quotes", quote);
        broken(&mut super::amounts::Arithmetic, &[(call, 200, body)])
    };
    assert!(of(1000, 900, 20, 80).is_empty());
    assert!(of(800, 700, 20, 280).is_empty());
    assert_eq!(of(1000, 900, 20, 81), ["2.amounts.forwardedAtPayment"]);
    assert_eq!(of(800, 900, 20, 80), ["2.amounts.financeableAmount"]);
    assert_eq!(of(1001, 900, 20, 80), ["2.amounts.financeableAmount"]);
    assert!(of(1000, 990, 20, -10).contains(&"2.amounts.forwardedAtPayment.2"));
    assert!(of(1000, -1, 20, 981).contains(&"1.general.1"));
}

#[test]
fn finds_overcollection_and_a_wrong_state() {
    let of = |collected: i64, state: &str| {
        let body = json!({ "collected": collected, "faceValue": 10, "collectionState": state });
        broken(&mut super::collected::Collected, &[(get(INVOICE), 200, body)])
    };
    assert!(of(0, "UNCOLLECTED").is_empty() && of(10, "COLLECTED").is_empty());
    assert_eq!(of(11, "PARTIALLY_COLLECTED"), ["2.invoice.collected.2"]);
    assert_eq!(of(9, "COLLECTED"), ["gap.collectionThresholds"]);
    assert_eq!(of(5, "COLLECTED"), ["gap.collectionThresholds"]);
    assert_eq!(of(4, "COLLECTED"), ["3.collection.1"]);
    assert_eq!(of(4, "UNCOLLECTED"), ["gap.collectionThresholds"]);
    assert_eq!(of(5, "UNCOLLECTED"), ["3.collection.1"]);
}

#[test]
fn finds_unbalanced_books() {
    let of = |audit| {
        let inside = Inside { changed: false, audit };
        let read = [(get("/v1/webhooks"), 200, json!([]))];
        broken_inside(&mut super::conservation::Conservation, &read, Some(inside))
    };
    assert!(of(Ok(())).is_empty());
    assert_eq!(of(Err("a cent is gone".into())), ["1.service.3.3"]);
}

#[test]
fn finds_refusal_of_a_fundable_invoice() {
    let read = |fundable: bool, reason: Value| {
        (get(INVOICE), 200, json!({ "fundable": fundable, "notFundableReason": reason }))
    };
    let refused = (advance(), 409, json!({ "error": "no", "code": "business_not_eligible" }));
    let made = (advance(), 201, json!({ "alreadyRequested": false }));
    let of = |exchanges: &[_]| broken(&mut super::fundable::Fundable::default(), exchanges);
    assert!(of(&[read(true, Value::Null), made.clone()]).is_empty());
    assert!(of(&[read(false, json!("so")), refused.clone()]).is_empty());
    assert_eq!(of(&[read(true, Value::Null), refused]), ["2.invoice.fundable.2"]);
    assert_eq!(of(&[read(false, json!("so")), made]), ["2.invoice.fundable.2"]);
    assert_eq!(of(&[read(true, json!("so"))]), ["2.invoice.notFundableReason"]);
}

#[test]
fn finds_a_report_unlike_the_upload() {
    let path = "/v1/invoices/imports/m";
    let upload = |report| (Call::text("PUT", path, "x".into(), "text/csv"), 200, report);
    let of = |uploaded, report| {
        let mut check = super::import_report::IdenticalReport::default();
        broken(&mut check, &[upload(uploaded), (get(path), 200, report)])
    };
    let rows = |rows: u64| json!({ "rowCount": rows });
    assert!(of(rows(1), rows(1)).is_empty());
    assert_eq!(of(rows(1), rows(2)), ["4.import.1"]);
    // The further object is part of the report; what a service adds beside it is not.
    let tally = |rejected: u64| json!({ "rowCount": 1, "tally": { "rejected": rejected } });
    assert_eq!(of(tally(0), tally(1)), ["4.import.1"]);
    let added = |request: &str| json!({ "rowCount": 1, "tally": {}, "requestId": request });
    assert!(of(added("r1"), added("r2")).is_empty());
    let wrapped = |request: &str| json!({ "rowCount": 1, "tally": {}, "meta": { "id": request } });
    assert!(of(wrapped("r1"), wrapped("r2")).is_empty());
}

#[test]
fn finds_a_repeat_with_another_advance() {
    let answer = |already: bool, fee: u64| {
        let body = json!({ "alreadyRequested": already, "advanceAmount": 9, "feeTotal": fee,
            "remittance": { "accountNumber": "1" } });
        (advance(), 200, body)
    };
    let of = |exchanges: &[_]| {
        broken(&mut super::repeated_advance::RepeatedAdvance::default(), exchanges)
    };
    assert!(of(&[answer(false, 1), answer(true, 1)]).is_empty());
    assert_eq!(of(&[answer(false, 1), answer(true, 2)]), ["4.advances.2"]);
    assert_eq!(of(&[answer(false, 1), answer(false, 1)]), ["2.advance.alreadyRequested.2"]);
    assert_eq!(of(&[answer(true, 1)]), ["2.advance.alreadyRequested"]);
}

#[test]
fn finds_an_amount_in_a_reason() {
    let of = |reason: &str| {
        let body = json!({ "fundable": false, "notFundableReason": reason });
        broken(&mut super::reasons::NoAmounts, &[(get(INVOICE), 200, body)])
    };
    assert!(of("too much is outstanding").is_empty());
    assert_eq!(of("more than $1,000.00 is out"), ["2.invoice.notFundableReason.2"]);
}

#[test]
fn finds_a_changed_account() {
    let business = |account: &str| {
        let body = json!({ "remittance": { "accountNumber": account } });
        (get("/v1/organizations/v"), 200, body)
    };
    let of = |exchanges: &[_]| broken(&mut super::remittance::OneAccount::default(), exchanges);
    assert!(of(&[business("1"), business("1")]).is_empty());
    assert_eq!(of(&[business("1"), business("2")]), ["2.remittance.intro.2"]);
    let advanced = (advance(), 201, json!({ "remittance": { "accountNumber": "2" } }));
    assert_eq!(of(&[business("1"), advanced]), ["2.remittance.intro.2"]);
    let without = |open: bool| {
        let body = json!({ "remittance": null, "onboarding": { "collectionAccount": open } });
        (get("/v1/organizations/v"), 200, body)
    };
    assert_eq!(of(&[business("1"), without(true)]), ["3.onboarding.4.2"]);
    assert!(of(&[business("1"), without(false), business("1")]).is_empty(), "the account closed");
}

#[test]
fn finds_a_name_that_a_sync_has_replaced() {
    let sync = |name: &str| {
        let call = Call::json("PUT", "/v1/organizations/v", json!({ "legalName": name }));
        (call, 200, json!({ "created": false, "reason": "It is known." }))
    };
    let mention = |name: &str| {
        let invoice = json!({
            "payee": { "externalId": "v", "legalName": name },
            "payor": { "externalId": "p", "legalName": "P" },
            "status": "ISSUED", "faceValue": 1,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z",
        });
        let call = Call::json("PUT", "/v1/invoices/i", invoice);
        (call, 200, json!({ "externalId": "i", "outcome": "created", "reason": null }))
    };
    let read = |name: Value| (get("/v1/organizations/v"), 200, json!({ "name": name }));
    let of = |exchanges: &[_]| broken(&mut super::relations::names::Names::default(), exchanges);
    let stale = [sync("A"), sync("B"), read(json!("A"))];
    assert_eq!(of(&stale), ["4.businessSync.intro.2"]);
    assert_eq!(of(&[mention("A"), sync("B"), read(json!("A"))]), ["4.businessSync.intro.2"]);
    for open in [json!("B Limited"), Value::Null] {
        assert!(of(&[sync("A"), sync("B"), read(json!("B")), read(open)]).is_empty());
    }
    let mentioned = [sync("A"), sync("B"), read(json!("B")), mention("A"), read(json!("A"))];
    assert!(of(&mentioned).is_empty());
}

/// A party that nothing but invoices names has one of their names, in the form that the service gives to names.
#[test]
fn finds_a_party_whose_name_was_cut() {
    let unknown = |party: &str| {
        let error = json!({ "error": "It is not there.", "code": "business_not_found" });
        (get(&format!("/v1/organizations/{party}")), 404, error)
    };
    let owed_by = |party: &str, name: &str| {
        let invoice = json!({
            "payee": { "externalId": "v", "legalName": "V" },
            "payor": { "externalId": party, "legalName": name },
            "status": "ISSUED", "faceValue": 1,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z",
        });
        let call = Call::json("PUT", format!("/v1/invoices/{party}"), invoice);
        (call, 200, json!({ "externalId": party, "outcome": "created", "reason": null }))
    };
    let read = |party: &str, name: &str| {
        (get(&format!("/v1/organizations/{party}")), 200, json!({ "name": name }))
    };
    let usual = |party: &str, shown: &str| [owed_by(party, "Alder Co"), read(party, shown)];
    let of = |shown: &str, is_new: bool, name: &str, cut: &str| {
        let synced = Call::json("PUT", "/v1/organizations/t", json!({ "legalName": "Alder Co" }));
        let synced = (synced, 200, json!({ "created": true, "reason": "It is new." }));
        let usual = ["p", "q", "r"].map(|party| usual(party, shown)).concat();
        let usual = [usual, vec![synced, read("t", "Alder Co")]].concat();
        let first = if is_new { vec![unknown("s")] } else { Vec::new() };
        let last = vec![owed_by("s", name), read("s", cut)];
        broken(&mut super::relations::names::Names::default(), &[usual, first, last].concat())
    };
    let long = "Alder Birch Works";
    assert_eq!(of("Alder Co", true, long, "Alder Bi"), ["2.business.name"]);
    assert!(of("Alder Co", true, long, long).is_empty());
    assert!(of("Alder Co", false, long, "Alder Bi").is_empty(), "somebody named it before");
    assert!(of("ALDER CO", true, long, "ALDER BIRCH WORKS").is_empty(), "a form of its own");
    assert!(of("Alder Co", true, "Birch & Co.", "Birch & Co").is_empty(), "a form of such names");
    assert!(of("Alder Co", true, "Birch of it", "Birch Of It").is_empty(), "a form of words");
    assert_eq!(of("ALDER CO", true, "Birch & Co.", "Alder Co"), ["2.business.name"], "another's");
    assert!(of("ALDER CO", true, "Alder, Co. of Ayr", "Alder Co").is_empty(), "it may be cut");
}

#[test]
fn finds_fields_that_must_be_withheld() {
    let of = |path: &str, body: Value| {
        broken(&mut super::secrets::Withheld::default(), &[(get(path), 200, body)])
    };
    assert!(of("/v1/webhooks", json!([{ "reference": "r" }])).is_empty());
    assert_eq!(of("/v1/webhooks", json!([{ "secret": "s" }])), ["4.webhookList.1"]);
    assert_eq!(of("/v1/organizations/v", json!({ "taxId": "1" })), ["2.business.taxIdOnFile.2"]);
    assert_eq!(of(INVOICE, json!({ "advance": { "funder": "f" } })), ["1.general.5"]);
    assert!(of("/v1/organizations/v", json!({ "needs": { "taxId": true } })).is_empty());
}

#[test]
fn finds_a_sent_tax_id_anywhere() {
    let of = |answer: Value| {
        let sync = json!({ "legalName": "V", "taxId": "12-3456789" });
        let sync = Call::json("PUT", "/v1/organizations/v", sync);
        let synced = json!({ "created": true, "reason": "It is new." });
        let read = (get("/v1/organizations/v"), 200, answer);
        broken(&mut super::secrets::Withheld::default(), &[(sync, 200, synced), read])
    };
    assert!(of(json!({ "ein": "ends with 6789", "n": 123_456 })).is_empty());
    for body in [
        json!({ "ein": "123456789" }),
        json!({ "reason": "It has 12-3456789." }),
        json!({ "a": [{ "b": 123_456_789 }] }),
    ] {
        assert_eq!(of(body), ["2.business.taxIdOnFile.2"]);
    }
}

#[test]
fn finds_a_response_that_contradicts_itself() {
    let of = |path: &str, body: Value| {
        broken(&mut super::consistent::Consistent, &[(get(path), 200, body)])
    };
    let invoice = |status: &str, fundable: bool, reason: Value, advance: Value| {
        let body = json!({ "status": status, "fundable": fundable, "notFundableReason": reason,
            "advance": advance });
        of(INVOICE, body)
    };
    let null = || Value::Null;
    let advance = || json!({ "a": 1, "b": 2, "c": 3 });
    assert!(invoice("ISSUED", true, null(), null()).is_empty());
    assert!(invoice("PAID", false, json!("It is paid."), advance()).is_empty());
    assert_eq!(invoice("PAID", true, null(), null()), ["2.invoice.fundable"]);
    assert_eq!(invoice("ISSUED", true, null(), advance()), ["2.invoice.fundable"]);
    assert_eq!(invoice("ISSUED", false, null(), null()), ["2.invoice.notFundableReason"]);
    assert_eq!(invoice("ISSUED", true, json!("No."), null()), ["2.invoice.notFundableReason"]);
    let reason = json!("There is one.");
    assert_eq!(invoice("ISSUED", false, reason, json!({ "state": 1 })), ["2.invoice.advance.2"]);
    let business = |open: bool, account: Value| {
        let body = json!({ "onboarding": { "collectionAccount": open }, "remittance": account });
        of("/v1/organizations/v", body)
    };
    assert!(business(false, null()).is_empty() && business(true, json!({})).is_empty());
    assert_eq!(business(true, null()), ["3.onboarding.4.2"]);
    assert_eq!(business(false, json!({})), ["2.business.remittance.2"]);
}

#[test]
fn finds_a_read_or_refusal_that_changes_state() {
    let read = |name: &str| (get("/v1/organizations/v"), 200, json!({ "name": name }));
    let refusal = (advance(), 409, json!({ "error": "no", "code": "self_dealing" }));
    let of = |exchanges: &[_]| broken(&mut super::unchanged::Unchanged::default(), exchanges);
    assert!(of(&[read("a"), refusal.clone(), read("a")]).is_empty());
    assert_eq!(of(&[read("a"), refusal, read("b")]), ["7.retrying.2"]);
    // What fails may have done something.
    let not_done = |status| (get("/v1/x"), status, json!({ "error": "no", "code": "c" }));
    let inside = Inside { changed: true, audit: Ok(()) };
    let check = &mut super::unchanged::Unchanged::default();
    let broken = broken_inside(check, &[404, 500, 502].map(not_done), Some(inside));
    assert_eq!(broken, ["7.retrying.2"]);
}

#[test]
fn finds_another_reason_for_the_same_refusal() {
    let refusal = |code: &str| (advance(), 409, json!({ "error": "no", "code": code }));
    let read = || (get("/v1/organizations/v"), 200, json!({ "name": "a" }));
    let sync = || (get("/v1/invoices/i"), 502, json!({ "error": "no", "code": "upstream_failed" }));
    let of =
        |exchanges: &[_]| broken(&mut super::refused_again::RefusedAgain::default(), exchanges);
    let [limit, other] = ["concentration_exceeded", "invoice_not_financeable"].map(refusal);
    assert!(of(&[limit.clone(), limit.clone()]).is_empty());
    assert_eq!(of(&[limit.clone(), read(), other.clone()]), ["7.retrying.2"]);
    let twice = [other.clone(), other];
    assert!(
        of(&[&[limit.clone(), sync()], &twice[..]].concat()).is_empty(),
        "something may have changed"
    );
    // The account may open meanwhile, unless a read shows that it did not.
    let ineligible = [&[refusal("business_not_eligible")], &twice[..]].concat();
    assert!(of(&ineligible).is_empty());
    let shown = |met: bool| {
        let onboarding = json!({ "compliance": true, "contract": met, "bank": true,
            "collectionAccount": false });
        (get("/v1/organizations/v"), 200, json!({ "onboarding": onboarding }))
    };
    let then = |met| [&ineligible[..], &[shown(met)]].concat();
    assert!(of(&then(true)).is_empty(), "the read may be behind the account");
    assert_eq!(of(&then(false)), ["7.retrying.2"]);
    let full = [refusal("business_not_eligible"), limit.clone(), limit, shown(false)];
    assert!(of(&full).is_empty(), "another advance may have been paid out");
    let sync = || (Call::json("PUT", "/v1/organizations/v", json!({})), 200, json!({}));
    let written = [&ineligible[..], &[sync(), shown(false)]].concat();
    assert!(of(&written).is_empty(), "it may be another business since");
}

#[test]
fn finds_a_quote_that_looks_at_more_than_business_and_amount() {
    let quote = |face: i64, fundable: bool| {
        let body = json!({ "externalId": "v", "invoiceFaceValue": face });
        (Call::json("POST", "/v1/quotes", body), 200, json!({ "fundable": fundable }))
    };
    let read = |face: i64| {
        let shown = json!({ "faceValue": face, "fundable": true });
        (get("/v1/organizations/v/invoices/i"), 200, shown)
    };
    let of = |exchanges: &[_]| {
        broken(&mut super::relations::quoted::QuotedBetween::default(), exchanges)
    };
    let small = || quote(300, true);
    let refused = || quote(300, false);
    let room = || [read(1000), read(1000)];
    let between = [&[small()][..], &room(), &[refused(), refused()]].concat();
    assert_eq!(of(&between), ["2.quote.fundable"]);
    // What is fundable meets the sentence.
    let met = [&[small()][..], &room(), &[small()]].concat();
    let of_others = |others: &[_]| of(&[&met[..], others].concat());
    assert!(of_others(&[refused(), small(), refused()]).is_empty(), "one may be stale");
    assert!(of_others(&[quote(200, false), quote(200, false)]).is_empty(), "it may be too small");
    assert!(of_others(&[quote(501, false), quote(501, false)]).is_empty(), "it may be too large");
    let write = || (Call::json("PUT", "/v1/organizations/v", json!({})), 200, json!({}));
    let written = [write(), read(1000), refused(), refused()];
    assert!(of_others(&written).is_empty(), "the only read may be stale");
    let granted = || (advance(), 200, json!({ "alreadyRequested": false }));
    let pending = [&[granted()][..], &room(), &[refused(), refused()]].concat();
    assert!(of_others(&pending).is_empty(), "more may become outstanding");
}

/// What an undue success shows comes of the success; what an undue refusal shows is a fault of its own.
#[test]
fn the_content_of_an_undue_success_is_no_finding() {
    let of = |status, body: Value| {
        let quote = Call::json("POST", "/v1/quotes", json!({}));
        let sent = Prepared::from_step(&Step::new(Action::Call(quote)), &Memory::default(), "key");
        let seen = Response::new(status, body.to_string().as_bytes());
        let exchange = Exchange::alone(&sent, &seen, start());
        let mut notes = Notes::default();
        notes.expect(&exchange, clause!("4.quotes.3"), false, "code", || ("", ""));
        notes.expect(&exchange, clause!("1.general.1"), false, "feeTotal", || ("", ""));
        notes.expect_delivery(clause!("6.signature.1"), false, "t", || ("", ""));
        notes.keep_the_cause(&exchange);
        notes.findings.iter().map(|found| found.clause.name()).collect::<Vec<_>>()
    };
    assert_eq!(of(200, json!({})), ["4.quotes.3", "6.signature.1"]);
    assert_eq!(of(500, json!({})), ["4.quotes.3", "1.general.1", "6.signature.1"]);
}

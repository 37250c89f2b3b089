//! The readings that the suite does not infer (`Reading::is_inferred`): what a service shows of each.

use serde_json::{Value, json};
use tideover_model::{Cents, Profile, Range, Reading};

use crate::desk::{self, Desk, invoice_body, round_numbers};

/// What `play` shows of a service that reads a point as the standard profile does, and of one that reads it otherwise.
fn read_both_ways(reading: Reading, play: impl Fn(&mut Desk) -> Value) -> [Value; 2] {
    assert!(!reading.is_inferred());
    desk::read_both_ways(&round_numbers(), reading, play)
}

/// `gap.outstanding`
#[test]
fn what_is_recovered_may_stay_outstanding_until_the_advance_is_repaid() {
    let concentration_limit = Range::exactly(Cents(100_000));
    let profile = Profile { concentration_limit, ..round_numbers() };
    let codes = desk::read_both_ways(&profile, Reading::RecoveryFreesRoom, |desk| {
        desk.onboard("acme", "123456789");
        for invoice in ["INV-1", "INV-2"] {
            desk.sync_invoice("acme", invoice, 100_000);
        }
        assert_eq!(desk.request_advance("acme", "INV-1").status, 201);
        desk.fund();
        desk.pay("acme", "INV-1", 90_000);
        desk.audit();
        let before = desk.request_advance("acme", "INV-2").body["code"].clone();
        desk.pay("acme", "INV-1", 10_000);
        desk.audit();
        let after = desk.request_advance("acme", "INV-2").body["code"].clone();
        json!([before, after])
    });
    assert_eq!(codes, [json!([null, null]), json!(["concentration_exceeded", null])]);
}

/// `gap.daysToDueDate`
#[test]
fn a_part_of_a_day_may_count_as_a_day() {
    let fees = read_both_ways(Reading::DaysRoundedDown, |desk| {
        desk.onboard("acme", "123456789");
        desk.sync_invoice("acme", "INV-1", 3_000_000);
        desk.request_advance("acme", "INV-1").body["feeTotal"].clone()
    });
    assert_eq!(fees, [json!(120_000), json!(122_000)]);
}

/// `gap.syncedParty`
#[test]
fn an_invoice_may_rename_its_parties() {
    let names = read_both_ways(Reading::PartiesKeepNames, |desk| {
        desk.put("/v1/organizations/acme", &json!({ "legalName": "Acme" }));
        desk.sync_invoice("acme", "INV-1", 1_000);
        desk.get("/v1/organizations/acme").body["name"].clone()
    });
    assert_eq!(names, [json!("Acme"), json!("acme Ltd")]);
}

/// `gap.statusOnlyParties`
#[test]
fn a_sync_that_moves_a_status_may_create_a_party() {
    let statuses = read_both_ways(Reading::StatusOnlyAddsNobody, |desk| {
        desk.onboard("acme", "123456789");
        desk.sync_invoice("acme", "INV-1", 1_000);
        desk.request_advance("acme", "INV-1");
        let synced = desk.put("/v1/invoices/INV-1", &invoice_body("acme", "initech", 1_000));
        assert_eq!(synced.body["outcome"], "statusOnly");
        json!(desk.get("/v1/organizations/initech").status)
    });
    assert_eq!(statuses, [json!(404), json!(200)]);
}

/// An invoice whose payee comes with a tax id and a contact.
fn with_details(tax_id: &str) -> Value {
    let mut body = invoice_body("acme", "globex", 1_000);
    body["payee"]["taxId"] = json!(tax_id);
    body["payee"]["contact"] = json!({ "address": crate::desk::address() });
    body
}

/// `gap.partyTaxIdAndContact`
#[test]
fn the_tax_id_of_a_party_may_clear_compliance() {
    let routes = read_both_ways(Reading::PartyTaxIdOnlyFiled, |desk| {
        desk.put("/v1/invoices/INV-1", &with_details("123456789"));
        let business = desk.get("/v1/organizations/acme").body;
        assert_eq!(business["taxIdOnFile"], true);
        business["complianceRoute"].clone()
    });
    assert_eq!(routes, [Value::Null, json!("PARTNER_SUPPLIED")]);
}

/// `gap.partyTaxIdAndContact`
#[test]
fn the_contact_of_a_party_may_open_an_account() {
    let opened = read_both_ways(Reading::PartyContactOnlyFiled, |desk| {
        desk.put("/v1/invoices/INV-1", &with_details("123456789"));
        is_onboarded_with(desk, &json!({}))
    });
    assert_eq!(opened, [json!(false), json!(true)]);
}

/// `gap.addressKnown`
#[test]
fn a_line_of_an_address_may_be_enough() {
    let opened = read_both_ways(Reading::WholeAddress, |desk| {
        is_onboarded_with(desk, &json!({ "line1": "1 Harbor Road" }))
    });
    assert_eq!(opened, [json!(false), json!(true)]);
}

/// Whether the account of a business opens once its vendor has done the rest; it signs without an address.
fn is_onboarded_with(desk: &mut Desk, address: &Value) -> Value {
    let details =
        json!({ "legalName": "Acme", "taxId": "123456789", "contact": { "address": address } });
    assert_eq!(desk.put("/v1/organizations/acme", &details).status, 200);
    desk.claim("acme");
    desk.act(&json!({ "action": "vendorSignsAgreement", "payeeExternalId": "acme" }));
    desk.set_payout_account("acme");
    desk.wait(120);
    desk.get("/v1/organizations/acme").body["onboarding"]["collectionAccount"].clone()
}

/// `gap.taxIdForm`
#[test]
fn nine_digits_may_be_malformed() {
    let cleared = read_both_ways(Reading::AnyNineDigits, |desk| {
        desk.sync_business("acme", "00-3456789");
        desk.sync_business("globex", "10-3456789");
        ["acme", "globex"]
            .map(|name| {
                let business = desk.get(&format!("/v1/organizations/{name}")).body;
                business["onboarding"]["compliance"].clone()
            })
            .into()
    });
    assert_eq!(cleared, [json!([true, true]), json!([false, true])]);
}

/// `gap.sameFile`
#[test]
fn two_files_with_the_same_rows_may_be_the_same() {
    let codes = read_both_ways(Reading::SameBytes, |desk| {
        let row = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
            1,A,B,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z";
        let other = row.replace("ISSUED,5", "ISSUED,6");
        desk.import("one", row.as_bytes());
        [format!("{row}\r\n"), other]
            .map(|file| desk.import("one", file.as_bytes()).code().to_owned())
            .into()
    });
    let [same, other] = codes;
    assert_eq!(same, json!(["already_imported", "already_imported"]));
    assert_eq!(other, json!(["", "already_imported"]));
}

/// `gap.eventCauses`
#[test]
fn an_event_may_have_fewer_causes() {
    use Reading::{AccountMovesFunds, OptsInAgain, PaidAgain, PartiesAreAnnounced};
    let sent = |reading, kind: &str| {
        read_both_ways(reading, |desk| {
            desk.subscribe();
            desk.sync_invoice("acme", "INV-1", 1_000);
            desk.onboard("acme", "123456789");
            desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" }));
            desk.sync_business("acme", "123456789");
            desk.pay("acme", "INV-1", 1_000);
            desk.sync_invoice("acme", "INV-1", 2_000);
            desk.pay("acme", "INV-1", 1_000);
            json!(desk.event_names().iter().filter(|name| *name == kind).count())
        })
    };
    let [again, once] = [json!(2), json!(1)];
    let both = [again.clone(), once.clone()];
    assert_eq!(sent(OptsInAgain, "partner.organization.optedIn"), both);
    assert_eq!(sent(AccountMovesFunds, "partner.organization.remittanceUpdated"), both);
    assert_eq!(sent(PaidAgain, "partner.invoice.paid"), both);
    // The payee is synced by itself later, and the payor never is.
    assert_eq!(sent(PartiesAreAnnounced, "partner.organization.added"), both);
}

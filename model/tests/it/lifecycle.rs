//! The life of an advance, as stories. Rates are 90 % and 2 % for 30 days; invoices are due in 60 days.

use serde_json::json;

use crate::desk::{Desk, narrow, plain};

/// `3.advance.1`, `2.invoice.advance.2`, `gap.advanceTransitions`
#[test]
fn an_advance_passes_through_every_state_in_time() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    let first = desk.request_advance("acme", "INV-1");
    assert_eq!(first.status, 201);
    assert_eq!(first.body["advanceAmount"], 900_000);
    assert_eq!(first.body["feeTotal"], 40_000);
    assert_eq!(first.body["forwardedAtPayment"], 60_000);

    let state = |desk: &mut Desk| desk.invoice("acme", "INV-1")["advance"]["state"].clone();
    assert_eq!(state(&mut desk), "REQUESTED");
    desk.wait(29);
    assert_eq!(state(&mut desk), "REQUESTED");
    desk.wait(1);
    assert_eq!(state(&mut desk), "FUNDING");
    desk.wait(3599);
    assert_eq!(desk.invoice("acme", "INV-1")["advance"]["amountSent"], 0);
    desk.wait(1);
    let advance = desk.invoice("acme", "INV-1")["advance"].clone();
    assert_eq!((&advance["state"], &advance["amountSent"]), (&json!("FUNDED"), &json!(900_000)));
    assert_eq!(advance["amountOwed"], 940_000);
    desk.audit();
}

/// `4.advances.2`, `4.advances.2.2`, `2.advance.alreadyRequested.2`, `2.remittance.intro.2`
#[test]
fn a_repeat_always_returns_the_first_advance() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    let first = desk.request_advance("acme", "INV-1");
    desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" }));
    desk.put("/v1/invoices/INV-1", &{
        let mut body = crate::desk::invoice_body("acme", "globex", 5);
        body["status"] = json!("VOIDED");
        body
    });
    let repeat = desk.request_advance("acme", "INV-1");
    assert_eq!((repeat.status, &repeat.body["alreadyRequested"]), (200, &json!(true)));
    for field in ["advanceAmount", "feeTotal", "remittance"] {
        assert_eq!(repeat.body[field], first.body[field], "{field}");
    }
}

/// `3.invoice.2`, `3.invoice.2.2`, `4.invoiceSync.6`, `gap.statusOnlyParties`
#[test]
fn after_the_request_a_sync_changes_only_status() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    desk.request_advance("acme", "INV-1");
    let before = desk.invoice("acme", "INV-1");
    let mut body = crate::desk::invoice_body("acme", "stranger", 5);
    body["status"] = json!("PAID");
    body["dueDate"] = json!("2030-01-01T00:00:00Z");
    assert_eq!(desk.put("/v1/invoices/INV-1", &body).body["outcome"], "statusOnly");
    let mut expected = before;
    expected["status"] = json!("PAID");
    assert_eq!(desk.invoice("acme", "INV-1"), expected);
    assert_eq!(desk.get("/v1/organizations/stranger").code(), "business_not_found");
}

/// `4.advances.4`, `gap.selfDealing`, `gap.oneTaxIdTwoIdentifiers`
#[test]
fn two_identifiers_of_one_business_are_one_party() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    let second = desk.sync_business("acme-east", "12-3456789");
    assert_eq!(second.body["created"], false);
    desk.put("/v1/invoices/INV-1", &crate::desk::invoice_body("acme", "acme-east", 1_000));
    let invoice = desk.invoice("acme", "INV-1");
    assert_eq!(invoice["fundable"], false);
    let refused = desk.request_advance("acme", "INV-1");
    assert_eq!((refused.status, refused.code()), (422, "self_dealing"));
    desk.put("/v1/invoices/INV-2", &crate::desk::invoice_body("acme-east", "globex", 1_000));
    assert_eq!(desk.request_advance("acme-east", "INV-2").status, 201);
}

/// `8.concentrationLimit`, `gap.concentrationLimit`, `gap.outstanding`, `gap.sharedBusiness`
#[test]
fn the_limit_is_inclusive_and_spans_platforms() {
    let mut desk = Desk::with(narrow());
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 250_000);
    assert_eq!(desk.request_advance("acme", "INV-1").body["advanceAmount"], 225_000);

    let mut other = desk;
    other.become_platform("second");
    other.sync_business("acme-here", "123456789");
    other.sync_invoice("acme-here", "INV-1", 250_002);
    // 225000 and 225000 are the limit of 450000, to the cent.
    assert_eq!(other.invoice("acme-here", "INV-1")["fundable"], true);
    assert_eq!(other.request_advance("acme-here", "INV-1").status, 201);
    other.sync_invoice("acme-here", "INV-2", 2);
    let refused = other.request_advance("acme-here", "INV-2");
    assert_eq!((refused.status, refused.code()), (409, "concentration_exceeded"));

    // The recovered part of any platform's advance frees the limit again.
    other.fund();
    other.pay("acme-here", "INV-1", 1);
    assert_eq!(other.request_advance("acme-here", "INV-2").status, 201);
    other.audit();
}

/// `3.onboarding.2.2`, `2.quote.notFundableReason`, `3.onboarding.1`
#[test]
fn the_reason_names_the_unmet_requirement() {
    let mut desk = Desk::open();
    desk.put("/v1/organizations/acme", &json!({ "legalName": "Acme" }));
    let reason = |desk: &mut Desk| {
        let body = json!({ "externalId": "acme", "invoiceFaceValue": 1_000 });
        plain(&desk.post("/v1/quotes", &body).body["notFundableReason"]).to_owned()
    };
    assert!(reason(&mut desk).contains("compliance"));
    desk.sync_business("acme", "123456789");
    assert!(reason(&mut desk).contains("agreement"));
    desk.claim("acme");
    desk.act(&json!({ "action": "vendorSignsAgreement", "payeeExternalId": "acme" }));
    assert!(reason(&mut desk).contains("payout account"));
    desk.set_payout_account("acme");
    assert!(reason(&mut desk).contains("collection account"));
    desk.wait(120);
    assert_eq!(reason(&mut desk), "");
}

/// `4.businessSync.1.2`, `gap.wrongTaxIdStruck`, `3.requirement.compliance.2`
#[test]
fn a_wrong_tax_id_blocks_the_next_advance() {
    let mut desk = Desk::open();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000);
    desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" }));
    assert_eq!(desk.request_advance("acme", "INV-1").code(), "business_not_eligible");
    let corrected = desk.sync_business("acme", "987654321");
    assert_eq!(corrected.body["taxIdResult"]["outcome"], "accepted");
    assert_eq!(desk.request_advance("acme", "INV-1").status, 201);
}

/// `4.businessSync.2`, `gap.taxIdResult`
#[test]
fn every_outcome_of_a_tax_id_is_reported() {
    let mut desk = Desk::open();
    desk.sync_business("holder", "111111111");
    desk.put("/v1/organizations/acme", &json!({ "legalName": "Acme" }));
    for (tax_id, outcome) in [
        ("12-34", "malformed"),
        ("111111111", "heldByAnother"),
        ("222222222", "accepted"),
        ("22-2222222", "unchanged"),
        ("333333333", "differs"),
        ("111111111", "differs"),
    ] {
        let seen = desk.sync_business("acme", tax_id);
        assert_eq!(seen.body["taxIdResult"]["outcome"], outcome, "{tax_id}");
    }
}

/// `4.invitations.11`, `8.invitationLife`, `4.invitations.10`, `gap.invitationLink`
#[test]
fn an_invitation_works_once_within_thirty_days() {
    let accept = json!({
        "action": "vendorAcceptsInvitation", "payeeExternalId": "acme", "email": "a@acme.example",
    });
    let invite = json!({ "externalId": "acme", "email": "a@acme.example" });
    let mut desk = Desk::open();
    desk.sync_business("acme", "123456789");
    let first = desk.post("/v1/invitations", &invite);
    desk.wait(30 * 86_400);
    assert_eq!(desk.try_act(&accept), Err("the link has expired".to_owned()));

    let again = desk.post("/v1/invitations", &invite);
    assert_eq!(again.body["inviteId"], first.body["inviteId"]);
    assert_ne!(again.body["expiresAt"], first.body["expiresAt"]);
    desk.wait(30 * 86_400 - 1);
    assert!(desk.try_act(&accept).is_ok());
    assert_eq!(desk.try_act(&accept), Err("the link was used already".to_owned()));
}

/// `4.payoutAccount.3`, `3.onboarding.3`, `3.requirement.bank.2`
#[test]
fn the_vendor_cannot_change_a_platforms_account() {
    let mut desk = Desk::open();
    desk.sync_business("acme", "123456789");
    desk.claim("acme");
    let link = |number: &str| {
        json!({
            "action": "vendorAddsBankAccount", "payeeExternalId": "acme",
            "accountNumber": number, "routingNumber": "011401533",
        })
    };
    assert!(desk.try_act(&link("5555")).is_ok());
    assert_eq!(desk.get("/v1/organizations/acme").body["onboarding"]["bank"], true);
    for malformed in ["", "123", "123456789012345678", "ééé", "12345a"] {
        assert!(desk.try_act(&link(malformed)).is_err(), "{malformed}");
    }
    desk.set_payout_account("acme");
    assert!(desk.try_act(&link("5555")).is_err());
    // Its debug form never panics.
    assert!(format!("{:?}", desk.service).contains("…6789"));
}

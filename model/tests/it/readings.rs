//! What the document lets a service read in two ways (`readings` of a profile).

use serde_json::{Value, json};
use tideover_model::{Face as _, Profile, Reading, Receipt};

use crate::desk::{self, Desk, plain, round_numbers};

/// What `play` shows of a service that reads a point as the standard profile does, and of one that reads it otherwise.
fn read_both_ways(reading: Reading, play: impl Fn(&mut Desk) -> Value) -> [Value; 2] {
    // Only then are there two businesses with one number.
    let readings = round_numbers().readings.with(Reading::MergedIdentifiers, false);
    desk::read_both_ways(&Profile { readings, ..round_numbers() }, reading, |desk| {
        desk.onboard("acme", "123456789");
        desk.sync_invoice("acme", "INV-1", 1_000);
        play(desk)
    })
}

/// `gap.overpayment`
#[test]
fn an_overpayment_may_count_once_the_face_value_is_raised() {
    let collected = read_both_ways(Reading::CappedPayments, |desk| {
        desk.pay("acme", "INV-1", 1_500);
        desk.sync_invoice("acme", "INV-1", 2_000);
        desk.invoice("acme", "INV-1")["collected"].clone()
    });
    assert_eq!(collected, [json!(1_000), json!(1_500)]);
}

/// `gap.faceValueLowered`
#[test]
fn what_a_lowered_face_value_leaves_over_may_count_no_more() {
    let collected = read_both_ways(Reading::KeptPayments, |desk| {
        desk.pay("acme", "INV-1", 900);
        desk.sync_invoice("acme", "INV-1", 600);
        assert_eq!(desk.invoice("acme", "INV-1")["collected"], 600);
        desk.sync_invoice("acme", "INV-1", 1_000);
        desk.invoice("acme", "INV-1")["collected"].clone()
    });
    assert_eq!(collected, [json!(900), json!(600)]);
}

/// `gap.selfDealing`
#[test]
fn two_businesses_that_sent_one_tax_id_may_be_one_party() {
    let refused = read_both_ways(Reading::DistinctParties, |desk| {
        desk.sync_business("globex", "123456789");
        desk.request_advance("acme", "INV-1").body["code"].clone()
    });
    assert_eq!(refused, [Value::Null, json!("self_dealing")]);
}

/// `gap.wrongTaxIdStruck`
#[test]
fn a_tax_id_that_was_found_wrong_may_clear_nothing() {
    let cleared = read_both_ways(Reading::ForgivenTaxId, |desk| {
        desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" }));
        desk.sync_business("acme", "123456789");
        desk.get("/v1/organizations/acme").body["onboarding"]["compliance"].clone()
    });
    assert_eq!(cleared, [json!(true), json!(false)]);
}

/// `gap.wrongTaxIdStruck`
#[test]
fn a_tax_id_that_was_found_wrong_may_stay_on_file() {
    let shown = read_both_ways(Reading::StruckTaxId, |desk| {
        desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" }));
        let business = desk.get("/v1/organizations/acme").body;
        desk.sync_business("acme", "987654321");
        let corrected = desk.get("/v1/organizations/acme").body;
        let cleared = |body: &Value| body["onboarding"]["compliance"].clone();
        json!([business["taxIdOnFile"], cleared(&business), cleared(&corrected)])
    });
    assert_eq!(shown, [json!([false, false, true]), json!([true, false, false])]);
}

/// `gap.rejectedTaxId`
#[test]
fn a_tax_id_that_clears_nothing_may_take_compliance_away() {
    let readings = [(Reading::KeptByMalformed, "12"), (Reading::KeptByUnlike, "987654321")];
    for (reading, rejected) in readings {
        let cleared = read_both_ways(reading, |desk| {
            desk.sync_business("acme", rejected);
            let then = desk.get("/v1/organizations/acme").body["onboarding"]["compliance"].clone();
            desk.sync_business("acme", "123456789");
            let again = desk.get("/v1/organizations/acme").body["onboarding"]["compliance"].clone();
            json!([then, again])
        });
        assert_eq!(cleared, [json!([true, true]), json!([false, true])], "{rejected}");
    }
}

/// `gap.revokedReference`
#[test]
fn a_revoked_subscription_may_still_be_deleted_once() {
    let deleted = read_both_ways(Reading::ForgottenRevoked, |desk| {
        desk.subscribe();
        let reference = plain(&desk.get("/v1/webhooks").body[0]["reference"]).to_owned();
        desk.sync_business("initech", "987654321");
        desk.service.handle_timeout(desk.now);
        let attempt = desk.service.poll_attempt(desk.now).unwrap();
        desk.service.handle_receipt(desk.now, &attempt, Receipt::Answered(410));
        let path = format!("/v1/webhooks/{reference}");
        let delete = |desk: &mut Desk| desk.send("DELETE", &path, &Value::Null).status;
        json!([delete(desk), delete(desk)])
    });
    assert_eq!(deleted, [json!([404, 404]), json!([204, 404])]);
}

/// `gap.oneTaxIdTwoIdentifiers`
#[test]
fn two_identifiers_of_a_platform_may_share_what_platforms_share() {
    let banks = [true, false].map(|value| {
        let apart = round_numbers().readings.with(Reading::SharedPayoutAccount, false);
        let readings = apart.with(Reading::UndividedIdentifiers, value);
        let mut desk = Desk::with(Profile { readings, ..round_numbers() });
        desk.onboard("acme", "123456789");
        desk.sync_business("twin", "123456789");
        desk.sync_invoice("acme", "INV-1", 1_000);
        let onboarding = desk.get("/v1/organizations/twin").body["onboarding"].clone();
        assert_eq!([&onboarding["compliance"], &onboarding["contract"]], [true, true]);
        let of_itself = json!({
            "payee": { "externalId": "acme", "legalName": "Acme Ltd" },
            "payor": { "externalId": "twin", "legalName": "Acme Ltd" },
            "status": "ISSUED", "faceValue": 1_000,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-03-02T00:00:00Z",
        });
        desk.put("/v1/invoices/INV-2", &of_itself);
        assert_eq!(desk.request_advance("acme", "INV-2").body["code"], "self_dealing");
        desk.audit();
        onboarding["bank"].clone()
    });
    assert_eq!(banks, [json!(true), json!(false)]);
}

/// A number that is found wrong at one platform (`gap.sharedBusiness`).
#[test]
fn platforms_may_share_the_compliance_of_a_matched_business() {
    let cleared = [true, false].map(|value| {
        let apart = round_numbers().readings.with(Reading::SharedPayoutAccount, false);
        let readings = apart.with(Reading::SharedCompliance, value);
        let mut desk = Desk::with(Profile { readings, ..round_numbers() });
        desk.become_platform("one");
        desk.onboard("acme", "123456789");
        desk.become_platform("two");
        desk.sync_business("twin", "123456789");
        let shown = |desk: &mut Desk| {
            let business = desk.get("/v1/organizations/twin").body;
            [&business["onboarding"]["compliance"], &business["onboarding"]["bank"]]
                .map(Value::clone)
        };
        assert_eq!(shown(&mut desk), [json!(true), json!(false)]);
        desk.become_platform("one");
        desk.act(&json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" }));
        desk.become_platform("two");
        let [compliance, _] = shown(&mut desk);
        desk.audit();
        compliance
    });
    assert_eq!(cleared, [json!(false), json!(true)]);
}

/// A platform's second identifier with one number is its second one also where the first was matched with another
/// platform's business, and has a part of its own (`gap.oneTaxIdTwoIdentifiers`, `gap.sharedBusiness`).
#[test]
fn a_second_identifier_is_one_whoever_sent_the_number_first() {
    for shares_account in [true, false] {
        let apart = round_numbers().readings.with(Reading::MergedIdentifiers, false);
        let readings = apart.with(Reading::SharedPayoutAccount, shares_account);
        let mut desk = Desk::with(Profile { readings, ..round_numbers() });
        let mut created = |platform, business| {
            desk.become_platform(platform);
            desk.sync_business(business, "123456789").body["created"].clone()
        };
        assert_eq!(created("one", "acme"), true);
        assert_eq!(created("two", "first"), false);
        assert_eq!(created("two", "second"), true, "{shares_account}");
        desk.audit();
    }
}

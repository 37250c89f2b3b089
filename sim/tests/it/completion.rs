//! `vendorCompletesOnboarding`: whatever the platform has sent, all four requirements are met afterwards.

use serde_json::{Value, json};
use tideover_sim::{Mock, OnboardingStep};

use crate::support::Caller;

const EVERYTHING: [&str; 5] = [
    "vendorIsInvited",
    "vendorAcceptsInvitation",
    "vendorConfirmsTaxId",
    "vendorSignsAgreement",
    "vendorAddsBankAccount",
];

fn address() -> Value {
    json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" })
}

async fn sync(caller: &Caller, business: &str, more: Value) -> Value {
    let mut body = json!({ "legalName": business });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = caller.put(&format!("/v1/organizations/{business}"), body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

async fn done(caller: &Caller, answer: Value) {
    let answer = caller.act(answer).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

fn completes(business: &str) -> Value {
    json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": business })
}

/// Completes it, and returns the steps.
async fn complete(caller: &Caller, business: &str) -> Vec<String> {
    let answer = caller.act(completes(business)).await;
    assert_eq!((answer.status, &answer.json()["applied"]), (200, &json!(true)), "{answer:?}");
    let shown = caller.get(&format!("/v1/organizations/{business}")).await.json();
    let met = json!({ "compliance": true, "contract": true, "bank": true,
        "collectionAccount": true });
    assert_eq!((&shown["onboarding"], &shown["taxIdOnFile"]), (&met, &json!(true)));
    let quote = json!({ "externalId": business, "invoiceFaceValue": 1000 });
    assert_eq!(caller.post("/v1/quotes", quote).await.json()["fundable"], true);
    serde_json::from_value(answer.json()["steps"].clone()).unwrap()
}

#[tokio::test]
async fn a_vendor_of_which_only_the_name_is_known_does_everything() {
    let caller = Caller::standard();
    sync(&caller, "acme", json!({})).await;
    sync(&caller, "other", json!({})).await;
    let opened = "collectionAccountOpens";
    assert_eq!(complete(&caller, "acme").await, [&EVERYTHING[..], &[opened]].concat());
    assert_eq!(complete(&caller, "acme").await, [""; 0], "nothing is left to do");
    assert_eq!(complete(&caller, "other").await.len(), 6, "with a tax id of its own");
    let shown = caller.get("/v1/organizations/acme").await.json();
    assert_eq!(shown["complianceRoute"], "VENDOR_ASSERTION");
}

#[tokio::test]
async fn what_is_done_is_skipped() {
    let caller = Caller::standard();
    let details = json!({ "taxId": "12-3456789", "contact": { "address": address() } });
    sync(&caller, "acme", details).await;
    let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
    caller.put("/v1/organizations/acme/payout-account", account).await;
    let invited = json!({ "externalId": "acme", "email": "ada@acme.example" });
    assert_eq!(caller.post("/v1/invitations", invited).await.status, 201);
    let steps = ["vendorAcceptsInvitation", "vendorSignsAgreement", "collectionAccountOpens"];
    assert_eq!(complete(&caller, "acme").await, steps);
    let shown = caller.get("/v1/organizations/acme").await.json();
    assert_eq!(shown["complianceRoute"], "PARTNER_SUPPLIED", "nobody confirmed it");
    let again = json!({ "action": "vendorAcceptsInvitation", "payeeExternalId": "acme",
        "email": "ada@acme.example" });
    caller.act(again).await.refused(409, "action_refused");
}

#[tokio::test]
async fn the_vendor_may_state_its_tax_id_and_how_it_confirms_it() {
    let caller = Caller::standard();
    sync(&caller, "acme", json!({ "taxId": "12-3456789" })).await;
    let mut stated = completes("acme");
    stated["route"] = "W9_UPLOAD".into();
    stated["taxId"] = "98-7654321".into();
    done(&caller, stated).await;
    let shown = caller.get("/v1/organizations/acme").await.json();
    assert_eq!(shown["complianceRoute"], "W9_UPLOAD");
    let same = sync(&caller, "acme", json!({ "taxId": "987654321" })).await;
    assert_eq!(same["taxIdResult"]["outcome"], "unchanged");
    complete(&caller, "acme").await;
}

/// `4.invitations.11`: a link that is used or expired opens nothing.
#[tokio::test]
async fn an_expired_invitation_is_sent_anew() {
    let caller = Caller::standard();
    sync(&caller, "acme", json!({})).await;
    let invited = json!({ "externalId": "acme", "email": "ada@acme.example" });
    caller.post("/v1/invitations", invited).await;
    caller.advance_clock(31 * 86_400).await;
    assert_eq!(complete(&caller, "acme").await[..2], EVERYTHING[..2]);
}

#[tokio::test]
async fn an_agreement_without_an_address_gets_one() {
    let caller = Caller::standard();
    sync(&caller, "acme", json!({ "contact": { "address": { "line1": "1 Quay" } } })).await;
    let invited = json!({ "externalId": "acme", "email": "ada@acme.example" });
    caller.post("/v1/invitations", invited).await;
    let act = |action: &str| json!({ "action": action, "payeeExternalId": "acme" });
    let mut accepts = act("vendorAcceptsInvitation");
    accepts["email"] = "ada@acme.example".into();
    done(&caller, accepts).await;
    done(&caller, act("vendorSignsAgreement")).await;
    let steps = [
        "vendorConfirmsTaxId",
        "vendorCompletesAddress",
        "vendorAddsBankAccount",
        "collectionAccountOpens",
    ];
    assert_eq!(complete(&caller, "acme").await, steps);
}

#[tokio::test]
async fn a_correction_of_the_tax_id_completes_it_again() {
    let caller = Caller::standard();
    sync(&caller, "acme", json!({ "taxId": "12-3456789" })).await;
    complete(&caller, "acme").await;
    done(&caller, json!({ "action": "taxIdFoundWrong", "payeeExternalId": "acme" })).await;
    assert_eq!(complete(&caller, "acme").await, ["vendorConfirmsTaxId"]);
}

#[tokio::test]
async fn a_refused_completion_changes_nothing() {
    let caller = Caller::standard();
    caller.act(completes("acme")).await.refused(409, "action_refused");
    sync(&caller, "acme", json!({})).await;
    sync(&caller, "holder", json!({ "taxId": "12-3456789" })).await;
    let before = caller.get("/v1/organizations/acme").await.body;
    for (tax_id, why) in [("12-3456789", "another business holds"), ("12", "malformed")] {
        let mut stated = completes("acme");
        stated["taxId"] = tax_id.into();
        let refused = caller.act(stated).await;
        refused.refused(409, "action_refused");
        assert!(refused.json()["error"].to_string().contains(why), "{refused:?}");
    }
    assert_eq!(caller.get("/v1/organizations/acme").await.body, before);
    let signs = json!({ "action": "vendorSignsAgreement", "payeeExternalId": "acme" });
    caller.act(signs).await.refused(409, "action_refused");
}

#[tokio::test]
async fn a_test_in_rust_completes_onboarding_in_one_line() {
    let mock = Mock::start().await.unwrap();
    assert!(mock.vendor_completes_onboarding("acme").is_err(), "not synced");
    let put = crate::plain::client().put(format!("{}/v1/organizations/acme", mock.url()));
    let put = put.bearer_auth(mock.api_key()).json(&json!({ "legalName": "Acme" }));
    assert_eq!(put.send().await.unwrap().status(), 200);
    let steps = mock.vendor_completes_onboarding("acme").unwrap();
    assert_eq!(steps.last(), Some(&OnboardingStep::CollectionAccountOpens));
    assert_eq!(mock.vendor_completes_onboarding("acme"), Ok(Vec::new()));
}

//! A malformed value breaks the published schema and its own rule: either code may refuse it.

use super::*;

/// A call with a raw body.
fn raw(method: &str, path: &str, body: &str, content_type: &str) -> Step {
    Step::new(Action::Call(Call::text(method, path, body.to_owned(), content_type)))
}

fn delete(path: &str) -> Step {
    Step::new(Action::Call(Call::bare("DELETE", path)))
}

fn import(file: &str) -> Step {
    raw("PUT", "/v1/invoices/imports/m", file, "text/csv")
}

fn dated(issued: &str, due: &str) -> Step {
    let body = json!({
        "payee": { "externalId": "v", "legalName": "V" },
        "payor": { "externalId": "p", "legalName": "P" },
        "status": "ISSUED", "faceValue": 100_000, "issueDate": issued, "dueDate": due,
    });
    put("/v1/invoices/i", body)
}

fn account(routing: &str) -> Step {
    let body = json!({ "accountNumber": "000123456789", "routingNumber": routing });
    put("/v1/organizations/v/payout-account", body)
}

/// Refuses every request after the first with `invalid_request`.
const STRICT: Liberty =
    Liberty { instead: |sent, _| refuses(400, "invalid_request").filter(|_| sent > 1), ..NONE };

/// Refuses every request after the first as unreadable.
const UNREADABLE: Liberty =
    Liberty { instead: |sent, _| refuses(400, "unreadable_request").filter(|_| sent > 1), ..NONE };

#[tokio::test]
async fn a_malformed_value_may_break_the_schema() {
    let steps = [
        account("02100002"),
        post("/v1/webhooks", json!({ "url": "hooks" })),
        post("/v1/invitations", json!({ "externalId": "v", "email": "ann" })),
        delete("/v1/webhooks/whs_unknown"),
    ];
    for step in steps {
        assert_steps_accepted(STRICT, &[step]).await;
    }
    let checked = [account("021000022")];
    assert_accused(STRICT, &checked, "4.payoutAccount.4.3").await;
    assert_accused(STRICT, &[account("021000021")], "7.codes.invalid_request").await;
}

#[tokio::test]
async fn a_deleted_subscriptions_reference_is_well_formed() {
    let steps = [
        post("/v1/webhooks", json!({ "url": "https://hooks.example/a" })).named("hook"),
        delete("/v1/webhooks/${hook.reference}"),
        delete("/v1/webhooks/${hook.reference}"),
    ];
    let strict = Liberty {
        instead: |sent, _| refuses(400, "invalid_request").filter(|_| sent == 4),
        ..NONE
    };
    assert_accused(strict, &steps, "4.webhookDeletion.2").await;
}

#[tokio::test]
async fn a_non_object_may_be_unreadable_or_invalid() {
    for body in ["", "null", "7", "[]"] {
        let step = raw("POST", "/v1/quotes", body, "application/json");
        assert_steps_accepted(STRICT, std::slice::from_ref(&step)).await;
        assert_steps_accepted(UNREADABLE, &[step]).await;
    }
    let half = raw("POST", "/v1/quotes", "{\"externalId\":", "application/json");
    assert_accused(STRICT, &[half], "7.codes.unreadable_request").await;
    let file = raw("PUT", "/v1/invoices/imports/m", "externalId\n1\n", "application/json");
    assert_steps_accepted(UNREADABLE, &[file]).await;
}

#[tokio::test]
async fn lowercase_or_reversed_dates_may_be_refused() {
    let small = dated("2026-01-01t00:00:00z", "2026-03-01T00:00:00Z");
    let reversed = dated("2026-03-01T00:00:00Z", "2026-01-01T00:00:00Z");
    for step in [small, reversed] {
        assert_steps_accepted(STRICT, &[step]).await;
    }
    let plain = [dated("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z")];
    assert_accused(STRICT, &plain, "7.codes.invalid_request").await;
}

#[tokio::test]
async fn undocumented_fields_may_be_refused() {
    let contact = json!({ "legalName": "V", "contact": { "name": "Ann" } });
    assert_steps_accepted(STRICT, &[put("/v1/organizations/v", contact)]).await;
    let long = json!({ "legalName": "V".repeat(1000) });
    assert_steps_accepted(STRICT, &[put("/v1/organizations/v", long)]).await;
    let plain = [put("/v1/organizations/v", json!({ "legalName": "W" }))];
    assert_accused(STRICT, &plain, "7.codes.invalid_request").await;
}

#[tokio::test]
async fn a_ragged_file_may_be_unreadable() {
    const HEADER: &str = "externalId,payeeExternalId,payeeLegalName,payorExternalId,payorLegalName,status,faceValue,issueDate,dueDate";
    const ROW: &str = "i,v,V,p,P,ISSUED,100000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z";
    let unreadable =
        Liberty { instead: |sent, _| refuses(422, "unreadable_file").filter(|_| sent > 1), ..NONE };
    let ragged = import(&format!("{HEADER}\n{ROW}\nragged\n"));
    assert_steps_accepted(unreadable, &[ragged]).await;
    let whole = [import(&format!("{HEADER}\n{ROW}\n"))];
    assert_accused(unreadable, &whole, "7.codes.unreadable_file").await;
    let headless = import(&format!("{}\n{}\n", &HEADER[11..], &ROW[2..]));
    assert_steps_accepted(STRICT, &[headless]).await;
}

#[tokio::test]
async fn a_spaced_tax_id_may_be_invalid() {
    let spaced = sync("v", " 1200.00000 ");
    assert_steps_accepted(STRICT, std::slice::from_ref(&spaced)).await;
    assert_steps_accepted(FILES, &[spaced, read("v")]).await;
    assert_accused(STRICT, &[sync("v", WELL_FORMED)], "7.codes.invalid_request").await;
}

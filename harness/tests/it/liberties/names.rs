//! What the names that a service gives stand for, and whom it refuses: the document leaves more open than it seems.

use super::*;

fn with_account(mut body: Value, account: fn(&str) -> [String; 2]) -> Value {
    let Some(shown) = body.pointer("/remittance/accountNumber").and_then(Value::as_str) else {
        return body;
    };
    let [number, bank] = account(shown);
    body["remittance"]["accountNumber"] = number.into();
    body["remittance"]["routingNumber"] = bank.into();
    body
}

/// Two banks may give out one account number. A number at one bank is one vendor's.
#[tokio::test]
async fn an_account_is_a_number_at_a_bank() {
    let at_own_banks: Rewrite = |_, body| {
        with_account(body, |shown| ["5550001".into(), shown[shown.len() - 9..].to_owned()])
    };
    assert_accepted(Liberty { rewrite: at_own_banks, ..NONE }).await;
    let at_one_bank: Rewrite =
        |_, body| with_account(body, |_| ["5550001".into(), "021000021".into()]);
    assert_violated(Liberty { rewrite: at_one_bank, ..NONE }, "2.business.remittance").await;
}

/// What of an account a mask shows is open: the label, say.
#[tokio::test]
async fn a_mask_may_show_the_label() {
    let label: Rewrite = |call, mut body| {
        if body.get("mask").is_some() {
            let sent = call.body().json().unwrap_or(&Value::Null);
            let shown = sent["label"].as_str().or_else(|| sent["accountNumber"].as_str());
            body["mask"] = format!("{}…", &shown.unwrap_or("?")[..1]).into();
        }
        body
    };
    assert_accepted(Liberty { rewrite: label, ..NONE }).await;
}

#[tokio::test]
async fn whom_nobody_can_write_to_may_be_no_invitee() {
    let refuses_all: Instead = |_, call| {
        let is_invitation = matches!(call.operation(), Some(Operation::Invite { .. }));
        is_invitation.then(|| refused(422, "invalid_invitee"))
    };
    assert_accepted(Liberty { instead: refuses_all, ..NONE }).await;
    // One that has invited somebody there can write to others, too.
    let refuses_plus: Instead = |_, call| match call.operation() {
        Some(Operation::Invite { email, .. }) if email.contains('+') => {
            Some(refused(422, "invalid_invitee"))
        }
        _ => None,
    };
    let steps = vec![
        put("/v1/organizations/v", json!({ "legalName": "V" })),
        inviting("ann@v.example"),
        inviting("ann+bob@v.example"),
    ];
    let liberty = Liberty { instead: refuses_plus, ..NONE };
    let played = played_by(Outside::Controlled, liberty, steps).await;
    let accused: Vec<&str> = violations(&played).iter().map(|it| it.clause.name()).collect();
    assert_eq!(accused, ["7.codes.invalid_invitee"]);
}

#[tokio::test]
async fn the_media_type_of_a_file_is_open() {
    let refuses_csv: Instead = |_, call| {
        let is_csv = call.content_type.as_deref().is_some_and(|it| it.starts_with("text/csv"));
        let is_import = call.method == "PUT" && call.path.starts_with("/v1/invoices/imports/");
        (is_csv && is_import).then(|| refused(415, "unsupported_media_type"))
    };
    assert_accepted(Liberty { instead: refuses_csv, ..NONE }).await;
}

/// A vendor of the service may confirm its tax id before it has accepted an invitation: then the number is its own.
#[tokio::test]
async fn what_a_service_does_early_is_done_with_its_values() {
    let confirm = json!({
        "action": "vendorConfirmsTaxId", "payeeExternalId": "v", "route": "VENDOR_ASSERTION",
        "taxId": "12-0000002",
    });
    let mut early = act(&confirm);
    early.name = None;
    let steps = vec![
        early,
        put("/v1/organizations/w", json!({ "legalName": "W", "taxId": "120000002" })),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/w"))),
    ];
    // Our own vendor cannot, so that this one does nothing, and says that it did.
    let applies: fn(u64, &str) -> Option<Response> = |_, action| {
        (action == "vendorConfirmsTaxId").then(|| Response::new(200, b"{\"applied\":true}"))
    };
    // The number is another one's now, and clears nothing.
    let instead: Instead = |_, call| {
        let is_read = call.method == "GET" && call.path.ends_with("/w");
        is_read.then(|| {
            let onboarding = json!({ "compliance": false, "contract": false, "bank": false,
                "collectionAccount": false });
            let body = json!({ "externalId": "w", "name": "W", "complianceRoute": null,
                "taxIdOnFile": false,
                "onboarding": onboarding, "remittance": null });
            Response::new(200, body.to_string().as_bytes())
        })
    };
    let liberty = Liberty { outside: applies, instead, ..NONE };
    let played = played_by(Outside::Controlled, liberty, steps).await;
    assert!(violations(&played).is_empty(), "{:#?}", played.findings);
}

/// An account that nobody saw open may have opened before compliance was lost, or before the vendor signed, so that a
/// payment is booked.
#[tokio::test]
async fn a_payment_that_is_applied_is_collected() {
    let account = json!({ "accountNumber": "000123456", "routingNumber": "021000021" });
    let of_vendor = |action: &str| json!({ "action": action, "payeeExternalId": "v" });
    let lost = vec![
        put("/v1/organizations/v/payout-account", account),
        inviting("a@v.example"),
        act(&json!({
            "action": "vendorAcceptsInvitation", "payeeExternalId": "v", "email": "a@v.example",
        })),
        act(&of_vendor("vendorSignsAgreement")),
        act(&of_vendor("taxIdFoundWrong")),
    ];
    assert_payment_is_collected(lost).await;
    assert_payment_is_collected(Vec::new()).await;
}

async fn assert_payment_is_collected(onboarding: Vec<Step>) {
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let invoice = json!({
        "status": "ISSUED", "faceValue": 200_000, "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2026-03-01T00:00:00Z", "payee": party("v"), "payor": party("p"),
    });
    let pays = json!({
        "action": "payorPays", "payeeExternalId": "v", "invoiceExternalId": "i", "amount": 50_000,
    });
    let known = vec![
        put("/v1/organizations/v", json!({ "legalName": "V", "taxId": "120000001" })),
        put("/v1/invoices/i", invoice),
    ];
    let paid = vec![
        act(&pays),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v/invoices/i"))),
        Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v"))),
    ];
    let steps = [known, onboarding, paid].concat();
    let count = steps.len();
    let applies: fn(u64, &str) -> Option<Response> = |_, action| {
        let body = json!({ "applied": 50_000, "suspense": 0 }).to_string();
        (action == "payorPays").then(|| Response::new(200, body.as_bytes()))
    };
    let collects: Rewrite = |call, mut body| {
        if call.path.ends_with("/invoices/i") && call.method == "GET" {
            body["collected"] = json!(50_000);
            body["collectionState"] = json!("PARTIALLY_COLLECTED");
        }
        body
    };
    let liberty = Liberty { outside: applies, rewrite: collects, ..NONE };
    let played = played_by(Outside::Controlled, liberty, steps).await;
    assert_eq!(played.answers.len(), count + 1, "not all is played");
    assert!(violations(&played).is_empty(), "{:#?}", played.findings);
}

/// An import may break off at any row, and nobody need have asked for it.
#[tokio::test]
async fn an_import_may_break_off_by_itself() {
    let import = || {
        let call = Call::text("PUT", "/v1/invoices/imports/m", TWO_ROWS.to_owned(), "text/csv");
        Step::new(Action::Call(call))
    };
    let read = |name: &str| {
        Step::new(Action::Call(Call::bare("GET", format!("/v1/organizations/v/invoices/{name}"))))
    };
    let breaks_off: Instead = |_, call| match (&*call.method, &*call.path) {
        ("PUT", "/v1/invoices/imports/m") => Some(refused(502, "upstream_failed")),
        ("GET", "/v1/organizations/v/invoices/j") => Some(refused(404, "invoice_not_found")),
        ("GET", "/v1/invoices/imports/m") => Some(refused(404, "import_not_found")),
        _ => None,
    };
    let liberty = Liberty { instead: breaks_off, ..NONE };
    // Every second failure has its effect.
    let report = Step::new(Action::Call(Call::bare("GET", "/v1/invoices/imports/m")));
    let steps = vec![import(), import(), report, read("i"), read("j")];
    let played = played_by(Outside::Controlled, liberty, steps).await;
    let shown: Vec<u16> =
        played.answers.iter().filter_map(|(_, seen)| Some(seen.as_ref()?.status)).collect();
    assert_eq!(shown[shown.len() - 2..], [200, 404]);
    assert!(violations(&played).is_empty(), "{:#?}", played.findings);
}

const TWO_ROWS: &str = "externalId,status,faceValue,issueDate,dueDate,payeeExternalId,payeeLegalName,\
                        payorExternalId,payorLegalName\n\
                        i,ISSUED,1000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z,v,V,p,P\n\
                        j,ISSUED,1000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z,v,V,p,P\n";

/// Nothing says what `rowCount` counts while an import is not finished.
#[tokio::test]
async fn a_report_may_count_the_rows_so_far() {
    let steps = vec![
        act(&json!({ "action": "interruptNextImport", "afterRows": 1 })),
        Step::new(Action::Call(Call::text(
            "PUT",
            "/v1/invoices/imports/m",
            TWO_ROWS.to_owned(),
            "text/csv",
        ))),
        Step::new(Action::Call(Call::bare("GET", "/v1/invoices/imports/m"))),
    ];
    let so_far: Rewrite = |_, mut body| {
        if body["finished"] == false {
            body["rowCount"] = json!(1);
        }
        body
    };
    let played = played_by(Outside::Controlled, Liberty { rewrite: so_far, ..NONE }, steps).await;
    let shown = played.answers.last().and_then(|(_, seen)| seen.as_ref()?.json().cloned());
    assert_eq!(shown.map(|it| it["rowCount"].clone()), Some(json!(1)));
    assert!(violations(&played).is_empty(), "{:#?}", played.findings);
}

/// Where neither the payee nor the invoice is known, the conditions of both codes hold.
#[tokio::test]
async fn an_invoice_of_an_unknown_payee_may_be_unknown() {
    fn names_the_invoice(call: &PreparedCall) -> bool {
        call.method == "GET" && call.path.contains("/invoices/")
    }
    let liberty = Liberty {
        instead: |_, call| refuses(404, "invoice_not_found").filter(|_| names_the_invoice(call)),
        ..NONE
    };
    let read_invoice =
        || Step::new(Action::Call(Call::bare("GET", "/v1/organizations/nobody/invoices/i")));
    assert_steps_accepted(liberty, &[read_invoice(), sync("v", WELL_FORMED), read_invoice()]).await;
    // The condition of neither holds.
    let known = || Step::new(Action::Call(Call::bare("GET", "/v1/organizations/v/invoices/i")));
    let steps = [sync_invoice("v", WELL_FORMED), known()];
    assert_accused(liberty, &steps, "4.invoiceSync.1").await;
}

/// Nothing says which of two reasons to refuse a request comes first.
#[tokio::test]
async fn an_unknown_business_may_come_before_an_invalid_body() {
    let liberty = Liberty {
        instead: |_, call| {
            let is_write = call.path.ends_with("/payout-account");
            refuses(404, "business_not_found").filter(|_| is_write)
        },
        ..NONE
    };
    let set =
        |business: &str, body| put(&format!("/v1/organizations/{business}/payout-account"), body);
    let bodies = [
        json!({}),
        json!({ "accountNumber": 7, "routingNumber": "021000021" }),
        json!({ "accountNumber": "000123456", "routingNumber": "021000022" }),
    ];
    for body in bodies {
        assert_steps_accepted(liberty, &[set("nobody", body)]).await;
    }
    assert_accused(liberty, &[set("v", json!({}))], "7.codes.invalid_request").await;
}

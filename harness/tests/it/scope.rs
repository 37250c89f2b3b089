//! The gate before a live target: what it lets pass. No request that names an outsider ever passes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use tideover_exchange::{Prepared, PreparedAction, PreparedCall};
use tideover_live::grants::Grants;
use tideover_live::ledger::{OverBudget, SpendingLedger};
use tideover_live::scope::{FinancedInvoice, GateRefusal, Permit, Scope};
use tideover_live::settings::{Budget, Settings};

use crate::support::settings::settings;

const OWN: &str = "Bearer rap_sk_own";

fn given() -> Grants {
    Grants {
        references: [("whs_1".to_owned(), OWN.to_owned())].into(),
        keys: ["rap_sk_issued".to_owned()].into(),
        sessions: ["https://api.example.com/s/1".to_owned()].into(),
        ..Grants::default()
    }
}

fn judge(step: &Prepared) -> Result<Permit, GateRefusal> {
    let (settings, given) = (settings(), given());
    let inbox = Some("https://hooks.example.com/td-r1-x");
    Scope { settings: &settings, grants: &given, inbox, moves_clock: true, disturbs: true }
        .judge(step)
}

fn call_with(authorization: Option<&str>, method: &str, path: &str, body: &[u8]) -> Prepared {
    let content_type = Some("application/json".into());
    let call = PreparedCall::new(method, path, content_type, body.to_vec());
    let action = PreparedAction::Call(call);
    Prepared { authorization: authorization.map(str::to_owned), action }
}

fn call(method: &str, path: &str, body: impl AsRef<[u8]>) -> Prepared {
    call_with(Some(OWN), method, path, body.as_ref())
}

fn act_with(authorization: Option<&str>, fields: Value) -> Prepared {
    let action = PreparedAction::Act(fields.as_object().unwrap().clone());
    Prepared { authorization: authorization.map(str::to_owned), action }
}

fn act(fields: Value) -> Prepared {
    act_with(Some(OWN), fields)
}

fn invoice(payee: &str, payor: &str) -> String {
    json!({ "payee": { "externalId": payee, "legalName": "A" },
        "payor": { "externalId": payor, "legalName": "B" },
        "status": "ISSUED", "faceValue": 5, "issueDate": "x", "dueDate": "y" })
    .to_string()
}

const COLUMNS: &str = "externalId,payeeExternalId,payorExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate";

#[test]
fn reads_pass() {
    for step in [
        call("GET", "/v1/organizations/anybody", ""),
        call("GET", "/v1/nowhere", ""),
        call_with(None, "GET", "/v1/webhooks", b""),
        call_with(Some("Basic cmFwOg=="), "GET", "/v1/webhooks", b""),
        call_with(Some("Bearer td-r1-nobody-at-all"), "GET", "/v1/webhooks", b""),
        call("POST", "/v1/quotes", r#"{"externalId":"anybody","invoiceFaceValue":1}"#),
        call("POST", "/v1/quotes", "{"),
        call("PATCH", "/v1/td-r1-nowhere", ""),
    ] {
        assert_eq!(judge(&step).map(|permit| permit.writes), Ok(false), "{step:?}");
    }
}

#[test]
fn writes_to_test_accounts_pass() {
    for step in [
        call("PUT", "/v1/organizations/acme-test", r#"{"legalName":"x","taxId":"12-3456789"}"#),
        call("PUT", "/v1/organizations/test-%C3%BC%201", r#"{"legalName":"x"}"#),
        call(
            "PUT",
            "/v1/organizations/acme-test",
            r#"{"taxId":"12-345","contact":{"email":"ann"}}"#,
        ),
        call("PUT", "/v1/organizations/acme-test", "{"),
        call("PUT", "/v1/organizations/acme-test", "[\"Acme\"]"),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":"55555","routingNumber":"011401533","label":"x"}"#,
        ),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":"55555","routingNumber":"021000022"}"#,
        ),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":"12a","routingNumber":"021000021"}"#,
        ),
    ] {
        assert_eq!(judge(&step).map(|permit| permit.writes), Ok(true), "{step:?}");
    }
}

#[test]
fn creating_own_objects_passes() {
    for step in [
        call("PUT", "/v1/invoices/td-r1-i1", invoice("acme-test", "globex")),
        call("PUT", "/v1/invoices/td-r1-i1", r#"{"payee":null,"faceValue":[]}"#),
        call(
            "PUT",
            "/v1/invoices/imports/td-r1-m",
            format!("{COLUMNS}\ntd-r1-a,test-1,globex,A,B,PAID,1e3,,\n"),
        ),
        call(
            "POST",
            "/v1/advances",
            r#"{"payeeExternalId":"test-1","invoiceExternalId":"td-r1-i"}"#,
        ),
        call("POST", "/v1/invitations", r#"{"externalId":"test-1","email":"ann@own.example"}"#),
        call("POST", "/v1/onboarding-sessions", r#"{"externalId":"test-1"}"#),
        call(
            "POST",
            "/v1/webhooks",
            r#"{"url":"https://hooks.example.com/td-r1-x/accepts/a","eventTypes":["x"]}"#,
        ),
        call("DELETE", "/v1/webhooks/whs_1", ""),
        call_with(Some("Bearer rap_sk_issued"), "DELETE", "/v1/webhooks/whs_1", b""),
        act(
            json!({ "action": "payorPays", "payeeExternalId": "test-1", "invoiceExternalId": "td-r1-i", "amount": 1 }),
        ),
        act(json!({ "action": "revokeKey", "key": "rap_sk_issued" })),
        act(json!({ "action": "vendorOpensSession", "url": "https://api.example.com/s/1" })),
    ] {
        assert_eq!(judge(&step).map(|permit| permit.writes), Ok(true), "{step:?}");
    }
}

/// The invalid parts concern only the user's own objects, so they affect nobody else.
#[test]
fn invalid_requests_about_own_objects_pass() {
    let webhook = |url: &str| call("POST", "/v1/webhooks", json!({ "url": url }).to_string());
    for step in [
        call("PUT", "/v1/invoices/td-r1-i1", "{"),
        call("PUT", "/v1/invoices/td-r1-i1", r#"{"legalName":"#),
        call("PUT", "/v1/invoices/td-r1-i1", r#"["acme"]"#),
        call("PUT", "/v1/invoices/td-r1-i1", r#"{"payee":"acme-test","payor":[]}"#),
        call("POST", "/v1/advances", "{}"),
        call("POST", "/v1/advances", "not json"),
        call("POST", "/v1/advances", r#"{"payeeExternalId":"test-1","invoiceExternalId":""}"#),
        call("POST", "/v1/invitations", r#"{"email":"ann@own.example"}"#),
        call(
            "POST",
            "/v1/invitations",
            r#"{"externalId":"test-1","email":"Ann <ann@own.example>"}"#,
        ),
        call("POST", "/v1/onboarding-sessions", "{}"),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":12,"routingNumber":null}"#,
        ),
        call("PUT", "/v1/organizations/acme-test", r#"{"legalName":"x","legalName":"y"}"#),
        call("PUT", "/v1/organizations/acme-test", r#"{"taxId":7}"#),
        call("DELETE", "/v1/organizations/acme-test", ""),
        call("POST", "/v1/invoices/td-r1-i1", ""),
        call(
            "PUT",
            "/v1/invoices/imports/td-r1-m",
            "payeeExternalId,payorExternalId,faceValue\ntest-1,globex,5\n",
        ),
        webhook("https://127.0.0.1/"),
        webhook("https://localhost/hooks"),
        webhook("https://169.254.169.254/latest"),
        webhook("https://[::1]/"),
        webhook("http://hooks.invalid/"),
        webhook("td-r1-hooks"),
        call_with(None, "PUT", "/v1/organizations/acme-test", b"{}"),
        call_with(Some("Bearer td-r1-nobody-at-all"), "PUT", "/v1/organizations/acme-test", b"{}"),
    ] {
        assert_eq!(judge(&step).map(|permit| permit.writes), Ok(true), "{step:?}");
    }
}

/// A subscription without a key is not the run's to delete.
#[test]
fn a_subscription_without_a_key_is_not_counted() {
    let body = br#"{"url":"https://hooks.example.com/td-r1-x/a"}"#;
    let permit = judge(&call_with(None, "POST", "/v1/webhooks", body));
    assert_eq!(permit, Ok(Permit { writes: true, ..Permit::default() }));
}

#[test]
fn a_path_that_may_name_others_is_refused() {
    for step in [
        call("PUT", "/v1/organizations/acme", "{}"),
        call("PUT", "/v1/organizations/test-1%2F..%2Facme", "{}"),
        call("PUT", "/v1/organizations/test-%252e", "{}"),
        call("PUT", "/v1/organizations/test-1/../acme", "{}"),
        call("PUT", "/v1//organizations/acme-test", "{}"),
        call("PUT", "/v1/organizations/globex", "{}"),
        call("PUT", "/v1/invoices/INV-7", invoice("acme-test", "globex")),
        call("DELETE", "/v1/organizations/acme", ""),
        call("PATCH", "/v1/webhooks", ""),
        call("PATCH", "/v1/td-r1-x/../webhooks", ""),
        call("PATCH", "/v1/td-r1-x%2f", ""),
        call("POST", "/v1/td-r1-x", "{}"),
        call("POST", "/v1/quotes/", "{}"),
        call("GET", "/v1/webhooks", "{}"),
    ] {
        assert!(judge(&step).is_err(), "{step:?}");
    }
}

#[test]
fn invoices_and_businesses_of_others_are_refused() {
    for step in [
        call("PUT", "/v1/invoices/td-r1-i", invoice("acme", "globex")),
        call(
            "PUT",
            "/v1/invoices/td-r1-i",
            invoice("acme-test", "globex").replace("\"B\"", "\"C\""),
        ),
        call(
            "PUT",
            "/v1/invoices/td-r1-i",
            invoice("acme-test", "globex").replace("\"B\"", "\"B\",\"taxId\":\"12-3456789\""),
        ),
        call("PUT", "/v1/invoices/td-r1-i", invoice("globex", "acme-test")),
        call("PUT", "/v1/invoices/td-r1-i", invoice("acme-test", "initech")),
        call("PUT", "/v1/invoices/td-r1-i", r#"{"payee":"acme"}"#),
        call("PUT", "/v1/invoices/td-r1-i", r#"{"payee":{"legalName":"Acme"}}"#),
        call(
            "PUT",
            "/v1/invoices/td-r1-i",
            r#"{"payee":{"externalId":"test-1"},"payee":{"externalId":"acme"}}"#,
        ),
        call("PUT", "/v1/invoices/td-r1-i", r#"{"Payee":{"externalId":"acme"}}"#),
        call("PUT", "/v1/invoices/td-r1-i", r#"{"payee":"acme","#),
        call("PUT", "/v1/organizations/acme-test", r#"[{"externalId":"acme"}]"#),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":"12","accountNumber":"55555","routingNumber":"021000021"}"#,
        ),
        call("PUT", "/v1/invoices/td-r1-i", r#"{"faceValue":1,"faceValue":1000000}"#),
        call("PUT", "/v1/organizations/acme-test", r#"{"taxId":"98-7654321"}"#),
        call("PUT", "/v1/organizations/acme-test", r#"{"taxId":987654321}"#),
        call("PUT", "/v1/organizations/acme-test", r#"{"legalName":{"taxId":"987654321"}}"#),
        call("PUT", "/v1/organizations/acme-test", r#"{"contact":{"email":"bob@other.example"}}"#),
    ] {
        assert!(judge(&step).is_err(), "{step:?}");
    }
}

#[test]
fn other_body_fields_that_name_others_are_refused() {
    for step in [
        call("PUT", "/v1/organizations/acme-test", r#"{"contact":{"phone":"+15035550100"}}"#),
        call("PUT", "/v1/organizations/acme-test", "{\"taxId\":\"987654321\""),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":"55555","routingNumber":"021000021"}"#,
        ),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":"1234","routingNumber":"011401533"}"#,
        ),
        call(
            "PUT",
            "/v1/organizations/acme-test/payout-account",
            r#"{"accountNumber":55555,"routingNumber":"011401533"}"#,
        ),
        call("POST", "/v1/advances", r#"{"payeeExternalId":"acme","invoiceExternalId":"td-r1-i"}"#),
        call("POST", "/v1/advances", r#"{"invoiceExternalId":"td-r1-i"}"#),
        call(
            "POST",
            "/v1/invitations",
            r#"{"externalId":"test-1","email":"Ann <bob@other.example>"}"#,
        ),
        call(
            "POST",
            "/v1/invitations",
            r#"{"externalId":"test-1","email":"ann@own.example,bob@x"}"#,
        ),
        call("POST", "/v1/advances", r#"{"payeeExternalId":"test-1","invoiceExternalId":7}"#),
        call("POST", "/v1/invitations", r#"{"externalId":7,"email":"ann@own.example"}"#),
        call("POST", "/v1/invitations", r#"{"externalId":"test-1","email":"A <b@other.example>"}"#),
        call("POST", "/v1/webhooks", r#"{"url":"https://hooks.example.com/other"}"#),
        call("POST", "/v1/webhooks", r#"{"url":"http://hooks.example.com/other"}"#),
        call("POST", "/v1/webhooks", r#"{"url":"https://8.8.8.8/"}"#),
        call("POST", "/v1/webhooks", r#"{"url":"hooks.example.com"}"#),
        call("POST", "/v1/webhooks", r#"{"url":"td-r1-x.example.com"}"#),
        call("POST", "/v1/webhooks", r#"{"url":"https://hooks.example.com/td-r1-x/../other"}"#),
        call(
            "POST",
            "/v1/webhooks",
            r#"{"url":"https://hooks.example.com/td-r1-x.evil.example/"}"#,
        ),
        call("DELETE", "/v1/webhooks/whs_2", ""),
    ] {
        assert!(judge(&step).is_err(), "{step:?}");
    }
}

#[test]
fn a_file_that_may_name_others_is_refused() {
    let file =
        |rows: &str| call("PUT", "/v1/invoices/imports/td-r1-m", format!("{COLUMNS}\n{rows}"));
    for step in [
        file("INV-7,test-1,globex,A,B,PAID,1,,\n"),
        file("td-r1-a,acme,globex,A,B,PAID,1,,\n"),
        file("td-r1-a,test-1,initech,A,B,PAID,1,,\n"),
        file("td-r1-a,,globex,A,B,PAID,1,,\n"),
        file("td-r1-a,test-1,globex,\"A,B\",PAID,1,,\n"),
        file("ragged\n"),
        call("PUT", "/v1/invoices/imports/m", format!("{COLUMNS}\n")),
        call("PUT", "/v1/invoices/imports/td-r1-m", "externalId,payeeLegalName\na,A\n"),
        call("PUT", "/v1/invoices/imports/td-r1-m", format!("{COLUMNS},payeeExternalId\n")),
    ] {
        assert!(judge(&step).is_err(), "{step:?}");
    }
}

#[test]
fn foreign_keys_and_actions_are_refused() {
    for step in [
        call_with(Some("Bearer rap_sk_others"), "PUT", "/v1/organizations/acme-test", b"{}"),
        call_with(Some("Bearer rap_sk_others"), "GET", "/v1/webhooks", b""),
        call_with(None, "PUT", "/v1/organizations/acme", b"{}"),
        act_with(None, json!({ "action": "collectionAccountOpens", "payeeExternalId": "test-1" })),
        act(json!({ "action": "reset" })),
        act(json!({ "action": "revokeKey" })),
        act(json!({ "action": "revokeKey", "key": "rap_sk_own" })),
        act(json!({ "action": "vendorSignsAgreement", "payeeExternalId": "acme" })),
        act(json!({ "action": "vendorSignsAgreement" })),
        act(
            json!({ "action": "vendorConfirmsTaxId", "payeeExternalId": "test-1", "taxId": "987654321" }),
        ),
        act(json!({ "action": "vendorOpensSession", "url": "https://api.example.com/s/2" })),
        act(json!({ "action": "wireMoney" })),
    ] {
        assert!(judge(&step).is_err(), "{step:?}");
    }
}

#[test]
fn writes_need_leave_and_actions_need_a_port() {
    let given = given();
    let mut settings = settings();
    settings.allow_writes = false;
    let judge = |settings: &Settings, moves_clock, step: &Prepared| {
        Scope { settings, grants: &given, inbox: None, moves_clock, disturbs: moves_clock }
            .judge(step)
            .map(|permit| permit.writes)
    };
    let quote = call("POST", "/v1/quotes", "{}");
    let sync = call("PUT", "/v1/organizations/acme-test", r#"{"legalName":"x"}"#);
    let clock = Prepared { authorization: Some(OWN.into()), action: PreparedAction::Advance(5) };
    assert_eq!(judge(&settings, true, &quote), Ok(false));
    assert!(judge(&settings, true, &sync).is_err());
    assert!(judge(&settings, true, &clock).is_err());
    settings.allow_writes = true;
    assert_eq!(judge(&settings, true, &sync), Ok(true));
    assert_eq!(judge(&settings, true, &clock), Ok(true));
    assert!(judge(&settings, false, &clock).is_err());
    let fails = act(json!({ "action": "upstreamFails", "requests": 1 }));
    assert_eq!(judge(&settings, true, &fails), Ok(true));
    let refused = judge(&settings, false, &fails).unwrap_err().to_string();
    assert!(refused.contains("--allow-disturbance"), "{refused}");
    settings.operator = None;
    assert!(judge(&settings, true, &clock).is_err());
    assert!(judge(&settings, true, &act(json!({ "action": "issueKey" }))).is_err());
}

#[test]
fn the_budgets_are_enforced() {
    let budget = Budget { requests: 9, financed: 1000, subscriptions: 1, seconds: None };
    let mut ledger = SpendingLedger::default();
    let mut charge = |step: &Prepared| ledger.charge(&budget, OWN, &judge(step).unwrap());
    let sync = |invoice: &str, face: u64| {
        let body = self::invoice("acme-test", "globex")
            .replace("\"faceValue\":5", &format!("\"faceValue\":{face}"));
        call("PUT", &format!("/v1/invoices/{invoice}"), body)
    };
    let advance = |invoice: &str| {
        let body = json!({ "payeeExternalId": "acme-test", "invoiceExternalId": invoice });
        call("POST", "/v1/advances", body.to_string())
    };
    let nobody_knows = |permit: Permit| Permit {
        financed: permit.financed.map(|invoice| FinancedInvoice { is_own: false, ..invoice }),
        ..permit
    };
    let unknown = nobody_knows(judge(&advance("td-r1-i1")).unwrap());
    assert!(matches!(
        SpendingLedger::default().charge(&budget, OWN, &unknown),
        Err(OverBudget::UnknownFace(_))
    ));
    charge(&sync("td-r1-i1", 600)).unwrap();
    charge(&advance("td-r1-i1")).unwrap();
    charge(&advance("td-r1-i1")).unwrap();
    charge(&sync("td-r1-i2", 600)).unwrap();
    assert_eq!(
        charge(&advance("td-r1-i2")),
        Err(OverBudget::Financed { wanted: 1200, limit: 1000 })
    );
    charge(&sync("td-r1-i3", 400)).unwrap();
    charge(&advance("td-r1-i3")).unwrap();
    charge(&advance("td-r1-1-unknown")).unwrap();
    let subscribe =
        call("POST", "/v1/webhooks", r#"{"url":"https://hooks.example.com/td-r1-x/a"}"#);
    charge(&subscribe).unwrap();
    assert_eq!(charge(&subscribe), Err(OverBudget::Subscriptions(1)));
    charge(&call("GET", "/v1/webhooks", "")).unwrap();
    assert_eq!(charge(&call("GET", "/v1/webhooks", "")), Err(OverBudget::Requests(9)));
}

#[test]
fn a_refused_advance_is_not_counted_as_financed() {
    let budget = Budget { requests: 9, financed: 5, subscriptions: 1, seconds: None };
    let mut ledger = SpendingLedger::default();
    let sync = judge(&call("PUT", "/v1/invoices/td-r1-i", invoice("acme-test", "globex"))).unwrap();
    let advance = call(
        "POST",
        "/v1/advances",
        r#"{"payeeExternalId":"acme-test","invoiceExternalId":"td-r1-i"}"#,
    );
    let advance = judge(&advance).unwrap();
    ledger.charge(&budget, OWN, &sync).unwrap();
    let charge = ledger.charge(&budget, OWN, &advance).unwrap();
    ledger.refund(charge);
    let unreadable = invoice("acme-test", "globex").replace("\"faceValue\":5", "\"faceValue\":1e3");
    let unreadable = judge(&call("PUT", "/v1/invoices/td-r1-i", unreadable)).unwrap();
    let charge = ledger.charge(&budget, OWN, &unreadable).unwrap();
    assert!(
        ledger.charge(&budget, OWN, &advance).is_err(),
        "it is not known what it would finance"
    );
    ledger.refund(charge);
    ledger.charge(&budget, OWN, &advance).unwrap();
    assert_eq!(ledger.requests(), 4);
}

/// Two requests race for an advance: the first is refused, the second granted.
#[test]
fn a_refund_keeps_other_requests_counted() {
    let budget = Budget { requests: 9, financed: 5, subscriptions: 1, seconds: None };
    let mut ledger = SpendingLedger::default();
    let judged = |step| judge(&step).unwrap();
    let sync = |name: &str| {
        judged(call("PUT", &format!("/v1/invoices/{name}"), invoice("acme-test", "globex")))
    };
    let advance = |name: &str| {
        let body = json!({ "payeeExternalId": "acme-test", "invoiceExternalId": name });
        judged(call("POST", "/v1/advances", body.to_string()))
    };
    let refused_sync = ledger.charge(&budget, OWN, &sync("td-r1-i")).unwrap();
    ledger.charge(&budget, OWN, &sync("td-r1-i")).unwrap();
    ledger.charge(&budget, OWN, &sync("td-r1-other")).unwrap();
    let refused = ledger.charge(&budget, OWN, &advance("td-r1-i")).unwrap();
    let granted = ledger.charge(&budget, OWN, &advance("td-r1-i")).unwrap();
    ledger.refund(refused);
    ledger.refund(refused_sync);
    let spent = OverBudget::Financed { wanted: 10, limit: 5 };
    assert_eq!(ledger.charge(&budget, OWN, &advance("td-r1-other")), Err(spent));
    ledger.refund(granted);
    ledger.charge(&budget, OWN, &advance("td-r1-other")).unwrap();
}

/// Marks everyone who is not the user's own.
const OUTSIDE: &str = "outside";

/// Fields whose text names nobody.
const FREE: [&str; 19] = [
    "legalName",
    "name",
    "line1",
    "line2",
    "city",
    "state",
    "postalCode",
    "status",
    "faceValue",
    "issueDate",
    "dueDate",
    "label",
    "eventTypes",
    "platform",
    "route",
    "amount",
    "afterRows",
    "requests",
    "action",
];

fn field() -> impl Strategy<Value = String> {
    let known = select(vec![
        "externalId",
        "payeeExternalId",
        "invoiceExternalId",
        "payee",
        "payor",
        "legalName",
        "taxId",
        "contact",
        "email",
        "phone",
        "address",
        "accountNumber",
        "routingNumber",
        "url",
        "key",
        "label",
        "status",
        "faceValue",
        "eventTypes",
        "platform",
        "name",
        "line1",
    ]);
    prop_oneof![9 => known.prop_map(str::to_owned), 1 => "[a-zA-Z]{1,9}"]
}

fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => select(vec!["acme-test", "test-1", "globex", "ann@own.example", "12-3456789", "55555", "011401533", "rap_sk_issued", "https://hooks.example.com/td-r1-x/a"]),
        2 => select(vec!["outside", "test-outside/../x", "outside@x.example", "987654321outside", "https://outside.example/", "x outside"]),
    ]
    .prop_map(Value::from)
}

fn body() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![6 => text(), 1 => Just(Value::Null), 1 => any::<u16>().prop_map(Value::from)];
    let tree = leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            5 => vec((field(), inner.clone()), 0..5).prop_map(|fields| Value::Object(Map::from_iter(fields))),
            1 => vec(inner, 0..3).prop_map(Value::from),
        ]
    });
    let near = (text(), text(), text(), field()).prop_map(|(payee, payor, more, field)| {
        json!({ "payee": { "externalId": payee, "legalName": "x" }, "payor": { "externalId": payor, (field): more },
            "status": "ISSUED", "faceValue": 7 })
    });
    let one = (text(), field(), text()).prop_map(|(identifier, field, more)| {
        json!({ "externalId": identifier, "payeeExternalId": identifier, "invoiceExternalId": "td-r1-i", (field): more })
    });
    let two = (field(), text(), field(), text()).prop_map(|(a, b, c, d)| json!({ (a): b, (c): d }));
    prop_oneof![tree, near, one, two]
}

fn path() -> impl Strategy<Value = (&'static str, String)> {
    let segment =
        select(vec!["acme-test", "test-1", "outside", "test-%2Foutside", "td-r1-m", "whs_1"]);
    let form = select(vec![
        ("PUT", "/v1/organizations/*"),
        ("PUT", "/v1/organizations/*/payout-account"),
        ("PUT", "/v1/invoices/*"),
        ("PUT", "/v1/invoices/imports/*"),
        ("POST", "/v1/advances"),
        ("POST", "/v1/invitations"),
        ("POST", "/v1/onboarding-sessions"),
        ("POST", "/v1/webhooks"),
        ("DELETE", "/v1/webhooks/*"),
        ("DELETE", "/v1/*"),
        ("PATCH", "/v1/organizations/*"),
    ]);
    (form, segment).prop_map(|((method, form), segment)| (method, form.replace('*', segment)))
}

/// Whether an outsider's mark is in a field where it names someone.
fn names_outsiders(value: &Value, field: &str) -> bool {
    match value {
        Value::String(text) => {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let names = match field {
                "email" => text.contains('@'),
                "taxId" | "accountNumber" | "routingNumber" => digits > 3,
                "" => digits > 3 || text.contains('@'),
                field => !FREE.contains(&field),
            };
            names && text.contains(OUTSIDE)
        }
        Value::Array(items) => items.iter().any(|item| names_outsiders(item, field)),
        Value::Object(fields) => fields.iter().any(|(name, value)| names_outsiders(value, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_write_that_names_an_outsider_passes(((method, path), body) in (path(), body())) {
        let step = call(method, &path, body.to_string());
        if judge(&step).is_ok_and(|permit| permit.writes) {
            prop_assert!(!names_outsiders(&body, ""), "{step:?}");
            prop_assert!(!path.contains(OUTSIDE), "{step:?}");
        }
    }

    #[test]
    fn no_action_that_names_an_outsider_passes(
        (name, body) in (select(vec!["payorPays", "vendorAcceptsInvitation", "vendorAddsBankAccount", "revokeKey", "markTestAccount", "vendorConfirmsTaxId"]), body())
    ) {
        let Value::Object(mut fields) = body.clone() else { return Ok(()) };
        fields.insert("action".into(), name.into());
        if judge(&act(Value::Object(fields))).is_ok() {
            prop_assert!(!names_outsiders(&body, ""), "{body}");
        }
    }

    #[test]
    fn no_file_that_names_an_outsider_passes(
        rows in vec((select(vec!["test-1", "outside", "", "\"test-1\"", " test-1", "test-1;outside"]), select(vec!["globex", "outside", "test-2"]), "[A-Z,\"\n]{0,3}"), 1..4)
    ) {
        let rows: Vec<String> = rows.into_iter().map(|(payee, payor, name)| format!("td-r1-a,{payee},{payor},{name},B,PAID,1,,")).collect();
        let text = format!("{COLUMNS}\n{}\n", rows.join("\n"));
        let step = call("PUT", "/v1/invoices/imports/td-r1-m", &text);
        if judge(&step).is_ok() {
            prop_assert!(!text.contains(OUTSIDE), "{text}");
        }
    }

    /// Unreadable bytes pass only with fewer than four digits, and only if they give no field a value or sync
    /// a test account.
    #[test]
    fn unreadable_bytes_that_pass_name_nobody(
        ((method, path), bytes) in (path(), vec(any::<u8>(), 0..40))
    ) {
        let step = call(method, &path, &bytes);
        let passes = judge(&step).is_ok_and(|permit| permit.writes);
        if passes && !bytes.is_empty() && serde_json::from_slice::<Value>(&bytes).is_err() {
            let text = String::from_utf8_lossy(&bytes);
            let gives_a_value = text.split_once(':').is_some_and(|(_, rest)| rest.chars().any(|character| !character.is_whitespace() && character != ':'));
            let is_sync = path == "/v1/organizations/acme-test" || path == "/v1/organizations/test-1";
            prop_assert!(is_sync || !gives_a_value, "{step:?}");
            prop_assert!(bytes.iter().filter(|byte| byte.is_ascii_digit()).count() < 4, "{step:?}");
        }
    }
}

//! Strictness of request parsing: which requests are refused, and with which code.

use serde_json::{Value, json};
use tideover_model::exchange::Request;
use tideover_model::{Profile, Seeded, Service, exchange};

use crate::desk::{Desk, Seen, instant, invoice_body, plain, round_numbers};

/// The code of the response to a PUT of `body`, or its status.
fn code(path: &str, body: &[u8]) -> String {
    let mut desk = Desk::open();
    desk.sync_business("acme", "123456789");
    let method = if path.starts_with("/v1/quotes") { "POST" } else { "PUT" };
    let seen = Seen::of(&desk.exchange(method, path, Some("application/json"), body));
    if seen.status < 300 { seen.status.to_string() } else { seen.code().to_owned() }
}

fn business(rest: &str) -> String {
    code("/v1/organizations/acme", format!(r#"{{"legalName":"Acme"{rest}}}"#).as_bytes())
}

/// `gap.integerForm`, `8.faceValue`, `1.general.1`, `2.invoiceSync.faceValue`
#[test]
fn an_amount_is_an_integer_from_1_to_2147483647() {
    for (number, expected) in [
        ("1", "200"),
        ("2147483647", "200"),
        ("2147483648", "invalid_request"),
        ("0", "invalid_request"),
        ("-0", "invalid_request"),
        ("-1", "invalid_request"),
        ("1.0", "invalid_request"),
        ("1e3", "invalid_request"),
        ("1E0", "invalid_request"),
        ("18446744073709551616", "invalid_request"),
        ("99999999999999999999999999999999999999", "invalid_request"),
        ("1e999", "invalid_request"),
        ("\"1\"", "invalid_request"),
        ("null", "invalid_request"),
        ("true", "invalid_request"),
        ("[1]", "invalid_request"),
        ("01", "unreadable_request"),
        ("+1", "unreadable_request"),
        (".5", "unreadable_request"),
        ("0x1", "unreadable_request"),
        ("NaN", "unreadable_request"),
        ("", "unreadable_request"),
    ] {
        let body = format!(r#"{{"externalId":"acme","invoiceFaceValue":{number}}}"#);
        assert_eq!(code("/v1/quotes", body.as_bytes()), expected, "{number}");
        let sync = invoice_body("acme", "globex", 77).to_string();
        let sync = sync.replace(r#""faceValue":77"#, &format!(r#""faceValue":{number}"#));
        assert_eq!(code("/v1/invoices/i", sync.as_bytes()), expected, "{number}");
    }
}

/// `7.codes.unreadable_request`, `7.codes.invalid_request`, `gap.duplicateKeys`, `gap.nullOptional`
#[test]
fn syntax_and_shape_have_different_codes() {
    for (rest, expected) in [
        ("", "200"),
        (r#","unknown":1e999"#, "200"),
        (r#","taxId":null"#, "invalid_request"),
        (r#","taxId":123456789"#, "invalid_request"),
        (r#","contact":null"#, "invalid_request"),
        (r#","contact":[]"#, "invalid_request"),
        (r#","contact":["Ada"]"#, "invalid_request"),
        (r#","contact":{"name":null}"#, "invalid_request"),
        (r#","contact":{"address":[]}"#, "invalid_request"),
        (r#","contact":{"address":{"city":7}}"#, "invalid_request"),
        (r#","legalName":"Acme""#, "invalid_request"),
        (r#","contact":{"name":"a","name":"b"}"#, "invalid_request"),
        (r#","taxId":"\ud800""#, "invalid_request"),
        (r#","taxId":"\ud83d\ude00""#, "200"),
        (r#","taxId":"\x""#, "unreadable_request"),
        (r#","taxId":'1'"#, "unreadable_request"),
        (",", "unreadable_request"),
        ("}", "unreadable_request"),
        (r#"} {"legalName":"Acme""#, "unreadable_request"),
        (",\"taxId\":\"a\nb\"", "unreadable_request"),
    ] {
        assert_eq!(business(rest), expected, "{rest}");
    }
    for (body, expected) in [
        (&b""[..], "unreadable_request"),
        (b"{", "unreadable_request"),
        (b"null", "invalid_request"),
        (b"\"Acme\"", "invalid_request"),
        (b"[\"Acme\"]", "invalid_request"),
        (b"[]", "invalid_request"),
        (b"{}", "invalid_request"),
        (b"{\"legalName\":\"\"}", "invalid_request"),
        (b"{\"legalName\":\"\xff\"}", "unreadable_request"),
        (b"{\"legalName\":\"Acme\",\"unknown\":\"\xff\"}", "unreadable_request"),
        (b"\xef\xbb\xbf{\"legalName\":\"Acme\"}", "unreadable_request"),
    ] {
        assert_eq!(code("/v1/organizations/acme", body), expected, "{body:?}");
    }
}

/// `7.codes.invalid_request`: deeply nested JSON is valid JSON, and harmless in an unknown field.
#[test]
fn deep_nesting_is_harmless() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(50_000), close.repeat(50_000));
    for (open, close) in [("[", "]"), ("{\"a\":", "1}")] {
        let nested = match close {
            "]" => deep(open, close),
            _ => format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000)),
        };
        assert_eq!(business(&format!(r#","unknown":{nested}"#)), "200");
        assert_eq!(business(&format!(r#","contact":{{"name":{nested}}}"#)), "invalid_request");
        assert_eq!(
            business(&format!(r#","contact":{nested}"#)),
            match open {
                "[" => "invalid_request",
                // An address with an unknown field.
                _ => "200",
            }
        );
        assert_eq!(
            code("/v1/organizations/acme", &nested.as_bytes()[..70_000]),
            "unreadable_request"
        );
    }
}

/// `2.invoiceSync.status`, `2.subscription.eventTypes`, `gap.subscriptionForm`
#[test]
fn enumeration_values_are_strings() {
    for status in [json!({ "ISSUED": null }), json!(["ISSUED"]), json!("issued"), json!(0)] {
        let mut body = invoice_body("acme", "globex", 1_000);
        body["status"] = status.clone();
        let seen = Desk::open().put("/v1/invoices/i", &body);
        assert_eq!(seen.code(), "invalid_request", "{status}");
    }
    for kinds in [
        json!([]),
        json!(null),
        json!("partner.loan.paid"),
        json!({}),
        json!(["partner.loan.unheard"]),
        json!([{ "partner.loan.paid": null }]),
    ] {
        let body = json!({ "url": "https://hooks.example.com", "eventTypes": kinds });
        assert_eq!(Desk::open().post("/v1/webhooks", &body).code(), "invalid_request", "{kinds}");
    }
}

/// `2.business.taxIdOnFile.2`: not even the error about a malformed request quotes it.
#[test]
fn a_refusal_repeats_no_value() {
    for (path, body) in [
        ("/v1/organizations/acme", json!({ "legalName": "Acme", "taxId": 987_654_321 })),
        ("/v1/organizations/acme", json!({ "legalName": ["987654321"] })),
        ("/v1/organizations/acme", json!({ "legalName": "Acme", "contact": "987654321" })),
        ("/v1/organizations/acme/payout-account", json!({ "accountNumber": 987_654_321 })),
        (
            "/v1/organizations/acme/payout-account",
            json!({
                "accountNumber": "987654321, expected `nothing`\"", "routingNumber": "021000021",
            }),
        ),
        ("/v1/invoices/i", {
            let mut sync = invoice_body("acme", "globex", 1_000);
            sync["issueDate"] = json!("987654321, expected x");
            sync
        }),
        ("/v1/invoices/i", {
            let mut sync = invoice_body("acme", "globex", 1_000);
            sync["status"] = json!("987654321");
            sync
        }),
    ] {
        let seen = Desk::open().put(path, &body);
        assert_eq!(seen.code(), "invalid_request");
        assert!(!plain(&seen.body["error"]).contains("987654321"), "{seen:?}");
    }
}

/// `2.invitation.email`, `4.invitations.7`, `7.codes.invalid_invitee`
#[test]
fn an_invitee_is_only_an_address() {
    let mut desk = Desk::open();
    desk.sync_business("acme", "123456789");
    for (email, good) in [
        ("ada@acme.example", true),
        ("ada+tag.x@sub.acme.example", true),
        ("o'neil@acme.example", true),
        ("zoë@café.example", true),
        ("", false),
        ("ada", false),
        ("ada@", false),
        ("@acme.example", false),
        ("ada@acme", false),
        ("ada@@acme.example", false),
        ("ada@acme..example", false),
        ("ada@.acme.example", false),
        ("ada@acme.example.", false),
        (".ada@acme.example", false),
        ("ada.@acme.example", false),
        ("ada@-acme.example", false),
        ("ada@ac_me.example", false),
        ("ada@[127.0.0.1]", false),
        ("ada@acme.example ", false),
        (" ada@acme.example", false),
        ("<ada@acme.example>", false),
        (" <ada@acme.example>", false),
        ("Ada <ada@acme.example>", false),
        ("ada@acme.example\n", false),
        ("ada@acme.example,bob@acme.example", false),
        ("ada lovelace@acme.example", false),
        ("mailto:ada@acme.example", false),
        (&format!("{}@acme.example", "a".repeat(65)), false),
        (&format!("a@{}.example", "b".repeat(64)), false),
    ] {
        let seen = desk.post("/v1/invitations", &json!({ "externalId": "acme", "email": email }));
        assert_eq!(seen.status == 201, good, "{email:?}: {seen:?}");
        if !good {
            assert_eq!(seen.code(), "invalid_invitee", "{email:?}");
        }
    }
    let seen = desk.post("/v1/invitations", &json!({ "externalId": "acme", "email": 7 }));
    assert_eq!(seen.code(), "invalid_request");
}

/// `2.payoutAccount.accountNumber`, `8.routingNumber`, `gap.routingNumberForm`, `2.payoutAccount.label`
#[test]
fn a_payout_account_is_checked_field_by_field() {
    let mut desk = Desk::open();
    desk.sync_business("acme", "123456789");
    for (account, routing, label, expected) in [
        (json!("1234"), json!("021000021"), json!("x"), ""),
        (json!("12345678901234567"), json!("021000021"), json!("x"), ""),
        (json!("123"), json!("021000021"), json!("x"), "invalid_request"),
        (json!("123456789012345678"), json!("021000021"), json!("x"), "invalid_request"),
        (json!("１２３４"), json!("021000021"), json!("x"), "invalid_request"),
        (json!("12 34"), json!("021000021"), json!("x"), "invalid_request"),
        (json!("1234\n"), json!("021000021"), json!("x"), "invalid_request"),
        (json!(1234), json!("021000021"), json!("x"), "invalid_request"),
        (json!("1234"), json!(21_000_021), json!("x"), "invalid_request"),
        (json!("1234"), json!("021000022"), json!("x"), "invalid_routing_number"),
        (json!("1234"), json!("02100002"), json!("x"), "invalid_routing_number"),
        (json!("1234"), json!(""), json!("x"), "invalid_routing_number"),
        (json!("1234"), json!("021000021"), json!(""), "invalid_request"),
        (json!("1234"), json!("021000021"), Value::Null, "invalid_request"),
    ] {
        let body = json!({ "accountNumber": account, "routingNumber": routing, "label": label });
        let seen = desk.put("/v1/organizations/acme/payout-account", &body);
        assert_eq!(seen.code(), expected, "{body}");
    }
}

/// `gap.refusalPrecedence`, `gap.unknownEndpoint`, `5.authentication.3`, `7.codes.payload_too_large`,
/// `gap.jsonMediaType`
#[test]
fn refusals_follow_the_order_of_precedence() {
    let big = vec![b'{'; 1_048_577];
    let mut service = Service::new(round_numbers(), Seeded { seed: 1 });
    let ask = |service: &mut Service, path, key, content_type, body: &[u8]| {
        let request = Request { method: "PUT", path, authorization: key, content_type, body };
        let response = exchange::answer(service, instant(crate::desk::START), &request);
        Seen::of(&response).code().to_owned()
    };
    let bad = "/v1/organizations/%ff/payout-account";
    let good = "/v1/organizations/acme/payout-account";
    let key = Some("Bearer rap_sk_local");
    let routing = br#"{"accountNumber":"1234","routingNumber":"1"}"#;
    let (plain, json) = (Some("text/plain"), Some("Application/JSON; charset=utf-8"));
    for (path, key, content_type, body, expected) in [
        ("/v2/organizations/acme", None, plain, &big[..], "unknown_endpoint"),
        (bad, None, plain, &big[..], "unauthorized"),
        (bad, key, plain, &big[..], "payload_too_large"),
        (bad, key, plain, b"{", "unreadable_request"),
        (bad, key, json, b"{", "unreadable_request"),
        (bad, key, json, b"{}", "invalid_request"),
        (good, key, json, b"{}", "invalid_request"),
        (good, key, json, routing, "business_not_found"),
        (good, key, None, routing, "business_not_found"),
        (good, key, Some("application/problem+json"), routing, "business_not_found"),
    ] {
        assert_eq!(ask(&mut service, path, key, content_type, body), expected);
    }
    for header in ["", "rap_sk_local", "Basic rap_sk_local", "Bearer", "Bearer ", "Bearer x"] {
        assert_eq!(ask(&mut service, good, Some(header), json, b"{}"), "unauthorized", "{header}");
    }
    assert_eq!(
        ask(&mut service, good, Some("bearer rap_sk_local"), json, b"{}"),
        "invalid_request"
    );
}

/// `8.requestBodySize`: every operation, even one that reads no body.
#[test]
fn a_read_with_an_oversized_body_is_refused() {
    let mut desk = Desk::open();
    for (length, status) in [(1_048_576, 200), (1_048_577, 413)] {
        let response = desk.exchange("GET", "/v1/webhooks", None, &vec![b' '; length]);
        assert_eq!(response.status, status);
    }
}

/// `4.advances.5` documents the status of `invoice_not_found`, and no profile varies it.
#[test]
fn an_advance_on_an_unknown_invoice_is_always_404() {
    let toml = "[refusals]\ninvoice_not_found = 410\n";
    let profile: Profile = toml::from_str(toml).unwrap();
    assert_eq!(profile.check(), Ok(()));
    let mut desk = Desk::with(profile);
    desk.sync_business("acme", "123456789");
    assert_eq!(desk.get("/v1/organizations/acme/invoices/none").status, 410);
    assert_eq!(desk.request_advance("acme", "none").status, 404);
}

/// `1.general.2`, `4.invoice.2`, `gap.emptyIdentifier`
#[test]
fn an_identifier_in_the_path_is_percent_decoded_once() {
    let mut desk = Desk::open();
    let names = ["a b", "a/b", "ü", "%2F", "..", "a+b", "\u{0}", "imports"];
    for (encoded, name) in
        ["a%20b", "a%2Fb", "%C3%BC", "%252F", "%2E%2E", "a+b", "%00", "imports"].iter().zip(names)
    {
        let seen = desk.put(&format!("/v1/organizations/{encoded}"), &json!({ "legalName": "N" }));
        assert_eq!(seen.body["externalId"], name);
        assert_eq!(desk.get(&format!("/v1/organizations/{encoded}")).body["externalId"], name);
    }
    assert_eq!(desk.get("/v1/organizations/%zz").code(), "business_not_found");
    assert_eq!(desk.get("/v1/organizations/%C3").code(), "invalid_request");
    assert_eq!(desk.get("/v1/organizations/").code(), "invalid_request");
}

/// `2.invoice.issueDate`, `2.invoice.dueDate`, `gap.datesReadBack`
#[test]
fn a_date_is_read_back_as_its_instant() {
    let mut desk = Desk::open();
    let mut body = invoice_body("acme", "globex", 1_000);
    body["issueDate"] = json!("2026-01-01T01:30:00.25+01:30");
    desk.put("/v1/invoices/i", &body);
    assert_eq!(desk.invoice("acme", "i")["issueDate"], "2026-01-01T00:00:00.25Z");
    for date in ["2026-01-01", "2026-01-01 00:00:00Z", "yesterday", "", "2026-13-01T00:00:00Z"] {
        body["dueDate"] = json!(date);
        assert_eq!(desk.put("/v1/invoices/i", &body).code(), "invalid_request", "{date}");
    }
}

/// The service refuses a platform from before a reset, like its keys, and does not panic.
#[test]
fn a_platform_from_before_a_reset_is_unknown() {
    use tideover_model::{Face, Happening, Operation};
    let mut desk = Desk::open();
    desk.become_platform("second");
    let header = format!("Bearer {}", desk.key);
    let second = desk.service.authenticate(Some(&header)).unwrap();
    desk.service.happen(desk.now, second, Happening::Reset { repeats: false }).unwrap();
    let refused = desk.service.handle(desk.now, second, Operation::ListSubscriptions).unwrap_err();
    assert_eq!(refused.code.name(), "unauthorized");
    assert!(desk.service.happen(desk.now, second, Happening::Reset { repeats: false }).is_err());
}

/// An account number that no request can carry is harmless too, and so is its debug form.
#[test]
fn a_hand_made_operation_does_not_panic() {
    use tideover_model::{Face, Operation, PlatformId};
    let mut desk = Desk::open();
    desk.sync_business("acme", "123456789");
    let operation = Operation::SetPayoutAccount {
        business: "acme".into(),
        account_number: "é€é".into(),
        routing_number: "021000021".into(),
        label: None,
    };
    assert!(desk.service.handle(desk.now, PlatformId::DEFAULT, operation).is_ok());
    assert!(format!("{:?}", desk.service).contains("PayoutAccount"));
}

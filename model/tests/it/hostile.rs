//! Any input gets a response of the document: nothing panics, nothing is unexpected.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;
use serde_json::{Value, json};
use tideover_model::exchange::{Request, Response};
use tideover_model::wire::action;
use tideover_model::wire::route::route;
use tideover_model::{ActionKind, Code, Face, OperationKind, exchange};

use crate::desk::{Desk, START, invoice_body, round_numbers};

/// A service with an entity of every kind.
fn desk() -> Desk {
    let mut desk = Desk::open();
    desk.subscribe();
    desk.onboard("acme", "123456789");
    desk.sync_invoice("acme", "INV-1", 1_000_000);
    desk.sync_invoice("acme", "INV-2", 1_000_000);
    desk.request_advance("acme", "INV-1");
    desk
}

/// A valid request for every endpoint.
fn valid(kind: OperationKind) -> (String, Value) {
    let path = kind.path().replace("{payeeExternalId}", "acme").replace("{reference}", "whs_x");
    let acme = json!({ "externalId": "acme" });
    match kind {
        OperationKind::SyncInvoice => {
            let mut body = invoice_body("acme", "globex", 1_000);
            body["payee"]["taxId"] = json!("12-3456789");
            body["payor"]["contact"] = json!({ "email": "p@globex.example" });
            (path.replace("{externalId}", "INV-3"), body)
        }
        OperationKind::SyncBusiness => {
            let address = crate::desk::address();
            let contact = json!({ "name": "Ada", "address": address });
            let body = json!({ "legalName": "Acme", "taxId": "123456789", "contact": contact });
            (path.replace("{externalId}", "acme"), body)
        }
        OperationKind::SetPayoutAccount => {
            let body = json!({
                "accountNumber": "123456789", "routingNumber": "021000021", "label": "Main",
            });
            (path.replace("{externalId}", "acme"), body)
        }
        OperationKind::RequestAdvance => {
            (path, json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-2" }))
        }
        OperationKind::Quote => (path, json!({ "externalId": "acme", "invoiceFaceValue": 1_000 })),
        OperationKind::Invite => (path, json!({ "externalId": "acme", "email": "a@b.example" })),
        OperationKind::CreateOnboardingSession => (path, acme),
        OperationKind::Subscribe => {
            let kinds = ["partner.loan.paid"];
            (path, json!({ "url": "https://a.example.com", "eventTypes": kinds }))
        }
        OperationKind::GetInvoice => (path.replace("{externalId}", "INV-1"), Value::Null),
        OperationKind::GetImport
        | OperationKind::ImportInvoices
        | OperationKind::GetBusiness
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => (path.replace("{externalId}", "acme"), Value::Null),
    }
}

/// A valid CSV of one row.
fn valid_csv() -> String {
    format!(
        "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
         INV-4,acme,Acme,Globex,ISSUED,500,{START},{START}\n"
    )
}

/// Checks `7.shape.1` for any response.
fn is_proper(response: &Response) -> Result<(), TestCaseError> {
    let Response { status, body, refused } = response;
    prop_assert!(*status < 500, "{status}");
    let Some((code, _)) = refused else {
        prop_assert!((200..300).contains(status));
        let json = serde_json::from_slice::<Value>(body);
        prop_assert!(json.is_ok() || (*status == 204 && body.is_empty()));
        return Ok(());
    };
    let json: Value = serde_json::from_slice(body).expect("a refusal is JSON");
    let fields: Vec<_> = json.as_object().expect("an object").keys().collect();
    prop_assert_eq!(fields, ["code", "error"]);
    prop_assert!(json["error"].as_str().is_some_and(|text| !text.is_empty()));
    prop_assert_eq!(json["code"].as_str(), Some(code.name()));
    prop_assert_eq!(Code::parse(code.name()), Some(*code));
    prop_assert_eq!(*status, round_numbers().refusal_status(*code));
    Ok(())
}

/// Sends a request; checks that a refusal is permitted for the operation, and changes nothing.
fn send(
    kind: OperationKind,
    path: &str,
    content_type: Option<&str>,
    body: &[u8],
) -> Result<Response, TestCaseError> {
    let mut desk = desk();
    let before = desk.service.clone();
    let response = desk.exchange(kind.method(), path, content_type, body);
    is_proper(&response)?;
    if let Some((code, _)) = response.refused {
        prop_assert!(desk.service == before, "{code}");
        let any = Code::OF_ANY_OPERATION.contains(&code) || code == Code::UnknownEndpoint;
        let found = route(kind.method(), path).map_or(kind, |route| route.kind);
        prop_assert!(any || found.codes().contains(&code), "{code} for {found:?}");
    }
    prop_assert_eq!(desk.service.audit(), Ok(()));
    Ok(response)
}

fn any_kind() -> impl Strategy<Value = OperationKind> {
    select(&OperationKind::ALL[..])
}

fn content_type() -> impl Strategy<Value = Option<&'static str>> {
    select(&[None, Some("application/json"), Some("text/csv"), Some(""), Some(";;/")][..])
}

/// Tokens to put where others are expected.
const INTRUDERS: [&str; 30] = [
    "null",
    "true",
    "[]",
    "{}",
    "[[]]",
    "\"\"",
    "\" \"",
    "0",
    "-0",
    "-1",
    "1.0",
    "1e3",
    "1e999",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "1E400",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"é\"",
    "{\"a\":1,\"a\":2}",
    "{\"ISSUED\":null}",
    "nul",
    "",
    ",",
    "\"",
    "[1,2",
    "0000-01-01T00:00:00Z",
    "\"9999-12-31T23:59:59-23:59\"",
];

/// All paths in a JSON value.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{here}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{here}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// `value`, as text, with `intruder` at one path.
fn with_intruder(mut value: Value, place: Index, intruder: &str) -> String {
    let mut found = Vec::new();
    places(&value, "", &mut found);
    let place = place.get(&found);
    if let Some(target) = value.pointer_mut(place) {
        *target = json!("@intruder@");
    }
    value.to_string().replace("\"@intruder@\"", intruder)
}

/// Changes bytes: replaces, removes or inserts some.
fn mutate(bytes: &mut Vec<u8>, changes: &[(Index, u8, u8)]) {
    for (place, how, byte) in changes {
        let at = place.index(bytes.len() + 1);
        match how {
            0 => bytes.insert(at, *byte),
            1 if at < bytes.len() => bytes[at] = *byte,
            2 if at < bytes.len() => {
                bytes.remove(at);
            }
            3 => bytes.truncate(at),
            _ => bytes.extend_from_within(at..),
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<(Index, u8, u8)>> {
    let significant = select(&b"\"\\{}[]:,0-9e.\x00\xff\n\r\xef\xbb\xbf\x04"[..]);
    let byte = prop_oneof![significant, any::<u8>()];
    prop::collection::vec((any::<Index>(), 0..5_u8, byte), 1..5)
}

proptest! {
    #![proptest_config(Config { cases: 512, failure_persistence: None, ..Config::default() })]

    /// `7.shape.1`, `7.shape.error`, `7.shape.code`
    #[test]
    fn any_bytes_get_a_proper_response(
        kind in any_kind(),
        content_type in content_type(),
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let (path, _) = valid(kind);
        send(kind, &path, content_type, &body)?;
    }

    /// `7.codes.invalid_request`, `7.codes.unreadable_request`
    #[test]
    fn one_wrong_value_gets_a_proper_response(
        kind in any_kind(),
        place in any::<Index>(),
        intruder in select(&INTRUDERS[..]),
    ) {
        let (path, body) = valid(kind);
        let text = with_intruder(body, place, intruder);
        send(kind, &path, Some("application/json"), text.as_bytes())?;
    }

    /// `7.codes.unreadable_request`, `7.codes.unreadable_file`
    #[test]
    fn changed_bytes_get_a_proper_response(kind in any_kind(), changes in changes()) {
        let (path, body) = valid(kind);
        let (content_type, mut bytes) = match kind {
            OperationKind::ImportInvoices => ("text/csv", valid_csv().into_bytes()),
            _ => ("application/json", body.to_string().into_bytes()),
        };
        mutate(&mut bytes, &changes);
        send(kind, &path, Some(content_type), &bytes)?;
    }

    /// `7.codes.unknown_endpoint`, `4.invoice.2`, `gap.emptyIdentifier`
    #[test]
    fn any_path_gets_a_proper_response(
        kind in any_kind(),
        method in select(&["GET", "PUT", "POST", "DELETE", "PATCH", "", "get"][..]),
        changes in changes(),
        body in select(&["", "{}", "\""][..]),
    ) {
        let (path, _) = valid(kind);
        let mut path = path.into_bytes();
        mutate(&mut path, &changes);
        let path = String::from_utf8_lossy(&path).replace(' ', "%");
        let mut desk = desk();
        let response = desk.exchange(method, &path, None, body.as_bytes());
        is_proper(&response)?;
    }

    /// `4.invoice.2`, `1.general.2`: any string is an identifier.
    #[test]
    fn any_identifier_gets_a_proper_response(
        kind in any_kind(),
        identifier in "(%[0-9a-fA-F]{2}|[ -.0-~]){0,6}",
    ) {
        let (path, body) = valid(kind);
        let mut path = path.replace("acme", &identifier);
        path = path.replace("INV-1", &identifier).replace("INV-3", &identifier);
        send(kind, &path, Some("application/json"), body.to_string().as_bytes())?;
    }

    /// `5.authentication.1`, `5.authentication.3`
    #[test]
    fn only_an_issued_key_is_authorized(header in "(Bearer )?[ -~]{0,20}") {
        let mut desk = desk();
        let request = Request {
            method: "GET",
            path: "/v1/webhooks",
            authorization: Some(&header),
            content_type: None,
            body: b"",
        };
        let response = exchange::answer(&mut desk.service, desk.now, &request);
        is_proper(&response)?;
        prop_assert_eq!(response.status, 401);
    }

    /// Any action of the operator port is either applied or refused entirely.
    #[test]
    fn any_action_is_applied_or_refused(
        kind in select(ActionKind::ALL),
        place in any::<Index>(),
        intruder in select(&INTRUDERS[..]),
        amount in any::<i64>(),
    ) {
        let body = json!({
            "action": kind.name(), "payeeExternalId": "acme", "invoiceExternalId": "INV-1",
            "amount": amount, "email": "ada@acme.example", "route": "W9_UPLOAD",
            "taxId": "987654321", "accountNumber": "é€é", "routingNumber": "021000021",
            "afterRows": 1, "url": "x", "externalId": "acme", "platform": "p", "key": "k",
            "requests": 1, "address": {},
        });
        let fields: &[&str] = match kind {
            ActionKind::PayorPays => &["payeeExternalId", "invoiceExternalId", "amount"],
            ActionKind::VendorConfirmsTaxId => &["payeeExternalId", "route", "taxId"],
            ActionKind::VendorCompletesOnboarding => &["payeeExternalId", "route", "taxId"],
            ActionKind::VendorAddsBankAccount => &["payeeExternalId", "accountNumber", "routingNumber"],
            ActionKind::VendorSignsAgreement => &["payeeExternalId", "address"],
            ActionKind::VendorAcceptsInvitation => &["payeeExternalId", "email"],
            ActionKind::FundingStarts | ActionKind::FundingCompletes => &["payeeExternalId", "invoiceExternalId"],
            ActionKind::InterruptNextImport => &["afterRows"],
            ActionKind::VendorOpensSession => &["url"],
            ActionKind::MarkTestAccount => &["externalId"],
            ActionKind::IssueKey => &["platform"],
            ActionKind::RevokeKey => &["key"],
            ActionKind::UpstreamFails => &["requests"],
            ActionKind::Reset => &[],
            ActionKind::CollectionAccountOpens | ActionKind::TaxIdFoundWrong => &["payeeExternalId"],
        };
        let mut action: Value = json!({ "action": kind.name() });
        for field in fields {
            action[*field] = body[*field].clone();
        }
        let mut desk = desk();
        if desk.try_act(&action).is_err() {
            prop_assert!(desk.service == self::desk().service);
        }
        // The debug form does not panic.
        let _ = format!("{:?}", desk.service);
        prop_assert_eq!(desk.service.audit(), Ok(()));
        let changed = with_intruder(action, place, intruder);
        if let Ok(happening) = action::read(changed.as_bytes(), "rap_sk_local") {
            let platform = tideover_model::PlatformId::DEFAULT;
            let _ = desk.service.happen(desk.now, platform, happening);
        }
        prop_assert_eq!(desk.service.audit(), Ok(()));
    }
}

/// The valid requests succeed: so the other tests' changes cause their refusals.
#[test]
fn the_unchanged_requests_succeed() {
    for kind in OperationKind::ALL {
        let (path, body) = valid(kind);
        let (content_type, bytes) = match kind {
            OperationKind::ImportInvoices => ("text/csv", valid_csv()),
            _ => ("application/json", body.to_string()),
        };
        let response = send(kind, &path, Some(content_type), bytes.as_bytes()).unwrap();
        let missing = [OperationKind::GetImport, OperationKind::Unsubscribe].contains(&kind);
        assert_eq!(response.status == 404, missing, "{kind:?}");
        assert!(missing || response.status < 300, "{kind:?}: {response:?}");
    }
}

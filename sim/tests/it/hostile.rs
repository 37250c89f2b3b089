//! Any input gets a response of the document, never a failure of the mock itself.

use std::fmt::Write;

use axum::body::Body;
use axum::http::{Request, header};
use proptest::prelude::*;
use serde_json::json;
use tideover_model::OperationKind;

use crate::support::{Caller, KEY, invoice};

/// A request to send.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) kind: OperationKind,
    pub(crate) path: String,
    pub(crate) authorization: &'static str,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A valid body for the operation.
fn good_body(kind: OperationKind, identifiers: [&str; 2]) -> String {
    let [first, second] = identifiers;
    let body = match kind {
        OperationKind::GetInvoice
        | OperationKind::GetImport
        | OperationKind::GetBusiness
        | OperationKind::ListSubscriptions
        | OperationKind::Unsubscribe => return String::new(),
        OperationKind::ImportInvoices => {
            return format!(
                "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
                 {first},Acme,{second},ISSUED,100,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n"
            );
        }
        OperationKind::SyncInvoice => invoice(first, second),
        OperationKind::SetPayoutAccount => {
            json!({ "accountNumber": "000123456789", "routingNumber": "021000021", "label": "x" })
        }
        OperationKind::SyncBusiness => json!({ "legalName": "Acme", "taxId": "12-3456789",
            "contact": { "email": "a@b.example", "address": { "city": "Portland" } } }),
        OperationKind::RequestAdvance => {
            json!({ "payeeExternalId": first, "invoiceExternalId": second })
        }
        OperationKind::Quote => json!({ "externalId": first, "invoiceFaceValue": 100_000 }),
        OperationKind::Invite => json!({ "externalId": first, "email": "ada@acme.example" }),
        OperationKind::CreateOnboardingSession => json!({ "externalId": first }),
        OperationKind::Subscribe => {
            json!({ "url": "https://a.example/", "eventTypes": ["partner.loan.paid"] })
        }
    };
    body.to_string()
}

/// One change to a body.
#[derive(Clone, Debug)]
enum Mutation {
    None,
    Random(Vec<u8>),
    Truncate(prop::sample::Index),
    Replace(prop::sample::Index, u8),
    Insert(prop::sample::Index, Vec<u8>),
    Repeat,
}

impl Mutation {
    fn apply(self, mut body: Vec<u8>) -> Vec<u8> {
        match self {
            Mutation::None => {}
            Mutation::Random(bytes) => body = bytes,
            Mutation::Truncate(at) => body.truncate(at.index(body.len() + 1)),
            Mutation::Replace(at, byte) if !body.is_empty() => {
                let at = at.index(body.len());
                body[at] = byte;
            }
            Mutation::Replace(..) => {}
            Mutation::Insert(at, bytes) => {
                let at = at.index(body.len() + 1);
                body.splice(at..at, bytes);
            }
            Mutation::Repeat => body = body.repeat(2),
        }
        body
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let fragment = prop::sample::select(vec![
        "1e3", "-0", "null", "[", "{", "}", "\"", ",", "\\u0000", "\\ud800", "9e999", "\n", "€",
    ]);
    prop_oneof![
        4 => Just(Mutation::None),
        1 => prop::collection::vec(any::<u8>(), 0..200).prop_map(Mutation::Random),
        1 => any::<prop::sample::Index>().prop_map(Mutation::Truncate),
        2 => (any::<prop::sample::Index>(), any::<u8>())
            .prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        2 => (any::<prop::sample::Index>(), fragment)
            .prop_map(|(at, text)| Mutation::Insert(at, text.as_bytes().to_vec())),
        1 => Just(Mutation::Repeat),
    ]
}

fn identifier() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["acme", "globex", "INV-1"]).prop_map(str::to_owned),
        1 => ".{1,12}",
        1 => Just("a/b".to_owned()),
        1 => Just("x".repeat(10_000)),
    ]
}

fn encoded(identifier: &str) -> String {
    identifier.bytes().fold(String::new(), |mut path, byte| {
        if byte.is_ascii_alphanumeric() {
            path.push(byte.into());
        } else {
            write!(path, "%{byte:02X}").unwrap();
        }
        path
    })
}

/// Any request to the partner API, valid or not.
pub(crate) fn sent() -> impl Strategy<Value = Sent> {
    let authorization = prop_oneof![
        19 => Just(KEY),
        1 => prop::sample::select(vec!["Bearer x", "Basic rap_sk_local", ""]),
    ];
    let content_type = prop_oneof![
        9 => Just(None),
        1 => prop::sample::select(vec![
            "application/json", "application/problem+json", "text/csv; charset=utf-8", "text/plain", ";"
        ])
        .prop_map(Some),
    ];
    let kind = prop::sample::select(OperationKind::ALL.to_vec());
    let identifiers = (identifier(), identifier());
    (kind, identifiers, authorization, content_type, mutation()).prop_map(
        |(kind, (first, second), authorization, content_type, mutation)| {
            let body = good_body(kind, [&first, &second]).into_bytes();
            let mut names = [first, second].into_iter();
            let segment = |segment: &str| match names.next() {
                Some(name) if segment.starts_with('{') => encoded(&name),
                _ => segment.to_owned(),
            };
            let path = kind.path().split('/').map(segment).collect::<Vec<_>>().join("/");
            Sent { kind, path, authorization, content_type, body: mutation.apply(body) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_shrink_time: 20_000, ..Default::default() })]

    #[test]
    fn random_bytes_get_a_well_formed_response(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        text in ".{0,60}",
    ) {
        let caller = Caller::standard();
        for kind in OperationKind::ALL {
            let path = kind.path().replace(['{', '}'], "");
            for body in [&bytes[..], text.as_bytes()] {
                block_on(caller.bytes(kind.method(), &path, body.to_vec())).is_documented();
            }
        }
        block_on(caller.csv("import", &text)).is_documented();
    }

    #[test]
    fn random_bytes_trigger_no_action(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let caller = Caller::standard();
        for path in ["/_sim/actions", "/_sim/clock"] {
            let answer = block_on(caller.bytes("POST", path, bytes.clone()));
            prop_assert_eq!(answer.status, 400);
            answer.is_documented();
        }
    }

    #[test]
    fn random_paths_and_methods_are_unknown_or_known(
        method in "[A-Z]{1,8}|GET|PUT|POST|DELETE",
        path in "(/(v1|_sim|invoices|imports|webhooks|clock|%2F|[!-~&&[^?#]]{0,5})){1,6}",
    ) {
        let caller = Caller::standard();
        let request = Request::builder().method(&*method).uri(&*path);
        if let Ok(request) = request.header(header::AUTHORIZATION, KEY).body(Body::empty()) {
            block_on(caller.send(request)).is_documented();
        }
    }

    #[test]
    fn mutated_requests_get_a_well_formed_response(requests in prop::collection::vec(sent(), 1..20)) {
        let caller = Caller::standard();
        for sent in requests {
            block_on(caller.bytes(sent.kind.method(), &sent.path, sent.body)).is_documented();
        }
    }
}

#[tokio::test]
async fn only_whole_cents_are_valid_amounts() {
    let caller = Caller::standard();
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    for number in ["1", "2147483647"] {
        let body = format!("{{\"externalId\":\"acme\",\"invoiceFaceValue\":{number}}}");
        assert_eq!(caller.bytes("POST", "/v1/quotes", body).await.status, 200, "{number}");
    }
    for (number, code) in [
        ("0", "invalid_request"),
        ("-0", "invalid_request"),
        ("-1", "invalid_request"),
        ("1.0", "invalid_request"),
        ("1e3", "invalid_request"),
        ("1E+2", "invalid_request"),
        ("2147483648", "invalid_request"),
        ("18446744073709551616", "invalid_request"),
        ("123456789012345678901234567890", "invalid_request"),
        ("\"1\"", "invalid_request"),
        ("true", "invalid_request"),
        ("null", "invalid_request"),
        ("01", "unreadable_request"),
        ("+1", "unreadable_request"),
        ("0x1", "unreadable_request"),
        ("NaN", "unreadable_request"),
        ("1_000", "unreadable_request"),
    ] {
        let body = format!("{{\"externalId\":\"acme\",\"invoiceFaceValue\":{number}}}");
        caller.bytes("POST", "/v1/quotes", body).await.refused(400, code);
    }
}

#[tokio::test]
async fn odd_json_is_refused_by_its_error() {
    let caller = Caller::standard();
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for (body, code) in [
        (r#"{"legalName":"A","legalName":"B"}"#.to_owned(), "invalid_request"),
        (r#"{"legalName":"A"}{}"#.to_owned(), "unreadable_request"),
        (r#"{"legalName":"A",}"#.to_owned(), "unreadable_request"),
        ("\u{feff}{\"legalName\":\"A\"}".to_owned(), "unreadable_request"),
        (r#"{"legalName":"\ud800"}"#.to_owned(), "invalid_request"),
        (r#"["A"]"#.to_owned(), "invalid_request"),
        (String::new(), "unreadable_request"),
    ] {
        let answer = caller.bytes("PUT", "/v1/organizations/acme", body.clone()).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, code), "{body}");
    }
    // Deep nesting gets a refusal and does not overflow the stack.
    for body in [deep("[", "]"), deep("{\"a\":", "}"), deep("[", "")] {
        for path in ["/v1/quotes", "/_sim/actions", "/_sim/clock"] {
            let answer = caller.bytes("POST", path, body.clone()).await;
            assert_eq!(answer.status, 400);
            answer.is_documented();
        }
    }
    // Unknown fields are ignored, whatever their values.
    let body = r#"{"legalName":"A","unknown":[1e300,{"x":null}]}"#;
    let answer = caller.bytes("PUT", "/v1/organizations/acme", body).await;
    assert_eq!(answer.status, 200);
}

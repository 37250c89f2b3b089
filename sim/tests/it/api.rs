//! The partner API: routing, precedence, and the form of responses.

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::json;
use tideover_model::{Code, Happening, OperationKind, PlatformId, Profile};

use crate::support::{Caller, feed, invoice, world};

#[tokio::test]
async fn unknown_endpoint_comes_before_the_key() {
    let caller = Caller::standard();
    let nobody = caller.with_key("never issued");
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/v1"),
        ("GET", "/v2/webhooks"),
        ("GET", "/v1/webhooks/"),
        ("PATCH", "/v1/webhooks"),
        ("OPTIONS", "/v1/webhooks"),
        ("OPTIONS", "*"),
        ("TRACE", "/v1/webhooks"),
        ("BREW", "/v1/webhooks"),
        ("get", "/v1/webhooks"),
        ("HEAD", "/v1/webhooks"),
        ("HEAD", "/v1/organizations/acme"),
        ("HEAD", "/_sim/clock"),
        ("HEAD", "/_sim/reset"),
        ("DELETE", "/_sim/clock"),
        ("GET", "/_sim/reset"),
        ("GET", "/_sim"),
        ("GET", "/_sim/clock/"),
        ("GET", "/_sim/nothing"),
        ("GET", "//v1/webhooks"),
        ("GET", "/v1/organizations/a/invoices/b/c"),
    ] {
        for who in [&caller, &nobody] {
            let answer = who.bytes(method, path, Body::empty()).await;
            assert_eq!(answer.status, 404, "{method} {path}");
            if method != "HEAD" {
                answer.refused(404, "unknown_endpoint");
            }
        }
    }
}

#[tokio::test]
async fn every_operation_checks_the_key_first() {
    let caller = Caller::standard();
    for kind in OperationKind::ALL {
        for authorization in [
            None,
            Some(b"".as_slice()),
            Some(b"Bearer"),
            Some(b"Bearer "),
            Some(b"Basic rap_sk_local"),
            Some(b"rap_sk_local"),
            Some(b"Bearer rap_sk_unknown"),
            Some(b"Bearer rap_sk_local "),
            Some(b"Bearer \xff\xfe"),
            Some("Bearer rap_sk_löcal".as_bytes()),
        ] {
            let mut request =
                Request::builder().method(kind.method()).uri(kind.path().replace(['{', '}'], ""));
            if let Some(value) = authorization {
                request = request.header(header::AUTHORIZATION, value);
            }
            let answer = caller.send(request.body(Body::from("not JSON")).unwrap()).await;
            answer.refused(401, "unauthorized");
        }
    }
}

#[tokio::test]
async fn the_size_check_comes_between_key_and_body() {
    let caller = Caller::of(&world(Profile { body_limit: 10, ..Profile::default() }));
    for kind in OperationKind::ALL {
        let path = kind.path().replace(['{', '}'], "");
        let at_the_limit = caller.bytes(kind.method(), &path, "x".repeat(10)).await;
        assert_ne!(at_the_limit.status, 413, "{kind:?}");
        caller.bytes(kind.method(), &path, "x".repeat(11)).await.refused(413, "payload_too_large");
        let nobody = caller.with_key("never issued");
        nobody.bytes(kind.method(), &path, "x".repeat(11)).await.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn an_identifier_is_decoded_once() {
    let caller = Caller::standard();
    let long = "x".repeat(10_000);
    let euros = "%E2%82%AC".repeat(1000);
    for (path, id) in [
        ("a%2Fb", "a/b"),
        ("a%252Fb", "a%2Fb"),
        ("%20", " "),
        ("a%00b", "a\0b"),
        ("..", ".."),
        ("%2e%2e", ".."),
        ("a+b", "a+b"),
        (&long, &long),
        (&euros, &"€".repeat(1000)),
    ] {
        let path = format!("/v1/organizations/{path}");
        let synced = caller.put(&path, json!({ "legalName": "A" })).await;
        assert_eq!((synced.status, &synced.json()["externalId"]), (200, &json!(id)));
        assert_eq!(caller.get(&path).await.json()["externalId"], *id);
    }
}

#[tokio::test]
async fn empty_or_non_utf_8_identifiers_are_invalid() {
    let caller = Caller::standard();
    for path in ["/v1/organizations/", "/v1/organizations/%FF", "/v1/organizations//invoices/a"] {
        caller.get(path).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_deletion_has_no_body_and_no_media_type() {
    let caller = Caller::standard();
    let subscribed = caller.post("/v1/webhooks", json!({ "url": "https://a.example/" })).await;
    let reference = subscribed.json()["reference"].as_str().unwrap().to_owned();
    let path = format!("/v1/webhooks/{reference}");
    let deleted = caller.bytes("DELETE", &path, Body::empty()).await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    assert!(!deleted.headers.contains_key(header::CONTENT_TYPE));
    caller.bytes("DELETE", &path, Body::empty()).await.refused(404, "subscription_not_found");
}

#[tokio::test]
async fn the_profile_determines_statuses() {
    let mut profile = Profile::default();
    profile.success.insert(OperationKind::SyncBusiness.into(), 202);
    profile.refusals.insert(Code::SubscriptionNotFound, 410);
    let caller = Caller::of(&world(profile));
    assert_eq!(caller.put("/v1/organizations/a", json!({ "legalName": "A" })).await.status, 202);
    let deleted = caller.bytes("DELETE", "/v1/webhooks/none", Body::empty()).await;
    deleted.refused(410, "subscription_not_found");
}

#[tokio::test]
async fn a_key_revoked_before_the_body_arrives_is_refused() {
    // The key is revoked, or its platform is gone, by the time the body has arrived.
    for reset in [false, true] {
        let world = world(Profile::default());
        let caller = Caller::of(&world);
        let issue = json!({ "action": "issueKey", "platform": "second" });
        let key = caller.act(issue).await.json()["key"].as_str().unwrap().to_owned();
        let second = caller.with_key(&key);
        let mut sync = Some(invoice("acme", "globex").to_string());
        let late = feed(move || {
            let sync = sync.take()?;
            let key = key.clone();
            let happening = if reset {
                Happening::Reset { repeats: false }
            } else {
                Happening::RevokeKey { key }
            };
            world.happen(PlatformId::DEFAULT, happening).unwrap();
            Some(Ok(sync.into()))
        });
        second.bytes("PUT", "/v1/invoices/INV-1", late).await.refused(401, "unauthorized");
    }
}

#[tokio::test]
async fn a_truncated_body_is_an_unreadable_request() {
    let caller = Caller::standard();
    for kind in OperationKind::ALL {
        let path = kind.path().replace(['{', '}'], "");
        let broken = feed(|| Some(Err(std::io::ErrorKind::ConnectionReset.into())));
        let answer = caller.bytes(kind.method(), &path, broken).await;
        answer.refused(400, "unreadable_request");
    }
}

#[tokio::test]
async fn a_body_may_arrive_in_many_pieces() {
    let caller = Caller::standard();
    let body = json!({ "legalName": "Acme" }).to_string().into_bytes();
    let mut pieces = body.into_iter().map(|byte| Ok(vec![byte].into()));
    let answer = caller.bytes("PUT", "/v1/organizations/acme", feed(move || pieces.next())).await;
    assert_eq!(answer.status, 200);
    assert_eq!(caller.get("/v1/organizations/acme").await.json()["name"], "Acme");
}

#[tokio::test]
async fn nothing_is_read_past_the_limit() {
    let caller = Caller::of(&world(Profile { body_limit: 10, ..Profile::default() }));
    let mut pieces = 0;
    let endless = feed(move || {
        pieces += 1;
        assert!(pieces <= 11, "read past the limit");
        Some(Ok("x".into()))
    });
    caller.bytes("POST", "/v1/quotes", endless).await.refused(413, "payload_too_large");
}

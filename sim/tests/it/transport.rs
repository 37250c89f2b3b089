//! Behaviour on bare sockets: slow clients, eager clients, and invalid HTTP.

use std::time::Duration;

use serde_json::json;
use tideover_model::Profile;
use tideover_sim::{Limits, Mock};

use crate::support::{Raw, assert_one_shape};

async fn small() -> Mock {
    let profile = Profile { body_limit: 1000, ..Profile::default() };
    Mock::builder().profile(profile).start().await.unwrap()
}

fn head(line: &str, more: &str) -> String {
    format!("{line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer rap_sk_local\r\n{more}\r\n")
}

#[tokio::test]
async fn half_a_request_blocks_nobody() {
    let mock = small().await;
    let mut half_heads = Vec::new();
    for half in [
        "PUT /v1/organ".to_owned(),
        head("PUT /v1/organizations/acme", "content-length: 20\r\n"),
        head("PUT /v1/organizations/acme", "content-length: 20\r\n") + "{\"legal",
        head("PUT /v1/organizations/acme", "transfer-encoding: chunked\r\n") + "3\r\n{\"l",
        head("POST /_sim/actions", "content-length: 100\r\n") + "{",
    ] {
        let mut slow = Raw::connect(mock.address()).await;
        slow.write(half).await;
        half_heads.push(slow);
    }
    let mut quick = Raw::connect(mock.address()).await;
    quick.write(head("GET /v1/webhooks", "")).await;
    assert_eq!(quick.answer().await.1, json!([]));

    // A slow client still gets its response.
    half_heads[2].write("Name\":\"Acme\"}").await;
    assert_eq!(half_heads[2].answer().await.1["created"], true);
}

#[tokio::test]
async fn an_announced_oversized_body_is_refused_at_once() {
    let mock = small().await;
    for (line, length) in [
        ("PUT /v1/organizations/acme", 1001),
        ("GET /v1/webhooks", 1001),
        ("POST /_sim/actions", (1 << 20) + 1),
    ] {
        let mut raw = Raw::connect(mock.address()).await;
        let announced = format!("content-length: {length}\r\nexpect: 100-continue\r\n");
        raw.write(head(line, &announced)).await;
        let (head, body) = raw.answer().await;
        assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
        assert!(head.contains("connection: close\r\n"), "{head}");
        assert_one_shape(&body);
        assert_eq!(body["code"], "payload_too_large");
    }
}

#[tokio::test]
async fn a_client_that_is_still_sending_gets_its_response() {
    let mock = small().await;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for (more, piece) in [
        ("content-length: 1000000000\r\n", &"x".repeat(0x10000)),
        ("transfer-encoding: chunked\r\n", &chunk),
    ] {
        for (line, authorization, code) in [
            ("PUT /v1/organizations/acme", "Bearer rap_sk_local", "payload_too_large"),
            ("PUT /v1/organizations/acme", "Bearer guessed", "unauthorized"),
            ("PUT /nowhere", "Bearer rap_sk_local", "unknown_endpoint"),
        ] {
            let mut raw = Raw::connect(mock.address()).await;
            raw.write(format!(
                "{line} HTTP/1.1\r\nhost: x\r\nauthorization: {authorization}\r\n{more}\r\n"
            ))
            .await;
            // Far more than all buffers hold.
            for _ in 0..300 {
                raw.try_write(piece.as_bytes()).await.expect("the connection stays open");
            }
            let (head, body) = raw.answer().await;
            assert!(head.contains("connection: close\r\n"), "{head}");
            assert_eq!(body["code"], code);
            raw.end().await;
            assert_eq!(raw.rest().await.expect("closed in order"), "");
        }
    }
}

#[tokio::test]
async fn a_fully_read_request_leaves_the_connection_open() {
    let mock = small().await;
    let mut raw = Raw::connect(mock.address()).await;
    for _ in 0..3 {
        raw.write(head("PUT /v1/organizations/acme", "content-length: 2\r\n") + "{}").await;
        let (head, body) = raw.answer().await;
        assert!(!head.contains("connection: close"), "{head}");
        assert_eq!(body["code"], "invalid_request");
    }
    // Pipelined requests get their responses in order.
    raw.write(head("GET /v1/webhooks", "").repeat(3)).await;
    for _ in 0..3 {
        assert_eq!(raw.answer().await.1, json!([]));
    }
}

#[tokio::test]
async fn a_truncated_request_gets_an_error() {
    let mock = small().await;
    let mut raw = Raw::connect(mock.address()).await;
    raw.write(head("PUT /v1/organizations/acme", "content-length: 20\r\n") + "{\"legal").await;
    raw.end().await;
    let (head, body) = raw.answer().await;
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    assert_eq!(body["code"], "unreadable_request");
}

#[tokio::test]
async fn a_client_may_close_its_side_after_the_request() {
    let mock = small().await;
    let mut raw = Raw::connect(mock.address()).await;
    raw.write(head("GET /v1/webhooks", "").repeat(3)).await;
    raw.end().await;
    for _ in 0..3 {
        assert_eq!(raw.answer().await.1, json!([]));
    }
    assert_eq!(raw.rest().await.unwrap(), "");
}

#[tokio::test]
async fn invalid_http_gets_a_documented_error() {
    let mock = small().await;
    let huge = format!("x: {}\r\n", "y".repeat(1 << 20));
    for (request, code) in [
        ("hello\r\n\r\n".to_owned(), "unreadable_request"),
        ("GET /v1/webhooks HTTP/9.9\r\nhost: x\r\n\r\n".to_owned(), "unreadable_request"),
        (head("GET /v1/webhooks", "no colon\r\n"), "unreadable_request"),
        (head("GET /v1/web hooks", ""), "unreadable_request"),
        (head("PUT /v1/organizations/a", "content-length: x\r\n"), "unreadable_request"),
        (
            head("PUT /v1/organizations/a", "transfer-encoding: chunked\r\n") + "zz\r\n",
            "unreadable_request",
        ),
        (head("GET /v1/webhooks", &huge), "unreadable_request"),
        (head(&format!("GET /v1/organizations/{}", "x".repeat(70_000)), ""), "invalid_request"),
    ] {
        let mut raw = Raw::connect(mock.address()).await;
        // The request need not be read to its end.
        let _ = raw.try_write(request.as_bytes()).await;
        let (head, body) = raw.answer().await;
        assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
        assert!(head.contains("content-type: application/json\r\n"), "{head}");
        assert!(head.contains("x-content-type-options: nosniff\r\n"), "{head}");
        assert_one_shape(&body);
        assert_eq!(body["code"], code, "{head}");
        raw.end().await;
        assert_eq!(raw.rest().await.expect("closed in order"), "");
    }
}

#[tokio::test]
async fn every_form_of_request_line_yields_the_path() {
    let mock = small().await;
    for (line, status) in [
        ("GET http://elsewhere/v1/webhooks", "200"),
        ("GET /v1/webhooks?x=/y", "200"),
        ("OPTIONS *", "404"),
        ("CONNECT example.com:443", "404"),
        ("GET /v1/webhooks/../webhooks", "404"),
    ] {
        let mut raw = Raw::connect(mock.address()).await;
        raw.write(head(line, "")).await;
        let (head, _) = raw.answer().await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {head}");
    }
}

#[tokio::test]
async fn stopping_waits_only_briefly() {
    let mock = small().await;
    let mut idle = Raw::connect(mock.address()).await;
    idle.write(head("GET /v1/webhooks", "")).await;
    idle.answer().await;
    let mut half = Raw::connect(mock.address()).await;
    half.write(head("PUT /v1/organizations/acme", "content-length: 20\r\n") + "{").await;
    let mut quick = Raw::connect(mock.address()).await;
    quick.write(head("GET /v1/webhooks", "")).await;
    quick.answer().await;
    let address = mock.address();
    let within = std::time::Duration::from_secs(5);
    tokio::time::timeout(within, mock.stop()).await.expect("stopped");
    assert_eq!(idle.rest().await.unwrap(), "");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_request_in_flight_completes_while_the_mock_stops() {
    let mock = small().await;
    let address = mock.address();
    let mut raw = Raw::connect(address).await;
    raw.write(head("PUT /v1/organizations/acme", "content-length: 20\r\n") + "{\"legal").await;
    while mock.journal().is_empty() {
        // Wait until the mock has the half, and so the connection.
        let mut other = Raw::connect(address).await;
        other.write(head("GET /v1/webhooks", "")).await;
        other.answer().await;
    }
    let stopped = tokio::spawn(mock.stop());
    while tokio::net::TcpStream::connect(address).await.is_ok() {}
    raw.write("Name\":\"Acme\"}").await;
    let (head, body) = raw.answer().await;
    assert!(head.contains("connection: close\r\n"), "{head}");
    assert_eq!(body["created"], true);
    stopped.await.unwrap();
}

/// RFC 9112, 3.2
#[tokio::test]
async fn a_request_names_exactly_one_host() {
    let mock = small().await;
    let key = "authorization: Bearer rap_sk_local\r\n";
    for (hosts, word) in [
        ("", "no Host"),
        ("host: a\r\nhost: a\r\n", "more than one Host"),
        ("host: a\r\nhost: b\r\n", "more than one Host"),
        ("host: a b\r\n", "is no host"),
        ("host: a/b\r\n", "is no host"),
        ("host: u@a\r\n", "is no host"),
        ("host:\r\n", "is no host"),
    ] {
        for path in ["/v1/webhooks", "/_sim/clock", "/nowhere", "/"] {
            let mut raw = Raw::connect(mock.address()).await;
            raw.write(format!("GET {path} HTTP/1.1\r\n{hosts}{key}\r\n")).await;
            let (head, body) = raw.answer().await;
            assert!(head.starts_with("HTTP/1.1 400 "), "{hosts:?} {path}: {head}");
            assert!(head.contains("content-type: application/json\r\n"), "{head}");
            assert_one_shape(&body);
            assert_eq!(body["code"], "unreadable_request");
            assert!(body["error"].as_str().unwrap().contains(word), "{body}");
        }
    }
    let mut raw = Raw::connect(mock.address()).await;
    raw.write(format!("PUT /v1/organizations/acme HTTP/1.1\r\n{key}content-length: 5\r\n\r\n12"))
        .await;
    let (head, _) = raw.answer().await;
    assert!(head.starts_with("HTTP/1.1 400 ") && head.contains("connection: close"), "{head}");
    // Before HTTP/1.1 there was no such header.
    for (hosts, status) in [("", "200"), ("host: a\r\n", "200"), ("host: a\r\nhost: b\r\n", "400")]
    {
        let mut raw = Raw::connect(mock.address()).await;
        raw.write(format!("GET /v1/webhooks HTTP/1.0\r\n{hosts}{key}\r\n")).await;
        let answer = raw.rest().await.unwrap();
        assert!(answer.split(' ').nth(1) == Some(status), "{hosts:?}: {answer}");
    }
    assert!(
        mock.journal().iter().all(|entry| entry.status == Some(200)),
        "none of them is recorded"
    );
}

async fn hasty(limits: Limits) -> Mock {
    Mock::builder().limits(limits).start().await.unwrap()
}

#[tokio::test]
async fn a_slow_head_ends_its_connection() {
    let mock = hasty(Limits { head: Duration::from_millis(50), ..Limits::default() }).await;
    for begun in ["", "GET /v1/webh", "GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nx-one: 1\r\n"] {
        let mut raw = Raw::connect(mock.address()).await;
        raw.write(begun).await;
        assert_eq!(raw.rest().await.unwrap_or_default(), "", "{begun:?}");
    }
    let mut quick = Raw::connect(mock.address()).await;
    quick.write(head("GET /v1/webhooks", "")).await;
    assert_eq!(quick.answer().await.1, json!([]));
}

#[tokio::test]
async fn a_slow_body_is_refused() {
    for limits in [
        Limits { pause: Duration::from_millis(50), ..Limits::default() },
        Limits { body: Duration::from_millis(50), ..Limits::default() },
    ] {
        let mock = hasty(limits).await;
        for (line, more) in [
            ("PUT /v1/organizations/acme", "content-length: 20\r\n"),
            ("PUT /v1/organizations/acme", "transfer-encoding: chunked\r\n"),
            ("POST /_sim/actions", "content-length: 20\r\n"),
            ("PUT /_sim/worlds/default/snapshot", "content-length: 20\r\n"),
        ] {
            let mut raw = Raw::connect(mock.address()).await;
            raw.write(head(line, more)).await;
            let (head, body) = raw.answer().await;
            assert!(
                head.starts_with("HTTP/1.1 400 ") && head.contains("connection: close"),
                "{head}"
            );
            assert_one_shape(&body);
            assert_eq!(body["code"], "unreadable_request");
            assert!(body["error"].as_str().unwrap().contains("in time"), "{body}");
        }
    }
}

//! By which names the operator port answers: a page whose own name leads to the mock is not served.

use axum::body::Body;
use axum::http::Request;
use axum::http::header::{HOST, ORIGIN};
use tideover_sim::{Builder, Hosts, Mock, Origins};

use crate::support::{Answer, Caller};

const EVIL: &str = "attacker.example:4010";

async fn caller(builder: Builder) -> Caller {
    Caller::of_mock(&builder.start().await.unwrap())
}

async fn sent(caller: &Caller, method: &str, path: &str, host: &str, origin: bool) -> Answer {
    let request = Request::builder().method(method).uri(path).header(HOST, host);
    let request = match origin {
        true => request.header(ORIGIN, format!("http://{host}")),
        false => request,
    };
    caller.send(request.body(Body::empty()).unwrap()).await
}

/// The browser sends the same name as host and as origin: no other rule refuses it.
#[tokio::test]
async fn a_page_whose_name_leads_to_the_mock_cannot_use_the_operator_port() {
    let caller = caller(Mock::builder()).await;
    for (method, path) in [
        ("POST", "/_sim/reset"),
        ("POST", "/_sim/actions"),
        ("GET", "/_sim/keys"),
        ("GET", "/_sim/worlds"),
        ("GET", "/_sim/openapi.json"),
        ("GET", "/_sim/health"),
        ("GET", "/_sim/"),
        ("GET", "/_sim/page/main.js"),
        ("GET", "/_sim/worlds/default/snapshot"),
    ] {
        for origin in [true, false] {
            let answer = sent(&caller, method, path, EVIL, origin).await;
            answer.refused(403, "foreign_host");
            let said = answer.json()["error"].as_str().unwrap().to_owned();
            assert!(
                said.contains("--host attacker.example") && said.contains("localhost"),
                "{said}"
            );
        }
    }
    let answer =
        sent(&caller, "GET", "/_sim/clock", &format!("{}.example", "x".repeat(5000)), false).await;
    assert!(answer.body.len() < 500, "{answer:?}");
}

/// It has a key of its own.
#[tokio::test]
async fn the_partner_api_answers_by_any_name() {
    let caller = caller(Mock::builder()).await;
    assert_eq!(sent(&caller, "GET", "/v1/webhooks", EVIL, true).await.code(), "unauthorized");
}

#[tokio::test]
async fn addresses_and_own_names_are_served() {
    let of = async |builder: Builder, host: &str| {
        sent(&caller(builder).await, "GET", "/_sim/clock", host, true).await.status
    };
    for host in
        ["127.0.0.1:4010", "[::1]:4010", "localhost", "a.localhost:1", "mock:4010", "10.0.0.7"]
    {
        assert_eq!(of(Mock::builder(), host).await, 200, "{host}");
    }
    let named = || Mock::builder().hosts(Hosts::parse(&["host.docker.internal"]).unwrap());
    assert_eq!(of(named(), "host.docker.internal:4010").await, 200);
    assert_eq!(of(named(), EVIL).await, 403);
    let shared = || Mock::builder().cors(Origins::parse(&["https://app.example"]).unwrap());
    assert_eq!(of(shared(), "app.example:4010").await, 200);
    assert_eq!(of(shared(), EVIL).await, 403);
    assert_eq!(of(Mock::builder().cors(Origins::any()), EVIL).await, 200);
}

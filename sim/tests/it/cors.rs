//! Cross-origin requests from a browser.

use reqwest::Method;
use reqwest::header::HeaderMap;
use tideover_sim::{Mock, Origins};

const PAGE: &str = "http://localhost:3000";

async fn preflight(mock: &Mock, path: &str, origin: &str) -> (u16, HeaderMap) {
    let request = crate::plain::client().request(Method::OPTIONS, format!("{}{path}", mock.url()));
    let answer = request
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "PUT")
        .header("Access-Control-Request-Headers", "authorization,content-type")
        .send()
        .await
        .unwrap();
    (answer.status().as_u16(), answer.headers().clone())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

const PATHS: [&str; 3] = ["/v1/organizations/acme", "/_sim/actions", "/_sim/clock"];

#[tokio::test]
async fn a_listed_page_may_call_api_and_operator_port() {
    let mock = Mock::builder().cors(Origins::parse(&[PAGE]).unwrap()).start().await.unwrap();
    for path in PATHS {
        let (status, allowed) = preflight(&mock, path, PAGE).await;
        assert_eq!((status, text(&allowed, "access-control-allow-origin")), (200, PAGE), "{path}");
        assert_eq!(text(&allowed, "access-control-allow-methods"), "PUT");
        assert_eq!(text(&allowed, "access-control-allow-headers"), "authorization,content-type");
        let (_, other) = preflight(&mock, path, "http://elsewhere.example").await;
        assert_eq!(text(&other, "access-control-allow-origin"), "", "{path}");
    }
    let get = crate::plain::client().get(format!("{}/v1/webhooks", mock.url()));
    let refused = get.header("Origin", PAGE).send().await.unwrap();
    assert_eq!(refused.status(), 401);
    assert_eq!(text(refused.headers(), "access-control-allow-origin"), PAGE);
}

#[tokio::test]
async fn any_page_may_call_if_asked_for() {
    let mock = Mock::builder().cors(Origins::any()).start().await.unwrap();
    let (_, allowed) = preflight(&mock, PATHS[0], PAGE).await;
    assert_eq!(text(&allowed, "access-control-allow-origin"), "*");
}

/// As the document knows no such thing, the path with another method is unknown (`7.codes.unknown_endpoint`).
#[tokio::test]
async fn no_page_may_call_by_default() {
    let mock = Mock::start().await.unwrap();
    for path in PATHS {
        let (status, headers) = preflight(&mock, path, PAGE).await;
        let refused = if path.starts_with("/_sim") { 403 } else { 404 };
        let allowed = text(&headers, "access-control-allow-origin");
        assert_eq!((status, allowed), (refused, ""), "{path}");
    }
}

async fn sent(mock: &Mock, method: Method, path: &str, origin: Option<&str>) -> (u16, String) {
    let request = crate::plain::client().request(method, format!("{}{path}", mock.url()));
    let request = match origin {
        Some(origin) => request.header("Origin", origin),
        None => request,
    };
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Such requests need no preflight: a browser sends them, and keeps only the answer from the page.
#[tokio::test]
async fn a_foreign_page_cannot_use_the_operator_port() {
    let mock = Mock::start().await.unwrap();
    let (own, port) = (mock.url().to_owned(), mock.address().port());
    let localhost = format!("http://localhost:{port}");
    for origin in [PAGE, "null", "http://127.0.0.1", "https://evil.example", &localhost] {
        for path in ["/_sim/reset", "/_sim/worlds", "/_sim/worlds/default/reset"] {
            let (status, said) = sent(&mock, Method::POST, path, Some(origin)).await;
            assert_eq!(status, 403, "{origin} {path}");
            let option = if origin == "null" { "'*'" } else { origin };
            assert!(said.contains(&format!("--cors {option}")), "{said}");
            assert!(said.contains(r#""code":"foreign_origin""#), "{said}");
        }
        assert_eq!(sent(&mock, Method::GET, "/_sim/worlds", Some(origin)).await.0, 403);
        // The partner API has no such rule.
        assert_eq!(sent(&mock, Method::GET, "/v1/webhooks", Some(origin)).await.0, 401);
    }
    for origin in [None, Some(&*own)] {
        assert_eq!(sent(&mock, Method::POST, "/_sim/reset", origin).await.0, 200);
    }
    let allowed = Mock::builder().cors(Origins::parse(&[PAGE]).unwrap()).start().await.unwrap();
    assert_eq!(sent(&allowed, Method::POST, "/_sim/reset", Some(PAGE)).await.0, 200);
    assert_eq!(sent(&allowed, Method::POST, "/_sim/reset", Some(allowed.url())).await.0, 200);
    assert_eq!(sent(&allowed, Method::POST, "/_sim/reset", Some(&own)).await.0, 403);
    let any = Mock::builder().cors(Origins::any()).start().await.unwrap();
    assert_eq!(sent(&any, Method::POST, "/_sim/reset", Some(PAGE)).await.0, 200);
}

/// Only a preflight is the browser's own.
#[tokio::test]
async fn a_plain_request_for_options_is_one_for_an_unknown_endpoint() {
    let mock = Mock::builder().cors(Origins::any()).start().await.unwrap();
    for origin in [None, Some(PAGE)] {
        let (status, said) = sent(&mock, Method::OPTIONS, PATHS[0], origin).await;
        assert_eq!(status, 404);
        assert!(said.contains("unknown_endpoint"), "{said}");
    }
    assert_eq!(mock.unexpected_requests().len(), 2);
    preflight(&mock, PATHS[0], PAGE).await;
    assert_eq!(mock.journal().len(), 2);
}

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
        assert_eq!((status, text(&headers, "access-control-allow-origin")), (404, ""), "{path}");
    }
}

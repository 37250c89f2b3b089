//! A plain HTTP client: it uses no system certificates, and no proxies from the environment.

use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

pub(crate) fn client() -> reqwest::Client {
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder().no_proxy().tls_backend_preconfigured(tls).build().unwrap()
}

/// Sends a request on to `origin`; returns its response.
pub(crate) async fn forward(
    client: &reqwest::Client,
    origin: &str,
    request: Request,
) -> (StatusCode, HeaderMap, Bytes) {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let url = format!("{origin}{}", parts.uri);
    let sent = client.request(parts.method, url).headers(parts.headers).body(body);
    let answer = sent.send().await.unwrap();
    (answer.status(), answer.headers().clone(), answer.bytes().await.unwrap())
}

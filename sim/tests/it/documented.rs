//! Two tests of an integration, as the guide shows them.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use tideover_sim::{Destinations, EventType, Expected, Mock};
use tower::ServiceExt;

type BoxError = Box<dyn std::error::Error>;
type TestResult = Result<(), BoxError>;

/// The receiver of your integration.
fn receiver() -> Router {
    Router::new().route("/hooks", post(async || StatusCode::NO_CONTENT))
}

#[tokio::test]
async fn a_webhook_arrives_over_a_socket() -> TestResult {
    let mock = Mock::builder().webhooks(Destinations::Local).start().await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let hooks = format!("http://localhost:{}/hooks", listener.local_addr()?.port());
    tokio::spawn(axum::serve(listener, receiver()).into_future());

    let client = crate::plain::client();
    let subscribe = client.post(format!("{}/v1/webhooks", mock.url())).bearer_auth(mock.api_key());
    let subscribed: Value = subscribe.json(&json!({ "url": hooks })).send().await?.json().await?;
    let secret = subscribed["secret"].as_str().ok_or("no secret")?;
    let sync = client.put(format!("{}/v1/organizations/acme", mock.url()));
    sync.bearer_auth(mock.api_key()).json(&json!({ "legalName": "Acme Ltd" })).send().await?;

    // Whatever the vendor and the bank still have to do.
    mock.vendor_completes_onboarding("acme")?;
    // Waits until your receiver has accepted it. If it does not, the test fails with all that came instead.
    let opted_in = Expected::event(EventType::BusinessOptedIn).of_business("acme");
    mock.expect_delivery(&opted_in.signed_with(secret)).await;
    Ok(())
}

#[tokio::test]
async fn a_webhook_arrives_without_a_socket() -> TestResult {
    let world = Mock::builder().world()?;
    let call = async |method: &str, path: &str, body: Value| -> Result<StatusCode, BoxError> {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("Authorization", "Bearer rap_sk_local");
        let request = request.body(Body::from(body.to_string()))?;
        Ok(world.router().oneshot(request).await?.status())
    };
    let hooks = json!({ "url": "https://app.example/hooks" });
    assert_eq!(call("POST", "/v1/webhooks", hooks).await?, StatusCode::CREATED);
    let acme = json!({ "legalName": "Acme Ltd" });
    assert_eq!(call("PUT", "/v1/organizations/acme", acme).await?, StatusCode::OK);
    world.outside().vendor_completes_onboarding("acme")?;

    // Your receiver gets what is due: the business is added, has a payout account, opts in, and has an account
    // that payors pay into.
    assert_eq!(world.deliver_to(&mut receiver()).await, 4);
    Ok(())
}

//! A receiver that sees the second event about the state of an advance after the third, as the guide shows it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use tideover_sim::fault::{DeliveryAct, Rule};
use tideover_sim::{Destinations, EventType, Mock, Scenario};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// What the receiver of your integration keeps: the highest sequence, and every one that it has seen.
#[derive(Default)]
struct Seen {
    newest: u64,
    all: Vec<u64>,
}

impl Seen {
    fn take(&mut self, event: &Value) {
        if let Some(sequence) = event["sequence"].as_u64() {
            self.all.push(sequence);
            // An older state never replaces a newer one.
            self.newest = self.newest.max(sequence);
        }
    }
}

#[tokio::test]
async fn an_older_state_replaces_no_newer_one() -> TestResult {
    let swapped = Rule {
        event: Some(EventType::FactoredUpdated),
        nth: Some(2),
        ..Rule::always(DeliveryAct::Swapped)
    };
    let builder = Mock::builder().webhooks(Destinations::Local).scenario(Scenario::Onboarded);
    let mock = builder.faults(vec![swapped]).start().await?;

    let seen = Arc::new(Mutex::new(Seen::default()));
    let books = Arc::clone(&seen);
    let hooks = post(async move |body: String| {
        let event = serde_json::from_str(&body).unwrap_or_default();
        books.lock().unwrap().take(&event);
        StatusCode::NO_CONTENT
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://127.0.0.1:{}/hooks", listener.local_addr()?.port());
    tokio::spawn(axum::serve(listener, Router::new().route("/hooks", hooks)).into_future());

    // Your client subscribes, and requests an advance. Then the time passes.
    let client = crate::plain::client();
    let send = async |path: &str, body: Value| {
        let request = client.post(format!("{}{path}", mock.url())).bearer_auth(mock.api_key());
        request.json(&body).send().await?.error_for_status()
    };
    send("/v1/webhooks", json!({ "url": url })).await?;
    let invoice = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    send("/v1/advances", invoice).await?;
    mock.advance_until_quiet().await?;

    let seen = seen.lock().unwrap();
    assert_eq!((seen.newest, &seen.all[..]), (3, &[1, 3, 2][..]));
    assert_eq!(mock.faults()[0].fired, 1);
    Ok(())
}

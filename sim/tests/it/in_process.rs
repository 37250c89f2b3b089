//! Client, world and receiver in one process, without a socket.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};
use tideover_model::SigningKey;
use tideover_sim::{DeliveryState, Mock, World, wall_time};

use crate::support::{Caller, start};

type Inbox = Arc<Mutex<Vec<(String, HeaderMap, Bytes)>>>;

/// A receiver that keeps everything, and answers its first request with `first`.
fn receiver(first: StatusCode) -> (Router, Inbox) {
    let inbox = Inbox::default();
    let kept = Arc::clone(&inbox);
    let router = Router::new().fallback(async move |uri: Uri, headers: HeaderMap, body: Bytes| {
        let mut kept = kept.lock().unwrap();
        kept.push((uri.to_string(), headers, body));
        if kept.len() == 1 { first } else { StatusCode::NO_CONTENT }
    });
    (router, inbox)
}

async fn subscribed(world: &World) -> (Caller, String) {
    let caller = Caller::of(world);
    let hook = json!({ "url": "https://app.example/hooks?from=tideover" });
    let secret = caller.post("/v1/webhooks", hook).await.json()["secret"].take();
    (caller, secret.as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_receiver_gets_webhooks_as_over_the_network() {
    let world = Mock::builder().world().unwrap();
    let (caller, secret) = subscribed(&world).await;
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    let (mut receiver, inbox) = receiver(StatusCode::OK);
    assert_eq!(world.deliver_to(&mut receiver).await, 1);
    assert_eq!(world.deliver_to(&mut receiver).await, 0);
    let inbox = inbox.lock().unwrap();
    let (uri, headers, body) = &inbox[0];
    assert_eq!(
        (uri.as_str(), &headers["host"]),
        ("/hooks?from=tideover", &"app.example".parse().unwrap())
    );
    let header = headers["service-signature"].as_bytes();
    let verified = SigningKey::new(&secret).verify(Some(header), body, wall_time().unix_unsigned());
    assert_eq!(verified, Ok(()));
    let event: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(event["type"], "partner.organization.added");
    assert_eq!(world.deliveries(0)[0].state, DeliveryState::Accepted);
}

#[tokio::test]
async fn a_refused_webhook_comes_again_when_its_retry_is_due() {
    let world = Mock::builder().world().unwrap();
    let (caller, _) = subscribed(&world).await;
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    let (mut receiver, inbox) = receiver(StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(world.deliver_to(&mut receiver).await, 1);
    let next = world.advance_to_next_event().await.unwrap();
    assert_eq!((next.now, next.moved), (start().after(5), true));
    assert_eq!(world.deliver_to(&mut receiver).await, 1);
    assert!(world.advance_until_quiet().await.unwrap().quiet);
    let ids = inbox.lock().unwrap();
    assert_eq!(ids[0].1["service-delivery"], ids[1].1["service-delivery"]);
}

#[tokio::test]
async fn the_outside_world_acts_without_a_socket_too() {
    let world = Mock::builder().seed(2).start_at(start().after(7)).world().unwrap();
    let caller = Caller::of(&world);
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    world.outside().vendor_completes_onboarding("acme").unwrap();
    let business = caller.get("/v1/organizations/acme").await.json();
    assert_eq!(business["onboarding"]["collectionAccount"], true);
    let key = world.outside().issue_key(Some("second")).unwrap().key;
    assert_eq!(Caller::of(&world).with_key(&key).get("/v1/webhooks").await.status, 200);
    assert_eq!(world.now(), start().after(7));
}

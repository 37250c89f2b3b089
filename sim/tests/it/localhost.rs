//! `localhost` as the host of a webhook's URL.

use serde_json::json;
use tideover_sim::{Destinations, Mock, Resolver, SystemResolver};

use crate::receiver::Receiver;

async fn subscribe(mock: &Mock, url: &str) -> u16 {
    let subscribe = crate::plain::client().post(format!("{}/v1/webhooks", mock.url()));
    let subscribe = subscribe.bearer_auth(mock.api_key()).json(&json!({ "url": url }));
    subscribe.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_webhook_reaches_localhost_by_name_where_local_ones_may_go() {
    let mock = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
    let receiver = Receiver::good().await;
    let port = receiver.url.rsplit(':').next().unwrap().trim_end_matches('/').to_owned();
    for (count, host) in ["localhost", "LOCALHOST", "app.localhost"].into_iter().enumerate() {
        assert_eq!(subscribe(&mock, &format!("http://{host}:{port}/{count}")).await, 201, "{host}");
    }
    let sync = crate::plain::client().put(format!("{}/v1/organizations/acme", mock.url()));
    let sync = sync.bearer_auth(mock.api_key()).json(&json!({ "legalName": "Acme" }));
    assert_eq!(sync.send().await.unwrap().status(), 200);
    assert!(mock.quiet(std::time::Duration::from_secs(20)).await.quiet);
    let mut paths: Vec<String> = receiver.received().into_iter().map(|it| it.path).collect();
    paths.sort();
    assert_eq!(paths, ["/0", "/1", "/2"]);
}

/// `6.subscription.2`
#[tokio::test]
async fn localhost_is_refused_where_only_public_ones_may_go() {
    let mock = Mock::start().await.unwrap();
    assert_eq!(subscribe(&mock, "https://localhost/").await, 422);
}

#[tokio::test]
async fn a_name_below_localhost_is_this_machine() {
    for name in ["localhost", "app.localhost", "localhost."] {
        let addresses = SystemResolver.resolve(name).await.unwrap();
        assert!(!addresses.is_empty() && addresses.iter().all(|it| it.is_loopback()), "{name}");
    }
}

/// Containers that reach each other by name have private addresses.
#[tokio::test]
async fn a_private_network_is_reached_only_where_any_address_may_be() {
    let anywhere = Mock::builder().webhooks(Destinations::Anywhere).start().await.unwrap();
    let local = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
    for url in ["http://10.0.0.7/", "http://172.17.0.2:8080/", "http://[fd00::7]/"] {
        assert_eq!(subscribe(&anywhere, url).await, 201, "{url}");
        assert_eq!(subscribe(&local, url).await, 422, "{url}");
    }
    assert_eq!(subscribe(&anywhere, "ftp://10.0.0.7/").await, 422);
}

/// A system without a network asks for seconds before it says so.
#[tokio::test]
async fn names_below_invalid_are_nowhere_without_a_question() {
    for name in ["invalid", "inbox.invalid", "a.b.INVALID", "inbox.invalid."] {
        let error = SystemResolver.resolve(name).await.unwrap_err();
        assert_eq!(error.to_string(), "no name resolves below .invalid", "{name}");
    }
    let near = SystemResolver.resolve("invalid.localhost").await.unwrap();
    assert!(near.iter().all(std::net::IpAddr::is_loopback), "{near:?}");
}

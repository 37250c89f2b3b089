//! What a test says if the webhook that it expects does not come.

use std::time::Duration;

use serde_json::json;
use tideover_sim::{Destinations, EventType, Expected, Mock, NotDelivered};

use crate::receiver::{Reaction, Receiver};

struct Desk {
    mock: Mock,
    secret: String,
}

impl Desk {
    async fn open(receiver: &Receiver) -> Desk {
        let mock = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
        let subscribe = crate::plain::client().post(format!("{}/v1/webhooks", mock.url()));
        let subscribe = subscribe.bearer_auth(mock.api_key()).json(&json!({ "url": receiver.url }));
        let subscribed: serde_json::Value = subscribe.send().await.unwrap().json().await.unwrap();
        Desk { mock, secret: subscribed["secret"].as_str().unwrap().to_owned() }
    }

    async fn put(&self, path: &str, body: serde_json::Value) {
        let put = crate::plain::client().put(format!("{}{path}", self.mock.url()));
        let put = put.bearer_auth(self.mock.api_key()).json(&body).send().await.unwrap();
        assert_eq!(put.status(), 200);
    }

    async fn missing(&self, expected: &Expected) -> String {
        let soon = expected.clone().within(Duration::from_millis(50));
        let problem = self.mock.find_delivery(&soon).await.unwrap_err();
        assert!(matches!(problem, NotDelivered::Missing { .. }), "{problem}");
        problem.to_string()
    }
}

#[tokio::test]
async fn an_expected_webhook_is_waited_for_and_verified() {
    let receiver = Receiver::good().await;
    let desk = Desk::open(&receiver).await;
    desk.put("/v1/invoices/INV-1", crate::support::invoice("acme", "globex")).await;
    let created = Expected::event(EventType::InvoiceCreated).of_invoice("acme", "INV-1");
    let found = desk.mock.expect_delivery(&created.clone().signed_with(&desk.secret)).await;
    assert_eq!(found.delivery.event, EventType::InvoiceCreated);
    let added = Expected::event(EventType::BusinessAdded).of_business("globex");
    desk.mock.expect_delivery(&added).await;

    let wrong = desk.mock.find_delivery(&created.signed_with("whsec_other")).await.unwrap_err();
    let problem = wrong.to_string();
    assert!(problem.starts_with("the signature of partner.invoice.created"), "{problem}");
    assert!(problem.contains("the digest is not that"), "{problem}");
}

/// It may come later, while the test waits.
#[tokio::test]
async fn a_webhook_that_another_task_causes_is_waited_for() {
    let receiver = Receiver::good().await;
    let desk = Desk::open(&receiver).await;
    let expected = Expected::event(EventType::BusinessAdded).of_business("acme");
    let (found, ()) = tokio::join!(
        desk.mock.find_delivery(&expected),
        desk.put("/v1/organizations/acme", json!({ "legalName": "Acme" })),
    );
    assert_eq!(found.unwrap().delivery.event, EventType::BusinessAdded);
}

#[tokio::test]
async fn a_missing_webhook_is_explained_by_what_came_instead() {
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before == 0 { 500 } else { 200 }));
    let receiver = receiver.await;
    let desk = Desk::open(&receiver).await;
    let expected = Expected::event(EventType::BusinessAdded).of_business("acme");
    let nothing = desk.missing(&expected).await;
    let subscribed = "no webhook was queued: is a URL subscribed to this event?";
    assert!(nothing.contains(subscribed), "{nothing}");

    desk.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    let refused = desk.missing(&expected).await;
    let first = "no receiver has accepted partner.organization.added externalId=acme within 50ms";
    assert!(refused.starts_with(first), "{refused}");
    let line = "\n  partner.organization.added {\"externalId\":\"acme\"}: retrying after 1 attempts, answered 500";
    assert!(refused.ends_with(line), "{refused}");

    desk.mock.advance_clock(5).await.unwrap();
    desk.mock.expect_delivery(&expected).await;
    let other = Expected::event(EventType::BusinessAdded).of_business("globex");
    assert!(desk.missing(&other).await.ends_with("accepted after 2 attempts, answered 200"));
}

#[tokio::test]
#[should_panic(expected = "no receiver has accepted partner.loan.paid")]
async fn a_test_ends_where_it_expects_in_vain() {
    let mock = Mock::start().await.unwrap();
    mock.expect_delivery(&Expected::event(EventType::AdvancePaid).within(Duration::ZERO)).await;
}

//! `Mock`, used as in a Rust test.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tideover_model::{
    Altered, Answer, Cents, Face, Happening, Operation, Outcome, PlatformId, Profile, Seeded,
    Service, Timestamp, VendorRoute,
};
use tideover_sim::{ClockChoice, Mock, StartError, wall_time};

use crate::support::start;

async fn status(mock: &Mock, method: reqwest::Method, path: &str, body: serde_json::Value) -> u16 {
    let client = crate::plain::client();
    let request = client.request(method, format!("{}{path}", mock.url()));
    let answer = request.bearer_auth(mock.api_key()).json(&body).send().await.unwrap();
    answer.status().as_u16()
}

#[tokio::test]
async fn tests_control_the_outside_world() {
    let mock = Mock::start().await.unwrap();
    assert!(mock.url().starts_with("http://127.0.0.1:") && !mock.url().ends_with('/'));
    assert_eq!((mock.api_key(), mock.now()), ("rap_sk_local", start()));
    let put = reqwest::Method::PUT;
    let post = reqwest::Method::POST;
    let address = json!({ "line1": "1 Harbor Road", "city": "Portland", "state": "OR",
        "postalCode": "97201" });
    let business = json!({ "legalName": "Acme", "contact": { "address": address } });
    assert_eq!(status(&mock, put.clone(), "/v1/organizations/acme", business).await, 200);
    let invitation = json!({ "externalId": "acme", "email": "ada@acme.example" });
    assert_eq!(status(&mock, post.clone(), "/v1/invitations", invitation).await, 201);
    let hook = json!({ "url": "https://hooks.example/" });
    assert_eq!(status(&mock, post.clone(), "/v1/webhooks", hook).await, 201);

    assert!(mock.vendor_signs_agreement("acme").is_err());
    mock.vendor_accepts_invitation("acme", "ada@acme.example").unwrap();
    mock.vendor_confirms_tax_id("acme", VendorRoute::W9Upload, Some("12-3456789")).unwrap();
    mock.vendor_signs_agreement("acme").unwrap();
    mock.vendor_adds_bank_account("acme", "000123456789", "021000021").unwrap();
    assert!(mock.deliveries(0).iter().all(|delivery| delivery.delivery.queued_at == start()));
    assert_eq!(mock.advance_clock(300).await, Ok(start().after(300)));

    let sync = crate::support::invoice("acme", "globex");
    assert_eq!(status(&mock, put, "/v1/invoices/INV-1", sync).await, 200);
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(status(&mock, post, "/v1/advances", advance).await, 201);
    mock.funding_starts("acme", "INV-1").unwrap();
    mock.funding_completes("acme", "INV-1").unwrap();
    let payment = mock.payor_pays("acme", "INV-1", 1_000_001).unwrap();
    assert_eq!((payment.applied, payment.suspense), (Cents(1_000_000), Cents(1)));
    mock.tax_id_found_wrong("acme").unwrap();
    mock.interrupt_next_import(3).unwrap();
    mock.mark_test_account("acme").unwrap();
    assert!(mock.vendor_opens_session("https://nowhere.invalid/").is_err());
    assert!(mock.collection_account_opens("acme").is_err());
    assert_eq!(mock.audit(), Ok(()));
    assert_eq!(mock.journal().len(), 5);

    mock.upstream_fails(1).unwrap();
    mock.reset().unwrap();
    assert_eq!((mock.now(), mock.journal().len(), mock.deliveries(0).len()), (start(), 0, 0));
    mock.stop().await;
}

#[tokio::test]
async fn another_platform_has_its_own_identifiers() {
    let mock = Mock::start().await.unwrap();
    let business = json!({ "legalName": "Acme" });
    status(&mock, reqwest::Method::PUT, "/v1/organizations/acme", business).await;
    let issued = mock.issue_key(Some("second")).unwrap();
    assert_eq!(issued.platform, "second");
    mock.mark_test_account("acme").unwrap();
    assert!(mock.as_platform(&issued.key).mark_test_account("acme").is_err());
    mock.as_platform(mock.api_key()).mark_test_account("acme").unwrap();
    mock.revoke_key(&issued.key).unwrap();
    mock.as_platform(&issued.key).interrupt_next_import(1).unwrap();
    assert!(mock.as_platform("never issued").interrupt_next_import(1).is_err());
    assert_eq!(mock.happen(Happening::Reset { repeats: false }), Ok(Outcome::Applied));
}

#[tokio::test]
async fn concurrent_mocks_are_independent() {
    let mut mocks = Vec::new();
    for _ in 0..20 {
        mocks.push(Mock::start().await.unwrap());
    }
    mocks[3].advance_clock(5).await.unwrap();
    let business = json!({ "legalName": "Acme" });
    status(&mocks[4], reqwest::Method::PUT, "/v1/organizations/acme", business).await;
    for (index, mock) in mocks.iter().enumerate() {
        let none = json!({});
        let found = status(mock, reqwest::Method::GET, "/v1/organizations/acme", none).await;
        assert_eq!(found, if index == 4 { 200 } else { 404 });
        assert_eq!(mock.now(), start().after(if index == 3 { 5 } else { 0 }));
    }
}

#[tokio::test]
async fn the_seed_determines_generated_names() {
    let key = async |seed| {
        let mock = Mock::builder().seed(seed).start().await.unwrap();
        mock.issue_key(None).unwrap().key
    };
    assert_eq!(key(5).await, key(5).await);
    assert_ne!(key(5).await, key(6).await);
}

#[tokio::test]
async fn the_clock_starts_at_the_given_time_and_may_run() {
    let moon = Timestamp::parse("1969-07-20T20:17:40Z").unwrap();
    let still = Mock::builder().start_at(moon).start().await.unwrap();
    assert_eq!(still.now(), moon);
    let running = Mock::builder().start_at(wall_time()).clock(ClockChoice::Running { speed: 1 });
    let running = running.start().await.unwrap();
    let earlier = running.now();
    assert!(running.advance_clock(60).await.unwrap() >= earlier.after(60));
    running.reset().unwrap();
    assert!(running.now() < earlier.after(60));
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let first = Mock::start().await.unwrap();
    let error = Mock::builder().listen(first.address()).start().await.unwrap_err();
    assert!(matches!(error, StartError::Listen { address, .. } if address == first.address()));
    let expected = format!("cannot listen at {}: Address already in use", first.address());
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[tokio::test]
async fn an_impossible_profile_does_not_start() {
    let profile = Profile { body_limit: 0, ..Profile::default() };
    let error = Mock::builder().profile(profile).start().await.unwrap_err();
    assert!(error.to_string().contains("body_limit"), "{error}");
}

#[test]
fn a_mock_may_outlive_its_runtime() {
    for dropped in [true, false] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mock = runtime.block_on(Mock::start()).unwrap();
        drop(runtime);
        assert_eq!(mock.now(), start());
        if dropped {
            drop(mock);
        } else {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(mock.stop());
        }
    }
}

#[tokio::test]
async fn a_dropped_mock_stops() {
    let mock = Mock::start().await.unwrap();
    let address = mock.address();
    let mut raw = crate::support::Raw::connect(address).await;
    drop(mock);
    assert_eq!(raw.rest().await.unwrap_or_default(), "");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

/// A face that behaves like the service, but panics once on request.
struct Panicky {
    service: Service,
    panics: Arc<Mutex<bool>>,
}

impl Altered for Panicky {
    type Face = Service;

    fn unaltered(&self) -> &Service {
        &self.service
    }
    fn unaltered_mut(&mut self) -> &mut Service {
        &mut self.service
    }
    fn alter_answer(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        let panics = std::mem::take(&mut *self.panics.lock().unwrap());
        assert!(!panics, "a panic of the face");
        self.service.handle(now, caller, operation)
    }
}

#[tokio::test]
async fn a_mock_survives_a_panic_of_its_face() {
    let panics = Arc::new(Mutex::new(true));
    let service = Service::new(Profile::default(), Seeded { seed: 1 });
    let face = Panicky { service, panics: Arc::clone(&panics) };
    let mock = Mock::builder().face(Box::new(face)).start().await.unwrap();
    let client = crate::plain::client();
    let ask = || client.get(format!("{}/v1/webhooks", mock.url())).bearer_auth(mock.api_key());
    assert!(ask().send().await.is_err());
    assert_eq!(ask().send().await.unwrap().status(), 200);
    assert_eq!(mock.now(), start());
}

//! Webhooks over real sockets: what receivers get, when, and the effect of their responses.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tideover_model::{
    BusinessDetails, Cause, Contact, Destinations, Face, Operation, PlatformId, Profile, Range,
    Seeded, Service, SigningKey, Timestamp, Webhooks,
};
use tideover_sim::{
    Authorities, ClockChoice, DeliveryState, Mock, Resolution, Resolver, SigningTime, wall_time,
};
use tokio_rustls::TlsAcceptor;

use crate::receiver::{Reaction, Received, Receiver};
use crate::support::start;

/// Longer than anything in these tests.
const PATIENCE: Duration = Duration::from_secs(20);
const DAY: u64 = 24 * 3600;

/// The standard profile with a short real timeout for a receiver that hangs.
fn impatient() -> Profile {
    Profile { webhooks: Webhooks { patience: 50, ..Webhooks::default() }, ..Profile::default() }
}

/// A mock that sends to this machine, and a client of the mock.
struct Desk {
    mock: Mock,
    client: reqwest::Client,
}

impl Desk {
    async fn open() -> Desk {
        Desk::with(impatient()).await
    }

    async fn with(profile: Profile) -> Desk {
        Desk::of(
            Mock::builder().profile(profile).webhooks(Destinations::Local).start().await.unwrap(),
        )
    }

    fn of(mock: Mock) -> Desk {
        Desk { mock, client: crate::plain::client() }
    }

    async fn send(&self, method: reqwest::Method, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}{path}", self.mock.url());
        let request = self.client.request(method, url).bearer_auth(self.mock.api_key());
        let answer = request.json(body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.send(reqwest::Method::POST, path, &body).await
    }

    async fn get(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.mock.url());
        let answer = self.client.get(url).bearer_auth(self.mock.api_key()).send().await.unwrap();
        answer.json().await.unwrap()
    }

    async fn subscribe(&self, url: &str) -> Value {
        let (status, subscribed) = self.post("/v1/webhooks", json!({ "url": url })).await;
        assert_eq!(status, 201, "{subscribed}");
        subscribed
    }

    /// Causes one event: creates a business.
    async fn event(&self, business: &str) {
        let path = format!("/v1/organizations/{business}");
        let named = json!({ "legalName": business });
        assert_eq!(self.send(reqwest::Method::PUT, &path, &named).await.0, 200);
    }

    /// Onboards a business, except for the time until its account opens.
    async fn nearly_onboard(&self, business: &str) {
        let address = json!({ "line1": "1 Harbor Road", "city": "Portland", "state": "OR",
            "postalCode": "97201" });
        let synced = json!({ "legalName": business, "taxId": "12-3456789",
            "contact": { "address": address } });
        let path = format!("/v1/organizations/{business}");
        assert_eq!(self.send(reqwest::Method::PUT, &path, &synced).await.0, 200);
        let invitation = json!({ "externalId": business, "email": "ada@acme.example" });
        assert_eq!(self.post("/v1/invitations", invitation).await.0, 201);
        self.mock.vendor_accepts_invitation(business, "ada@acme.example").unwrap();
        self.mock.vendor_signs_agreement(business).unwrap();
        self.mock.vendor_adds_bank_account(business, "000123456789", "021000021").unwrap();
    }

    async fn settled(&self) {
        assert!(self.mock.quiet(PATIENCE).await.quiet);
    }
}

fn delivery_id(received: &Received) -> &str {
    &received.headers["service-delivery"]
}

/// `5.authentication.6`, `6.signature.intro.1`
#[tokio::test]
async fn every_subscriber_gets_a_signed_event() {
    let desk = Desk::open().await;
    let (first, second) = (Receiver::good().await, Receiver::good().await);
    let subscribed = desk.subscribe(&format!("{}/hooks?a=b#c", first.url)).await;
    desk.subscribe(&second.url).await;
    desk.event("acme").await;
    desk.settled().await;
    let received = first.received();
    assert_eq!((received.len(), second.received().len()), (1, 1));
    let Received { path, headers, body } = &received[0];
    assert_eq!(path, "/hooks?a=b");
    assert_eq!(headers["host"], first.url.trim_start_matches("http://"));
    assert_eq!(headers["content-type"], "application/json");
    assert!(headers["user-agent"].starts_with("tideover/"));
    assert!(delivery_id(&received[0]).starts_with("dlv_"));
    assert_eq!(received[0].json()["data"], json!({ "externalId": "acme" }));
    let key = SigningKey::new(subscribed["secret"].as_str().unwrap());
    let signature = headers["service-signature"].as_bytes();
    let now = wall_time().unix_unsigned();
    assert_eq!(key.verify(Some(signature), body, now), Ok(()));
    assert!(key.verify(Some(signature), b"{}", now).is_err());
    assert_ne!(delivery_id(&received[0]), delivery_id(&second.received()[0]));
    assert_eq!(*body, second.received()[0].body);
}

/// `8.webhookRetryWindow`, `6.delivery.1.2`, `6.subscription.2.2`: 28 hours in one move of the clock, six
/// receivers at once, every attempt at its scheduled time.
#[tokio::test]
async fn a_day_of_retries_passes_in_one_move_of_the_clock() {
    let always = |reaction| Receiver::start(move |_, _: &Received| reaction);
    let receivers = [
        ("fails", always(Reaction::Answer(500)).await),
        ("hangs", always(Reaction::Hang).await),
        ("redirects", always(Reaction::Redirect).await),
        ("closes half-way", always(Reaction::CloseHalfWay).await),
        ("closes", always(Reaction::Close).await),
        ("is gone", always(Reaction::Answer(410)).await),
        (
            "recovers",
            Receiver::start(|before, _| Reaction::Answer(if before < 7 { 503 } else { 200 })).await,
        ),
    ];
    // By the mock's clock; in reality, hardly a second passes.
    let builder = Mock::builder().profile(impatient()).webhooks(Destinations::Local);
    let desk = Desk::of(builder.signing(SigningTime::Virtual).start().await.unwrap());
    let mut subscriptions = BTreeMap::new();
    for (name, receiver) in &receivers {
        let subscribed = desk.subscribe(&receiver.url).await;
        subscriptions.insert(subscribed["reference"].as_str().unwrap().to_owned(), *name);
    }
    desk.event("acme").await;
    assert_eq!(desk.mock.advance_clock(3 * DAY).await, Ok(start().after(3 * DAY)));

    const SCHEDULE: [u64; 8] = [0, 5, 305, 2105, 9305, 27305, 63305, 99305];
    const AFTER_TIMEOUTS: [u64; 8] = [0, 15, 315, 2115, 9315, 27315, 63315, 99315];
    let entries = desk.mock.deliveries(0);
    assert_eq!(entries.len(), receivers.len());
    for entry in &entries {
        let name = subscriptions[&*entry.delivery.subscription];
        let (times, state): (&[u64], _) = match name {
            "is gone" => (&SCHEDULE[..1], DeliveryState::Revoked),
            "recovers" => (&SCHEDULE, DeliveryState::Accepted),
            "hangs" => (&AFTER_TIMEOUTS, DeliveryState::GivenUp),
            _ => (&SCHEDULE, DeliveryState::GivenUp),
        };
        let at: Vec<Timestamp> = entry.attempts.iter().map(|attempt| attempt.at).collect();
        let expected: Vec<Timestamp> = times.iter().map(|time| start().after(*time)).collect();
        assert_eq!((at, entry.state), (expected, state), "{name}");
        assert_eq!(entry.next_attempt_at, None, "{name}");
    }
    for (name, receiver) in &receivers {
        let received = receiver.received();
        assert_eq!(received.len(), if *name == "is gone" { 1 } else { 8 }, "{name}");
        let of = |header: &str| -> BTreeSet<&str> {
            received.iter().map(|one| one.headers[header].as_str()).collect()
        };
        assert_eq!(of("service-delivery").len(), 1, "{name}: one delivery");
        assert_eq!(of("service-signature").len(), received.len(), "{name}: signed anew");
        assert!(received.iter().all(|one| one.path == "/"), "{name}: no redirect was followed");
        assert!(received.iter().all(|one| one.body == received[0].body), "{name}: the same bytes");
    }
    let live = desk.get("/v1/webhooks").await;
    assert_eq!(live.as_array().map(Vec::len), Some(receivers.len() - 1), "one has revoked itself");
}

/// `4.webhookDeletion.1`
#[tokio::test]
async fn a_deleted_subscription_gets_no_more_deliveries() {
    let desk = Desk::open().await;
    let (failing, other) =
        (Receiver::start(|_, _| Reaction::Answer(500)).await, Receiver::good().await);
    let subscribed = desk.subscribe(&failing.url).await;
    desk.subscribe(&other.url).await;
    desk.event("acme").await;
    desk.settled().await;
    let path = format!("/v1/webhooks/{}", subscribed["reference"].as_str().unwrap());
    assert_eq!(desk.send(reqwest::Method::DELETE, &path, &json!(null)).await.0, 204);
    desk.event("globex").await;
    desk.mock.advance_clock(2 * DAY).await.unwrap();
    assert_eq!((failing.received().len(), other.received().len()), (1, 2));
    assert_eq!(desk.mock.deliveries(0)[0].state, DeliveryState::Dropped);
}

/// A mock may start with a service that already has something to send.
#[tokio::test]
async fn a_new_mock_waits_for_due_deliveries() {
    let receiver = Receiver::good().await;
    let mut service = Service::new(impatient(), Seeded { seed: 1 }).sending_to(Destinations::Local);
    let (url, business) = (receiver.url.clone(), "acme".to_owned());
    let details =
        BusinessDetails { legal_name: business.clone(), tax_id: None, contact: Contact::default() };
    for operation in [
        Operation::Subscribe { url, event_types: None, addresses: Vec::new() },
        Operation::SyncBusiness { business, details },
    ] {
        service.handle(start(), PlatformId::DEFAULT, operation).unwrap();
    }
    let mock = Mock::builder().face(Box::new(service)).start().await.unwrap();
    assert!(mock.quiet(PATIENCE).await.quiet);
    assert_eq!(receiver.received().len(), 1);
}

/// Neither the subscriptions of others, nor its own responsive ones.
#[tokio::test]
async fn one_dead_receiver_blocks_no_other() {
    let webhooks = Webhooks { patience: 20_000, at_once: 2, ..Webhooks::default() };
    let desk = Desk::with(Profile { webhooks, ..Profile::default() }).await;
    let (dead, good) = (Receiver::start(|_, _| Reaction::Hang).await, Receiver::good().await);
    desk.subscribe(&dead.url).await;
    desk.subscribe(&good.url).await;
    for number in 0..10 {
        desk.event(&format!("b{number}")).await;
    }
    while good.received().len() < 10 {
        tokio::task::yield_now().await;
    }
    assert!(dead.received().len() <= 2, "no more are in flight at once");
    let waiting = desk.mock.deliveries(0);
    assert!(waiting.iter().any(|entry| entry.state == DeliveryState::UnderWay));
}

/// A receiver calls the API during a delivery and during a clock move.
#[tokio::test]
async fn a_receiver_may_call_the_api_but_not_move_the_clock() {
    let calls = Arc::new(AtomicUsize::new(0));
    let mock = Mock::builder().webhooks(Destinations::Local).start().await.unwrap();
    let (url, key) = (mock.url().to_owned(), mock.api_key().to_owned());
    let seen = Arc::clone(&calls);
    let app = axum::Router::new().fallback(move || async move {
        let client = crate::plain::client();
        let list = client.get(format!("{url}/v1/webhooks")).bearer_auth(&key).send().await;
        assert_eq!(list.unwrap().status(), 200);
        let body = json!({ "advanceSeconds": 1 });
        let moved = client.post(format!("{url}/_sim/clock")).bearer_auth(&key).json(&body);
        let moved = moved.send().await.unwrap();
        assert_eq!(moved.status(), 409);
        let refused: Value = moved.json().await.unwrap();
        assert_eq!(refused["code"], "action_refused");
        seen.fetch_add(1, Ordering::SeqCst);
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hook = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let desk = Desk::of(mock);
    desk.nearly_onboard("acme").await;
    desk.subscribe(&hook).await;
    desk.mock.advance_clock(600).await.unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "opted in, remittance");
}

#[tokio::test]
async fn late_and_duplicate_attempts_are_labelled() {
    let webhooks =
        Webhooks { duplicates: 50, lateness: Range { min: 0, max: 60 }, ..Webhooks::default() };
    let play = async || {
        let desk = Desk::with(Profile { webhooks: webhooks.clone(), ..Profile::default() }).await;
        let receiver = Receiver::good().await;
        desk.subscribe(&receiver.url).await;
        for number in 0..20 {
            desk.event(&format!("b{number}")).await;
        }
        desk.mock.advance_clock(DAY).await.unwrap();
        let causes: Vec<Vec<Cause>> = desk
            .mock
            .deliveries(0)
            .iter()
            .map(|entry| entry.attempts.iter().map(|attempt| attempt.cause).collect())
            .collect();
        let arrivals = receiver.received().len();
        (causes, arrivals)
    };
    let (causes, arrivals) = play().await;
    let all: Vec<Cause> = causes.concat();
    assert_eq!(all.len(), arrivals);
    assert!(all.contains(&Cause::Duplicate) && all.contains(&Cause::Late), "{all:?}");
    assert_eq!(play().await.0, causes, "the same every time");
}

/// A resolver that returns scripted results in order.
struct Scripted {
    answers: Vec<&'static [&'static str]>,
    asked: AtomicUsize,
}

impl Resolver for Scripted {
    fn resolve<'a>(&'a self, _host: &'a str) -> Resolution<'a> {
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers[asked.min(self.answers.len() - 1)];
        let addresses: io::Result<Vec<IpAddr>> = match answer {
            [] => Err(io::ErrorKind::NotFound.into()),
            some => Ok(some.iter().map(|address| address.parse().unwrap()).collect()),
        };
        Box::pin(std::future::ready(addresses))
    }
}

/// Rebinding a name to another address gains nothing: the sender dials exactly the address that it checked
/// (`6.subscription.2`).
#[tokio::test]
async fn a_name_rebound_to_a_private_address_is_refused() {
    let receiver = Receiver::start(|_, _| Reaction::Answer(500)).await;
    let port = receiver.url.rsplit(':').next().unwrap();
    // Resolved once at the subscription, then at each attempt.
    let home: &[&str] = &["127.0.0.1"];
    let answers = vec![home, home, home, &["127.0.0.1", "10.0.0.7"], &["169.254.169.254"], &[]];
    let resolver = Scripted { answers, asked: AtomicUsize::new(0) };
    let mock = Mock::builder()
        .profile(impatient())
        .webhooks(Destinations::Local)
        .resolver(resolver)
        .start()
        .await
        .unwrap();
    let desk = Desk::of(mock);
    desk.subscribe(&format!("http://hooks.localhost:{port}/")).await;
    desk.event("acme").await;
    desk.mock.advance_clock(10_000).await.unwrap();
    assert_eq!(receiver.received().len(), 2, "as long as it was this machine");
    let entry = &desk.mock.deliveries(0)[0];
    let problems: Vec<Option<&str>> =
        entry.attempts.iter().map(|attempt| attempt.problem.as_deref()).collect();
    assert_eq!(problems[..2], [None, None]);
    assert!(
        problems[2].unwrap().contains("10.0.0.7, which is not public but private"),
        "{problems:?}"
    );
    assert!(
        problems[3].unwrap().contains("169.254.169.254, which is not public but link-local"),
        "{problems:?}"
    );
    assert!(problems[4].unwrap().contains("does not resolve"), "{problems:?}");
}

/// `4.webhooks.4`, `6.subscription.2`
#[tokio::test]
async fn a_name_with_a_private_address_cannot_subscribe() {
    let refused: &[&str] = &["93.184.215.14", "10.0.0.7"];
    let resolver = Scripted { answers: vec![refused, &[]], asked: AtomicUsize::new(0) };
    let desk = Desk::of(Mock::builder().resolver(resolver).start().await.unwrap());
    let hook = json!({ "url": "https://hooks.example.com/" });
    let (status, body) = desk.post("/v1/webhooks", hook.clone()).await;
    assert_eq!((status, &body["code"]), (422, &json!("destination_refused")));
    assert!(body["error"].as_str().unwrap().contains("10.0.0.7"), "{body}");
    // A name that does not resolve can subscribe; its attempts fail.
    assert_eq!(desk.post("/v1/webhooks", hook).await.0, 201);
    desk.event("acme").await;
    desk.settled().await;
    let entry = &desk.mock.deliveries(0)[0];
    assert_eq!(entry.state, DeliveryState::Retrying);
    assert!(entry.attempts[0].problem.as_deref().unwrap().contains("does not resolve"));
}

#[tokio::test]
async fn by_default_no_webhook_goes_to_this_machine() {
    let desk = Desk::of(Mock::start().await.unwrap());
    for url in ["http://127.0.0.1:9/", "https://127.0.0.1:9/", "https://localhost/"] {
        let (status, body) = desk.post("/v1/webhooks", json!({ "url": url })).await;
        assert_eq!((status, &body["code"]), (422, &json!("destination_refused")), "{url}");
        assert!(body["error"].as_str().unwrap().contains("--webhooks local"), "{body}");
    }
}

/// A receiver's side of TLS on this machine, and the authority that signed its certificate.
fn certified() -> (TlsAcceptor, Authorities) {
    let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), certified.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let authority = Authorities::load(file.path()).unwrap();
    (TlsAcceptor::from(Arc::new(config)), authority)
}

/// The system's authorities and the user's are trusted.
#[tokio::test]
async fn tls_requires_a_trusted_certificate() {
    let (acceptor, authority) = certified();
    let receiver = Receiver::over_tls(acceptor).await;
    for trusted in [true, false] {
        let authorities = if trusted { authority.clone() } else { Authorities::default() };
        let builder = Mock::builder().webhooks(Destinations::Local).trust(authorities);
        let desk = Desk::of(builder.start().await.unwrap());
        desk.subscribe(&receiver.url).await;
        desk.event("acme").await;
        desk.settled().await;
        let entry = &desk.mock.deliveries(0)[0];
        let problem = entry.attempts[0].problem.as_deref();
        assert_eq!(entry.state == DeliveryState::Accepted, trusted, "{problem:?}");
        assert_eq!(problem.is_some_and(|why| why.contains("TLS")), !trusted, "{problem:?}");
    }
    assert_eq!(receiver.received().len(), 1);
    let error = Authorities::load("/nowhere/ca.pem".as_ref()).unwrap_err();
    assert!(error.to_string().contains("/nowhere/ca.pem"), "{error}");
}

/// `6.signature.4`: whatever the mock's clock shows, a receiver accepts the signature, unless configured
/// otherwise.
#[tokio::test]
async fn signatures_use_the_wall_time_by_default() {
    let long_ago = Timestamp::parse("1999-01-01T00:00:00Z").unwrap();
    let builder = || Mock::builder().webhooks(Destinations::Local).start_at(long_ago);
    for (builder, is_old) in [(builder(), false), (builder().signing(SigningTime::Virtual), true)] {
        let desk = Desk::of(builder.start().await.unwrap());
        let receiver = Receiver::good().await;
        let subscribed = desk.subscribe(&receiver.url).await;
        desk.event("acme").await;
        desk.settled().await;
        let received = &receiver.received()[0];
        let key = SigningKey::new(subscribed["secret"].as_str().unwrap());
        let signature = Some(received.headers["service-signature"].as_bytes());
        let is_valid =
            |now: Timestamp| key.verify(signature, &received.body, now.unix_unsigned()).is_ok();
        assert_eq!((is_valid(wall_time()), is_valid(long_ago)), (!is_old, is_old));
        assert_eq!(received.json()["occurredAt"], "1999-01-01T00:00:00Z");
    }
}

/// A running clock makes retries without any move.
#[tokio::test]
async fn a_running_clock_retries_by_itself() {
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before < 3 { 500 } else { 200 })).await;
    let builder = Mock::builder().webhooks(Destinations::Local).profile(impatient());
    let running = ClockChoice::Running { speed: 10_000 };
    let desk = Desk::of(builder.clock(running).start().await.unwrap());
    desk.subscribe(&receiver.url).await;
    desk.event("acme").await;
    // 2105 virtual seconds are a fifth of a real one.
    let accepted = async {
        while desk.mock.deliveries(0)[0].state != DeliveryState::Accepted {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, accepted).await.unwrap();
    assert_eq!(receiver.received().len(), 4);
}

async fn resend_by_hand(desk: &Desk, id: &str) {
    let resend = format!("/_sim/deliveries/{id}/resend");
    assert_eq!(desk.post(&resend, json!({})).await, (200, json!({ "applied": true })));
    let (status, quiet) =
        desk.post("/_sim/deliveries/wait", json!({ "patienceSeconds": 20 })).await;
    assert_eq!((status, &quiet["quiet"]), (200, &json!(true)));
    let list = desk.get("/_sim/deliveries").await;
    assert_eq!(list["deliveries"][0]["state"], "accepted");
    assert_eq!(list["deliveries"][0]["attempts"][1]["cause"], "resent");
    for id in ["dlv_none", "%ff"] {
        let (status, unknown) =
            desk.post(&format!("/_sim/deliveries/{id}/resend"), json!({})).await;
        assert_eq!((status, &unknown["code"]), (404, &json!("unknown_delivery")), "{id}");
    }
}

#[tokio::test]
async fn deliveries_can_be_filtered_and_resent() {
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before == 0 { 500 } else { 200 })).await;
    let desk = Desk::open().await;
    let subscribed = desk.subscribe(&receiver.url).await;
    let reference = subscribed["reference"].as_str().unwrap();
    desk.event("acme").await;
    desk.settled().await;
    let invoice = crate::support::invoice("acme", "globex");
    desk.send(reqwest::Method::PUT, "/v1/invoices/INV-1", &invoice).await;
    desk.settled().await;
    let count = async |query: &str| {
        let list = desk.get(&format!("/_sim/deliveries?{query}")).await;
        list["deliveries"].as_array().map(Vec::len)
    };
    for (query, expected) in [
        ("", 3),
        ("after=2", 1),
        ("state=retrying", 1),
        ("state=accepted", 2),
        ("type=partner.organization.added", 2),
        ("invoice=INV-1", 1),
        ("payee=acme&invoice=INV-1", 1),
        ("payee=globex&invoice=INV-1", 0),
        ("invoice=INV-2", 0),
        (&format!("subscription={reference}&type=partner.invoice.created"), 1),
        ("subscription=whs_none", 0),
    ] {
        assert_eq!(count(query).await, Some(expected), "{query}");
    }
    let retrying = desk.get("/_sim/deliveries?state=retrying").await["deliveries"][0].take();
    let attempt = &retrying["attempts"][0];
    assert_eq!(
        (&attempt["number"], &attempt["at"], &attempt["cause"], &attempt["status"]),
        (&json!(1), &json!("2026-01-01T00:00:00Z"), &json!("event"), &json!(500))
    );
    let headers = &attempt["headers"];
    let received = &receiver.received()[0].headers;
    assert_eq!(headers["Service-Signature"], received["service-signature"].as_str());
    assert_eq!(headers["Service-Delivery"], retrying["id"]);
    assert!(attempt["milliseconds"].is_u64());
    assert_eq!(retrying["nextAttemptAt"], "2026-01-01T00:00:05Z");

    let id = retrying["id"].as_str().unwrap();
    resend_by_hand(&desk, id).await;
    assert_eq!(receiver.received().len(), 4);
    let path = format!("/v1/webhooks/{reference}");
    desk.send(reqwest::Method::DELETE, &path, &json!(null)).await;
    let (status, gone) = desk.post(&format!("/_sim/deliveries/{id}/resend"), json!({})).await;
    assert_eq!((status, &gone["code"]), (409, &json!("action_refused")));
    for wrong in ["after=x", "kind=x", "state=delivered", "state=", "type=bogus"] {
        assert_eq!(desk.get(&format!("/_sim/deliveries?{wrong}")).await["code"], "invalid_request");
    }
    let (status, wrong) =
        desk.post("/_sim/deliveries/wait", json!({ "patienceSeconds": -1 })).await;
    assert_eq!((status, &wrong["code"]), (400, &json!("invalid_request")));
}

/// After a cancelled move, the clock keeps the time that it reached, and can be moved again.
#[tokio::test]
async fn a_cancelled_move_leaves_the_clock_where_it_is() {
    let webhooks = Webhooks { patience: 20_000, ..Webhooks::default() };
    let desk = Desk::with(Profile { webhooks, ..Profile::default() }).await;
    let receiver =
        Receiver::start(
            |before, _| if before == 1 { Reaction::Hang } else { Reaction::Answer(500) },
        );
    let receiver = receiver.await;
    desk.subscribe(&receiver.url).await;
    desk.event("acme").await;
    desk.settled().await;
    let moved = desk.mock.advance_clock(DAY);
    let hanging = async {
        while receiver.received().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = moved => panic!("an attempt hangs"),
        () = hanging => {}
    }
    assert_eq!(desk.mock.now(), start().after(5));
    let refused = desk.mock.advance_clock(0);
    tokio::select! {
        moved = refused => panic!("the attempt hangs still: {moved:?}"),
        () = tokio::task::yield_now() => {}
    }
    desk.mock.reset().unwrap();
    assert_eq!((desk.mock.now(), desk.mock.deliveries(0).len()), (start(), 0));
}

/// A due delivery may disappear before it is sent: a clock move must not wait for it.
#[tokio::test]
async fn a_deletion_or_reset_does_not_block_a_move() {
    for reset in [true, false] {
        let desk = Desk::open().await;
        let receiver = Receiver::start(|_, _| Reaction::Answer(500)).await;
        let subscribed = desk.subscribe(&receiver.url).await;
        desk.event("acme").await;
        desk.settled().await;
        let path = format!("/v1/webhooks/{}", subscribed["reference"].as_str().unwrap());
        let meddle = async {
            if reset {
                desk.mock.reset().unwrap();
            } else {
                desk.send(reqwest::Method::DELETE, &path, &json!(null)).await;
            }
        };
        let both = async { tokio::join!(desk.mock.advance_clock(DAY), meddle) };
        let (moved, ()) = tokio::time::timeout(PATIENCE, both).await.expect("nobody waits");
        assert!(moved.is_ok());
        assert!(desk.mock.quiet(PATIENCE).await.quiet);
    }
}

/// `4.webhookDeletion.1`: not even a begun attempt is sent, if its connection takes longer than the deletion.
#[tokio::test]
async fn an_unwritten_attempt_of_a_deleted_subscription_is_not_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let webhooks = Webhooks { patience: 20_000, ..Webhooks::default() };
    let (acceptor, authority) = certified();
    let builder = Mock::builder().webhooks(Destinations::Local).trust(authority);
    let profile = Profile { webhooks, ..Profile::default() };
    let desk = Desk::of(builder.profile(profile).start().await.unwrap());
    let subscribed = desk.subscribe(&url).await;
    desk.event("acme").await;
    let (socket, _) = listener.accept().await.unwrap();
    let path = format!("/v1/webhooks/{}", subscribed["reference"].as_str().unwrap());
    assert_eq!(desk.send(reqwest::Method::DELETE, &path, &json!(null)).await.0, 204);
    let mut socket = acceptor.accept(socket).await.unwrap();
    let mut received = Vec::new();
    let _ = tokio::io::AsyncReadExt::read_to_end(&mut socket, &mut received).await;
    assert_eq!(String::from_utf8_lossy(&received), "");
    desk.settled().await;
    let entry = &desk.mock.deliveries(0)[0];
    assert_eq!(entry.state, DeliveryState::Dropped);
    assert!(entry.attempts[0].problem.as_deref().unwrap().contains("subscription ended"));
}

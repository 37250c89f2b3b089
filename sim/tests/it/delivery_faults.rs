//! Faults of deliveries over real sockets: what a receiver sees of each, and what the log shows.

use serde_json::{Value, json};
use tideover_model::{Cause, SigningKey};
use tideover_sim::fault::{DeliveryAct, Rule};
use tideover_sim::{
    Builder, DeliveryEntry, DeliveryState, Destinations, EventType, Mock, SigningTime, wall_time,
};

use crate::receiver::{Reaction, Received, Receiver};
use crate::support::{Caller, start};

const ADDED: &str = "partner.organization.added";
const HOUR: u64 = 3600;

/// A mock with these rules, signing with the world's clock, and a receiver of all its events.
struct Bench {
    mock: Mock,
    caller: Caller,
    receiver: Receiver,
    secret: String,
}

impl Bench {
    async fn with(rules: Vec<Rule>) -> Bench {
        Bench::of(builder(rules), Receiver::good().await).await
    }

    async fn of(builder: Builder, receiver: Receiver) -> Bench {
        let mock = builder.start().await.unwrap();
        let caller = Caller::of_mock(&mock);
        let subscribed = caller.post("/v1/webhooks", json!({ "url": receiver.url })).await.json();
        let secret = subscribed["secret"].as_str().unwrap().to_owned();
        Bench { mock, caller, receiver, secret }
    }

    /// Causes one event for each of these new businesses, one after the other.
    async fn add(&self, businesses: &[&str]) {
        for business in businesses {
            let path = format!("/v1/organizations/{business}");
            let named = json!({ "legalName": business });
            assert_eq!(self.caller.put(&path, named).await.status, 200);
        }
        self.settled().await;
    }

    async fn settled(&self) {
        let quiet = self.caller.post("/_sim/deliveries/wait", json!({})).await.json();
        assert_eq!(quiet["quiet"], true, "{quiet}");
    }

    async fn advance(&self, seconds: u64) {
        self.caller.advance_clock(seconds).await;
    }

    /// The businesses that the received events are about, in order.
    fn seen(&self) -> Vec<String> {
        let business = |one: &Received| one.json()["data"]["externalId"].as_str().unwrap().into();
        self.receiver.received().iter().map(business).collect()
    }

    fn entries(&self) -> Vec<DeliveryEntry> {
        self.mock.deliveries(0)
    }

    fn labels(&self) -> Vec<Option<String>> {
        self.entries().into_iter().map(|entry| entry.fault).collect()
    }

    fn counts(&self) -> Vec<(u64, u64)> {
        self.mock.faults().iter().map(|entry| (entry.matched, entry.fired)).collect()
    }

    /// Whether each received request has a valid signature at the time of the mock.
    fn verified(&self) -> Vec<bool> {
        let now = self.mock.now().unix_unsigned();
        self.receiver.received().iter().map(|one| self.verifies(one, now)).collect()
    }

    fn verifies(&self, received: &Received, now: u64) -> bool {
        let signature = received.headers["service-signature"].as_bytes();
        SigningKey::new(&self.secret).verify(Some(signature), &received.body, now).is_ok()
    }
}

fn builder(rules: Vec<Rule>) -> Builder {
    let builder = Mock::builder().webhooks(Destinations::Local).faults(rules);
    builder.signing(SigningTime::Virtual)
}

fn first(act: DeliveryAct) -> Vec<Rule> {
    vec![Rule { nth: Some(1), ..Rule::always(act) }]
}

/// When the attempts of a delivery began, in seconds since the start, and why.
fn attempts(entry: &DeliveryEntry) -> Vec<(u64, Cause)> {
    let begun = |it: &tideover_sim::AttemptEntry| (start().whole_seconds_until(it.at), it.cause);
    entry.attempts.iter().map(begun).collect()
}

/// `6.delivery.4`
#[tokio::test]
async fn a_late_delivery_comes_after_so_many_seconds() {
    let bench = Bench::with(first(DeliveryAct::Late { seconds: 60 })).await;
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.seen(), ["two"]);
    let entry = &bench.entries()[0];
    assert_eq!(
        (entry.state, entry.next_attempt_at),
        (DeliveryState::Queued, Some(start().after(60)))
    );
    bench.advance(59).await;
    assert_eq!(bench.seen(), ["two"]);
    bench.advance(1).await;
    assert_eq!(bench.seen(), ["two", "one"]);
    assert_eq!(attempts(&bench.entries()[0]), [(60, Cause::Late)]);
    assert_eq!(bench.labels(), [Some("deliveryLate".to_owned()), None]);
}

/// `6.delivery.3`
#[tokio::test]
async fn a_duplicated_delivery_comes_twice_with_one_identifier() {
    let bench = Bench::with(first(DeliveryAct::Duplicated)).await;
    bench.add(&["one", "two"]).await;
    let received = bench.receiver.received();
    let of_one: Vec<_> =
        received.iter().filter(|it| it.json()["data"]["externalId"] == "one").collect();
    assert_eq!((received.len(), of_one.len()), (3, 2));
    assert_eq!(of_one[0].headers["service-delivery"], of_one[1].headers["service-delivery"]);
    assert_eq!(of_one[0].body, of_one[1].body);
    let entry = &bench.entries()[0];
    assert_eq!(attempts(entry), [(0, Cause::Event), (0, Cause::Duplicate)]);
    assert_eq!((entry.state, entry.next_attempt_at), (DeliveryState::Accepted, None));
}

#[tokio::test]
async fn only_what_was_accepted_is_duplicated() {
    // The receiver refuses the first attempt, and the duplicate.
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before == 1 { 200 } else { 500 }));
    let bench = Bench::of(builder(first(DeliveryAct::Duplicated)), receiver.await).await;
    bench.add(&["one"]).await;
    bench.advance(HOUR).await;
    let entry = &bench.entries()[0];
    assert_eq!(attempts(entry), [(0, Cause::Event), (5, Cause::Retry), (5, Cause::Duplicate)]);
    assert_eq!((entry.state, entry.next_attempt_at), (DeliveryState::Accepted, None));
}

/// `6.delivery.4`
#[tokio::test]
async fn a_swapped_delivery_comes_after_the_next_one() {
    let bench = Bench::with(vec![Rule::always(DeliveryAct::Swapped)]).await;
    for (business, seen) in [
        ("one", &[][..]),
        ("two", &["two", "one"]),
        ("three", &["two", "one"]),
        ("four", &["two", "one", "four", "three"]),
    ] {
        bench.add(&[business]).await;
        assert_eq!(bench.seen(), seen);
    }
    assert_eq!(bench.counts(), [(2, 2)], "no delivery waits behind another that waits");
    bench.add(&["five"]).await;
    bench.advance(24 * HOUR - 1).await;
    assert_eq!(bench.seen().len(), 4);
    bench.advance(1).await;
    assert_eq!(bench.seen()[4], "five", "nothing has overtaken it");
    bench.add(&["six"]).await;
    assert_eq!(bench.counts(), [(4, 4)], "the fifth waits no more");
}

#[tokio::test]
async fn a_swapped_delivery_waits_for_one_that_is_answered() {
    let receiver = Receiver::start(|before, _| match before {
        0 => Reaction::Close,
        _ => Reaction::Answer(500),
    });
    let bench = Bench::of(builder(first(DeliveryAct::Swapped)), receiver.await).await;
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.seen(), ["two"], "nobody knows whether it arrived");
    bench.advance(5).await;
    assert_eq!(bench.seen(), ["two", "two", "one"], "refused, but it has arrived");
}

#[tokio::test]
async fn each_subscription_swaps_its_own_deliveries() {
    let swapped = Rule { payee: Some("one".into()), ..Rule::always(DeliveryAct::Swapped) };
    let bench = Bench::with(vec![swapped]).await;
    let other = Receiver::good().await;
    bench.caller.post("/v1/webhooks", json!({ "url": other.url })).await;
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.seen(), ["two", "one"]);
    assert_eq!(other.received()[1].json()["data"]["externalId"], "one");
    assert_eq!(bench.counts(), [(2, 2)]);
}

/// `6.delivery.1.2`
#[tokio::test]
async fn a_dropped_attempt_counts_as_one_without_an_answer() {
    let bench = Bench::with(first(DeliveryAct::Dropped { attempts: 1 })).await;
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.seen(), ["two"]);
    let (_, entry) = (bench.advance(14).await, &bench.entries()[0]);
    let dropped = &entry.attempts[0];
    assert_eq!((entry.state, dropped.status), (DeliveryState::Retrying, None));
    assert_eq!(dropped.problem.as_deref(), Some("a fault dropped it: it never left"));
    assert!(dropped.headers.is_empty());
    bench.advance(1).await;
    assert_eq!(bench.seen(), ["two", "one"]);
    assert_eq!(attempts(&bench.entries()[0]), [(0, Cause::Event), (15, Cause::Retry)]);
}

/// `8.webhookRetryWindow`
#[tokio::test]
async fn a_delivery_of_which_every_attempt_is_dropped_is_given_up() {
    let bench = Bench::with(first(DeliveryAct::Dropped { attempts: 8 })).await;
    bench.add(&["one"]).await;
    bench.caller.post("/_sim/clock", json!({ "untilQuiet": true })).await;
    let entry = &bench.entries()[0];
    assert_eq!((entry.attempts.len(), entry.state), (8, DeliveryState::GivenUp));
    assert_eq!(bench.seen(), [""; 0]);
}

/// `9.versioning.4`
#[tokio::test]
async fn an_unknown_event_type_is_the_same_at_every_attempt() {
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before == 0 { 500 } else { 204 }));
    let rules = vec![Rule::always(DeliveryAct::UnknownEventType)];
    let bench = Bench::of(builder(rules), receiver.await).await;
    let (named, path) = (Receiver::good().await, "/v1/webhooks");
    let names = json!({ "url": named.url, "eventTypes": [ADDED] });
    assert_eq!(bench.caller.post(path, names).await.status, 201);
    bench.add(&["one"]).await;
    bench.advance(5).await;
    let received = bench.receiver.received();
    assert_eq!((received.len(), bench.verified()[1]), (2, true));
    assert_eq!(received[0].json()["type"], "partner.notice.sent");
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(received[0].json()["data"], json!({ "externalId": "one" }));
    let entries = bench.entries();
    assert_eq!(entries[0].delivery.event, EventType::BusinessAdded, "what happened");
    assert_eq!(*entries[0].delivery.body, *received[0].body, "what is sent");
    assert_eq!(named.received()[0].json()["type"], ADDED, "it asked for no other type");
    assert_eq!((bench.counts(), bench.labels()[1].as_ref()), (vec![(1, 1)], None));
}

/// `gap.eventFields`
#[tokio::test]
async fn an_unknown_field_is_in_the_event_and_in_its_data() {
    let bench = Bench::with(first(DeliveryAct::UnknownField)).await;
    bench.add(&["one", "two"]).await;
    let bodies: Vec<Value> = bench.receiver.received().iter().map(Received::json).collect();
    let of = |name: &str| bodies.iter().find(|body| body["data"]["externalId"] == name).unwrap();
    assert_eq!(of("one")["addedField"], "new");
    assert_eq!(of("one")["data"], json!({ "externalId": "one", "addedField": "new" }));
    assert_eq!(of("two").get("addedField"), None);
    assert_eq!(bench.verified(), [true, true]);
}

/// `9.versioning.2`
#[tokio::test]
async fn an_unknown_value_is_the_state_of_an_advance() {
    let bench = Bench::with(first(DeliveryAct::UnknownValue)).await;
    bench.caller.onboard().await;
    bench.advance(HOUR).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(bench.caller.post("/v1/advances", advance).await.status, 201);
    bench.advance(24 * HOUR).await;
    bench.settled().await;
    let received = bench.receiver.received();
    let events = received.iter().map(Received::json);
    let mut states: Vec<(u64, Value)> = events
        .filter_map(|event| Some((event["sequence"].as_u64()?, event["data"]["state"].clone())))
        .collect();
    states.sort_unstable_by_key(|(sequence, _)| *sequence);
    let states: Vec<&Value> = states.iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["ON_HOLD", "FUNDING", "FUNDED"]);
    assert_eq!(bench.counts()[0].1, 1, "no other event has a state");
}

/// `6.signature.2`
#[tokio::test]
async fn an_indented_body_is_signed_as_it_is() {
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before == 0 { 401 } else { 204 }));
    let bench = Bench::of(builder(first(DeliveryAct::BodyIndented)), receiver.await).await;
    bench.add(&["one"]).await;
    bench.advance(5).await;
    let received = bench.receiver.received();
    assert!(received[0].body.starts_with(b"{\r\n\t\""));
    assert_eq!(received[0].body, received[1].body, "a retry has the same bytes");
    assert_eq!(received[0].json()["data"], json!({ "externalId": "one" }));
    assert_eq!(bench.verified(), [true, true]);
}

/// `6.signature.3`
#[tokio::test]
async fn another_secret_signs_only_the_first_attempts() {
    let receiver =
        Receiver::start(|before, _| Reaction::Answer(if before < 2 { 401 } else { 204 }));
    let act = DeliveryAct::SignedWithAnotherSecret { attempts: 2 };
    let bench = Bench::of(builder(first(act)), receiver.await).await;
    bench.add(&["one"]).await;
    bench.advance(305).await;
    let received = bench.receiver.received();
    let verifies = |at: usize, second: u64| {
        bench.verifies(&received[at], start().after(second).unix_unsigned())
    };
    assert_eq!([verifies(0, 0), verifies(1, 5), verifies(2, 305)], [false, false, true]);
    assert_eq!(received[0].body, received[2].body);
}

/// `6.signature.4`
#[tokio::test]
async fn a_signature_of_an_hour_ago_is_valid_as_of_then() {
    for signing in [SigningTime::Virtual, SigningTime::Wall] {
        let builder = builder(first(DeliveryAct::SignedAnHourAgo { attempts: 1 }));
        let receiver =
            Receiver::start(|before, _| Reaction::Answer(if before == 0 { 401 } else { 204 }));
        let bench = Bench::of(builder.signing(signing), receiver.await).await;
        bench.add(&["one"]).await;
        let now = || match signing {
            SigningTime::Virtual => bench.mock.now().unix_unsigned(),
            SigningTime::Wall => wall_time().unix_unsigned(),
        };
        let first = &bench.receiver.received()[0];
        assert!(!bench.verifies(first, now()) && bench.verifies(first, now() - HOUR));
        bench.advance(5).await;
        assert!(bench.verifies(&bench.receiver.received()[1], now()));
    }
}

#[tokio::test]
async fn a_rule_selects_by_event_payee_invoice_and_number() {
    let act = DeliveryAct::UnknownField;
    let rule = |label: &str| Rule { label: Some(label.into()), ..Rule::always(act) };
    let created = Some(EventType::InvoiceCreated);
    let bench = Bench::with(vec![
        Rule { event: created, invoice: Some("INV-2".into()), ..rule("the second invoice") },
        Rule { event: created, nth: Some(3), ..rule("the third of its type") },
        Rule { payee: Some("two".into()), ..rule("about two") },
        Rule { invoice: Some("INV-4".into()), payee: Some("one".into()), ..rule("never") },
    ])
    .await;
    for (invoice, payee) in [("INV-1", "one"), ("INV-2", "one"), ("INV-3", "one"), ("INV-4", "two")]
    {
        let path = format!("/v1/invoices/{invoice}");
        let answer = bench.caller.put(&path, crate::support::invoice(payee, "globex")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    bench.settled().await;
    let listed = bench.caller.get("/_sim/deliveries").await.json();
    let acted = listed["deliveries"].as_array().unwrap().iter().filter(|it| !it["fault"].is_null());
    let acted: Vec<_> = acted
        .map(|it| (it["fault"].as_str().unwrap(), it["body"]["data"].clone()))
        .map(|(label, data)| {
            let name = data.get("invoiceExternalId").or(data.get("externalId")).unwrap();
            (label, name.as_str().unwrap().to_owned())
        })
        .collect();
    let expected = [
        ("the second invoice", "INV-2"),
        ("the third of its type", "INV-3"),
        ("about two", "two"),
        ("about two", "INV-4"),
    ];
    assert_eq!(acted, expected.map(|(label, name)| (label, name.to_owned())));
    assert_eq!(bench.counts(), [(1, 1), (4, 1), (2, 2), (0, 0)]);
}

#[tokio::test]
async fn rules_for_requests_and_rules_for_deliveries_do_not_meet() {
    let bench = Bench::with(Vec::new()).await;
    let rules = json!({ "rules": [
        { "act": "answerDelayed", "milliseconds": 0 },
        { "act": "deliveryDuplicated", "label": "twice" },
    ] });
    assert_eq!(bench.caller.post("/_sim/faults", rules).await.status, 200);
    bench.add(&["one"]).await;
    assert_eq!(bench.counts(), [(1, 1), (1, 1)]);
    assert_eq!(bench.mock.journal().last().unwrap().fault.as_deref(), Some("answerDelayed"));
    assert_eq!(bench.labels(), [Some("twice".to_owned())]);
    assert_eq!(bench.seen(), ["one", "one"]);
}

/// All that a receiver gets, down to the bytes, sorted by delivery.
async fn bytes(seed: u64) -> Vec<Received> {
    let act = DeliveryAct::SignedWithAnotherSecret { attempts: 1 };
    let half = |act| Rule { percent: Some(50), ..Rule::always(act) };
    let rules = vec![half(act), half(DeliveryAct::UnknownField), half(DeliveryAct::Duplicated)];
    let bench = Bench::of(builder(rules).seed(seed), Receiver::good().await).await;
    for number in 0..16 {
        bench.add(&[&format!("b{number}")]).await;
    }
    assert_eq!(bench.counts()[0].0, 16);
    bench.receiver.received()
}

#[tokio::test]
async fn the_same_seed_and_rules_give_the_same_bytes() {
    let host = |received: Vec<Received>| {
        let without = received.into_iter().map(|mut one| {
            one.headers.remove("host");
            (one.headers, one.body)
        });
        without.collect::<Vec<_>>()
    };
    let first = host(bytes(1).await);
    assert_eq!(first, host(bytes(1).await));
    let faulty = |all: &[(_, Vec<u8>)]| -> Vec<bool> {
        all.iter().map(|(_, body): &(std::collections::BTreeMap<_, _>, _)| contains(body)).collect()
    };
    assert_ne!(faulty(&first), faulty(&host(bytes(2).await)));
}

fn contains(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("addedField")
}

#[tokio::test]
async fn a_decision_outlives_its_rule() {
    let bench = Bench::with(first(DeliveryAct::Dropped { attempts: 1 })).await;
    bench.mock.clear_faults();
    bench.mock.add_fault(Rule::always(DeliveryAct::Late { seconds: 30 })).unwrap();
    bench.add(&["one"]).await;
    bench.mock.clear_faults();
    bench.add(&["two"]).await;
    assert_eq!(bench.seen(), ["two"]);
    bench.advance(30).await;
    assert_eq!(bench.seen(), ["two", "one"]);
    assert_eq!(bench.labels(), [Some("deliveryLate".to_owned()), None]);
}

#[tokio::test]
async fn a_reset_restores_the_first_rules_and_forgets_decisions() {
    let bench = Bench::with(first(DeliveryAct::UnknownField)).await;
    bench.mock.add_fault(Rule::always(DeliveryAct::Duplicated)).unwrap();
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.counts(), [(2, 1), (2, 1)]);
    bench.mock.reset().unwrap();
    assert_eq!(bench.counts(), [(0, 0)]);
    bench.mock.clear_faults();
    bench.caller.post("/v1/webhooks", json!({ "url": bench.receiver.url })).await;
    bench.add(&["one"]).await;
    assert_eq!(bench.labels(), [None]);
    let last = bench.receiver.received().pop().unwrap();
    assert!(!contains(&last.body), "{:?}", last.json());
}

#[tokio::test]
async fn a_fork_goes_on_with_what_was_decided() {
    let bench = Bench::with(vec![
        Rule { payee: Some("late".into()), ..Rule::always(DeliveryAct::Late { seconds: 60 }) },
        Rule { payee: Some("new".into()), ..Rule::always(DeliveryAct::UnknownField) },
        Rule { payee: Some("held".into()), ..Rule::always(DeliveryAct::Swapped) },
    ])
    .await;
    let refusing = Receiver::start(|_, _| Reaction::Answer(500)).await;
    bench.caller.post("/v1/webhooks", json!({ "url": refusing.url })).await;
    bench.add(&["late", "new", "held"]).await;
    let fork = bench.caller.post("/_sim/worlds/default/fork", json!({})).await.json();
    let forked = bench.caller.with_key(fork["keys"][0]["key"].as_str().unwrap());
    let before = bench.receiver.received().len();
    forked.put("/v1/organizations/next", json!({ "legalName": "Next" })).await;
    forked.post("/_sim/deliveries/wait", json!({})).await;
    forked.advance_clock(60).await;
    let seen = bench.seen();
    assert_eq!(seen[before..], ["next", "held", "late"]);
    let deliveries = forked.get("/_sim/deliveries?payee=new").await.json()["deliveries"].clone();
    assert_eq!(deliveries[0]["fault"], "unknownField");
    assert_eq!(deliveries[0]["body"]["addedField"], "new");
    let refused = refusing.received();
    let again: Vec<_> =
        refused.iter().filter(|it| it.json()["data"]["externalId"] == "new").collect();
    assert_eq!(again.len(), 2, "one from the original, one from the fork");
    assert!(again.iter().all(|it| contains(&it.body)), "the same bytes at every attempt");
    assert_eq!(bench.entries().len(), 6, "nothing happened in the original");
}

#[tokio::test]
async fn worlds_do_not_disturb_each_other() {
    let bench = Bench::with(Vec::new()).await;
    let made = bench
        .caller
        .post(
            "/_sim/worlds",
            json!({
        "faults": [{ "act": "deliveryDropped", "event": ADDED, "nth": 1 }] }),
        )
        .await
        .json();
    let other = bench.caller.with_key(made["keys"][0]["key"].as_str().unwrap());
    let receiver = Receiver::good().await;
    other.post("/v1/webhooks", json!({ "url": receiver.url })).await;
    bench.add(&["one"]).await;
    other.put("/v1/organizations/one", json!({ "legalName": "One" })).await;
    let quiet = other.post("/_sim/deliveries/wait", json!({})).await.json();
    assert_eq!((quiet["retrying"].clone(), receiver.received().len()), (json!(1), 0));
    assert_eq!((bench.seen(), bench.labels()), (vec!["one".to_owned()], vec![None]));
    let rules = other.get("/_sim/faults").await.json();
    let expected = json!([{ "id": 1, "label": "deliveryDropped", "event": ADDED, "nth": 1,
        "act": "deliveryDropped", "attempts": 1, "matched": 1, "fired": 1 }]);
    assert_eq!(rules["faults"], expected);
}

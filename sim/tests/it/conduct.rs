//! Conduct over HTTP: what the mock sees of a caller and of its receiver, in its journal and in its log of deliveries.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tideover_model::Code;
use tideover_sim::conduct::{Duty, Ending, State};
use tideover_sim::fault::{Act, DeliveryAct, Rule, When};
use tideover_sim::{Destinations, EventType, Mock, OperationKind, SigningTime};
use tower::ServiceExt;

use crate::receiver::{Reaction, Receiver};
use crate::support::{Caller, KEY, invoice};

const DROPS: Act = Act::ConnectionDrops { when: When::AfterCommit };

struct Bench {
    mock: Mock,
    caller: Caller,
}

impl Bench {
    async fn with(rules: Vec<Rule>) -> Bench {
        let builder = Mock::builder().webhooks(Destinations::Local).faults(rules);
        let mock = builder.signing(SigningTime::Virtual).start().await.unwrap();
        Bench { caller: Caller::of_mock(&mock), mock }
    }

    /// Sends a request that may get no answer.
    async fn send(&self, method: &str, path: &str, body: &Value) {
        let request = Request::builder().method(method).uri(path).header("authorization", KEY);
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let answer = self.mock.router().oneshot(request.body(body).unwrap()).await.unwrap();
        let _ = answer.into_body().collect().await;
    }

    fn state(&self, duty: Duty, ending: Ending) -> State {
        let card = self.mock.world().conduct(ending).card;
        card.rows().iter().find(|row| row.duty() == duty).unwrap().state()
    }

    fn broken(&self, ending: Ending) -> Vec<(Duty, Vec<u64>, Vec<u64>)> {
        let card = self.mock.world().conduct(ending).card;
        let row = |row: &tideover_sim::conduct::Row| {
            (row.duty(), row.requests().to_vec(), row.deliveries().to_vec())
        };
        card.broken().map(row).collect()
    }

    async fn settled(&self) {
        let quiet = self.caller.post("/_sim/deliveries/wait", json!({})).await.json();
        assert_eq!(quiet["quiet"], true, "{quiet}");
    }

    /// Subscribes a receiver.
    async fn subscribe(&self, receiver: &Receiver) {
        self.send("POST", "/v1/webhooks", &json!({ "url": receiver.url })).await;
    }

    /// Causes an event for each of these new businesses, one after the other.
    async fn add(&self, businesses: &[&str]) {
        for business in businesses {
            let path = format!("/v1/organizations/{business}");
            self.send("PUT", &path, &json!({ "legalName": business })).await;
            self.settled().await;
        }
    }
}

fn on(operation: OperationKind, act: Act) -> Rule {
    Rule { operation: Some(operation), nth: Some(1), ..Rule::always(act) }
}

/// The numbers of a row are those of the journal.
#[tokio::test]
async fn a_blind_repeat_of_a_subscription_is_shown_with_its_requests() {
    let bench = Bench::with(vec![on(OperationKind::Subscribe, DROPS)]).await;
    let hook = json!({ "url": "https://acme.example/hooks" });
    bench.send("PUT", "/v1/organizations/acme", &json!({ "legalName": "Acme" })).await;
    bench.send("POST", "/v1/webhooks", &hook).await;
    bench.send("POST", "/v1/webhooks", &hook).await;
    let expected = (Duty::LooksBeforeResubscribing, vec![1, 2], vec![]);
    assert_eq!(bench.broken(Ending::Open), [expected]);
    let done: Vec<_> = bench.broken(Ending::Final).into_iter().map(|(duty, ..)| duty).collect();
    assert_eq!(done, [Duty::LooksBeforeResubscribing, Duty::RecoversSecret]);
    let listed = bench.caller.get("/v1/webhooks").await.json();
    let reference = listed[0]["reference"].as_str().unwrap();
    bench.send("DELETE", &format!("/v1/webhooks/{reference}"), &Value::Null).await;
    bench.send("POST", "/v1/webhooks", &hook).await;
    assert_eq!(bench.state(Duty::RecoversSecret, Ending::Final), State::Met);
}

#[tokio::test]
async fn a_port_shows_the_rows_of_a_world() {
    let bench = Bench::with(Vec::new()).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    bench.send("POST", "/v1/advances", &advance).await;
    bench.send("POST", "/v1/advances", &advance).await;
    let shown = bench.caller.get("/_sim/conduct").await.json();
    let duties = Duty::ALL.len();
    assert_eq!(shown["counts"], json!({ "met": 1, "broken": 1, "notSeen": duties - 2 }));
    let rows = shown["rows"].as_array().unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, Duty::ALL.map(Duty::id));
    let row = rows.iter().find(|row| row["id"] == "changes-refused-request").unwrap();
    assert_eq!(
        *row,
        json!({
            "id": "changes-refused-request",
            "clause": "7.retrying.2",
            "place": "§7 Retrying rule 2",
            "words": Duty::ChangesRefusedRequest.words(),
            "state": "broken",
            "requests": [0, 1],
            "deliveries": [],
            "openRequests": [],
            "openDeliveries": [],
            "shownBy": "A refused write, and a second one about the same subject.",
        })
    );
    assert_eq!(shown["droppedRequests"], 0);
    let by_name = bench.caller.get("/_sim/worlds/default/conduct").await.json();
    assert_eq!(by_name, shown);
    bench.caller.get("/_sim/conduct?final=1").await.refused(400, "invalid_request");
    bench.caller.get("/_sim/conduct?last=true").await.refused(400, "invalid_request");
    bench.caller.get("/_sim/worlds/w9/conduct").await.refused(404, "unknown_world");
    bench.caller.post("/_sim/reset", json!({})).await;
    let shown = bench.caller.get("/_sim/conduct").await.json();
    assert_eq!(shown["counts"]["notSeen"], duties);
}

/// The state of the world counts, whoever changes it: what the caller cannot know is in its favour.
#[tokio::test]
async fn a_refused_write_may_be_repeated_after_a_change() {
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    let duty = Duty::ChangesRefusedRequest;
    let bench = Bench::with(Vec::new()).await;
    bench.send("PUT", "/v1/invoices/INV-1", &invoice("acme", "globex")).await;
    let refused = bench.caller.post("/v1/advances", advance.clone()).await;
    refused.refused(409, Code::BusinessNotEligible.name());
    bench.caller.act(json!({ "action": "markTestAccount", "externalId": "acme" })).await;
    bench.send("POST", "/v1/advances", &advance).await;
    assert_eq!(bench.state(duty, Ending::Open), State::Met);
    bench.caller.advance_clock(60).await;
    bench.send("POST", "/v1/advances", &advance).await;
    assert_eq!(bench.state(duty, Ending::Open), State::Met);
    bench.send("POST", "/v1/advances", &advance).await;
    assert_eq!(bench.broken(Ending::Open), [(duty, vec![3, 4], vec![])]);
}

#[tokio::test]
async fn a_throttled_request_waits_on_the_worlds_clock_too() {
    let throttles = Act::RequestThrottled { retry_after_seconds: 30 };
    let quote = json!({ "externalId": "acme", "invoiceFaceValue": 100 });
    for (wait, expected) in [(0, State::Broken), (30, State::Met)] {
        let bench = Bench::with(vec![on(OperationKind::RequestAdvance, throttles)]).await;
        let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
        bench.send("POST", "/v1/advances", &advance).await;
        bench.send("POST", "/v1/quotes", &quote).await;
        bench.caller.advance_clock(wait).await;
        bench.send("POST", "/v1/advances", &advance).await;
        assert_eq!(bench.state(Duty::WaitsWhenThrottled, Ending::Open), expected, "{wait}");
        // The proxy refused it, and no rule of the document did.
        assert_eq!(bench.state(Duty::ChangesRefusedRequest, Ending::Open), State::NotSeen);
    }
}

#[tokio::test]
async fn an_advance_without_an_answer_is_open_until_it_is_repeated() {
    let bench = Bench::with(vec![on(OperationKind::RequestAdvance, DROPS)]).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    bench.send("POST", "/v1/advances", &advance).await;
    let row = |ending| {
        let card = bench.mock.world().conduct(ending).card;
        card.rows().iter().find(|row| row.duty() == Duty::FollowsUp).unwrap().clone()
    };
    assert_eq!(
        (row(Ending::Open).state(), row(Ending::Open).open_requests()),
        (State::NotSeen, &[0][..])
    );
    assert_eq!(
        (row(Ending::Final).state(), row(Ending::Final).requests()),
        (State::Broken, &[0][..])
    );
    bench.send("POST", "/v1/advances", &advance).await;
    assert_eq!(row(Ending::Final).state(), State::Met);
}

#[tokio::test]
async fn amounts_are_fixed_by_an_advance() {
    let bench = Bench::with(Vec::new()).await;
    bench.caller.onboard().await;
    bench.caller.advance_clock(600).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(bench.caller.post("/v1/advances", advance).await.status, 201);
    let mut changed = invoice("acme", "globex");
    bench.send("PUT", "/v1/invoices/INV-1", &changed).await;
    assert_eq!(bench.state(Duty::KeepsTerms, Ending::Open), State::Met);
    changed["dueDate"] = json!("2026-04-01T00:00:00Z");
    bench.send("PUT", "/v1/invoices/INV-1", &changed).await;
    let [(duty, requests, _)] = &bench.broken(Ending::Final)[..] else { panic!("one row") };
    assert_eq!((*duty, requests.len()), (Duty::KeepsTerms, 2));
}

#[tokio::test]
async fn an_import_identifier_has_one_file() {
    let bench = Bench::with(Vec::new()).await;
    let columns = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
    bench.caller.csv("jan", columns).await;
    bench.caller.csv("jan", &format!("{columns}INV-1,A,B,ISSUED,1,x,y\n")).await;
    assert_eq!(bench.broken(Ending::Open), [(Duty::KeepsFile, vec![0, 1], vec![])]);
}

#[tokio::test]
async fn an_interrupted_import_is_resumed() {
    let bench = Bench::with(Vec::new()).await;
    let file = "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
                INV-1,A,B,ISSUED,1,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n";
    bench.caller.act(json!({ "action": "interruptNextImport", "afterRows": 0 })).await;
    bench.caller.csv("jan", file).await;
    assert_eq!(bench.broken(Ending::Final), [(Duty::ResumesImport, vec![0], vec![])]);
    bench.caller.csv("jan", file).await;
    assert_eq!(bench.state(Duty::ResumesImport, Ending::Final), State::Met);
}

#[tokio::test]
async fn the_key_is_in_a_header_and_in_no_browser() {
    let bench = Bench::with(Vec::new()).await;
    let get = |headers: &[(&str, &str)]| {
        let mut request = Request::get("/v1/webhooks");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        bench.mock.router().oneshot(request.body(Body::empty()).unwrap())
    };
    let browser = [("origin", "https://acme.example"), ("sec-fetch-site", "cross-site")];
    get(&[("authorization", KEY)]).await.unwrap();
    // Fetch of Node sends some of what browsers send.
    get(&[("authorization", KEY), ("sec-fetch-mode", "cors")]).await.unwrap();
    // The page of the mock.
    get(&[("authorization", KEY), browser[0], ("sec-fetch-site", "same-origin")]).await.unwrap();
    assert_eq!(bench.broken(Ending::Open), []);
    get(&[("authorization", "Basic YWNtZQ==")]).await.unwrap();
    get(&[("x-api-key", "rap_sk_local")]).await.unwrap();
    get(&[("authorization", KEY), browser[0], browser[1]]).await.unwrap();
    let expected =
        [(Duty::SendsKey, vec![3, 4], vec![]), (Duty::KeepsKeyOnServer, vec![5], vec![])];
    assert_eq!(bench.broken(Ending::Open), expected);
}

fn first(event: EventType, act: DeliveryAct) -> Rule {
    Rule { event: Some(event), nth: Some(1), ..Rule::always(act) }
}

/// A receiver with these answers, the last of them again and again.
async fn answering(statuses: &'static [u16]) -> Receiver {
    Receiver::start(move |number, _| Reaction::Answer(statuses[number.min(statuses.len() - 1)]))
        .await
}

/// A receiver that answers every delivery with a success, whatever its signature and its age.
#[tokio::test]
async fn a_receiver_that_verifies_nothing_is_shown_with_the_deliveries() {
    let added = EventType::BusinessAdded;
    let bench = Bench::with(vec![
        first(added, DeliveryAct::SignedWithAnotherSecret { attempts: 1 }),
        Rule { nth: Some(2), ..first(added, DeliveryAct::SignedAnHourAgo { attempts: 1 }) },
        Rule { nth: Some(3), ..first(added, DeliveryAct::UnknownField) },
    ])
    .await;
    let receiver = Receiver::good().await;
    bench.subscribe(&receiver).await;
    bench.add(&["one", "two", "three", "four"]).await;
    let expected = [(Duty::Verifies, vec![], vec![0]), (Duty::ChecksAge, vec![], vec![1])];
    assert_eq!(bench.broken(Ending::Final), expected);
    assert_eq!(bench.state(Duty::AcceptsUnknownFields, Ending::Final), State::Met);
    assert_eq!(bench.state(Duty::Deduplicates, Ending::Final), State::NotSeen);
}

/// A receiver that knows the listed states alone.
#[tokio::test]
async fn a_receiver_without_a_default_branch_is_shown() {
    for (refusal, expected) in [(204, State::Met), (400, State::Broken)] {
        let rule = Rule { nth: Some(1), ..Rule::always(DeliveryAct::UnknownValue) };
        let bench = Bench::with(vec![rule]).await;
        let receiver = Receiver::start(move |_, received| {
            let is_new = String::from_utf8_lossy(&received.body).contains("ON_HOLD");
            Reaction::Answer(if is_new { refusal } else { 204 })
        });
        let receiver = receiver.await;
        bench.subscribe(&receiver).await;
        bench.caller.onboard().await;
        bench.caller.advance_clock(3600).await;
        let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
        assert_eq!(bench.caller.post("/v1/advances", advance).await.status, 201);
        bench.settled().await;
        bench.caller.advance_clock(86_400).await;
        bench.settled().await;
        assert_eq!(bench.state(Duty::AcceptsUnknownValues, Ending::Final), expected);
    }
}

/// A receiver that verifies the body that it has parsed and written again.
#[tokio::test]
async fn a_receiver_that_writes_the_body_again_is_shown() {
    let added = EventType::BusinessAdded;
    let bench = Bench::with(vec![first(added, DeliveryAct::BodyIndented)]).await;
    let receiver = Receiver::start(|_, received| {
        Reaction::Answer(if received.body.contains(&b'\n') { 401 } else { 204 })
    });
    let receiver = receiver.await;
    bench.subscribe(&receiver).await;
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.broken(Ending::Open), [(Duty::VerifiesRawBody, vec![], vec![0])]);
}

/// A receiver that rejects some attempts, and takes all that come again.
#[tokio::test]
async fn a_receiver_that_verifies_breaks_no_row() {
    let added = EventType::BusinessAdded;
    let bench = Bench::with(vec![
        first(added, DeliveryAct::SignedWithAnotherSecret { attempts: 1 }),
        Rule { nth: Some(2), ..first(added, DeliveryAct::SignedAnHourAgo { attempts: 1 }) },
    ])
    .await;
    let receiver = answering(&[401, 401, 200]).await;
    bench.subscribe(&receiver).await;
    bench.add(&["one", "two", "three"]).await;
    bench.caller.advance_clock(3600).await;
    assert_eq!(bench.broken(Ending::Final), []);
    for duty in [Duty::Verifies, Duty::ChecksAge, Duty::AcceptsDeliveries] {
        assert_eq!(bench.state(duty, Ending::Final), State::Met, "{duty:?}");
    }
}

#[tokio::test]
async fn a_receiver_that_refuses_an_unknown_type_is_shown() {
    let rule = first(EventType::BusinessAdded, DeliveryAct::UnknownEventType);
    let bench = Bench::with(vec![rule]).await;
    let receiver = answering(&[400, 200]).await;
    bench.subscribe(&receiver).await;
    bench.add(&["one", "two"]).await;
    assert_eq!(bench.broken(Ending::Open), [(Duty::AcceptsUnknownEvents, vec![], vec![0])]);
}

#[tokio::test]
async fn a_delivery_that_is_given_up_is_read_again() {
    let bench = Bench::with(vec![Rule::always(DeliveryAct::Dropped { attempts: 20 })]).await;
    let receiver = Receiver::good().await;
    bench.caller.onboard().await;
    bench.subscribe(&receiver).await;
    bench.caller.advance_clock(2 * 24 * 3600).await;
    let shown: Vec<_> = bench.broken(Ending::Final).into_iter().map(|(duty, ..)| duty).collect();
    assert_eq!(shown, [Duty::ReadsAfterGap]);
    assert_eq!(bench.state(Duty::ReadsAfterGap, Ending::Open), State::NotSeen);
    bench.send("GET", "/v1/organizations/acme", &Value::Null).await;
    assert_eq!(bench.state(Duty::ReadsAfterGap, Ending::Final), State::Met);
}

/// What the journal no longer has is not judged, and the answer says how much that is.
#[tokio::test]
async fn what_was_dropped_is_counted() {
    let journal = tideover_sim::JournalLimits { requests: 2, ..Default::default() };
    let mock = Mock::builder().journal(journal).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    for number in 0..5 {
        caller.put(&format!("/v1/organizations/{number}"), json!({ "legalName": "x" })).await;
    }
    let conduct = mock.world().conduct(Ending::Open);
    assert_eq!((conduct.dropped_requests, conduct.card.counts().broken), (3, 0));
}

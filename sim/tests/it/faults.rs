//! Faults over real sockets: what the client sees of each, and what the service did.

use http_body_util::BodyExt;
use serde_json::{Value, json};
use tideover_model::{Happening, OperationKind, Outcome, Profile};
use tideover_sim::Mock;
use tideover_sim::fault::{Act, Faults, Rule, When};

use crate::support::{KEY, Raw, invoice, start, world};

const BOTH: [When; 2] = [When::BeforeCommit, When::AfterCommit];

async fn mock(rules: Vec<Rule>) -> Mock {
    Mock::builder().faults(rules).start().await.unwrap()
}

/// A rule for the first request of an operation.
fn first(operation: OperationKind, act: Act) -> Rule {
    Rule { operation: Some(operation), nth: Some(1), ..Rule::always(act) }
}

fn named(identifier: &str, act: Act) -> Rule {
    Rule { identifier: Some(identifier.to_owned()), ..Rule::always(act) }
}

fn request(method: &str, path: &str, body: &str) -> String {
    let length = body.len();
    let length = if length == 0 { String::new() } else { format!("content-length: {length}\r\n") };
    format!("{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: {KEY}\r\n{length}\r\n{body}")
}

/// A new connection with this request.
async fn sent(mock: &Mock, method: &str, path: &str, body: impl ToString) -> Raw {
    let mut raw = Raw::connect(mock.address()).await;
    raw.write(request(method, path, &body.to_string())).await;
    raw
}

async fn get(mock: &Mock, path: &str) -> (u16, Value) {
    answered(&mut sent(mock, "GET", path, "").await).await
}

async fn put(mock: &Mock, path: &str, body: impl ToString) -> (u16, Value) {
    answered(&mut sent(mock, "PUT", path, body).await).await
}

async fn answered(raw: &mut Raw) -> (u16, Value) {
    let (head, body) = raw.answer().await;
    (head[9..12].parse().unwrap(), body)
}

async fn assert_dropped(mut raw: Raw) {
    assert_eq!(raw.rest().await.unwrap(), "", "the connection closes without a byte");
}

fn acme() -> Value {
    json!({ "legalName": "Acme LLC" })
}

const ACME: &str = "/v1/organizations/acme";

/// The labels in the journal, of those requests that have one.
fn labels(mock: &Mock) -> Vec<String> {
    mock.journal().into_iter().filter_map(|entry| entry.fault).collect()
}

fn counts(mock: &Mock) -> Vec<(u64, u64)> {
    mock.faults().iter().map(|entry| (entry.matched, entry.fired)).collect()
}

#[tokio::test]
async fn an_upstream_failure_comes_before_or_after_the_commit() {
    for when in BOTH {
        let mock =
            mock(vec![first(OperationKind::SyncBusiness, Act::UpstreamFails { when })]).await;
        let (status, body) = put(&mock, ACME, acme()).await;
        assert_eq!((status, &body["code"]), (502, &json!("upstream_failed")), "{body}");
        let found = if when == When::AfterCommit { 200 } else { 404 };
        assert_eq!(get(&mock, ACME).await.0, found, "{when:?}");
        let entry = &mock.journal()[0];
        assert_eq!(
            (entry.status, entry.code.map(|code| code.name())),
            (Some(502), Some("upstream_failed"))
        );
        assert_eq!(put(&mock, ACME, acme()).await.0, 200);
        assert_eq!(labels(&mock), [mock.faults()[0].rule.act.name()]);
    }
}

#[tokio::test]
async fn a_connection_drops_before_or_after_the_commit() {
    for when in BOTH {
        let mock =
            mock(vec![first(OperationKind::SyncBusiness, Act::ConnectionDrops { when })]).await;
        let mut raw = sent(&mock, "GET", "/v1/webhooks", "").await;
        assert_eq!(answered(&mut raw).await, (200, json!([])), "a connection that is kept alive");
        raw.write(request("PUT", ACME, &acme().to_string())).await;
        assert_dropped(raw).await;
        let (found, status) = match when {
            When::BeforeCommit => (404, None),
            When::AfterCommit => (200, Some(200)),
        };
        assert_eq!(get(&mock, ACME).await.0, found, "{when:?}");
        assert_eq!(mock.journal()[1].status, status);
        assert_eq!(labels(&mock).len(), 1);
    }
}

#[tokio::test]
async fn a_dropped_connection_is_an_error_of_the_client() {
    let act = Act::ConnectionDrops { when: When::AfterCommit };
    let mock = mock(vec![first(OperationKind::ListSubscriptions, act)]).await;
    let client = crate::plain::client();
    let ask = || client.get(format!("{}/v1/webhooks", mock.url())).bearer_auth(mock.api_key());
    let error = ask().send().await.unwrap_err();
    assert!(error.is_request(), "{error:?}");
    assert_eq!(ask().send().await.unwrap().status(), 200);
}

/// The status line and the length that a response announces, and its body.
fn announced(text: &str) -> (&str, u64, &str) {
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    (head.lines().next().unwrap(), length.unwrap().parse().unwrap(), body)
}

#[tokio::test]
async fn an_answer_is_cut_after_bytes_of_its_body() {
    let plain = mock(Vec::new()).await;
    let mut raw = sent(&plain, "PUT", ACME, acme()).await;
    raw.end().await;
    let text = raw.rest().await.unwrap();
    let (line, length, whole) = announced(&text);
    assert_eq!(whole.len() as u64, length);
    for kept in [0, 1, length - 1] {
        let act = Act::AnswerCut { after_bytes: kept };
        let mock = mock(vec![first(OperationKind::SyncBusiness, act)]).await;
        let text = sent(&mock, "PUT", ACME, acme()).await.rest().await.unwrap();
        let body = &whole[..usize::try_from(kept).unwrap()];
        assert_eq!(announced(&text), (line, length, body));
        assert_eq!(get(&mock, ACME).await.0, 200, "the request is carried out");
        assert_eq!(labels(&mock), ["answerCut"]);
    }
}

#[tokio::test]
async fn an_answer_that_is_short_enough_arrives_whole() {
    for rule in [
        first(OperationKind::ListSubscriptions, Act::AnswerCut { after_bytes: 2 }),
        first(OperationKind::ListSubscriptions, Act::AnswerCut { after_bytes: u64::MAX }),
    ] {
        let mock = mock(vec![rule]).await;
        let mut raw = sent(&mock, "GET", "/v1/webhooks", "").await;
        for _ in 0..2 {
            assert_eq!(answered(&mut raw).await, (200, json!([])));
            raw.write(request("GET", "/v1/webhooks", "")).await;
        }
        assert_eq!(labels(&mock), ["answerCut"]);
    }
}

/// A file of so many rows.
fn file(rows: usize) -> String {
    let mut file = "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n".to_owned();
    for row in 1..=rows {
        file += &format!(
            "INV-{row},acme,Acme LLC,Globex Inc,ISSUED,1000,2026-01-01T00:00:00Z,2026-03-01T00:00:00Z\n"
        );
    }
    file
}

const MARCH: &str = "/v1/invoices/imports/march";

/// More bytes than the buffers of a connection hold.
#[tokio::test]
async fn a_large_answer_arrives_up_to_its_cut() {
    let profile = Profile { body_limit: 1 << 25, ..Profile::default() };
    let mock = Mock::builder().profile(profile).start().await.unwrap();
    let large = file(1000).replace("INV-", &"x".repeat(16_000));
    assert_eq!(put(&mock, MARCH, large).await.0, 200);
    let after_bytes = 15_000_000;
    mock.add_fault(Rule::always(Act::AnswerCut { after_bytes })).unwrap();
    let mut raw = sent(&mock, "GET", MARCH, "").await;
    while labels(&mock).is_empty() {
        // Wait until the answer is on its way.
        answered(&mut sent(&mock, "GET", "/nowhere", "").await).await;
    }
    let text = raw.rest().await.unwrap();
    let (_, length, body) = announced(&text);
    assert!(length > after_bytes, "{length}");
    assert_eq!(body.len() as u64, after_bytes);
}

#[tokio::test]
async fn an_import_stops_after_rows_and_resumes() {
    let rule = first(OperationKind::ImportInvoices, Act::ImportStops { after_rows: 2 });
    let mock = mock(vec![rule]).await;
    assert_dropped(sent(&mock, "PUT", MARCH, file(5)).await).await;
    let (_, report) = get(&mock, MARCH).await;
    assert_eq!((&report["finished"], report["rows"].as_array().unwrap().len()), (&json!(false), 2));
    assert_eq!(get(&mock, &format!("{ACME}/invoices/INV-2")).await.0, 200);
    assert_eq!(get(&mock, &format!("{ACME}/invoices/INV-3")).await.0, 404);
    let (_, report) = put(&mock, MARCH, file(5)).await;
    assert_eq!((&report["finished"], report["rows"].as_array().unwrap().len()), (&json!(true), 5));
    assert_eq!(labels(&mock), ["importStops"]);
    assert_eq!(counts(&mock), [(2, 1)], "only imports count");
}

#[tokio::test]
async fn an_import_with_no_more_rows_is_not_interrupted() {
    let stops = Rule::always(Act::ImportStops { after_rows: 3 });
    let mock = mock(vec![stops]).await;
    let (status, report) = put(&mock, MARCH, file(3)).await;
    assert_eq!((status, &report["finished"]), (200, &json!(true)));
    assert_eq!(labels(&mock), [""; 0]);
}

#[tokio::test]
async fn a_refused_import_leaves_no_interruption_behind() {
    let stops = Rule::always(Act::ImportStops { after_rows: 1 });
    let mock = mock(vec![Rule { nth: Some(2), ..stops }]).await;
    assert_eq!(put(&mock, MARCH, file(3)).await.0, 200);
    assert_eq!(put(&mock, MARCH, file(4)).await.1["code"], "already_imported");
    assert_eq!(labels(&mock), [""; 0], "nothing was interrupted");
    let (_, report) = put(&mock, "/v1/invoices/imports/april", file(3)).await;
    assert_eq!(report["finished"], true);
}

#[tokio::test]
async fn a_delayed_answer_is_committed_at_once_and_blocks_nobody() {
    let hour = Act::AnswerDelayed { milliseconds: 3_600_000 };
    let mock = mock(vec![first(OperationKind::SyncBusiness, hour)]).await;
    let mut late = sent(&mock, "PUT", ACME, acme()).await;
    while mock.journal().iter().all(|entry| entry.fault.is_none()) {
        assert_eq!(get(&mock, "/v1/webhooks").await.0, 200);
    }
    assert_eq!(get(&mock, ACME).await.0, 200);
    assert_eq!(labels(&mock), ["answerDelayed"]);
    let within = std::time::Duration::from_secs(5);
    tokio::time::timeout(within, mock.stop()).await.expect("stopped");
    assert_eq!(late.rest().await.unwrap_or_default(), "");
}

#[tokio::test]
async fn a_delayed_answer_arrives() {
    let act = Act::AnswerDelayed { milliseconds: 1 };
    let mock = mock(vec![first(OperationKind::ListSubscriptions, act)]).await;
    assert_eq!(get(&mock, "/v1/webhooks").await, (200, json!([])));
    assert_eq!(labels(&mock), ["answerDelayed"]);
}

#[tokio::test]
async fn a_repeated_request_gets_the_second_answer() {
    let mock = mock(vec![first(OperationKind::Subscribe, Act::RequestRepeated)]).await;
    let hook = json!({ "url": "https://hooks.example/" });
    let (status, body) = answered(&mut sent(&mock, "POST", "/v1/webhooks", hook).await).await;
    assert_eq!((status, &body["code"]), (409, &json!("already_subscribed")));
    assert_eq!(get(&mock, "/v1/webhooks").await.1.as_array().unwrap().len(), 1);
    assert_eq!((labels(&mock), mock.journal().len()), (vec!["requestRepeated".to_owned()], 2));
}

/// `gap.requestRate`
#[tokio::test]
async fn a_throttled_request_is_not_carried_out() {
    let act = Act::RequestThrottled { retry_after_seconds: 7 };
    let mock = mock(vec![first(OperationKind::SyncBusiness, act)]).await;
    let mut raw = sent(&mock, "PUT", ACME, acme()).await;
    let (head, body) = raw.answer().await;
    assert!(head.starts_with("HTTP/1.1 429 "), "{head}");
    assert!(head.contains("\r\nretry-after: 7\r\n"), "{head}");
    crate::support::assert_one_shape(&body);
    assert_eq!(body["code"], "too_many_requests");
    assert_eq!(get(&mock, ACME).await.0, 404);
    assert_eq!(put(&mock, ACME, acme()).await.0, 200);
    let entry = &mock.journal()[0];
    assert_eq!((entry.status, entry.code, entry.clause), (Some(429), None, None));
    assert_eq!(entry.response.as_ref().unwrap().headers["retry-after"], "7");
    assert_eq!(labels(&mock), ["requestThrottled"]);
}

#[tokio::test]
async fn only_the_nth_request_fails() {
    let act = Act::UpstreamFails { when: When::AfterCommit };
    let list = Some(OperationKind::ListSubscriptions);
    let mock = mock(vec![Rule { operation: list, nth: Some(3), ..Rule::always(act) }]).await;
    let mut statuses = Vec::new();
    for _ in 0..5 {
        get(&mock, ACME).await;
        statuses.push(get(&mock, "/v1/webhooks").await.0);
    }
    assert_eq!(statuses, [200, 200, 502, 200, 200]);
    assert_eq!(counts(&mock), [(5, 1)]);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_faults() {
    let act = Act::UpstreamFails { when: When::BeforeCommit };
    let rate = |percent| Rule { percent: Some(percent), ..Rule::always(act) };
    let drawn = async |seed, rules: Vec<Rule>| {
        let mock = Mock::builder().seed(seed).faults(rules).start().await.unwrap();
        let mut raw = Raw::connect(mock.address()).await;
        let mut statuses = Vec::new();
        for _ in 0..40 {
            raw.write(request("GET", "/v1/webhooks", "")).await;
            statuses.push(answered(&mut raw).await.0);
        }
        statuses
    };
    let one = drawn(1, vec![rate(50)]).await;
    assert!(one.contains(&200) && one.contains(&502), "{one:?}");
    assert_eq!(one, drawn(1, vec![rate(50)]).await);
    assert_ne!(one, drawn(2, vec![rate(50)]).await);
    assert_eq!(drawn(1, vec![rate(100)]).await, [502; 40]);
}

#[tokio::test]
async fn an_identifier_is_found_in_path_body_and_rows() {
    let act = Act::UpstreamFails { when: When::BeforeCommit };
    let mock = mock(vec![named("a b", act), named("INV-2", act), named("imp", act)]).await;
    let party = json!({ "externalId": "a b", "invoiceFaceValue": 1 });
    let advance = |payee: &str, invoice: &str| {
        json!({ "payeeExternalId": payee, "invoiceExternalId": invoice }).to_string()
    };
    let csv = file(2);
    for (method, path, body, rule) in [
        ("GET", "/v1/organizations/a%20b", "", Some(0)),
        ("GET", "/v1/organizations/ab", "", None),
        ("GET", "/v1/organizations/acme/invoices/INV-2", "", Some(1)),
        ("PUT", "/v1/organizations/a%20b/payout-account", "{", Some(0)),
        ("POST", "/v1/quotes", &party.to_string(), Some(0)),
        ("POST", "/v1/advances", &advance("a b", "INV-1"), Some(0)),
        ("POST", "/v1/advances", &advance("acme", "INV-2"), Some(1)),
        ("POST", "/v1/advances", &advance("acme", "INV-22"), None),
        ("PUT", "/v1/invoices/INV-1", &invoice("acme", "a b").to_string(), Some(0)),
        ("PUT", "/v1/invoices/imports/march", &csv, Some(1)),
        ("PUT", "/v1/invoices/imports/imp", &file(1), Some(2)),
        ("GET", "/v1/invoices/imports/imp", "", Some(2)),
        ("DELETE", "/v1/webhooks/imp", "", Some(2)),
        ("GET", "/v1/webhooks?identifier=imp", "", None),
    ] {
        let before = counts(&mock);
        let (status, _) = answered(&mut sent(&mock, method, path, body).await).await;
        assert_eq!(status == 502, rule.is_some(), "{method} {path}");
        let mut expected = before;
        if let Some(rule) = rule {
            expected[rule] = (expected[rule].0 + 1, expected[rule].1 + 1);
        }
        assert_eq!(counts(&mock), expected, "{method} {path}");
    }
}

#[tokio::test]
async fn any_answer_of_an_endpoint_can_fail_and_nothing_else() {
    let act = Act::ConnectionDrops { when: When::AfterCommit };
    let mock = mock(vec![Rule::always(act)]).await;
    let mut raw = Raw::connect(mock.address()).await;
    raw.write("GET /v1/webhooks HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert_dropped(raw).await;
    assert_eq!(mock.journal()[0].code.unwrap().name(), "unauthorized");
    assert_dropped(sent(&mock, "PUT", ACME, "{").await).await;
    for (method, path, status) in [
        ("HEAD", "/v1/webhooks", 404),
        ("PATCH", ACME, 404),
        ("GET", "/v2/webhooks", 404),
        ("GET", "/_sim/health", 200),
        ("GET", "/_sim/faults", 200),
        ("HEAD", "/_sim/faults", 404),
        ("PUT", "/_sim/faults/1", 404),
    ] {
        let mut raw = sent(&mock, method, path, "").await;
        raw.end().await;
        let text = raw.rest().await.unwrap();
        assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {path}: {text}");
    }
    assert_eq!(counts(&mock), [(2, 2)]);
}

/// The same response without its date.
fn undated(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("date: ")).collect()
}

#[tokio::test]
async fn only_the_journal_shows_a_fault() {
    let label = Some("a label of mine".to_owned());
    let act = Act::UpstreamFails { when: When::BeforeCommit };
    let failing = mock(vec![Rule { label: label.clone(), ..Rule::always(act) }]).await;
    let plain = mock(Vec::new()).await;
    plain.upstream_fails(1).unwrap();
    let mut answers = Vec::new();
    for mock in [&failing, &plain] {
        let mut raw = sent(mock, "GET", "/v1/webhooks", "").await;
        raw.end().await;
        answers.push(undated(&raw.rest().await.unwrap()));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(
        (failing.journal()[0].fault.clone(), plain.journal()[0].fault.clone()),
        (label, None)
    );
    let (_, journal) = get(&failing, "/_sim/journal").await;
    assert_eq!(journal["entries"][0]["fault"], "a label of mine");
    let (_, journal) = get(&plain, "/_sim/journal").await;
    assert_eq!(journal["entries"][0].get("fault"), Some(&Value::Null));
}

#[tokio::test]
async fn rules_concern_all_platforms_and_a_reset_restores_the_first() {
    let act = Act::UpstreamFails { when: When::BeforeCommit };
    let nth = |nth| Rule { nth: Some(nth), ..Rule::always(act) };
    let mock = mock(vec![nth(2)]).await;
    mock.add_fault(nth(1)).unwrap();
    let other = mock.issue_key(Some("other")).unwrap().key;
    let client = crate::plain::client();
    let url = format!("{}/v1/webhooks", mock.url());
    let ask = async |key: &str| client.get(&url).bearer_auth(key).send().await.unwrap().status();
    assert_eq!(
        (ask(mock.api_key()).await, ask(&other).await),
        (502.try_into().unwrap(), 502.try_into().unwrap())
    );
    assert_eq!(counts(&mock), [(2, 1), (2, 1)]);
    assert_eq!(mock.happen(Happening::Reset { repeats: false }), Ok(Outcome::Applied));
    assert_eq!(counts(&mock), [(0, 0)]);
    assert_eq!(mock.faults()[0].rule, nth(2));
}

#[tokio::test]
async fn the_library_adds_and_removes_rules() {
    let mock = mock(Vec::new()).await;
    let act = Act::UpstreamFails { when: When::BeforeCommit };
    let id = mock.add_fault(Rule::always(act)).unwrap();
    assert_eq!((id, get(&mock, "/v1/webhooks").await.0), (1, 502));
    assert!(mock.remove_fault(id) && !mock.remove_fault(id));
    assert_eq!(get(&mock, "/v1/webhooks").await.0, 200);
    assert_eq!(mock.add_fault(Rule::always(act)), Ok(2));
    mock.clear_faults();
    assert_eq!(mock.faults(), []);
    let never = Rule { percent: Some(0), ..Rule::always(act) };
    assert!(mock.add_fault(never.clone()).is_err());
    let error = Mock::builder().faults(vec![never]).start().await.unwrap_err();
    let expected = "the faults are impossible: percent: expected a whole number from 1 to 100";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn without_a_socket_a_drop_is_a_body_that_fails() {
    use tower::ServiceExt;
    let act = Act::ConnectionDrops { when: When::AfterCommit };
    let cut = Act::AnswerCut { after_bytes: 1 };
    for (act, kept) in [(act, 0), (cut, 1)] {
        let faults = Faults::new(1, vec![Rule::always(act)]).unwrap();
        let world = world(Profile::default()).faulty(faults);
        let ask = axum::http::Request::get("/v1/webhooks").header("authorization", KEY);
        let ask = ask.body(axum::body::Body::empty()).unwrap();
        let mut body = world.router().oneshot(ask).await.unwrap().into_body();
        if kept > 0 {
            assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "[");
        }
        assert!(body.frame().await.unwrap().is_err());
        assert_eq!(world.journal()[0].fault.as_deref(), Some(act.name()));
        assert_eq!(world.now(), start());
    }
}

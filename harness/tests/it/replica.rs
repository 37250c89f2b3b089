//! A service that reads from a replica: the replica may lag behind, but not forever.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use tideover_exchange::transcript::Header;
use tideover_live::recorded::{Recording, judge};
use tideover_live::settings::{Accounts, Payor, Settings};
use tideover_model::Profile;
use tideover_suite::play::cases::{Plan, Summary, check};

use crate::support::app::serve;
use crate::support::live::{begin, endpoint, header, settings};

/// A proxy between the run and a mock at `url`.
#[derive(Clone)]
struct Replica {
    url: String,
    /// For how many requests after a write reads stay stale.
    lag: u32,
    /// Whether reads come from the replica.
    reads: bool,
    /// Whether writes to a business that the replica does not know are refused.
    decides: bool,
    client: reqwest::Client,
    /// The stale responses, by path.
    stale: Arc<Mutex<BTreeMap<String, Stale>>>,
}

/// A stale response, and for how many more requests it stays.
type Stale = (StatusCode, Bytes, u32);

impl Replica {
    fn of(url: &str, lag: u32) -> Replica {
        let client = crate::support::plain::client();
        let url = url.to_owned();
        Replica { url, lag, reads: true, decides: false, client, stale: Arc::default() }
    }

    async fn answer(self, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
        let path = uri.to_string();
        self.go_on();
        match method {
            Method::GET => {
                if let Some(stale) = self.stale(&path).filter(|_| self.reads) {
                    return stale;
                }
            }
            _ if let Some(refusal) = self.refusal(&path, &body) => return refusal,
            Method::PUT => self.freeze(&path, &headers).await,
            _ => {}
        }
        let (status, body) = self.ask(method, &path, &headers, body).await;
        (status, body).into_response()
    }

    /// Keeps the current response to `path` as the stale one.
    async fn freeze(&self, path: &str, headers: &HeaderMap) {
        let (status, body) = self.ask(Method::GET, path, headers, Bytes::new()).await;
        let mut stale = self.stale.lock().unwrap();
        stale.entry(path.to_owned()).or_insert((status, body, 0)).2 = self.lag;
    }

    /// The refusal of a write to a business that the replica does not know yet.
    fn refusal(&self, path: &str, body: &[u8]) -> Option<Response> {
        let body = String::from_utf8_lossy(body);
        let names = |known: &str| {
            let (_, business) = known.rsplit_once('/').unwrap();
            let identifier = format!("\"externalId\":\"{business}\"");
            path == format!("{known}/payout-account")
                || path == "/v1/invitations" && body.contains(&identifier)
        };
        let stale = self.stale.lock().unwrap();
        let mut unknown = stale
            .iter()
            .filter(|(known, (status, ..))| *status == StatusCode::NOT_FOUND && names(known));
        let (_, (status, answer, _)) = unknown.next().filter(|_| self.decides)?;
        Some((*status, answer.clone()).into_response())
    }

    fn stale(&self, path: &str) -> Option<Response> {
        let stale = self.stale.lock().unwrap();
        let (status, body, _) = stale.get(path)?;
        Some((*status, body.clone()).into_response())
    }

    fn go_on(&self) {
        self.stale.lock().unwrap().retain(|_, (.., requests)| {
            *requests -= 1;
            *requests > 0
        });
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &HeaderMap,
        body: Bytes,
    ) -> (StatusCode, Bytes) {
        let url = format!("{}{path}", self.url);
        let mut request = self.client.request(method, url).body(body);
        for name in ["authorization", "content-type"] {
            let values = headers.get(name).into_iter();
            request = values.fold(request, |request, value| request.header(name, value));
        }
        let response = request.send().await.unwrap();
        (response.status(), response.bytes().await.unwrap())
    }
}

fn plan() -> Plan {
    Plan { header: header(), first: 0, cases: 6, steps: 30, max_findings: 1 }
}

/// The summary of a check through such a replica, and that of its journal.
async fn checked(lag: u32, reads: bool, decides: bool) -> (Summary, Summary) {
    checked_by(&plan(), lag, reads, decides).await
}

async fn checked_by(plan: &Plan, lag: u32, reads: bool, decides: bool) -> (Summary, Summary) {
    let mock = endpoint(None).await;
    let replica = Replica { reads, decides, ..Replica::of(mock.url(), lag) };
    let app = Router::new()
        .fallback(move |method, uri, headers, body| replica.answer(method, uri, headers, body));
    let settings = Settings { target: serve(app).await, ..settings(&mock) };
    let mut begun = begin(settings, None).await;
    let summary = check(&mut begun.world, plan).await.unwrap();
    let judged = judge(&Recording::read(&begun.journal).unwrap(), &Profile::default(), false);
    (summary, judged.summary)
}

/// Nobody knows whether the failed retry would have shown the write.
#[tokio::test]
async fn a_stale_read_whose_retry_fails_is_inconclusive() {
    let mock = endpoint(None).await;
    let replica = Replica::of(mock.url(), 3);
    let lagged = Arc::new(Mutex::new(BTreeSet::new()));
    let app = Router::new().fallback(async move |method: Method, uri: Uri, headers, body| {
        let path = uri.to_string();
        if method == Method::GET && lagged.lock().unwrap().remove(&path) {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        if method == Method::GET && replica.stale(&path).is_some() {
            lagged.lock().unwrap().insert(path);
        }
        replica.answer(method, uri, headers, body).await
    });
    let mut begun = begin(Settings { target: serve(app).await, ..settings(&mock) }, None).await;
    let summary = check(&mut begun.world, &plan()).await.unwrap();
    assert!(summary.failures.is_empty(), "{:?}", summary.failures);
    assert!(!summary.noticed.is_empty());
}

/// A run reads listed accounts first, since their state may predate the run.
#[tokio::test]
async fn lost_first_read_accuses_nobody() {
    let mock = endpoint(None).await;
    let settings = settings(&mock);
    let listed = vec!["acme".into(), "bolt".into()];
    let payors = vec![Payor { identifier: "globex".into(), legal_name: "Globex Inc".into() }];
    let accounts = Accounts { listed, payors, prefix: None, ..settings.accounts.clone() };
    let settings = Settings { accounts, operator: None, ..settings };
    let unlisted = (StatusCode::FORBIDDEN, r#"{"error":"Not now.","code":"not_now"}"#);
    let down = (StatusCode::SERVICE_UNAVAILABLE, "");
    // The first run leaves state behind. A failure without the document's shape is noticed.
    let runs = [(1..2, None, false), (3..8, Some(down), true), (100..105, Some(unlisted), false)];
    for (seeds, instead, is_noticed) in runs {
        let mut noticed = 0;
        for seed in seeds {
            let target = serve(losing(mock.url(), instead)).await;
            let settings = Settings { target, own_name: format!("td-{seed}-"), ..settings.clone() };
            let mut begun = begin(settings, None).await;
            let plan = Plan { header: Header { seed, ..header() }, ..plan() };
            let summary = check(&mut begun.world, &plan).await.unwrap();
            assert!(summary.failures.is_empty(), "{seed}: {:?}", summary.failures);
            noticed += summary.noticed.len();
        }
        assert_eq!(noticed > 0, is_noticed, "{instead:?}");
    }
}

/// A proxy before a mock at `url`. It may replace the first response to each read with `instead`.
fn losing(url: &str, instead: Option<(StatusCode, &'static str)>) -> Router {
    let replica = Replica::of(url, 1);
    let read = Arc::new(Mutex::new(BTreeSet::new()));
    Router::new().fallback(async move |method: Method, uri: Uri, headers, body| {
        let is_first = || read.lock().unwrap().insert(uri.to_string());
        if let Some(instead) = instead
            && method == Method::GET
            && uri.path() != "/v1/webhooks"
            && is_first()
        {
            return instead.into_response();
        }
        replica.answer(method, uri, headers, body).await
    })
}

/// The places of stale responses.
fn lagging(summary: &Summary) -> impl Iterator<Item = String> {
    let gaps = summary.gaps.all().filter(|gap| gap.clause.name() == "gap.readOwnWrites");
    gaps.map(|gap| gap.place)
}

fn lagged(summary: &Summary) -> bool {
    lagging(summary).next().is_some()
}

/// Nobody is accused, and both the run and its journal show the gap.
fn assert_is_a_gap((summary, judged): (Summary, Summary), shows: fn(&Summary) -> bool) {
    for summary in [summary, judged] {
        assert!(summary.failures.is_empty(), "{:?}", summary.failures);
        assert!(shows(&summary));
    }
}

#[tokio::test]
async fn stale_refusals_are_retried_and_reported_as_gaps() {
    let lagged_in_a_write =
        |summary: &Summary| lagging(summary).any(|place| !place.contains("GET "));
    // A write that a stale decision refuses is rare.
    let plan = Plan { first: 16, cases: 8, ..plan() };
    assert_is_a_gap(checked_by(&plan, 3, true, true).await, lagged_in_a_write);
}

#[tokio::test]
async fn a_permanent_refusal_is_found() {
    let (summary, judged) = checked(u32::MAX, false, true).await;
    for summary in [summary, judged] {
        let found: Vec<_> = summary.failures.iter().flat_map(|one| &one.findings).collect();
        assert!(found.iter().any(|one| one.seen == "404 business_not_found"), "{found:?}");
        assert!(!lagged(&summary));
    }
}

#[tokio::test]
async fn stale_reads_are_retried_and_reported_as_gaps() {
    for lag in [2, 3] {
        assert_is_a_gap(checked(lag, true, false).await, lagged);
    }
}

#[tokio::test]
async fn a_permanently_stale_read_is_found() {
    let (summary, judged) = checked(u32::MAX, true, false).await;
    assert!(!summary.failures.is_empty() && !lagged(&summary));
    assert!(!judged.failures.is_empty() && !lagged(&judged));
}

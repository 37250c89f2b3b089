//! The cost of the mock, compared with the same axum and a trivial handler, which reads the body and responds
//! with as many bytes of JSON as the mock.
//!
//! The two are measured in turns (`tideover_benches::interleaved`). Without a socket, the router handles one
//! request after the other; with one, several connections keep a server in a separate thread busy.

mod server;
mod socket;
mod within;

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, header};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tideover_benches::figures;
use tideover_benches::interleaved::{Interleaved, Side};
use tideover_benches::population::{Draw, Population, now};
use tideover_benches::request::{authorization, get_invoice, sync_invoice};
use tideover_model::Service;
use tideover_model::exchange::answer;
use tideover_model::wire::written::Written;

/// Invoices in the mock: a realistic number for a test suite, not the maximum.
const INVOICES: u32 = 1_000;
/// Prepared requests, which are sent repeatedly.
const REQUESTS: u32 = 1024;

/// The requests of a benchmark, and the service that answers them.
struct Load {
    requests: Vec<Written>,
    service: Service,
    /// The echo's response: one of the mock's, of medium length.
    answer: Bytes,
}

impl Load {
    fn new(request: fn(Population, u32) -> Written) -> Load {
        let population = Population::new(INVOICES);
        let mut draw = Draw::new(11);
        let requests: Vec<Written> =
            (0..REQUESTS).map(|_| request(population, draw.below(INVOICES))).collect();
        let mut service = population.service();
        let authorization = authorization();
        let mut answers: Vec<Vec<u8>> = requests
            .iter()
            .map(|sent| answer(&mut service, now(), &sent.as_request(Some(&authorization))).body)
            .collect();
        answers.sort_by_key(Vec::len);
        let answer = answers.swap_remove(answers.len() / 2).into();
        Load { requests, service, answer }
    }
}

/// Reads the body and returns the fixed response.
async fn echo(State(answer): State<Bytes>, request: Request) -> Response<Body> {
    let read = to_bytes(request.into_body(), usize::MAX).await;
    assert!(read.is_ok(), "a body that can be read");
    let mut response = Response::new(Body::from(answer));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn echo_router(answer: Bytes) -> Router {
    Router::new().fallback(echo).with_state(answer)
}

fn within(criterion: &mut Criterion) {
    for (name, request) in REQUEST_KINDS {
        let Load { requests, service, answer } = Load::new(request);
        let mock = within::Within::new(server::world(service).router(), &requests);
        let echo = within::Within::new(echo_router(answer), &requests);
        measure(criterion, &format!("{name} without a socket"), mock, echo);
    }
}

fn over_sockets(criterion: &mut Criterion) {
    for (name, request) in REQUEST_KINDS {
        let Load { requests, service, answer } = Load::new(request);
        let mock = socket::Client::new(server::mock(service), &requests);
        let echo = socket::Client::new(server::echo(echo_router(answer)), &requests);
        measure(criterion, &format!("{name} over sockets"), mock, echo);
    }
}

type RequestKind = (&'static str, fn(Population, u32) -> Written);

const REQUEST_KINDS: [RequestKind; 2] =
    [("GET an invoice", get_invoice), ("PUT an invoice", sync_invoice)];

fn measure(criterion: &mut Criterion, name: &str, mock: impl Side, echo: impl Side) {
    let mut pair = Interleaved::new(mock, echo);
    let mut group = criterion.benchmark_group(format!("router: {name}"));
    group.throughput(Throughput::Elements(1));
    group.bench_function("mock", |bencher| {
        bencher.iter_custom(|requests| pair.play(requests).0);
    });
    group.bench_function("echo", |bencher| {
        bencher.iter_custom(|requests| pair.play(requests).1);
    });
    group.finish();
    let turns = pair.into_turns(name);
    turns.save(&figures::home()).expect("results can be kept beside criterion's");
}

criterion_group! {
    name = router;
    config = Criterion::default()
        .sample_size(15)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .nresamples(10_000);
    targets = within, over_sockets
}
criterion_main!(router);

//! How many steps the contract suite plays in a second: making them, sending them, predicting the answers
//! and checking them.

mod routed;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tideover_harness::generate;
use tideover_harness::suite::{InProcess, OverHttp, Plan, Summary, World, check};
use tideover_harness::target::{Http, start};
use tideover_harness::transcript::Header;
use tideover_model::{Profile, Seeded, Service};
use tideover_sim::{Mock, NoNames};
use tokio::runtime::{Builder, Runtime};

use crate::routed::Routers;

const SEED: u64 = 1;
/// Enough for every goal to have been the first of a case.
const CASES: u64 = 10;

fn plan() -> Plan {
    let header = Header::new(SEED, start(), Profile::default());
    Plan { header, first: 0, cases: CASES, steps: generate::DEFAULT_STEPS, max_findings: 1 }
}

fn play<W: World>(runtime: &Runtime, world: &mut W, plan: &Plan) -> Summary {
    let summary = runtime.block_on(check(world, plan)).expect("the target answers");
    if let Some(failure) = summary.failures.first() {
        panic!("case {} of seed {SEED} fails: {:?}", failure.case, failure.findings);
    }
    summary
}

fn service(plan: &Plan) -> Service {
    Service::new(plan.header.profile.clone(), Seeded { seed: plan.header.seed })
}

/// The mock in the client's own thread, as `tideover check` has it.
async fn over_http(plan: &Plan) -> (Mock, OverHttp) {
    let mock = Mock::builder()
        .seed(plan.header.seed)
        .start_at(plan.header.start)
        .resolver(NoNames)
        .start()
        .await
        .expect("a free port");
    let target = Http::new(mock.url(), mock.api_key()).expect("a client");
    (mock, OverHttp::new(target))
}

fn steps(criterion: &mut Criterion) {
    let plan = plan();
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut model = InProcess::new(service(&plan), plan.header.start);
    let played = play(&runtime, &mut model, &plan).steps;
    let mut group = criterion.benchmark_group("steps");
    group.throughput(Throughput::Elements(played));
    group.bench_function("generation alone", |bencher| {
        bencher.iter(|| {
            for case in plan.first..plan.first + plan.cases {
                black_box(generate::case(&plan.header, case, plan.steps));
            }
        });
    });
    group.bench_function("in process", |bencher| {
        bencher.iter(|| play(&runtime, &mut model, &plan));
    });
    let mut routers = Routers::new(service(&plan), plan.header.start);
    group.bench_function("through the router", |bencher| {
        bencher.iter(|| play(&runtime, &mut routers, &plan));
    });
    let (mock, mut over_http) = runtime.block_on(over_http(&plan));
    group.bench_function("over HTTP", |bencher| {
        bencher.iter(|| play(&runtime, &mut over_http, &plan));
    });
    group.finish();
    runtime.block_on(mock.stop());
}

criterion_group! {
    name = suite;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(4))
        .nresamples(10_000);
    targets = steps
}
criterion_main!(suite);

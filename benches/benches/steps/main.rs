//! The number of steps per second in the contract suite: making them, sending them, predicting the responses
//! and checking them.

mod routed;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mimalloc::MiMalloc;
use tideover_endpoint::Http;
use tideover_exchange::Memory;
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, ModelTarget, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, start};
use tideover_model::{Profile, Seeded, Service};
use tideover_sim::{Mock, NoNames};
use tideover_suite::generate;
use tideover_suite::play::case::play_case;
use tideover_suite::play::cases::{InProcess, OverHttp, Plan, Summary, World, check};
use tokio::runtime::{Builder, Runtime};

use crate::routed::Routers;

/// The same allocator as in the `tideover` command.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const SEED: u64 = 1;
/// Enough cases for every goal to come first as often as in any run, even the goal with large inputs.
const CASES: u64 = 408;

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

/// A world that sends webhooks to the inbox, as in `tideover check --in-process`.
fn in_process(plan: &Plan) -> InProcess {
    let Header { profile, seed, start, .. } = &plan.header;
    InProcess::new(service(profile.clone(), *seed, INBOX), *start)
}

/// A world that sends no webhooks.
fn routers(plan: &Plan) -> Routers {
    let Header { profile, seed, start, .. } = &plan.header;
    Routers::new(Service::new(profile.clone(), Seeded { seed: *seed }), *start)
}

/// The times of a case: making it, then playing and judging it.
fn times(runtime: &Runtime, world: &mut InProcess, plan: &Plan, number: u64) -> [Duration; 2] {
    let begun = Instant::now();
    let case = world.walked(&plan.header, number, plan.steps);
    let made = Instant::now();
    let played = runtime.block_on(async {
        let mut target = world.fresh().await.expect("the target answers");
        play_case(&mut target, &plan.header, &case).await
    });
    assert!(played.ended.is_none() && played.held(), "case {number} of seed {SEED}");
    [made - begun, made.elapsed()]
}

/// The same for all cases: the shortest of several measurements of each, because other load on the machine
/// only adds time.
fn undisturbed(runtime: &Runtime, world: &mut InProcess, plan: &Plan) -> [Duration; 2] {
    const TURNS: usize = 5;
    let shortest = |number| {
        let turns = (0..TURNS).map(|_| times(runtime, world, plan, number));
        turns.reduce(|one, other| [one[0].min(other[0]), one[1].min(other[1])])
    };
    plan.numbers()
        .filter_map(shortest)
        .fold(Default::default(), |[made, judged], [one, other]| [made + one, judged + other])
}

/// The requests of a case's steps, for the bare model without a judge.
fn sent(plan: &Plan, steps: &[Step]) -> Vec<Prepared> {
    let mut model = bare(plan);
    let mut memory = Memory::with_inbox(INBOX);
    let mut send = |step| {
        let prepared = Prepared::from_step(step, &memory, Service::FIRST_KEY);
        memory.keep(step, model.play(&prepared).json());
        prepared
    };
    steps.iter().map(&mut send).collect()
}

fn bare(plan: &Plan) -> ModelTarget {
    let Header { profile, seed, start, .. } = &plan.header;
    ModelTarget::new(profile.clone(), *seed, *start)
}

/// The mock in the client's own thread, as in `tideover check`.
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
    let mut model = in_process(&plan);
    let played = play(&runtime, &mut model, &plan).steps;
    let mut group = criterion.benchmark_group("steps");
    group.throughput(Throughput::Elements(played));
    let walk = |number| model.walked(&plan.header, number, plan.steps);
    let requests: Vec<_> = plan.numbers().map(|number| sent(&plan, &walk(number).steps)).collect();
    group.bench_function("the model alone", |bencher| {
        bencher.iter(|| {
            for requests in &requests {
                let mut model = bare(&plan);
                for request in requests {
                    black_box(model.answer(request));
                }
            }
        });
    });
    group.bench_function("generation alone", |bencher| {
        bencher.iter(|| {
            for case in plan.numbers() {
                black_box(generate::walked(&plan.header, case, plan.steps, Some(INBOX)));
            }
        });
    });
    group.bench_function("playing and judging alone", |bencher| {
        bencher.iter_custom(|rounds| {
            let cases = (0..rounds).flat_map(|_| plan.numbers());
            cases.map(|case| times(&runtime, &mut model, &plan, case)[1]).sum()
        });
    });
    group.bench_function("playing and judging alone, undisturbed", |bencher| {
        bencher.iter_custom(|rounds| {
            (0..rounds).map(|_| undisturbed(&runtime, &mut model, &plan)[1]).sum()
        });
    });
    group.bench_function("in process, undisturbed", |bencher| {
        bencher.iter_custom(|rounds| {
            (0..rounds).flat_map(|_| undisturbed(&runtime, &mut model, &plan)).sum()
        });
    });
    group.bench_function("in process", |bencher| {
        bencher.iter(|| play(&runtime, &mut model, &plan));
    });
    let mut routers = routers(&plan);
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

//! The simulation: events per second as the world grows, and virtual time against wall time.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use tideover_simulate::simulation::plan::{Faults, Outage, Plan, Size};
use tideover_simulate::simulation::run;

const HOUR: u64 = 3_600_000;

/// The plan of a world, without restarts: a restart writes and reads the whole service, by design.
fn plan(businesses: u32, days: u64) -> Plan {
    let mut plan = Plan::draw(1, Size { platforms: 2, businesses, days });
    plan.faults.restarts.clear();
    plan
}

/// An event costs about the same in a small and in a large world.
fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulation");
    group.sampling_mode(SamplingMode::Flat);
    for businesses in [20, 200, 2_000, 10_000] {
        let plan = plan(businesses, 14);
        group.throughput(Throughput::Elements(run(&plan, None, false).events));
        group.bench_function(format!("{businesses} businesses"), |bencher| {
            bencher.iter(|| black_box(run(&plan, None, false)));
        });
    }
    group.finish();
}

/// How long virtual time takes: 28 hours in which a receiver is down, and a month of a thousand businesses.
fn time(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("virtual time");
    group.sampling_mode(SamplingMode::Flat);
    let mut retries = plan(20, 14);
    let outages = (0..2).map(|platform| Outage { platform, from: HOUR, until: 29 * HOUR });
    retries.faults = Faults { outages: outages.collect(), ..Faults::default() };
    let month = plan(1_000, 30);
    for (name, plan) in [("28 hours of retries", retries), ("a month of 1000 businesses", month)] {
        let seconds = run(&plan, None, false).lasted / 1000;
        group.throughput(Throughput::Elements(seconds));
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(run(&plan, None, false)));
        });
    }
    group.finish();
}

criterion_group! {
    name = simulation;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .nresamples(10_000);
    targets = growth, time
}
criterion_main!(simulation);

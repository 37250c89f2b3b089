//! The cost of judging concurrent requests: 16 clients of 25 requests each, with a tenth of the responses
//! lost, plus the reads before and after.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tideover_exchange::start;
use tideover_exchange::target::{INBOX, ModelTarget};
use tideover_exchange::transcript::Header;
use tideover_model::Profile;
use tideover_suite::generate::{Size, race};
use tideover_suite::play::concurrent::{History, Known, Schedule, interleave, judge};

const SIZE: Size = Size { clients: 16, steps: 25 };
const LOST_PERCENT: usize = 10;
/// The number of races, of every kind.
const RACES: u64 = 20;

fn header() -> Header {
    Header::new(1, start(), Profile::default())
}

fn raced(number: u64) -> History {
    let header = header();
    let race = race(&header, number, SIZE);
    let mut target = ModelTarget::new(header.profile.clone(), header.seed, header.start);
    interleave(&mut target, &race, Schedule { seed: number, lost: LOST_PERCENT })
}

fn concurrent(criterion: &mut Criterion) {
    let known = Known::of(&header(), INBOX);
    let histories: Vec<History> = (0..RACES).map(raced).collect();
    let requests: usize = histories.iter().map(|history| history.requests.len()).sum();
    for history in &histories {
        assert!(judge(history, &known).held(), "a right service is not accused");
    }
    let mut group = criterion.benchmark_group("concurrent");
    let mean = u64::try_from(requests).unwrap_or(u64::MAX) / RACES;
    group.throughput(Throughput::Elements(mean));
    group.bench_function("judging a race of 400", |bencher| {
        let mut next = histories.iter().cycle();
        bencher.iter_batched(
            || next.next().expect("there are some"),
            |history| black_box(judge(history, &known)),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group! {
    name = suite;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(4))
        .nresamples(10_000);
    targets = concurrent
}
criterion_main!(suite);

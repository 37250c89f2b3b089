//! The cost of an import of a thousand rows, from the bytes of the file to the bytes of the report.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tideover_benches::population::{Population, now};
use tideover_benches::request::{self, Columns, import_file};
use tideover_model::Service;
use tideover_model::exchange::{Response, answer};
use tideover_model::wire::written::Written;

const ROWS: u32 = 1000;

fn upload(service: &mut Service, sent: &Written, authorization: &str) -> Response {
    let response = answer(service, now(), &sent.as_request(Some(authorization)));
    assert_eq!(response.status, 200);
    response
}

fn both(criterion: &mut Criterion) {
    let authorization = request::authorization();
    let mut group = criterion.benchmark_group("import");
    group.throughput(Throughput::Elements(ROWS.into()));
    for (columns, named) in [(Columns::Required, "7 columns"), (Columns::All, "27 columns")] {
        let file = import_file(Population::new(ROWS), ROWS, columns);
        let sent = request::import("monday", file);

        group.bench_function(format!("{named}, every row new"), |bencher| {
            bencher.iter_batched(
                Population::nobody,
                |mut service| (upload(&mut service, &sent, &authorization), service),
                BatchSize::SmallInput,
            );
        });

        let mut service = Population::nobody();
        upload(&mut service, &sent, &authorization);
        group.bench_function(format!("{named}, every row skipped"), |bencher| {
            bencher.iter(|| black_box(upload(&mut service, &sent, &authorization)));
        });
    }
    group.finish();
}

criterion_group! {
    name = import;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .nresamples(10_000);
    targets = both
}
criterion_main!(import);

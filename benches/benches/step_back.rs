//! What it costs to look back: a request of a world that keeps its earlier states and of one that does not, and the
//! world at an entry among ten thousand.
//!
//! A world keeps no states if its service is not the model's own, so the second is the same service behind a face that
//! alters nothing.

use std::hint::black_box;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use criterion::{Criterion, criterion_group, criterion_main};
use tideover_benches::is_trial;
use tideover_benches::population::{Population, now};
use tideover_benches::request::{authorization, get_invoice, sync_invoice};
use tideover_model::wire::written::Written;
use tideover_model::{Altered, Face, Service};
use tideover_sim::{Clock, ClockChoice, EntryName, JournalLimits, World};
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// The entries of the world that is looked back at.
const ENTRIES: u32 = 10_000;
const INVOICES: u32 = 1_000;

type Make = fn(Population, u32) -> Written;
type Wrap = fn(Service) -> Box<dyn Face>;

/// A service that a world cannot copy.
struct Opaque(Service);

impl Altered for Opaque {
    type Face = Service;

    fn unaltered(&self) -> &Service {
        &self.0
    }

    fn unaltered_mut(&mut self) -> &mut Service {
        &mut self.0
    }
}

fn world(face: Box<dyn Face>, requests: usize) -> World {
    let limits = JournalLimits { requests, bytes: 256 << 20, ..JournalLimits::default() };
    World::new(face, Clock::new(now(), ClockChoice::Still)).journaling(limits)
}

fn send(runtime: &Runtime, router: &Router, sent: &Written) -> u16 {
    let mut request = Request::builder().method(sent.method).uri(&*sent.path);
    request = request.header("authorization", authorization());
    if let Some(content_type) = sent.content_type {
        request = request.header("content-type", content_type);
    }
    let request = request.body(Body::from(sent.body.clone())).expect("a request");
    runtime.block_on(router.clone().oneshot(request)).expect("an answer").status().as_u16()
}

/// What a request pays when nobody looks back.
fn requests(criterion: &mut Criterion) {
    let runtime = runtime();
    let population = Population::new(INVOICES);
    let mut group = criterion.benchmark_group("a request, earlier states");
    let kinds: [(&str, Make); 2] = [("PUT", sync_invoice), ("GET", get_invoice)];
    for (kind, make) in kinds {
        let sent: Vec<Written> = (0..INVOICES).map(|invoice| make(population, invoice)).collect();
        let faces: [(&str, Wrap); 2] = [
            ("kept", |service| Box::new(service)),
            ("not kept", |service| Box::new(Opaque(service))),
        ];
        for (kept, face) in faces {
            let router = world(face(population.service()), 1000).router();
            let mut next = sent.iter().cycle();
            group.bench_function(format!("{kind}, {kept}"), |bencher| {
                bencher.iter(|| next.next().map(|sent| send(&runtime, &router, sent)));
            });
        }
    }
    group.finish();
}

/// What looking back costs.
fn looks(criterion: &mut Criterion) {
    let runtime = runtime();
    let population = Population::new(INVOICES);
    let entries = if is_trial() { 100 } else { ENTRIES };
    let world = world(Box::new(population.service()), entries as usize);
    let router = world.router();
    for entry in 0..entries {
        assert_eq!(send(&runtime, &router, &sync_invoice(population, entry % INVOICES)), 200);
    }
    let mut group = criterion.benchmark_group("10,000 entries");
    for (place, entry) in [("first", 0), ("middle", entries / 2), ("last", entries - 1)] {
        let entry = EntryName::Request(entry.into());
        group.bench_function(format!("the world at the {place}"), |bencher| {
            bencher.iter(|| black_box(world.at(entry)));
        });
        group.bench_function(format!("what the {place} changed"), |bencher| {
            bencher.iter(|| black_box(world.changed_by(entry)));
        });
    }
    group.finish();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime")
}

criterion_group! {
    name = step_back;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .nresamples(10_000);
    targets = requests, looks
}
criterion_main!(step_back);

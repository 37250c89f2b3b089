//! The cost of the model's operations with a thousand, a hundred thousand and a million invoices.
//!
//! Each operation picks at random from the whole population. Making the requests, a few at a time, and
//! replenishing what an operation uses up (invoices without an advance) are not measured. Time passes between
//! requests.
//!
//! The comparison is a lower bound for any operation: one random read in memory with the same number of rows.
//! The additional cost of an operation among a million invoices is a few such reads in sequence.

use std::cell::LazyCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use tideover_benches::is_trial;
use tideover_benches::population::{
    Draw, INSTALMENT, Population, business_name, face_value, invoice_name, now,
};
use tideover_benches::request::{authorization, get_invoice, sync_invoice};
use tideover_model::exchange::answer;
use tideover_model::wire::written::Written;
use tideover_model::{Face, Happening, Operation, PlatformId, Service};

const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];
/// The number of prepared requests: few enough for the innermost caches, like a request that was just
/// decoded.
const BATCH: u64 = 64;

/// The input to the service.
enum Asked {
    Operation(Operation),
    Happening(Happening),
    Request(Written),
}

/// An operation to measure.
struct Case {
    name: &'static str,
    make: fn(Population, Pick) -> Asked,
    picks: Picks,
}

/// The raw material of a request.
struct Pick {
    /// An invoice.
    invoice: u32,
    /// Any number.
    any: u32,
}

/// The invoices to pick, and how often before the population must be restored.
#[derive(Clone, Copy)]
enum Picks {
    /// Any invoice.
    Any,
    /// Any invoice without an advance.
    Unadvanced,
    /// Each invoice without an advance, once.
    UnadvancedOnce,
    /// New invoices, up to a tenth of the population.
    New,
}

const CASES: [Case; 9] = [
    Case { name: "sync a new invoice", make: sync, picks: Picks::New },
    Case { name: "sync a known invoice", make: sync, picks: Picks::Unadvanced },
    Case { name: "get an invoice", make: get, picks: Picks::Any },
    Case { name: "request an advance", make: request_advance, picks: Picks::UnadvancedOnce },
    Case { name: "quote", make: quote, picks: Picks::Any },
    Case { name: "payor pays", make: payor_pays, picks: Picks::Any },
    Case { name: "sync a new invoice, request to response", make: put, picks: Picks::New },
    Case { name: "sync a known invoice, request to response", make: put, picks: Picks::Unadvanced },
    Case { name: "get an invoice, request to response", make: fetch, picks: Picks::Any },
];

fn sync(population: Population, Pick { invoice, .. }: Pick) -> Asked {
    Asked::Operation(Operation::SyncInvoice(Box::new(population.sync(invoice))))
}

fn get(population: Population, Pick { invoice, .. }: Pick) -> Asked {
    Asked::Operation(Operation::GetInvoice {
        payee: business_name(population.payee(invoice)),
        invoice: invoice_name(invoice),
    })
}

fn request_advance(population: Population, Pick { invoice, .. }: Pick) -> Asked {
    Asked::Operation(population.request_of_advance(invoice))
}

fn quote(population: Population, Pick { invoice, any }: Pick) -> Asked {
    let business = business_name(population.payee(invoice));
    Asked::Operation(Operation::Quote { business, face_value: face_value(any) })
}

fn payor_pays(population: Population, Pick { invoice, .. }: Pick) -> Asked {
    Asked::Happening(Happening::PayorPays {
        payee: business_name(population.payee(invoice)),
        invoice: invoice_name(invoice),
        amount: INSTALMENT,
    })
}

fn put(population: Population, Pick { invoice, .. }: Pick) -> Asked {
    Asked::Request(sync_invoice(population, invoice))
}

fn fetch(population: Population, Pick { invoice, .. }: Pick) -> Asked {
    Asked::Request(get_invoice(population, invoice))
}

/// A population in its initial and its current state.
struct Run<'a> {
    population: Population,
    untouched: &'a Service,
    live: Service,
    /// The invoices to pick from, in random order; if empty, all of them.
    order: Vec<u32>,
    picks: Picks,
    picked: u32,
    asked: u64,
    draw: Draw,
    authorization: String,
}

impl<'a> Run<'a> {
    fn new(population: Population, untouched: &'a Service, picks: Picks) -> Run<'a> {
        let mut draw = Draw::new(7);
        let mut order = Vec::new();
        if matches!(picks, Picks::Unadvanced | Picks::UnadvancedOnce) {
            order.extend((0..population.invoices()).filter(|n| !population.is_advanced(*n)));
            draw.shuffle(&mut order);
        }
        let authorization = authorization();
        let live = renewed(untouched, population);
        Run { population, untouched, live, order, picks, picked: 0, asked: 0, draw, authorization }
    }

    /// The number of picks before the population must be restored.
    fn stock(&self) -> u32 {
        match self.picks {
            Picks::Any | Picks::Unadvanced => 100 * self.population.invoices(),
            Picks::UnadvancedOnce => u32::try_from(self.order.len()).expect("a population's size"),
            Picks::New => self.population.invoices() / 10,
        }
    }

    fn pick(&mut self) -> Pick {
        if self.picked == self.stock() {
            self.live = renewed(self.untouched, self.population);
            self.picked = 0;
        }
        let invoice = match self.picks {
            Picks::Any => self.draw.below(self.population.invoices()),
            Picks::Unadvanced | Picks::UnadvancedOnce => {
                self.order[self.picked as usize % self.order.len()]
            }
            // The restored population has one additional invoice.
            Picks::New => self.population.invoices() + 1 + self.picked,
        };
        self.picked += 1;
        Pick { invoice, any: self.draw.below(u32::MAX) }
    }

    /// The time that `requests` requests take.
    fn measure(&mut self, case: &Case, requests: u64) -> Duration {
        let mut took = Duration::ZERO;
        let mut left = requests;
        while left > 0 {
            let room = u64::from(self.stock() - self.picked % self.stock());
            let batch = left.min(BATCH).min(room);
            left -= batch;
            let asked: Vec<Asked> =
                (0..batch).map(|_| (case.make)(self.population, self.pick())).collect();
            let began = Instant::now();
            for asked in asked {
                self.ask(asked);
            }
            took += began.elapsed();
        }
        took
    }

    fn ask(&mut self, asked: Asked) {
        self.asked += 1;
        let now = now().after_milliseconds(self.asked);
        match asked {
            Asked::Operation(operation) => {
                let answer = self.live.handle(now, PlatformId::DEFAULT, operation);
                assert!(black_box(answer).is_ok(), "refused");
            }
            Asked::Happening(happening) => {
                let outcome = self.live.happen(now, PlatformId::DEFAULT, happening);
                assert!(black_box(outcome).is_ok(), "impossible");
            }
            Asked::Request(sent) => {
                let request = sent.as_request(Some(&self.authorization));
                let response = black_box(answer(&mut self.live, now, &request));
                assert_eq!(response.status, 200);
            }
        }
    }
}

/// The initial population, with tables that have grown enough for a new invoice.
fn renewed(untouched: &Service, population: Population) -> Service {
    let mut service = untouched.clone();
    let one_more = population.sync(population.invoices());
    service
        .handle(now(), PlatformId::DEFAULT, Operation::SyncInvoice(Box::new(one_more)))
        .expect("nothing to refuse");
    service
}

fn all(criterion: &mut Criterion) {
    let sizes = if is_trial() { &SIZES[..1] } else { &SIZES };
    let populations: Vec<_> = sizes
        .iter()
        .map(|size| {
            let population = Population::new(*size);
            (population, LazyCell::new(move || population.service()))
        })
        .collect();
    let mut group = criterion.benchmark_group("model");
    for case in &CASES {
        for (population, untouched) in &populations {
            at_size(&mut group, case, *population, untouched);
        }
    }
    for size in sizes {
        let mut rows = Rows::new(*size);
        group.bench_function(BenchmarkId::new("one read at random", size), |bencher| {
            bencher.iter(|| rows.read_next());
        });
    }
    group.finish();
}

/// Rows of an invoice's size. Each holds the number of the next one, so that a walk visits every row.
struct Rows {
    rows: Vec<Row>,
    at: u32,
}

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Row {
    next: u32,
    _rest: [u32; 23],
}

impl Rows {
    fn new(size: u32) -> Rows {
        let mut order: Vec<u32> = (0..size).collect();
        Draw::new(11).shuffle(&mut order);
        let mut rows = vec![Row { next: 0, _rest: [0; 23] }; size as usize];
        for (at, next) in order.iter().zip(order.iter().cycle().skip(1)) {
            rows[*at as usize].next = *next;
        }
        Rows { rows, at: 0 }
    }

    fn read_next(&mut self) -> u32 {
        self.at = self.rows[self.at as usize].next;
        self.at
    }
}

fn at_size<F: FnOnce() -> Service>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    case: &Case,
    population: Population,
    untouched: &LazyCell<Service, F>,
) {
    let mut run = None;
    group.bench_function(BenchmarkId::new(case.name, population.invoices()), |bencher| {
        let run = run.get_or_insert_with(|| Run::new(population, untouched, case.picks));
        bencher.iter_custom(|requests| run.measure(case, requests));
    });
}

criterion_group! {
    name = model;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1000))
        .nresamples(10_000);
    targets = all
}
criterion_main!(model);

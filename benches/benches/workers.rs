//! How many requests a run sends in a second to a service that takes its time, by the number of cases at once.
//!
//! `cargo bench -p tideover-benches --bench workers` starts the mock behind a fixed delay, on a thread of its own, and
//! explores it as a sandbox with one key. It takes two minutes and prints a table.

#![expect(clippy::float_arithmetic, reason = "requests in a second, not money")]

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use tideover_benches::is_trial;
use tideover_endpoint::client::Client;
use tideover_endpoint::wall_time;
use tideover_exchange::transcript::Header;
use tideover_live::Vocabulary;
use tideover_live::exploration::Exploration;
use tideover_live::session::Session;
use tideover_live::settings::own_name;
use tideover_live::settings::{Accounts, ApiKey, Budget, Sandbox, Settings, any_name};
use tideover_live::target::LiveWorld;
use tideover_model::Profile;
use tideover_sim::{Mock, NoNames};
use tideover_suite::generate::DEFAULT_STEPS;
use tideover_suite::play::cases::Plan;

/// What each request takes at least.
const LATENCY: Duration = Duration::from_millis(20);

/// How long each run explores. Seconds.
const SECONDS: u64 = 20;

fn main() -> io::Result<()> {
    let (target, key) = slow_mock();
    let mut out = io::stdout().lock();
    writeln!(out, "| cases at once | requests/s | : one at once | clauses |")?;
    writeln!(out, "| ---: | ---: | ---: | ---: |")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut one = None;
    let numbers: &[u32] = if is_trial() { &[2] } else { &[1, 2, 4, 8] };
    for workers in numbers {
        let (rate, clauses) = runtime.block_on(explore(&target, &key, *workers));
        let one = *one.get_or_insert(rate);
        writeln!(out, "| {workers} | {rate:.0} | {:.2} | {clauses} |", rate / one)?;
    }
    Ok(())
}

/// Starts the mock behind the delay. Returns its URL and its key.
fn slow_mock() -> (String, String) {
    let (ready, started) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            let mock = Mock::builder().resolver(NoNames).start().await.expect("a mock");
            let delay = async |request: Request, next: Next| {
                tokio::time::sleep(LATENCY).await;
                next.run(request).await
            };
            let app = mock.router().layer(from_fn(delay));
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            ready.send((format!("http://{address}"), mock.api_key().to_owned())).expect("it waits");
            axum::serve(listener, app).await.expect("it serves");
        });
    });
    started.recv().expect("the mock starts")
}

/// Explores the target; returns the requests in a second, and how many clauses were met.
async fn explore(target: &str, key: &str, workers: u32) -> (f64, usize) {
    let requests = if is_trial() { 60 } else { u64::MAX };
    let budget = Budget { seconds: Some(SECONDS), requests, ..Budget::of_sandbox() };
    let settings = Settings {
        target: target.to_owned(),
        key: ApiKey::new(key.to_owned()),
        second_key: None,
        operator: None,
        headers: Vec::new(),
        webhooks: None,
        sandbox: Some(Sandbox::default()),
        allow_writes: true,
        allow_disturbance: false,
        accounts: Accounts::default(),
        budget,
        per_second: None,
        at_once: NonZeroU32::MIN,
        workers: NonZeroU32::new(workers),
        timeout: Duration::from_secs(30),
        restart: None,
        own_name: own_name(&any_name()).expect("a name"),
        is_run_new: true,
    };
    let header = Header::new(1, wall_time(), Profile::default());
    let plan = Plan { header, first: 0, cases: 4000, steps: DEFAULT_STEPS, max_findings: 1 };
    let journal = std::env::temp_dir().join(format!("tideover-bench-{}.jsonl", any_name()));
    let client = Client::new(target, settings.timeout, None).expect("a client");
    let session = Session::new(settings.clone(), client, None, None, &journal, &plan.header);
    let mut session = session.expect("a journal");
    session.greet().await.expect("it answers");
    let vocabulary = Vocabulary::new(settings, session.abilities().clone(), plan.cases);
    let session = Rc::new(session);
    let world = LiveWorld::new(Rc::clone(&session), vocabulary);
    let mut exploration = Exploration::new(&plan, session, world, None);
    // It ends with its budget.
    let _ = exploration.run(|_| {}).await;
    let effort = exploration.effort();
    let _ = std::fs::remove_file(&journal);
    let last = effort.reached.last().expect("a case was played");
    (last.requests as f64 * 1e3 / last.milliseconds as f64, last.clauses)
}

//! Shared parts of the benchmarks: services with many invoices, clients' requests, events, and the figures of
//! earlier runs.

pub mod events;
pub mod figures;
pub mod interleaved;
pub mod population;
pub mod race;
pub mod request;

/// Whether each benchmark only runs once as a trial, with `-- --test`: only `cargo bench` without it
/// measures.
pub fn is_trial() -> bool {
    let given = |option: &str| std::env::args().any(|argument| argument == option);
    !given("--bench") || given("--test")
}

//! What the benchmarks share: services with many invoices, requests as clients send them, events,
//! and the figures of earlier runs.

pub mod events;
pub mod figures;
pub mod interleaved;
pub mod population;
pub mod race;
pub mod request;

/// Whether each benchmark is only tried once: `cargo bench` without `-- --test` is what measures.
pub fn is_trial() -> bool {
    let given = |option: &str| std::env::args().any(|argument| argument == option);
    !given("--bench") || given("--test")
}

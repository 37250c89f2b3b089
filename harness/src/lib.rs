//! A contract suite for the Receivables Advance Partner API: it plays random operation sequences against
//! the model, the mock or a live endpoint and says what held.
//!
//! - [`step`] is one symbolic action, [`transcript`] a run written down, [`target`] what is talked to.
//! - [`generate`] makes steps by walking with the model toward goals; [`shrink`] makes failures small.
//! - [`run`] plays them; [`checks`] hold one law each, with its clause; a [`finding`] is what does not hold.
//! - [`standing`] says what stands for each clause, or why nothing can.
//! - [`defects`] are deliberate violations, and [`prove`] shows that they are found.
//! - [`concurrent`] sends requests at once and judges what came of it.
//! - [`live`] is a target that is not ours, and what may be sent there.
//! - [`receiver`] examines an integrator's own endpoint for webhooks.
//! - [`coverage`] counts what was reached, [`tally`] the clauses that were met, [`latency`] how long it took, [`suite`] runs many cases, [`report`] tells of them.

pub mod checks;
pub mod cli;
pub mod concurrent;
pub mod coverage;
pub mod defects;
pub mod finding;
pub mod foretold;
pub mod generate;
pub mod identifiers;
pub mod inbox;
pub mod judge;
pub mod latency;
pub mod learn;
pub mod live;
pub mod matcher;
mod means;
pub mod payload;
pub mod prove;
pub mod receiver;
pub mod recorded;
pub mod renaming;
pub mod report;
pub mod run;
pub mod secrets;
pub mod shrink;
pub mod standing;
pub mod step;
pub mod stranger;
pub mod suite;
pub mod tally;
pub mod target;
pub mod transcript;
pub mod unasked;

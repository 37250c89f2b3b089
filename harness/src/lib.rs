//! A contract suite for the Receivables Advance Partner API: it plays random operation sequences against
//! the model, the mock or a live endpoint and says what held.
//!
//! - [`step`] is one symbolic action, [`transcript`] a run written down, [`target`] what is talked to.
//! - [`generate`] makes steps by walking with the model toward goals; [`shrink`] makes failures small.
//! - [`run`] plays them; [`checks`] hold one law each, with its clause; a [`finding`] is what does not hold.
//! - [`defects`] are deliberate violations, and [`prove`] shows that they are found.
//! - [`receiver`] examines an integrator's own endpoint for webhooks.
//! - [`coverage`] counts what was reached, [`suite`] runs many cases, [`report`] tells of them.

pub mod checks;
pub mod cli;
pub mod coverage;
pub mod defects;
pub mod finding;
pub mod generate;
pub mod identifiers;
pub mod inbox;
pub mod matcher;
pub mod prove;
pub mod receiver;
pub mod report;
pub mod run;
pub mod shrink;
pub mod step;
pub mod suite;
pub mod target;
pub mod transcript;

//! What a run has seen, counted for the report.
//!
//! - In come exchanges and compared points; out come findings, counts and values.
//! - [`finding`] is a contradiction of the document, [`tally`] counts the assertions of each clause, [`coverage`] the
//!   states that were reached, [`matrix`] what was asked in each, [`outcome`] the outcome of a run, [`Gaps`] the
//!   values where the document is silent, [`latency`] the response times, [`Effort`] what a run took.
//! - Never here: a comparison itself, the model, a target.

pub mod coverage;
mod ending;
pub mod finding;
mod gaps;
pub mod latency;
pub mod matrix;
pub mod outcome;
mod point;
mod reproduced;
mod shapes;
mod shard;
mod spent;
pub mod tally;

pub use ending::Ending;
pub use gaps::{Gap, Gaps};
pub use point::Point;
pub use reproduced::{Reproduced, Stability};
pub use shapes::{ABSENT, CaseShapes, Shape, Shapes};
pub use shard::Shard;
pub use spent::{Activity, Effort, Reached, Spent, TimeSpent};

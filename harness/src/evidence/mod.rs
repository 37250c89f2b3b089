//! What was seen, as it is counted and reported.
//!
//! - In come exchanges and compared points; out come findings, counts and values.
//! - [`finding`] is what contradicts the document, [`tally`] how often each clause was met, [`coverage`] which states
//!   were reached, [`Gaps`] what was seen where the document is silent, [`latency`] how long answers took.
//! - Never here: a comparison itself, the model, a target.

pub mod coverage;
mod ending;
pub mod finding;
mod gaps;
pub mod latency;
mod point;
pub mod tally;

pub use ending::Ending;
pub use gaps::{Gap, Gaps};
pub(crate) use point::Point;

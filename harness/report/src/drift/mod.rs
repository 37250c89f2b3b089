//! Drift: what a service does now, and did otherwise before, where the document leaves it open.
//!
//! - In come the observations of two runs; out come the rows that differ.
//! - Values that come by chance differ from run to run. A difference counts only if chance does not explain it.

mod difference;
mod observed;

pub use difference::{Change, Drift, DriftRow};
pub use observed::{Observations, Observed, Unreadable};

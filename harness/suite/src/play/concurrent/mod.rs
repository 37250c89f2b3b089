//! Concurrent requests, and the judgement of their responses.
//!
//! - [`History`] is the record: who sent what when, and which response came.
//! - `parts` splits it where no request touches both sides. `linearise` looks for an order in which the model gives the
//!   responses of one part, with each request taking effect between its call and its response.
//! - `contradictions` hold in every order. Only they are violations: the document promises no order.
//! - [`judge()`] is both. [`play()`] sends a [`Race`](tideover_exchange::Race) at once (`generate` makes them).
//!   [`interleave()`] decides for a target in process when each request takes effect and which responses get lost.
//! - [`Races`] runs one race after the other on a [`RaceTestbed`]. `minimise` shrinks violations.

pub mod contradictions;
mod history;
mod interleave;
mod judgement;
mod known;
mod linearise;
mod minimise;
mod parts;
mod play;
mod races;
mod summary;
mod testbed;
mod timeline;

pub use contradictions::Contradiction;
pub use history::{History, Interval, TimedRequest, TimedResponse};
pub use interleave::{Schedule, interleave};
pub use judgement::{Judgement, Part, contradictions, judge};
pub use known::Known;
pub use linearise::{OrderVerdict, Stuck};
pub use play::play;
pub use races::{Races, suspect};
pub use summary::{New, Parts, Summary, Unexplained};
pub use testbed::{RaceTestbed, run_at};

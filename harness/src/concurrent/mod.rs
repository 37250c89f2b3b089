//! Requests sent at once, and what their answers let be concluded.
//!
//! - [`History`] is what was seen: who sent what when, and what was answered, if anything was.
//! - `parts` splits it where no request touches both sides; `linearise` looks for an order in which the model
//!   gives the answers of one part, each request taking effect between its call and its answer.
//! - `contradictions` hold whatever the order: only they are violations, since the document promises no order.
//! - [`judge()`] is both. [`play()`] sends a [`Race`] at once (`generate` makes them), and [`interleave()`] decides for
//!   a target in process when each request takes effect and which answers get lost.

mod contradictions;
mod decoded;
pub(crate) mod draw;
mod history;
mod interleave;
mod judgement;
mod linearise;
mod parts;
mod play;
pub mod report;
mod summary;
mod timeline;

pub use history::{Answer, History, Request};
pub use interleave::{Interleaved, Schedule, interleave};
pub use judgement::{Contradiction, Judgement, Known, Part, Stuck, Verdict, judge};
pub use play::{Race, play};
pub use summary::{Failure, Summary, Unexplained};

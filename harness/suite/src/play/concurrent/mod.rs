//! Concurrent requests, and the judgement of their responses.
//!
//! - [`History`] is the record: who sent what when, and which response came.
//! - `parts` splits it where no request touches both sides; `linearise` looks for an order in which the model
//!   gives the responses of one part, with each request taking effect between its call and its response.
//! - `contradictions` hold in every order: only they are violations, because the document promises no order.
//! - [`judge()`] is both. [`play()`] sends a [`Race`](tideover_exchange::Race) at once (`generate` makes them), and [`interleave()`] decides for
//!   a target in process when each request takes effect and which answers get lost.
//! - [`Races`] runs one after the other on a [`Course`]; `minimise` shrinks violations.

pub mod contradictions;
mod course;
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
mod timeline;

pub use contradictions::Contradiction;
pub use course::Course;
pub use history::{Answer, History, Interval, Request};
pub use interleave::{Schedule, interleave};
pub use judgement::{Judgement, Part, Stuck, Verdict, contradictions, judge};
pub use known::Known;
pub use play::play;
pub use races::{InProcess, Races, run_at, run_in, suspect};
pub use summary::{New, Parts, Summary, Unexplained};

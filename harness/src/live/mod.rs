//! A target that is not ours.
//!
//! - In come the user's settings and the generator's stream; out come the allowed requests and their responses.
//! - [`settings`] is what the user allows, [`scope`] is the gate before every request, [`ledger`] counts the budget.
//!   [`session`] writes each request to the journal, sends it at the allowed pace, and cleans up. [`target`] is the
//!   target that a run plays against.
//! - Never here: a request around the gate, a judgement of a response.

mod cleanup;
pub mod given;
mod journal;
pub mod ledger;
pub(crate) mod means;
mod pace;
mod rehearsal;
mod sandbox;
pub mod scope;
pub mod session;
pub mod settings;
mod stream;
pub mod target;
pub mod unasked;
mod vocabulary;

pub(crate) use journal::previous;
pub use stream::{LIVE_STEPS, LiveCase, live_case, live_race};
pub use vocabulary::Vocabulary;

//! A target that is not ours.
//!
//! - In come the user's settings and the generator's stream; out come the requests that may be sent, and their answers.
//! - [`settings`] is what the user allows, [`scope`] is the gate that every request must pass, [`ledger`] counts what is
//!   spent. [`session`] sends at the allowed pace, writes each request down first, and cleans up. [`target`] is how a
//!   run sees it.
//! - Never here: a request that passes no gate, a judgement of an answer.

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

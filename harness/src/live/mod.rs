//! A target that is not ours: what may be sent there, and what was.
//!
//! - [`settings`] is what the user allows; [`scope`] is the gate that every request must pass.
//! - [`ledger`] counts what is spent, and knows what the run was given.
//! - [`session`] sends, at the pace that is allowed, and writes everything down before; what it has begun it
//!   also ends. [`target`] is how the suite sees it. What a failure is made smaller by is first rehearsed with
//!   the model.

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

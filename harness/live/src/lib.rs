//! Runs against a foreign target, and traffic recorded there.
//!
//! - Input: the user's settings and the generator's stream. Output: the requests that may be sent, and their
//!   responses.
//! - [`settings`] is what the user allows, [`scope`] is the gate that every request must pass, [`ledger`]
//!   counts what the run spends. [`session`] logs each request, sends it at the allowed pace, and cleans up.
//!   [`target`] presents the endpoint to a run, [`exploration`] decides what is played when. [`recorded`] judges
//!   what others have sent.
//! - Never here: a request that bypasses the gate, a judgement of a response. Only a replay at a mock, and the
//!   library's own [`Http`](tideover_endpoint::Http), send without these files.
//! - Begin at [`session`], then [`scope`].

mod cleanup;
mod command;
pub mod exploration;
pub mod facilities;
pub mod grants;
mod journal;
pub mod ledger;
mod pace;
pub mod recorded;
mod rehearsal;
mod restart;
pub mod scope;
pub mod session;
pub mod settings;
mod stream;
pub mod target;
pub mod unasked;
mod vocabulary;

pub use command::shell;
pub use journal::previous;
pub use stream::{LIVE_STEPS, LiveCase, live_case, live_race};
pub use vocabulary::Vocabulary;

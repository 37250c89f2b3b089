//! Small worlds, searched exhaustively.
//!
//! - Input: a world: what can be done in it, and how often. Output: how many states it has, which of the
//!   auditor's invariants hold in all of them, and what the search came across.
//! - The service is the model itself, with choices that follow from the question. States are compared modulo
//!   minted names and absolute time.
//! - Never here: a rule of the document, an invariant, randomness.

mod action;
mod cast;
mod choices;
mod counterexample;
mod milestone;
mod results;
mod search;
mod shown;
mod state;
mod summary;
mod world;

pub use action::Action;
pub use cast::{Invoice, Payment, Platform};
pub use choices::{planted, planted_named};
pub use counterexample::{Counterexample, CounterexampleStep};
pub use milestone::Milestone;
pub use results::results;
pub use search::{Bounds, Explored, INVARIANTS, Search};
pub use state::{Observation, State};
pub use summary::{list, list_as_json};
pub use world::{SmallWorld, WORLDS};

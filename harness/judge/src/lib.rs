//! What the responses of a target mean: which of its states they allow, and which sentences they break.
//!
//! - Each folder knows those before it: `comparison` compares a response with the model's, `grounds` finds the
//!   sentence to cite, `belief` keeps every state that explains the responses so far, [`checks`] hold any exchange
//!   to laws of their own.
//! - Never here: a request, a socket, a report, a rule that the model has.
//! - Begin at [`Belief::observe`], then [`checks`]: a check has one file and one row of the registry.

mod belief;
mod callers;
pub mod checks;
mod comparison;
mod grounds;

pub use belief::bounds::Bounds;
pub use belief::explain::{Candidate, DEEPEST, Explainer};
pub use belief::hidden::{Outside, PriorState};
pub use belief::hypothesis::{Hypothesis, Subject};
pub use belief::reading::{Revealed, amount};
pub use belief::{Belief, Explanation, Observation, has_failed, is_informative};
pub use checks::meanings;
pub use comparison::{ABSENT, ANY_TEXT, OWN, SUCCESS, is_near, meets_first_three};
pub use grounds::undone_by;

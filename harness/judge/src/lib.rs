//! What state a target may be in, inferred from its responses.
//!
//! - Input: an exchange. Output: compared points. A point says what was expected, what was seen, and which
//!   clause applies.
//! - If a target's choices are known, the model's response is the expected one ([`predicted`]). For any other
//!   target, a belief keeps every world the target may be in. A response that no world explains contradicts
//!   the document. [`checks`] apply whatever the model says.
//! - Never here: a request, a socket, a report, a rule that the model has.
//! - Begin at [`Belief`], then [`checks`]: a check has one file and one row of the registry.

mod amounts;
mod belief;
mod bindings;
mod bounds;
pub mod checks;
mod clock;
mod comparison;
mod explain;
mod grounds;
mod hidden;
pub mod meanings;
pub mod predicted;
mod reading;
mod world;

pub use belief::{Belief, Explanation, has_failed, is_informative};
pub(crate) use bindings::Bindings;
pub use bounds::Bounds;
pub use clock::is_near;
pub(crate) use comparison::Comparison;
pub use comparison::{ABSENT, ANY_TEXT, meets_first_three};
pub use explain::{Candidate, DEEPEST, Explainer};
pub(crate) use grounds::Grounds;
pub use grounds::undone_by;
pub use hidden::{Outside, PriorState};
pub use reading::{Revealed, amount};
pub use world::{Subject, World};

//! What a target may be like inside, as far as its answers show.
//!
//! - In comes an exchange; out come compared points: what was expected, what was seen, and by which clause.
//! - Where the choices of a target are known, the model's answer is the expected one ([`predicted`]). Of any other target,
//!   a belief keeps every world that it may be in; an answer that no world explains contradicts the document. [`checks`]
//!   hold whatever the model says.
//! - Never here: a request, a report, a rule that the model has.

mod amounts;
mod belief;
mod bindings;
mod bounds;
pub mod checks;
mod clock;
mod comparison;
mod explain;
mod hidden;
pub mod predicted;
mod reading;
mod world;

pub(crate) use belief::{Belief, Explanation, has_failed, is_informative};
pub(crate) use bindings::Bindings;
pub use bounds::Bounds;
pub(crate) use clock::is_near;
pub(crate) use comparison::{ABSENT, Comparison, meets_first_three};
pub(crate) use explain::{Attempt, DEEPEST, Unseen};
pub use hidden::{Before, Outside};
pub(crate) use reading::{Revealed, amount};
pub(crate) use world::{Subject, World};

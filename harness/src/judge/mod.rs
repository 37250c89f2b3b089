//! The judge: what a target may be like inside, as far as its answers have told.
//!
//! A target whose choices are known (the mock, the model) is in one state, and each answer is compared with the
//! one that the model gives there. Of any other, a belief keeps the worlds that it may be in: free values are
//! read off the answers, hidden transitions may have happened at any moment once they are enabled, and a
//! request without an answer may have been carried out or not. An answer that no world explains contradicts the
//! document.

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

pub(crate) use belief::{Belief, Explanation, has_failed, tells};
pub(crate) use bindings::Bindings;
pub use bounds::Bounds;
pub(crate) use clock::is_near;
pub(crate) use comparison::{ABSENT, Comparison, meets_first_three};
pub(crate) use explain::{Attempt, DEEPEST, Unseen};
pub use hidden::{Before, Outside};
pub(crate) use reading::{Told, amount};
pub(crate) use world::{Subject, World};

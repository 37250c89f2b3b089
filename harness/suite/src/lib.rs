//! Makes cases and plays them.
//!
//! - [`generate`] walks with the model toward goals; [`play`] sends the steps, has them judged, shrinks failures
//!   and learns.
//! - Never here: a check, how a report looks, what may be sent to a live target. `generate` knows nothing of `play`.
//! - Begin at [`generate::case`] and [`play::case`].

pub mod generate;
pub mod play;
pub mod prediction;

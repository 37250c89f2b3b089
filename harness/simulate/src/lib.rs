//! The whole world without a socket: drawn from a seed, or searched exhaustively.
//!
//! - [`simulation`] plays actors, faults and a network in virtual time, and audits it after every event.
//!   [`explore`] searches small worlds with the same invariants.
//! - Never here: a rule of the document, the judge, a clock that runs. `simulation` knows nothing of `explore`.
//! - Begin at [`simulation::run`], then [`simulation::auditor`].

pub mod explore;
pub mod simulation;

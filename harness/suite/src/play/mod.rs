//! Plays cases and races.
//!
//! - In come a testbed and the steps of a case; out comes the judged outcome, with shrunk failures.
//! - [`case`] plays one case, [`cases`] many, [`concurrent`] sends requests at once, [`shrink`] shrinks failures,
//!   [`replay`] plays a transcript again, [`learn`] keeps what a run learns about a target's choices, [`order`] puts the
//!   cases that show the most first.
//! - Never here: how a report looks, what may be sent to a live target.

pub mod case;
pub mod cases;
pub mod concurrent;
pub mod learn;
pub mod order;
pub mod outage;
pub mod regressions;
pub mod replay;
pub mod shrink;
pub mod touched;

//! Cases and races, played.
//!
//! - In come a world and the steps of a case; out comes what was seen, judged, with failures made small.
//! - [`case`] plays one case, [`cases`] many, [`concurrent`] sends requests at once, [`shrink`] makes failures small,
//!   [`learn`] keeps what a run learns of a target's choices.
//! - Never here: how a report looks, what may be sent to a live target.

pub mod case;
pub mod cases;
pub mod concurrent;
pub mod learn;
pub mod shrink;

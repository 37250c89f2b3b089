//! What is said between a run and its target, and what a run has seen.
//!
//! - A [`step`] is symbolic, [`Prepared`] is the step as it is sent, [`Response`] a response, [`Arrival`] a webhook,
//!   [`Exchange`] what belongs together; a [`transcript`] is a run as a file.
//! - [`target`] is whoever is talked to, [`evidence`] is what is counted and found for the report.
//! - Never here: a socket, a thread, a clock, a rule of the document, a judgement.
//! - Begin at [`step`], then [`target::Target`] and [`evidence::finding`].

mod arrival;
mod corrected;
mod dates;
pub mod evidence;
mod exchange;
mod masking;
pub mod matcher;
mod memory;
mod payload;
mod prepared;
mod race;
pub mod renaming;
mod response;
pub mod secrets;
mod sequence;
pub mod step;
pub mod target;
pub mod transcript;

pub use arrival::{Arrival, NO_ANSWER, has_a_field, kind_of_event};
pub use dates::{DAY, START, from_start, seconds_from_start, start};
pub use exchange::{Exchange, Inside};
pub(crate) use masking::is_withheld;
pub use masking::{masked_field, withheld};
pub use memory::{Memory, within};
pub use payload::Payload;
pub use prepared::{HttpForm, Prepared, PreparedAction, PreparedCall};
pub use race::Race;
pub use response::{Body, Response, read_forms};
pub use sequence::Sequence;

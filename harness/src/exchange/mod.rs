//! The data that a run exchanges with a target.
//!
//! - Input: a step, generated or read from a transcript. Output: the request, the response, and the webhooks
//!   that arrive at the inbox.
//! - [`step`] is one symbolic step, [`Prepared`] the step as it is sent, [`Seen`] a response, [`Exchange`]
//!   both together, [`transcript`] a run as a file.
//! - Never here: a socket, a rule of the document, a judgement.

mod answered;
mod arrival;
mod masking;
pub mod matcher;
mod memory;
pub mod payload;
mod prepared;
mod race;
pub mod renaming;
pub mod secrets;
mod seen;
pub mod step;
pub mod transcript;

pub use answered::{Exchange, Inside};
pub use arrival::{Arrival, NO_ANSWER};
pub(crate) use arrival::{kind_of_event, whole_number};
pub(crate) use masking::{is_withheld, masked_field, withheld};
pub use memory::Memory;
pub use payload::Payload;
pub use prepared::{Prepared, PreparedAction, PreparedCall};
pub use race::Race;
pub use seen::{Body, Seen};
pub use transcript::{START, start};

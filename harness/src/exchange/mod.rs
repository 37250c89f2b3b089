//! Requests, responses and arrivals.
//!
//! - In comes a step, generated or from a transcript; out come the request, the response and the arrivals.
//! - [`step`] is one symbolic step, [`Prepared`] the request that it sends, [`Seen`] a response, [`Exchange`] both
//!   together, [`transcript`] a run as a file.
//! - Never here: a socket, a rule of the document, a judgement.

mod answered;
mod arrival;
pub mod identifiers;
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
pub use prepared::{Prepared, PreparedAction, PreparedCall};
pub use race::Race;
pub use seen::{Body, Seen};
pub use transcript::{START, start};

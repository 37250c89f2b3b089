//! A proxy that judges both sides: the service by the clauses, and the client by its duties.
//!
//! - [`Proxy`] passes requests on, unchanged, and the answers back. A copy of each exchange goes to a channel.
//! - [`Watcher`] reads the channel in a thread of its own: it masks each copy, writes it to the HAR file, and brings it to
//!   the judge of recorded traffic and to the watch of conduct.
//! - Never here: a rule of the document, a verdict of its own, a copy that is kept unmasked, an answer that waits for a
//!   verdict.
//! - Begin at [`Proxy`], then [`Watcher`].

mod archive;
mod conduct;
mod copy;
mod entry;
mod proxy;
mod veil;
mod watcher;

pub use archive::HarFile;
pub use copy::{Copies, Side, Tape, tape};
pub use proxy::{BY_WATCH, InvalidTarget, Proxy, Target};
pub use watcher::{Bases, Given, Notice, Seen, Watched, Watcher};

//! The states that a world has had, at each entry of its logs.
//!
//! The model is pure, so a state follows from an earlier one and from what was done since. A world keeps one copy of its
//! service, the *base*, which lags behind, and the *inputs* since then: what has changed the service, with its time. The
//! state at an entry is a copy of the base on which the inputs before that entry are played again. When there are too
//! many inputs, the oldest are played on the base, outside the lock of the world.
//!
//! So a request pays for one small note, nothing is copied until someone asks, and memory is bounded: at most a second
//! service, which is dropped where it grows large, and as much for the inputs as the journal may have.

mod base;
mod entry;
mod input;
mod line;
mod tape;

pub(crate) use base::Base;
pub(crate) use entry::in_words;
pub use entry::{EntryName, NotAnEntry, NotKept};
pub(crate) use input::{Around, Noted};
pub(crate) use line::{Left, Line, NamedEntry, Next, Parting, Way, parting};
pub(crate) use tape::{Place, Point, Tape};

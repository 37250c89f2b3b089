//! The report of a run.
//!
//! - In come the summary of a run and what the target offers; out comes one [`Report`].
//! - [`document`] is the report as data: the terminal, JSON and HTML are three forms of it.
//! - [`results`] is the common form of what any command found. Each [`Format`] for CI is made of it.
//! - Never here: a verdict of its own, a request, the terminal itself.
//! - Begin at [`document`], then [`FinishedRun`], which is made into one.

mod advice;
mod baseline;
mod compose;
mod conceal;
mod course;
mod culprit;
mod curl;
mod difference;
pub mod document;
pub mod drift;
pub mod export;
mod figures;
mod format;
mod html;
mod mark;
pub mod matrix;
mod merge;
mod next;
pub mod page;
mod plain;
mod received;
pub mod results;
mod shortened;
mod terminal;

pub use baseline::{Baseline, UnreadableBaseline};
pub use compose::{FinishedRun, Judges};
pub use curl::{curl, quoted};
pub use document::{Known, Report};
pub use figures::{counted, grouped};
pub use format::{Format, Rendered, Reported, Unrendered, junit};
pub use html::html;
pub use html::words::{WORDS, Word};
pub use merge::Unmergeable;
pub use plain::{plain, title};

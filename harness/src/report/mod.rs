//! The report of a run.
//!
//! - In come the summary of a run and what the target offers; out comes one [`Report`].
//! - [`document`] is the report as data. The terminal, JSON, JUnit and HTML are four forms of the same data.
//! - Never here: a verdict of its own, a request.

mod advice;
mod baseline;
mod compose;
mod conceal;
mod curl;
mod difference;
pub mod document;
mod html;
mod junit;
pub mod matrix;
pub mod page;
mod plain;
mod received;
mod sequence;
mod terminal;

pub use baseline::Baseline;
pub use compose::Run;
pub use curl::curl;
pub(crate) use curl::quoted;
pub use document::Report;
pub use html::html;
pub use junit::junit;
pub use plain::{plain, title};
pub(crate) use terminal::grouped;

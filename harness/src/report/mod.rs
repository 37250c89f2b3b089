//! What is told of a run: one [`Report`], which the terminal, JSON, JUnit and HTML show.

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

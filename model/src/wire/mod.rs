//! JSON and CSV: the bodies of requests, responses and events, and how they are read and written. A method and a path
//! stand in the row of their endpoint (`endpoint`), a word of the document with its value (`words`).

pub mod action;
pub mod difference;
pub mod event;
pub mod field;
pub(crate) mod ignored;
pub mod import_file;
pub mod lenient;
mod nearest;
pub(crate) mod object;
pub mod overview;
pub mod problem;
pub mod reply;
pub mod request;
pub mod route;
pub mod schema;
mod sheet;
pub mod written;

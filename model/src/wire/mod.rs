//! The only modules that know JSON field names, paths and CSV columns.

pub mod action;
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

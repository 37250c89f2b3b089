//! HTTP between a run and its target.
//!
//! - In comes a prepared step; out come the response and the arrivals at the inbox.
//! - [`Http`] is any server, [`embedded`] our own mock in this process. [`client`] sends, [`inbox`] listens.
//! - Never here: what a response means, whether it is right, which step comes next. No crate below this one knows
//!   of sockets.
//! - Begin at [`Http`], then [`client`].

pub mod client;
mod embedded;
mod http;
pub mod inbox;
mod wall_clock;

pub use embedded::{embedded, embedded_with};
pub use http::{Http, PATIENCE};
pub use wall_clock::wall_time;

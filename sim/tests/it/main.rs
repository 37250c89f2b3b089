//! The mock through its public face: over a socket, through its router, and as a library.

#![expect(clippy::unwrap_used, reason = "what a test cannot go on without fails it")]

mod api;
mod control;
mod differential;
mod hostile;
mod library;
mod openapi;
mod plain;
mod profile;
mod receiver;
mod support;
mod transport;
mod webhooks;

//! The mock through its public interface: over a socket, through its router, and as a library.

#![expect(clippy::unwrap_used, reason = "a missing value fails the test")]

mod api;
mod control;
mod differential;
mod fault_port;
mod faults;
mod grease;
mod hostile;
mod journal;
mod library;
mod openapi;
mod plain;
mod profile;
mod receiver;
mod support;
mod transport;
mod webhooks;

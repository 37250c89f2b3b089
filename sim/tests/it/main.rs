//! The mock through its public face: over a socket, through its router, and as a library.

mod api;
mod control;
mod differential;
mod hostile;
mod library;
mod openapi;
mod profile;
mod support;
mod transport;

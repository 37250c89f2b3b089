//! The mock through its public interface: over a socket, through its router, and as a library.

#![expect(clippy::unwrap_used, reason = "a missing value fails the test")]

mod api;
mod bounds;
mod clock;
mod completion;
mod conduct;
mod control;
mod cors;
mod delivery_faults;
mod differential;
mod documented;
mod documented_faults;
mod expect;
mod fault_port;
mod faults;
mod grease;
mod hostile;
mod hosts;
mod in_process;
mod interventions;
mod journal;
mod library;
mod lists;
mod localhost;
mod masks;
mod openapi;
mod page;
mod parallel;
mod plain;
mod profile;
mod receiver;
mod state;
mod step_back;
mod support;
mod transport;
mod webhooks;
mod worlds;

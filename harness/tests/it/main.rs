//! The harness, through its public face.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod command;
mod curl;
mod generation;
mod keys;
mod planted;
mod proof;
mod readme;
mod receiver;
mod receiver_check;
mod receivers;
mod signature;
mod stories;

//! The harness, through its public face.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod command;
mod generation;
mod planted;
mod readme;
mod stories;

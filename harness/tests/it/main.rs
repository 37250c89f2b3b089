//! The harness, through its public face.

mod stories;

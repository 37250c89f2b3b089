//! Faults: what an unreliable network, or a service in trouble, does to a request.
//!
//! A [`Rule`] selects requests and says what happens to them. The mock applies rules to HTTP requests, and the
//! simulation applies the same rules to its own messages.

mod rule;

pub use rule::{Act, Call, Rule, When};

//! Faults: what an unreliable network, or a service in trouble, does to a request; what it, or a thief, does to a
//! delivery.
//!
//! A [`Rule`] selects requests or deliveries and says what happens to them. Its act says which of the two it is for. The
//! mock applies rules to HTTP requests and to its webhooks, and the simulation applies the same rules to its own requests.
//!
//! [`Faults`] holds the rules of a world with their counters. Every rule counts everything that it selects. The first
//! rule that fires for a request wins, and no other acts on it. [`named`] finds the identifiers that rules look at, and
//! [`read`] reads a rule from JSON or from a profile file.
//!
//! A rule decides about a delivery once, when its event happens, so that the pace of a receiver changes no decision.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tideover_sim::Mock;
//! use tideover_sim::fault::{Act, Rule, When};
//!
//! let drops = Act::ConnectionDrops { when: When::AfterCommit };
//! let second = Rule { nth: Some(2), ..Rule::always(drops) };
//! let mock = Mock::builder().faults(vec![second]).start().await?;
//! // After two requests of your client, this is 1.
//! assert_eq!(mock.faults()[0].fired, 0);
//! # Ok(())
//! # }
//! ```

mod body;
mod check;
mod decisions;
mod deliveries;
mod faults;
mod form;
mod named;
mod rule;

pub use check::ImpossibleRule;
pub use faults::{Fault, FaultEntry, FaultError, Faults, MOST_RULES};
pub(crate) use form::fields_by_act;
pub use form::{Spelling, read};
pub use named::named;
pub use rule::{Act, Call, DeliveryAct, Rule, When};

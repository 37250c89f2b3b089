//! The examination of an integrator's webhook receiver: the deliveries that it gets, and the responses that
//! it must give (§6 Events).
//!
//! - A [`Case`] is one delivery, of the service or of an attacker; the [`examination`] is all of them.
//! - An [`Answer`] is its outcome, and a [`Verdict`] the judgement of that.
//! - The [`Scorecard`] lists the verdicts, each with the document's rule.
//! - Never here: a socket, anything else of the harness.
//! - Begin at [`examination`].
//!
//! Only what the service may send must be accepted: a signed body that is not JSON is no case, since the
//! service sends none and an attacker has no secret to sign it with.

mod case;
mod draft;
mod examination;
mod scorecard;
mod verdict;

pub use case::{Alteration, Case, Required, Seal};
pub use examination::examination;
pub use scorecard::{CaseResult, Scorecard};
pub use verdict::{Answer, Seen, Verdict};

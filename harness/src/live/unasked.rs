//! The steps that a live endpoint does not get, and why.

use std::collections::BTreeMap;
use std::fmt;

use crate::evidence::tally::Tally;

/// Why a step is not sent to a live endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It names, or could name, somebody who is not the user's.
    Reach,
    /// It could cost more than the budget.
    Budget,
    /// Every test account of the user has its part already.
    Account,
    /// Every tax id of the user has its part already.
    TaxId,
    /// It writes.
    Writes,
    /// The operator port does not offer it.
    Operator,
    /// The clock cannot be moved.
    Clock,
    /// There is no inbox.
    Inbox,
    /// Everybody at the target would feel it.
    Disturbance,
    /// Its body is long.
    Length,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Reach => "it could reach somebody else",
            Why::Budget => {
                "it could cost more than the budget (--max-financed, --max-subscriptions)"
            }
            Why::Account => "it takes another test account (--account, or --account-prefix)",
            Why::TaxId => "it takes another tax id (--tax-id)",
            Why::Writes => "it writes (--allow-writes)",
            Why::Operator => "the operator port does not offer it",
            Why::Clock => "the target's clock cannot be moved",
            Why::Inbox => "it takes an inbox (--webhook-listen and --webhook-url)",
            Why::Disturbance => "everybody at the target would feel it (--allow-disturbance)",
            Why::Length => "its body is longer than 64 KiB",
        })
    }
}

/// What is not asked, by the reason.
#[derive(Clone, Debug, Default)]
pub struct Unasked {
    by_why: BTreeMap<Why, LeftOut>,
}

/// The requests that are left out for one reason.
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    /// How many.
    pub requests: u64,
    /// How often each clause would have been met.
    pub clauses: Tally,
}

impl Unasked {
    /// Counts a request that would have met these `clauses`.
    pub fn count(&mut self, why: Why, clauses: &Tally) {
        let left_out = self.by_why.entry(why).or_default();
        left_out.requests += 1;
        left_out.clauses.add(clauses);
    }

    /// Adds what another part of a run has left out.
    pub fn add(&mut self, other: &Unasked) {
        for (why, left_out) in &other.by_why {
            let sum = self.by_why.entry(*why).or_default();
            sum.requests += left_out.requests;
            sum.clauses.add(&left_out.clauses);
        }
    }

    /// The reasons, in their order, each with what was left out for it.
    pub fn iter(&self) -> impl Iterator<Item = (Why, &LeftOut)> {
        self.by_why.iter().map(|(why, left_out)| (*why, left_out))
    }
}

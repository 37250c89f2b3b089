//! The steps of the generator that a live endpoint doesn't get, with the reasons.

use std::collections::BTreeMap;
use std::fmt;

use tideover_exchange::evidence::tally::Tally;
use tideover_judge::checks::registry::Needs;

/// Why a step is not sent to a live endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It names, or could name, an account that is not the user's.
    Reach,
    /// It could cost more than the budget.
    Budget,
    /// It needs one more test account.
    Account,
    /// It needs one more tax id.
    TaxId,
    Writes,
    /// The operator port does not offer it.
    Operator,
    /// The clock cannot be moved.
    Clock,
    /// There is no inbox.
    Inbox,
    /// It would affect all users of the target.
    Disturbance,
    /// Its body is long.
    Length,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Reach => "it could affect somebody else",
            Why::Budget => {
                "it could cost more than the budget (--max-financed, --max-subscriptions)"
            }
            Why::Account => "it needs another test account (--account, or --account-prefix)",
            Why::TaxId => "it needs another tax id (--tax-id)",
            Why::Writes => "it writes (--allow-writes)",
            Why::Operator => "the operator port does not offer it",
            Why::Clock => "the target's clock cannot be moved",
            Why::Inbox => "it needs an inbox (--webhook-listen and --webhook-url)",
            Why::Disturbance => "it affects all users of the target (--allow-disturbance)",
            Why::Length => "its body is longer than 64 KiB",
        })
    }
}

impl Why {
    /// The option that lets the step be sent, in words; `None` if there is none.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Why::Reach => Some("test accounts and a sandbox of their own (--sandbox)"),
            Why::Budget => Some("a larger budget (--max-financed, --max-subscriptions)"),
            Why::Account => Some("another test account (--account, or --account-prefix)"),
            Why::TaxId => Some("another tax id (--tax-id)"),
            Why::Writes => Some(Needs::WRITES),
            Why::Operator => Some(Needs::OPERATOR),
            Why::Clock => Some(Needs::CLOCK),
            Why::Inbox => Some(Needs::INBOX),
            Why::Disturbance => {
                Some("permission to affect all users of the target (--allow-disturbance)")
            }
            Why::Length => Some("long bodies (--sandbox)"),
        }
    }
}

/// The steps that are left out, by reason.
#[derive(Clone, Debug, Default)]
pub struct Unasked {
    by_why: BTreeMap<Why, LeftOut>,
}

/// The steps that are left out for one reason.
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    pub requests: u64,
    /// How often they would have met each clause.
    pub clauses: Tally,
}

impl Unasked {
    /// Counts a request that would have met `clauses`.
    pub fn count(&mut self, why: Why, clauses: &Tally) {
        let left_out = self.by_why.entry(why).or_default();
        left_out.requests += 1;
        left_out.clauses.add(clauses);
    }

    /// Adds the steps that another part of the run left out.
    pub fn add(&mut self, other: &Unasked) {
        for (why, left_out) in &other.by_why {
            let sum = self.by_why.entry(*why).or_default();
            sum.requests += left_out.requests;
            sum.clauses.add(&left_out.clauses);
        }
    }

    /// The steps that are left out for each reason, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Why, &LeftOut)> {
        self.by_why.iter().map(|(why, left_out)| (*why, left_out))
    }
}

//! The conduct of a caller: which of its duties in the document it keeps, and which it breaks.
//!
//! - A [`Duty`] is a row of the table: a clause that asks something of the caller, or of its receiver.
//! - A [`Fact`] is something that happened: an exchange, an attempt of a delivery, a payment. Whoever sees them brings them,
//!   in the order in which they ended: the mock from its journal, the simulation as they happen.
//! - A [`Watch`] has a rule for each duty. Each fact costs each rule a look into a map of bounded size.
//! - A [`Card`] says of each duty: met, broken, or not seen.
//!
//! A rule accuses only on evidence: what a right caller may do breaks no row, and what nobody could see is not seen,
//! never met. Where two readings of the facts are possible, the one that favours the caller counts.

mod card;
mod duty;
mod fact;
mod received;
mod recent;
mod rules;

pub use card::{Card, Counts, Proof, Row, RowShown, State};
pub use duty::Duty;
pub use fact::{
    Access, Answered, Arrival, AttemptSeen, Exchange, Fact, Held, Making, Moment, RequestId, Trait,
    Traits,
};

use crate::conduct::received::Received;
use crate::conduct::rules::Rule;

/// Whether more is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ending {
    /// The caller goes on: what it has not finished yet is open.
    #[default]
    Open,
    /// The caller is done: what it has not finished, it has not done.
    Final,
}

/// Watches a caller.
#[derive(Debug)]
pub struct Watch {
    rules: Vec<(Row, Box<dyn Rule>)>,
    received: Received,
}

impl Default for Watch {
    fn default() -> Watch {
        let rules = Duty::ALL.into_iter().map(|duty| (Row::new(duty), rules::of(duty)));
        Watch { rules: rules.collect(), received: Received::default() }
    }
}

impl Watch {
    /// Takes the next fact.
    pub fn take(&mut self, fact: &Fact<'_>) {
        let before = self.received.take(fact);
        for (row, rule) in &mut self.rules {
            rule.take(fact, &before, row);
        }
    }

    /// What is seen so far.
    pub fn card(&self, ending: Ending) -> Card {
        let rows = self.rules.iter().map(|(row, rule)| {
            let mut row = row.clone();
            rule.settle(&mut row);
            if ending == Ending::Final {
                row.close();
            }
            row
        });
        Card { rows: rows.collect() }
    }
}

#[cfg(test)]
mod tests;

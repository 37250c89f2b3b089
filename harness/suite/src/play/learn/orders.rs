//! Whether a collection account opens whichever requirement was met last (`3.onboarding.1`).

use std::collections::BTreeMap;

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::wire::field;
use tideover_model::{ActionKind, OperationKind, clause};

/// How many accounts stay shut after one requirement, and how many open after the others, before that is a finding: no
/// time is stated within which an account opens, but one that never does for this reason alone is no slow one.
const SHUT: u64 = 2;
const OPEN: u64 = 10;

/// What became of accounts, by the requirement that was met last.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    by_last: BTreeMap<Requirement, Accounts>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Requirement {
    Compliance,
    Contract,
    Bank,
}

#[derive(Clone, Copy, Debug, Default)]
struct Accounts {
    opened: u64,
    stayed_shut: u64,
}

impl Requirement {
    /// The one that an exchange meets, if it is a request or an action for one alone.
    pub(super) fn met_by(exchange: &Exchange<'_>) -> Option<Requirement> {
        let sends_tax_id = || exchange.sent_field(field::TAX_ID).is_some();
        match (exchange.acts(), exchange.kind()) {
            (Some(ActionKind::VendorConfirmsTaxId), _) => Some(Requirement::Compliance),
            (Some(ActionKind::VendorSignsAgreement), _) => Some(Requirement::Contract),
            (Some(ActionKind::VendorAddsBankAccount), _)
            | (_, Some(OperationKind::SetPayoutAccount)) => Some(Requirement::Bank),
            (_, Some(OperationKind::SyncBusiness)) => {
                sends_tax_id().then_some(Requirement::Compliance)
            }
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Requirement::Compliance => "compliance",
            Requirement::Contract => "contract",
            Requirement::Bank => "bank",
        }
    }
}

impl Orders {
    pub(super) fn opened(&mut self, last: Requirement) {
        self.by_last.entry(last).or_default().opened += 1;
    }

    pub(super) fn stayed_shut(&mut self, last: Requirement) {
        self.by_last.entry(last).or_default().stayed_shut += 1;
    }

    pub(super) fn add(&mut self, other: &Orders) {
        for (last, accounts) in &other.by_last {
            let own = self.by_last.entry(*last).or_default();
            own.opened += accounts.opened;
            own.stayed_shut += accounts.stayed_shut;
        }
    }

    /// The requirement after which no account opens, although all open after the others.
    pub(super) fn finding(&self) -> Option<(Finding, u64)> {
        let (last, shut) =
            self.by_last.iter().find(|(_, it)| it.stayed_shut >= SHUT && it.opened == 0)?;
        let others = || self.by_last.iter().filter(|(other, _)| *other != last);
        let opened: u64 = others().map(|(_, it)| it.opened).sum();
        let are_open = opened >= OPEN && others().all(|(_, it)| it.stayed_shut == 0);
        are_open.then(|| {
            let (last, times) = (last.name(), shut.stayed_shut);
            let expected =
                format!("open, as {opened} times where another requirement was met last");
            let seen = format!("still shut after a day, each of {times} times with {last} last");
            let operation = OperationKind::GetBusiness.to_string();
            let clause = clause!("3.onboarding.1");
            let field = "onboarding.collectionAccount";
            (Finding::new(clause, operation, field, expected, seen), times)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(compliance: [u64; 2], bank: [u64; 2]) -> Orders {
        let accounts = |[opened, stayed_shut]: [u64; 2]| Accounts { opened, stayed_shut };
        let by_last = [Requirement::Compliance, Requirement::Bank].into_iter();
        Orders { by_last: by_last.zip([compliance, bank].map(accounts)).collect() }
    }

    #[test]
    fn an_account_that_never_opens_after_one_requirement_alone_is_found() {
        let found = |compliance, bank| orders(compliance, bank).finding().is_some();
        assert!(found([0, 2], [10, 0]));
        assert!(!found([1, 2], [10, 0]), "it opens, if late");
        assert!(!found([0, 2], [10, 1]), "it may stay shut for another reason");
        assert!(!found([0, 1], [10, 0]) && !found([0, 2], [9, 0]), "it may be chance");
    }
}

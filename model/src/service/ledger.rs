//! The books: where every cent is. `audit` compares them with the invoices.

use crate::cents::Cents;

/// Whose money it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    /// The funder's capital: what is out is negative.
    Funder,
    /// What vendors received, as advances and as forwarded payments.
    Vendor,
    /// What payors paid: negative.
    Payor,
    /// What came in for an advance that is not funded yet.
    Held,
    /// What the service earned.
    Fees,
    /// What was paid beyond a face value.
    Suspense,
}

/// A balance for each account. Cents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ledger {
    balances: [Cents; 6],
}

impl Ledger {
    /// Moves `amount`, which is not negative.
    pub(super) fn transfer(&mut self, from: Account, to: Account, amount: Cents) {
        self.balances[from as usize] -= amount;
        self.balances[to as usize] += amount;
    }

    /// What is in all accounts together. Cents.
    pub(super) fn total(&self) -> Cents {
        self.balances.into_iter().sum()
    }

    pub(super) fn balance(&self, account: Account) -> Cents {
        self.balances[account as usize]
    }
}

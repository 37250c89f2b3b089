//! The books: they account for every cent. `audit` compares them with the invoices.

use serde::{Deserialize, Serialize};

use crate::cents::Cents;

/// An account of the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Account {
    /// The funder's capital: negative for money that is lent.
    Funder,
    /// Money that vendors received, as advances and as forwarded payments.
    Vendor,
    /// Money that payors paid: negative.
    Payor,
    /// Payments for advances that are not yet funded.
    Held,
    /// Fees that the service earned.
    Fees,
    /// Payments in excess of a face value.
    Suspense,
}

/// A balance for each account. Cents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Ledger {
    balances: [Cents; 6],
}

impl Ledger {
    /// Moves `amount`, which is not negative.
    pub(super) fn transfer(&mut self, from: Account, to: Account, amount: Cents) {
        self.balances[from as usize] -= amount;
        self.balances[to as usize] += amount;
    }

    /// The sum of all accounts. Cents.
    pub(super) fn total(&self) -> Cents {
        self.balances.into_iter().sum()
    }

    pub(super) fn balance(&self, account: Account) -> Cents {
        self.balances[account as usize]
    }
}

//! The requirements of onboarding, and their state (§3 Onboarding requirements).

use serde::{Deserialize, Serialize};

use crate::operation::Address;
use crate::timestamp::{Shift, Timestamp};
use crate::wire::reply::{Onboarding, Remittance};

/// The signed agreement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Agreement {
    pub(super) address: Address,
}

/// The account that payors pay into.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum CollectionAccount {
    /// A requirement is unmet.
    Closed {
        /// Verifications begun and cancelled.
        attempts: u32,
    },
    /// All requirements are met, and the bank verifies the account.
    Verifying { attempts: u32, opens_at: Timestamp },
    /// Payors can pay. It never closes again.
    Open { remittance: Box<Remittance> },
}

impl CollectionAccount {
    pub(super) fn shift(&mut self, shift: Shift) {
        if let CollectionAccount::Verifying { opens_at, .. } = self {
            *opens_at = shift.ahead(*opens_at);
        }
    }
}

/// One of the four requirements, in the document's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    Compliance,
    Contract,
    Bank,
    CollectionAccount,
}

impl Requirement {
    /// The unmet requirements: an advance needs all four (`3.onboarding.2`).
    pub(super) fn unmet(onboarding: Onboarding) -> impl Iterator<Item = Requirement> {
        let Onboarding { compliance, contract, bank, collection_account } = onboarding;
        let met = [
            (compliance, Requirement::Compliance),
            (contract, Requirement::Contract),
            (bank, Requirement::Bank),
            (collection_account, Requirement::CollectionAccount),
        ];
        met.into_iter().filter(|(met, _)| !met).map(|(_, requirement)| requirement)
    }

    /// The sentence that names it (`2.quote.notFundableReason`).
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Requirement::Compliance => {
                "The business has not completed onboarding: compliance is not cleared."
            }
            Requirement::Contract => {
                "The business has not completed onboarding: the agreement is not signed."
            }
            Requirement::Bank => {
                "The business has not completed onboarding: no payout account is on file."
            }
            Requirement::CollectionAccount => {
                "The business has not completed onboarding: its collection account is not open."
            }
        }
    }
}

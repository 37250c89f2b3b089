//! What can be done in a world.

use std::fmt;

use crate::explore::cast::{Invoice, Payment, Platform};

/// One action: an operation of a platform, a move of the outside world, or the passing of time. Steps whose
/// order does not matter are one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The platform syncs the vendor, with the tax id.
    SyncVendor(Platform),
    /// The platform sets the vendor's payout account.
    SetPayoutAccount(Platform),
    /// The first platform invites the vendor, and the vendor accepts and signs, with its address.
    VendorSigns,
    /// The tax id turns out to be wrong.
    TaxIdFoundWrong,
    /// The platform syncs an invoice as ISSUED.
    Sync(Invoice),
    /// The platform syncs an invoice as VOIDED.
    Void(Invoice),
    /// The first platform imports its invoices.
    Import,
    /// The next import of the first platform stops after one row.
    InterruptImport,
    /// The platform requests an advance.
    RequestAdvance(Invoice),
    /// The payor pays.
    PayorPays(Invoice, Payment),
    /// The platform's receiver fails at the next attempt.
    ReceiverFails(Platform),
    /// The platform's receiver ends the subscription at the next attempt.
    ReceiverEnds(Platform),
    /// Time passes until something is due.
    TimePasses,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::SyncVendor(platform) => {
                write!(f, "{platform} syncs {} with its tax id", platform.vendor())
            }
            Action::SetPayoutAccount(platform) => {
                write!(f, "{platform} sets the payout account of {}", platform.vendor())
            }
            Action::VendorSigns => f.write_str("the vendor accepts an invitation and signs"),
            Action::TaxIdFoundWrong => f.write_str("the tax id is found wrong"),
            Action::Sync(invoice) => write!(f, "{} syncs {invoice}", invoice.platform),
            Action::Void(invoice) => write!(f, "{} voids {invoice}", invoice.platform),
            Action::Import => write!(f, "{} imports its two invoices", Platform::First),
            Action::InterruptImport => f.write_str("the next import will stop after one row"),
            Action::RequestAdvance(invoice) => {
                write!(f, "{} requests an advance against {invoice}", invoice.platform)
            }
            Action::PayorPays(invoice, payment) => {
                write!(f, "the payor pays {} cents for {invoice}", payment.amount())
            }
            Action::ReceiverFails(platform) => {
                write!(f, "the receiver of {platform} will answer 503 once")
            }
            Action::ReceiverEnds(platform) => {
                write!(f, "the receiver of {platform} will answer 410")
            }
            Action::TimePasses => f.write_str("time passes"),
        }
    }
}

//! Hidden transitions, and the times when they happen.

use crate::choices::Choices;
use crate::identity::{BusinessId, InvoiceId};
use crate::service::Service;
use crate::timestamp::Timestamp;

/// A scheduled hidden transition. Transitions at the same instant happen in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Timer {
    /// The collection account opens.
    AccountOpens(BusinessId),
    /// REQUESTED becomes FUNDING.
    FundingStarts(InvoiceId),
    /// FUNDING becomes FUNDED.
    FundingCompletes(InvoiceId),
}

impl Timer {
    /// The same transition, after its invoice got another number.
    pub(super) fn renumbered(self, invoices: &[u32]) -> Timer {
        let renumbered = |id: InvoiceId| InvoiceId(invoices[id.0 as usize]);
        match self {
            Timer::AccountOpens(_) => self,
            Timer::FundingStarts(id) => Timer::FundingStarts(renumbered(id)),
            Timer::FundingCompletes(id) => Timer::FundingCompletes(renumbered(id)),
        }
    }
}

impl<C: Choices> Service<C> {
    pub(super) fn set_timer(&mut self, due: Timestamp, timer: Timer) {
        self.timers.insert((due, timer));
    }

    pub(super) fn clear_timer(&mut self, due: Timestamp, timer: Timer) {
        self.timers.remove(&(due, timer));
    }

    pub(super) fn next_timer(&self) -> Option<Timestamp> {
        self.timers.first().map(|(due, _)| *due)
    }

    pub(super) fn fire_timers(&mut self, now: Timestamp) {
        while let Some((due, timer)) = self.timers.first().copied().filter(|(due, _)| *due <= now) {
            self.timers.pop_first();
            match timer {
                Timer::AccountOpens(business) => self.open_collection_account(due, business),
                Timer::FundingStarts(invoice) => self.start_funding(due, invoice),
                Timer::FundingCompletes(invoice) => self.complete_funding(due, invoice),
            }
        }
    }
}

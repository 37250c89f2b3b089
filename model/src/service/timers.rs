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

//! A world's log of deliveries, as it is asked.

use std::ops::Range;

use crate::deliveries::{DeliveryEntry, Filter, LogPage};
use crate::world::{World, WorldState};

/// Where a log of deliveries stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logged {
    /// The number of deliveries ever queued.
    pub(crate) next: u64,
    /// The number of deliveries dropped.
    pub(crate) dropped: u64,
    /// The number of resets of the world.
    pub(crate) resets: u64,
}

impl World {
    /// The logged deliveries from number `after` on.
    pub fn deliveries(&self, after: u64) -> Vec<DeliveryEntry> {
        let mut state = self.lock();
        self.proceed(&mut state);
        let WorldState { face, deliveries, .. } = &*state;
        deliveries.entries(after, |delivery| face.next_attempt(delivery))
    }

    /// Where the log of deliveries stands now.
    pub(crate) fn logged(&self) -> Logged {
        let mut state = self.lock();
        self.proceed(&mut state);
        let (next, dropped) = (state.deliveries.next(), state.deliveries.dropped());
        Logged { next, dropped, resets: state.resets }
    }

    /// The first of the filter's deliveries with these numbers; none after a reset.
    pub(crate) fn deliveries_page(
        &self,
        filter: &Filter,
        numbers: Range<u64>,
        resets: u64,
    ) -> LogPage {
        let mut state = self.lock();
        self.proceed(&mut state);
        if state.resets != resets {
            return LogPage::default();
        }
        let WorldState { face, deliveries, .. } = &*state;
        deliveries.page(filter, numbers, |delivery| face.next_attempt(delivery))
    }
}

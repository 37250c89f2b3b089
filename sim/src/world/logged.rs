//! Reads a world's log of deliveries.

use std::ops::Range;

use crate::deliveries::{DeliveryEntry, Filter, LogPage};
use crate::world::{World, WorldState};

/// How far the journal, or the log of deliveries, has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogPosition {
    /// The number of the next entry.
    pub(crate) next: u64,
    /// How many entries are no longer kept.
    pub(crate) dropped: u64,
    /// How often the world was reset: each reset begins an empty log.
    pub(crate) resets: u64,
}

impl World {
    /// The deliveries from number `after` on, with their attempts: at most the last 1000.
    pub fn deliveries(&self, after: u64) -> Vec<DeliveryEntry> {
        let mut state = self.lock();
        self.proceed(&mut state);
        let WorldState { face, deliveries, faults, .. } = &*state;
        deliveries.entries(after, faults, |delivery| face.next_attempt(delivery))
    }

    /// How far the log of deliveries has come.
    pub(crate) fn log_position(&self) -> LogPosition {
        let mut state = self.lock();
        self.proceed(&mut state);
        let (next, dropped) = (state.deliveries.next(), state.deliveries.dropped());
        LogPosition { next, dropped, resets: state.resets }
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
        let WorldState { face, deliveries, faults, .. } = &*state;
        deliveries.page(filter, numbers, faults, |delivery| face.next_attempt(delivery))
    }
}

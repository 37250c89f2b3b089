//! The events to come, in the order of their times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Milliseconds of virtual time since the start of the world.
pub type Moment = u64;

/// One second.
pub(crate) const SECOND: Moment = 1000;
/// One minute.
pub(crate) const MINUTE: Moment = 60 * SECOND;
/// One hour.
pub(crate) const HOUR: Moment = 60 * MINUTE;
/// One day.
pub(crate) const DAY: Moment = 24 * HOUR;

/// Events by time; those of the same time in the order in which they were added.
pub(crate) struct Queue<E> {
    heap: BinaryHeap<Reverse<Item<E>>>,
    added: u64,
}

struct Item<E> {
    at: Moment,
    number: u64,
    event: E,
}

impl<E> Item<E> {
    fn order(&self) -> (Moment, u64) {
        (self.at, self.number)
    }
}

impl<E> PartialEq for Item<E> {
    fn eq(&self, other: &Item<E>) -> bool {
        self.order() == other.order()
    }
}

impl<E> Eq for Item<E> {}

impl<E> PartialOrd for Item<E> {
    fn partial_cmp(&self, other: &Item<E>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Item<E> {
    fn cmp(&self, other: &Item<E>) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl<E> Queue<E> {
    pub(crate) fn new() -> Queue<E> {
        Queue { heap: BinaryHeap::new(), added: 0 }
    }

    pub(crate) fn add(&mut self, at: Moment, event: E) {
        self.heap.push(Reverse(Item { at, number: self.added, event }));
        self.added += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<(Moment, E)> {
        self.heap.pop().map(|Reverse(item)| (item.at, item.event))
    }
}

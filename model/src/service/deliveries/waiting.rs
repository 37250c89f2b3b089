//! The queue of deliveries that wait for their next attempt, by due time.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};

use crate::timestamp::{Shift, Timestamp};

/// The time when an attempt is due, and the number of its delivery.
type Due = (Timestamp, u64);

/// A priority queue by due time.
///
/// All attempts at the same step of the schedule wait equally long, so nearly all become due in the order of
/// their insertion. So each step has its own FIFO line, and a sorted set holds only the exceptions.
///
/// An index: what it holds follows from the pending deliveries, and which line holds it never shows. So all
/// are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    lines: Vec<VecDeque<Due>>,
    out_of_line: BTreeSet<Due>,
    /// The first due attempt, cached because reads outnumber changes.
    first: Option<Due>,
}

impl Waiting {
    /// Adds the next attempt of a delivery that has begun `begun` attempts of the schedule.
    pub(super) fn insert(&mut self, begun: usize, due: Due) {
        self.first = Some(self.first.map_or(due, |first| first.min(due)));
        if self.lines.len() <= begun {
            self.lines.resize_with(begun + 1, VecDeque::new);
        }
        let line = &mut self.lines[begun];
        if line.back().is_none_or(|last| *last < due) {
            line.push_back(due);
        } else {
            self.out_of_line.insert(due);
        }
    }

    /// The first due attempt.
    pub(super) fn first(&self) -> Option<Due> {
        self.first
    }

    fn find_first(&mut self) {
        let fronts = self.lines.iter().filter_map(VecDeque::front);
        self.first = fronts.chain(self.out_of_line.first()).min().copied();
    }

    /// Removes and returns the first due attempt.
    pub(super) fn pop_first(&mut self) -> Option<Due> {
        let first = self.first?;
        match self.lines.iter_mut().find(|line| line.front() == Some(&first)) {
            Some(line) => line.pop_front(),
            None => self.out_of_line.pop_first(),
        };
        self.find_first();
        Some(first)
    }

    /// Removes an attempt.
    pub(super) fn remove(&mut self, due: Due) {
        if !self.out_of_line.remove(&due) {
            for line in &mut self.lines {
                if let Ok(index) = line.binary_search(&due) {
                    line.remove(index);
                }
            }
        }
        self.find_first();
    }

    /// Moves every due time.
    pub(super) fn shift(&mut self, shift: Shift) {
        for line in &mut self.lines {
            line.iter_mut().for_each(|(due, _)| *due = shift.exactly(*due));
        }
        while self.lines.last().is_some_and(VecDeque::is_empty) {
            self.lines.pop();
        }
        let moved = |&(due, number): &Due| (shift.exactly(due), number);
        self.out_of_line = self.out_of_line.iter().map(moved).collect();
        self.first = self.first.as_ref().map(moved);
    }

    pub(super) fn clear(&mut self) {
        *self = Waiting::default();
    }
}

impl PartialEq for Waiting {
    fn eq(&self, _: &Waiting) -> bool {
        true
    }
}

impl Eq for Waiting {}

impl Hash for Waiting {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn due((seconds, number): (u64, u64)) -> Due {
        (Timestamp::from_unix(0).unwrap().after(seconds), number)
    }

    proptest! {
        #[test]
        fn it_behaves_like_a_sorted_set(
            added in proptest::collection::vec((0_usize..9, 0_u64..20), 0..60),
            removed in proptest::collection::vec(0_usize..60, 0..10),
        ) {
            let (mut waiting, mut sorted) = (Waiting::default(), BTreeSet::new());
            for (number, (begun, seconds)) in (0..).zip(&added) {
                waiting.insert(*begun, due((*seconds, number)));
                sorted.insert(due((*seconds, number)));
                if number % 5 == 4 {
                    prop_assert_eq!(waiting.pop_first(), sorted.pop_first());
                }
            }
            for index in removed {
                if let Some((_, seconds)) = added.get(index) {
                    waiting.remove(due((*seconds, index as u64)));
                    sorted.remove(&due((*seconds, index as u64)));
                }
            }
            while let Some(first) = sorted.pop_first() {
                prop_assert_eq!(waiting.first(), Some(first));
                prop_assert_eq!(waiting.pop_first(), Some(first));
            }
            prop_assert_eq!(waiting.pop_first(), None);
        }
    }
}

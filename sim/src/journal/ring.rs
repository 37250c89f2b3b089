//! A list that drops its oldest entries.

use std::collections::VecDeque;

/// A list that drops its oldest entries.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    entries: VecDeque<T>,
    dropped: u64,
    most: usize,
}

impl<T> Ring<T> {
    /// A list of at most so many entries.
    pub(crate) fn of(most: usize) -> Ring<T> {
        Ring { entries: VecDeque::new(), dropped: 0, most }
    }

    /// Whether it keeps nothing.
    pub(crate) fn is_off(&self) -> bool {
        self.most == 0
    }

    /// Counts an entry that is not kept.
    pub(crate) fn skip(&mut self) {
        self.dropped += 1;
    }

    /// Adds an entry; returns the one that it drops to make room.
    pub(crate) fn push(&mut self, entry: T) -> Option<T> {
        let dropped_entry = if self.entries.len() == self.most { self.drop_oldest() } else { None };
        self.entries.push_back(entry);
        dropped_entry
    }

    /// The entry with this number, if it is kept.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = number.checked_sub(self.dropped)?;
        self.entries.get_mut(usize::try_from(index).ok()?)
    }

    /// Drops the oldest entry, if there is one.
    pub(crate) fn drop_oldest(&mut self) -> Option<T> {
        let dropped_entry = self.entries.pop_front();
        self.dropped += u64::from(dropped_entry.is_some());
        dropped_entry
    }

    /// The number of entries kept.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of entries dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The number of entries ever added.
    pub(crate) fn next(&self) -> u64 {
        self.dropped + self.entries.len() as u64
    }

    /// The entries kept, with their numbers, from number `after` on.
    pub(crate) fn from(&self, after: u64) -> impl Iterator<Item = (u64, &T)> {
        let skipped = usize::try_from(after.saturating_sub(self.dropped)).unwrap_or(usize::MAX);
        let first = self.dropped + skipped.min(self.entries.len()) as u64;
        (first..).zip(self.entries.iter().skip(skipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entries_are_dropped_and_counted() {
        let mut ring = Ring::of(1000);
        for number in 0..1005_u64 {
            let dropped_entry = ring.push(number);
            assert_eq!(dropped_entry, number.checked_sub(1000));
        }
        assert_eq!((ring.entries.len(), ring.dropped, ring.next()), (1000, 5, 1005));
        for (after, first) in [(0, 5), (5, 5), (7, 7), (1004, 1004)] {
            assert_eq!(ring.from(after).next(), Some((first, &first)), "{after}");
        }
        for beyond in [1005, u64::MAX] {
            assert_eq!(ring.from(beyond).next(), None);
        }
        for (number, kept) in [(4, None), (5, Some(5)), (1004, Some(1004)), (1005, None)] {
            assert_eq!(ring.get_mut(number).copied(), kept);
        }
        assert_eq!((ring.drop_oldest(), ring.dropped(), ring.next()), (Some(5), 6, 1005));
    }
}

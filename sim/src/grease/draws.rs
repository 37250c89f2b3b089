//! Random decisions, each keyed by seed, freedom and occasion: one more freedom changes no other's decisions.

use tideover_model::{Range, Seeded};

use crate::grease::freedom::Freedom;

/// The decisions of one freedom on one occasion.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    seeded: Seeded,
    freedom: Freedom,
    occasion: u64,
    next: u32,
}

impl Draws {
    pub(super) fn of(seeded: Seeded, freedom: Freedom, occasion: u64) -> Draws {
        Draws { seeded, freedom, occasion, next: 0 }
    }

    /// Whether the freedom is taken.
    pub(super) fn takes(&mut self) -> bool {
        self.below(self.freedom.one_in()) == 0
    }

    /// A number less than `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        let range = Range { min: 0, max: end.saturating_sub(1) };
        let drawn = self.seeded.draw_from(self.freedom.name(), self.next, self.occasion, range);
        self.next += 1;
        drawn
    }

    /// An index of a list of this length.
    pub(super) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// One of `items`, which are not empty.
    pub(super) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            items.swap(end - 1, self.index(end));
        }
    }
}

/// A text as an occasion: equal texts get equal decisions (FNV-1a).
pub(super) fn occasion_of(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

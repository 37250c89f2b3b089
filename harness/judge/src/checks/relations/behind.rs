//! What the last response was behind.
//!
//! One response may be stale, and the next one is not: that a response disagrees with what is known counts only if the one
//! before, to the same question, did as well.

use std::collections::BTreeSet;

/// The questions whose last response disagreed.
#[derive(Debug)]
pub(super) struct Behind<Q>(BTreeSet<Q>);

impl<Q> Default for Behind<Q> {
    fn default() -> Behind<Q> {
        Behind(BTreeSet::new())
    }
}

impl<Q: Ord> Behind<Q> {
    /// Whether a response agrees with what is known. `None` if it disagrees and may be stale.
    pub(super) fn agrees(&mut self, question: Q, is_shown: bool) -> Option<bool> {
        if is_shown {
            self.0.remove(&question);
            return Some(true);
        }
        (!self.0.insert(question)).then_some(false)
    }
}

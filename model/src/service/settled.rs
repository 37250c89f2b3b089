//! What is settled before a service answers anything.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// What never changes: whoever compares hashes, to see whether a service has changed, need not wait for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settled<T>(pub(super) T);

impl<T> Deref for Settled<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Hash for Settled<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

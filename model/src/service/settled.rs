//! Values that a service never changes.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A value that never changes, and so is not part of the service's hash.
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

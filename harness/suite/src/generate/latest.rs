//! What was made last, kept: the cases of a run ask for the same plan, one after the other.

use std::cell::RefCell;
use std::sync::Arc;

/// The last value that was made, with what it was made of. For each thread its own, as the runs of several seeds may
/// share a process.
pub(super) struct Latest<K, V>(RefCell<Option<(K, Arc<V>)>>);

impl<K: PartialEq, V> Latest<K, V> {
    pub(super) const fn new() -> Latest<K, V> {
        Latest(RefCell::new(None))
    }

    /// The value of `key`, made if it is not the last one.
    pub(super) fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> Arc<V> {
        if let Some((known, value)) = &*self.0.borrow()
            && *known == key
        {
            return Arc::clone(value);
        }
        let value = Arc::new(make(&key));
        self.0.replace(Some((key, Arc::clone(&value))));
        value
    }
}

//! Values that copies of a state share until one of them changes: a copy costs the same whatever the value's size, and a
//! comparison looks only at what differs.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use triomphe::Arc;

/// A value that is shared with its clones. The first mutable borrow copies it, unless nobody else has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared<T>(Arc<Hashed<T>>);

/// A value and its hash, cached from the first use until the next mutable borrow.
#[derive(Clone, Debug, Default)]
struct Hashed<T> {
    value: T,
    hash: OnceLock<u64>,
}

impl<T: Clone> Shared<T> {
    /// The value itself, copied unless nobody else has it.
    pub(crate) fn into_inner(self) -> T {
        Arc::unwrap_or_clone(self.0).value
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Shared<T> {
        Shared(Arc::new(Hashed { value, hash: OnceLock::new() }))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        let own = Arc::make_mut(&mut self.0);
        own.hash.take();
        &mut own.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: Hash> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hash = || FixedState::default().hash_one(&self.0.value);
        state.write_u64(*self.0.hash.get_or_init(hash));
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shared<T>, D::Error> {
        T::deserialize(deserializer).map(Shared::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_value_has_another_hash() {
        let hash = |value: &Shared<Vec<u8>>| FixedState::default().hash_one(value);
        let mut value = Shared::from(vec![1]);
        let before = hash(&value);
        value.push(2);
        assert_ne!(hash(&value), before);
        assert_eq!(hash(&value), hash(&vec![1, 2].into()));
        value.pop();
        assert_eq!(hash(&value), before);
        assert!(value == vec![1].into() && value != vec![2].into());
    }

    #[test]
    fn a_clone_keeps_its_value_and_its_hash_when_the_other_changes() {
        let hash = |value: &Shared<Vec<u8>>| FixedState::default().hash_one(value);
        let mut value = Shared::from(vec![1]);
        let (before, clone) = (hash(&value), value.clone());
        value.push(2);
        assert_eq!((&*value, &*clone), (&vec![1, 2], &vec![1]));
        assert_eq!(hash(&clone), before);
        assert_ne!(hash(&value), before);
        assert_eq!((value.into_inner(), clone.into_inner()), (vec![1, 2], vec![1]));
    }
}

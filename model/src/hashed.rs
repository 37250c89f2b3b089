//! Values that cache their hash: a comparison of large states rehashes only what was touched.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value and its hash, cached from the first use until the next mutable borrow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashed<T> {
    value: T,
    hash: OnceLock<u64>,
}

impl<T> From<T> for Hashed<T> {
    fn from(value: T) -> Hashed<T> {
        Hashed { value, hash: OnceLock::new() }
    }
}

impl<T> Deref for Hashed<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Hashed<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.hash.take();
        &mut self.value
    }
}

impl<T: PartialEq> PartialEq for Hashed<T> {
    fn eq(&self, other: &Hashed<T>) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Hashed<T> {}

impl<T: Hash> Hash for Hashed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hash = || FixedState::default().hash_one(&self.value);
        state.write_u64(*self.hash.get_or_init(hash));
    }
}

impl<T: Serialize> Serialize for Hashed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Hashed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hashed<T>, D::Error> {
        T::deserialize(deserializer).map(Hashed::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_value_has_another_hash() {
        let hash = |value: &Hashed<Vec<u8>>| FixedState::default().hash_one(value);
        let mut value = Hashed::from(vec![1]);
        let before = hash(&value);
        value.push(2);
        assert_ne!(hash(&value), before);
        assert_eq!(hash(&value), hash(&vec![1, 2].into()));
        value.pop();
        assert_eq!(hash(&value), before);
        assert!(value == vec![1].into() && value != vec![2].into());
    }
}

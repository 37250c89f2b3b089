//! A map that forgets its oldest entries, so that a watch of any length takes bounded memory.

use std::collections::{BTreeMap, VecDeque};

/// The most entries: more than a journal has requests.
const MOST: usize = 4096;

/// A map that forgets its oldest entries. What is forgotten accuses nobody.
#[derive(Clone, Debug)]
pub(super) struct Recent<K, V> {
    entries: BTreeMap<K, V>,
    /// The keys in the order in which they came; some may be removed already.
    order: VecDeque<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Recent<K, V> {
        Recent { entries: BTreeMap::new(), order: VecDeque::new() }
    }
}

impl<K: Ord + Clone, V> Recent<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key)
    }

    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key)
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        if self.entries.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.entries.remove(&oldest);
        }
    }

    /// The entry of `key`, which is there from then on.
    pub(super) fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        if !self.entries.contains_key(&key) {
            self.insert(key.clone(), V::default());
        }
        self.entries.entry(key).or_default()
    }

    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        // Its key stays in `order`: an entry that comes back is forgotten early, which accuses nobody.
        self.entries.remove(key)
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain(keep);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entries_are_forgotten() {
        let mut recent = Recent::default();
        for number in 0..MOST + 10 {
            recent.insert(number, ());
            recent.insert(number, ());
        }
        assert_eq!((recent.iter().count(), recent.order.len()), (MOST, MOST));
        assert_eq!(recent.get(&9), None);
        assert_eq!(recent.get(&10), Some(&()));
        for _ in 0..MOST {
            recent.remove(&10);
            recent.insert(10, ());
        }
        assert!(recent.order.len() <= MOST);
    }
}

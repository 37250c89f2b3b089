//! Entities that callers address by identifiers of their own.

use std::hash::{Hash, Hasher};
use std::ops::{Index, IndexMut};

use foldhash::fast::FixedState;
use indexmap::{Equivalent, IndexMap};

/// Entities addressed by an owner and a name that is unique per owner, kept in the order in which
/// they were first seen and numbered so from 0.
///
/// Finding one costs a hash of its name, however many there are. The hash is fixed and never shows:
/// iteration goes by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table<V> {
    rows: IndexMap<Key, V, FixedState>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    owner: u32,
    name: Box<str>,
}

#[derive(Hash)]
struct Wanted<'a> {
    owner: u32,
    name: &'a str,
}

impl Equivalent<Key> for Wanted<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.owner == key.owner && self.name == &*key.name
    }
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { rows: IndexMap::default() }
    }
}

impl<V> Table<V> {
    /// The number of `owner`'s `name`.
    pub(crate) fn find(&self, owner: u32, name: &str) -> Option<u32> {
        self.rows.get_index_of(&Wanted { owner, name }).map(number)
    }

    /// Adds `owner`'s `name`, which is not there yet, and says its number.
    pub(crate) fn add(&mut self, owner: u32, name: &str, value: V) -> u32 {
        let name = name.into();
        number(self.rows.insert_full(Key { owner, name }, value).0)
    }

    /// The identifier under which the entity is addressed.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.key(number).map_or("", |key| &key.name)
    }

    /// Whose identifier it is.
    pub(crate) fn owner(&self, number: u32) -> u32 {
        self.key(number).map_or(0, |key| key.owner)
    }

    /// All entities in the order of their numbers.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.rows.values()
    }

    fn key(&self, number: u32) -> Option<&Key> {
        self.rows.get_index(number as usize).map(|(key, _)| key)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("more than four billion entities")
}

impl<V> Index<u32> for Table<V> {
    type Output = V;
    fn index(&self, number: u32) -> &V {
        &self.rows[number as usize]
    }
}

impl<V> IndexMut<u32> for Table<V> {
    fn index_mut(&mut self, number: u32) -> &mut V {
        &mut self.rows[number as usize]
    }
}

impl<V: Hash> Hash for Table<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.rows.len());
        for row in &self.rows {
            row.hash(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_its_owner() {
        let mut table = Table::default();
        let first = table.add(0, "inv", 'a');
        let second = table.add(1, "inv", 'b');
        assert_eq!((first, second), (0, 1));
        assert_eq!(table.find(0, "inv"), Some(first));
        assert_eq!(table.find(1, "inv"), Some(second));
        assert_eq!(table.find(2, "inv"), None);
        assert_eq!((table.name(second), table.owner(second), table[second]), ("inv", 1, 'b'));
    }
}

//! Entities that callers address by their own identifiers.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::{Index, IndexMut};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

use crate::rows::Rows;

/// Entities with an owner and a name that is unique per owner, numbered from 0 in the order of creation.
///
/// A lookup costs one hash of the name, whatever the table's size, and touches little memory: the index holds
/// only numbers, and a row holds a name of usual length inline. Iteration goes by number, so the fixed hash
/// never shows.
#[derive(Clone, Debug)]
pub(crate) struct Table<V> {
    rows: Rows<TableRow<V>>,
    index: HashTable<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct TableRow<V> {
    owner: u32,
    name: SmolStr,
    value: V,
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { rows: Rows::default(), index: HashTable::new() }
    }
}

impl<V: Clone> Table<V> {
    /// The number of `owner`'s `name`.
    pub(crate) fn find(&self, owner: u32, name: &str) -> Option<u32> {
        let named = |number: &u32| {
            let row = &self.rows[*number as usize];
            row.owner == owner && row.name == name
        };
        self.index.find(hash(owner, name), named).copied()
    }

    /// Adds `owner`'s `name`, which must be new, and returns its number.
    pub(crate) fn add(&mut self, owner: u32, name: &str, value: V) -> u32 {
        let number = u32::try_from(self.rows.len()).expect("more than four billion entities");
        self.rows.push(TableRow { owner, name: name.into(), value });
        self.index_row(number);
        number
    }

    fn index_row(&mut self, number: u32) {
        let rows = &self.rows;
        let hashed = |number: &u32| {
            let row = &rows[*number as usize];
            hash(row.owner, &row.name)
        };
        self.index.insert_unique(hashed(&number), number, hashed);
    }

    /// Gives each entity its owner's new number, then numbers the entities by owner and name. Returns the new
    /// number of each.
    pub(crate) fn renumber(&mut self, new_owner: impl Fn(u32) -> u32) -> Vec<u32> {
        let rows = std::mem::take(&mut self.rows);
        let mut rows: Vec<_> = (0_u32..).zip(rows.into_rows()).collect();
        for (_, row) in &mut rows {
            row.owner = new_owner(row.owner);
        }
        rows.sort_by(|(_, one), (_, other)| {
            (one.owner, &one.name).cmp(&(other.owner, &other.name))
        });
        let mut numbers = vec![0; rows.len()];
        self.index.clear();
        for (new, (old, row)) in (0..).zip(rows) {
            numbers[old as usize] = new;
            self.rows.push(row);
            self.index_row(new);
        }
        numbers
    }

    /// The entity's name.
    pub(crate) fn name(&self, number: u32) -> &str {
        &self.rows[number as usize].name
    }

    /// The owner of the entity's name.
    pub(crate) fn owner(&self, number: u32) -> u32 {
        self.rows[number as usize].owner
    }

    /// The number of entities.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// All entities in the order of their numbers.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.rows.iter().map(|row| &row.value)
    }

    /// All entities with their numbers, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = (u32, &V)> {
        let numbers = (0..self.len()).rev().filter_map(|number| u32::try_from(number).ok());
        numbers.zip(self.rows.iter().rev().map(|row| &row.value))
    }

    /// The same, to change them.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.rows.iter_mut().map(|row| &mut row.value)
    }
}

fn hash(owner: u32, name: &str) -> u64 {
    FixedState::default().hash_one((owner, name))
}

impl<V> Index<u32> for Table<V> {
    type Output = V;
    fn index(&self, number: u32) -> &V {
        &self.rows[number as usize].value
    }
}

impl<V: Clone> IndexMut<u32> for Table<V> {
    fn index_mut(&mut self, number: u32) -> &mut V {
        &mut self.rows[number as usize].value
    }
}

impl<V: Serialize> Serialize for Table<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows.serialize(serializer)
    }
}

impl<'de, V: Deserialize<'de> + Clone> Deserialize<'de> for Table<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Table<V>, D::Error> {
        let mut table = Table::default();
        for TableRow { owner, name, value } in Vec::<TableRow<V>>::deserialize(deserializer)? {
            if table.find(owner, &name).is_some() {
                return Err(D::Error::custom(format!("{owner} names two things {name:?}")));
            }
            table.add(owner, &name, value);
        }
        Ok(table)
    }
}

impl<V: PartialEq> PartialEq for Table<V> {
    fn eq(&self, other: &Table<V>) -> bool {
        self.rows == other.rows
    }
}

impl<V: Eq> Eq for Table<V> {}

impl<V: Hash> Hash for Table<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rows.hash(state);
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

    #[test]
    fn new_numbers_follow_owner_and_name() {
        let mut table = Table::default();
        for (owner, name, value) in [(0, "b", 'x'), (1, "a", 'y'), (0, "a", 'z')] {
            table.add(owner, name, value);
        }
        assert_eq!(table.renumber(|owner| 1 - owner), [2, 0, 1]);
        assert_eq!(table.values().collect::<String>(), "yzx");
        assert_eq!((table.find(1, "b"), table.find(0, "b")), (Some(2), None));
    }
}

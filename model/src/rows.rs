//! Long lists that copies of a state share, but for what one of them changes.

use std::hash::{Hash, Hasher};
use std::ops::{Index, IndexMut};

use arrayvec::ArrayVec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::shared::Shared;

/// How many rows are shared or copied together. More of them cost less memory for each row, and more time for a change after
/// a clone.
const TOGETHER: usize = 8;

/// A list that grows at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows<T> {
    /// All but the last are full.
    chunks: Vec<Shared<ArrayVec<T, TOGETHER>>>,
}

impl<T> Default for Rows<T> {
    fn default() -> Rows<T> {
        Rows { chunks: Vec::new() }
    }
}

impl<T> Rows<T> {
    pub(crate) fn len(&self) -> usize {
        let Some((last, full)) = self.chunks.split_last() else { return 0 };
        full.len() * TOGETHER + last.len()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }
}

impl<T: Clone> Rows<T> {
    pub(crate) fn push(&mut self, row: T) {
        match self.chunks.last_mut() {
            Some(last) if !last.is_full() => last.push(row),
            _ => self.chunks.push(ArrayVec::from_iter([row]).into()),
        }
    }

    /// All rows, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flat_map(|chunk| chunk.iter_mut())
    }

    /// The rows themselves, copied where somebody else has them too.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = T> {
        self.chunks.into_iter().flat_map(Shared::into_inner)
    }
}

impl<T> Index<usize> for Rows<T> {
    type Output = T;
    fn index(&self, number: usize) -> &T {
        &self.chunks[number / TOGETHER][number % TOGETHER]
    }
}

impl<T: Clone> IndexMut<usize> for Rows<T> {
    fn index_mut(&mut self, number: usize) -> &mut T {
        &mut self.chunks[number / TOGETHER][number % TOGETHER]
    }
}

impl<T: Clone> FromIterator<T> for Rows<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Rows<T> {
        let mut list = Rows::default();
        rows.into_iter().for_each(|row| list.push(row));
        list
    }
}

impl<T: Hash> Hash for Rows<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.chunks.hash(state);
    }
}

impl<T: Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T: Deserialize<'de> + Clone> Deserialize<'de> for Rows<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rows<T>, D::Error> {
        Vec::deserialize(deserializer).map(Rows::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_what_was_pushed_whatever_their_number() {
        for length in 0..=3 * TOGETHER {
            let rows: Rows<usize> = (0..length).collect();
            assert_eq!(rows.len(), length);
            assert!(rows.iter().copied().eq(0..length));
            assert!(rows.iter().rev().copied().eq((0..length).rev()));
            assert!((0..length).all(|number| rows[number] == number));
            assert!(rows.into_rows().eq(0..length));
        }
    }

    #[test]
    fn a_clone_keeps_its_rows_when_the_other_changes() {
        let before: Rows<usize> = (0..2 * TOGETHER + 1).collect();
        let mut after = before.clone();
        after[TOGETHER] = 100;
        after.push(200);
        assert!(before.iter().copied().eq(0..2 * TOGETHER + 1));
        assert_eq!((after[TOGETHER], after[TOGETHER + 1]), (100, TOGETHER + 1));
        assert_eq!((after.len(), after[2 * TOGETHER + 1]), (before.len() + 1, 200));
        assert_ne!(before, after);
        after.iter_mut().for_each(|row| *row = 0);
        assert!(after.iter().all(|row| *row == 0) && before[1] == 1);
    }
}

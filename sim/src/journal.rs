//! What a world remembers of the last requests, for whoever looks in.

use std::borrow::Cow;
use std::collections::VecDeque;

use axum::http::Method;
use serde::Serialize;
use tideover_model::{Clause, Code, OperationKind, Timestamp};

/// Entries kept.
const KEPT: usize = 1000;
/// Bytes of a path that are kept.
const PATH_KEPT: usize = 256;
/// Bytes of a method that are kept.
const METHOD_KEPT: usize = 32;

/// A list that forgets its oldest entries.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    entries: VecDeque<T>,
    dropped: u64,
}

impl<T> Default for Ring<T> {
    fn default() -> Ring<T> {
        Ring { entries: VecDeque::new(), dropped: 0 }
    }
}

impl<T> Ring<T> {
    /// Adds an entry; gives back the one that was forgotten for it.
    pub(crate) fn push(&mut self, entry: T) -> Option<T> {
        let forgotten = if self.entries.len() == KEPT { self.entries.pop_front() } else { None };
        self.dropped += u64::from(forgotten.is_some());
        self.entries.push_back(entry);
        forgotten
    }

    /// Entries forgotten.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Entries ever added.
    pub(crate) fn next(&self) -> u64 {
        self.dropped + self.entries.len() as u64
    }

    /// The entries kept, with their numbers, from number `after` on.
    pub(crate) fn from(&self, after: u64) -> impl Iterator<Item = (u64, &T)> {
        let skipped = usize::try_from(after.saturating_sub(self.dropped)).unwrap_or(usize::MAX);
        let first = self.dropped + skipped.min(self.entries.len()) as u64;
        (first..).zip(self.entries.iter().skip(skipped))
    }

    /// The entry of that number, if it is kept.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.entries.get_mut(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }
}

/// A request to the partner API, and how it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// When it was answered.
    pub time: Timestamp,
    /// The method; the first 32 bytes of it.
    pub method: Cow<'static, str>,
    /// The path, as sent, without the query; the first 256 bytes of it.
    pub path: String,
    /// The operation; `None` where the path or the method named none.
    pub operation: Option<OperationKind>,
    /// The HTTP status.
    pub status: u16,
    /// The code, if it was refused.
    pub code: Option<Code>,
    /// The sentence of the document, or the assumption, that asked for the refusal.
    #[serde(serialize_with = "clause")]
    pub clause: Option<Clause>,
    /// What is good to know of it, though it was done as asked: that an address is not whole.
    pub note: Option<String>,
}

/// A method as it is kept.
pub(crate) fn method(method: &Method) -> Cow<'static, str> {
    match *method {
        Method::GET => Cow::Borrowed("GET"),
        Method::PUT => Cow::Borrowed("PUT"),
        Method::POST => Cow::Borrowed("POST"),
        Method::DELETE => Cow::Borrowed("DELETE"),
        _ => Cow::Owned(method.as_str().chars().take(METHOD_KEPT).collect()),
    }
}

#[expect(clippy::ref_option, reason = "serde's signature")]
fn clause<S: serde::Serializer>(clause: &Option<Clause>, serializer: S) -> Result<S::Ok, S::Error> {
    clause.map(Clause::name).serialize(serializer)
}

/// The last requests.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    ring: Ring<Entry>,
    /// The memory of the last forgotten path, for the next one.
    spare: String,
}

/// `GET /_sim/journal`
#[derive(Serialize)]
pub(crate) struct JournalView {
    entries: Vec<Entry>,
    dropped: u64,
}

impl Journal {
    /// Writes an entry down, with `path` in place of its own.
    pub(crate) fn record(&mut self, entry: Entry, path: &str) {
        let mut kept = std::mem::take(&mut self.spare);
        kept.clear();
        kept.push_str(&path[..path.floor_char_boundary(PATH_KEPT)]);
        if let Some(forgotten) = self.ring.push(Entry { path: kept, ..entry }) {
            self.spare = forgotten.path;
        }
    }

    pub(crate) fn view(&self) -> JournalView {
        JournalView {
            entries: self.ring.entries.iter().cloned().collect(),
            dropped: self.ring.dropped,
        }
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.ring.entries.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten_and_counted() {
        let mut ring = Ring::default();
        for number in 0..1005_u64 {
            let forgotten = ring.push(number);
            assert_eq!(forgotten, number.checked_sub(1000));
        }
        assert_eq!((ring.entries.len(), ring.dropped, ring.next()), (1000, 5, 1005));
        for (after, first) in [(0, 5), (5, 5), (7, 7), (1004, 1004)] {
            assert_eq!(ring.from(after).next(), Some((first, &first)), "{after}");
        }
        for beyond in [1005, u64::MAX] {
            assert_eq!(ring.from(beyond).next(), None);
        }
    }

    #[test]
    fn long_paths_are_cut_at_a_character() {
        let mut journal = Journal::default();
        let entry = Entry {
            time: Timestamp::MAX,
            method: Cow::Borrowed("GET"),
            path: String::new(),
            operation: None,
            status: 404,
            code: None,
            clause: None,
            note: None,
        };
        journal.record(entry, &"€".repeat(1000));
        assert_eq!(journal.entries()[0].path, "€".repeat(85));
    }
}

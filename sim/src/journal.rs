//! A world's journal of the last requests.

use std::borrow::Cow;
use std::collections::VecDeque;

use axum::http::Method;
use serde::Serialize;
use tideover_model::{Clause, Code, OperationKind, Timestamp};

use crate::fault::Fault;
use crate::grease::Freedom;

/// The number of entries kept.
const KEPT: usize = 1000;
/// The number of bytes kept of a path.
const PATH_KEPT: usize = 256;
/// The number of bytes kept of a method.
const METHOD_KEPT: usize = 32;

/// A list that drops its oldest entries.
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
    /// Adds an entry; returns the one that it drops to make room.
    pub(crate) fn push(&mut self, entry: T) -> Option<T> {
        let dropped_entry =
            if self.entries.len() == KEPT { self.entries.pop_front() } else { None };
        self.dropped += u64::from(dropped_entry.is_some());
        self.entries.push_back(entry);
        dropped_entry
    }
}

/// A request to the partner API, and its response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// When the service answered it.
    pub time: Timestamp,
    /// The first 32 bytes of the method.
    pub method: Cow<'static, str>,
    /// The first 256 bytes of the path as sent, without the query.
    pub path: String,
    /// The operation; `None` if path and method name none.
    pub operation: Option<OperationKind>,
    /// The HTTP status of the service's answer, even of one that a fault withheld from the client; `None` if a
    /// fault kept the request from the service.
    pub status: Option<u16>,
    /// The code of the refusal, if the service refused it.
    pub code: Option<Code>,
    /// The sentence of the document, or the assumption, that required the refusal.
    #[serde(serialize_with = "clause")]
    pub clause: Option<Clause>,
    /// A hint about a successful request: that an address is incomplete.
    pub note: Option<String>,
    /// The label of the fault that the request met, if it met one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The freedoms that the response takes, if the world has grease. The client may have got another code than
    /// `code`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grease: Vec<Freedom>,
}

/// A method in the form that the journal keeps.
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
    /// The buffer of the last dropped path, for reuse.
    spare: String,
}

/// `GET /_sim/journal`
#[derive(Serialize)]
pub(crate) struct JournalView {
    entries: Vec<Entry>,
    dropped: u64,
}

impl Journal {
    /// Adds an entry, with `path` in place of its own.
    pub(crate) fn record(&mut self, entry: Entry, path: &str) {
        let mut kept = std::mem::take(&mut self.spare);
        kept.clear();
        kept.push_str(&path[..path.floor_char_boundary(PATH_KEPT)]);
        if let Some(dropped_entry) = self.ring.push(Entry { path: kept, ..entry }) {
            self.spare = dropped_entry.path;
        }
    }

    /// Adds to the last entry the fault that its request met.
    pub(crate) fn fault(&mut self, fault: Option<Fault>) {
        if let (Some(fault), Some(entry)) = (fault, self.ring.entries.back_mut()) {
            entry.fault = Some(fault.label);
        }
    }

    /// Adds to the last entry what grease made of its response.
    pub(crate) fn grease(&mut self, status: u16, taken: Vec<Freedom>) {
        if let Some(last) = self.ring.entries.back_mut() {
            (last.status, last.grease) = (Some(status), taken);
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
    fn the_oldest_entries_are_dropped_and_counted() {
        let mut ring = Ring::default();
        for number in 0..1005_u64 {
            let dropped_entry = ring.push(number);
            assert_eq!(dropped_entry, number.checked_sub(1000));
        }
        assert_eq!((ring.entries.len(), ring.dropped), (1000, 5));
    }

    #[test]
    fn long_paths_are_cut_at_a_character() {
        let mut journal = Journal::default();
        let entry = Entry {
            time: Timestamp::MAX,
            method: Cow::Borrowed("GET"),
            path: String::new(),
            operation: None,
            status: Some(404),
            code: None,
            clause: None,
            note: None,
            fault: None,
            grease: Vec::new(),
        };
        journal.record(entry, &"€".repeat(1000));
        assert_eq!(journal.entries()[0].path, "€".repeat(85));
    }
}

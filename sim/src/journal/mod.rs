//! A world's journal of the last requests, each with its answer.

mod entry;
mod filter;
mod har;
mod record;
mod ring;
mod subject;

use std::ops::Range;

use serde::Serialize;
use tideover_model::Code;

pub use entry::{CausedEvent, CutPart, Entry, Message, Payload, RealTime};
pub use filter::JournalFilter;
pub(crate) use har::archive;
pub(crate) use record::{Arrived, Outcome};
pub(crate) use ring::Ring;

use record::Record;

/// How much a journal keeps. Where it has more, it drops the oldest requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalLimits {
    /// The most requests; with 0 the journal keeps nothing, and requests cost less.
    pub requests: usize,
    /// The most bytes of all requests and answers together.
    pub bytes: usize,
    /// The most bytes of one body; the journal keeps its beginning.
    pub body: usize,
}

impl Default for JournalLimits {
    fn default() -> JournalLimits {
        JournalLimits { requests: ring::KEPT, bytes: 16 << 20, body: 64 << 10 }
    }
}

/// The last requests.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    limits: JournalLimits,
    ring: Ring<Record>,
    /// The bytes of all records.
    bytes: usize,
    /// The buffer of the last dropped record, for reuse.
    spare: Vec<u8>,
}

/// `GET /_sim/journal`
#[derive(Serialize)]
pub(crate) struct JournalView {
    pub(crate) entries: Vec<Entry>,
    /// The number of requests ever recorded.
    next: u64,
    dropped: u64,
}

impl Journal {
    /// An empty journal.
    pub(crate) fn of(limits: JournalLimits) -> Journal {
        Journal { limits, ring: Ring::of(limits.requests), bytes: 0, spare: Vec::new() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Journal::of(self.limits);
    }

    /// Adds an entry. The real time is in milliseconds since the start of 1970.
    pub(crate) fn record(
        &mut self,
        real_time: fn() -> u64,
        arrived: Arrived<'_>,
        outcome: Outcome<'_>,
    ) {
        if self.ring.is_off() {
            return self.ring.skip();
        }
        let spare = std::mem::take(&mut self.spare);
        let record = Record::new(spare, self.limits.body, real_time(), arrived, outcome);
        self.bytes += record.size();
        if let Some(dropped_record) = self.ring.push(record) {
            self.forget(dropped_record);
        }
        while self.bytes > self.limits.bytes && self.ring.len() > 1 {
            let Some(dropped_record) = self.ring.drop_oldest() else { break };
            self.forget(dropped_record);
        }
    }

    fn forget(&mut self, record: Record) {
        self.bytes -= record.size();
        self.spare = record.into_spare();
    }

    /// The number of requests ever recorded.
    pub(crate) fn next(&self) -> u64 {
        self.ring.next()
    }

    /// The number of the filter's requests from number `from` on.
    pub(crate) fn count(&self, filter: &JournalFilter, from: u64) -> u64 {
        self.chosen(filter, from).count() as u64
    }

    /// The filter's requests; of those only the unexpected ones, if asked. `caused` finds the events of deliveries.
    pub(crate) fn view(
        &self,
        filter: &JournalFilter,
        is_unexpected: bool,
        caused: impl Fn(Range<u64>) -> Vec<CausedEvent>,
    ) -> JournalView {
        let chosen = self.chosen(filter, filter.first());
        let chosen = chosen.filter(|(_, record)| !is_unexpected || record.is_unexpected());
        let entry = |(number, record): (u64, &Record)| {
            record.entry(number, caused(record.deliveries.clone()))
        };
        JournalView {
            entries: chosen.map(entry).collect(),
            next: self.ring.next(),
            dropped: self.ring.dropped(),
        }
    }

    fn chosen<'a>(
        &'a self,
        filter: &'a JournalFilter,
        from: u64,
    ) -> impl Iterator<Item = (u64, &'a Record)> {
        self.ring.from(from).filter(|(_, record)| filter.admits(record))
    }
}

impl Record {
    /// Whether it shows that the client uses the API wrongly: the form of the request is refused, its key is, or a
    /// part of it is ignored.
    fn is_unexpected(&self) -> bool {
        const CODES: [Code; 5] = [
            Code::UnknownEndpoint,
            Code::Unauthorized,
            Code::InvalidRequest,
            Code::UnreadableRequest,
            Code::UnreadableFile,
        ];
        self.code.is_some_and(|code| CODES.contains(&code)) || !self.warnings.is_empty()
    }
}

//! A world's journal of the last requests, each with its answer.

mod conduct;
mod entry;
mod filter;
mod har;
mod masks;
mod record;
mod ring;
mod subject;

use std::ops::Range;
use std::sync::Arc;

use tideover_model::Code;
use tideover_model::conduct::Exchange;

use crate::history::Point;
use crate::limits::Budget;
use crate::pieces::PIECE;

pub use entry::{CausedEvent, CutPart, Entry, Message, Payload, RealTime};
pub use filter::{JournalFilter, UnfitCondition};
pub(crate) use har::Archived;
pub(crate) use masks::Masks;
pub use masks::masked_by_form;
pub(crate) use record::{Arrived, Handled};
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
        JournalLimits { requests: 1000, bytes: 16 << 20, body: 64 << 10 }
    }
}

/// What a journal may keep, and what it shares with the other journals of its mock.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) limits: JournalLimits,
    /// The bytes of all journals of the mock.
    pub(crate) budget: Arc<Budget>,
    pub(crate) masks: Masks,
}

impl Setting {
    /// For a journal that shares nothing.
    pub(crate) fn alone(limits: JournalLimits) -> Setting {
        Setting { limits, budget: Budget::of(usize::MAX), masks: Masks::default() }
    }
}

/// The last requests.
#[derive(Debug)]
pub(crate) struct Journal {
    setting: Setting,
    ring: Ring<Record>,
    /// The bytes of all records.
    bytes: usize,
    /// The buffer of the last dropped record, for reuse.
    spare: Vec<u8>,
}

/// A part of the journal, and the number at which the next part begins, if there may be one.
pub(crate) struct Page {
    pub(crate) entries: Vec<Entry>,
    pub(crate) next: Option<u64>,
}

/// The requests that someone asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) filter: JournalFilter,
    /// Only those that show a mistake of the client.
    pub(crate) is_unexpected: bool,
}

impl Wanted {
    fn admits(&self, record: &Record) -> bool {
        self.filter.admits(record) && (!self.is_unexpected || record.is_unexpected())
    }
}

impl Journal {
    /// An empty journal.
    pub(crate) fn of(setting: Setting) -> Journal {
        let ring = Ring::of(setting.limits.requests);
        Journal { setting, ring, bytes: 0, spare: Vec::new() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Journal::of(self.setting.clone());
    }

    /// Adds an entry. The real time is in milliseconds since the start of 1970.
    pub(crate) fn record(
        &mut self,
        real_time: fn() -> u64,
        arrived: Arrived<'_>,
        handled: Handled<'_>,
    ) {
        if self.ring.is_off() {
            return self.ring.skip();
        }
        let spare = std::mem::take(&mut self.spare);
        let record = Record::new(spare, self.setting.limits.body, real_time(), arrived, handled);
        self.bytes += record.size();
        self.setting.budget.add(record.whole_size());
        if let Some(dropped_record) = self.ring.push(record) {
            self.forget(dropped_record);
        }
        while self.bytes > self.setting.limits.bytes && self.ring.len() > 1 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(dropped_record) = self.ring.drop_oldest() {
            self.forget(dropped_record);
        }
    }

    fn forget(&mut self, record: Record) {
        self.bytes -= record.size();
        self.setting.budget.remove(record.whole_size());
        self.spare = record.into_spare();
    }

    /// The bytes of all records, with all that belongs to them.
    pub(crate) fn whole_size(&self) -> usize {
        self.bytes + self.ring.len() * Record::FIXED
    }

    /// Drops its oldest requests until it has at most so many bytes.
    pub(crate) fn shrink_to(&mut self, most: usize) {
        while self.whole_size() > most {
            self.drop_oldest();
        }
    }

    /// What masks the secrets in it.
    pub(crate) fn masks(&self) -> &Masks {
        &self.setting.masks
    }

    /// The states before and after a request that is kept.
    pub(crate) fn states(&self, number: u64) -> Option<[Point; 2]> {
        let record = self.get(number)?;
        let at = |position| Point { position, time: record.time };
        Some([at(record.states.start), at(record.states.end)])
    }

    /// The position of the state before the oldest request; that after all, if the journal has dropped them all.
    pub(crate) fn oldest_position(&self, now: u64) -> u64 {
        match self.ring.from(0).next() {
            Some((_, record)) if self.dropped() > 0 => record.states.start,
            None if self.dropped() > 0 => now,
            // Nothing is too old.
            Some(_) | None => 0,
        }
    }

    /// The number of the first request that has a state, if those from a position on have one.
    pub(crate) fn first_from(&self, position: u64) -> u64 {
        let found = self.ring.from(0).find(|(_, record)| record.states.start >= position);
        found.map_or(self.next(), |(number, _)| number)
    }

    /// A request that is kept in a few words: method, path and status.
    pub(crate) fn in_words(&self, number: u64) -> Option<String> {
        let record = self.get(number)?;
        let status = record.status.map_or("no answer".to_owned(), |status| status.to_string());
        let path = self.masks().concealed(record.path());
        let path = path.as_deref().unwrap_or(record.path());
        Some(format!("{} {path} → {status}", record.method()))
    }

    fn get(&self, number: u64) -> Option<&Record> {
        let found = self.ring.from(number).next();
        found.filter(|(kept, _)| *kept == number).map(|(_, record)| record)
    }

    /// What it may keep.
    pub(crate) fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The number of requests ever recorded.
    pub(crate) fn next(&self) -> u64 {
        self.ring.next()
    }

    /// The number of requests dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.ring.dropped()
    }

    /// Calls `take` with each of the requests with these numbers, as the watch of conduct sees it.
    pub(crate) fn witness(&self, numbers: Range<u64>, mut take: impl FnMut(&Exchange<'_>)) {
        let kept = self.ring.from(numbers.start).take_while(|(number, _)| *number < numbers.end);
        kept.for_each(|(number, record)| record.witness(number, &mut take));
    }

    /// The number of the filter's requests from number `from` on.
    pub(crate) fn count(&self, filter: &JournalFilter, from: u64) -> u64 {
        self.ring.from(from).filter(|(_, record)| filter.admits(record)).count() as u64
    }

    /// All wanted requests. `caused` finds the events of deliveries.
    pub(crate) fn all(
        &self,
        wanted: &Wanted,
        caused: impl Fn(Range<u64>) -> Vec<CausedEvent>,
    ) -> Vec<Entry> {
        let kept = self.ring.from(wanted.filter.first());
        let kept = kept.filter(|(_, record)| wanted.admits(record));
        kept.map(|(number, record)| self.entry(number, record, &caused)).collect()
    }

    /// The wanted requests among these numbers, up to about as many as a piece of a document has.
    pub(crate) fn page(
        &self,
        wanted: &Wanted,
        numbers: Range<u64>,
        caused: impl Fn(Range<u64>) -> Vec<CausedEvent>,
    ) -> Page {
        // Bounds how long a reader holds the lock of the world.
        const MOST_SEARCHED: usize = 256;
        let (mut entries, mut bytes, mut next) = (Vec::new(), 0, None);
        let kept = self.ring.from(numbers.start).take_while(|(number, _)| *number < numbers.end);
        for (number, record) in kept.take(MOST_SEARCHED) {
            next = Some(number + 1);
            if wanted.admits(record) {
                bytes += record.size();
                entries.push(self.entry(number, record, &caused));
            }
            if bytes >= PIECE {
                break;
            }
        }
        Page { entries, next }
    }

    fn entry(
        &self,
        number: u64,
        record: &Record,
        caused: impl Fn(Range<u64>) -> Vec<CausedEvent>,
    ) -> Entry {
        self.setting.masks.entry(record.entry(number, caused(record.deliveries.clone())))
    }
}

impl Default for Journal {
    fn default() -> Journal {
        Journal::of(Setting::alone(JournalLimits::default()))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.setting.budget.remove(self.whole_size());
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

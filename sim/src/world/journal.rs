//! Reads a world's journal, at once or as requests come.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use tideover_model::{PlatformId, Refusal};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::journal::{Entry, Journal, JournalFilter, JournalLimits, Page, Setting, Wanted};
use crate::world::{LogPosition, World, WorldState, when};

/// The result of waiting for requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = RequestsCame)]
pub struct Waited {
    /// Whether as many came as were wanted.
    pub reached: bool,
    /// How many came.
    pub count: u64,
}

impl World {
    /// Begins an empty journal with these limits.
    #[must_use]
    pub fn journaling(self, limits: JournalLimits) -> World {
        self.recording(Setting::alone(limits))
    }

    /// Begins an empty journal with this setting.
    pub(crate) fn recording(self, setting: Setting) -> World {
        self.inner.keeps_states.store(setting.limits.requests > 0, Ordering::Relaxed);
        let mut state = self.lock();
        state.journal = Journal::of(setting);
        state.begin_history();
        drop(state);
        self
    }

    /// Whether each response of the partner API names the clause that decided it in a header. Default: yes.
    #[must_use]
    pub fn hinting(self, hints: bool) -> World {
        self.lock().hints = hints;
        self
    }

    /// The last requests to the partner API, the oldest first.
    pub fn journal(&self) -> Vec<Entry> {
        self.requests(&JournalFilter::new())
    }

    /// Those of the last requests that the filter chooses, the oldest first.
    pub fn requests(&self, filter: &JournalFilter) -> Vec<Entry> {
        self.all_requests(&Wanted { filter: filter.clone(), is_unexpected: false })
    }

    /// How many of the last requests the filter chooses.
    pub fn count_requests(&self, filter: &JournalFilter) -> u64 {
        self.lock().journal.count(filter, filter.first())
    }

    /// Those of the chosen requests that show a mistake of the client: an unknown path or method, an invalid key, a
    /// body of another form than the published one, or a part of it that the service ignores.
    pub fn unexpected_requests(&self, filter: &JournalFilter) -> Vec<Entry> {
        self.all_requests(&Wanted { filter: filter.clone(), is_unexpected: true })
    }

    /// Waits until at least `count` requests have come that the filter chooses, for at most `patience`. Those that
    /// are in the journal already count as well. No more come once the world is deleted or replaced.
    pub async fn wait_for_requests(
        &self,
        filter: &JournalFilter,
        count: u64,
        patience: Duration,
    ) -> Waited {
        let mut tally = Tally { resets: None, from: 0, found: 0 };
        let waiting = when(&self.inner.recorded, || {
            let state = self.lock();
            tally.follow(&state, filter);
            let reached = tally.found >= count;
            (reached || state.ended).then_some(reached)
        });
        let reached = timeout(patience, waiting).await.unwrap_or_default();
        Waited { reached, count: tally.found }
    }

    /// Every refusal that an advance against this invoice of `platform` would meet now, in order of precedence;
    /// empty if it can be financed.
    ///
    /// # Errors
    /// `business_not_found`, `invoice_not_found`.
    pub fn objections(
        &self,
        platform: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<Vec<Refusal>, Refusal> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        state.face.objections(now, platform, payee, invoice)
    }

    fn all_requests(&self, wanted: &Wanted) -> Vec<Entry> {
        let state = self.lock();
        let WorldState { journal, deliveries, .. } = &*state;
        journal.all(wanted, |numbers| deliveries.caused(numbers))
    }

    /// How far the journal has come.
    pub(crate) fn journal_position(&self) -> LogPosition {
        let state = self.lock();
        let (next, dropped) = (state.journal.next(), state.journal.dropped());
        LogPosition { next, dropped, resets: state.resets }
    }

    /// The wanted requests among these numbers, up to about as many as a piece of a document has; none after a reset.
    pub(crate) fn journal_page(&self, wanted: &Wanted, numbers: Range<u64>, resets: u64) -> Page {
        let state = self.lock();
        if state.resets != resets {
            return Page { entries: Vec::new(), next: None };
        }
        let WorldState { journal, deliveries, .. } = &*state;
        journal.page(wanted, numbers, |numbers| deliveries.caused(numbers))
    }

    /// The bytes that the journal takes, with the states at its entries.
    pub(crate) fn journal_size(&self) -> usize {
        let state = self.lock();
        state.journal.whole_size() + state.face.bytes()
    }

    /// Drops the oldest requests, and the oldest states, until the journal has at most so many bytes.
    pub(crate) fn shrink_journal(&self, most: usize) {
        let inputs = {
            let mut state = self.lock();
            let inputs = state.face.bytes();
            state.journal.shrink_to(most - inputs.min(most / 4));
            inputs
        };
        if inputs > most / 4 {
            self.shed(most / 4);
        }
    }
}

/// Counts the requests that someone waits for, each of them once.
struct Tally {
    /// The world's number of resets when it last counted.
    resets: Option<u64>,
    /// The number of the next request to look at.
    from: u64,
    found: u64,
}

impl Tally {
    /// Counts what has come since the last call. After a reset it starts over.
    fn follow(&mut self, state: &WorldState, filter: &JournalFilter) {
        if self.resets != Some(state.resets) {
            *self = Tally { resets: Some(state.resets), from: filter.first(), found: 0 };
        }
        self.found += state.journal.count(filter, self.from);
        self.from = self.from.max(state.journal.next());
    }
}

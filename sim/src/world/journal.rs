//! A world's journal, as it is asked: by filters, at once or as requests come.

use std::time::Duration;

use tideover_model::{PlatformId, Refusal};
use tokio::time::timeout;

use crate::journal::{Entry, Journal, JournalFilter, JournalLimits, JournalView};
use crate::world::{World, WorldState};

/// The result of waiting for requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// Whether as many came as were wanted.
    pub reached: bool,
    /// How many came.
    pub count: u64,
}

impl World {
    /// The same world with these limits of its journal, which is empty then.
    #[must_use]
    pub fn journaling(self, limits: JournalLimits) -> World {
        self.lock().journal = Journal::of(limits);
        self
    }

    /// The same world, in which each answer of the partner API names the clause that decided it in a header, or
    /// none does. Default: each does.
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
        self.journal_view(filter, false).entries
    }

    /// How many of the last requests the filter chooses.
    pub fn count_requests(&self, filter: &JournalFilter) -> u64 {
        self.lock().journal.count(filter, filter.first())
    }

    /// Those of the chosen requests that show a mistake of the client: an unknown path or method, an invalid key, a
    /// body of another form than the published one, or a part of it that the service ignores.
    pub fn unexpected_requests(&self, filter: &JournalFilter) -> Vec<Entry> {
        self.journal_view(filter, true).entries
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
        let waiting = async {
            loop {
                let recorded = self.inner.recorded.notified();
                tokio::pin!(recorded);
                recorded.as_mut().enable();
                let ended = {
                    let state = self.lock();
                    tally.follow(&state, filter);
                    state.ended
                };
                let reached = tally.found >= count;
                if reached || ended {
                    return reached;
                }
                recorded.await;
            }
        };
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

    pub(crate) fn journal_view(&self, filter: &JournalFilter, is_unexpected: bool) -> JournalView {
        let state = self.lock();
        let WorldState { journal, deliveries, .. } = &*state;
        journal.view(filter, is_unexpected, |numbers| deliveries.caused(numbers))
    }
}

/// The requests that someone waits for, as far as they are counted.
struct Tally {
    /// The number of resets when it began.
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

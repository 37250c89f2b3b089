//! When an idle world expires.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::clock::{instant, since};

/// How long a world may be idle, and since when it has been.
pub(super) struct Expiry {
    pub(super) idle: Duration,
    uses: Mutex<Uses>,
    /// The last use has ended.
    released: Notify,
}

struct Uses {
    now: usize,
    last: Instant,
}

/// The use of a world by a request, from the selection to the end of the response: it does not expire meanwhile.
pub(crate) struct InUse(Option<Arc<Expiry>>);

impl Expiry {
    pub(super) fn after(idle: Duration) -> Arc<Expiry> {
        let uses = Mutex::new(Uses { now: 0, last: instant() });
        Arc::new(Expiry { idle, uses, released: Notify::new() })
    }

    /// How long the world can stay idle before it expires; `None` while it is in use.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let uses = self.uses();
        (uses.now == 0).then(|| self.idle.saturating_sub(since(uses.last)))
    }

    /// Returns when the last use may have ended.
    pub(super) async fn released(&self) {
        self.released.notified().await;
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InUse {
    /// Begins a use of a world, which may expire.
    pub(super) fn of(expiry: Option<&Arc<Expiry>>) -> InUse {
        if let Some(expiry) = expiry {
            expiry.uses().now += 1;
        }
        InUse(expiry.cloned())
    }

    /// After how much idle time the world expires, if it does.
    pub(crate) fn idle(&self) -> Option<Duration> {
        self.0.as_ref().map(|expiry| expiry.idle)
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let Some(expiry) = &self.0 else { return };
        let mut uses = expiry.uses();
        uses.now -= 1;
        uses.last = instant();
        if uses.now == 0 {
            expiry.released.notify_one();
        }
    }
}

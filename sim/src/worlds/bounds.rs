//! Bounds that the worlds of a mock share: on waiting requests, on snapshots in memory, on their journals.

use std::sync::Arc;
use std::time::Duration;

use tideover_model::Impossible;
use tideover_model::wire::action::NotApplied;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::{Budget, Limits};
use crate::worlds::Worlds;

/// How many snapshots are in memory at a time: each can have hundreds of megabytes.
const MOST_DOCUMENTS: usize = 4;
/// How long a request waits for the place of one.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the worlds share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) limits: Limits,
    pub(super) journals: Arc<Budget>,
    waiting: Arc<Semaphore>,
    documents: Arc<Semaphore>,
    /// The turn to write the state file.
    pub(super) writer: Arc<Semaphore>,
}

impl Shared {
    pub(super) fn new(limits: Limits, journals: Arc<Budget>) -> Shared {
        let places = |number: usize| Arc::new(Semaphore::new(number.min(Semaphore::MAX_PERMITS)));
        Shared {
            limits,
            journals,
            waiting: places(limits.waiting),
            documents: places(MOST_DOCUMENTS),
            writer: places(1),
        }
    }
}

/// A place that is free again when this is dropped.
pub(crate) type Place = OwnedSemaphorePermit;

impl Worlds {
    pub(crate) fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// A place for a request that waits; impossible if too many wait.
    pub(crate) fn wait(&self) -> Result<Place, NotApplied> {
        Arc::clone(&self.shared.waiting).try_acquire_owned().map_err(|_| {
            let most = self.shared.limits.waiting;
            refused(format!(
                "{most} requests wait already; let some end, or start the mock with a larger --max-waiting"
            ))
        })
    }

    /// A place for a snapshot, once there is one; impossible if there is none for a while.
    pub(crate) async fn document(&self) -> Result<Place, NotApplied> {
        let place = timeout(PATIENCE, Arc::clone(&self.shared.documents).acquire_owned()).await;
        place.ok().and_then(Result::ok).ok_or_else(|| {
            refused(format!(
                "{MOST_DOCUMENTS} documents of worlds are read or written already; try again"
            ))
        })
    }

    /// Lets the largest journals drop their oldest requests if all journals together keep too much.
    pub(crate) fn balance_journals(&self) {
        if !self.shared.journals.is_exceeded() {
            return;
        }
        let worlds = self.all();
        let sizes = worlds.iter().map(|(_, world)| world.journal_size()).collect();
        let most = self.shared.journals.share(sizes);
        worlds.iter().for_each(|(_, world)| world.shrink_journal(most));
    }
}

fn refused(why: String) -> NotApplied {
    NotApplied::Impossible(Impossible(why.into()))
}

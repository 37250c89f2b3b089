//! The run's part of the inbox.

use std::time::{Duration, Instant};

use tideover_exchange::Arrival;
use tideover_exchange::evidence::Activity;
use tideover_exchange::target::Unanswered;

use crate::session::Session;

/// No webhook may arrive for this long before the wait ends; longer for a target that answers slowly.
const QUIET: Duration = Duration::from_millis(40);

/// The longest wait for webhooks after a step.
const LONGEST: Duration = Duration::from_secs(3);

impl Session {
    /// Takes and logs what has arrived in the run's part of the inbox, each with the number of its play. Fails only if
    /// the journal cannot be written.
    pub(crate) fn take_from_inbox(&self) -> Result<Vec<(u64, Arrival)>, Unanswered> {
        let taken = self.inbox.as_ref().map(|inbox| inbox.inbox().take()).unwrap_or_default();
        if !taken.is_empty() {
            let mut state = self.state();
            state.inbox_is_proven = true;
            state.survival.webhook();
        }
        let (secrets, now) = (self.secrets(), self.now());
        let mut arrived = Vec::with_capacity(taken.len());
        for arrival in taken {
            let Some((play, arrival)) = of_play(arrival) else { continue };
            let at = arrival.arrived.map_or(now, |arrived| self.its_time(arrived));
            self.journal(|journal| journal.arrival(at, play, &arrival, &secrets))?;
            arrived.push((play, arrival));
        }
        Ok(arrived)
    }

    /// Waits until `wanted` webhooks are there and nothing more arrives, but no longer than [`LONGEST`].
    pub(crate) async fn wait_for_webhooks(&self, wanted: usize) {
        let Some(inbox) = &self.inbox else { return };
        let quiet = QUIET.max(self.state().took * 2);
        let began = Instant::now();
        let latest = began + LONGEST;
        loop {
            let before = inbox.inbox().waiting();
            tokio::time::sleep(quiet).await;
            let now = inbox.inbox().waiting();
            if now == before && now >= wanted || Instant::now() >= latest {
                self.state().spent.record(Activity::Webhooks, began.elapsed());
                return;
            }
        }
    }
}

/// The play that an arrival is for, and the arrival without its number.
fn of_play(arrival: Arrival) -> Option<(u64, Arrival)> {
    let (play, _) = arrival.path.strip_prefix('/')?.split_once('/')?;
    let number = play.parse().ok()?;
    let path = arrival.path[play.len() + 1..].to_owned();
    Some((number, Arrival { path, ..arrival }))
}

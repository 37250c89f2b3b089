//! What a world gets from the network and gives to the courier.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tideover_model::{Attempt, Destinations, Impossible, Receipt};
use tokio::time::timeout;

use crate::clock::wall_time;
use crate::deliveries::{Ending, Headers};
use crate::sending;
use crate::sending::SigningTime;
use crate::world::World;

/// How long the resolution of a name may hold up a subscription. What it is too slow for, each attempt asks
/// for again.
const RESOLUTION: Duration = Duration::from_secs(3);

impl World {
    /// Sends a delivery once more, at once. `None` if no delivery is kept that carries this identifier.
    ///
    /// # Errors
    /// [`Impossible`] if its subscription is gone, or an attempt is under way.
    pub fn resend(&self, id: &str) -> Option<Result<(), Impossible>> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let delivery = state.deliveries.find(id)?;
        let attempts = state.deliveries.attempts(&delivery);
        let resent = state.face.resend(now, &delivery, attempts);
        self.drain(&mut state, now);
        Some(resent)
    }

    /// What a destination's host name resolves to, as far as that can be said soon.
    pub(crate) async fn resolve(&self, url: &str) -> Vec<IpAddr> {
        let Ok(url) = self.shared.destinations.judge(url, &[]) else { return Vec::new() };
        let (Some(name), Some(resolver)) = (url.domain(), &self.shared.resolver) else {
            return Vec::new();
        };
        let resolved = timeout(RESOLUTION, resolver.resolve(name)).await;
        resolved.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).unwrap_or_default()
    }

    pub(crate) fn destinations(&self) -> Destinations {
        self.shared.destinations.clone()
    }

    /// From now on somebody sends what is due.
    pub(crate) fn has_a_courier(&self) {
        self.lock().courier = true;
    }

    /// Returns when there may be something to send.
    pub(crate) async fn woken(&self) {
        self.shared.wake.notified().await;
    }

    /// How long it takes until something is due by itself.
    pub(crate) fn until_due(&self) -> Option<Duration> {
        let mut state = self.lock();
        let due = state.face.poll_timeout();
        state.awake_at = due;
        state.clock.until(due?)
    }

    /// The next attempt that is due, its headers, and how long its answer is waited for outside.
    pub(crate) fn begin_attempt(
        &self,
        signing: SigningTime,
    ) -> Option<(Attempt, Headers, Duration)> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let Some(attempt) = state.face.poll_attempt(now) else {
            state.exhausted_at = Some(now);
            self.shared.settled.notify_waiters();
            return None;
        };
        let at = match signing {
            SigningTime::Virtual => now,
            SigningTime::Wall => wall_time(),
        };
        let headers = sending::headers(&attempt.delivery.id, Some(attempt.sign(at).to_string()));
        state.deliveries.begun(&attempt, headers.clone());
        state.under_way += 1;
        let webhooks = &self.shared.profile.webhooks;
        let patience = Duration::from_millis(webhooks.patience);
        let in_its_own_time = state.clock.until(now.after(webhooks.timeout));
        Some((attempt, headers, in_its_own_time.unwrap_or(patience).max(patience)))
    }

    /// Whether an attempt may still be sent: its subscription may have ended since it began.
    pub(crate) fn is_wanted(&self, attempt: &Attempt) -> bool {
        self.lock().face.is_live(&attempt.delivery)
    }

    pub(crate) fn end_attempt(&self, attempt: &Attempt, receipt: Receipt, ending: Ending) {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let consequence = state.face.handle_receipt(now, attempt, receipt);
        state.deliveries.ended(attempt, ending, consequence);
        state.under_way -= 1;
        self.drain(&mut state, now);
    }
}

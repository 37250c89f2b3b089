//! A world's side of sending: name resolution, and attempts for the courier.

use std::borrow::Cow;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tideover_model::{Attempt, Delivery, Destinations, Impossible, Receipt, Timestamp};
use tokio::time::timeout;

use crate::clock::wall_time;
use crate::deliveries::{AttemptResult, Headers, NoResponse};
use crate::interventions::Intervention;
use crate::sending;
use crate::sending::{Letter, SigningTime};
use crate::world::{World, WorldState};

/// How long a name may take to resolve before its subscription is accepted anyway: each attempt resolves it again.
const RESOLUTION: Duration = Duration::from_secs(3);

impl World {
    /// Sends a delivery once more, at once. `None` if the log has no delivery with this identifier.
    ///
    /// # Errors
    /// [`Impossible`] if its subscription is gone, or an attempt is in flight.
    pub fn resend(&self, id: &str) -> Option<Result<(), Impossible>> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let delivery = state.deliveries.find(id)?;
        let attempts = state.deliveries.attempts(&delivery);
        let resent = state.face.resend(now, &delivery, attempts);
        let intervention = Intervention::resent(state.moment(now), &delivery.id);
        self.drain(&mut state, now);
        let intervention = match &resent {
            Ok(()) => intervention,
            Err(why) => intervention.refused(&why.0),
        };
        let intervention = intervention.up_to(state.noted());
        state.interventions.add(intervention);
        Some(resent)
    }

    /// The addresses of a destination's host name; none if resolution fails or is too slow.
    pub(crate) async fn resolve(&self, url: &str) -> Vec<IpAddr> {
        let Ok(url) = self.inner.destinations.judge(url, &[]) else { return Vec::new() };
        let (Some(name), Some(resolver)) = (url.domain(), &self.inner.resolver) else {
            return Vec::new();
        };
        let resolved = timeout(RESOLUTION, resolver.resolve(name)).await;
        resolved.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).unwrap_or_default()
    }

    pub(crate) fn destinations(&self) -> Destinations {
        self.inner.destinations.clone()
    }

    /// Records that a courier sends what is due.
    pub(crate) fn has_a_courier(&self) {
        self.lock().courier = true;
    }

    /// Returns when there may be something to send.
    pub(crate) async fn woken(&self) {
        self.inner.wake.notified().await;
    }

    /// The real time until the next thing is due; `None` if the clock stands still or nothing is due.
    pub(crate) fn until_due(&self) -> Option<Duration> {
        let mut state = self.lock();
        let due = state.face.poll_timeout();
        state.awake_at = due;
        state.clock.until(due?)
    }

    /// The next due attempt, what it sends, and the real time to wait for its response.
    pub(crate) fn begin_attempt(
        &self,
        signing: SigningTime,
    ) -> Option<(Attempt, Letter, Duration)> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let at = match signing {
            SigningTime::Virtual => now,
            SigningTime::Wall => wall_time(),
        };
        let Some((attempt, letter)) = self.next_to_leave(&mut state, now, at) else {
            state.exhausted_at = Some(now);
            self.inner.settled.notify_waiters();
            return None;
        };
        state.in_flight += 1;
        let webhooks = &self.inner.profile.webhooks;
        let patience = Duration::from_millis(webhooks.patience);
        let real_timeout = state.clock.until(now.after(webhooks.timeout));
        Some((attempt, letter, real_timeout.unwrap_or(patience).max(patience)))
    }

    /// Begins the next due attempt that no fault drops. Those that one drops end at once.
    fn next_to_leave(
        &self,
        state: &mut WorldState,
        now: Timestamp,
        signed_at: Timestamp,
    ) -> Option<(Attempt, Letter)> {
        loop {
            let attempt = state.face.poll_attempt(now)?;
            state.faults.begin(&attempt.delivery);
            if !state.faults.drop_attempt(&attempt) {
                state.noted();
                let letter = state.letter(&attempt, signed_at);
                state.deliveries.begun(&attempt, letter.headers.clone());
                return Some((attempt, letter));
            }
            state.deliveries.begun(&attempt, Headers::new());
            let status = Err(NoResponse("a fault dropped it: it never left".to_owned()));
            let result = AttemptResult { status, took: Duration::ZERO };
            state.end_attempt(now, &attempt, Receipt::TimedOut, result);
            self.drain(state, now);
        }
    }

    /// Whether an attempt may still be sent: its subscription may have ended since it began.
    pub(crate) fn is_wanted(&self, attempt: &Attempt) -> bool {
        self.lock().face.is_live(&attempt.delivery)
    }

    pub(crate) fn end_attempt(&self, attempt: &Attempt, receipt: Receipt, result: AttemptResult) {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        state.end_attempt(now, attempt, receipt, result);
        state.in_flight -= 1;
        self.drain(&mut state, now);
        state.noted();
        self.leave(state);
    }
}

impl WorldState {
    fn end_attempt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
        result: AttemptResult,
    ) {
        let consequence = self.face.handle_receipt(now, attempt, receipt);
        if let (Some(grease), Receipt::Answered(200..=299)) = (&mut self.grease, receipt) {
            grease.meet(&self.deliveries.freedoms(attempt));
        }
        let requests = self.journal.next();
        self.deliveries.ended(attempt, result, consequence, requests);
        self.follow_receipt(now, attempt, receipt, consequence);
    }

    /// What an attempt sends, signed as of `at`.
    fn letter(&self, attempt: &Attempt, at: Timestamp) -> Letter {
        let sent = self.as_sent(attempt);
        let signature = self.faults.sign(&sent, at).to_string();
        let headers = sending::headers(&attempt.delivery.id, Some(signature));
        let Delivery { url, body, .. } = &*sent.delivery;
        Letter { url: Arc::clone(url), headers, body: Arc::clone(body) }
    }

    /// The attempt with the bytes that the receiver gets: they are what is signed.
    fn as_sent<'a>(&self, attempt: &'a Attempt) -> Cow<'a, Attempt> {
        let mut delivery = self.faults.as_sent(&attempt.delivery);
        if let Some(grease) = &self.grease {
            let body = grease.event(&delivery).body;
            delivery = Arc::new(Delivery { body, ..(*delivery).clone() });
        }
        if Arc::ptr_eq(&delivery, &attempt.delivery) {
            return Cow::Borrowed(attempt);
        }
        let mut sent = attempt.clone();
        sent.delivery = delivery;
        Cow::Owned(sent)
    }
}

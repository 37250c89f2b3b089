//! The queues and the schedule of deliveries, and the effect of receipts (§6 Delivery).

mod restored;
mod waiting;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::choices::{Choices, Token};
use crate::delivery::{Attempt, Cause, Consequence, Delivery, Receipt, SchedulePosition, Signer};
use crate::happening::Impossible;
use crate::identity::SubscriptionId;
use crate::service::Service;
use crate::signature::SigningKey;
use crate::timestamp::{Shift, Timestamp};

use waiting::Waiting;

/// All deliveries that are not done, and when each subscription next has something to send.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Deliveries {
    queues: BTreeMap<SubscriptionId, Queue>,
    /// When each queue may send next, in order: an index that [`Deliveries::change`] maintains. A list,
    /// because nearly every attempt changes it, and a list keeps its memory.
    next: VecDeque<(Timestamp, SubscriptionId)>,
    /// The maximum number of attempts in flight for a subscription, so that none takes all connections.
    at_once: usize,
}

/// The deliveries of one subscription.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Queue {
    #[serde(with = "crate::signature::stored")]
    key: Arc<SigningKey>,
    /// By the number of the delivery.
    #[serde(serialize_with = "restored::list", deserialize_with = "restored::read")]
    pending: BTreeMap<u64, Pending>,
    /// Those pending deliveries that wait, by due time: an index of `pending`.
    #[serde(skip)]
    waiting: Waiting,
    /// The number of pending deliveries with an attempt in flight: an index of `pending`.
    #[serde(skip)]
    under_way: usize,
}

/// A delivery that is not done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Pending {
    delivery: Arc<Delivery>,
    /// Attempts begun, including manual ones and duplicates.
    attempts: u32,
    position: SchedulePosition,
    state: PendingState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum PendingState {
    Waiting { due: Timestamp, cause: Cause },
    UnderWay { begun_at: Timestamp, cause: Cause },
}

impl Pending {
    /// Its attempt in flight, if one is.
    fn attempt(&self, key: &Arc<SigningKey>, subscription: SubscriptionId) -> Option<Attempt> {
        let PendingState::UnderWay { begun_at, cause } = self.state else { return None };
        Some(Attempt {
            delivery: Arc::clone(&self.delivery),
            number: self.attempts,
            begun_at,
            cause,
            signer: Signer { key: Arc::clone(key), signed_at: None },
            subscription,
            position: self.position,
        })
    }
}

impl Queue {
    /// When it next has something to send; `None` at the maximum number of attempts in flight.
    fn next(&self, at_once: usize) -> Option<Timestamp> {
        if self.under_way >= at_once {
            return None;
        }
        let first = self.waiting.first();
        first.map(|(due, _)| due)
    }

    fn wait(&mut self, delivery: Arc<Delivery>, attempts: u32, due: Timestamp, cause: Cause) {
        self.waiting.insert(0, (due, delivery.number));
        let (position, state) = (SchedulePosition::default(), PendingState::Waiting { due, cause });
        self.pending.insert(delivery.number, Pending { delivery, attempts, position, state });
    }

    /// Begins the attempt that is due first.
    fn begin(&mut self, now: Timestamp, subscription: SubscriptionId) -> Option<Attempt> {
        let (_, number) = self.waiting.pop_first()?;
        let pending = self.pending.get_mut(&number)?;
        let PendingState::Waiting { cause, .. } = pending.state else { return None };
        pending.attempts += 1;
        pending.position.begun += usize::from(cause != Cause::Resent);
        pending.state = PendingState::UnderWay { begun_at: now, cause };
        self.under_way += 1;
        pending.attempt(&self.key, subscription)
    }

    /// The attempts in flight, by the numbers of their deliveries.
    fn in_flight(&self, subscription: SubscriptionId) -> impl Iterator<Item = Attempt> {
        self.pending.values().filter_map(move |pending| pending.attempt(&self.key, subscription))
    }

    /// Ends an attempt; another follows, or the delivery is done. Returns whether the attempt was in flight:
    /// one from before a reset or a restart is not, even if it is equal.
    fn end(&mut self, attempt: &Attempt, next: Option<(Timestamp, Cause)>) -> bool {
        let number = attempt.delivery.number;
        let Some(pending) = self.pending.get_mut(&number) else { return false };
        let is_this_one =
            pending.attempts == attempt.number && Arc::ptr_eq(&pending.delivery, &attempt.delivery);
        if !is_this_one || !matches!(pending.state, PendingState::UnderWay { .. }) {
            return false;
        }
        self.under_way -= 1;
        match next {
            None => {
                self.pending.remove(&number);
            }
            Some((due, cause)) => {
                pending.position.resumes_at = None;
                pending.state = PendingState::Waiting { due, cause };
                self.waiting.insert(pending.position.begun, (due, number));
            }
        }
        true
    }

    /// Moves the schedule. No attempt is in flight.
    fn shift(&mut self, shift: Shift) {
        self.waiting.shift(shift);
        for pending in self.pending.values_mut() {
            let delivery = Arc::make_mut(&mut pending.delivery);
            delivery.queued_at = shift.exactly(delivery.queued_at);
            let resumes_at = &mut pending.position.resumes_at;
            *resumes_at = resumes_at.map(|due| shift.exactly(due));
            if let PendingState::Waiting { due, .. } = &mut pending.state {
                *due = shift.exactly(*due);
            }
        }
    }

    /// Makes a delivery due now.
    fn hurry(
        &mut self,
        delivery: &Arc<Delivery>,
        attempts: u32,
        now: Timestamp,
    ) -> Result<(), Impossible> {
        let pending = self.pending.get_mut(&delivery.number);
        if let Some(Pending { position, state: PendingState::Waiting { due, .. }, .. }) = pending {
            if *due <= now {
                return Ok(());
            }
            position.resumes_at = Some(*due);
        }
        self.reschedule(delivery, attempts, now, Cause::Resent)
    }

    /// Makes a delivery due at another time, or once more if it is done.
    fn reschedule(
        &mut self,
        delivery: &Arc<Delivery>,
        attempts: u32,
        due: Timestamp,
        cause: Cause,
    ) -> Result<(), Impossible> {
        let Some(pending) = self.pending.get_mut(&delivery.number) else {
            self.wait(Arc::clone(delivery), attempts, due, cause);
            return Ok(());
        };
        let PendingState::Waiting { due: before, .. } = pending.state else {
            return Err(Impossible::new("an attempt is under way"));
        };
        pending.state = PendingState::Waiting { due, cause };
        self.waiting.remove((before, delivery.number));
        self.waiting.insert(0, (due, delivery.number));
        Ok(())
    }
}

impl Deliveries {
    pub(super) fn new(at_once: usize) -> Deliveries {
        Deliveries { queues: BTreeMap::new(), next: VecDeque::new(), at_once }
    }

    pub(super) fn open(&mut self, subscription: SubscriptionId, key: SigningKey) {
        let (key, pending) = (Arc::new(key), BTreeMap::new());
        let queue = Queue { key, pending, waiting: Waiting::default(), under_way: 0 };
        self.queues.insert(subscription, queue);
    }

    /// Sends nothing more, not even retries (`4.webhookDeletion.1`, `6.delivery.2`).
    pub(super) fn close(&mut self, subscription: SubscriptionId) {
        self.change(subscription, |queue| queue.waiting.clear());
        self.queues.remove(&subscription);
    }

    /// Changes a queue, and updates the index.
    fn change<T>(
        &mut self,
        subscription: SubscriptionId,
        change: impl FnOnce(&mut Queue) -> T,
    ) -> Option<T> {
        let queue = self.queues.get_mut(&subscription)?;
        let before = queue.next(self.at_once);
        let changed = change(queue);
        let after = queue.next(self.at_once);
        if before != after {
            let find = |next: &VecDeque<_>, due| next.binary_search(&(due, subscription));
            if let Some(index) = before.and_then(|due| find(&self.next, due).ok()) {
                self.next.remove(index);
            }
            if let Some((due, Err(index))) = after.map(|due| (due, find(&self.next, due))) {
                self.next.insert(index, (due, subscription));
            }
        }
        Some(changed)
    }

    /// When the next attempt is due.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.next.front().map(|(due, _)| *due)
    }

    /// The first number after those of all deliveries that are not done.
    pub(super) fn next_number(&self) -> u64 {
        let last = self.queues.values().filter_map(|queue| queue.pending.last_key_value());
        last.map(|(number, _)| number + 1).max().unwrap_or_default()
    }

    /// Moves the schedule. No attempt is in flight.
    pub(super) fn shift(&mut self, shift: Shift) {
        self.queues.values_mut().for_each(|queue| queue.shift(shift));
        self.next.iter_mut().for_each(|(due, _)| *due = shift.exactly(*due));
    }

    /// When the next attempt of a delivery is due, if one is waiting.
    fn due(&self, subscription: SubscriptionId, delivery: &Delivery) -> Option<Timestamp> {
        match self.queues.get(&subscription)?.pending.get(&delivery.number)?.state {
            PendingState::Waiting { due, .. } => Some(due),
            PendingState::UnderWay { .. } => None,
        }
    }
}

impl<C: Choices> Service<C> {
    /// Queues a delivery: due at once, or late if the profile lets events overtake each other
    /// (`gap.lateness`).
    pub(super) fn send(
        &mut self,
        now: Timestamp,
        subscription: SubscriptionId,
        delivery: Arc<Delivery>,
    ) {
        let lateness = self.choices.lateness(&self.profile, delivery.number);
        let cause = if lateness == 0 { Cause::Event } else { Cause::Late };
        self.deliveries.change(subscription, |queue| {
            queue.wait(delivery, 0, now.after(lateness), cause);
        });
    }

    pub(super) fn begin_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        let (_, subscription) = *self.deliveries.next.front().filter(|(due, _)| *due <= now)?;
        self.deliveries.change(subscription, |queue| queue.begin(now, subscription))?
    }

    /// `6.delivery.1`, `6.delivery.1.2`, `6.delivery.2`; a redirect is a failed attempt like any other
    /// (`6.subscription.2.2`).
    pub(super) fn receive(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        let (next, consequence) = match receipt {
            Receipt::Answered(410) => (None, Consequence::Revoked),
            Receipt::Answered(200..=299) => (self.once_more(now, attempt), Consequence::Accepted),
            // The receiver accepted it before.
            _ if attempt.cause == Cause::Duplicate => (None, Consequence::Accepted),
            Receipt::Answered(_) | Receipt::Failed | Receipt::TimedOut => {
                match self.retry_due(now, attempt, receipt) {
                    Some(due) => (Some((due, Cause::Retry)), Consequence::Again(due)),
                    None => (None, Consequence::GivenUp),
                }
            }
        };
        let subscription = attempt.subscription;
        let ended = self.deliveries.change(subscription, |queue| queue.end(attempt, next));
        if ended != Some(true) {
            return Consequence::None;
        }
        if consequence == Consequence::Revoked {
            self.revoke_subscription(subscription);
        }
        consequence
    }

    /// The duplicate of an accepted delivery, if it gets one (`gap.duplicates`).
    fn once_more(&mut self, now: Timestamp, attempt: &Attempt) -> Option<(Timestamp, Cause)> {
        let first = attempt.cause != Cause::Duplicate;
        let twice = first && self.choices.is_duplicated(&self.profile, attempt.delivery.number);
        twice.then_some((now, Cause::Duplicate))
    }

    /// When the attempt after this one is due, if within the window (`gap.retrySchedule`,
    /// `8.webhookRetryWindow`).
    fn retry_due(&self, now: Timestamp, attempt: &Attempt, receipt: Receipt) -> Option<Timestamp> {
        let webhooks = &self.profile.webhooks;
        let ended = match receipt {
            Receipt::TimedOut => now.max(attempt.begun_at.after(webhooks.timeout)),
            Receipt::Answered(_) | Receipt::Failed => now,
        };
        if attempt.cause == Cause::Resent {
            return attempt.position.resumes_at.map(|due| due.max(ended));
        }
        let delay = webhooks.retries.get(attempt.position.begun - 1)?;
        let due = attempt.begun_at.after(*delay).max(ended);
        (due <= attempt.delivery.queued_at.after(webhooks.window)).then_some(due)
    }

    /// Ends every attempt in flight as failed, since whoever sent them no longer exists. Their deliveries
    /// follow the schedule (`6.delivery.1.2`), and a late receipt has no effect. For a service that was
    /// restored: call it once, before anything else. Returns the attempts with their consequences.
    ///
    /// ```
    /// use tideover_model::{Profile, Seeded, Service, Timestamp};
    ///
    /// let mut service = Service::new(Profile::default(), Seeded { seed: 1 });
    /// let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    /// assert!(service.handle_restart(now).is_empty());
    /// ```
    pub fn handle_restart(&mut self, now: Timestamp) -> Vec<(Attempt, Consequence)> {
        let queues = self.deliveries.queues.iter();
        let in_flight: Vec<Attempt> = queues.flat_map(|(id, queue)| queue.in_flight(*id)).collect();
        let end = |attempt: Attempt| {
            let consequence = self.receive(now, &attempt, Receipt::Failed);
            (attempt, consequence)
        };
        in_flight.into_iter().map(end).collect()
    }

    /// The deliveries that are not done, by number, with the number of their attempts so far.
    pub fn pending_deliveries(&self) -> Vec<(Arc<Delivery>, u32)> {
        let queues = self.deliveries.queues.values();
        let pending = queues.flat_map(|queue| queue.pending.values());
        let mut pending: Vec<_> =
            pending.map(|it| (Arc::clone(&it.delivery), it.attempts)).collect();
        pending.sort_by_key(|(delivery, _)| delivery.number);
        pending
    }

    /// The number of the next delivery.
    pub fn next_delivery(&self) -> u64 {
        self.minted(Token::Delivery)
    }

    /// Sends a delivery once more, manually. The schedule of a waiting delivery continues.
    pub(super) fn send_again(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.requeue(delivery, |queue| queue.hurry(delivery, attempts, now))
    }

    /// Sends a delivery at another time than the schedule says.
    pub(super) fn send_at(
        &mut self,
        due: Timestamp,
        cause: Cause,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.requeue(delivery, |queue| queue.reschedule(delivery, attempts, due, cause))
    }

    /// Changes the place of a delivery in the queue of its subscription.
    fn requeue(
        &mut self,
        delivery: &Delivery,
        change: impl FnOnce(&mut Queue) -> Result<(), Impossible>,
    ) -> Result<(), Impossible> {
        const GONE: Impossible = Impossible::new("the subscription is gone");
        // A number that is still to come would collide.
        if delivery.number >= self.minted(Token::Delivery) {
            return Err(Impossible::new("no such delivery was queued"));
        }
        let subscription =
            self.find_subscription(delivery.platform, &delivery.subscription).ok_or(GONE)?;
        self.deliveries.change(subscription, change).unwrap_or(Err(GONE))
    }

    pub(super) fn attempt_due(&self, delivery: &Delivery) -> Option<Timestamp> {
        let subscription = self.find_subscription(delivery.platform, &delivery.subscription)?;
        self.deliveries.due(subscription, delivery)
    }
}

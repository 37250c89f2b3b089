//! Who is sent what, when, and what an answer means (§6 Delivery).

mod waiting;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::choices::Choices;
use crate::delivery::{Attempt, Cause, Consequence, Delivery, Place, Receipt, Signer};
use crate::happening::Impossible;
use crate::identity::SubscriptionId;
use crate::service::Service;
use crate::signature::SigningKey;
use crate::timestamp::Timestamp;

use waiting::Waiting;

/// All deliveries that are not done, and when which subscription has something to send.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Deliveries {
    queues: BTreeMap<SubscriptionId, Queue>,
    /// When each queue may send next, in order: an index that [`Deliveries::change`] maintains. It changes with
    /// nearly every attempt, and a list keeps its memory.
    next: VecDeque<(Timestamp, SubscriptionId)>,
    /// Attempts that may be under way for a subscription, so that none takes all there are.
    at_once: usize,
}

/// What a subscription is owed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Queue {
    key: Arc<SigningKey>,
    pending: BTreeMap<u64, Pending>,
    /// Those of the pending that wait, by when they are due.
    waiting: Waiting,
    under_way: usize,
}

/// A delivery that is not done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pending {
    delivery: Arc<Delivery>,
    /// Attempts begun, those by hand and duplicates included.
    attempts: u32,
    place: Place,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Waiting { due: Timestamp, cause: Cause },
    UnderWay,
}

impl Queue {
    /// When it has something to send, if more may be under way.
    fn next(&self, at_once: usize) -> Option<Timestamp> {
        if self.under_way >= at_once {
            return None;
        }
        let first = self.waiting.first();
        first.map(|(due, _)| due)
    }

    fn wait(&mut self, delivery: Arc<Delivery>, attempts: u32, due: Timestamp, cause: Cause) {
        self.waiting.insert(0, (due, delivery.number));
        let (place, state) = (Place::default(), State::Waiting { due, cause });
        self.pending.insert(delivery.number, Pending { delivery, attempts, place, state });
    }

    /// Begins the attempt that is due first.
    fn begin(&mut self, now: Timestamp, subscription: SubscriptionId) -> Option<Attempt> {
        let (_, number) = self.waiting.pop_first()?;
        let pending = self.pending.get_mut(&number)?;
        let State::Waiting { cause, .. } = pending.state else { return None };
        pending.attempts += 1;
        pending.place.begun += usize::from(cause != Cause::Resent);
        pending.state = State::UnderWay;
        self.under_way += 1;
        Some(Attempt {
            delivery: Arc::clone(&pending.delivery),
            number: pending.attempts,
            begun_at: now,
            cause,
            signer: Signer { key: Arc::clone(&self.key), signed_at: None },
            subscription,
            place: pending.place,
        })
    }

    /// Ends an attempt; another follows, or the delivery is done. Says whether it was under way.
    fn end(&mut self, attempt: &Attempt, next: Option<(Timestamp, Cause)>) -> bool {
        let number = attempt.delivery.number;
        let Some(pending) = self.pending.get_mut(&number) else { return false };
        let is_this_one =
            pending.attempts == attempt.number && Arc::ptr_eq(&pending.delivery, &attempt.delivery);
        if !is_this_one || pending.state != State::UnderWay {
            return false;
        }
        self.under_way -= 1;
        match next {
            None => {
                self.pending.remove(&number);
            }
            Some((due, cause)) => {
                pending.place.resumes_at = None;
                pending.state = State::Waiting { due, cause };
                self.waiting.insert(pending.place.begun, (due, number));
            }
        }
        true
    }

    /// Sends a delivery now, whenever it would have been sent.
    fn hurry(
        &mut self,
        delivery: &Arc<Delivery>,
        attempts: u32,
        now: Timestamp,
    ) -> Result<(), Impossible> {
        let cause = Cause::Resent;
        let Some(pending) = self.pending.get_mut(&delivery.number) else {
            self.wait(Arc::clone(delivery), attempts, now, cause);
            return Ok(());
        };
        let State::Waiting { due, .. } = pending.state else {
            return Err(Impossible::new("an attempt is under way"));
        };
        if due > now {
            pending.place.resumes_at = Some(due);
            pending.state = State::Waiting { due: now, cause };
            self.waiting.remove((due, delivery.number));
            self.waiting.insert(0, (now, delivery.number));
        }
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

    /// Nothing more is sent, retries included (`4.webhookDeletion.1`, `6.delivery.2`).
    pub(super) fn close(&mut self, subscription: SubscriptionId) {
        self.change(subscription, |queue| queue.waiting.clear());
        self.queues.remove(&subscription);
    }

    /// Changes a queue, and what is known of it.
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
            let place = |next: &VecDeque<_>, due| next.binary_search(&(due, subscription));
            if let Some(index) = before.and_then(|due| place(&self.next, due).ok()) {
                self.next.remove(index);
            }
            if let Some((due, Err(index))) = after.map(|due| (due, place(&self.next, due))) {
                self.next.insert(index, (due, subscription));
            }
        }
        Some(changed)
    }

    /// When something is to be sent next.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.next.front().map(|(due, _)| *due)
    }

    /// When an attempt of a delivery is due, if one is waited for.
    fn due(&self, subscription: SubscriptionId, delivery: &Delivery) -> Option<Timestamp> {
        match self.queues.get(&subscription)?.pending.get(&delivery.number)?.state {
            State::Waiting { due, .. } => Some(due),
            State::UnderWay => None,
        }
    }
}

impl<C: Choices> Service<C> {
    /// At once, or a little late where events shall overtake one another (`gap.lateness`).
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

    /// `6.delivery.1`, `6.delivery.1.2`, `6.delivery.2`; a redirect is an answer like any other
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
            // It was accepted before.
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
            self.end_subscription(subscription);
        }
        consequence
    }

    /// A duplicate, if there shall be one (`gap.duplicates`).
    fn once_more(&mut self, now: Timestamp, attempt: &Attempt) -> Option<(Timestamp, Cause)> {
        let first = attempt.cause != Cause::Duplicate;
        let twice = first && self.choices.is_duplicated(&self.profile, attempt.delivery.number);
        twice.then_some((now, Cause::Duplicate))
    }

    /// When an attempt is followed by the next, if it is within the window (`gap.retrySchedule`,
    /// `8.webhookRetryWindow`).
    fn retry_due(&self, now: Timestamp, attempt: &Attempt, receipt: Receipt) -> Option<Timestamp> {
        let webhooks = &self.profile.webhooks;
        let ended = match receipt {
            Receipt::TimedOut => now.max(attempt.begun_at.after(webhooks.timeout)),
            Receipt::Answered(_) | Receipt::Failed => now,
        };
        if attempt.cause == Cause::Resent {
            return attempt.place.resumes_at.map(|due| due.max(ended));
        }
        let delay = webhooks.retries.get(attempt.place.begun - 1)?;
        let due = attempt.begun_at.after(*delay).max(ended);
        (due <= attempt.delivery.queued_at.after(webhooks.window)).then_some(due)
    }

    /// Sends a delivery again, by hand: once, the schedule of one that is waited for goes on.
    pub(super) fn send_again(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        const GONE: Impossible = Impossible::new("the subscription is gone");
        let subscription =
            self.find_subscription(delivery.platform, &delivery.subscription).ok_or(GONE)?;
        self.deliveries
            .change(subscription, |queue| queue.hurry(delivery, attempts, now))
            .unwrap_or(Err(GONE))
    }

    pub(super) fn attempt_due(&self, delivery: &Delivery) -> Option<Timestamp> {
        let subscription = self.find_subscription(delivery.platform, &delivery.subscription)?;
        self.deliveries.due(subscription, delivery)
    }
}

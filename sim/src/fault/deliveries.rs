//! What follows for a delivery and its attempts from what a rule has decided.

use std::sync::Arc;

use tideover_model::{Attempt, Delivery, Seconds, Signature, SigningKey, Timestamp};

use crate::event_subject::EventSubject;
use crate::fault::body::rewritten;
use crate::fault::rule::Notice;
use crate::fault::{Act, DeliveryAct, Fault, Faults};

/// The longest that a delivery waits for another one to overtake it, by the world's clock: a day, within the window of
/// retries (`8.webhookRetryWindow`) and longer than what lies between two events of an advance.
const LONGEST_WAIT: Seconds = 24 * 3600;
/// Milliseconds.
const AN_HOUR: u64 = 3_600_000;
/// A secret that no subscription has.
const ANOTHER_SECRET: &str = "whsec_of_somebody_else";

impl Faults {
    /// Decides what happens to a delivery that was just queued. Returns when it is due, if not at once.
    pub(crate) fn strike(
        &mut self,
        delivery: &Delivery,
        gets_every_event: bool,
    ) -> Option<Timestamp> {
        let notice = Notice {
            event: delivery.event,
            subject: EventSubject::of(&delivery.body),
            gets_every_event,
            is_behind_another: self.decisions.waiting_beside(delivery).is_some(),
        };
        let Fault { act: Act::Delivery(act), label } = self.decide_delivery(&notice)? else {
            return None;
        };
        self.decisions.keep(delivery, label, act);
        let wait = match act {
            DeliveryAct::Late { seconds } => seconds,
            DeliveryAct::Swapped => LONGEST_WAIT,
            _ => return None,
        };
        Some(delivery.queued_at.after(wait))
    }

    /// The act of the rule that acted on a delivery.
    pub(crate) fn act_on(&self, delivery: &Delivery) -> Option<DeliveryAct> {
        self.decisions.act(delivery)
    }

    /// The label of the rule that acted on a delivery.
    pub(crate) fn label_of(&self, delivery: &Delivery) -> Option<&str> {
        self.decisions.label(delivery)
    }

    /// The delivery as it is sent, the same at every attempt.
    pub(crate) fn as_sent(&self, delivery: &Arc<Delivery>) -> Arc<Delivery> {
        let body = self.decisions.act(delivery).and_then(|act| rewritten(act, &delivery.body));
        match body {
            Some(body) => Arc::new(Delivery { body, ..(**delivery).clone() }),
            None => Arc::clone(delivery),
        }
    }

    /// Whether an attempt never leaves.
    pub(crate) fn drop_attempt(&self, attempt: &Attempt) -> bool {
        matches!(self.decisions.act_on(attempt), Some(DeliveryAct::Dropped { .. }))
    }

    /// The signature of an attempt that is sent at `at`.
    pub(crate) fn sign(&self, attempt: &Attempt, at: Timestamp) -> Signature {
        match self.decisions.act_on(attempt) {
            Some(DeliveryAct::SignedWithAnotherSecret { .. }) => {
                let another = SigningKey::new(ANOTHER_SECRET);
                another.sign(at.unix_unsigned(), &attempt.delivery.body)
            }
            Some(DeliveryAct::SignedAnHourAgo { .. }) => {
                attempt.sign(at.before_milliseconds(AN_HOUR))
            }
            _ => attempt.sign(at),
        }
    }

    /// Whether a delivery that was accepted comes once more.
    pub(crate) fn repeat(&self, delivery: &Delivery) -> bool {
        self.decisions.act(delivery) == Some(DeliveryAct::Duplicated)
    }

    /// Records that an attempt of a delivery begins: it does not wait to be overtaken any more.
    pub(crate) fn begin(&mut self, delivery: &Delivery) {
        if self.decisions.waiting_beside(delivery) == Some(delivery.number) {
            self.decisions.wait_no_more(delivery);
        }
    }

    /// The number of the delivery that need not wait any longer, because the receiver has answered this one.
    pub(crate) fn overtaken_by(&mut self, delivery: &Delivery) -> Option<u64> {
        let number = self.decisions.waiting_beside(delivery);
        let overtaken = number.filter(|number| *number < delivery.number)?;
        self.decisions.wait_no_more(delivery);
        Some(overtaken)
    }
}

//! What rules have decided about deliveries, and what follows for their attempts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tideover_model::{Attempt, Delivery, Seconds, Signature, SigningKey, Timestamp};

use crate::event_subject::EventSubject;
use crate::fault::body::rewritten;
use crate::fault::rule::Notice;
use crate::fault::{Act, DeliveryAct, Fault, Faults};

/// The number of decisions kept: as many as the log of deliveries shows.
const KEPT: usize = 1000;
/// The longest that a delivery waits for another one to overtake it. By the world's clock.
const LONGEST_WAIT: Seconds = 3600;
/// Milliseconds.
const AN_HOUR: u64 = 3_600_000;
/// A secret that no subscription has.
const ANOTHER_SECRET: &str = "whsec_of_somebody_else";

/// The decisions about deliveries, by their numbers. They are a part of a world's state: an attempt hours later, or in a
/// fork, follows them too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Struck {
    decided: BTreeMap<u64, Decided>,
    /// The delivery of each subscription that waits to be overtaken.
    waiting: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Decided {
    label: String,
    #[serde(flatten)]
    act: DeliveryAct,
}

impl Struck {
    pub(super) fn is_empty(&self) -> bool {
        self.decided.is_empty() && self.waiting.is_empty()
    }

    fn keep(&mut self, delivery: &Delivery, label: String, act: DeliveryAct) {
        if self.decided.len() >= KEPT {
            self.decided.pop_first();
        }
        self.decided.insert(delivery.number, Decided { label, act });
        if act == DeliveryAct::Swapped {
            self.waiting.insert(delivery.subscription.to_string(), delivery.number);
        }
    }

    fn act(&self, delivery: &Delivery) -> Option<DeliveryAct> {
        self.decided.get(&delivery.number).map(|decided| decided.act)
    }

    /// The act that changes this attempt.
    fn act_on(&self, attempt: &Attempt) -> Option<DeliveryAct> {
        let act = self.act(&attempt.delivery)?;
        act.attempts().is_none_or(|attempts| attempt.number <= attempts).then_some(act)
    }
}

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
            is_behind_another: self.struck.waiting.contains_key(&*delivery.subscription),
        };
        let Fault { act: Act::Delivery(act), label } = self.decide_delivery(&notice)? else {
            return None;
        };
        self.struck.keep(delivery, label, act);
        let wait = match act {
            DeliveryAct::Late { seconds } => seconds,
            DeliveryAct::Swapped => LONGEST_WAIT,
            _ => return None,
        };
        Some(delivery.queued_at.after(wait))
    }

    /// The label of the rule that acted on a delivery.
    pub(crate) fn label_of(&self, delivery: &Delivery) -> Option<&str> {
        self.struck.decided.get(&delivery.number).map(|decided| decided.label.as_str())
    }

    /// The delivery as it is sent, the same at every attempt.
    pub(crate) fn as_sent(&self, delivery: &Arc<Delivery>) -> Arc<Delivery> {
        let body = self.struck.act(delivery).and_then(|act| rewritten(act, &delivery.body));
        match body {
            Some(body) => Arc::new(Delivery { body, ..(**delivery).clone() }),
            None => Arc::clone(delivery),
        }
    }

    /// Whether an attempt never leaves.
    pub(crate) fn drop_attempt(&self, attempt: &Attempt) -> bool {
        matches!(self.struck.act_on(attempt), Some(DeliveryAct::Dropped { .. }))
    }

    /// The signature of an attempt that is sent at `at`.
    pub(crate) fn sign(&self, attempt: &Attempt, at: Timestamp) -> Signature {
        match self.struck.act_on(attempt) {
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
        self.struck.act(delivery) == Some(DeliveryAct::Duplicated)
    }

    /// Records that an attempt of a delivery begins: it does not wait to be overtaken any more.
    pub(crate) fn begin(&mut self, delivery: &Delivery) {
        if self.struck.waiting.get(&*delivery.subscription) == Some(&delivery.number) {
            self.struck.waiting.remove(&*delivery.subscription);
        }
    }

    /// The number of the delivery that need not wait any longer, because the receiver has answered this one.
    pub(crate) fn overtaken_by(&mut self, delivery: &Delivery) -> Option<u64> {
        let number = self.struck.waiting.get(&*delivery.subscription)?;
        if delivery.number <= *number {
            return None;
        }
        self.struck.waiting.remove(&*delivery.subscription)
    }
}

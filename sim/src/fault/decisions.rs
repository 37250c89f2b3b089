//! What rules have decided about deliveries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tideover_model::{Attempt, Delivery};

use crate::fault::DeliveryAct;

/// The number of decisions kept: as many as the log of deliveries shows.
const KEPT: usize = 1000;

/// The decisions about deliveries, by their numbers. They are a part of a world's state: an attempt hours later, or in a
/// fork, follows them too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decisions {
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

impl Decisions {
    pub(super) fn is_empty(&self) -> bool {
        self.decided.is_empty() && self.waiting.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.decided.len() + self.waiting.len()
    }

    pub(super) fn keep(&mut self, delivery: &Delivery, label: String, act: DeliveryAct) {
        if self.decided.len() >= KEPT {
            self.decided.pop_first();
        }
        self.decided.insert(delivery.number, Decided { label, act });
        if act == DeliveryAct::Swapped {
            self.waiting.insert(delivery.subscription.to_string(), delivery.number);
        }
    }

    /// The label of the rule that acted on a delivery.
    pub(super) fn label(&self, delivery: &Delivery) -> Option<&str> {
        self.decided.get(&delivery.number).map(|decided| decided.label.as_str())
    }

    pub(super) fn act(&self, delivery: &Delivery) -> Option<DeliveryAct> {
        self.decided.get(&delivery.number).map(|decided| decided.act)
    }

    /// The act that changes this attempt.
    pub(super) fn act_on(&self, attempt: &Attempt) -> Option<DeliveryAct> {
        let act = self.act(&attempt.delivery)?;
        act.attempts().is_none_or(|attempts| attempt.number <= attempts).then_some(act)
    }

    /// The number of the delivery that waits to be overtaken by others of the same subscription as this one.
    pub(super) fn waiting_beside(&self, delivery: &Delivery) -> Option<u64> {
        self.waiting.get(&*delivery.subscription).copied()
    }

    /// The delivery that waits beside this one need not wait any longer.
    pub(super) fn wait_no_more(&mut self, delivery: &Delivery) {
        self.waiting.remove(&*delivery.subscription);
    }
}

//! Deliveries from a snapshot: which of them are possible, and the indexes of them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use crate::delivery::{Cause, Delivery};
use crate::identity::SubscriptionId;
use crate::profile::Webhooks;
use crate::sealed::ImpossibleState;
use crate::service::deliveries::waiting::Waiting;
use crate::service::deliveries::{Deliveries, Pending, PendingState, Queue};

/// The maximum number of attempts of one delivery: more than any schedule and any operator makes.
const MOST_ATTEMPTS: u32 = 1 << 30;

/// Writes pending deliveries as a list: each knows its number.
pub(super) fn list<S: Serializer>(
    pending: &BTreeMap<u64, Pending>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(pending.values())
}

/// The inverse of [`list`].
pub(super) fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<u64, Pending>, D::Error> {
    let mut pending = BTreeMap::new();
    for one in Vec::<Pending>::deserialize(deserializer)? {
        let number = one.delivery.number;
        if pending.insert(number, one).is_some() {
            return Err(D::Error::custom(format!("delivery {number} is pending twice")));
        }
    }
    Ok(pending)
}

impl Pending {
    /// Whether its counters fit the schedule: after the first attempt come the retries and one duplicate.
    fn check(&self, webhooks: &Webhooks) -> Result<(), ImpossibleState> {
        let begun = self.position.begun;
        let least = match self.state {
            PendingState::Waiting { .. } | PendingState::UnderWay { cause: Cause::Resent, .. } => 0,
            PendingState::UnderWay { .. } => 1,
        };
        let possible = least..=webhooks.retries.len() + 2;
        if possible.contains(&begun) && self.attempts <= MOST_ATTEMPTS {
            return Ok(());
        }
        let (number, attempts) = (self.delivery.number, self.attempts);
        let what =
            format!("delivery {number} has {attempts} attempts, {begun} of them in its schedule");
        Err(ImpossibleState::new(what))
    }
}

impl Queue {
    fn index(&mut self) {
        self.waiting = Waiting::default();
        self.under_way = 0;
        for (number, Pending { position, state, .. }) in &self.pending {
            match state {
                PendingState::Waiting { due, .. } => {
                    self.waiting.insert(position.begun, (*due, *number));
                }
                PendingState::UnderWay { .. } => self.under_way += 1,
            }
        }
    }
}

impl Deliveries {
    /// The queues: everything else follows from them and the profile.
    pub(in crate::service) fn queues(&self) -> &BTreeMap<SubscriptionId, Queue> {
        &self.queues
    }

    /// The deliveries in these queues.
    pub(in crate::service) fn restored(
        mut queues: BTreeMap<SubscriptionId, Queue>,
        webhooks: &Webhooks,
    ) -> Result<Deliveries, ImpossibleState> {
        for queue in queues.values_mut() {
            queue.pending.values().try_for_each(|pending| pending.check(webhooks))?;
            queue.index();
        }
        let at_once = webhooks.at_once;
        let next = queues.iter().filter_map(|(id, queue)| Some((queue.next(at_once)?, *id)));
        let mut next: VecDeque<_> = next.collect();
        next.make_contiguous().sort_unstable();
        Ok(Deliveries { queues, next, at_once })
    }

    /// All pending deliveries.
    pub(in crate::service) fn pending(&self) -> impl Iterator<Item = &Arc<Delivery>> {
        let pending = self.queues.values().flat_map(|queue| queue.pending.values());
        pending.map(|pending| &pending.delivery)
    }
}

//! What deliveries show by themselves.
//!
//! Whoever knows no secret can send anything to a receiver, so that only those are judged that a secret signs which passed
//! here, with the subscription.

use std::collections::{BTreeSet, VecDeque};

use tideover_exchange::{Arrival, Exchange};
use tideover_judge::checks::Notes;
use tideover_judge::checks::overheard::{Overheard, never_signed};
use tideover_model::{OperationKind, Timestamp};

use crate::recorded::Recorded;

/// An attempt of a delivery that passed.
#[derive(Clone, Debug)]
pub struct ObservedDelivery {
    pub arrival: Arrival,
    /// When it began to come.
    pub since: Timestamp,
    /// When the receiver had answered.
    pub now: Timestamp,
}

/// The most subscriptions that are known.
const MOST: usize = 1024;

/// The most deliveries of one subscription before it starts over.
const MOST_OF_ONE: usize = 4096;

/// How many deliveries come to a URL before it is strange that no secret signs one.
const STRANGE: usize = 3;

/// The subscriptions that were made, the newest last.
#[derive(Default)]
pub(super) struct Deliveries {
    known: VecDeque<Subscribed>,
    /// The attempts that no known secret signs.
    pub(super) unsigned: u64,
}

struct Subscribed {
    /// The exchange that made it.
    made: Recorded,
    overheard: Overheard,
    /// The deliveries that it has judged.
    heard: usize,
    /// Whether its secret has signed one.
    has_signed: bool,
    /// The names of those to its URL that no known secret signs.
    unsigned: BTreeSet<String>,
}

/// What an attempt shows of the service.
pub(super) struct Judgement {
    pub(super) notes: Notes,
    /// The exchange that made the subscription.
    pub(super) made: Recorded,
}

impl Deliveries {
    /// Learns from an exchange of the client, once it has ended.
    pub(super) fn learn(&mut self, one: &Recorded) {
        let Some(seen) = &one.seen else { return };
        let exchange = Exchange::alone(&one.sent, seen, one.now);
        match one.sent.kind() {
            Some(OperationKind::Subscribe) => {
                self.known.extend(Overheard::begun_by(&exchange).map(|overheard| Subscribed {
                    made: one.clone(),
                    overheard,
                    heard: 0,
                    has_signed: false,
                    unsigned: BTreeSet::new(),
                }));
                self.known.drain(..self.known.len().saturating_sub(MOST));
            }
            Some(OperationKind::Unsubscribe) => {
                self.known.iter_mut().for_each(|known| known.overheard.observe(&exchange));
            }
            _ => {}
        }
    }

    /// Judges an attempt. `alone` says that nobody else uses the keys of the client, and so subscribes its receiver.
    pub(super) fn hear(&mut self, delivery: &ObservedDelivery, alone: bool) -> Option<Judgement> {
        let ObservedDelivery { arrival, since, now } = delivery;
        let signer = self.known.iter_mut().rev().find(|known| known.overheard.signs(arrival));
        let Some(known) = signer else {
            self.unsigned += 1;
            return self.doubt(arrival).filter(|_| alone);
        };
        known.has_signed = true;
        known.heard += 1;
        if known.heard > MOST_OF_ONE {
            known.start_over();
        }
        let notes = known.overheard.hear(arrival, *since, *now);
        Some(Judgement { notes, made: known.made.clone() })
    }

    /// Counts an attempt that no known secret signs. Several, and none that is signed, contradict the document.
    fn doubt(&mut self, arrival: &Arrival) -> Option<Judgement> {
        // Where not all of a body was copied, its signature is left out.
        let name = arrival.delivery.clone().filter(|_| arrival.signature.is_some())?;
        let mut leading: Vec<&mut Subscribed> =
            self.known.iter_mut().filter(|known| known.overheard.leads_to(arrival)).collect();
        if leading.iter().any(|known| known.has_signed) {
            return None;
        }
        let known = leading.pop()?;
        known.unsigned.insert(name);
        (known.unsigned.len() == STRANGE)
            .then(|| Judgement { notes: never_signed(STRANGE), made: known.made.clone() })
    }
}

impl Subscribed {
    /// Forgets the deliveries, and keeps the subscription.
    fn start_over(&mut self) {
        let Some(seen) = &self.made.seen else { return };
        let exchange = Exchange::alone(&self.made.sent, seen, self.made.now);
        if let Some(overheard) = Overheard::begun_by(&exchange) {
            (self.overheard, self.heard) = (overheard, 0);
        }
    }
}

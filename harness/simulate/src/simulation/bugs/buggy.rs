//! A service with a bug: the correct one behind hooks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tideover_model::{
    Altered, Answer, Attempt, Consequence, Delivery, Face, Happening, Impossible, InvoiceSync,
    Operation, Outcome, PlatformId, Receipt, Service, Timestamp,
};

use crate::simulation::bugs::choices::{Skew, Skewed};
use crate::simulation::plan::Plan;
use crate::simulation::server::Server;

/// A happening and what comes of it.
pub(super) type Happened = Result<Outcome, Impossible>;

/// Where a bug sits. The defaults do nothing wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hooks {
    pub(super) skew: Skew,
    pub(super) answers: fn(&mut Buggy, Timestamp, PlatformId, Operation) -> Answer,
    pub(super) happens: fn(&mut Buggy, Timestamp, PlatformId, Happening) -> Happened,
    /// Whether it does what is due.
    pub(super) wakes: fn(&Memory) -> bool,
    /// Whether an event is sent.
    pub(super) sends: fn(&Memory, &Delivery) -> bool,
    /// An event that follows another one, without a change of state.
    pub(super) adds: fn(&Memory, &Delivery) -> Option<Delivery>,
    /// Another form of a delivery.
    pub(super) rewrites: fn(&mut Memory, &Delivery) -> Option<Delivery>,
    /// Changes an attempt.
    pub(super) attempts: fn(&mut Memory, &mut Attempt),
    /// Reads a receipt.
    pub(super) reads: fn(&Attempt, Receipt) -> Receipt,
    pub(super) restarts: fn(&mut Buggy, Timestamp),
}

pub(super) const CORRECT: Hooks = Hooks {
    skew: Skew::None,
    answers: |buggy, now, caller, operation| buggy.service.handle(now, caller, operation),
    happens: |buggy, now, platform, happening| buggy.service.happen(now, platform, happening),
    wakes: |_| true,
    sends: |_, _| true,
    adds: |_, _| None,
    rewrites: |_, _| None,
    attempts: |_, _| {},
    reads: |_, receipt| receipt,
    restarts: |buggy, now| drop(buggy.service.handle_restart(now)),
};

/// A service with a bug.
pub(super) struct Buggy {
    pub(super) service: Service<Skewed>,
    pub(super) memory: Memory,
    hooks: Hooks,
}

/// What a bug remembers.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) restarts: u32,
    pub(super) requests: u64,
    pub(super) platforms: u32,
    /// The last sync of each invoice.
    pub(super) syncs: BTreeMap<(PlatformId, String, String), InvoiceSync>,
    /// An earlier state of the service.
    pub(super) earlier: Option<Box<Service<Skewed>>>,
    /// The deliveries that are never sent again.
    pub(super) forgotten: BTreeSet<u64>,
    /// The imports whose upload was interrupted.
    pub(super) interrupted: BTreeSet<String>,
    /// The bodies last sent to each platform.
    pub(super) last_bodies: BTreeMap<PlatformId, Arc<[u8]>>,
    /// When the first attempt of each delivery began.
    pub(super) first_attempts: BTreeMap<u64, Timestamp>,
    /// The deliveries as the service knows them.
    originals: BTreeMap<u64, Arc<Delivery>>,
    /// The deliveries as they are sent.
    rewritten: BTreeMap<u64, Arc<Delivery>>,
    /// Events of the bug's own that are still to be queued.
    added: Vec<Arc<Delivery>>,
    /// The deliveries of such events, by the number of the one that they follow.
    following: BTreeMap<u64, Arc<Delivery>>,
    /// Attempts to deliver them.
    attempts: Vec<Attempt>,
}

/// The numbers of deliveries of events of a bug's own begin here.
const ADDED: u64 = 1 << 40;

impl Buggy {
    pub(super) fn new(plan: &Plan, hooks: Hooks) -> Buggy {
        let choices = Skewed::new(plan.seed, hooks.skew);
        let service = Service::new(plan.profile.clone(), choices);
        let memory = Memory { platforms: plan.platforms, ..Memory::default() };
        Buggy { service, memory, hooks }
    }

    /// A delivery in the form in which it is sent.
    fn form(&mut self, delivery: &Arc<Delivery>) -> Arc<Delivery> {
        if let Some(known) = self.memory.rewritten.get(&delivery.number) {
            return Arc::clone(known);
        }
        let rewritten = (self.hooks.rewrites)(&mut self.memory, delivery);
        let form = rewritten.map_or_else(|| Arc::clone(delivery), Arc::new);
        self.memory.rewritten.insert(delivery.number, Arc::clone(&form));
        form
    }
}

impl Altered for Buggy {
    type Face = Service<Skewed>;

    fn unaltered(&self) -> &Service<Skewed> {
        &self.service
    }

    fn unaltered_mut(&mut self) -> &mut Service<Skewed> {
        &mut self.service
    }

    fn alter_answer(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        self.memory.requests += 1;
        (self.hooks.answers)(self, now, caller, operation)
    }

    fn alter_happening(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Happened {
        (self.hooks.happens)(self, now, platform, happening)
    }

    fn alter_timeout(&mut self, now: Timestamp) {
        if (self.hooks.wakes)(&self.memory) {
            self.service.handle_timeout(now);
        }
    }

    fn alter_delivery(&mut self) -> Option<Arc<Delivery>> {
        if let Some(added) = self.memory.added.pop() {
            return Some(added);
        }
        loop {
            let delivery = self.service.poll_delivery()?;
            if (self.hooks.sends)(&self.memory, &delivery) {
                if let Some(added) = (self.hooks.adds)(&self.memory, &delivery) {
                    let added = Arc::new(Delivery { number: ADDED + delivery.number, ..added });
                    self.memory.added.push(Arc::clone(&added));
                    self.memory.following.insert(delivery.number, added);
                }
                return Some(self.form(&delivery));
            }
        }
    }

    fn alter_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        if let Some(attempt) = self.memory.attempts.pop() {
            return Some(attempt);
        }
        loop {
            let mut attempt = self.service.poll_attempt(now)?;
            if let Some(delivery) = self.memory.following.remove(&attempt.delivery.number) {
                let mut added = attempt.clone();
                added.delivery = delivery;
                self.memory.attempts.push(added);
            }
            let is_forgotten = self.memory.forgotten.contains(&attempt.delivery.number);
            if !is_forgotten && (self.hooks.sends)(&self.memory, &attempt.delivery) {
                self.memory
                    .originals
                    .insert(attempt.delivery.number, Arc::clone(&attempt.delivery));
                attempt.delivery = self.form(&attempt.delivery);
                (self.hooks.attempts)(&mut self.memory, &mut attempt);
                return Some(attempt);
            }
            self.service.handle_receipt(now, &attempt, Receipt::Answered(200));
        }
    }

    fn alter_consequence(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        if attempt.delivery.number >= ADDED {
            return Consequence::Accepted;
        }
        let receipt = (self.hooks.reads)(attempt, receipt);
        let mut attempt = attempt.clone();
        if let Some(original) = self.memory.originals.get(&attempt.delivery.number) {
            attempt.delivery = Arc::clone(original);
        }
        self.service.handle_receipt(now, &attempt, receipt)
    }
}

impl Server for Buggy {
    fn restart(&mut self, now: Timestamp) -> Result<(), String> {
        self.memory.restarts += 1;
        (self.hooks.restarts)(self, now);
        Ok(())
    }
}

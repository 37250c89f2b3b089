//! A service with a defect.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use tideover_exchange::target::Interleaved;
use tideover_model::exchange;
use tideover_model::exchange::{Rereading, Response};
use tideover_model::{
    Altered, Answer, Attempt, Choices, Consequence, Delivery, Destinations, Face, Happening,
    Impossible, Operation, OperationKind, Outcome, PlatformId, Profile, Receipt, Refusal, Seeded,
    Service, Timestamp,
};

use crate::choices::DefectiveChoices;
use crate::hooks::Shown;
use crate::inner::{Inner, Kept, Memory};
use crate::{Defect, Hooks};

/// The numbers of deliveries of events that a defect adds begin here.
const ADDED: u64 = 1 << 40;

/// A service with one defect, or with none.
#[derive(Clone, Debug)]
pub struct Defective<C = Seeded> {
    inner: Kept<C>,
    hooks: &'static Hooks,
    /// What the defect is, in words.
    admission: Option<Arc<str>>,
    memory: Memory,
    outbox: Outbox,
    /// What the answer is about that is written next, if a hook must know it.
    shown: Option<Shown>,
    /// The service at the arrival of the request that is handled next.
    at_arrival: Option<Box<Service<DefectiveChoices<C>>>>,
}

/// What leaves a service otherwise than the service knows it.
#[derive(Clone, Debug, Default)]
struct Outbox {
    /// The other forms of deliveries, by their numbers.
    rewritten: BTreeMap<u64, Arc<Delivery>>,
    /// The deliveries of which nobody has heard yet.
    queued: VecDeque<Arc<Delivery>>,
    /// Those of which no attempt has begun, by the number of the delivery that each follows.
    following: BTreeMap<u64, Arc<Delivery>>,
    /// Attempts of added deliveries, to be begun next.
    attempts: Vec<Attempt>,
    /// The attempts in flight, as the service knows them.
    under_way: Vec<Attempt>,
}

impl<C: Choices> Defective<C> {
    /// A service with `defect`.
    pub fn new(
        defect: Option<&'static Defect>,
        profile: Profile,
        choices: C,
        destinations: Destinations,
    ) -> Defective<C> {
        let hooks = defect.map_or(&Hooks::NONE, |defect| &defect.hooks);
        let choices = DefectiveChoices::new(choices, hooks.choice);
        Defective {
            inner: Kept::new(Service::new(profile, choices).sending_to(destinations)),
            hooks,
            admission: defect.map(|defect| defect.to_string().into()),
            memory: Memory::default(),
            outbox: Outbox::default(),
            shown: None,
            at_arrival: None,
        }
    }

    /// Stops and starts again.
    pub fn restart(&mut self, now: Timestamp) {
        self.memory.restarts += 1;
        // Their receipts never come; the attempt that follows one may have its number.
        self.outbox.under_way.clear();
        match self.hooks.restart {
            None => drop(self.inner.service.handle_restart(now)),
            Some(restart) => restart(&mut self.inner(now, PlatformId::DEFAULT)),
        }
    }

    /// The same, with its service replaced by what `change` makes of it.
    #[must_use]
    pub fn map(
        self,
        change: impl FnOnce(Service<DefectiveChoices<C>>) -> Service<DefectiveChoices<C>>,
    ) -> Defective<C> {
        Defective { inner: Kept::new(change(self.inner.service)), ..self }
    }

    fn inner(&mut self, now: Timestamp, caller: PlatformId) -> Inner<'_> {
        Inner { face: &mut self.inner, memory: &mut self.memory, now, caller }
    }

    fn sends(&self, delivery: &Delivery) -> bool {
        self.hooks.sends.is_none_or(|sends| sends(&self.memory, delivery))
    }

    /// Queues the deliveries that the service has made since this was last called, in their other forms.
    fn queue(&mut self) {
        while let Some(delivery) = self.inner.service.poll_delivery() {
            if !self.sends(&delivery) {
                continue;
            }
            let number = delivery.number;
            let added = self.hooks.adds.and_then(|adds| adds(&delivery));
            let rewritten = self.hooks.rewrites.and_then(|it| it(&mut self.memory, &delivery));
            let rewritten = rewritten.map(Arc::new);
            if let Some(rewritten) = &rewritten {
                self.outbox.rewritten.insert(number, Arc::clone(rewritten));
            }
            self.outbox.queued.push_back(rewritten.unwrap_or(delivery));
            if let Some(added) = added {
                let added = Arc::new(Delivery { number: ADDED + number, ..added });
                self.outbox.queued.push_back(Arc::clone(&added));
                self.outbox.following.insert(number, added);
            }
        }
    }
}

/// Compares only the state of the service. What a defect remembers is left out, so that a search of states may plant only
/// defects that remember nothing.
impl<C: Choices> PartialEq for Defective<C> {
    fn eq(&self, other: &Defective<C>) -> bool {
        self.inner.service == other.inner.service
    }
}

impl<C: Choices> Eq for Defective<C> {}

impl<C: Choices> Hash for Defective<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.service.hash(state);
    }
}

impl<C: Choices> Interleaved for Defective<C> {
    fn glimpse(&self) -> Option<Self> {
        // A clone of the world for each request is worth it only for a defect that looks at it.
        self.hooks.race.is_some().then(|| self.clone())
    }

    fn handle_as_of(&mut self, glimpse: Self) {
        self.at_arrival = Some(Box::new(glimpse.inner.service));
    }
}

impl<C: Choices> Altered for Defective<C> {
    type Face = Service<DefectiveChoices<C>>;

    fn unaltered(&self) -> &Self::Face {
        &self.inner.service
    }

    fn unaltered_mut(&mut self) -> &mut Self::Face {
        &mut self.inner.service
    }

    fn alter_authentication(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        match self.hooks.authentication {
            None => self.unaltered().authenticate(authorization),
            Some(authenticate) => authenticate(self.unaltered(), authorization),
        }
    }

    fn alter_answer(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        mut operation: Operation,
    ) -> Answer {
        let hooks = self.hooks;
        self.memory.requests += 1;
        if hooks.body.is_some() {
            let subject = format!("{} {:?}", caller.0, operation.subject());
            self.shown = Some(Shown { kind: operation.kind(), subject });
        }
        if let Some(alter) = hooks.operation {
            alter(&mut operation);
        }
        let mut answer = match (hooks.answer, hooks.race.zip(self.at_arrival.take())) {
            (Some(answer), _) => answer(&mut self.inner(now, caller), operation),
            (None, Some((race, mut at_arrival))) => {
                race(&mut self.inner(now, caller), &mut *at_arrival, operation)
            }
            (None, None) => self.inner.service.handle(now, caller, operation),
        };
        if let (Some(alter), Ok(reply)) = (hooks.reply, &mut answer) {
            alter(reply);
        }
        answer
    }

    fn alter_happening(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        if matches!(happening, Happening::Reset { .. }) {
            self.memory = Memory::default();
            self.outbox = Outbox::default();
        }
        match self.hooks.happening {
            None => self.inner.service.happen(now, platform, happening),
            Some(happen) => happen(&mut self.inner(now, platform), happening),
        }
    }

    fn alter_timeout(&mut self, now: Timestamp) {
        if self.hooks.timeout.is_none_or(|happens| happens(&self.memory)) {
            self.inner.service.handle_timeout(now);
        }
    }

    fn alter_delivery(&mut self) -> Option<Arc<Delivery>> {
        self.queue();
        self.outbox.queued.pop_front()
    }

    fn alter_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        let Hooks { sends, adds, rewrites, attempt: alter, .. } = self.hooks;
        if sends.is_none() && adds.is_none() && rewrites.is_none() && alter.is_none() {
            return self.inner.service.poll_attempt(now);
        }
        if let Some(attempt) = self.outbox.attempts.pop() {
            return Some(attempt);
        }
        // An attempt may be asked for before anybody has asked for its delivery.
        self.queue();
        loop {
            let attempt = self.inner.service.poll_attempt(now)?;
            let number = attempt.delivery.number;
            if let Some(delivery) = self.outbox.following.remove(&number) {
                let mut added = attempt.clone();
                added.delivery = delivery;
                self.outbox.attempts.push(added);
            }
            let mut altered = attempt.clone();
            if let Some(rewritten) = self.outbox.rewritten.get(&number) {
                altered.delivery = Arc::clone(rewritten);
            }
            if self.sends(&attempt.delivery)
                && alter.is_none_or(|alter| alter(&mut self.memory, &mut altered))
            {
                self.outbox.under_way.push(attempt);
                return Some(altered);
            }
            self.inner.service.handle_receipt(now, &attempt, Receipt::Answered(200));
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
        let receipt = match self.hooks.receipt {
            None => receipt,
            Some(read) => read(&mut self.memory, attempt, receipt),
        };
        let is_same = |one: &Attempt| {
            (one.delivery.number, one.number) == (attempt.delivery.number, attempt.number)
        };
        match self.outbox.under_way.iter().position(is_same) {
            None => self.inner.service.handle_receipt(now, attempt, receipt),
            Some(index) => {
                let attempt = self.outbox.under_way.swap_remove(index);
                self.inner.service.handle_receipt(now, &attempt, receipt)
            }
        }
    }

    fn alter_writing(&mut self, kind: Option<OperationKind>, answer: &Answer) -> Option<Response> {
        let is_it = self.hooks.endpoint.is_none_or(|only| kind == Some(only));
        let encoding = self.hooks.encoding.filter(|_| is_it);
        let shown = self.shown.take();
        match (self.hooks.body, shown, answer) {
            (Some(alter), Some(shown), Ok(_)) => {
                let mut response = exchange::respond(self.profile(), answer);
                if let Ok(mut body) = serde_json::from_slice(&response.body) {
                    alter(&mut self.memory, &shown, &mut body);
                    response.body = body.to_string().into_bytes();
                }
                Some(response)
            }
            _ => encoding.map(|encode| encode(self.profile(), answer)),
        }
    }

    fn alter_rereading(&self) -> Option<Rereading> {
        self.hooks.rereading.or(self.unaltered().rereading())
    }

    fn admit_defect(&self) -> Option<&str> {
        self.admission.as_deref()
    }
}

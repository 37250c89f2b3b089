//! The faults of a world: which one acts on a request, and how the service carries the request out then; which one acts
//! on a delivery, and when it is due then.

use std::sync::Arc;

use tideover_model::exchange::{Response, Understood};
use tideover_model::wire::reply::{Failure, Reply};
use tideover_model::wire::route::Route;
use tideover_model::{
    Answer, Attempt, Cause, Code, Consequence, Delivery, Happening, PlatformId, Receipt, Refusal,
    Timestamp, clause,
};

use crate::fault::{Act, Call, Fault, FaultEntry, FaultError, Faults, Rule, When, named};
use crate::history::Noted;
use crate::interventions::{Intervention, InterventionKind};
use crate::world::{World, WorldState};

impl World {
    /// The same world with these faults. They concern all platforms of the world. Its journal names each one that
    /// acts on a request.
    #[must_use]
    pub fn faulty(self, faults: Faults) -> World {
        let mut state = self.lock();
        state.faults = faults;
        state.begin_history();
        drop(state);
        self
    }

    /// Adds a rule after those that the world has; returns its number.
    ///
    /// # Errors
    /// [`FaultError`]: too many rules, an impossible one.
    pub fn add_fault(&self, rule: Rule) -> Result<u64, FaultError> {
        let ids = self.add_faults(vec![rule])?;
        Ok(ids.first().copied().unwrap_or_default())
    }

    /// Adds rules after those that the world has; returns their numbers.
    ///
    /// # Errors
    /// [`FaultError`]: too many rules, the first impossible one. Nothing is added then.
    pub fn add_faults(&self, rules: Vec<Rule>) -> Result<Vec<u64>, FaultError> {
        let mut state = self.lock();
        let labels: Vec<String> = rules.iter().map(|rule| rule.label().to_owned()).collect();
        let ids = state.faults.add(rules)?;
        for label in &labels {
            state.log_fault(InterventionKind::FaultAdded, Some(label));
        }
        self.changed();
        Ok(ids)
    }

    /// The rules in order of precedence, with their counters.
    pub fn faults(&self) -> Vec<FaultEntry> {
        self.lock().faults.entries().to_vec()
    }

    /// Removes the rule of this number; false if there is none.
    pub fn remove_fault(&self, id: u64) -> bool {
        let mut state = self.lock();
        let entry = state.faults.entries().iter().find(|entry| entry.id == id);
        let label = entry.map(|entry| entry.rule.label().to_owned());
        let is_removed = state.faults.remove(id);
        if is_removed {
            state.log_fault(InterventionKind::FaultRemoved, label.as_deref());
        }
        self.changed();
        is_removed
    }

    /// Removes all rules of faults.
    pub fn clear_faults(&self) {
        let mut state = self.lock();
        let is_changed = !state.faults.is_empty();
        state.faults.clear();
        if is_changed {
            state.log_fault(InterventionKind::FaultsCleared, None);
        }
        self.changed();
    }
}

impl WorldState {
    /// Logs what was done to the rules.
    fn log_fault(&mut self, kind: InterventionKind, label: Option<&str>) {
        let now = self.clock.now();
        let intervention = Intervention::fault(kind, self.moment(now), label);
        let intervention = intervention.up_to(self.noted());
        self.interventions.add(intervention);
    }

    /// The fault that acts on a request, if it names an endpoint. Of a refused request, only the path's identifiers are
    /// known.
    pub(super) fn fault(
        &mut self,
        route: Option<&Route<'_>>,
        understood: &Understood,
    ) -> Option<Fault> {
        if self.faults.is_empty() {
            return None;
        }
        let route = route?;
        let in_path = route.identifiers().unwrap_or_default();
        let identifiers = match understood {
            Ok((_, operation)) => named(operation),
            Err(_) => in_path.iter().map(String::as_str).filter(|name| !name.is_empty()).collect(),
        };
        self.faults.decide(&Call { operation: Some(route.kind), identifiers: &identifiers })
    }

    /// Lets a fault act on a delivery that was just queued.
    pub(super) fn strike(&mut self, delivery: &Arc<Delivery>) {
        let gets_every_event = self.face.gets_every_event(delivery);
        if let Some(due) = self.faults.strike(delivery, gets_every_event) {
            // Always possible for a delivery of which no attempt has begun.
            let _ = self.face.reschedule(due, Cause::Late, delivery, 0);
        }
    }

    /// Lets a fault act on what follows from the receipt of an attempt.
    pub(super) fn follow_receipt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
        consequence: Consequence,
    ) {
        let Attempt { delivery, number, cause, .. } = attempt;
        let is_first = !matches!(cause, Cause::Duplicate | Cause::Resent);
        if consequence == Consequence::Accepted && is_first && self.faults.repeat(delivery) {
            // Not possible if the service repeats it anyway, or if the subscription is gone.
            let _ = self.face.reschedule(now, Cause::Duplicate, delivery, *number);
        }
        if let Receipt::Answered(_) = receipt
            && consequence != Consequence::None
            && let Some(overtaken) = self.faults.overtaken_by(delivery)
            && let Some(overtaken) = self.deliveries.of_number(overtaken)
        {
            // Not possible if the subscription is gone.
            let _ = self.face.reschedule(now, Cause::Late, &overtaken, 0);
        }
    }

    /// Carries a request out as a fault wants it. `None` if the service gives no answer.
    pub(super) fn carry_out(
        &mut self,
        now: Timestamp,
        understood: Understood,
        act: Option<Act>,
        copy: Option<&Arc<Noted>>,
    ) -> Option<Answer> {
        match act {
            Some(
                Act::ConnectionDrops { when: When::BeforeCommit } | Act::RequestThrottled { .. },
            ) => None,
            Some(Act::UpstreamFails { when }) => {
                if when == When::AfterCommit {
                    let _ = self.handle(now, understood, copy);
                }
                let clause = clause!("7.codes.upstream_failed");
                Some(Err(Refusal::new(Code::UpstreamFailed, clause)))
            }
            Some(Act::RequestRepeated) => {
                let _ = self.handle(now, understood.clone(), copy);
                Some(self.handle(now, understood, copy))
            }
            Some(Act::ImportStops { after_rows }) => {
                Some(self.handle_interrupted(now, understood, after_rows, copy))
            }
            Some(
                Act::ConnectionDrops { when: When::AfterCommit }
                | Act::AnswerCut { .. }
                | Act::AnswerDelayed { .. }
                // It acts on no request.
                | Act::Delivery(_),
            )
            | None => Some(self.handle(now, understood, copy)),
        }
    }

    fn handle(
        &mut self,
        now: Timestamp,
        understood: Understood,
        copy: Option<&Arc<Noted>>,
    ) -> Answer {
        let (caller, operation) = understood?;
        self.face.handle(now, caller, operation, copy)
    }

    /// Carries out an import up to so many rows.
    fn handle_interrupted(
        &mut self,
        now: Timestamp,
        understood: Understood,
        after_rows: u64,
        copy: Option<&Arc<Noted>>,
    ) -> Answer {
        let (caller, operation) = understood?;
        self.interrupt_next(now, caller, usize::try_from(after_rows).unwrap_or(usize::MAX));
        let answer = self.face.handle(now, caller, operation, copy);
        // An import that is refused does not use it up, and the fault must not reach the next one.
        self.interrupt_next(now, caller, usize::MAX);
        answer
    }

    fn interrupt_next(&mut self, now: Timestamp, caller: PlatformId, after_rows: usize) {
        // Always possible for a platform whose key is valid.
        let _ = self.face.happen(now, caller, Happening::InterruptNextImport { after_rows });
    }
}

/// The response of a proxy that keeps a request from the service. Its form is assumed, after §7 Errors: the document
/// shows no limit of the rate, and no code for one (`gap.requestRate`).
pub(super) fn refused_by_proxy(act: Act) -> Option<Response> {
    let Act::RequestThrottled { .. } = act else { return None };
    let error = "Too many requests; try again later.".into();
    let body = serde_json::to_vec(&Failure { error, code: "too_many_requests" });
    Some(Response { status: 429, body: body.unwrap_or_default(), refused: None })
}

/// Whether a fault has really acted: an import with no more rows is not interrupted.
pub(super) fn interrupts(act: Act, answer: Option<&Answer>) -> bool {
    let is_unfinished = || matches!(answer, Some(Ok(Reply::Imported(report))) if !report.finished);
    !matches!(act, Act::ImportStops { .. }) || is_unfinished()
}

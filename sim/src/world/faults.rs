//! The faults of a world: which one acts on a request, and how the service carries the request out then.

use tideover_model::exchange::Understood;
use tideover_model::wire::reply::Reply;
use tideover_model::wire::route::Route;
use tideover_model::{Answer, Code, Happening, PlatformId, Refusal, Timestamp, clause};

use crate::fault::{Act, Call, Fault, FaultEntry, FaultError, Faults, Rule, When, named};
use crate::world::{World, WorldState};

impl World {
    /// The same world with these faults. They concern all platforms of the world. Its journal names each one that
    /// acts on a request.
    #[must_use]
    pub fn faulty(self, faults: Faults) -> World {
        self.lock().faults = faults;
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
        self.changed();
        self.lock().faults.add(rules)
    }

    /// The rules in order of precedence, with their counters.
    pub fn faults(&self) -> Vec<FaultEntry> {
        self.lock().faults.entries().to_vec()
    }

    /// Removes the rule of this number; false if there is none.
    pub fn remove_fault(&self, id: u64) -> bool {
        self.changed();
        self.lock().faults.remove(id)
    }

    /// Removes all rules of faults.
    pub fn clear_faults(&self) {
        self.changed();
        self.lock().faults.clear();
    }
}

impl WorldState {
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

    /// Carries a request out as a fault wants it. `None` if the service gives no answer.
    pub(super) fn carry_out(
        &mut self,
        now: Timestamp,
        understood: Understood,
        act: Option<Act>,
    ) -> Option<Answer> {
        match act {
            Some(Act::ConnectionDrops { when: When::BeforeCommit }) => None,
            Some(Act::UpstreamFails { when }) => {
                if when == When::AfterCommit {
                    let _ = self.handle(now, understood);
                }
                let clause = clause!("7.codes.upstream_failed");
                Some(Err(Refusal::new(Code::UpstreamFailed, clause)))
            }
            Some(Act::RequestRepeated) => {
                let _ = self.handle(now, understood.clone());
                Some(self.handle(now, understood))
            }
            Some(Act::ImportStops { after_rows }) => {
                Some(self.handle_interrupted(now, understood, after_rows))
            }
            Some(
                Act::ConnectionDrops { when: When::AfterCommit }
                | Act::AnswerCut { .. }
                | Act::AnswerDelayed { .. },
            )
            | None => Some(self.handle(now, understood)),
        }
    }

    fn handle(&mut self, now: Timestamp, understood: Understood) -> Answer {
        let (caller, operation) = understood?;
        self.face.handle(now, caller, operation)
    }

    /// Carries out an import up to so many rows.
    fn handle_interrupted(
        &mut self,
        now: Timestamp,
        understood: Understood,
        after_rows: u64,
    ) -> Answer {
        let (caller, operation) = understood?;
        self.interrupt_next(now, caller, usize::try_from(after_rows).unwrap_or(usize::MAX));
        let answer = self.face.handle(now, caller, operation);
        // An import that is refused does not use it up, and the fault must not reach the next one.
        self.interrupt_next(now, caller, usize::MAX);
        answer
    }

    fn interrupt_next(&mut self, now: Timestamp, caller: PlatformId, after_rows: usize) {
        // Always possible for a platform whose key is valid.
        let _ = self.face.happen(now, caller, Happening::InterruptNextImport { after_rows });
    }
}

/// Whether a fault has really acted: an import with no more rows is not interrupted.
pub(super) fn interrupts(act: Act, answer: Option<&Answer>) -> bool {
    let is_unfinished = || matches!(answer, Some(Ok(Reply::Imported(report))) if !report.finished);
    !matches!(act, Act::ImportStops { .. }) || is_unfinished()
}

//! The service's side of a world: what follows when it changes, wakes or restarts.

use serde::Deserialize;
use tideover_model::Delivery;
use tideover_model::words::{AdvanceState, EventType};

use crate::simulation::auditor::Invariant;
use crate::simulation::queue::{HOUR, Moment};
use crate::simulation::reached::{Fault, Reached};
use crate::simulation::trace::Actor;
use crate::simulation::world::World;
use crate::simulation::world::event::Event;

/// How often the service may be woken at one moment.
const MOST_WAKES: u32 = 10_000;

/// A transition that takes longer is slow.
const SLOW: Moment = HOUR;

/// The invoice that an event is about.
#[derive(Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Subject {
    payee_external_id: String,
    invoice_external_id: String,
}

/// A step of an advance.
#[derive(Deserialize)]
struct Moved {
    sequence: u32,
    data: Subject,
}

impl World<'_> {
    /// Runs after every change of the service. Events are audited before attempts of them begin, since an attempt may name
    /// only what the auditor knows; what is shown is checked last, when all events of the change have been counted.
    pub(super) fn after_service(&mut self) {
        let at = self.time();
        while let Some(delivery) = self.server.poll_delivery() {
            self.chain.add(self.now, &[delivery.id.as_bytes(), &delivery.body]);
            if delivery.event == EventType::AdvanceIssued {
                self.counts.reach(Reached::AdvanceFunded);
            } else if delivery.event == EventType::AdvancePaid {
                self.counts.reach(Reached::AdvanceRepaid);
            }
            if delivery.event == EventType::FactoredUpdated {
                self.time_transition(&delivery);
            }
            self.auditor.queued(&delivery);
        }
        while let Some(attempt) = self.server.poll_attempt(at) {
            self.attempts_in_flight += 1;
            self.post(attempt);
        }
        self.auditor.check(&mut *self.server, at);
        self.trace.note_money(self.auditor.totals());
        self.schedule_due();
        if self.restart_awaits_attempts && self.attempts_in_flight > 0 {
            self.restart_awaits_attempts = false;
            self.queue.add(self.now, Event::Restart { amid_attempts: false });
        }
    }

    /// Counts a funding that took long.
    fn time_transition(&mut self, delivery: &Delivery) {
        let Ok(Moved { sequence, data }) = serde_json::from_slice(&delivery.body) else { return };
        let key = (delivery.platform.0, data);
        if sequence > AdvanceState::Funded.sequence() {
            return;
        }
        let before = self.moved.insert(key, self.now);
        if sequence > 1 && before.is_some_and(|before| self.now - before > SLOW) {
            self.counts.meet(Fault::SlowTransition);
        }
    }

    fn schedule_due(&mut self) {
        let Some(due) = self.server.poll_timeout() else { return };
        let due = self.plan.start.milliseconds_until(due).max(self.now);
        if self.due_at.is_none_or(|at| due < at) {
            self.due_at = Some(due);
            self.queue.add(due, Event::Due);
        }
    }

    /// Wakes the service. A wake-up that an earlier one has replaced does nothing.
    pub(super) fn fall_due(&mut self) {
        if self.due_at != Some(self.now) {
            return;
        }
        self.due_at = None;
        self.woken += 1;
        if self.woken > MOST_WAKES {
            let detail = "something is due, and never happens";
            return self.auditor.report(Invariant::NoTimerInThePast, "the service", detail);
        }
        let at = self.time();
        self.server.handle_timeout(at);
        self.witness_change();
        self.after_service();
    }

    /// Restarts the service. Whatever is due happens first, as a snapshot is made between two moments. Attempts in flight
    /// never get their receipts.
    pub(super) fn restart(&mut self) {
        self.counts.meet(Fault::ServiceRestarted);
        if self.attempts_in_flight > 0 {
            self.counts.reach(Reached::RestartWithAttempts);
        }
        if self.auditor.has_advances_under_way() {
            self.counts.reach(Reached::RestartWithTimers);
        }
        self.note(Actor::Service, Some(Fault::ServiceRestarted), || "restarts".to_owned());
        let at = self.time();
        self.server.handle_timeout(at);
        if let Err(lost) = self.server.restart(at) {
            self.auditor.report(Invariant::RestoredEqual, "the service", lost);
        }
        self.restarts += 1;
        self.attempts_in_flight = 0;
        self.after_service();
    }
}

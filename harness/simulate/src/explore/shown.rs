//! Which milestones a step shows.

use tideover_model::wire::reply::{ImportReport, Reply};
use tideover_model::words::{AdvanceState, EventType, RowOutcome, SyncOutcome};
use tideover_model::{Answer, Cents, Code, Consequence, Outcome};

use crate::explore::action::Action;
use crate::explore::cast;
use crate::explore::cast::{Invoice, Platform};
use crate::explore::milestone::{Milestone, Milestones};
use crate::explore::state::{Observation, State};

/// An action in a state, and what was seen.
pub(super) struct Step<'a> {
    pub(super) before: &'a State,
    pub(super) action: Action,
    pub(super) seen: &'a [Observation],
}

impl Step<'_> {
    /// The milestones that it shows.
    pub(super) fn milestones(&self) -> Milestones {
        let mut shown = Milestones::default();
        for seen in self.seen {
            match seen {
                Observation::Answered(answer) => self.add_answer(&mut shown, answer),
                Observation::Happened(Ok(Outcome::Paid { applied, suspense })) => {
                    self.add_payment(&mut shown, *applied, *suspense);
                }
                Observation::Attempted { number, consequence, .. } => {
                    shown.add_if(Milestone::Retried, *number > 1);
                    shown.add_if(Milestone::GivenUp, *consequence == Consequence::GivenUp);
                    shown.add_if(Milestone::Revoked, *consequence == Consequence::Revoked);
                }
                Observation::Queued(_) => self.add_event(&mut shown, seen.event()),
                Observation::Happened(_) | Observation::Passed(_) => {}
            }
        }
        shown
    }

    fn has_event(&self, event: EventType) -> bool {
        self.seen.iter().any(|seen| seen.event() == Some(event))
    }

    fn add_answer(&self, shown: &mut Milestones, answer: &Answer) {
        match answer {
            Ok(Reply::AdvanceRequested(_)) => {
                shown.add_if(Milestone::AdvanceRequested, true);
                shown.add_if(Milestone::FitsAfterRepayment, self.follows_repayment());
            }
            Ok(Reply::AdvanceRepeated(_)) => shown.add_if(Milestone::AdvanceRepeated, true),
            Ok(Reply::InvoiceSynced(synced)) => {
                shown.add_if(Milestone::Updated, synced.outcome == SyncOutcome::Updated);
                shown.add_if(Milestone::StatusOnly, synced.outcome == SyncOutcome::StatusOnly);
            }
            Ok(Reply::Imported(report)) => self.add_import(shown, report),
            Ok(Reply::BusinessSynced(synced)) => {
                let is_new = self.has_event(EventType::BusinessAdded);
                shown.add_if(Milestone::VendorMatched, is_new && !synced.created);
            }
            Err(refusal) => self.add_refusal(shown, refusal.code),
            Ok(_) => {}
        }
    }

    fn add_refusal(&self, shown: &mut Milestones, code: Code) {
        match code {
            Code::BusinessNotEligible => {
                let was_onboarded = self.has_open_account();
                shown.add_if(Milestone::RefusedAfterOnboarding, was_onboarded);
                shown.add_if(Milestone::RefusedBeforeOnboarding, !was_onboarded);
            }
            Code::ConcentrationExceeded => shown.add_if(Milestone::RefusedByLimit, true),
            Code::InvoiceNotFinanceable => shown.add_if(Milestone::RefusedInvoice, true),
            _ => {}
        }
    }

    fn add_import(&self, shown: &mut Milestones, report: &ImportReport) {
        let has = |outcome| report.rows.iter().any(|row| row.outcome == outcome);
        let before = self.before.read(Platform::First, cast::get_import());
        let resumes = matches!(before, Ok(Reply::Import(before)) if !before.finished);
        shown.add_if(Milestone::ImportInterrupted, !report.finished);
        shown.add_if(Milestone::ImportResumed, report.finished && resumes);
        shown.add_if(Milestone::Updated, has(RowOutcome::Updated));
        shown.add_if(Milestone::StatusOnly, has(RowOutcome::StatusOnly));
    }

    fn add_payment(&self, shown: &mut Milestones, applied: Cents, suspense: Cents) {
        let is_collected = self.has_event(EventType::InvoicePaid);
        let is_partial = applied > Cents::ZERO && !is_collected;
        shown.add_if(Milestone::PartiallyCollected, is_partial);
        shown.add_if(Milestone::Overpaid, suspense > Cents::ZERO);
        let Action::PayorPays(invoice, _) = self.action else { return };
        let state = self.before.advance_state(invoice);
        let is_early = state.is_some_and(|state| state < AdvanceState::Funded);
        shown.add_if(Milestone::PaidBeforeFunding, is_early && applied > Cents::ZERO);
    }

    fn add_event(&self, shown: &mut Milestones, event: Option<EventType>) {
        let Some(event) = event else { return };
        match event {
            EventType::BusinessOptedIn => {
                shown.add_if(Milestone::OptedIn, true);
                shown.add_if(Milestone::OptedInAgain, self.has_open_account());
            }
            EventType::InvoicePaid => shown.add_if(Milestone::Collected, true),
            EventType::AdvanceIssued => shown.add_if(Milestone::Funded, true),
            EventType::AdvancePaid => shown.add_if(Milestone::Repaid, true),
            EventType::BusinessAdded
            | EventType::RemittanceUpdated
            | EventType::InvoiceCreated
            | EventType::FactoredUpdated
            | EventType::AdvanceCreated => {}
        }
    }

    /// Whether the vendor had its collection account before.
    fn has_open_account(&self) -> bool {
        let vendor = self.before.read(Platform::First, cast::get_business(Platform::First));
        matches!(vendor, Ok(Reply::Business(vendor)) if vendor.remittance.is_some())
    }

    /// Whether the advance of another invoice was repaid before.
    fn follows_repayment(&self) -> bool {
        let others = Invoice::ALL.into_iter();
        let mut states = others.map(|other| self.before.advance_state(other));
        states.any(|state| state == Some(AdvanceState::Repaid))
    }
}

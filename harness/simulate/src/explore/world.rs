//! The worlds: what can be done in each, how often, and which milestones it must show.

use tideover_defects::Defect;

use crate::explore::action::Action;
use crate::explore::cast::{Invoice, Payment, Platform};
use crate::explore::milestone::Milestone;
use crate::explore::state::{Observation, State};

/// A small world, searched exhaustively.
#[derive(Debug)]
pub struct SmallWorld {
    /// Its stable name.
    pub name: &'static str,
    /// What it is about, in one sentence.
    pub words: &'static str,
    /// What has been done at the start.
    before: &'static [Action],
    /// What can be done, and how often if that is limited.
    actions: &'static [(Action, Option<u8>)],
    /// What its search must show.
    pub milestones: &'static [Milestone],
}

/// What onboards the vendor with both platforms.
const ONBOARDED: &[Action] = &[
    Action::SyncVendor(Platform::First),
    Action::SyncVendor(Platform::Second),
    Action::SetPayoutAccount(Platform::First),
    Action::VendorSigns,
    Action::TimePasses,
];

/// Every world, in the order of the search.
pub static WORLDS: [SmallWorld; 5] = [
    SmallWorld {
        name: "limit",
        words: "Two platforms finance one vendor under a limit that only one advance fits.",
        before: ONBOARDED,
        actions: &[
            (Action::Sync(Invoice::FIRST), None),
            (Action::Void(Invoice::FIRST), Some(1)),
            (Action::Sync(Invoice::OTHER), None),
            (Action::Void(Invoice::OTHER), Some(1)),
            (Action::RequestAdvance(Invoice::FIRST), None),
            (Action::RequestAdvance(Invoice::OTHER), None),
            (Action::PayorPays(Invoice::FIRST, Payment::Half), Some(2)),
            (Action::PayorPays(Invoice::FIRST, Payment::TooMuch), Some(1)),
            (Action::PayorPays(Invoice::OTHER, Payment::Half), Some(2)),
            (Action::PayorPays(Invoice::OTHER, Payment::TooMuch), Some(1)),
            (Action::TimePasses, None),
        ],
        milestones: &[
            Milestone::AdvanceRequested,
            Milestone::AdvanceRepeated,
            Milestone::RefusedByLimit,
            Milestone::RefusedInvoice,
            Milestone::FitsAfterRepayment,
            Milestone::Funded,
            Milestone::Repaid,
            Milestone::PartiallyCollected,
            Milestone::Collected,
            Milestone::Overpaid,
            Milestone::PaidBeforeFunding,
            Milestone::Updated,
            Milestone::StatusOnly,
        ],
    },
    SmallWorld {
        name: "onboarding",
        words: "Two platforms sync one vendor and onboard it, and its tax id may be wrong.",
        before: &[],
        actions: &[
            (Action::SyncVendor(Platform::First), None),
            (Action::SyncVendor(Platform::Second), None),
            (Action::SetPayoutAccount(Platform::First), None),
            (Action::SetPayoutAccount(Platform::Second), None),
            (Action::VendorSigns, None),
            (Action::TaxIdFoundWrong, Some(2)),
            (Action::Sync(Invoice::FIRST), None),
            (Action::Sync(Invoice::OTHER), None),
            (Action::RequestAdvance(Invoice::FIRST), None),
            (Action::RequestAdvance(Invoice::OTHER), None),
            (Action::TimePasses, None),
        ],
        milestones: &[
            Milestone::VendorMatched,
            Milestone::OptedIn,
            Milestone::OptedInAgain,
            Milestone::RefusedBeforeOnboarding,
            Milestone::RefusedAfterOnboarding,
            Milestone::AdvanceRequested,
            Milestone::AdvanceRepeated,
            Milestone::RefusedByLimit,
            Milestone::Funded,
        ],
    },
    SmallWorld {
        name: "import",
        words: "One platform imports two invoices, interrupted or not, and syncs them besides.",
        before: ONBOARDED,
        actions: &[
            (Action::InterruptImport, Some(1)),
            (Action::Import, None),
            (Action::Sync(Invoice::FIRST), None),
            (Action::Void(Invoice::NEXT), None),
            (Action::RequestAdvance(Invoice::FIRST), None),
            (Action::RequestAdvance(Invoice::NEXT), None),
            (Action::PayorPays(Invoice::NEXT, Payment::Half), Some(2)),
            (Action::PayorPays(Invoice::FIRST, Payment::TooMuch), Some(1)),
            (Action::TimePasses, None),
        ],
        milestones: &[
            Milestone::ImportInterrupted,
            Milestone::ImportResumed,
            Milestone::Updated,
            Milestone::StatusOnly,
            Milestone::AdvanceRequested,
            Milestone::RefusedByLimit,
            Milestone::RefusedInvoice,
            Milestone::FitsAfterRepayment,
            Milestone::Repaid,
        ],
    },
    SmallWorld {
        name: "deliveries",
        words: "Receivers fail while an advance goes its way and the vendor opts in again.",
        before: ONBOARDED,
        actions: &[
            (Action::ReceiverFails(Platform::First), Some(2)),
            (Action::ReceiverFails(Platform::Second), Some(1)),
            (Action::ReceiverEnds(Platform::Second), Some(1)),
            (Action::TaxIdFoundWrong, Some(1)),
            (Action::SyncVendor(Platform::First), None),
            (Action::Sync(Invoice::FIRST), None),
            (Action::Sync(Invoice::OTHER), None),
            (Action::RequestAdvance(Invoice::FIRST), None),
            (Action::PayorPays(Invoice::FIRST, Payment::TooMuch), Some(1)),
            (Action::TimePasses, None),
        ],
        milestones: &[
            Milestone::Retried,
            Milestone::GivenUp,
            Milestone::Revoked,
            Milestone::OptedInAgain,
            Milestone::AdvanceRequested,
            Milestone::Repaid,
            Milestone::Overpaid,
        ],
    },
    SmallWorld {
        name: "all",
        words: "Everything at once, each a little.",
        before: &[],
        actions: &[
            (Action::SyncVendor(Platform::First), None),
            (Action::SyncVendor(Platform::Second), None),
            (Action::SetPayoutAccount(Platform::First), None),
            (Action::VendorSigns, None),
            (Action::TaxIdFoundWrong, Some(1)),
            (Action::InterruptImport, Some(1)),
            (Action::Import, None),
            (Action::Sync(Invoice::OTHER), None),
            (Action::RequestAdvance(Invoice::FIRST), None),
            (Action::RequestAdvance(Invoice::OTHER), None),
            (Action::RequestAdvance(Invoice::NEXT), None),
            (Action::PayorPays(Invoice::FIRST, Payment::Half), Some(1)),
            (Action::PayorPays(Invoice::FIRST, Payment::TooMuch), Some(1)),
            (Action::ReceiverFails(Platform::Second), Some(1)),
            (Action::TimePasses, None),
        ],
        milestones: &[
            Milestone::VendorMatched,
            Milestone::OptedInAgain,
            Milestone::RefusedBeforeOnboarding,
            Milestone::RefusedAfterOnboarding,
            Milestone::RefusedByLimit,
            Milestone::FitsAfterRepayment,
            Milestone::ImportResumed,
            Milestone::PaidBeforeFunding,
            Milestone::Overpaid,
            Milestone::Repaid,
            Milestone::Retried,
        ],
    },
];

impl SmallWorld {
    /// The world of this name.
    pub fn named(name: &str) -> Option<&'static SmallWorld> {
        WORLDS.iter().find(|world| world.name == name)
    }

    /// The state that its search begins with.
    pub fn start(&self, planted: Option<&'static Defect>) -> State {
        let left = self.actions.iter().map(|(_, times)| *times).collect();
        let empty = State::empty(planted, left).normal();
        let begun = self.before.iter().fold(empty, |state, action| {
            let (after, seen) = state.after(*action);
            debug_assert!(after.is_some(), "{action}: {seen:?}");
            after.unwrap_or(state).normal()
        });
        begun.first()
    }

    /// The numbers of the actions that are still possible.
    pub fn possible(&self, state: &State) -> impl Iterator<Item = usize> {
        (0..self.actions.len()).filter(|number| state.left[*number] != Some(0))
    }

    /// The state after the action of this number, with what was seen. No state, if nothing changes.
    pub fn step(&self, state: &State, number: usize) -> (Option<State>, Vec<Observation>) {
        let (mut after, seen) = state.after(self.action(number));
        if let Some(after) = &mut after {
            after.spend(number);
        }
        (after, seen)
    }

    /// The action of this number.
    pub fn action(&self, number: usize) -> Action {
        self.actions[number].0
    }
}

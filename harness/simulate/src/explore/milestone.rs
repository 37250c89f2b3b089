//! What a search must come across, so that its invariants hold for more than idle worlds.

use std::fmt;

macro_rules! milestones {
    ($($milestone:ident $words:literal;)*) => {
        /// Something that a step can show.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Milestone {
            $(#[doc = $words] $milestone,)*
        }

        impl Milestone {
            /// What it shows, in a few words.
            pub fn words(self) -> &'static str {
                match self {
                    $(Milestone::$milestone => $words,)*
                }
            }
        }

        /// A property for each milestone: some step shows it.
        pub(super) fn properties<M: ShowsMilestones>() -> Vec<(Milestone, stateright::Property<M>)> {
            vec![$((
                Milestone::$milestone,
                stateright::Property::sometimes($words, |model: &M, _| {
                    model.has_shown(Milestone::$milestone)
                }),
            ),)*]
        }
    };
}

milestones! {
    VendorMatched "the second platform's vendor is matched by its tax id";
    OptedIn "the vendor opts in";
    OptedInAgain "the vendor opts in again after its tax id was wrong";
    RefusedBeforeOnboarding "an advance is refused before onboarding is complete";
    RefusedAfterOnboarding "an advance is refused because compliance was lost";
    AdvanceRequested "an advance is requested";
    AdvanceRepeated "a repeated request returns the advance";
    RefusedByLimit "an advance is refused by the limit";
    RefusedInvoice "an advance is refused because of its invoice";
    FitsAfterRepayment "an advance fits once another one is repaid";
    Funded "an advance is funded";
    Repaid "an advance is repaid";
    PartiallyCollected "an invoice is partially collected";
    Collected "an invoice is collected";
    Overpaid "an invoice is overpaid";
    PaidBeforeFunding "a payment arrives before the advance is funded";
    Updated "a sync updates an invoice";
    StatusOnly "a sync updates only the status";
    ImportInterrupted "an import is interrupted";
    ImportResumed "an interrupted import is resumed";
    Retried "a failed delivery is retried";
    GivenUp "a delivery is given up";
    Revoked "a receiver ends its subscription";
}

impl fmt::Display for Milestone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// A model that notes which milestones its steps showed.
///
/// A refused step leads to no new state, so no state can show it.
pub(super) trait ShowsMilestones: stateright::Model {
    fn has_shown(&self, milestone: Milestone) -> bool;
}

/// A set of milestones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Milestones(u32);

impl Milestones {
    pub(super) fn add_if(&mut self, milestone: Milestone, shown: bool) {
        self.0 |= u32::from(shown) << milestone as u32;
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    pub(super) fn has(self, milestone: Milestone) -> bool {
        self.0 & (1 << milestone as u32) != 0
    }
}

impl From<u32> for Milestones {
    fn from(bits: u32) -> Milestones {
        Milestones(bits)
    }
}

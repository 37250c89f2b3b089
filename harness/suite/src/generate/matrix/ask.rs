//! What a table of the matrix says: what can be asked of a subject, and where it leads.

use std::fmt::Debug;

use tideover_exchange::evidence::matrix::Asked;
use tideover_exchange::step::Step;

/// Something that can be asked of a subject in each of its states.
pub(super) trait Ask: Copy + Debug {
    type State: Copy + Ord;
    /// What a read tells of a state.
    type Shown: Ord;

    /// The state in which a subject begins.
    const FIRST: Self::State;

    fn all() -> Vec<Self>;

    fn shown(state: Self::State) -> Self::Shown;

    fn asked(self) -> Asked;

    /// The state that follows; `None` where it is not asked.
    fn leads_to(self, state: Self::State) -> Option<Self::State>;

    /// Whether it writes nothing in a state. Otherwise only a read shows the state that follows.
    fn writes_nothing_in(self, state: Self::State) -> bool;

    fn step(self, state: Self::State, subject: &Subject) -> Step;

    /// The steps that make a subject, and show it.
    fn begun(subject: &Subject) -> Vec<Step>;

    fn read(subject: &Subject) -> Step;
}

/// A business, or an invoice of a vendor.
#[derive(Clone, Copy)]
pub(super) struct Subject {
    pub(super) number: u32,
    pub(super) vendor: &'static str,
    /// How many of its steps come before: what is new at each of them is named by it.
    pub(super) place: usize,
}

impl Subject {
    pub(super) fn name(&self) -> String {
        format!("tour {}", self.number)
    }
}

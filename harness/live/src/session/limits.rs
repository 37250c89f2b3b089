//! What the exploration and the shrinking may spend.

use std::time::{Duration, Instant};

use crate::session::{Session, StopReason};
use crate::settings::{Budget, Settings};

/// In a sandbox, shrinking gets one part in so many of the budget on top.
const SANDBOX_PART: u64 = 2;

/// Elsewhere, so much of the budget is kept for it as soon as there is a finding.
const LIVE_PART: u64 = 4;

#[derive(Clone, Debug)]
pub(super) struct Limits {
    began: Instant,
    seconds: Option<u64>,
    /// How many requests the run may have sent at the end.
    pub(super) requests: u64,
    /// Whether nothing more is to be explored.
    is_enough: bool,
    /// Why the exploration ended, during the shrinking.
    explored: Option<StopReason>,
    /// The same, before it was shared among the findings.
    whole: u64,
}

impl Limits {
    pub(super) fn new(budget: &Budget) -> Limits {
        Limits {
            began: Instant::now(),
            seconds: budget.seconds,
            requests: budget.requests,
            is_enough: false,
            explored: None,
            whole: budget.requests,
        }
    }

    /// Why nothing more is sent now, if the time is over.
    pub(super) fn over(&self) -> Option<StopReason> {
        let most =
            self.seconds.filter(|most| self.began.elapsed() >= Duration::from_secs(*most))?;
        let why = format!("the {most} seconds of the run are over (max-seconds)");
        Some(StopReason::Spent(why))
    }

    pub(super) fn is_enough(&self) -> bool {
        self.is_enough
    }
}

impl Session {
    pub(crate) fn requests_left(&self) -> u64 {
        let state = self.state();
        state.limits.requests.saturating_sub(state.ledger.requests())
    }

    /// Ends the run because its budget has no room for another case.
    pub(crate) fn spend_rest(&self) {
        let mut state = self.state();
        let left = state.limits.requests.saturating_sub(state.ledger.requests());
        let budget = self.settings.budget.requests;
        let why = match left {
            0 => format!("the budget of {budget} requests is spent"),
            left => format!("the budget of {budget} requests is spent but for {left}"),
        };
        state.ended.get_or_insert(StopReason::Spent(why));
    }

    /// Ends all plays: each one under way ends with its next request.
    pub(crate) fn stop_exploring(&self) {
        self.state().limits.is_enough = true;
    }

    /// Keeps a part of the budget for shrinking, because now there is something to shrink. In a sandbox requests cost
    /// nothing, and shrinking gets more on top.
    pub(crate) fn keep_for_shrinking(&self) {
        if self.settings.sandbox.is_none() {
            let requests = self.settings.budget.requests;
            self.state().limits.requests = requests - requests / LIVE_PART;
        }
    }

    /// Begins the shrinking with its budget. Returns `false` if the target is given up.
    pub(crate) fn begin_shrinking(&self) -> bool {
        let Settings { budget, sandbox, .. } = &self.settings;
        let mut state = self.state();
        if matches!(state.ended, Some(StopReason::GivenUp(_))) {
            return false;
        }
        state.limits.explored = state.ended.take();
        state.limits.is_enough = false;
        if sandbox.is_some() {
            state.limits.began = Instant::now();
            state.limits.seconds = budget.seconds.map(|seconds| seconds.div_ceil(SANDBOX_PART));
            state.limits.requests =
                state.ledger.requests() + budget.requests.div_ceil(SANDBOX_PART);
        } else {
            state.limits.requests = budget.requests;
        }
        state.limits.whole = state.limits.requests;
        true
    }

    /// Gives the next finding its share of the requests that are left for shrinking, even if the one before has spent its
    /// own.
    pub(crate) fn share_rest(&self, shares: usize) {
        let mut state = self.state();
        let used = state.ledger.requests();
        let shares = u64::try_from(shares).unwrap_or(u64::MAX).max(1);
        state.limits.requests = used + state.limits.whole.saturating_sub(used) / shares;
        if matches!(state.ended, Some(StopReason::Spent(_))) {
            state.ended = None;
        }
    }

    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self.state().ended, Some(StopReason::GivenUp(_)))
    }

    /// Restores the reason why the exploration ended, unless the target was given up since.
    pub(crate) fn end_shrinking(&self) {
        let mut state = self.state();
        if !matches!(state.ended, Some(StopReason::GivenUp(_))) {
            state.ended = state.limits.explored.take();
        }
    }

    /// How many requests fit in those that are left and in the time that is left.
    pub(crate) fn room(&self) -> u64 {
        let state = self.state();
        let left = state.limits.requests.saturating_sub(state.ledger.requests());
        let most = state.limits.seconds.map(Duration::from_secs);
        let time = most.map(|most| most.saturating_sub(state.limits.began.elapsed()));
        time.map_or(left, |time| left.min(state.workers.requests_in(time)))
    }

    /// How many cases are played at once now.
    pub fn workers(&self) -> usize {
        self.state().workers.count()
    }
}

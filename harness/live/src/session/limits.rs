//! What may be spent until the exploration or the shrinking ends.

use std::time::{Duration, Instant};

use crate::session::{Session, StopReason};
use crate::settings::{Budget, Settings};

/// The part of the budget that shrinking has on top in a sandbox, and the part that is kept for it elsewhere as soon
/// as there is a finding: one in so many.
const SANDBOX_PART: u64 = 2;
const LIVE_PART: u64 = 4;

/// What may be spent.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    began: Instant,
    seconds: Option<u64>,
    /// Of all requests of the run.
    pub(super) requests: u64,
    /// Whether nothing more is to be explored.
    is_enough: bool,
    /// Why the exploration ended, while findings are made small.
    explored: Option<StopReason>,
    /// Of all requests of the run, before shares were made.
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

    /// Whether enough was found, so that nothing more is sent.
    pub(super) fn is_enough(&self) -> bool {
        self.is_enough
    }
}

impl Session {
    /// How many requests are left.
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

    /// Lets no play go on: what is under way ends with its next request.
    pub(crate) fn stop_exploring(&self) {
        self.state().limits.is_enough = true;
    }

    /// Keeps a part of the budget for shrinking, where every request has its price: there is something to shrink.
    pub(crate) fn keep_for_shrinking(&self) {
        if self.settings.sandbox.is_none() {
            let requests = self.settings.budget.requests;
            self.state().limits.requests = requests - requests / LIVE_PART;
        }
    }

    /// Goes on with the budget of the shrinking. Returns `false` if the target is given up.
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

    /// Lets the next finding have one share of so many of the requests that are left for shrinking, even if the one
    /// before it has spent its own.
    pub(crate) fn share_rest(&self, shares: usize) {
        let mut state = self.state();
        let used = state.ledger.requests();
        let shares = u64::try_from(shares).unwrap_or(u64::MAX).max(1);
        state.limits.requests = used + state.limits.whole.saturating_sub(used) / shares;
        if matches!(state.ended, Some(StopReason::Spent(_))) {
            state.ended = None;
        }
    }

    /// Whether the target is given up.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self.state().ended, Some(StopReason::GivenUp(_)))
    }

    /// Reports again why the exploration ended, unless the target was given up since.
    pub(crate) fn end_shrinking(&self) {
        let mut state = self.state();
        if !matches!(state.ended, Some(StopReason::GivenUp(_))) {
            state.ended = state.limits.explored.take();
        }
    }

    /// Whether so many requests fit in what is left, of the requests and of the time.
    pub(crate) fn has_room_for(&self, requests: u64) -> bool {
        let state = self.state();
        let Limits { seconds, requests: most, .. } = state.limits;
        let took = state.workers.time_for(requests);
        state.ledger.requests().saturating_add(requests) <= most
            && seconds.is_none_or(|seconds| took <= Duration::from_secs(seconds))
    }

    /// How many cases are played at once now.
    pub fn workers(&self) -> usize {
        self.state().workers.count()
    }
}

//! A target as the judge sees it.

use std::future::ready;
use std::time::Duration;

use tideover_endpoint::Http;
use tideover_exchange::Inside;
use tideover_exchange::target::{LazyResponse, ModelTarget, Target};
use tideover_judge::{Outside, PriorState};
use tideover_model::Timestamp;

/// A target with what the judge may know of it.
pub trait Observed: Target {
    /// Whether its response times are worth measuring.
    const TIMED: bool = true;

    /// The last response before it was parsed, if that can be seen.
    fn answered(&self) -> Option<&LazyResponse> {
        None
    }

    /// The state after the last step; `None` unless the target is in process.
    fn inside(&mut self) -> Option<Inside> {
        None
    }

    /// How long the last response took, if the target measures it better than the time around sending.
    fn took(&self) -> Option<Duration> {
        None
    }

    /// Whether reads may be stale.
    const LAGS: bool = false;

    /// Waits for the webhooks of the step at `index`, if any are expected.
    fn settle(&mut self, _index: usize) -> impl Future<Output = ()> {
        ready(())
    }

    /// Waits before the `nth` retry of a read that may be stale, from 0. Returns `false` once a retry is no use.
    fn wait_to_ask_again(&mut self, _nth: usize) -> impl Future<Output = bool> {
        ready(false)
    }

    /// Waits before a request that failed is sent again for the `nth` time, from 0.
    fn wait_to_retry(&mut self, _nth: usize) -> impl Future<Output = ()> {
        ready(())
    }

    /// Whether a webhook has been seen to reach the inbox. Only then does a missing webhook mean anything.
    fn inbox_works(&self) -> bool {
        false
    }

    /// Waits for overdue deliveries, for the `nth` time, from 0. Returns `false` once none can come.
    fn wait_for_deliveries(&mut self, _nth: usize) -> impl Future<Output = bool> {
        ready(false)
    }

    /// The key of a second platform, if the user gave one.
    fn second_key(&self) -> Option<&str> {
        None
    }

    /// The world that it is in.
    fn world(&mut self) -> TargetWorld {
        TargetWorld::Known
    }
}

/// The world that a target is in, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetWorld {
    /// The world of the header: the choices are those of its seed.
    Known,
    /// A world that only the responses show.
    Foreign {
        /// Who moves the world outside.
        outside: Outside,
        /// State that may predate this run.
        prior: PriorState,
        /// The target's time, or ours if its clock is unknown.
        now: Timestamp,
        clock: Clock,
    },
}

/// Where the time of a target comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The target shows it.
    Read,
    /// The target showed it before, and somebody else may have moved its clock since.
    Kept,
    /// It is our time, until a response shows the target's.
    Guessed,
    /// It may be moving: a move of it was not answered, and it has not arrived yet. No time is known.
    Moving,
}

impl<F> Observed for ModelTarget<F>
where
    F: tideover_model::Face + std::hash::Hash,
{
    const TIMED: bool = false;

    fn answered(&self) -> Option<&LazyResponse> {
        ModelTarget::answered(self)
    }

    fn inside(&mut self) -> Option<Inside> {
        Some(ModelTarget::inside(self))
    }
}

impl Observed for Http {}

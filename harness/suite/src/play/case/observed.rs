//! What is known of a target before the first request.

use std::future::ready;
use std::time::Duration;

use tideover_endpoint::Http;
use tideover_exchange::Inside;
use tideover_exchange::target::{LazyResponse, ModelTarget, Target};
use tideover_judge::{Outside, PriorState};
use tideover_model::Timestamp;

/// A target, as far as it lets itself be looked into.
pub trait Observed: Target {
    /// Whether the time that it takes to answer says something of it.
    const TIMED: bool = true;

    /// The answer to the step that was sent last as it was written down, if that can be seen.
    fn answered(&self) -> Option<&LazyResponse> {
        None
    }

    /// Its state after the last step; `None` unless it is in process.
    fn inside(&mut self) -> Option<Inside> {
        None
    }

    /// How long the last answer took, where that is known better than by the time that sending took.
    fn took(&self) -> Option<Duration> {
        None
    }

    /// Whether what it answers may lag behind what was written.
    const LAGS: bool = false;

    /// Waits until the webhooks that the step of this index causes have come, where that is known or worth a wait.
    fn settle(&mut self, _index: usize) -> impl Future<Output = ()> {
        ready(())
    }

    /// Waits before the `nth` retry, from 0 on; `false` once a retry is no use.
    fn wait_to_ask_again(&mut self, _nth: usize) -> impl Future<Output = bool> {
        ready(false)
    }

    /// Whether webhooks of the target are known to reach the inbox, because one has, or a test: then silence there
    /// means something. `false` if unknown.
    fn inbox_works(&self) -> bool {
        false
    }

    /// Waits for deliveries that may still be on their way, for the `nth` time, from 0 on; `false` once none can be.
    fn wait_for_deliveries(&mut self, _nth: usize) -> impl Future<Output = bool> {
        ready(false)
    }

    /// The key of a second platform, where the user has given one.
    fn second_key(&self) -> Option<&str> {
        None
    }

    /// What is known of it.
    fn standing(&mut self) -> Standing {
        Standing::Known
    }
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All of it: it starts in the world of the header, and its choices are those of the header's seed.
    Known,
    /// Only its responses show what it chooses, and what happens to it.
    Foreign {
        /// Who moves the world outside.
        outside: Outside,
        /// State that may predate this run.
        prior: PriorState,
        /// What its clock shows, or ours where its clock is unknown.
        now: Timestamp,
        /// How that is known.
        clock: Clock,
    },
}

/// How it is known what the clock of a target shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// It is read from the target.
    Read,
    /// It was read before, and someone else may have moved it since.
    Kept,
    /// It may be ahead of ours, or behind, until a response shows a time.
    Guessed,
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

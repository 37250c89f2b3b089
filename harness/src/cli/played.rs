//! What a check has played, wherever it played it.

use std::time::Instant;

use tideover_exchange::secrets::Secrets;
use tideover_judge::checks::registry::Needs;
use tideover_live::session::StopReason;
use tideover_live::unasked::Unasked;
use tideover_suite::play::cases::{Plan, Summary};
use tideover_suite::play::concurrent::Parts;
use tideover_suite::play::regressions::Revisited;

/// What a check has played, and what its report and its replay commands need to know of the target.
pub(super) struct Played {
    pub(super) plan: Plan,
    pub(super) summary: Summary,
    pub(super) began: Instant,
    /// The target in words.
    pub(super) target: String,
    pub(super) offers: Vec<Needs>,
    /// What the options give, and nothing has shown to work.
    pub(super) unproven: Vec<Needs>,
    /// The findings that earlier runs have kept, and whether each still shows.
    pub(super) revisited: Vec<Revisited>,
    /// The number of clients, and the conclusions about the order of their requests.
    pub(super) races: Option<(usize, Parts)>,
    /// Why the run stopped, unless it came to its end or a signal ended it.
    pub(super) ended: Option<StopReason>,
    pub(super) left_behind: Vec<String>,
    /// What was not sent, if the target is not ours.
    pub(super) unasked: Option<Unasked>,
    /// What limits the value of the run from its start.
    pub(super) warnings: Vec<String>,
    pub(super) secrets: Secrets,
    /// What a replay command has after the transcript.
    pub(super) replay_options: String,
}

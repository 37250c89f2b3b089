//! Moves of the target's clock that were not answered: the target may still be on the way.

use std::ops::RangeInclusive;

use tideover_exchange::{Exchange, Prepared, PreparedAction};
use tideover_model::signature::TOLERANCE;

/// The times that the target's clock may have passed by moves without a response. What it sent on the way comes
/// whenever it comes.
#[derive(Default)]
pub(super) struct UnseenMoves {
    /// The target's clock after the last response. Unix seconds.
    now: u64,
    /// From before the first such move to the end of the last one. Unix seconds.
    passed: Option<RangeInclusive<u64>>,
}

impl UnseenMoves {
    pub(super) fn miss(&mut self, sent: &Prepared) {
        let PreparedAction::Advance(seconds) = sent.action else { return };
        let (first, last) =
            self.passed.take().map_or((self.now, self.now), |passed| passed.into_inner());
        self.passed = Some(first..=last.max(self.now).saturating_add(seconds));
    }

    pub(super) fn observe(&mut self, exchange: &Exchange<'_>) {
        self.now = exchange.its_time(exchange.now).unwrap_or(self.now);
    }

    /// Whether an attempt on the way may have been signed at `at`.
    pub(super) fn may_have_passed(&self, at: u64) -> bool {
        self.passed.as_ref().is_some_and(|passed| {
            at.saturating_add(TOLERANCE) >= *passed.start()
                && at <= passed.end().saturating_add(TOLERANCE)
        })
    }
}

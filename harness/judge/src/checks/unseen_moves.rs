//! Moves of the target's clock that were not answered: the target may still be on the way.

use std::ops::RangeInclusive;

use tideover_exchange::{Exchange, Prepared, PreparedAction};
use tideover_model::signature::TOLERANCE;

/// The times that the target's clock may have passed by moves without a response, those before the case among them: its
/// clock is unknown until it has arrived. What it sent on the way comes whenever it comes.
#[derive(Default)]
pub(super) struct UnseenMoves {
    /// The target's clock after the last response. Unix seconds. `None` before one shows it.
    now: Option<u64>,
    /// The target's clock, as read before the first response that leaves it unknown. Unix seconds.
    unknown_since: Option<u64>,
    /// From before the first such move to the end of the last one. Unix seconds.
    passed: Option<RangeInclusive<u64>>,
}

impl UnseenMoves {
    pub(super) fn miss(&mut self, sent: &Prepared) {
        let PreparedAction::Advance(seconds) = sent.action else { return };
        match self.now {
            Some(now) => {
                let end = self.passed.as_ref().map_or(now, |passed| now.max(*passed.end()));
                self.pass(now..=end.saturating_add(seconds));
            }
            None => self.pass(0..=u64::MAX),
        }
    }

    pub(super) fn observe(&mut self, exchange: &Exchange<'_>) {
        let Some(now) = exchange.its_time(exchange.now) else {
            self.unknown_since.get_or_insert(exchange.since.unix_unsigned());
            return;
        };
        self.now = Some(now);
        if let Some(since) = self.unknown_since.take() {
            self.pass(since..=now);
        }
    }

    fn pass(&mut self, times: RangeInclusive<u64>) {
        self.passed = Some(match self.passed.take() {
            Some(passed) => *passed.start().min(times.start())..=*passed.end().max(times.end()),
            None => times,
        });
    }

    /// Whether an attempt on the way may have been signed at `at`.
    pub(super) fn may_have_passed(&self, at: u64) -> bool {
        self.passed.as_ref().is_some_and(|passed| {
            at.saturating_add(TOLERANCE) >= *passed.start()
                && at <= passed.end().saturating_add(TOLERANCE)
        })
    }
}

#[cfg(test)]
mod tests {
    use tideover_exchange::step::{Action, Call, Step};
    use tideover_exchange::{Memory, Response};
    use tideover_model::Timestamp;

    use super::*;

    fn prepared(action: Action) -> Prepared {
        Prepared::from_step(&Step::new(action), &Memory::default(), "key")
    }

    /// Shows a response at this time of the target.
    fn show(moves: &mut UnseenMoves, at: u64, is_known: bool) {
        let sent = prepared(Action::Call(Call::bare("GET", "/v1/webhooks")));
        let (seen, now) = (Response::new(200, b"[]"), Timestamp::from_unix(at as i64).unwrap());
        let ahead = is_known.then_some(0);
        moves.observe(&Exchange { ahead, ..Exchange::alone(&sent, &seen, now) });
    }

    #[test]
    fn a_move_without_a_response_may_pass_all_its_way() {
        let mut moves = UnseenMoves::default();
        show(&mut moves, 10_000, true);
        moves.miss(&prepared(Action::Advance(5_000)));
        let passed = |at| moves.may_have_passed(at);
        assert_eq!([9_699, 9_700, 15_300, 15_301].map(passed), [false, true, true, false]);
    }

    #[test]
    fn a_clock_that_moved_before_the_case_may_have_been_anywhere_since() {
        let mut moves = UnseenMoves::default();
        show(&mut moves, 10_000, false);
        show(&mut moves, 15_000, false);
        assert!(!moves.may_have_passed(12_000), "the time is not known yet");
        show(&mut moves, 20_000, true);
        let passed = |at| moves.may_have_passed(at);
        assert_eq!([9_699, 9_700, 20_300, 20_301].map(passed), [false, true, true, false]);
    }

    #[test]
    fn a_move_before_any_response_may_pass_any_time() {
        let mut moves = UnseenMoves::default();
        moves.miss(&prepared(Action::Advance(1)));
        assert!(moves.may_have_passed(1_774_923_242));
    }
}

//! The target's clock, as its operator port or a `Date` header shows it.

use std::time::{Duration, Instant, UNIX_EPOCH};

use tideover_endpoint::client::HttpResponse;
use tideover_endpoint::wall_time;
use tideover_exchange::Response;
use tideover_exchange::evidence::Activity;
use tideover_judge::is_near;
use tideover_model::Timestamp;

use crate::session::Session;

/// Between two looks at a clock that is on its way.
const PAUSE: Duration = Duration::from_millis(500);

/// How long a clock that is on its way is waited for, after the wait for the response.
const PATIENCE: Duration = Duration::from_secs(5);

/// After this long a move that was not answered is lost: the clock will not arrive.
const LOST_AFTER: Duration = Duration::from_secs(60);

/// Where the clock arrives by the moves that were not answered.
#[derive(Debug)]
pub(super) struct UnseenMoves {
    to: Timestamp,
    /// When the last of them was sent.
    sent: Instant,
}

impl Session {
    /// Reads the target's clock, if it can be moved.
    pub(crate) async fn refresh_clock(&self) {
        if self.abilities.moves_clock {
            self.read_clock().await;
        }
    }

    /// Reads the target's clock at the operator port. Returns whether that worked.
    pub(crate) async fn read_clock(&self) -> bool {
        match self.operator {
            Some(_) => {
                self.ask_operator("/_sim/clock").await.is_ok_and(|seen| self.note_clock(&seen))
            }
            None => false,
        }
    }

    /// Stores the time in a response of the operator port. Returns whether there is one.
    pub(crate) fn note_clock(&self, seen: &Response) -> bool {
        let now = seen.json().and_then(|body| body["now"].as_str()).and_then(Timestamp::parse);
        if let Some(now) = now {
            let mut state = self.state();
            state.clock_ahead = Some(milliseconds_ahead(now, wall_time()));
            state.unseen_moves.take_if(|moves| now >= moves.to);
        }
        now.is_some()
    }

    /// Adds an answered move to those that the clock is still on its way by: it arrives that much later.
    pub(crate) fn add_move(&self, seconds: u64) {
        if let Some(moves) = &mut self.state().unseen_moves {
            moves.to = moves.to.after(seconds);
        }
    }

    /// Adds a move by `seconds` from `began` that was not answered.
    fn miss_move(&self, began: Timestamp, seconds: u64) {
        let mut state = self.state();
        let from = state.unseen_moves.take().map_or(began, |moves| moves.to.max(began));
        state.unseen_moves = Some(UnseenMoves { to: from.after(seconds), sent: Instant::now() });
    }

    /// Waits until a move by `seconds` that was not answered has taken the clock from `began` there. A target that sends
    /// whatever is due on the way may take longer than we wait for a response; one that never got the request will not
    /// arrive.
    pub(crate) async fn await_clock(&self, began: Timestamp, seconds: u64) {
        let sent = Instant::now();
        self.miss_move(began, seconds);
        while self.read_clock().await && self.is_clock_moving() {
            if sent.elapsed() >= PATIENCE.min(self.settings.timeout) {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.state().spent.record(Activity::Clock, sent.elapsed());
    }

    /// Whether the clock may still be on its way, by a move that was not answered.
    pub(crate) fn is_clock_moving(&self) -> bool {
        let mut state = self.state();
        state.unseen_moves.take_if(|moves| moves.sent.elapsed() > LOST_AFTER);
        state.unseen_moves.is_some()
    }

    /// Confirms the `Date` header of the last response, because the response showed the expected time.
    pub(crate) fn keep_date(&self) {
        let mut state = self.state();
        state.dates.1 = state.dates.0;
    }

    /// Moves the clock with the `Date` header, if the header moved by about `moved` seconds.
    pub(crate) fn follow_date(&self, moved: i64) {
        let mut state = self.state();
        let (Some(last), Some(before)) = state.dates else { return };
        if is_near(last - before, moved) {
            let moved = (last - before).saturating_mul(1000);
            state.clock_ahead = Some(state.clock_ahead.unwrap_or(0).saturating_add(moved));
        }
    }

    /// Guesses the clock from the `Date` header of the first response, until a better source shows the time.
    /// A proxy may have set the header, so no finding relies on it.
    pub(super) fn guess_clock(&self, answer: &HttpResponse) {
        let mut state = self.state();
        let since_1970 = answer.date.and_then(|date| date.duration_since(UNIX_EPOCH).ok());
        let date = since_1970.and_then(|date| i64::try_from(date.as_secs()).ok());
        let ahead = date.map(|date| date - wall_time().unix());
        state.dates.0 = ahead;
        if let Some(ahead) = ahead.filter(|_| state.plays.count == 0) {
            state.clock_ahead.get_or_insert(ahead.saturating_mul(1000));
            state.dates.1.get_or_insert(ahead);
        }
    }

    /// The target's time, as far as it is known.
    pub(crate) fn now(&self) -> Timestamp {
        self.its_time(wall_time())
    }

    /// The target's time at this wall time, as far as it is known.
    pub(super) fn its_time(&self, now: Timestamp) -> Timestamp {
        let ahead = self.state().clock_ahead.unwrap_or(0);
        let behind = now.before_milliseconds(ahead.min(0).unsigned_abs());
        behind.after_milliseconds(ahead.max(0).unsigned_abs())
    }
}

/// How many milliseconds the clock `theirs` is ahead of `ours`. With whole seconds, one reading would make a
/// link live a second too long, and the next a second too short.
fn milliseconds_ahead(theirs: Timestamp, ours: Timestamp) -> i64 {
    let signed = |milliseconds: u64| i64::try_from(milliseconds).unwrap_or(i64::MAX);
    signed(ours.milliseconds_until(theirs)) - signed(theirs.milliseconds_until(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_ahead_to_the_millisecond() {
        let at = |text| Timestamp::parse(text).unwrap();
        let (earlier, later) = (at("2026-01-01T00:00:00.999Z"), at("2026-01-01T00:00:01.001Z"));
        assert_eq!(milliseconds_ahead(later, earlier), 2);
        assert_eq!(milliseconds_ahead(earlier, later), -2);
    }
}

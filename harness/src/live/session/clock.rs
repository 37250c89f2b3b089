//! What the clock of a target shows, as far as its operator port or a header shows it.

use std::time::UNIX_EPOCH;

use tideover_model::Timestamp;

use crate::endpoint::client::Incame;
use crate::endpoint::wall_time;
use crate::exchange::Seen;
use crate::judge::is_near;
use crate::live::session::Session;

impl Session {
    /// Looks at the target's clock, if it can be moved.
    pub(in crate::live) async fn look_at_clock(&self) {
        if self.abilities.moves_clock {
            self.read_clock().await;
        }
    }

    /// Reads the target's clock from the operator port. `false` if the port does not show it.
    pub(in crate::live) async fn read_clock(&self) -> bool {
        match self.operator {
            Some(_) => {
                self.ask_operator("/_sim/clock").await.is_ok_and(|seen| self.note_clock(&seen))
            }
            None => false,
        }
    }

    /// Takes over the time that a response shows. `false` if it shows none.
    pub(in crate::live) fn note_clock(&self, seen: &Seen) -> bool {
        let shown = seen.json().and_then(|body| body["now"].as_str()).and_then(Timestamp::parse);
        if let Some(now) = shown {
            self.state().clock_ahead = Some(milliseconds_ahead(now, wall_time()));
        }
        shown.is_some()
    }

    /// The last response showed the expected time.
    pub(in crate::live) fn keep_date(&self) {
        let mut state = self.state();
        state.dates.1 = state.dates.0;
    }

    /// Follows the header of the responses if it moved about as far as the time in the last one. Seconds.
    pub(in crate::live) fn follow_date(&self, moved: i64) {
        let mut state = self.state();
        let (Some(last), Some(before)) = state.dates else { return };
        if is_near(last - before, moved) {
            let moved = (last - before).saturating_mul(1000);
            state.clock_ahead = Some(state.clock_ahead.unwrap_or(0).saturating_add(moved));
        }
    }

    /// Takes the date of the first answer for a guess, until anything else shows the time: what stands before the
    /// target may have set it, and it accuses nobody.
    pub(super) fn guess_clock(&self, answer: &Incame) {
        let mut state = self.state();
        let since_1970 = answer.date.and_then(|date| date.duration_since(UNIX_EPOCH).ok());
        let date = since_1970.and_then(|date| i64::try_from(date.as_secs()).ok());
        let ahead = date.map(|date| date - wall_time().unix());
        state.dates.0 = ahead;
        if let Some(ahead) = ahead.filter(|_| state.plays == 0) {
            state.clock_ahead.get_or_insert(ahead.saturating_mul(1000));
            state.dates.1.get_or_insert(ahead);
        }
    }

    /// What the target's clock shows, as far as that is known.
    pub(in crate::live) fn now(&self) -> Timestamp {
        let now = wall_time();
        let ahead = self.state().clock_ahead.unwrap_or(0);
        let behind = now.before_milliseconds(ahead.min(0).unsigned_abs());
        behind.after_milliseconds(ahead.max(0).unsigned_abs())
    }
}

/// How far a clock that shows `shown` is ahead of one that shows `ours`. To the second, a link would live a second too
/// long by the one reading, and too short by the next.
fn milliseconds_ahead(shown: Timestamp, ours: Timestamp) -> i64 {
    let signed = |milliseconds: u64| i64::try_from(milliseconds).unwrap_or(i64::MAX);
    signed(ours.milliseconds_until(shown)) - signed(shown.milliseconds_until(ours))
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

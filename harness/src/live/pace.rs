//! How fast requests follow one another.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// A wait that is asked for is not longer: the run ends instead.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Where a target asks to wait and does not say how long in seconds.
const USUAL_WAIT: Duration = Duration::from_secs(5);

/// When the next request may be sent: they go in groups, so that those of a group can be under way at once.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// Between one group and the next.
    interval: Duration,
    group: u32,
    /// When the group goes that is being filled, and how many more it takes.
    going: Option<(Instant, u32)>,
    /// The earliest that the next group may go.
    next: Option<Instant>,
}

impl Pace {
    pub(super) fn new(per_second: NonZeroU32, at_once: NonZeroU32) -> Pace {
        let group = at_once.get();
        let interval = Duration::from_secs(1) * group / per_second.get();
        Pace { interval, group, going: None, next: None }
    }

    /// How long the next request waits, at `now`; the one after it waits for it.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        let (at, left) = self.going.filter(|(_, left)| *left > 0).unwrap_or_else(|| {
            let at = self.next.map_or(now, |next| next.max(now));
            self.next = Some(at + self.interval);
            (at, self.group)
        });
        self.going = Some((at, left - 1));
        at.saturating_duration_since(now)
    }

    /// Lets nothing be sent for as long as the target asks for.
    pub(super) fn pause(&mut self, now: Instant, wait: Duration) {
        let until = now + wait;
        self.going = None;
        self.next = Some(self.next.map_or(until, |next| next.max(until)));
    }
}

/// How long an answer asks to wait: one of 429, or of 503 that says how long. A date counts as the usual
/// wait.
pub(super) fn asked_wait(status: u16, retry_after: Option<&str>) -> Option<Duration> {
    let wait = |text: &str| text.trim().parse().map_or(USUAL_WAIT, Duration::from_secs);
    match (status, retry_after) {
        (429 | 503, Some(text)) => Some(wait(text)),
        (429, None) => Some(USUAL_WAIT),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_spread_evenly_and_a_pause_holds_them_all() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut pace = Pace::new(NonZeroU32::new(4).unwrap(), NonZeroU32::MIN);
        assert_eq!(pace.wait(at(0)), Duration::ZERO);
        assert_eq!(pace.wait(at(0)), Duration::from_millis(250));
        assert_eq!(pace.wait(at(300)), Duration::from_millis(200));
        assert_eq!(pace.wait(at(9000)), Duration::ZERO);
        pace.pause(at(9000), Duration::from_secs(7));
        assert_eq!(pace.wait(at(9100)), Duration::from_millis(6900));
    }

    #[test]
    fn those_that_may_be_under_way_at_once_go_together_and_no_more_of_them_in_a_second() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let three = NonZeroU32::new(3).unwrap();
        let mut pace = Pace::new(NonZeroU32::new(4).unwrap(), three);
        let waits: Vec<u128> = (0..7).map(|_| pace.wait(at(0)).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 750, 750, 750, 1500]);
        pace.pause(at(0), Duration::from_secs(5));
        assert_eq!(pace.wait(at(0)), Duration::from_secs(5), "whoever had not gone waits as well");
    }

    #[test]
    fn what_asks_to_wait_is_429_and_503_that_says_how_long() {
        assert_eq!(asked_wait(429, Some("7")), Some(Duration::from_secs(7)));
        assert_eq!(asked_wait(503, Some(" 0 ")), Some(Duration::ZERO));
        assert_eq!(asked_wait(429, Some("Fri, 31 Dec 1999 23:59:59 GMT")), Some(USUAL_WAIT));
        assert_eq!(asked_wait(429, None), Some(USUAL_WAIT));
        assert_eq!(asked_wait(503, None), None);
        assert_eq!(asked_wait(200, Some("7")), None);
    }
}

//! The pace of requests.

use std::num::NonZeroU32;
use std::time::{Duration, Instant, SystemTime};

use httpdate::parse_http_date;

use crate::endpoint::client::Incame;

/// A wait that is asked for is not longer: the run ends instead.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Where a target asks to wait and does not say how long.
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
    pub(super) fn new(per_second: Option<NonZeroU32>, at_once: NonZeroU32) -> Pace {
        let group = at_once.get();
        let second = Duration::from_secs(1) * group;
        let interval = per_second.map_or(Duration::ZERO, |per_second| second / per_second.get());
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

/// How long an answer that came at `now` asks to wait: one of 429, or of 503 that says how long.
pub(super) fn asked_wait(answer: &Incame, now: SystemTime) -> Option<Duration> {
    match (answer.seen.status, answer.retry_after.as_deref()) {
        (429 | 503, Some(text)) => {
            // A date is the target's, and so is the clock that it is read from.
            Some(wait(text.trim(), answer.date.unwrap_or(now)))
        }
        (429, None) => Some(USUAL_WAIT),
        _ => None,
    }
}

/// How long from `now` on: so many seconds, or until a date.
fn wait(text: &str, now: SystemTime) -> Duration {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match parse_http_date(text) {
        // So large a number is too long, whatever it is.
        _ if is_number => Duration::from_secs(text.parse().unwrap_or(u64::MAX)),
        Ok(until) => until.duration_since(now).unwrap_or_default(),
        Err(_) => USUAL_WAIT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Seen;

    #[test]
    fn requests_are_spread_evenly_and_a_pause_holds_them_all() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut pace = Pace::new(NonZeroU32::new(4), NonZeroU32::MIN);
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
        let mut pace = Pace::new(NonZeroU32::new(4), three);
        let waits: Vec<u128> = (0..7).map(|_| pace.wait(at(0)).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 750, 750, 750, 1500]);
        pace.pause(at(0), Duration::from_secs(5));
        assert_eq!(pace.wait(at(0)), Duration::from_secs(5), "whoever had not gone waits as well");
    }

    #[test]
    fn what_asks_to_wait_is_429_and_503_that_says_how_long() {
        let wait = |status, after: Option<&str>, date: Option<&str>| {
            let retry_after = after.map(str::to_owned);
            let date = date.and_then(|date| parse_http_date(date).ok());
            let now = parse_http_date("Fri, 31 Dec 1999 23:59:00 GMT").unwrap();
            asked_wait(&Incame { seen: Seen::new(status, b""), retry_after, date }, now)
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let new_year = Some("Sat, 01 Jan 2000 00:00:00 GMT");
        let before = Some("Fri, 31 Dec 1999 23:59:53 GMT");
        assert_eq!(wait(429, Some("7"), None), seconds(7));
        assert_eq!(wait(503, Some(" 0 "), before), seconds(0));
        assert_eq!(wait(429, Some("99999999999999999999"), None), seconds(u64::MAX));
        assert_eq!(wait(429, new_year, None), seconds(60), "by our clock");
        assert_eq!(wait(503, new_year, before), seconds(7), "by the target's");
        assert_eq!(wait(429, before, new_year), seconds(0), "it is past");
        assert_eq!(wait(429, new_year, Some("now")), seconds(60));
        assert_eq!(wait(429, Some("soon"), before), Some(USUAL_WAIT));
        assert_eq!(wait(429, Some("-1"), before), Some(USUAL_WAIT));
        assert_eq!(wait(429, None, before), Some(USUAL_WAIT));
        assert_eq!(wait(503, None, before), None);
        assert_eq!(wait(200, Some("7"), before), None);
    }
}

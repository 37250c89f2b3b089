//! The rate at which requests are sent.

use std::num::NonZeroU32;
use std::time::{Duration, Instant, SystemTime};

use httpdate::parse_http_date;
use tideover_endpoint::client::Incame;

/// The longest wait that a target may request. A longer one ends the run.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The wait if a target requests one without a length.
const USUAL_WAIT: Duration = Duration::from_secs(5);

/// Spaces requests in groups: the requests of a group may be in flight at once.
#[derive(Clone, Debug)]
pub(super) struct RequestPacer {
    /// The time between two groups.
    interval: Duration,
    group: u32,
    /// The time of the current group, and how many more requests fit in it.
    going: Option<(Instant, u32)>,
    /// The earliest time of the next group.
    next: Option<Instant>,
    /// Until when the target has asked to wait.
    paused: Option<Instant>,
}

impl RequestPacer {
    pub(super) fn new(per_second: Option<NonZeroU32>, at_once: NonZeroU32) -> RequestPacer {
        let group = at_once.get();
        let second = Duration::from_secs(1) * group;
        let interval = per_second.map_or(Duration::ZERO, |per_second| second / per_second.get());
        RequestPacer { interval, group, going: None, next: None, paused: None }
    }

    /// Reserves a place for the next request at `now`, and returns how long it must wait.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        let (at, left) = self.going.filter(|(_, left)| *left > 0).unwrap_or_else(|| {
            let at = self.next.map_or(now, |next| next.max(now));
            self.next = Some(at + self.interval);
            (at, self.group)
        });
        self.going = Some((at, left - 1));
        at.saturating_duration_since(now)
    }

    /// Delays all requests by a wait that the target requested.
    pub(super) fn pause(&mut self, now: Instant, wait: Duration) {
        let until = now + wait;
        self.going = None;
        self.next = Some(self.next.map_or(until, |next| next.max(until)));
        self.paused = Some(self.paused.map_or(until, |paused| paused.max(until)));
    }

    /// Whether the target has asked to wait at `now`.
    pub(super) fn is_paused(&self, now: Instant) -> bool {
        self.paused.is_some_and(|until| now < until)
    }
}

/// The wait that a response of `now` requests: a 429, or a 503 with a `Retry-After` header.
pub(super) fn asked_wait(answer: &Incame, now: SystemTime) -> Option<Duration> {
    match (answer.seen.status, answer.retry_after.as_deref()) {
        (429 | 503, Some(text)) => {
            // A date is compared with the target's own `Date` header, if there is one.
            Some(wait(text.trim(), answer.date.unwrap_or(now)))
        }
        (429, None) => Some(USUAL_WAIT),
        _ => None,
    }
}

/// The wait in a `Retry-After` header: seconds, or a date after `now`.
fn wait(text: &str, now: SystemTime) -> Duration {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match parse_http_date(text) {
        // A number that doesn't fit is too long anyway.
        _ if is_number => Duration::from_secs(text.parse().unwrap_or(u64::MAX)),
        Ok(until) => until.duration_since(now).unwrap_or_default(),
        Err(_) => USUAL_WAIT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tideover_exchange::Response;

    #[test]
    fn requests_are_spread_evenly_and_a_pause_delays_all() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut pace = RequestPacer::new(NonZeroU32::new(4), NonZeroU32::MIN);
        assert_eq!(pace.wait(at(0)), Duration::ZERO);
        assert_eq!(pace.wait(at(0)), Duration::from_millis(250));
        assert_eq!(pace.wait(at(300)), Duration::from_millis(200));
        assert_eq!(pace.wait(at(9000)), Duration::ZERO);
        pace.pause(at(9000), Duration::from_secs(7));
        assert_eq!(pace.wait(at(9100)), Duration::from_millis(6900));
        assert_eq!(
            [8999, 15_999, 16_000].map(|then| pace.is_paused(at(then))),
            [true, true, false]
        );
    }

    #[test]
    fn a_group_goes_at_once_within_the_rate() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let three = NonZeroU32::new(3).unwrap();
        let mut pace = RequestPacer::new(NonZeroU32::new(4), three);
        let waits: Vec<u128> = (0..7).map(|_| pace.wait(at(0)).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 750, 750, 750, 1500]);
        pace.pause(at(0), Duration::from_secs(5));
        assert_eq!(pace.wait(at(0)), Duration::from_secs(5), "the rest of a group waits as well");
    }

    #[test]
    fn only_429_and_503_with_a_time_request_a_wait() {
        let wait = |status, after: Option<&str>, date: Option<&str>| {
            let retry_after = after.map(str::to_owned);
            let date = date.and_then(|date| parse_http_date(date).ok());
            let now = parse_http_date("Fri, 31 Dec 1999 23:59:00 GMT").unwrap();
            asked_wait(&Incame { seen: Response::new(status, b""), retry_after, date }, now)
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

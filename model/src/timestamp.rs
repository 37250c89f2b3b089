//! Instants and spans of time. The model never reads a clock.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime, UtcDateTime, UtcOffset};

/// A span of whole seconds.
pub type Seconds = u64;

/// An instant, in UTC, as the document's `date-time` (RFC 3339).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(UtcDateTime);

impl Timestamp {
    /// The last representable instant: the clock never passes it.
    pub const MAX: Timestamp = Timestamp(UtcDateTime::new(
        time::Date::MAX,
        match time::Time::from_hms(23, 59, 59) {
            Ok(time) => time,
            Err(_) => panic!("a valid time of day"),
        },
    ));

    /// The instant that RFC 3339 `text` names. `None` if `text` isn't RFC 3339, or names an instant
    /// outside the years 0 to 9999.
    ///
    /// ```
    /// use tideover_model::Timestamp;
    /// let noon = Timestamp::parse("2026-01-01T14:00:00+02:00").unwrap();
    /// assert_eq!(noon.to_string(), "2026-01-01T12:00:00Z");
    /// assert!(Timestamp::parse("2026-01-01").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Timestamp> {
        // The parser also takes a space between date and time, which RFC 3339's grammar does not.
        if !matches!(text.as_bytes().get(10), Some(b'T' | b't')) {
            return None;
        }
        let local = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let utc = local.checked_to_offset(UtcOffset::UTC)?;
        let instant = UtcDateTime::new(utc.date(), utc.time());
        (0..=9999).contains(&instant.year()).then_some(Timestamp(instant))
    }

    /// The instant `seconds` after the start of 1970. `None` outside the years 0 to 9999.
    pub fn from_unix(seconds: i64) -> Option<Timestamp> {
        let instant = UtcDateTime::from_unix_timestamp(seconds).ok()?;
        (0..=9999).contains(&instant.year()).then_some(Timestamp(instant))
    }

    /// Whole seconds since the start of 1970.
    pub fn unix(self) -> i64 {
        self.0.unix_timestamp()
    }

    /// Whole seconds since the start of 1970, as in a signature; 0 for earlier instants.
    pub fn unix_unsigned(self) -> u64 {
        u64::try_from(self.unix()).unwrap_or(0)
    }

    /// This instant moved by `seconds`, at most to [`Timestamp::MAX`].
    pub fn after(self, seconds: Seconds) -> Timestamp {
        self.moved(Duration::seconds(i64::try_from(seconds).unwrap_or(i64::MAX)))
    }

    /// This instant moved by `milliseconds`, at most to [`Timestamp::MAX`].
    pub fn after_milliseconds(self, milliseconds: u64) -> Timestamp {
        self.moved(Duration::milliseconds(i64::try_from(milliseconds).unwrap_or(i64::MAX)))
    }

    /// This instant moved by `microseconds`, at most to [`Timestamp::MAX`].
    pub fn after_microseconds(self, microseconds: u64) -> Timestamp {
        self.moved(Duration::microseconds(i64::try_from(microseconds).unwrap_or(i64::MAX)))
    }

    fn moved(self, span: Duration) -> Timestamp {
        let moved = self.0.checked_add(span);
        moved.map_or(Timestamp::MAX, |moved| Timestamp(moved).min(Timestamp::MAX))
    }

    /// This instant moved back by `milliseconds`; unchanged if the result is out of range.
    pub fn before_milliseconds(self, milliseconds: u64) -> Timestamp {
        let span = Duration::milliseconds(i64::try_from(milliseconds).unwrap_or(i64::MAX));
        let instant = self.0.checked_sub(span).filter(|instant| instant.year() >= 0);
        instant.map_or(self, Timestamp)
    }

    /// Whole days from this instant to `later`, rounded down; 0 if `later` is not later.
    pub fn whole_days_until(self, later: Timestamp) -> u64 {
        u64::try_from((later.0 - self.0).whole_days()).unwrap_or(0)
    }

    /// Days from this instant to `later`, rounded up; 0 if `later` is not later.
    pub fn begun_days_until(self, later: Timestamp) -> u64 {
        let whole = self.whole_days_until(later);
        let span = later.0 - self.0;
        whole + u64::from(span > Duration::days(span.whole_days().max(0)))
    }

    /// Microseconds from this instant to `later`, rounded down; 0 if `later` is not later.
    pub fn microseconds_until(self, later: Timestamp) -> u64 {
        u64::try_from((later.0 - self.0).whole_microseconds()).unwrap_or(0)
    }

    /// Milliseconds from this instant to `later`, rounded up; 0 if `later` is not later.
    pub fn milliseconds_until(self, later: Timestamp) -> u64 {
        let nanoseconds = (later.0 - self.0).whole_nanoseconds();
        u64::try_from(nanoseconds).unwrap_or(0).div_ceil(1_000_000)
    }

    /// Whole seconds from this instant to `later`, rounded down; 0 if `later` is not later.
    pub fn whole_seconds_until(self, later: Timestamp) -> Seconds {
        u64::try_from((later.0 - self.0).whole_seconds()).unwrap_or(0)
    }
}

/// A move of the clock: what was `from` becomes `to`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
}

impl Shift {
    /// The instant, as far from `to` as it was from `from`.
    pub(crate) fn exactly(self, instant: Timestamp) -> Timestamp {
        self.to.moved(instant.0 - self.from.0)
    }

    /// The same for an instant that is only compared with later ones: all past instants become `to`.
    pub(crate) fn ahead(self, instant: Timestamp) -> Timestamp {
        self.exactly(instant.max(self.from))
    }
}

/// The length of `9999-12-31T23:59:59.999999999Z` in bytes.
const LONGEST: usize = 30;

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; LONGEST];
        let mut rest = &mut text[..];
        self.0.format_into(&mut rest, &Rfc3339).map_err(|_| fmt::Error)?;
        let written = LONGEST - rest.len();
        f.write_str(std::str::from_utf8(&text[..written]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        struct DateTime;
        impl de::Visitor<'_> for DateTime {
            type Value = Timestamp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date-time (RFC 3339), such as \"2026-01-31T00:00:00Z\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                Timestamp::parse(text)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(DateTime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_moves_both_ways_within_its_years() {
        let at = |text| Timestamp::parse(text).unwrap();
        let noon = at("2026-01-01T12:00:00.250Z");
        assert_eq!(noon.before_milliseconds(251), at("2026-01-01T11:59:59.999Z"));
        assert_eq!(noon.before_milliseconds(251).after_milliseconds(251), noon);
        assert_eq!(noon.before_milliseconds(u64::MAX), noon);
    }

    #[test]
    fn only_rfc_3339_is_a_date_time() {
        for text in [
            "2026-01-01T00:00:00Z",
            "2026-01-01t00:00:00z",
            "2026-01-01T00:00:00.123456789+05:30",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
        ] {
            assert!(Timestamp::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "2026-01-01",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-02-30T00:00:00Z",
            "9999-12-31T23:59:59-01:00",
            "0000-01-01T00:00:00+01:00",
            "20260101T000000Z",
        ] {
            assert!(Timestamp::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn formatting_keeps_every_nanosecond() {
        for text in [
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.5Z",
            "2026-01-01T00:00:00.025Z",
            "9999-12-31T23:59:59.999999999Z",
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn the_clock_stops_at_the_last_instant() {
        assert_eq!(Timestamp::MAX.after(1), Timestamp::MAX);
        assert_eq!(Timestamp::MAX.after(u64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn days_are_whole_and_never_negative() {
        let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
        assert_eq!(start.whole_days_until(start.after(86_399)), 0);
        assert_eq!(start.whole_days_until(start.after(86_400)), 1);
        assert_eq!(start.after(86_400).whole_days_until(start), 0);
        assert_eq!(start.begun_days_until(start.after(86_400)), 1);
        assert_eq!(start.begun_days_until(start.after(86_401)), 2);
        assert_eq!(start.after(86_400).begun_days_until(start), 0);
    }
}

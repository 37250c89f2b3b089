//! Numbers and times, as people read them.

use std::time::Duration;

use tideover_model::Timestamp;

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|part| std::str::from_utf8(part).ok())
        .collect();
    parts.join(",")
}

/// Microseconds as milliseconds, with one decimal.
pub(super) fn milliseconds(micros: u64) -> String {
    format!("{}.{}", micros / 1000, micros % 1000 / 100)
}

/// `1 step`, `20,047 steps`
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// `2026-11-25 02:37 UTC`
pub(super) fn when(instant: Timestamp) -> String {
    let text = instant.to_string();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {} UTC", time.get(..5).unwrap_or(time))
}

/// `1.2 s`, or `3 min 20 s`
pub(super) fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 60.. => format!("{} min {} s", grouped(seconds / 60), seconds % 60),
        seconds => format!("{seconds}.{} s", duration.subsec_millis() / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let of = |milliseconds| duration(Duration::from_millis(milliseconds));
        assert_eq!(of(1234), "1.2 s");
        assert_eq!(of(200_000), "3 min 20 s");
        let instant = Timestamp::parse("2026-11-25T02:37:45.416Z").unwrap();
        assert_eq!(when(instant), "2026-11-25 02:37 UTC");
    }
}

//! When a world starts, and dates in steps that count from it.

use tideover_model::Timestamp;

/// The default start of a world.
pub const START: &str = "2026-01-01T00:00:00Z";

/// The same as an instant.
pub fn start() -> Timestamp {
    Timestamp::parse(START).expect("a date-time")
}

/// The name of the target's clock at the first step, in references.
const NAME: &str = "start";

/// Seconds.
pub const DAY: i64 = 86_400;

/// A reference to the instant so many seconds after the start: `${start+30d}`, or `${start-1s}` if it is not a whole
/// number of days.
pub fn from_start(seconds: i64) -> String {
    match seconds % DAY {
        0 => format!("${{{NAME}{:+}d}}", seconds / DAY),
        _ => format!("${{{NAME}{seconds:+}s}}"),
    }
}

/// How many seconds after the start the instant is that a reference, without its braces, names.
pub fn seconds_from_start(reference: &str) -> Option<i64> {
    let offset = reference.strip_prefix(NAME).filter(|it| it.starts_with(['+', '-']))?;
    let (number, unit) = match offset.strip_suffix('d') {
        Some(days) => (days, DAY),
        None => (offset.strip_suffix('s')?, 1),
    };
    number.parse::<i64>().ok()?.checked_mul(unit)
}

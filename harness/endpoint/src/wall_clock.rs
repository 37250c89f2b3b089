//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

use tideover_model::Timestamp;

/// What time it is, to the millisecond.
pub fn wall_time() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX);
    let second = Timestamp::from_unix(seconds).unwrap_or(Timestamp::MAX);
    second.after_milliseconds(since_1970.subsec_millis().into())
}

//! The clock of a world. Only this module reads the system's clocks; clippy holds that.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tideover_model::{ImpossibleState, Timestamp};

/// Whether the time of a world passes by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockChoice {
    /// Time stands still until something moves the clock.
    #[default]
    Still,
    /// Time runs `speed` times as fast as the wall clock, and the clock can also be moved forward.
    Running {
        /// Virtual seconds per second.
        speed: u32,
    },
}

impl ClockChoice {
    /// The speeds that a user can choose. Virtual seconds per second.
    pub const SPEEDS: RangeInclusive<u32> = 1..=1_000_000;
}

/// The clock of a world. It never goes back, and stops at [`Timestamp::MAX`].
#[derive(Clone, Debug)]
pub struct Clock {
    start: Timestamp,
    /// Its time when it was last set.
    set_to: Timestamp,
    mode: ClockMode,
    /// Whether a move is in progress: between its steps the clock stands still.
    held: bool,
}

/// A clock in a snapshot.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedClock {
    start: Timestamp,
    now: Timestamp,
    /// Virtual seconds per second, if it runs.
    speed: Option<u32>,
}

impl SavedClock {
    /// The same clock, when it showed another time.
    pub(crate) fn at(self, now: Timestamp) -> SavedClock {
        SavedClock { now, ..self }
    }

    pub(crate) fn now(self) -> Timestamp {
        self.now
    }
}

#[derive(Clone, Debug)]
enum ClockMode {
    Still,
    Running { since: Instant, speed: u32 },
}

impl Clock {
    /// A clock whose current time is `start`.
    pub fn new(start: Timestamp, choice: ClockChoice) -> Clock {
        let mode = match choice {
            ClockChoice::Still => ClockMode::Still,
            ClockChoice::Running { speed } => ClockMode::Running { since: instant(), speed },
        };
        Clock { start, set_to: start, mode, held: false }
    }

    /// Its state, for a snapshot.
    pub(crate) fn saved(&self) -> SavedClock {
        SavedClock { start: self.start, now: self.now(), speed: self.speed() }
    }

    /// A clock that goes on where a saved one stood, however long ago that was.
    pub(crate) fn restored(saved: SavedClock) -> Result<Clock, ImpossibleState> {
        let SavedClock { start, now, speed } = saved;
        if now < start {
            return Err(ImpossibleState::new("its clock stands before its start"));
        }
        if let Some(speed) = speed.filter(|speed| !ClockChoice::SPEEDS.contains(speed)) {
            let what = format!("its clock runs {speed} times as fast as the wall clock");
            return Err(ImpossibleState::new(what));
        }
        let choice = speed.map_or(ClockChoice::Still, |speed| ClockChoice::Running { speed });
        Ok(Clock { set_to: now, ..Clock::new(start, choice) })
    }

    /// Virtual seconds per second; `None` if it stands still.
    pub(crate) fn speed(&self) -> Option<u32> {
        match self.mode {
            ClockMode::Still => None,
            ClockMode::Running { speed, .. } => Some(speed),
        }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        match self.mode {
            ClockMode::Running { since, speed } if !self.held => {
                self.set_to.after_milliseconds(scaled(self::since(since), speed))
            }
            ClockMode::Still | ClockMode::Running { .. } => self.set_to,
        }
    }

    /// The real time until the clock reaches `due` by itself; `None` if it stands still.
    pub(crate) fn until(&self, due: Timestamp) -> Option<Duration> {
        match self.mode {
            ClockMode::Running { speed, .. } if !self.held && speed > 0 => {
                let virtually = self.now().milliseconds_until(due);
                Some(Duration::from_millis(virtually.div_ceil(u64::from(speed))))
            }
            ClockMode::Still | ClockMode::Running { .. } => None,
        }
    }

    /// Stops it for the duration of a move.
    pub(crate) fn hold(&mut self) {
        self.set_to = self.now();
        self.held = true;
    }

    /// Sets it forward to `time` during a move.
    pub(crate) fn set(&mut self, time: Timestamp) {
        self.set_to = self.set_to.max(time);
    }

    /// Lets it continue after a move.
    pub(crate) fn release(&mut self) {
        self.held = false;
        if let ClockMode::Running { since, speed: _ } = &mut self.mode {
            *since = instant();
        }
    }

    /// Sets it back to its start.
    pub(crate) fn reset(&mut self) {
        self.set_to = self.start;
        if let ClockMode::Running { since, speed: _ } = &mut self.mode {
            *since = instant();
        }
    }
}

/// The virtual milliseconds that pass at `speed` during the real time `elapsed`.
fn scaled(elapsed: Duration, speed: u32) -> u64 {
    u64::try_from(elapsed.as_millis().saturating_mul(u128::from(speed))).unwrap_or(u64::MAX)
}

/// The current instant, to measure real durations.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// The real time since an instant.
pub(crate) fn since(start: Instant) -> Duration {
    instant().saturating_duration_since(start)
}

/// The wall time in milliseconds since the start of 1970: when a request really came.
pub(crate) fn wall_milliseconds() -> u64 {
    u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX)
}

/// The wall time in whole seconds: where the clock of `tideover serve` starts.
pub fn wall_time() -> Timestamp {
    let seconds = i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_unix(seconds).unwrap_or(Timestamp::MAX)
}

#[expect(clippy::disallowed_methods, reason = "the one place")]
fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Timestamp {
        Timestamp::parse("2026-01-01T00:00:00Z").unwrap()
    }

    #[test]
    fn a_still_clock_stands_until_it_is_moved() {
        let mut clock = Clock::new(start(), ClockChoice::Still);
        assert_eq!(clock.now(), start());
        clock.hold();
        clock.set(start().after(90));
        clock.release();
        assert_eq!((clock.now(), clock.until(Timestamp::MAX)), (start().after(90), None));
        clock.reset();
        assert_eq!(clock.now(), start());
    }

    #[test]
    fn a_running_clock_can_be_moved_and_never_goes_back() {
        let mut clock = Clock::new(start(), ClockChoice::Running { speed: 1 });
        let mut last = clock.now();
        for _ in 0..100 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
        clock.hold();
        let held = clock.now();
        assert_eq!((held, clock.until(Timestamp::MAX)), (clock.now(), None));
        clock.set(start());
        assert_eq!(clock.now(), held, "never back");
        clock.set(start().after(3600));
        clock.release();
        assert!(clock.now() >= start().after(3600));
        assert!(clock.until(start().after(7200)) <= Some(Duration::from_secs(3600)));
    }

    #[test]
    fn speed_multiplies_elapsed_time() {
        assert_eq!(scaled(Duration::from_millis(1500), 1), 1500);
        assert_eq!(scaled(Duration::from_millis(1500), 60), 90_000);
        assert_eq!(scaled(Duration::from_millis(1500), 0), 0);
        assert_eq!(scaled(Duration::MAX, u32::MAX), u64::MAX);
    }

    #[test]
    fn no_move_passes_the_last_instant() {
        for choice in [ClockChoice::Still, ClockChoice::Running { speed: u32::MAX }] {
            let mut clock = Clock::new(start(), choice);
            for _ in 0..2 {
                clock.hold();
                clock.set(clock.now().after(u64::MAX));
                clock.release();
            }
            assert_eq!(clock.now(), Timestamp::MAX);
        }
    }

    #[test]
    fn the_wall_time_is_plausible() {
        assert!(wall_time() > start());
    }
}

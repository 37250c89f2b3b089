//! Two things measured in turns, so that whatever else the machine does falls on both alike.

#![expect(clippy::float_arithmetic, reason = "nanoseconds, not money")]

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// Requests at a turn.
const TURN: u64 = 1000;

/// Something that answers requests.
pub trait Side {
    /// Lets it answer so many requests.
    fn play(&mut self, requests: u64) -> Took;
}

/// What requests took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Took {
    /// From the first request to the last answer.
    pub wall: Duration,
    /// The time that the server's thread was running, where the system shows it.
    pub cpu: Option<Duration>,
}

/// A turn of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Requests that each answered.
    pub requests: u64,
    /// What the mock took.
    pub mock: Took,
    /// What the echo took.
    pub echo: Took,
}

/// All turns of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// What was measured.
    pub name: String,
    /// In the order in which they were taken.
    pub turns: Vec<Turn>,
}

/// A mock and an echo, side by side.
#[derive(Debug)]
pub struct Interleaved<M, E> {
    mock: M,
    echo: E,
    turns: Vec<Turn>,
}

impl<M: Side, E: Side> Interleaved<M, E> {
    /// Nothing is measured yet.
    pub fn new(mock: M, echo: E) -> Interleaved<M, E> {
        Interleaved { mock, echo, turns: Vec::new() }
    }

    /// Lets both answer so many requests; says what that took the mock and the echo.
    pub fn play(&mut self, requests: u64) -> (Duration, Duration) {
        let mut wall = (Duration::ZERO, Duration::ZERO);
        let mut left = requests;
        while left > 0 {
            let requests = left.min(TURN);
            left -= requests;
            let turn = self.turn(requests);
            wall.0 += turn.mock.wall;
            wall.1 += turn.echo.wall;
            // A turn of a few requests measures the clock more than the requests.
            if requests == TURN {
                self.turns.push(turn);
            }
        }
        wall
    }

    fn turn(&mut self, requests: u64) -> Turn {
        // Neither always comes after the other.
        if self.turns.len().is_multiple_of(2) {
            let mock = self.mock.play(requests);
            Turn { requests, mock, echo: self.echo.play(requests) }
        } else {
            let echo = self.echo.play(requests);
            Turn { requests, mock: self.mock.play(requests), echo }
        }
    }

    /// What was measured.
    pub fn into_turns(self, name: &str) -> Turns {
        Turns { name: name.to_owned(), turns: self.turns }
    }
}

impl Turns {
    /// The directory of a benchmark's turns, in the directory of all results.
    pub const DIRECTORY: &str = "turns";

    /// Keeps the turns for whoever asks for the ratios. Without any, as after a trial, what was kept
    /// before stays.
    ///
    /// # Errors
    /// What the system says of the file.
    pub fn save(&self, home: &Path) -> io::Result<()> {
        if self.turns.is_empty() {
            return Ok(());
        }
        let directory = home.join(Turns::DIRECTORY);
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(format!("{}.json", self.name)), serde_json::to_vec(self)?)
    }

    /// How many requests the mock answers for each that the echo answers in the same time: the median of
    /// all turns. `None` if there are none.
    pub fn throughput_ratio(&self) -> Option<f64> {
        median(self.turns.iter().map(|turn| ratio(turn.echo.wall, turn.mock.wall)).collect())
    }

    /// The same for the time that the servers' threads were running.
    pub fn cpu_ratio(&self) -> Option<f64> {
        let ratios =
            self.turns.iter().filter_map(|turn| Some(ratio(turn.echo.cpu?, turn.mock.cpu?)));
        median(ratios.filter(|ratio| ratio.is_finite()).collect())
    }
}

fn ratio(numerator: Duration, denominator: Duration) -> f64 {
    numerator.as_secs_f64() / denominator.as_secs_f64()
}

/// The middle one; none of none.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Constant(u64);

    impl Side for Constant {
        fn play(&mut self, requests: u64) -> Took {
            let wall = Duration::from_nanos(self.0 * requests);
            Took { wall, cpu: Some(wall / 2) }
        }
    }

    #[test]
    fn a_slower_mock_answers_fewer_requests() {
        let mut pair = Interleaved::new(Constant(200), Constant(100));
        let (mock, echo) = pair.play(2500);
        assert_eq!((mock.as_nanos(), echo.as_nanos()), (500_000, 250_000));
        let turns = pair.into_turns("constant");
        assert_eq!(turns.turns.len(), 2);
        assert_eq!((turns.throughput_ratio(), turns.cpu_ratio()), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn nothing_measured_has_no_ratio() {
        let turns = Turns { name: "none".into(), turns: Vec::new() };
        assert_eq!((turns.throughput_ratio(), turns.cpu_ratio()), (None, None));
    }
}

//! Two sides measured in turns, so that other load on the machine affects both equally.

#![expect(clippy::float_arithmetic, reason = "nanoseconds, not money")]

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use serde::{Deserialize, Serialize};

/// Requests per turn.
const TURN: u64 = 1000;

/// One side of a measurement, which answers requests.
pub trait Side {
    /// Lets it answer `requests` requests.
    fn play(&mut self, requests: u64) -> Took;
}

/// The times that requests took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Took {
    /// From the first request to the last response.
    pub wall: Duration,
    /// The processor time of the server's thread, if the system provides it.
    pub cpu: Option<Duration>,
}

/// A turn of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The number of requests that each side answered.
    pub requests: u64,
    /// The mock's times.
    pub mock: Took,
    /// The echo's times.
    pub echo: Took,
}

/// All turns of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// The name of the benchmark.
    pub name: String,
    /// The turns, in order.
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
    /// An empty measurement.
    pub fn new(mock: M, echo: E) -> Interleaved<M, E> {
        Interleaved { mock, echo, turns: Vec::new() }
    }

    /// Lets both answer `requests` requests; returns the times of the mock and of the echo.
    pub fn play(&mut self, requests: u64) -> (Duration, Duration) {
        let mut wall = (Duration::ZERO, Duration::ZERO);
        let mut left = requests;
        while left > 0 {
            let requests = left.min(TURN);
            left -= requests;
            let turn = self.turn(requests);
            wall.0 += turn.mock.wall;
            wall.1 += turn.echo.wall;
            // A turn of few requests measures the clock more than the requests.
            if requests == TURN {
                self.turns.push(turn);
            }
        }
        wall
    }

    fn turn(&mut self, requests: u64) -> Turn {
        // The order alternates.
        if self.turns.len().is_multiple_of(2) {
            let mock = self.mock.play(requests);
            Turn { requests, mock, echo: self.echo.play(requests) }
        } else {
            let echo = self.echo.play(requests);
            Turn { requests, mock: self.mock.play(requests), echo }
        }
    }

    /// The measured turns.
    pub fn into_turns(self, name: &str) -> Turns {
        Turns { name: name.to_owned(), turns: self.turns }
    }
}

impl Turns {
    /// The directory of a benchmark's turns, in the directory of all results.
    pub const DIRECTORY: &str = "turns";

    /// Saves the turns for the ratios. Without any, as after a trial, the earlier file stays.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn save(&self, home: &Path) -> io::Result<()> {
        if self.turns.is_empty() {
            return Ok(());
        }
        let directory = home.join(Turns::DIRECTORY);
        fs::create_dir_all(&directory)?;
        fs::write(directory.join(format!("{}.json", self.name)), serde_json::to_vec(self)?)
    }

    /// The mock's throughput divided by the echo's: the median of all turns. `None` if there are none.
    pub fn throughput_ratio(&self) -> Option<f64> {
        median(self.turns.iter().map(|turn| ratio(turn.echo.wall, turn.mock.wall)).collect())
    }

    /// The same by the processor time of the servers' threads.
    pub fn cpu_ratio(&self) -> Option<f64> {
        let ratios =
            self.turns.iter().filter_map(|turn| Some(ratio(turn.echo.cpu?, turn.mock.cpu?)));
        median(ratios.filter(|ratio| ratio.is_finite()).collect())
    }
}

fn ratio(numerator: Duration, denominator: Duration) -> f64 {
    numerator.as_secs_f64() / denominator.as_secs_f64()
}

/// The median; `None` without values.
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
    fn an_empty_measurement_has_no_ratio() {
        let turns = Turns { name: "none".into(), turns: Vec::new() };
        assert_eq!((turns.throughput_ratio(), turns.cpu_ratio()), (None, None));
    }
}

//! Several functions measured in rounds, with a short turn of each in every round, so that other load on the
//! machine affects all equally: comparisons are between times of the same round.

#![expect(clippy::float_arithmetic, reason = "nanoseconds, not money")]

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::interleaved::median;
use crate::is_trial;

/// The duration of a turn, unless a single call takes longer: shorter than a scheduler's time slice.
const TURN: Duration = Duration::from_micros(100);
const ROUNDS: usize = 400;

/// The entries of a race, before it runs.
pub struct Entries<'a> {
    entries: Vec<Entry<'a>>,
    rounds: usize,
}

struct Entry<'a> {
    name: &'static str,
    /// Calls the function a number of times, and returns the time that took.
    play: Box<dyn FnMut(u64) -> Duration + 'a>,
    /// The number of calls per turn.
    calls: u64,
}

/// The results of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// The name of the task.
    pub name: String,
    /// The number of bytes, or of repetitions per call.
    pub size: u64,
    /// The results of each entry.
    pub lanes: Vec<Lane>,
}

/// The results of one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The name of the entry.
    pub name: String,
    /// Nanoseconds per call, in each round.
    pub rounds: Vec<f64>,
}

impl<'a> Entries<'a> {
    /// No entries yet.
    pub fn new() -> Entries<'a> {
        Entries::in_rounds(ROUNDS)
    }

    /// No entries yet, with a number of rounds: slow calls allow only few.
    pub fn in_rounds(rounds: usize) -> Entries<'a> {
        Entries { entries: Vec::new(), rounds }
    }

    /// Adds an entry that does the task once per call.
    pub fn add<T>(&mut self, name: &'static str, mut call: impl FnMut() -> T + 'a) {
        let play = move |calls| {
            let began = Instant::now();
            for _ in 0..calls {
                std::hint::black_box(call());
            }
            began.elapsed()
        };
        self.entries.push(Entry { name, play: Box::new(play), calls: 1 });
    }

    /// Adds an entry that does the task once per call, and measures its own time.
    pub fn add_timed(&mut self, name: &'static str, mut call: impl FnMut() -> Duration + 'a) {
        let play = move |calls| (0..calls).map(|_| call()).sum();
        self.entries.push(Entry { name, play: Box::new(play), calls: 1 });
    }

    /// Runs all entries.
    pub fn run(mut self, name: &str, size: u64) -> Race {
        let rounds = if is_trial() { 1 } else { self.rounds };
        let lane = |entry: &Entry| Lane { name: entry.name.to_owned(), rounds: Vec::new() };
        let mut lanes: Vec<Lane> = self.entries.iter().map(lane).collect();
        self.entries.iter_mut().for_each(Entry::warm_up);
        for round in 0..rounds {
            // The order changes from round to round.
            for place in 0..lanes.len() {
                let at = (round + place) % lanes.len();
                lanes[at].rounds.push(self.entries[at].turn());
            }
        }
        Race { name: name.to_owned(), size, lanes }
    }
}

impl Default for Entries<'_> {
    fn default() -> Self {
        Entries::new()
    }
}

impl Entry<'_> {
    /// Determines the number of calls per turn.
    fn warm_up(&mut self) {
        while !is_trial() && self.took() < TURN {
            self.calls *= 2;
        }
    }

    fn took(&mut self) -> Duration {
        (self.play)(self.calls)
    }

    /// Nanoseconds per call.
    #[expect(clippy::cast_precision_loss, reason = "few calls")]
    fn turn(&mut self) -> f64 {
        self.took().as_secs_f64() * 1e9 / self.calls as f64
    }
}

impl Race {
    /// The directory of the races, in the directory of all results.
    pub const DIRECTORY: &str = "races";

    /// Saves the race for the ratios. After a trial, the earlier file stays.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn save(&self, home: &Path) -> io::Result<()> {
        if is_trial() {
            return Ok(());
        }
        let directory = home.join(Race::DIRECTORY);
        fs::create_dir_all(&directory)?;
        let file = format!("{} {}.json", self.name, self.size);
        fs::write(directory.join(file), serde_json::to_vec(self)?)
    }

    /// The lane with this name.
    pub fn lane(&self, name: &str) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.name == name)
    }
}

impl Lane {
    /// Nanoseconds per call: the median of all rounds.
    pub fn median(&self) -> Option<f64> {
        median(self.rounds.clone())
    }

    /// Its time divided by that of `other`: the median of the ratios in the same round.
    pub fn ratio(&self, other: &Lane) -> Option<f64> {
        median(self.rounds.iter().zip(&other.rounds).map(|(ours, other)| ours / other).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_compared_one_by_one() {
        let lane = |rounds: &[f64]| Lane { name: "x".into(), rounds: rounds.to_vec() };
        // The machine was busy in the second round, for both.
        let (slow, fast) = (lane(&[20.0, 90.0, 22.0]), lane(&[10.0, 45.0, 11.0]));
        assert_eq!((slow.median(), slow.ratio(&fast)), (Some(22.0), Some(2.0)));
        assert_eq!(lane(&[]).ratio(&fast), None);
    }

    #[test]
    fn every_entry_is_called() {
        let calls = std::cell::Cell::new((0, 0));
        let mut entries = Entries::new();
        entries.add("one", || calls.update(|(one, two)| (one + 1, two)));
        entries.add("two", || calls.update(|(one, two)| (one, two + 1)));
        let race = entries.run("called", 7);
        assert_eq!(calls.get(), (1, 1));
        assert_eq!((race.size, race.lanes.len()), (7, 2));
        assert!(race.lane("two").is_some_and(|lane| lane.rounds.len() == 1));
    }
}

//! Several things measured in rounds, a short turn of each in every round, so that whatever else the machine
//! does falls on all alike: what is compared is what they took in the same round.

#![expect(clippy::float_arithmetic, reason = "nanoseconds, not money")]

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::interleaved::median;
use crate::is_trial;

/// How long a turn takes, unless a single call takes longer: shorter than what a scheduler gives.
const TURN: Duration = Duration::from_micros(100);
const ROUNDS: usize = 400;

/// A race before it is run.
pub struct Entries<'a> {
    entries: Vec<Entry<'a>>,
    rounds: usize,
}

struct Entry<'a> {
    name: &'static str,
    /// Calls it so often, and says how long that took.
    play: Box<dyn FnMut(u64) -> Duration + 'a>,
    /// How often it is called in a turn.
    calls: u64,
}

/// What a race has shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// What was done.
    pub name: String,
    /// How many bytes it was done with, or how often at a call.
    pub size: u64,
    /// Who did it.
    pub lanes: Vec<Lane>,
}

/// What one of them took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Who it was.
    pub name: String,
    /// Nanoseconds to a call, in each round.
    pub rounds: Vec<f64>,
}

impl<'a> Entries<'a> {
    /// Nobody yet.
    pub fn new() -> Entries<'a> {
        Entries::in_rounds(ROUNDS)
    }

    /// Nobody yet, for so many rounds: of calls that take long there cannot be many.
    pub fn in_rounds(rounds: usize) -> Entries<'a> {
        Entries { entries: Vec::new(), rounds }
    }

    /// Adds one that does it once when called.
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

    /// Adds one that does it once when called, and says itself how long that took.
    pub fn add_timed(&mut self, name: &'static str, mut call: impl FnMut() -> Duration + 'a) {
        let play = move |calls| (0..calls).map(|_| call()).sum();
        self.entries.push(Entry { name, play: Box::new(play), calls: 1 });
    }

    /// Runs them all.
    pub fn run(mut self, name: &str, size: u64) -> Race {
        let rounds = if is_trial() { 1 } else { self.rounds };
        let lane = |entry: &Entry| Lane { name: entry.name.to_owned(), rounds: Vec::new() };
        let mut lanes: Vec<Lane> = self.entries.iter().map(lane).collect();
        self.entries.iter_mut().for_each(Entry::warm_up);
        for round in 0..rounds {
            // Nobody always comes after the same one.
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
    /// Finds out how many calls make a turn.
    fn warm_up(&mut self) {
        while !is_trial() && self.took() < TURN {
            self.calls *= 2;
        }
    }

    fn took(&mut self) -> Duration {
        (self.play)(self.calls)
    }

    /// Nanoseconds to a call.
    #[expect(clippy::cast_precision_loss, reason = "few calls")]
    fn turn(&mut self) -> f64 {
        self.took().as_secs_f64() * 1e9 / self.calls as f64
    }
}

impl Race {
    /// The directory of the races, in the directory of all results.
    pub const DIRECTORY: &str = "races";

    /// Keeps it for whoever asks for the ratios. After a trial, what was kept before stays.
    ///
    /// # Errors
    /// What the system says of the file.
    pub fn save(&self, home: &Path) -> io::Result<()> {
        if is_trial() {
            return Ok(());
        }
        let directory = home.join(Race::DIRECTORY);
        fs::create_dir_all(&directory)?;
        let file = format!("{} {}.json", self.name, self.size);
        fs::write(directory.join(file), serde_json::to_vec(self)?)
    }

    /// The lane of this name.
    pub fn lane(&self, name: &str) -> Option<&Lane> {
        self.lanes.iter().find(|lane| lane.name == name)
    }
}

impl Lane {
    /// Nanoseconds to a call: the median of all rounds.
    pub fn median(&self) -> Option<f64> {
        median(self.rounds.clone())
    }

    /// How many times as long as `other` it takes: the median of what both took in the same round.
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
    fn everyone_is_called() {
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

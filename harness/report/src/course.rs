//! What a run did, in words.

use std::time::Duration;

use tideover_exchange::evidence::Ending;

use crate::document::{RacesReport, Report, State, TimeReport};
use crate::figures::{counted, duration};

/// The least time that is shown, in milliseconds.
const NOTICEABLE: u64 = 100;

impl Report {
    /// The steps and the cases, or the races.
    pub fn played(&self) -> String {
        let (steps, cases) = (counted(self.steps, "step"), counted(self.cases, "case"));
        match &self.races {
            Some(races) if races.races >= self.cases => {
                let RacesReport { clients, .. } = races;
                let (requests, races) =
                    (counted(self.steps, "request"), counted(self.cases, "race"));
                format!("{requests} in {races} of {}", counted(*clients, "client"))
            }
            Some(races) => {
                let RacesReport { races: number, clients, .. } = races;
                let (races, clients) = (counted(*number, "race"), counted(*clients, "client"));
                format!("{steps} in {cases}, {races} of {clients} among them")
            }
            None => format!("{steps} in {cases}"),
        }
    }

    pub fn ended(&self) -> &'static str {
        match self.ending {
            Ending::Interrupted => "a signal interrupted it",
            Ending::Spent => "its budget was spent",
            Ending::GivenUp => "it gave the target up",
            Ending::EnoughFound => "it had found enough",
            Ending::Complete => "every case was played",
        }
    }

    pub fn took(&self) -> String {
        duration(Duration::from_millis(self.milliseconds))
    }

    /// What the time was spent on, as far as that is known and noticeable.
    pub fn spent(&self) -> Vec<String> {
        let noticeable = self.time.iter().filter(|part| part.milliseconds >= NOTICEABLE);
        let parts = noticeable.map(|TimeReport { activity, milliseconds, .. }| {
            format!("{activity} {}", duration(Duration::from_millis(*milliseconds)))
        });
        let known: u64 = self.time.iter().map(|part| part.milliseconds).sum();
        let rest = self.milliseconds.saturating_sub(known);
        let is_noticed = !self.time.is_empty() && rest >= NOTICEABLE;
        let rest = is_noticed
            .then(|| format!("everything else {}", duration(Duration::from_millis(rest))));
        let parts = parts.chain(rest);
        let at_once = (self.workers > 1).then(|| format!("{} cases at once", self.workers));
        parts.chain(at_once).collect()
    }

    /// How many of the interesting states were reached.
    pub fn reached(&self) -> String {
        let states = || self.states.iter().flat_map(|group| &group.states);
        let is_reached = |state: &&State| state.times > 0;
        format!("{} of {} states reached", states().filter(is_reached).count(), states().count())
    }
}

//! What a run did, in words.

use std::time::Duration;

use tideover_model::Timestamp;

use crate::evidence::Ending;
use crate::report::document::{RacesReport, Report, State};
use crate::report::terminal::grouped;

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

    /// How the run ended.
    pub fn ended(&self) -> &'static str {
        match self.ending {
            Ending::Interrupted => "a signal interrupted it",
            Ending::Spent => "its budget was spent",
            Ending::GivenUp => "it gave the target up",
            Ending::EnoughFound => "it had found enough",
            Ending::Complete => "every case was played",
        }
    }

    /// The duration.
    pub fn took(&self) -> String {
        duration(Duration::from_millis(self.milliseconds))
    }

    /// How many of the interesting states were reached.
    pub fn reached(&self) -> String {
        let states = || self.states.iter().flat_map(|group| &group.states);
        let is_reached = |state: &&State| state.times > 0;
        format!("{} of {} states reached", states().filter(is_reached).count(), states().count())
    }
}

/// `1 step`, `20,047 steps`
pub(super) fn counted(number: u64, noun: &str) -> String {
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

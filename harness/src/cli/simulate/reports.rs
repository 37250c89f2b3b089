//! The reports of `tideover simulate`.

use std::time::Instant;

use tideover_endpoint::wall_time;
use tideover_report::results::Results;
use tideover_report::{Reported, Unrendered};
use tideover_simulate::simulation::campaign::Found;
use tideover_simulate::simulation::results::Worlds;

use crate::cli::simulate::{Simulate, SizeOptions};
use crate::cli::{Outcome, Output, Problem};

/// What a run came to, and its picture if one was drawn.
pub(super) struct Course<'a> {
    pub(super) outcome: Outcome,
    /// The outcome in a few words.
    pub(super) reason: String,
    /// The seeds, in words.
    pub(super) seeds: String,
    pub(super) findings: &'a [Found],
    pub(super) hash: String,
    pub(super) began: Instant,
    pub(super) picture: Option<String>,
}

/// Results whose page is the picture of a run, if there is one.
struct Drawn {
    results: Results,
    picture: Option<String>,
}

impl Reported for Drawn {
    fn results(&self) -> Results {
        self.results.clone()
    }

    fn page(&self) -> Result<String, Unrendered> {
        self.picture.clone().map_or_else(|| self.results.page(), Ok)
    }
}

impl Simulate {
    /// Writes the reports that are wanted, and returns the outcome.
    pub(super) fn conclude(&self, output: &Output, course: Course<'_>) -> Result<Outcome, Problem> {
        let Course { outcome, reason, seeds, findings, hash, began, picture } = course;
        let replay = |seed| self.again(seed);
        let worlds = Worlds {
            outcome,
            reason: &reason,
            seeds: &seeds,
            findings,
            facts: vec![("hash", hash)],
            replay: &replay,
        };
        let results = worlds.results(wall_time(), began.elapsed());
        self.reports.write(output, &Drawn { results, picture })?;
        Ok(outcome)
    }

    /// The command that runs the world of a seed again.
    fn again(&self, seed: u64) -> String {
        format!("tideover simulate --seed {seed} {}", self.world_options().join(" "))
    }

    /// The options that decide, together with a seed, what happens in a world.
    pub(super) fn world_options(&self) -> Vec<String> {
        let SizeOptions { platforms, businesses, days } = self.size;
        let size =
            [("platforms", platforms.into()), ("businesses", businesses.into()), ("days", days)];
        let size =
            size.map(|(option, number): (&str, u64)| [format!("--{option}"), number.to_string()]);
        let bug = self.bug.map(|bug| ["--bug".to_owned(), bug.name().to_owned()]);
        size.into_iter().chain(bug).flatten().collect()
    }
}

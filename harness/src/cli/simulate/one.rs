//! One world.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tideover_simulate::simulation;
use tideover_simulate::simulation::Run;
use tideover_simulate::simulation::campaign::Found;
use tideover_simulate::simulation::picture::Facts;
use tideover_simulate::simulation::plan::Plan;
use tideover_simulate::simulation::record::Record;

use crate::cli::simulate::reports::Course;
use crate::cli::simulate::{Simulate, text};
use crate::cli::{Outcome, Output, Problem, in_file};

impl Simulate {
    /// Runs the world of a seed.
    pub(super) fn one(&self, output: &Output) -> Result<Outcome, Problem> {
        let began = Instant::now();
        let plan = Plan::draw(self.seed, self.size.into());
        output.announce(text::world_begins(&plan))?;
        let run = simulation::run(&plan, self.bug, self.trace || self.reports.want_page());
        self.print_trace(output, &run)?;
        output.print(text::world(&plan, &run).trim_end(), || text::world_as_json(&plan, &run))?;
        let picture = match &run.breach {
            Some(breach) => self.keep(output, self.seed, breach.invariant)?,
            None => self.draw(Facts { bug: self.bug, replay: None }, &plan, &run)?,
        };
        self.conclude_world(output, began, self.seed, &run, picture)
    }

    /// Writes the reports of one world.
    fn conclude_world(
        &self,
        output: &Output,
        began: Instant,
        seed: u64,
        run: &Run,
        picture: Option<String>,
    ) -> Result<Outcome, Problem> {
        let found = run.breach.clone().map(|breach| Found { seed, breach });
        let course = Course {
            outcome: if found.is_some() { Outcome::Fail } else { Outcome::Pass },
            reason: text::world_course(run),
            seeds: format!("seed {seed}"),
            findings: found.as_slice(),
            hash: run.hash.to_string(),
            began,
            picture,
        };
        self.conclude(output, course)
    }

    /// Plays a saved failure again.
    pub(super) fn replay(&self, output: &Output, path: &Path) -> Result<Outcome, Problem> {
        let began = Instant::now();
        let file = File::open(path).map_err(|error| in_file(path, error))?;
        let record = Record::read(BufReader::new(file)).map_err(|error| in_file(path, error))?;
        output.announce(text::world_begins(&record.plan))?;
        let run = record.replay();
        if !self.json {
            output.print(text::trace(&run.entries).trim_end(), || json!(null))?;
        }
        let (plan, saved) = (&record.plan, &record.header);
        output.print(text::world(plan, &run).trim_end(), || text::world_as_json(plan, &run))?;
        let picture = self.draw(Facts { bug: record.bug(), replay: None }, plan, &run)?;
        if run.hash != saved.hash {
            let (hash, wrote) = (saved.hash, &saved.tideover);
            let cause = if wrote == env!("CARGO_PKG_VERSION") {
                "the file was changed, or another build wrote it".to_owned()
            } else {
                format!("tideover {wrote} wrote it, this is {}", env!("CARGO_PKG_VERSION"))
            };
            output.announce(format!("the hash is not {hash} as in the file: {cause}"))?;
        }
        self.conclude_world(output, began, plan.seed, &run, picture)
    }

    fn print_trace(&self, output: &Output, run: &Run) -> Result<(), Problem> {
        if !self.trace {
            return Ok(());
        }
        for entry in &run.entries {
            output.print(text::entry(entry), || json!(entry))?;
            if output.is_closed() {
                break;
            }
        }
        Ok(())
    }
}

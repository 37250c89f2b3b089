//! What is kept of a failure: it is shrunk, saved and drawn.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use serde_json::json;
use tideover_report::quoted;
use tideover_simulate::simulation;
use tideover_simulate::simulation::Run;
use tideover_simulate::simulation::auditor::Invariant;
use tideover_simulate::simulation::picture::{Facts, picture};
use tideover_simulate::simulation::plan::Plan;
use tideover_simulate::simulation::record::Record;
use tideover_simulate::simulation::shrink::shrink;

use crate::cli::simulate::{Simulate, text};
use crate::cli::{Output, Problem, in_file, tideover, wrong};

/// Where a failure is saved, if nobody says where.
const SAVE: &str = "tideover-simulation.jsonl";

impl Simulate {
    /// Shrinks and saves the failure of a seed, in which `invariant` does not hold, and shows it. Returns its
    /// picture, if one is wanted.
    pub(super) fn keep(
        &self,
        output: &Output,
        seed: u64,
        invariant: Invariant,
    ) -> Result<Option<String>, Problem> {
        let drawn = Plan::draw(seed, self.size.into());
        let plan = if self.no_shrink { drawn } else { shrink(&drawn, self.bug, invariant).plan };
        let run = simulation::run(&plan, self.bug, true);
        let save = self.save.clone().unwrap_or_else(|| PathBuf::from(SAVE));
        let path = quoted(&save.display().to_string());
        let replay = format!("{} simulate --replay {path}", tideover());
        let entries = run.entries.len();
        let shown = text::failure(&plan, &run);
        let picture = self.draw(Facts { bug: self.bug, replay: Some(&replay) }, &plan, &run);
        let record = Record::new(&plan, self.bug, run);
        let saved = save_to(&save, &record);
        let hint = if saved.is_ok() { format!("\nreplay     {replay}") } else { String::new() };
        output.print(format!("{shown}{hint}"), || {
            let replay = saved.is_ok().then_some(&replay);
            json!({ "seed": seed, "entries": entries, "shrunk": record.header, "replay": replay })
        })?;
        saved.and(picture)
    }

    /// Draws a run, if that is wanted.
    pub(super) fn draw(
        &self,
        facts: Facts<'_>,
        plan: &Plan,
        run: &Run,
    ) -> Result<Option<String>, Problem> {
        let is_wanted = self.reports.want_page();
        is_wanted.then(|| picture(facts, plan, run).map_err(wrong)).transpose()
    }
}

fn save_to(path: &Path, record: &Record) -> Result<(), Problem> {
    let file = File::create(path).map_err(|error| in_file(path, error))?;
    record.write(&mut BufWriter::new(file)).map_err(|error| in_file(path, error))
}

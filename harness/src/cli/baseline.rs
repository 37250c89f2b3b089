//! `tideover baseline`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use tideover_report::{Baseline, Known, counted};

use crate::cli::{Outcome, Output, Problem, in_file, wrong};

/// Keep the list of accepted findings, for --baseline.
///
/// A baseline is a report of check --json, or a file that these commands write. Its findings are shown as known,
/// and fail nothing.
#[derive(Args)]
pub(super) struct BaselineCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Add the findings of reports to a baseline; a new file is made
    Update(Change),
    /// Drop from a baseline what no report has found
    ///
    /// A part of a run, and one that was interrupted or had found enough, may not have met a finding: such a
    /// report is refused.
    Prune(Change),
}

#[derive(Args)]
struct Change {
    /// The baseline, which is written anew
    baseline: PathBuf,
    /// Reports of check or judge that --json printed
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// Print the changes as a line of JSON
    #[arg(long)]
    json: bool,
}

impl BaselineCommand {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        match self.what {
            What::Update(change) => change.update(),
            What::Prune(change) => change.prune(),
        }
    }
}

impl Change {
    fn update(&self) -> Result<Outcome, Problem> {
        let mut baseline = match self.baseline.exists() {
            true => read(&self.baseline)?,
            false => Baseline::empty(),
        };
        let mut added = Vec::new();
        for path in &self.reports {
            added.extend(baseline.accept(&read(path)?));
        }
        self.write(&baseline, "accepted", &added)
    }

    fn prune(&self) -> Result<Outcome, Problem> {
        let mut baseline = read(&self.baseline)?;
        let reports = self.reports.iter().map(|path| {
            let report = read(path)?;
            match report.is_of_a_whole_run() {
                true => Ok(report),
                false => {
                    Err(in_file(path, "it is of a part of a run, or of one that ended early: more may be there than it met"))
                }
            }
        });
        let reports = reports.collect::<Result<Vec<Baseline>, Problem>>()?;
        let dropped = baseline.keep_only(&reports);
        self.write(&baseline, "dropped", &dropped)
    }

    fn write(
        &self,
        baseline: &Baseline,
        what: &str,
        changed: &[Known],
    ) -> Result<Outcome, Problem> {
        let text = baseline.to_json();
        std::fs::write(&self.baseline, text).map_err(|error| in_file(&self.baseline, error))?;
        let mut words: Vec<String> = Vec::new();
        for Known { fingerprint, clause, operation, field } in changed {
            words.push(format!("{what}: {fingerprint}, {clause} at {operation}: {field}"));
        }
        let findings = counted(baseline.len() as u64, "finding");
        words.push(format!("{}: {findings}", self.baseline.display()));
        let printed = Output::new(self.json);
        printed.print(words.join("\n"), || json!({ what: changed, "findings": baseline.len() }))?;
        Ok(Outcome::Pass)
    }
}

fn read(path: &Path) -> Result<Baseline, Problem> {
    Baseline::read(path).map_err(wrong)
}

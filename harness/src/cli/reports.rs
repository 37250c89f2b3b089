//! The report of a run: its output files, its baseline, and what the user demands of the run.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::Problem;
use crate::cli::files::NamedFile;
use crate::evidence::finding::Verdict;
use crate::evidence::outcome::Demands;
use crate::report;
use crate::report::{Baseline, Report};

/// The options of a report.
#[derive(Args)]
pub(super) struct Reports {
    /// Verdicts, besides violations, that exit with 1: `differs` (a gap is not as assumed, or as --profile
    /// states for a service that is not ours), `stalled` (something takes too long)
    #[arg(long, value_name = "VERDICT", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// Exit with 3 if the run examines less than this share of the clauses in reach
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    min_coverage: Option<u8>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Accept the findings of a former --json report; only new ones fail
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Print the report as a line of JSON; its schema: tideover checks --schema
    #[arg(long)]
    pub(super) json: bool,
}

/// A verdict that need not fail.
#[derive(Clone, Copy, ValueEnum)]
enum FailOn {
    Differs,
    Stalled,
}

impl FailOn {
    fn verdict(self) -> Verdict {
        match self {
            FailOn::Differs => Verdict::DiffersFromAssumption,
            FailOn::Stalled => Verdict::Stalled,
        }
    }
}

impl Reports {
    /// The files that the report reads and writes, by option.
    pub(super) fn files(&self) -> impl Iterator<Item = NamedFile> {
        let given =
            [("--baseline", &self.baseline), ("--junit", &self.junit), ("--html", &self.html)];
        given.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)))
    }

    /// Refuses output files that cannot be written, including `learn`, before a long run starts.
    pub(super) fn touch(&self, learn: Option<&Path>) -> Result<(), Problem> {
        let own = [&self.junit, &self.html].into_iter().flatten().map(PathBuf::as_path);
        own.chain(learn).try_for_each(touch)
    }

    /// The baseline, if one is given.
    pub(super) fn baseline(&self) -> Result<Option<Baseline>, Problem> {
        self.baseline.as_deref().map(Baseline::read).transpose().map_err(Problem::Wrong)
    }

    /// Writes the requested files. An error in one does not stop the other.
    pub(super) fn write(&self, report: &Report) -> Result<(), Problem> {
        let junit = self.junit.as_deref().map_or(Ok(()), |path| {
            write(path, &report::junit(report).map_err(|error| unwritten(path, &error))?)
        });
        let html = self.html.as_deref().map_or(Ok(()), |path| {
            write(path, &report::html(report).map_err(|error| unwritten(path, &error))?)
        });
        junit.and(html)
    }

    /// What the user demands of the run.
    pub(super) fn demands(&self) -> Demands {
        let fail_on = self.fail_on.iter().map(|fail_on| fail_on.verdict()).collect();
        Demands { fail_on, min_coverage: self.min_coverage }
    }
}

fn touch(path: &Path) -> Result<(), Problem> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.map(drop).map_err(|error| unwritten(path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    std::fs::write(path, text).map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &dyn std::error::Error) -> Problem {
    Problem::Wrong(format!("{} could not be written: {error}", path.display()))
}

//! `tideover profile`

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use tideover_model::Clause;
use tideover_report::drift::{Drift, Observations};

use crate::cli::check::CheckCommand;
use crate::cli::{Outcome, Output, Problem, in_file, wrong};

/// Learn what a service does where the document is silent, and see what changed since.
///
/// learn writes a profile, which serve and check take. diff compares two of them.
#[derive(Args)]
pub(super) struct ProfileCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Learn(Box<Learn>),
    Diff(Diff),
}

/// Write what a service does where the document is silent, as a profile for serve and check.
///
/// It is a check of that service, with the options of check. The profile has what was learned, and at its end
/// what was seen and how often, for tideover profile diff.
#[derive(Args)]
#[command(mut_arg("learn", |it| it.hide(true)))]
struct Learn {
    /// The file for the profile
    #[arg(long, short, value_name = "FILE", conflicts_with = "learn")]
    out: PathBuf,
    #[command(flatten)]
    check: CheckCommand,
}

/// Say what a service does otherwise than before, where the document leaves it open.
///
/// Each file is a learned profile, or a report of check or judge that --json printed. What came by chance may
/// come otherwise the next time: a difference is listed only if chance does not explain it. Exits with 0
/// whatever differs, unless --fail-on names it, and with 3 if the runs have seen nothing in common.
#[derive(Args)]
struct Diff {
    /// The earlier run, then the later one; with --history the later one alone
    #[arg(required = true, value_name = "FILE", num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// Compare with the last run of this file, and append the run to it
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    /// Exit with 1 if one of these differs: the name of a gap or a clause, or any
    #[arg(long, value_name = "CLAUSE", value_delimiter = ',', value_parser = clause_named)]
    fail_on: Vec<String>,
    /// Print a table of Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print the differences as a line of JSON
    #[arg(long)]
    json: bool,
}

impl ProfileCommand {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        match self.what {
            What::Learn(learn) => {
                let Learn { out, mut check } = *learn;
                check.learn = Some(out);
                check.run().await
            }
            What::Diff(diff) => diff.run(),
        }
    }
}

impl Diff {
    fn run(self) -> Result<Outcome, Problem> {
        let (before, after) = match (&self.files[..], &self.history) {
            ([before, after], None) => (Some(read(before)?), read(after)?),
            ([after], Some(history)) => (last(history)?, read(after)?),
            ([_], None) => return Err(wrong("name two files, or one and --history")),
            _ => return Err(wrong("--history has the earlier run: name the later one alone")),
        };
        let output = Output::new(self.json);
        let Some(before) = before else {
            self.remember(&after)?;
            let words = "no drift: the history begins with this run";
            output.print(words, || json!({ "begins": true }))?;
            return Ok(Outcome::Pass);
        };
        let drift = Drift::between(&before, &after);
        // A run that has seen nothing would hide what the next one sees.
        if drift.compared > 0 {
            self.remember(&after)?;
        }
        let text = if self.markdown { drift.markdown() } else { drift.to_string() };
        output.print(text.trim_end(), || json!(drift))?;
        Ok(match drift.compared {
            _ if drift.has(&self.fail_on) => Outcome::Fail,
            0 => Outcome::Inconclusive,
            _ => Outcome::Pass,
        })
    }

    /// Appends a run to the history, if there is one.
    fn remember(&self, run: &Observations) -> Result<(), Problem> {
        let Some(path) = &self.history else { return Ok(()) };
        let file = OpenOptions::new().append(true).create(true).open(path);
        // One write, so that two jobs do not mix their lines; a line that a crash has cut is closed first.
        let line = format!("{}{}\n", if ends_in_a_line(path) { "" } else { "\n" }, json!(run));
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.map_err(|error| in_file(path, error))
    }
}

fn read(path: &Path) -> Result<Observations, Problem> {
    Observations::read(path).map_err(wrong)
}

/// The last run of a history, if it has one.
fn last(path: &Path) -> Result<Option<Observations>, Problem> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).map_err(|error| in_file(path, error))?;
    let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty()).peekable();
    if lines.peek().is_none() {
        return Ok(None);
    }
    // A line that a crash has cut is no run.
    let last = lines.find_map(|line| serde_json::from_str(line).ok());
    last.map(Some).ok_or_else(|| in_file(path, "no line of it is a run"))
}

/// Whether a file is empty, or its last line is whole.
fn ends_in_a_line(path: &Path) -> bool {
    fs::read(path).map_or(true, |bytes| bytes.last().is_none_or(|last| *last == b'\n'))
}

/// A clause, or `any`.
fn clause_named(name: &str) -> Result<String, String> {
    let is_known = name == "any" || Clause::all().any(|clause| clause.name() == name);
    let problem =
        "no clause has this name; tideover checks gap. lists the gaps, any stands for all";
    if is_known { Ok(name.to_owned()) } else { Err(problem.to_owned()) }
}

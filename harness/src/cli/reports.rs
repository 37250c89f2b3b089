//! The reports of a command: their formats and files, the baseline, and what the user demands.

use std::fs;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::outcome::Demands;
use tideover_report::results::Results;
use tideover_report::{Baseline, Format, Rendered, Report, Reported};

use crate::cli::files::{NamedFile, given_files};
use crate::cli::{Output, Problem, wrong};

/// The variable with the file to which the steps of a GitHub workflow append their summaries.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// The path that stands for the standard output.
const STDOUT: &str = "-";

/// The options of a report about the contract.
#[derive(Args)]
pub(super) struct Reports {
    /// Verdicts, besides violations, that exit with 1: `differs` (a gap is not as assumed, or as --profile
    /// states for a service that is not ours), `stalled` (something takes too long)
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', help_heading = HEADING)]
    fail_on: Vec<FailOn>,
    /// Exit with 3 if the run examines less than this share of the clauses in reach
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100), help_heading = HEADING)]
    min_coverage: Option<u8>,
    /// Accept the findings of a former --json report; only new ones fail
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    baseline: Option<PathBuf>,
    /// Print the report as a line of JSON; its schema: tideover checks --schema
    #[arg(long, help_heading = HEADING)]
    pub(super) json: bool,
    /// Also print the states reached, what the service does where the document is silent, and response times
    #[arg(long, short, help_heading = HEADING)]
    pub(super) verbose: bool,
    #[command(flatten)]
    pub(super) files: ReportFiles,
}

/// The heading of the options in the help.
const HEADING: &str = "Reports";

/// The reports that a command writes.
#[derive(Args, Clone)]
pub(super) struct ReportFiles {
    /// Write a report; may be given again. - as the path prints it
    ///
    /// The formats:
    ///   html     one page for people, which needs no network
    ///   summary  Markdown for a step summary or a comment
    ///   junit    JUnit XML, which most CI systems read
    ///   ctrf     Common Test Report Format, JSON
    ///   allure   a folder of results for Allure
    ///   github   annotations for a GitHub workflow; print them: github=-
    ///   gitlab   a Code Quality report for GitLab, JSON
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = wanted, help_heading = HEADING, verbatim_doc_comment)]
    wanted: Vec<Wanted>,
    /// Short for --report html=FILE
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    html: Option<PathBuf>,
    /// Short for --report junit=FILE
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    junit: Option<PathBuf>,
    /// Short for --report summary=FILE; what others wrote to $GITHUB_STEP_SUMMARY stays
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    summary: Option<PathBuf>,
}

/// A report to write.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    format: Format,
    path: PathBuf,
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
        given_files([("--baseline", &self.baseline)]).chain(self.files.named())
    }

    /// Refuses output files that cannot be written, including `learn`, before a long run starts.
    pub(super) fn touch(&self, learn: Option<&Path>) -> Result<(), Problem> {
        self.files.touch()?;
        learn.map_or(Ok(()), touch)
    }

    /// The baseline, if one is given.
    pub(super) fn baseline(&self) -> Result<Option<Baseline>, Problem> {
        self.baseline.as_deref().map(Baseline::read).transpose().map_err(wrong)
    }

    pub(super) fn text(&self, report: &Report) -> String {
        let text = if self.verbose { format!("{report:#}") } else { report.to_string() };
        text.trim_end().to_owned()
    }

    /// What the user demands of the run.
    pub(super) fn demands(&self) -> Demands {
        let fail_on = self.fail_on.iter().map(|fail_on| fail_on.verdict()).collect();
        Demands { fail_on, min_coverage: self.min_coverage }
    }
}

impl ReportFiles {
    /// All reports to write, by the option that asks for each.
    fn all_by_option(&self) -> impl Iterator<Item = (&'static str, Wanted)> {
        let short = [
            ("--html", Format::Html, &self.html),
            ("--junit", Format::Junit, &self.junit),
            ("--summary", Format::Summary, &self.summary),
        ];
        let short = short.into_iter().filter_map(|(option, format, path)| {
            Some((option, Wanted { format, path: path.clone()? }))
        });
        let long = self.wanted.iter().cloned();
        short.chain(long.map(|wanted| (wanted.format.option(), wanted)))
    }

    /// All reports to write.
    fn all(&self) -> impl Iterator<Item = Wanted> {
        self.all_by_option().map(|(_, wanted)| wanted)
    }

    pub(super) fn want_page(&self) -> bool {
        self.all().any(|wanted| wanted.format == Format::Html)
    }

    /// The files, by option.
    pub(super) fn named(&self) -> impl Iterator<Item = NamedFile> {
        let files = self.all_by_option().filter(|(_, wanted)| !wanted.is_printed());
        files.map(|(option, wanted)| (option, wanted.path))
    }

    /// Refuses files and folders that cannot be written, before a long run starts.
    pub(super) fn touch(&self) -> Result<(), Problem> {
        let files = self.all().filter(|wanted| !wanted.is_printed());
        files.into_iter().try_for_each(|Wanted { format, path }| match format.is_folder() {
            true => fs::create_dir_all(&path).map_err(|error| unwritten(&path, &error)),
            false => touch(&path),
        })
    }

    /// Writes the reports. An error in one does not stop the others; the first is returned.
    pub(super) fn write(&self, output: &Output, reported: &dyn Reported) -> Result<(), Problem> {
        let write = |wanted: Wanted| wanted.write(output, reported);
        let written: Vec<Result<(), Problem>> = self.all().map(write).collect();
        written.into_iter().collect()
    }
}

impl Wanted {
    fn is_printed(&self) -> bool {
        self.path.as_os_str() == STDOUT
    }

    fn write(&self, output: &Output, reported: &dyn Reported) -> Result<(), Problem> {
        let Wanted { format, path } = self;
        let rendered = format.render(reported).map_err(|error| unwritten(path, &error))?;
        match rendered {
            Rendered::File(text) if self.is_printed() => Ok(output.announce(text.trim_end())?),
            Rendered::File(text) if *format == Format::Summary && is_step_summary(path) => {
                append(path, &text)
            }
            Rendered::File(text) => write(path, &text),
            Rendered::Folder(files) => {
                files.iter().try_for_each(|(name, text)| write(&path.join(name), text))
            }
        }
    }
}

/// The result of a command for a program, with its outcome and its headline.
pub(super) fn with_outcome(mut value: Value, results: &Results) -> Value {
    value["outcome"] = json!(results.outcome);
    value["headline"] = json!(results.headline);
    value
}

/// Parses `FORMAT=PATH`.
fn wanted(text: &str) -> Result<Wanted, String> {
    let names = || Format::ALL.map(Format::name).join(", ");
    let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        return Err(format!(
            "expected FORMAT=PATH, such as junit=report.xml; the formats are {}",
            names()
        ));
    };
    let Some(format) = Format::find(name) else {
        return Err(format!("{name} is no format; the formats are {}", names()));
    };
    if format.is_folder() && path == STDOUT {
        return Err(format!("{name} needs a folder: it is several files"));
    }
    Ok(Wanted { format, path: PathBuf::from(path) })
}

/// Whether others may have written their summaries to the file.
fn is_step_summary(path: &Path) -> bool {
    std::env::var_os(STEP_SUMMARY).is_some_and(|summary| path.as_os_str() == summary)
}

/// Refuses a file that cannot be written. A new file is not left behind, because a run may end without a report.
pub(super) fn touch(path: &Path) -> Result<(), Problem> {
    let is_new = !path.exists();
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.map(drop).map_err(|error| unwritten(path, &error))?;
    if is_new {
        // A link stays; what it leads to is new.
        let file = path.canonicalize();
        file.and_then(fs::remove_file).map_err(|error| unwritten(path, &error))?;
    }
    Ok(())
}

fn append(path: &Path, text: &str) -> Result<(), Problem> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    let appended = file.and_then(|mut file| file.write_all(text.as_bytes()));
    appended.map_err(|error| unwritten(path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    fs::write(path, text).map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &dyn std::error::Error) -> Problem {
    wrong(format!("{} could not be written: {error}", path.display()))
}

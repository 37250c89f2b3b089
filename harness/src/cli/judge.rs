//! `tideover judge`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tideover_live::recorded::{Recording, judge};

use crate::cli::files::{given_files, refuse_shared_files};
use crate::cli::reports::Reports;
use crate::cli::traffic::Traffic;
use crate::cli::{Outcome, Output, Problem, load_stated};

/// Judge recorded traffic, and send nothing.
///
/// It takes a HAR file, as browsers and proxies write it, or the journal of a check. Everything that the
/// traffic names may have existed before, and others may have acted at the same time. A violation is only
/// what no such history explains.
#[derive(Args)]
pub(super) struct Judge {
    /// The HAR file, or the journal
    file: PathBuf,
    /// A TOML file with the assumed values that differ from the standard profile
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Nobody else uses the keys: all that they change is in the recording. Then more contradicts the document
    #[arg(long)]
    alone: bool,
    /// Write the choices of the service as a profile
    #[arg(long, value_name = "FILE")]
    learn: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
}

impl Judge {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        let file = [("FILE", self.file.clone())].into_iter();
        let given = given_files([("--profile", &self.profile), ("--learn", &self.learn)]);
        refuse_shared_files(&file.chain(given).chain(self.reports.files()).collect::<Vec<_>>())?;
        let stated = load_stated(self.profile.as_deref())?;
        let profile = stated.profile();
        let recording = Recording::read(&self.file)?;
        let baseline = self.reports.baseline()?;
        self.reports.touch(self.learn.as_deref())?;
        let output = Output::new(self.reports.json);
        let began = Instant::now();
        let judged = judge(&recording, profile, self.alone);
        let target = format!("{}, as recorded in {}", recording.target, self.file.display());
        let traffic = Traffic {
            command: "judge",
            target: &target,
            stated: &stated,
            began,
            baseline: baseline.as_ref(),
            demands: self.reports.demands(),
        };
        let (mut report, lessons) = traffic.report(judged);
        report.conceal(&recording.secrets());
        let printed = output.print(self.reports.text(&report), || json!(report));
        let written = self.reports.files.write(&output, &report);
        let learned = super::write_lessons(self.learn.as_deref(), &lessons, profile, &report);
        written.and(learned)?;
        printed?;
        Ok(report.outcome)
    }
}

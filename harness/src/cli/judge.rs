//! `tideover judge`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::json;
use tideover_endpoint::wall_time;
use tideover_exchange::evidence::Shard;
use tideover_exchange::transcript::Header;
use tideover_judge::checks::registry::Needs;
use tideover_live::recorded::{Judged, Recording, judge};
use tideover_report::FinishedRun;
use tideover_suite::play::cases::Plan;

use crate::cli::files::{given_files, refuse_shared_files};
use crate::cli::reports::Reports;
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
        let warnings = judged.warnings();
        let Judged { mut summary, unknown_before, .. } = judged;
        summary.conclude(&stated);
        let cases = summary.cases;
        let header = Header::new(0, tideover_exchange::start(), profile.clone());
        let plan = Plan { header, first: 0, cases, steps: 0, max_findings: usize::MAX };
        let target = format!("{}, as recorded in {}", recording.target, self.file.display());
        let run = FinishedRun {
            command: "judge",
            plan: &plan,
            shard: Shard::WHOLE,
            summary: &summary,
            target: &target,
            offers: &[Needs::Requests, Needs::Writes, Needs::Vendor, Needs::Foreign],
            unproven: &[],
            finished: wall_time(),
            took: began.elapsed(),
            replay: &[],
            baseline: baseline.as_ref(),
            regressions: &[],
            ended: None,
            left_behind: &[],
            unjudged: unknown_before,
            unasked: None,
            races: None,
            only_races: false,
            demands: &self.reports.demands(),
        };
        let mut report = run.report();
        report.warnings.extend(warnings);
        report.conceal(&recording.secrets());
        let printed = output.print(self.reports.text(&report), || json!(report));
        let written = self.reports.files.write(&output, &report);
        let learned =
            super::write_lessons(self.learn.as_deref(), &summary.lessons, profile, &report);
        written.and(learned)?;
        printed?;
        Ok(report.outcome)
    }
}

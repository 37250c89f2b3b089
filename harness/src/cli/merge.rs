//! `tideover merge`

use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;
use serde_json::json;
use tideover_report::Report;
use tideover_simulate::simulation::campaign::{CampaignReport, merge};

use crate::cli::files::{NamedFile, refuse_shared_files};
use crate::cli::reports::Reports;
use crate::cli::simulate::campaign_text;
use crate::cli::{Outcome, Output, Problem, in_file, wrong};

/// Add up the parts of a run that several machines made.
///
/// Each part is what `tideover check --seed S --shard K/N --json` or
/// `tideover simulate --seeds A..B --shard K/N --json` printed. The sum is the report of the whole run, with the
/// same hash as if one machine had made it. Exits with 1 if a part found something, and with 3 if a part is
/// missing or ended early. The reports are those of a check; a campaign of simulate is printed.
#[derive(Args)]
pub(super) struct Merge {
    /// The files with the parts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reports: Reports,
}

impl Merge {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        let read = self.files.iter().map(|path| {
            std::fs::read(path).map(|text| (path, text)).map_err(|error| in_file(path, error))
        });
        let parts: Vec<(&PathBuf, Vec<u8>)> = read.collect::<Result<_, Problem>>()?;
        if parts.iter().any(|(_, text)| is_of_a_check(first_line(text))) {
            return self.checks(&parts);
        }
        self.campaigns(&parts)
    }

    fn checks(&self, parts: &[(&PathBuf, Vec<u8>)]) -> Result<Outcome, Problem> {
        let files = self.files.iter().map(|path| ("FILE", path.clone()));
        refuse_shared_files(&files.chain(self.reports.files()).collect::<Vec<NamedFile>>())?;
        let baseline = self.reports.baseline()?;
        self.reports.touch(None)?;
        let read = parts.iter().map(|(path, text)| {
            Report::read(first_line(text)).map_err(|error| in_file(path, error))
        });
        let parts = read.collect::<Result<Vec<Report>, Problem>>()?;
        let whole = Report::merge(parts, baseline.as_ref(), &self.reports.demands());
        let whole = whole.map_err(wrong)?;
        let output = Output::new(self.reports.json);
        let printed = output.print(self.reports.text(&whole), || json!(whole));
        self.reports.files.write(&output, &whole)?;
        printed?;
        Ok(whole.outcome)
    }

    fn campaigns(&self, parts: &[(&PathBuf, Vec<u8>)]) -> Result<Outcome, Problem> {
        if let Some((option, _)) = self.reports.files().next() {
            let what = "a report of the contract, and these files are of a campaign of simulate";
            return Err(wrong(format!("{option} is for {what}")));
        }
        let read = parts.iter().map(|(path, text)| {
            CampaignReport::read(first_line(text)).map_err(|error| in_file(path, error))
        });
        let parts = read.collect::<Result<Vec<CampaignReport>, Problem>>()?;
        let whole = merge(parts).map_err(wrong)?;
        let output = Output::new(self.reports.json);
        output.print(campaign_text(&whole).trim_end(), || json!(whole))?;
        let is_whole = whole.missing_shards().is_empty() && whole.short_shards().is_empty();
        Ok(match (whole.failed, is_whole) {
            (1.., _) => Outcome::Fail,
            (0, false) => Outcome::Inconclusive,
            (0, true) => Outcome::Pass,
        })
    }
}

/// The report in a file: its first line. A finding of a campaign is on a line of its own.
fn first_line(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Whether a line is a report about the contract. Others are of campaigns.
fn is_of_a_check(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Head {
        #[serde(rename = "clauses")]
        _clauses: serde::de::IgnoredAny,
    }
    serde_json::from_slice::<Head>(line).is_ok()
}

//! `tideover merge`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tideover_simulate::simulation::campaign::{CampaignReport, merge};

use crate::cli::simulate::campaign_text;
use crate::cli::{Outcome, Output, Problem, in_file, wrong};

/// Add up the parts of a campaign that ran on several machines.
///
/// Each part is what `tideover simulate --seeds A..B --shard K/N --json` printed. The sum is the report of the
/// whole campaign, with the same hash as if it had run on one machine. Exits with 1 if a part found something,
/// and with 3 if a part is missing or ended early.
#[derive(Args)]
pub(super) struct Merge {
    /// The files with the parts
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the sum as JSON
    #[arg(long)]
    json: bool,
}

impl Merge {
    pub(super) fn run(self) -> Result<Outcome, Problem> {
        let parts: Result<Vec<CampaignReport>, Problem> = self.files.iter().map(read).collect();
        let whole = merge(parts?).map_err(wrong)?;
        Output::new(self.json).print(campaign_text(&whole).trim_end(), || json!(whole))?;
        let is_whole = whole.missing_shards().is_empty() && whole.short_shards().is_empty();
        Ok(match (whole.failed, is_whole) {
            (1.., _) => Outcome::Fail,
            (0, false) => Outcome::Inconclusive,
            (0, true) => Outcome::Pass,
        })
    }
}

/// The part in a file: its first line. A finding is on a line of its own.
fn read(path: &PathBuf) -> Result<CampaignReport, Problem> {
    let text = std::fs::read(path).map_err(|error| in_file(path, error))?;
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    CampaignReport::read(first).map_err(|error| in_file(path, error))
}

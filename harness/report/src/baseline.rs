//! The baseline: the findings of an earlier report.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tideover_exchange::evidence::{Ending, Shard};

use crate::document::{FindingReport, Known, VERSION};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Baseline {
    version: u32,
    /// Why the run of the report ended. A baseline that was updated is of no single run.
    #[serde(default, skip_serializing)]
    ending: Ending,
    /// The parts and the cases of that run.
    #[serde(default, skip_serializing)]
    shards: Vec<Shard>,
    #[serde(default, skip_serializing)]
    cases: u64,
    findings: Vec<Known>,
}

/// Why a file is no baseline: the user named another one, or another release of Tideover wrote it.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableBaseline {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{}: this is not a report that --json printed: {error}", path.display())]
    NoReport { path: PathBuf, error: serde_json::Error },
    #[error("{}: a report of version {version}, not {VERSION}", path.display())]
    Version { path: PathBuf, version: u32 },
}

impl Baseline {
    /// Reads a report that was printed as JSON.
    ///
    /// # Errors
    /// [`UnreadableBaseline`], in one line.
    pub fn read(path: &Path) -> Result<Baseline, UnreadableBaseline> {
        let path = || path.to_owned();
        let text = std::fs::read_to_string(path())
            .map_err(|error| UnreadableBaseline::File { path: path(), error })?;
        let baseline: Baseline = serde_json::from_str(&text)
            .map_err(|error| UnreadableBaseline::NoReport { path: path(), error })?;
        match baseline.version {
            // Version 1 names findings in the same way.
            1 | VERSION => Ok(baseline),
            version => Err(UnreadableBaseline::Version { path: path(), version }),
        }
    }

    /// A baseline that accepts nothing.
    pub fn empty() -> Baseline {
        Baseline {
            version: VERSION,
            ending: Ending::default(),
            shards: Vec::new(),
            cases: 0,
            findings: Vec::new(),
        }
    }

    /// The number of accepted findings.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether it accepts nothing.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether it is the report of a whole run that played all its cases, or all that its budget allows.
    pub fn is_of_a_whole_run(&self) -> bool {
        let of = self.shards.first().map_or(1, |shard| shard.of);
        let is_whole = self.shards.len() as u64 == of && self.cases > 1;
        is_whole && matches!(self.ending, Ending::Complete | Ending::Spent)
    }

    /// Accepts the findings of a report as well. Returns those that are new.
    pub fn accept(&mut self, report: &Baseline) -> Vec<Known> {
        let new = report.findings.iter().filter(|known| !self.has(&known.fingerprint));
        let new: Vec<Known> = new.cloned().collect();
        self.findings.extend(new.iter().cloned());
        new
    }

    /// Drops what none of the reports has found. Returns it.
    pub fn keep_only(&mut self, reports: &[Baseline]) -> Vec<Known> {
        let is_found = |known: &Known| reports.iter().any(|report| report.has(&known.fingerprint));
        let (kept, dropped) = std::mem::take(&mut self.findings).into_iter().partition(is_found);
        self.findings = kept;
        dropped
    }

    /// The baseline as a file.
    pub fn to_json(&self) -> String {
        // Texts and numbers alone: JSON can say them.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    pub(super) fn has(&self, fingerprint: &str) -> bool {
        self.findings.iter().any(|known| known.fingerprint == fingerprint)
    }

    /// The known findings that are not among `findings`.
    pub(super) fn without(&self, findings: &[FindingReport]) -> Vec<Known> {
        let met = |known: &&Known| {
            !findings.iter().any(|finding| finding.fingerprint == known.fingerprint)
        };
        self.findings.iter().filter(met).cloned().collect()
    }
}

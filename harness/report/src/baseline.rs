//! The baseline: the findings of an earlier report.

use std::path::Path;

use serde::Deserialize;

use crate::document::{FindingReport, Known, VERSION};

/// The findings of an earlier report.
#[derive(Clone, Debug, Deserialize)]
pub struct Baseline {
    version: u32,
    findings: Vec<Known>,
}

impl Baseline {
    /// Reads a report that was printed as JSON.
    ///
    /// # Errors
    /// What is wrong with the file, in one line.
    pub fn read(path: &Path) -> Result<Baseline, String> {
        let problem = |problem: String| format!("{}: {problem}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
        let baseline: Baseline = serde_json::from_str(&text).map_err(|error| {
            problem(format!("this is not a report that --json printed: {error}"))
        })?;
        match baseline.version {
            // Version 1 names findings in the same way.
            1 | VERSION => Ok(baseline),
            other => Err(problem(format!("a report of version {other}, not {VERSION}"))),
        }
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

//! The baseline: the findings of an earlier report.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::document::{FindingReport, Known, VERSION};

#[derive(Clone, Debug, Deserialize)]
pub struct Baseline {
    version: u32,
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

//! The folder of --regressions: each finding is kept there, and played first in every later run.

use std::fs;
use std::path::{Path, PathBuf};

use tideover_exchange::secrets::Secrets;
use tideover_exchange::transcript::Transcript;
use tideover_suite::play::cases::Summary;
use tideover_suite::play::regressions::Regression;

use crate::cli::{Problem, in_file};

/// The ending of a transcript's name.
const ENDING: &str = "jsonl";

pub(super) struct Regressions {
    folder: PathBuf,
    pub(super) kept: Vec<Regression>,
}

impl Regressions {
    /// Reads the transcripts of a folder, in the order of their names. The folder is made if it is not there.
    pub(super) fn read(folder: &Path) -> Result<Regressions, Problem> {
        if folder.exists() && !folder.is_dir() {
            return Err(in_file(folder, "it is a file, and --regressions takes a folder"));
        }
        fs::create_dir_all(folder).map_err(|error| in_file(folder, error))?;
        let entries = fs::read_dir(folder).map_err(|error| in_file(folder, error))?;
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| in_file(folder, error))?.path();
            if path.extension().is_some_and(|ending| ending == ENDING) {
                files.push(path);
            }
        }
        files.sort();
        let mut kept = Vec::new();
        for file in files {
            let transcript = Transcript::read(&file)?;
            let named = Regression::new(file.display().to_string(), transcript);
            kept.push(named.ok_or_else(|| in_file(&file, "its first line names no finding"))?);
        }
        Ok(Regressions { folder: folder.to_owned(), kept })
    }

    /// Keeps the failures that are not kept yet.
    pub(super) fn keep(&self, summary: &Summary, secrets: &Secrets) -> Result<(), Problem> {
        for failure in &summary.failures {
            let name = failure.finding().name();
            let is_shown = failure.reproduced.is_none_or(|again| again.times > 0);
            let is_kept = failure.regression.is_some()
                || self.kept.iter().any(|one| one.finding.fingerprint == name.fingerprint);
            if is_shown && !is_kept {
                let file = format!("{}-{}.{ENDING}", name.clause, name.fingerprint);
                let path = self.folder.join(file);
                failure.write(&path, secrets).map_err(|error| in_file(&path, error))?;
            }
        }
        Ok(())
    }
}

//! The files that a check reads and writes.

use std::path::{Path, PathBuf};

use tideover_report::quoted;

use crate::cli::check::CheckCommand;
use crate::cli::files::{NamedFile, given_files};
use crate::cli::played::Played;
use crate::cli::{Problem, tideover, wrong};

impl CheckCommand {
    /// The files that the command reads and writes, by option.
    pub(super) fn files(&self) -> Vec<NamedFile> {
        let given = given_files([("--profile", &self.world.profile), ("--learn", &self.learn)]);
        let numbers = 1..=usize::from(self.max_findings);
        let saved = numbers.map(|number| ("--save", numbered(&self.save, number)));
        given.chain(self.reports.files()).chain(self.live.files()).chain(saved).collect()
    }

    /// Writes the transcript of each failure, and returns the commands that replay them.
    pub(super) fn save(&self, played: &Played) -> Result<Vec<String>, Problem> {
        let mut numbers = 1..=usize::from(self.max_findings);
        let replay = |path: &Path| {
            let path = quoted(&path.display().to_string());
            format!("{} replay {path}{}", tideover(), played.replay_options)
        };
        let kept = played.summary.shown().map_while(|failure| {
            if let Some(file) = &failure.regression {
                return Some(Ok(replay(Path::new(file))));
            }
            let path = numbered(&self.save, numbers.next()?);
            let written = failure.write(&path, &played.secrets);
            let written = written.map(|()| replay(&path)).map_err(|error| {
                let path = path.display();
                wrong(format!("the failure could not be written: {path}: {error}"))
            });
            Some(written)
        });
        kept.collect()
    }
}

/// `failure.jsonl`, `failure-2.jsonl`, `failure-3.jsonl`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

//! The files that a check reads and writes.

use std::path::{Path, PathBuf};

use tideover_exchange::secrets::Secrets;
use tideover_exchange::transcript::PlayedSteps;
use tideover_report::quoted;
use tideover_suite::play::cases::Summary;

use crate::cli::Problem;
use crate::cli::check::CheckCommand;
use crate::cli::files::NamedFile;
use crate::cli::live::LiveOptions;

impl CheckCommand {
    /// The files that the command reads and writes, by option.
    pub(super) fn files(&self) -> Result<Vec<NamedFile>, Problem> {
        let given = [("--profile", &self.world.profile), ("--learn", &self.learn)];
        let given = given.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)));
        let mut files: Vec<NamedFile> = given.chain(self.reports.files()).collect();
        if self.live.is_given() {
            files.extend(LiveOptions::clone(&self.live).with_file()?.files());
        }
        let numbers = 1..=usize::from(self.max_findings);
        files.extend(numbers.map(|number| ("--save", numbered(&self.save, number))));
        Ok(files)
    }

    /// Writes the transcript of each failure, and returns the commands that replay them.
    pub(super) fn keep(&self, summary: &Summary) -> Result<Vec<String>, Problem> {
        let on = if self.in_process { "model" } else { "mock" };
        let defect = self.defect.map_or_else(String::new, |it| format!(" --defect {}", it.name));
        let kept = self.save(summary, &Secrets::default())?.into_iter();
        Ok(kept.map(|replay| format!("{replay} --on {on}{defect}")).collect())
    }

    /// Writes the transcript of each failure, and returns the commands that replay them, without the target.
    pub(super) fn save(
        &self,
        summary: &Summary,
        secrets: &Secrets,
    ) -> Result<Vec<String>, Problem> {
        let tideover = std::env::args().next().unwrap_or_else(|| "tideover".into());
        let numbers = 1..=usize::from(self.max_findings);
        let kept = summary.shown().zip(numbers).map(|(failure, number)| {
            let path = numbered(&self.save, number);
            let played = PlayedSteps { answers: &failure.answers, arrivals: &failure.arrivals };
            failure.transcript.write(&path, played, secrets).map_err(|error| {
                let path = path.display();
                Problem::Wrong(format!("the failure could not be written: {path}: {error}"))
            })?;
            Ok(format!("{tideover} replay {}", quoted(&path.display().to_string())))
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

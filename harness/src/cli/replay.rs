//! `tideover replay`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use tideover_model::Destinations;

use crate::cli::files::{NamedFile, refuse_shared_files};
use crate::cli::live::{LiveOptions, ReplayOutcome};
use crate::cli::{Outcome, Output, Problem, defect_named};
use crate::endpoint::{INBOX, service};
use crate::evidence::finding::{Finding, Verdict};
use crate::exchange::transcript::Transcript;
use crate::play::case::{Played, play};
use crate::play::cases::{InProcess, World};
use crate::prove::defects::Defect;
use crate::report::plain;

/// Play a transcript again: on the model, on a mock, or against a live endpoint.
///
/// Each response is compared with what the transcript expects, and judged by every check. At a live
/// endpoint only reads are sent unless the options allow more, and every step must pass the gate.
#[derive(Args)]
pub(super) struct Replay {
    /// The transcript
    file: PathBuf,
    /// Play on the model, or on an embedded mock over HTTP
    #[arg(long, value_name = "WHERE", default_value = "mock", conflicts_with_all = ["target", "config"])]
    on: Where,
    /// Plant this defect of the catalogue
    #[arg(long, value_name = "NAME", value_parser = defect_named, conflicts_with_all = ["target", "config"])]
    defect: Option<&'static Defect>,
    /// Print each step as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    live: Box<LiveOptions>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Where {
    Model,
    Mock,
}

impl Replay {
    pub(super) async fn run(self) -> Result<Outcome, Problem> {
        refuse_shared_files(&self.files()?)?;
        let transcript = Transcript::read(&self.file)?;
        let ReplayOutcome { played, left_behind, secrets, journal } = if self.live.is_given() {
            LiveOptions::clone(&self.live).replay(&transcript).await?
        } else {
            self.play(&transcript).await?.into()
        };
        let output = Output::new(self.json).concealing(secrets);
        print(&output, &transcript, &played)?;
        for (_, finding) in &played.noticed {
            output.print(format!("\n{finding}"), || json!({ "noticed": finding }))?;
        }
        for left in left_behind {
            output.print(format!("left behind: {left}"), || json!({ "leftBehind": left }))?;
        }
        if let Some(journal) = journal.map(|journal| journal.display().to_string()) {
            output.print(format!("journal: {journal}"), || json!({ "journal": journal }))?;
        }
        let violated = played.findings.iter().any(|finding| finding.verdict == Verdict::Violated);
        let is_open = |finding: &Finding| finding.verdict == Verdict::Inconclusive;
        let is_open = played.noticed.iter().any(|(_, finding)| is_open(finding));
        Ok(match is_open || unanswered(&played) > 0 {
            _ if violated || !played.mismatches.is_empty() => Outcome::Fail,
            true => Outcome::Inconclusive,
            false => Outcome::Pass,
        })
    }

    /// The files that the command reads and writes, by option.
    fn files(&self) -> Result<Vec<NamedFile>, Problem> {
        let mut files: Vec<NamedFile> = vec![("FILE", self.file.clone())];
        if self.live.is_given() {
            files.extend(LiveOptions::clone(&self.live).with_file()?.files());
        }
        Ok(files)
    }

    async fn play(&self, transcript: &Transcript) -> Result<Played, Problem> {
        let (header, steps) = (&transcript.header, &transcript.steps);
        match self.on {
            Where::Model => {
                let (profile, seed, start) = (header.profile.clone(), header.seed, header.start);
                match self.defect {
                    None => {
                        let mut world = InProcess::new(service(profile, seed, INBOX), start);
                        Ok(play(&mut world.fresh().await?, header, steps).await?)
                    }
                    Some(defect) => {
                        let inbox = Destinations::PublicAnd(INBOX.to_owned());
                        let face = defect.service(profile, seed, inbox);
                        let mut world = InProcess::new(face, start);
                        Ok(play(&mut world.fresh().await?, header, steps).await?)
                    }
                }
            }
            Where::Mock => {
                let (mock, mut target) = Defect::embedded(header, self.defect).await?;
                let played = play(&mut target, header, steps).await;
                mock.stop().await;
                Ok(played?)
            }
        }
    }
}

/// The number of steps that got no answer.
fn unanswered(played: &Played) -> usize {
    played.answers.iter().filter(|(_, seen)| seen.is_none()).count()
}

fn print(output: &Output, transcript: &Transcript, played: &Played) -> Result<(), Problem> {
    if let Some(story) = &transcript.header.story {
        output.print(story, || json!({ "story": story }))?;
    }
    for (index, (at, seen)) in played.answers.iter().enumerate() {
        let step = &transcript.steps[index];
        let note = step.note.as_deref().map(|note| format!("   {note}\n   ")).unwrap_or_default();
        let answer = match seen {
            None => "no answer".to_owned(),
            Some(seen) => seen
                .code()
                .map_or_else(|| seen.status.to_string(), |code| format!("{} {code}", seen.status)),
        };
        let number = index + 1;
        output.print(
            format!("{number}.{note} {} → {answer}", plain(step)),
            || json!({ "step": number, "at": at, "seen": seen }),
        )?;
        for (_, mismatch) in played.mismatches.iter().filter(|(at, _)| *at == index) {
            let (field, expected, seen) = (&mismatch.field, &mismatch.expected, &mismatch.seen);
            output.print(
                format!("   NOT AS EXPECTED, {field}: expected {expected}, seen {seen}"),
                || json!({ "step": number, "field": field, "expected": expected, "seen": seen }),
            )?;
        }
    }
    for finding in &played.findings {
        output.print(format!("\n{finding}"), || json!({ "finding": finding }))?;
    }
    let count = played.answers.len();
    let verdict = match unanswered(played) {
        _ if !played.held() => "did not hold".to_owned(),
        0 => "held".to_owned(),
        none => format!("inconclusive, {none} without an answer"),
    };
    output.print(
        format!("\n{count} of {} steps played: {verdict}", transcript.steps.len()),
        || json!({ "steps": count, "held": played.held() }),
    )?;
    Ok(())
}

//! `tideover replay`

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde_json::json;
use tideover_model::{Destinations, Service};

use crate::cli::{Held, Output, Problem, client, defect_named};
use crate::defects::Defect;
use crate::finding::Verdict;
use crate::live::settings::any_name;
use crate::report::plain;
use crate::run::{Played, play};
use crate::suite::{InProcess, World};
use crate::target::{Http, INBOX, PATIENCE, embedded_with, service};
use crate::transcript::Transcript;

/// Play a transcript again: on the model, on a mock, or on a base URL.
///
/// Each answer is held against what the transcript expects, where it says so, and looked at by every
/// check. On a base URL the steps are sent as they are: that world should be a fresh one.
#[derive(Args)]
pub(super) struct Replay {
    /// The transcript
    file: PathBuf,
    /// Where it is played: model, mock (an embedded one, over HTTP), or a base URL
    #[arg(long, value_name = "WHERE", default_value = "mock")]
    on: Where,
    /// The API key for a base URL
    #[arg(long, value_name = "KEY", env = "TIDEOVER_KEY", hide_env_values = true, default_value = Service::FIRST_KEY, hide_default_value = true)]
    key: String,
    /// The mock, or the model, has a defect of the catalogue
    #[arg(long, value_name = "NAME", value_parser = defect_named)]
    defect: Option<&'static Defect>,
    /// A PEM file with certificate authorities to trust besides the system's, for a base URL of https://
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Print each step as a line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone)]
enum Where {
    Model,
    Mock,
    Url(String),
}

impl FromStr for Where {
    type Err = String;

    fn from_str(text: &str) -> Result<Where, String> {
        match text {
            "model" => Ok(Where::Model),
            "mock" => Ok(Where::Mock),
            url if url.starts_with("http://") || url.starts_with("https://") => {
                Ok(Where::Url(url.to_owned()))
            }
            _ => Err("expected model, mock, or a base URL of https:// or http://".into()),
        }
    }
}

impl Replay {
    pub(super) async fn run(self) -> Result<Held, Problem> {
        if let (Where::Url(_), Some(_)) = (&self.on, self.defect) {
            let wrong = "--defect is for the mock and the model, not for a base URL";
            return Err(Problem::Wrong(wrong.into()));
        }
        let transcript = Transcript::read(&self.file)?;
        let played = self.play(&transcript).await?;
        tell(&Output::new(self.json), &transcript, &played)?;
        let violated = played.findings.iter().any(|finding| finding.verdict == Verdict::Violated);
        Ok(if violated || !played.mismatches.is_empty() { Held::No } else { Held::Yes })
    }

    async fn play(&self, transcript: &Transcript) -> Result<Played, Problem> {
        let (header, steps) = (&transcript.header, &transcript.steps);
        match &self.on {
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
            Where::Url(url) => {
                let client = client(url, PATIENCE, self.ca.as_deref())?;
                let mut target = Http::over(client, &self.key);
                if let Some(live) = &header.live {
                    target = target.naming(format!("{}{}", live.run, any_name()));
                }
                Ok(play(&mut target, header, steps).await?)
            }
            Where::Mock => {
                let (mock, mut target) = embedded_with(header, self.defect).await?;
                let played = play(&mut target, header, steps).await;
                mock.stop().await;
                Ok(played?)
            }
        }
    }
}

fn tell(output: &Output, transcript: &Transcript, played: &Played) -> Result<(), Problem> {
    if let Some(story) = &transcript.header.story {
        output.tell(story, || json!({ "story": story }))?;
    }
    for (index, (at, seen)) in played.answers.iter().enumerate() {
        let step = &transcript.steps[index];
        let note = step.note.as_deref().map(|note| format!("   {note}\n   ")).unwrap_or_default();
        let answer = seen
            .code()
            .map_or_else(|| seen.status.to_string(), |code| format!("{} {code}", seen.status));
        let number = index + 1;
        output.tell(
            format!("{number}.{note} {} → {answer}", plain(step)),
            || json!({ "step": number, "at": at, "seen": seen }),
        )?;
        for (_, mismatch) in played.mismatches.iter().filter(|(at, _)| *at == index) {
            let (field, expected, seen) = (&mismatch.field, &mismatch.expected, &mismatch.seen);
            output.tell(
                format!("   NOT AS EXPECTED, {field}: expected {expected}, seen {seen}"),
                || json!({ "step": number, "field": field, "expected": expected, "seen": seen }),
            )?;
        }
    }
    for finding in &played.findings {
        output.tell(format!("\n{finding}"), || json!({ "finding": finding }))?;
    }
    let count = played.answers.len();
    let verdict = if played.held() { "held" } else { "did not hold" };
    output.tell(
        format!("\n{count} of {} steps played: {verdict}", transcript.steps.len()),
        || json!({ "steps": count, "held": played.held() }),
    )?;
    Ok(())
}

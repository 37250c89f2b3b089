//! Findings of earlier runs, which a run plays first.

use tideover_exchange::evidence::Reproduced;
use tideover_exchange::step::Action;
use tideover_exchange::transcript::{FindingName, Transcript};

use crate::play::cases::Failure;
use crate::play::replay::Replay;

/// A finding of an earlier run, as it was kept.
#[derive(Clone, Debug)]
pub struct Regression {
    /// Where it is kept.
    pub file: String,
    pub transcript: Transcript,
    pub finding: FindingName,
}

/// Whether a finding still shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its steps show it again.
    StillThere,
    /// Its steps were played to their end, and show it no more.
    Gone,
    /// Its steps could not be played as they were, so that nothing is known.
    NotPlayed(String),
}

/// A finding of an earlier run that was played again.
#[derive(Clone, Debug)]
pub struct Revisited {
    pub file: String,
    pub finding: FindingName,
    pub standing: Standing,
    pub reproduced: Reproduced,
    /// The play that shows it, if it is still there.
    pub failure: Option<Failure>,
}

impl Regression {
    /// `None` if the transcript names no finding: then it is a story that somebody wrote.
    pub fn new(file: String, transcript: Transcript) -> Option<Regression> {
        let finding = transcript.finding.clone()?;
        Some(Regression { file, transcript, finding })
    }

    /// What its replay says.
    pub fn revisited(&self, replay: &Replay<'_>) -> Revisited {
        let shown = replay.finding().map(|finding| {
            let mut played = replay.shown.clone();
            // What came with the finding must not name the failure.
            played.findings.retain(|one| one != finding);
            played.findings.insert(0, finding.clone());
            Failure {
                reproduced: Some(replay.reproduced),
                regression: Some(self.file.clone()),
                ..Failure::played_again(&self.transcript, played)
            }
        });
        let standing = match &shown {
            Some(_) => Standing::StillThere,
            None => self.absence(replay),
        };
        self.with(standing, replay.reproduced, shown)
    }

    /// That its steps could not be played.
    pub fn not_played(&self, why: impl Into<String>) -> Revisited {
        self.with(Standing::NotPlayed(why.into()), Reproduced::default(), None)
    }

    fn with(
        &self,
        standing: Standing,
        reproduced: Reproduced,
        failure: Option<Failure>,
    ) -> Revisited {
        let (file, finding) = (self.file.clone(), self.finding.clone());
        Revisited { file, finding, standing, reproduced, failure }
    }

    /// The first step at the operator port that succeeded when it was found, and does not now.
    fn refused_action(&self, replay: &Replay<'_>) -> Option<usize> {
        let Transcript { steps, recorded, .. } = &self.transcript;
        let is_success = |status: u16| (200..300).contains(&status);
        let mut played = steps.iter().zip(recorded).zip(&replay.shown.answers);
        played.position(|((step, was), (_, now))| {
            !matches!(step.action, Action::Call(_))
                && was.status.is_some_and(is_success)
                && now.as_ref().is_some_and(|now| !is_success(now.status))
        })
    }

    /// Why a replay did not show it.
    fn absence(&self, replay: &Replay<'_>) -> Standing {
        let (planned, played) = (self.transcript.steps.len(), replay.shown.answers.len());
        if let Some(why) = replay.shown.unsent.first() {
            return Standing::NotPlayed(why.clone());
        }
        if let Some(index) = self.refused_action(replay) {
            return Standing::NotPlayed(format!(
                "step {} succeeded then and was refused",
                index + 1
            ));
        }
        match replay.unanswered() {
            0 if played == planned => Standing::Gone,
            0 => Standing::NotPlayed(format!("{played} of {planned} steps were played")),
            silent => Standing::NotPlayed(format!("{silent} of {planned} steps got no answer")),
        }
    }
}

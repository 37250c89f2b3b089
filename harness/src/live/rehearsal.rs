//! A rehearsal of steps with the model before any of them is sent: a transcript without a refused step may no longer
//! lead to its finding.

use serde_json::json;
use tideover_model::wire::action::written;
use tideover_model::wire::field;
use tideover_model::{Clause, Face, Happening, PlatformId, Service};

use crate::endpoint::{Bare, INBOX, Target, Unanswered, service};
use crate::exchange::Memory;
use crate::exchange::step::Step;
use crate::exchange::transcript::Header;
use crate::exchange::{Arrival, Prepared, Seen};
use crate::live::settings::Settings;
use crate::play::case::{Observed, play};
use crate::play::cases::Rehearsed;

/// The model, in which steps against a live target are rehearsed.
struct Stage {
    bare: Bare,
    memory: Memory,
}

/// How the last of `steps` ends in the model, and whether `clause` is met on the way.
pub(super) async fn rehearse(
    settings: &Settings,
    header: &Header,
    steps: &[Step],
    clause: Clause,
) -> Option<Rehearsed> {
    let played = play(&mut Stage::new(settings, header), header, steps).await.ok()?;
    let last = played.answers.last()?.1.as_ref()?;
    let (status, code) = (last.status, last.code().map(str::to_owned));
    Some(Rehearsed { status, code, met: played.met.times(clause) > 0 })
}

impl Stage {
    fn new(settings: &Settings, header: &Header) -> Stage {
        let mut face = service(header.profile.clone(), header.seed, INBOX);
        let mut memory = settings.memory(Some(INBOX), 0);
        let issue = Happening::IssueKey { platform: Some("other".into()) };
        if settings.second_key.is_some()
            && let Ok(issued) = face.happen(header.start, PlatformId::DEFAULT, issue)
        {
            memory = memory.knowing("other", json!({ "key": written(&issued)[field::KEY] }));
        }
        Stage { bare: Bare::over(face, header.start), memory }
    }
}

impl Target for Stage {
    fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    async fn send(&mut self, step: &Prepared) -> Result<Seen, Unanswered> {
        self.bare.send(step).await
    }

    fn inbox(&self) -> Option<&str> {
        self.bare.inbox()
    }

    fn memory(&self) -> Memory {
        self.memory.clone()
    }

    async fn arrivals(&mut self) -> Result<Vec<Arrival>, Unanswered> {
        self.bare.arrivals().await
    }
}

impl Observed for Stage {
    const TIMED: bool = false;
}

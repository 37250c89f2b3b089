//! Plays steps in the model before they are sent. Without a step that shrinking removed, the last step may no
//! longer show the finding.

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

/// The model as a stand-in for a live target.
struct RehearsalTarget {
    bare: Bare,
    memory: Memory,
}

/// The model's response to the last of `steps`, and whether the steps meet `clause`.
pub(super) async fn rehearse(
    settings: &Settings,
    header: &Header,
    steps: &[Step],
    clause: Clause,
) -> Option<Rehearsed> {
    let played = play(&mut RehearsalTarget::new(settings, header), header, steps).await.ok()?;
    let last = played.answers.last()?.1.as_ref()?;
    let (status, code) = (last.status, last.code().map(str::to_owned));
    Some(Rehearsed { status, code, met: played.met.times(clause) > 0 })
}

impl RehearsalTarget {
    fn new(settings: &Settings, header: &Header) -> RehearsalTarget {
        let mut face = service(header.profile.clone(), header.seed, INBOX);
        let mut memory = settings.memory(Some(INBOX), 0);
        let issue = Happening::IssueKey { platform: Some("other".into()) };
        if settings.second_key.is_some()
            && let Ok(issued) = face.happen(header.start, PlatformId::DEFAULT, issue)
        {
            memory = memory.knowing("other", json!({ "key": written(&issued)[field::KEY] }));
        }
        RehearsalTarget { bare: Bare::over(face, header.start), memory }
    }
}

impl Target for RehearsalTarget {
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

impl Observed for RehearsalTarget {
    const TIMED: bool = false;
}

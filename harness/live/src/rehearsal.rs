//! Plays steps in the model before they are sent: a step that shrinking removed may be one without which the last
//! step no longer shows the finding, and the cases that show the most come first.

use serde_json::json;
use tideover_exchange::Memory;
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, ModelTarget, Target, Unanswered, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, Response};
use tideover_model::wire::action::written;
use tideover_model::wire::field;
use tideover_model::{Clause, Face, Happening, PlatformId, Service};
use tideover_suite::play::case::{Observed, play};
use tideover_suite::play::cases::Rehearsed;
use tideover_suite::play::order::Shown;

use crate::facilities::{OTHER, second_platform};
use crate::settings::Settings;

/// The model as a stand-in for a live target.
struct RehearsalTarget {
    bare: ModelTarget,
    memory: Memory,
    has_inbox: bool,
}

/// What `steps` show. Whether a judge who knows nothing of the target would see it is not computed: that costs twenty
/// times as much, and changes the order little.
pub(super) async fn shown_by(
    settings: &Settings,
    has_inbox: bool,
    header: &Header,
    steps: &[Step],
) -> Shown {
    let second_key = settings.second_key.is_some().then(second_platform);
    let before = usize::from(second_key.is_some());
    let all: Vec<Step> = second_key.into_iter().chain(steps.iter().cloned()).collect();
    // The name of a run is random, and the order of the cases must not depend on it.
    let own_name = "td-rehearsal-".to_owned();
    let settings = Settings { second_key: None, own_name, ..settings.clone() };
    let mut target = RehearsalTarget::new(&settings, header, has_inbox);
    let Ok(played) = play(&mut target, header, &all).await else { return Shown::default() };
    Shown::by(&played, &all, before)
}

/// The model's response to the last of `steps`, and whether the steps meet `clause`.
pub(super) async fn rehearse(
    settings: &Settings,
    header: &Header,
    steps: &[Step],
    clause: Clause,
) -> Option<Rehearsed> {
    let mut target = RehearsalTarget::new(settings, header, true);
    let played = play(&mut target, header, steps).await.ok()?;
    let last = played.answers.last()?.1.as_ref()?;
    let (status, code) = (last.status, last.code().map(str::to_owned));
    Some(Rehearsed { status, code, met: played.met.times(clause) > 0 })
}

impl RehearsalTarget {
    fn new(settings: &Settings, header: &Header, has_inbox: bool) -> RehearsalTarget {
        let mut face = service(header.profile.clone(), header.seed, INBOX);
        let mut memory = settings.memory(has_inbox.then_some(INBOX), 0);
        let issue = Happening::IssueKey { platform: Some(OTHER.into()) };
        if settings.second_key.is_some()
            && let Ok(issued) = face.happen(header.start, PlatformId::DEFAULT, issue)
        {
            memory = memory.knowing(OTHER, json!({ "key": written(&issued)[field::KEY] }));
        }
        RehearsalTarget { bare: ModelTarget::over(face, header.start), memory, has_inbox }
    }
}

impl Target for RehearsalTarget {
    fn api_key(&self) -> &str {
        Service::FIRST_KEY
    }

    async fn send(&mut self, step: &Prepared) -> Result<Response, Unanswered> {
        self.bare.send(step).await
    }

    fn inbox(&self) -> Option<&str> {
        self.bare.inbox().filter(|_| self.has_inbox)
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

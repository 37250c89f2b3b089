//! Plays steps in the model before they are sent: a step that shrinking removed may be one without which the last
//! step no longer shows the finding, and the cases that show the most come first.

use std::collections::BTreeSet;

use serde_json::{Map, json};
use tideover_exchange::Memory;
use tideover_exchange::evidence::matrix::{Asked, Kind};
use tideover_exchange::step::{Action, Caller, Step};
use tideover_exchange::target::{INBOX, ModelTarget, Target, Unanswered, service};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Arrival, Prepared, Response};
use tideover_model::wire::action::written;
use tideover_model::wire::field;
use tideover_model::{ActionKind, Clause, Face, Happening, OperationKind, PlatformId, Service};
use tideover_suite::play::case::{Observed, Played, play};
use tideover_suite::play::cases::Rehearsed;

use crate::facilities::OTHER;
use crate::settings::Settings;

/// The model as a stand-in for a live target.
struct RehearsalTarget {
    bare: ModelTarget,
    memory: Memory,
    has_inbox: bool,
}

/// What a case shows at a target that behaves like the model.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// The clauses that it meets first, by number, each with the index of its step; in the order of the steps.
    pub(super) firsts: Vec<(usize, usize)>,
    pub(super) cells: BTreeSet<Cell>,
}

/// Something that a run should have asked once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cell {
    /// A request under a key that has this outcome: a status, and the code of a refusal.
    Outcome(OperationKind, Caller, u16, Option<String>),
    /// A request, or an action, in a state.
    InState(Kind, String, Asked),
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
    let last = steps.len().saturating_sub(1);
    let step_of = |nth: usize| {
        let step = played.met_after.partition_point(|met| *met <= nth);
        step.saturating_sub(before).min(last)
    };
    let firsts = played.met.firsts().iter().enumerate();
    Shown {
        firsts: firsts.map(|(nth, clause)| (step_of(nth), *clause)).collect(),
        cells: cells(&all, &played),
    }
}

fn cells(steps: &[Step], played: &Played) -> BTreeSet<Cell> {
    let outcome = |(step, (_, seen)): (&Step, &(_, Option<Response>))| {
        let (Action::Call(call), Some(seen)) = (&step.action, seen) else { return None };
        let code = seen.code().map(str::to_owned);
        Some(Cell::Outcome(call.kind()?, step.caller.clone(), seen.status, code))
    };
    let matrix = played.coverage.matrix();
    let in_state = Kind::ALL.into_iter().flat_map(|kind| {
        let states = matrix.of(kind);
        states.flat_map(move |(state, asked)| {
            asked.iter().map(move |asked| Cell::InState(kind, state.to_owned(), *asked))
        })
    });
    steps.iter().zip(&played.answers).filter_map(outcome).chain(in_state).collect()
}

/// The step that gives a second platform its key.
fn second_platform() -> Step {
    let fields = Map::from_iter([("platform".to_owned(), json!(OTHER))]);
    Step::new(Action::Act(ActionKind::IssueKey.with(fields))).named(OTHER)
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

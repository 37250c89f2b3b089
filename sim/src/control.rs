//! The control plane under `/_sim`: the outside world, the clock, and inspection.

pub(crate) mod answers;
pub(crate) mod clock;
pub(crate) mod deliveries;
pub(crate) mod faults;
mod fields;
pub(crate) mod journal;
pub(crate) mod worlds;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tideover_model::wire::action;
use tideover_model::wire::action::NotApplied;
use tideover_model::{
    ActionKind, Happening, Impossible, PlatformId, Refusal, Seconds, Service, bearer, masked,
};

use crate::clock::instant;
use crate::control::answers::{
    Actions, ClockShown, Health, Key, Keys, Objection, Objections, Saved,
};
use crate::control::clock::Move;
use crate::extract;
use crate::respond;
use crate::world::World;
use crate::worlds::{InUse, Selected, WorldId, Worlds};

/// The maximum size of a body in bytes. The partner API has its own limit.
const MOST_BYTES: usize = 1 << 20;
/// The longest time that a request waits.
const MOST_PATIENCE: Seconds = 3600;

/// A refusal by the control plane.
#[derive(Debug)]
pub(crate) enum ControlError {
    /// With a code of the document's table.
    Refused(Refusal),
    /// With a code of the operator port.
    NotApplied(NotApplied),
}

impl From<Refusal> for ControlError {
    fn from(refusal: Refusal) -> ControlError {
        ControlError::Refused(refusal)
    }
}

impl From<NotApplied> for ControlError {
    fn from(why: NotApplied) -> ControlError {
        ControlError::NotApplied(why)
    }
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        match self {
            ControlError::Refused(refusal) => respond::refusal(refusal),
            ControlError::NotApplied(why) => respond::not_applied(&why),
        }
    }
}

pub(crate) type ControlResult = Result<Response, ControlError>;
pub(crate) type SharedWorlds = State<Arc<Worlds>>;

/// The sender of a request: a platform of a world, identified by any key that it was ever issued.
pub(crate) struct ControlCaller {
    pub(crate) id: WorldId,
    pub(crate) world: World,
    pub(crate) platform: PlatformId,
    /// The key in the request, as it is used outside.
    pub(crate) key: String,
    pub(crate) in_use: InUse,
}

/// # Errors
/// `unauthorized`: a key that was never issued, or whose world is gone.
pub(crate) fn caller(worlds: &Worlds, headers: &HeaderMap) -> Result<ControlCaller, ControlError> {
    let sent = extract::header(headers, AUTHORIZATION);
    let selected = worlds.select(sent).map_err(Refusal::from)?;
    let Selected { id, world, authorization, in_use } = selected;
    let platform = world.platform_of(authorization.as_deref()).ok_or(NotApplied::UnknownKey)?;
    let first = || worlds.outer_key(WorldId::DEFAULT, Service::FIRST_KEY);
    let key = sent.and_then(bearer).map_or_else(first, str::to_owned);
    Ok(ControlCaller { id, world, platform, key, in_use })
}

/// `GET /_sim/actions`: the names of the actions, and each action with its fields and an example.
pub(crate) async fn actions() -> Response {
    let actions = ActionKind::ALL.iter().map(|kind| kind.name()).collect();
    respond::ok(&Actions { actions, described: action::described() })
}

/// `POST /_sim/actions`: performs an action of the outside world.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request` or `unknown_action`,
/// `action_refused`.
pub(crate) async fn act(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let body = extract::body(request.into_body(), MOST_BYTES).await?;
    let happening = action::read(&body, &caller.key)?;
    happen(&worlds, &caller, happening)
}

/// `POST /_sim/reset`: brings the world back to its start.
///
/// # Errors
/// `unauthorized`, `action_refused` if its scenario can't be played again.
pub(crate) async fn reset(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    happen(&worlds, &caller, Happening::Reset)
}

fn happen(worlds: &Worlds, caller: &ControlCaller, happening: Happening) -> ControlResult {
    let outcome = worlds
        .happen((caller.id, &caller.world), caller.platform, happening)
        .map_err(NotApplied::from)?;
    Ok(respond::ok(&action::Done::from(&outcome)))
}

/// `GET /_sim/clock`: the current time.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn clock(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    Ok(respond::ok(&ClockShown { now: caller.world.now() }))
}

/// `POST /_sim/clock`: moves the clock forward. Everything due happens on the way, in order.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request`, `action_refused` during
/// another move, or to an instant in the past.
pub(crate) async fn advance(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let body = extract::body(request.into_body(), MOST_BYTES).await?;
    let body: Value = serde_json::from_slice(&body).map_err(|why| unreadable(&why.to_string()))?;
    Ok(respond::ok(&Move::read(&body)?.make(&caller.world).await?))
}

/// `GET /_sim/health`: shows that the mock is up, that it is this mock, and its deliberate defect, if any.
pub(crate) async fn health(State(worlds): SharedWorlds) -> Response {
    let world = worlds.default_world();
    let (now, defect) = (world.now(), world.defect());
    respond::ok(&Health { status: "ok", mock: "tideover", now, defect })
}

/// `POST /_sim/save`: writes the state file. The answer comes once the file is whole.
///
/// # Errors
/// `action_refused`: the mock keeps no state, or the file can't be written.
pub(crate) async fn save(State(worlds): SharedWorlds) -> ControlResult {
    let saved = worlds.save().await;
    saved.map_err(|why| NotApplied::Impossible(Impossible(why.to_string().into())))?;
    Ok(respond::ok(&Saved { saved: true }))
}

/// `GET /_sim/keys`: the platforms and their keys, masked.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn keys(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let keys = caller.world.keys().into_iter().map(|issued| {
        let key = masked(issued.reveal());
        Key { platform: issued.platform, key, revoked: issued.revoked }
    });
    Ok(respond::ok(&Keys { keys: keys.collect() }))
}

/// `GET /_sim/objections`: everything for which the invoice `invoice` of `payee` cannot be financed now, in order
/// of precedence.
///
/// # Errors
/// `unauthorized`, `invalid_request`, `business_not_found`, `invoice_not_found`.
pub(crate) async fn objections(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    const EXPECTED: &str =
        "expected ?payee=…&invoice=…: the identifiers of a payee and of its invoice";
    let caller = caller(&worlds, request.headers())?;
    let (mut payee, mut invoice) = (None, None);
    let query = request.uri().query().unwrap_or_default();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "payee" => payee = Some(value),
            "invoice" => invoice = Some(value),
            _ => return Err(invalid(EXPECTED)),
        }
    }
    let (payee, invoice) = payee.zip(invoice).ok_or_else(|| invalid(EXPECTED))?;
    let objections = caller.world.objections(caller.platform, &payee, &invoice)?;
    let objections = objections.iter().map(|Refusal { code, clause, message }| Objection {
        code: *code,
        clause: clause.name(),
        sentence: message,
    });
    Ok(respond::ok(&Objections { objections: objections.collect() }))
}

/// `GET /_sim/freedoms`: what grease does, and how often the client has met it.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn freedoms(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    Ok(respond::ok(&caller.world.coverage_view()))
}

/// The time that a request waits, even if the world of its key is replaced meanwhile.
pub(crate) struct Patience {
    begun: Instant,
    time: Duration,
}

impl Patience {
    pub(crate) fn of(seconds: Seconds) -> Patience {
        Patience { begun: instant(), time: Duration::from_secs(seconds) }
    }

    pub(crate) fn left(&self) -> Duration {
        self.time.saturating_sub(self.begun.elapsed())
    }
}

fn unreadable(why: &str) -> ControlError {
    NotApplied::Unreadable(why.to_owned()).into()
}

fn invalid(why: &str) -> ControlError {
    NotApplied::Invalid(why.to_owned()).into()
}

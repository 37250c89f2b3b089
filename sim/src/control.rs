//! The control plane under `/_sim`: the outside world, the clock, and inspection.

pub(crate) mod answers;
pub(crate) mod clauses;
pub(crate) mod clock;
pub(crate) mod conduct;
pub(crate) mod deliveries;
pub(crate) mod faults;
mod fields;
pub(crate) mod interventions;
pub(crate) mod journal;
pub(crate) mod past;
pub(crate) mod worlds;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tideover_model::wire::action;
use tideover_model::wire::action::{Applied, NotApplied};
use tideover_model::wire::problem::unfit;
use tideover_model::{
    ActionKind, Happening, Impossible, PlatformId, Refusal, Seconds, Service, bearer, masked,
};

use crate::clock::{instant, since};
use crate::control::answers::{
    Actions, ClockShown, Health, Key, Keys, Objection, Objections, Saved,
};
use crate::control::clock::Move;
use crate::control::worlds::Reset;
use crate::extract;
use crate::respond;
use crate::world::World;
use crate::worlds::{InUse, Selected, WorldId, Worlds};

/// The maximum size of a body in bytes. The partner API has its own limit, which a profile can change: a test that
/// sets it to ten bytes must still be able to act.
const MOST_BYTES: usize = 1 << 20;
/// The longest time that a request may ask to wait. Seconds.
const MOST_PATIENCE: Seconds = 3600;

/// A refusal by the control plane. `openapi/operator/routes.rs` has the codes of each route.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    /// With a code of the document's table.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// With a code of the operator port.
    #[error(transparent)]
    NotApplied(#[from] NotApplied),
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

/// The sender of a request: a platform of a world, identified by any key that it was ever issued. Unlike the partner
/// API, the port takes a revoked key: a test must be able to act after it has revoked its own.
pub(crate) struct ControlCaller {
    pub(crate) id: WorldId,
    pub(crate) world: World,
    pub(crate) platform: PlatformId,
    /// The key in the request, in its outer form.
    pub(crate) key: String,
    pub(crate) in_use: InUse,
}

impl FromRequestParts<Arc<Worlds>> for ControlCaller {
    type Rejection = ControlError;

    async fn from_request_parts(
        head: &mut Parts,
        worlds: &Arc<Worlds>,
    ) -> Result<ControlCaller, ControlError> {
        caller(worlds, &head.headers)
    }
}

/// `unauthorized` for a key that was never issued, or whose world is gone.
fn caller(worlds: &Worlds, headers: &HeaderMap) -> Result<ControlCaller, ControlError> {
    let sent = extract::header(headers, AUTHORIZATION);
    let selected = worlds.select(sent).map_err(Refusal::from)?;
    let Selected { id, world, authorization, in_use } = selected;
    let platform = world.platform_of(authorization.as_deref()).ok_or(NotApplied::UnknownKey)?;
    let first = || worlds.outer_key(WorldId::DEFAULT, Service::FIRST_KEY);
    let key = sent.and_then(bearer).map_or_else(first, str::to_owned);
    Ok(ControlCaller { id, world, platform, key, in_use })
}

/// The JSON in a body.
async fn json(body: Body) -> Result<Value, ControlError> {
    parsed(&extract::body(body, MOST_BYTES).await?)
}

fn parsed(body: &[u8]) -> Result<Value, ControlError> {
    serde_json::from_slice(body).map_err(|why| unreadable(&why.to_string()))
}

/// `GET /_sim/actions`: the names of the actions, and each action with its fields and an example.
pub(crate) async fn actions() -> Response {
    let actions = ActionKind::ALL.iter().map(|kind| kind.name()).collect();
    respond::ok(&Actions { actions, described: action::described() })
}

/// `POST /_sim/actions`: performs an action of the outside world.
pub(crate) async fn act(
    State(worlds): SharedWorlds,
    caller: ControlCaller,
    body: Body,
) -> ControlResult {
    let body = extract::body(body, MOST_BYTES).await?;
    let happening = action::read(&body, &caller.key)?;
    happen(&worlds, &caller, happening)
}

/// `POST /_sim/reset`: restores the start of the world.
pub(crate) async fn reset(
    State(worlds): SharedWorlds,
    caller: ControlCaller,
    body: Body,
) -> ControlResult {
    let reset: Reset = worlds::read(&extract::body(body, MOST_BYTES).await?)?;
    happen(&worlds, &caller, reset.happening())
}

fn happen(worlds: &Worlds, caller: &ControlCaller, happening: Happening) -> ControlResult {
    let outcome = worlds
        .happen((caller.id, &caller.world), caller.platform, happening)
        .map_err(NotApplied::from)?;
    Ok(respond::ok(&action::Done::from(&outcome)))
}

/// `GET /_sim/clock`: the current time.
pub(crate) async fn clock(caller: ControlCaller) -> Response {
    respond::ok(&ClockShown { now: caller.world.now() })
}

/// `POST /_sim/clock`: moves the clock forward. Everything due happens on the way, in order.
pub(crate) async fn advance(caller: ControlCaller, body: Body) -> ControlResult {
    let body = json(body).await?;
    Ok(respond::ok(&Move::read(&body)?.make(&caller.world).await?))
}

/// `GET /_sim/health`: shows that the mock is up, that it is this mock, and its deliberate defect, if any.
pub(crate) async fn health(State(worlds): SharedWorlds) -> Response {
    let world = worlds.default_world();
    let (now, defect) = (world.now(), world.defect());
    respond::ok(&Health { status: "ok", mock: "tideover", now, defect })
}

/// `POST /_sim/receiver`: accepts a webhook, and does nothing with it. A subscription to it shows deliveries to someone
/// who has no receiver yet.
pub(crate) async fn receive() -> Response {
    respond::ok(&Applied::IT_IS)
}

/// `POST /_sim/save`: writes the state file. The answer comes once the file is complete.
pub(crate) async fn save(State(worlds): SharedWorlds) -> ControlResult {
    let saved = worlds.save().await;
    saved.map_err(|why| NotApplied::Impossible(Impossible(why.to_string().into())))?;
    Ok(respond::ok(&Saved { saved: true }))
}

/// `GET /_sim/keys`: the platforms and their keys, masked.
pub(crate) async fn keys(caller: ControlCaller) -> Response {
    let keys = caller.world.keys().into_iter().map(|issued| {
        let key = masked(issued.reveal());
        Key { platform: issued.platform, key, revoked: issued.revoked }
    });
    respond::ok(&Keys { keys: keys.collect() })
}

/// `GET /_sim/objections`: every refusal that an advance for the invoice `invoice` of `payee` would meet now.
pub(crate) async fn objections(caller: ControlCaller, uri: Uri) -> ControlResult {
    const EXPECTED: &str =
        "expected ?payee=…&invoice=…: the identifiers of a payee and of its invoice";
    let (mut payee, mut invoice) = (None, None);
    let query = uri.query().unwrap_or_default();
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
pub(crate) async fn freedoms(caller: ControlCaller) -> Response {
    respond::ok(&caller.world.coverage_view())
}

/// How long a request waits. It spans worlds: if the world of a key is replaced, the request waits on in the new one.
pub(crate) struct Patience {
    begun: Instant,
    time: Duration,
}

impl Patience {
    pub(crate) fn of(seconds: Seconds) -> Patience {
        Patience { begun: instant(), time: Duration::from_secs(seconds) }
    }

    pub(crate) fn left(&self) -> Duration {
        self.time.saturating_sub(since(self.begun))
    }
}

fn unreadable(why: &str) -> ControlError {
    NotApplied::Unreadable(why.to_owned()).into()
}

fn invalid(why: &str) -> ControlError {
    NotApplied::Invalid(why.to_owned()).into()
}

/// The value of a parameter that is a number of `what`, such as "a delivery".
fn number(parameter: &str, what: &str, value: &str) -> Result<u64, ControlError> {
    let expected = format!("the number of {what}, such as 17");
    value.parse().map_err(|_| invalid(&unfit(parameter, &expected, Some(&value.into()))))
}

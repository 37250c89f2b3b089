//! The control plane under `/_sim`: the outside world, the clock, and a look inside.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tideover_model::wire::action::{self, NotApplied};
use tideover_model::{Happening, IssuedKey, PlatformId, Refusal, Seconds, Service, bearer};

use crate::world::World;
use crate::worlds::Worlds;
use crate::{extract, openapi, respond};

/// Bytes that a body may have here: the partner API's limit is its own.
const MOST_BYTES: usize = 1 << 20;

/// Why the control plane does not do as it was asked.
#[derive(Debug)]
pub(crate) enum Problem {
    /// In a code of the document's table.
    Refused(Refusal),
    /// As the operator port refuses.
    NotApplied(NotApplied),
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        Problem::Refused(refusal)
    }
}

impl From<NotApplied> for Problem {
    fn from(why: NotApplied) -> Problem {
        Problem::NotApplied(why)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        match self {
            Problem::Refused(refusal) => respond::refusal(refusal),
            Problem::NotApplied(why) => respond::not_applied(&why),
        }
    }
}

type Controlled = Result<Response, Problem>;
type Shared = State<Arc<Worlds>>;

/// Who asks: a platform of a world, by any key that it was ever issued.
struct Caller {
    world: World,
    platform: PlatformId,
    /// The key that says so.
    key: String,
}

/// # Errors
/// `unauthorized`: a key that was never issued.
fn caller(worlds: &Worlds, request: &Request) -> Result<Caller, Problem> {
    let authorization = extract::header(request.headers(), AUTHORIZATION);
    let world = worlds.of(authorization);
    let platform = world.platform_of(authorization).ok_or(NotApplied::UnknownKey)?;
    let key = authorization.and_then(bearer).unwrap_or(Service::FIRST_KEY).to_owned();
    Ok(Caller { world, platform, key })
}

/// `GET /_sim/actions`: what is offered.
pub(crate) async fn actions() -> Response {
    respond::ok(&json!({ "actions": action::ACTIONS }))
}

/// `POST /_sim/actions`: lets something happen.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request` or `unknown_action`,
/// `action_refused`.
pub(crate) async fn act(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    let body = extract::body(request.into_body(), MOST_BYTES).await?;
    let happening = action::read(&body, &caller.key)?;
    happen(&worlds, &caller, happening)
}

/// `POST /_sim/reset`: everything is as it was at the start.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn reset(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    happen(&worlds, &caller, Happening::Reset)
}

fn happen(worlds: &Worlds, caller: &Caller, happening: Happening) -> Controlled {
    let outcome =
        worlds.happen(&caller.world, caller.platform, happening).map_err(NotApplied::from)?;
    Ok(respond::ok(&action::written(&outcome)))
}

/// `GET /_sim/clock`: what time it is.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn clock(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    Ok(respond::ok(&json!({ "now": caller.world.now() })))
}

/// `POST /_sim/clock`: moves it forward; everything due has happened then, in order.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request`.
pub(crate) async fn advance(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    let body = extract::body(request.into_body(), MOST_BYTES).await?;
    let body: Value = serde_json::from_slice(&body).map_err(|why| unreadable(&why.to_string()))?;
    let seconds = seconds(&body)
        .ok_or_else(|| invalid("expected {\"advanceSeconds\": N}, N a non-negative integer"))?;
    Ok(respond::ok(&json!({ "now": caller.world.advance_clock(seconds) })))
}

/// `{"advanceSeconds": N}`, and nothing else.
fn seconds(body: &Value) -> Option<Seconds> {
    let fields = body.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("advanceSeconds")?.as_u64()
}

/// `GET /_sim/health`: whether it answers.
pub(crate) async fn health(State(worlds): Shared) -> Response {
    respond::ok(&json!({ "status": "ok", "now": worlds.of(None).now() }))
}

/// `GET /_sim/keys`: the platforms and the keys that were issued to them, masked.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn keys(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    let keys: Vec<Value> = caller
        .world
        .keys()
        .into_iter()
        .map(|IssuedKey { platform, masked, revoked }| {
            json!({ "platform": platform, "key": masked, "revoked": revoked })
        })
        .collect();
    Ok(respond::ok(&json!({ "keys": keys })))
}

/// `GET /_sim/journal`: the last requests to the partner API, the oldest first.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn journal(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    Ok(respond::ok(&caller.world.journal_view()))
}

/// `GET /_sim/deliveries`: the deliveries queued, from number `after` on. Nothing sends them yet.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn deliveries(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    let mut parameters = request.uri().query().unwrap_or_default().split('&');
    let after = parameters.find_map(|parameter| parameter.strip_prefix("after="));
    let after = match after {
        None => 0,
        Some(number) => number
            .parse()
            .map_err(|_| invalid("after: expected the number of a delivery, such as 17"))?,
    };
    Ok(respond::ok(&caller.world.outbox_view(after)))
}

/// `GET /_sim/openapi.json`: the partner API as this world speaks it, in OpenAPI 3.1.
///
/// # Errors
/// `unauthorized`.
pub(crate) async fn openapi(State(worlds): Shared, request: Request) -> Controlled {
    let caller = caller(&worlds, &request)?;
    Ok(respond::ok(&openapi::document(caller.world.profile())))
}

fn unreadable(why: &str) -> Problem {
    NotApplied::Unreadable(why.to_owned()).into()
}

fn invalid(why: &str) -> Problem {
    NotApplied::Invalid(why.to_owned()).into()
}

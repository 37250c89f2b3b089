//! The routes: the partner API, routed by the model, and the control plane.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};
use tideover_model::exchange::Asked;
use tideover_model::wire::route::{Route, route, unknown_among};
use tideover_model::{Answer, Operation, Refusal, exchange};

use crate::arrival;
use crate::control;
use crate::control::{clauses, conduct, deliveries, faults, interventions, journal, past, worlds};
use crate::extract;
use crate::fault::Act;
use crate::guard;
use crate::guard::Guard;
use crate::journal::Arrived;
use crate::openapi;
use crate::page;
use crate::respond;
use crate::world::{Served, World};
use crate::worlds::{Selected, Worlds};

impl World {
    /// The partner API and the control plane of this world, without a socket. Where a fault drops the connection,
    /// the body of the response fails before its first byte.
    pub fn router(&self) -> Router {
        router(Arc::new(Worlds::of_one(self.clone())), Guard::default())
    }
}

/// The router of the whole server.
///
/// The partner API is the fallback, so that only the model defines its paths.
pub(crate) fn router(all: Arc<Worlds>, guard: Guard) -> Router {
    let router = control(&all)
        .merge(page::assets(of))
        .route_layer(middleware::from_fn_with_state(guard.clone(), guard::guard))
        .route("/", of(get(front)))
        .fallback(api)
        .with_state(all);
    match guard.origins {
        Some(origins) => origins.share(router),
        None => router,
    }
}

/// The control plane.
fn control(all: &Arc<Worlds>) -> Router<Arc<Worlds>> {
    let of_a_world = Router::new()
        .route("/_sim/actions", of(get(control::actions).post(control::act)))
        .route("/_sim/clock", of(get(control::clock).post(control::advance)))
        .route("/_sim/reset", of(post(control::reset)))
        .route("/_sim/keys", of(get(control::keys)))
        .route("/_sim/journal", of(get(journal::list)))
        .route("/_sim/journal.har", of(get(journal::archive)))
        .route("/_sim/journal/count", of(get(journal::count)))
        .route("/_sim/journal/unexpected", of(get(journal::unexpected)))
        .route("/_sim/journal/wait", of(post(journal::wait)))
        .route("/_sim/interventions", of(get(interventions::list)))
        .route("/_sim/conduct", of(get(conduct::of_caller)))
        .route("/_sim/objections", of(get(control::objections)))
        .route("/_sim/freedoms", of(get(control::freedoms)))
        .route("/_sim/deliveries", of(get(deliveries::list)))
        .route("/_sim/overview", of(get(page::overview)))
        .route("/_sim/events", of(get(page::events)))
        .route("/_sim/at/{entry}", of(get(past::of_caller)))
        .route("/_sim/diff", of(get(past::diff_of_caller)))
        .route("/_sim/deliveries/wait", of(post(deliveries::wait)))
        .route("/_sim/deliveries/{id}/resend", of(post(deliveries::resend)))
        .route("/_sim/faults", of(get(faults::list).post(faults::add).delete(faults::clear)))
        .route("/_sim/faults/{id}", of(delete(faults::remove)))
        .route("/_sim/openapi.json", of(get(openapi::partner_api)))
        .route_layer(middleware::from_fn_with_state(Arc::clone(all), name_the_world));
    Router::new()
        .route("/_sim/clauses", of(get(clauses::list)))
        .route("/_sim/receiver", of(post(control::receive)))
        .route("/_sim/health", of(get(control::health)))
        .route("/_sim/save", of(post(control::save)))
        .route("/_sim/worlds", of(get(worlds::list).post(worlds::create)))
        .route("/_sim/worlds/{id}", of(get(worlds::show).delete(worlds::delete)))
        .route("/_sim/worlds/{id}/conduct", of(get(conduct::of_world)))
        .route("/_sim/worlds/{id}/at/{entry}", of(get(past::of_world)))
        .route("/_sim/worlds/{id}/diff", of(get(past::diff_of_world)))
        .route("/_sim/worlds/{id}/parting", of(get(past::parting)))
        .route("/_sim/worlds/{id}/fork", of(post(worlds::fork)))
        .route("/_sim/worlds/{id}/reset", of(post(worlds::reset)))
        .route("/_sim/worlds/{id}/snapshot", of(get(worlds::snapshot).put(worlds::restore)))
        .route("/_sim/operator.json", of(get(openapi::operator_port)))
        .route("/_sim", of(get(front)))
        .merge(of_a_world)
}

/// Says which world a request without a key took, where it could have meant another one.
async fn name_the_world(
    State(worlds): State<Arc<Worlds>>,
    request: Request,
    next: Next,
) -> Response {
    let is_open = !request.headers().contains_key(AUTHORIZATION) && worlds.are_several();
    let mut response = next.run(request).await;
    if is_open {
        response.headers_mut().insert(WORLD, HeaderValue::from_static("default"));
    }
    response
}

/// The header that names a world.
const WORLD: HeaderName = HeaderName::from_static("tideover-world");

/// Leads a browser to the page. For anything else it is an unknown endpoint.
async fn front(state: State<Arc<Worlds>>, request: Request) -> Response {
    if page::is_wanted(request.headers()) { page::redirect() } else { api(state, request).await }
}

/// Whether a path without an endpoint does not concern the partner API: a browser asks for it by itself, or someone
/// means the control plane. No journal has such a request, and no fault acts on it.
fn is_ours(path: &str) -> bool {
    let rest = path.strip_prefix("/_sim");
    matches!(path, "/" | "/favicon.ico")
        || rest.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// Makes any other method, even HEAD, an unknown endpoint, as the model does for the partner API.
fn of(methods: MethodRouter<Arc<Worlds>>) -> MethodRouter<Arc<Worlds>> {
    methods.head(api).fallback(api)
}

/// Answers a request to the partner API. A key whose world does not exist is refused at the stage of the key, so after
/// the path, and concerns no other world.
async fn api(State(worlds): State<Arc<Worlds>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let (method, path) = (head.method.as_str(), head.uri.path());
    let route = route(method, path);
    if route.is_err() && is_ours(path) {
        return respond::refusal(unknown_among(method, path, openapi::operator::known()));
    }
    let sent = extract::header(&head.headers, AUTHORIZATION);
    // Lives until the response is complete, so that the world does not expire meanwhile.
    let selected = worlds.select(sent);
    let served = match &selected {
        Ok(selected) => serve(selected, &head, route, body, &worlds).await,
        Err(no_world) => {
            let unknown = route.err();
            worlds.default_world().turn_away(unknown.unwrap_or_else(|| (*no_world).into()))
        }
    };
    worlds.balance_journals();
    let Served { answer, response, act, hints } = served;
    let response = response.map(|response| {
        let clause = answer.as_ref().filter(|_| hints).map(exchange::clause);
        let response = respond::answer(response, clause, act.and_then(Act::retry_after));
        if let Some(answer) = &answer {
            log(&worlds, &head, response.status(), answer);
        }
        response
    });
    arrival::arrived(response, act).await
}

/// Lets a world answer. Path, key and size are checked before the body is read, so that nobody without a key can make
/// the mock read one; `World::answer` takes the request through all stages of [`exchange`] again. A fault acts on any
/// request that names an endpoint, whatever the service's answer.
async fn serve(
    selected: &Selected<'_>,
    head: &Parts,
    route: Result<Route<'_>, Refusal>,
    body: Body,
    worlds: &Worlds,
) -> Served {
    let Selected { world, authorization, .. } = selected;
    let authorization = authorization.as_deref();
    let after = world.answered();
    // The journal has an empty body even if nobody read it.
    let unread = body.is_end_stream().then(Bytes::new);
    let mut warnings = Vec::new();
    let (route, asked, body) = match route {
        Err(refusal) => (None, Asked::refused(None, refusal), unread),
        Ok(route) => match read(world, authorization, body).await {
            Err(refusal) => (Some(route), Asked::refused(Some(route.kind), refusal), unread),
            Ok(body) => {
                let content_type = extract::header(&head.headers, CONTENT_TYPE);
                let reread = world.reread(route.kind, &body);
                // What a service with a defect reads in its place has the right media type.
                let (content_type, read) = match &reread {
                    Some(other) => (route.kind.media_type(), other.as_slice()),
                    None => (content_type, &*body),
                };
                let mut asked = Asked::with_body(&route, content_type, read, &mut warnings);
                if let Ok(Operation::Subscribe { url, addresses, .. }) = &mut asked.operation {
                    *addresses = world.resolve(url).await;
                }
                (Some(route), asked, Some(body))
            }
        },
    };
    warn(worlds, head, &warnings);
    let arrived = Arrived { head, body: body.as_ref(), warnings, after };
    world.answer(arrived, authorization, route.as_ref(), asked)
}

/// Logs what the service ignores in a request.
fn warn(worlds: &Worlds, head: &Parts, warnings: &[String]) {
    for warning in warnings {
        let line = format!("{} {}: {warning}", head.method, head.uri.path());
        tracing::warn!("{}", shown(worlds, &line));
    }
}

/// Logs a request and its result.
fn log(worlds: &Worlds, head: &Parts, status: StatusCode, answer: &Answer) {
    let line = || {
        let line = format!("{} {} → {}", head.method, head.uri.path(), status.as_u16());
        shown(worlds, &line)
    };
    match answer {
        Ok(_) if tracing::enabled!(tracing::Level::DEBUG) => tracing::debug!("{}", line()),
        Err(Refusal { code, clause, .. }) if tracing::enabled!(tracing::Level::INFO) => {
            tracing::info!("{} {code} ({clause})", line());
        }
        Ok(_) | Err(_) => {}
    }
}

/// A line without secrets.
fn shown(worlds: &Worlds, line: &str) -> String {
    worlds.masks().concealed(line).unwrap_or_else(|| line.to_owned())
}

/// The body, read only if the key is valid.
async fn read(world: &World, authorization: Option<&str>, body: Body) -> Result<Bytes, Refusal> {
    if body.is_end_stream() {
        // There is nothing to read: `World::answer` checks the key, and the lock is taken once.
        return Ok(Bytes::new());
    }
    let admitted = world.admit(authorization)?;
    extract::body(body, admitted.body_limit).await
}

//! The routes: the partner API, routed by the model, and the control plane.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};
use tideover_model::wire::route::route;
use tideover_model::{Answer, Operation, Refusal};

use crate::arrival;
use crate::control;
use crate::control::{faults, worlds};
use crate::extract;
use crate::respond;
use crate::world::{Served, World};
use crate::worlds::{Selected, Worlds};

impl World {
    /// The partner API and the control plane of this world, without a socket. Where a fault drops the connection,
    /// the body of the response fails before its first byte.
    pub fn router(&self) -> Router {
        router(Arc::new(Worlds::of_one(self.clone())))
    }
}

/// The router of the whole server.
///
/// The partner API is the fallback, so that only the model defines its paths.
pub(crate) fn router(all: Arc<Worlds>) -> Router {
    Router::new()
        .route("/_sim/actions", of(get(control::actions).post(control::act)))
        .route("/_sim/clock", of(get(control::clock).post(control::advance)))
        .route("/_sim/reset", of(post(control::reset)))
        .route("/_sim/health", of(get(control::health)))
        .route("/_sim/keys", of(get(control::keys)))
        .route("/_sim/journal", of(get(control::journal)))
        .route("/_sim/freedoms", of(get(control::freedoms)))
        .route("/_sim/deliveries", of(get(control::deliveries)))
        .route("/_sim/deliveries/wait", of(post(control::wait)))
        .route("/_sim/deliveries/{id}/resend", of(post(control::resend)))
        .route("/_sim/faults", of(get(faults::list).post(faults::add).delete(faults::clear)))
        .route("/_sim/faults/{id}", of(delete(faults::remove)))
        .route("/_sim/openapi.json", of(get(control::openapi)))
        .route("/_sim/save", of(post(control::save)))
        .route("/_sim/worlds", of(get(worlds::list).post(worlds::create)))
        .route("/_sim/worlds/{id}", of(get(worlds::show).delete(worlds::delete)))
        .route("/_sim/worlds/{id}/fork", of(post(worlds::fork)))
        .route("/_sim/worlds/{id}/reset", of(post(worlds::reset)))
        .route("/_sim/worlds/{id}/snapshot", of(get(worlds::snapshot).put(worlds::restore)))
        .route("/_sim/operator.json", of(get(control::operator)))
        .fallback(api)
        .with_state(all)
}

/// Makes any other method, even HEAD, an unknown endpoint, as on the paths of the partner API.
fn of(methods: MethodRouter<Arc<Worlds>>) -> MethodRouter<Arc<Worlds>> {
    methods.head(api).fallback(api)
}

/// Answers a request to the partner API. Checks run in this order (`gap.refusalPrecedence`): path, key, size,
/// then the model's checks. A fault acts on any request that names an endpoint, whatever the service's answer.
async fn api(State(worlds): State<Arc<Worlds>>, mut request: Request) -> Response {
    let body = std::mem::take(request.body_mut());
    let sent = extract::header(request.headers(), AUTHORIZATION);
    let Selected { world, authorization, .. } = worlds.select(sent);
    let authorization = authorization.as_deref();
    let served = match route(request.method().as_str(), request.uri().path()) {
        Err(refusal) => world.refuse(&request, None, refusal),
        Ok(route) => match read(&world, authorization, body).await {
            Err(refusal) => world.refuse(&request, Some(&route), refusal),
            Ok(body) => {
                let content_type = extract::header(request.headers(), CONTENT_TYPE);
                let mut operation = route.decode(content_type, &body);
                if let Ok(Operation::Subscribe { url, addresses, .. }) = &mut operation {
                    *addresses = world.resolve(url).await;
                }
                world.answer(&request, authorization, &route, operation)
            }
        },
    };
    let Served { answer, act, greased } = served;
    let response = answer.map(|answer| {
        let response = respond::answer(&world, &answer, greased);
        log(&request, response.status(), &answer);
        response
    });
    arrival::arrived(response, act).await
}

/// Logs a request and its result.
fn log(request: &Request, status: StatusCode, answer: &Answer) {
    let (method, path, status) = (request.method(), request.uri().path(), status.as_u16());
    match answer {
        Ok(_) => tracing::debug!("{method} {path} → {status}"),
        Err(Refusal { code, clause, .. }) => {
            tracing::info!("{method} {path} → {status} {code} ({clause})");
        }
    }
}

/// The body, read only if the key is valid.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`.
async fn read(world: &World, authorization: Option<&str>, body: Body) -> Result<Bytes, Refusal> {
    if body.is_end_stream() {
        // No body to wait for: the service checks the key when it answers the request.
        return Ok(Bytes::new());
    }
    world.authenticate(authorization)?;
    extract::body(body, world.profile().body_limit).await
}

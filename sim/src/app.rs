//! The routes: the partner API behind the model's own routing, the control plane beside it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use tideover_model::wire::route::route;

use crate::control;
use crate::worlds::Worlds;
use crate::{extract, respond};

/// Everything that is served.
///
/// The partner API is the fallback, so that its paths are told once, in the model.
pub(crate) fn router(worlds: Arc<Worlds>) -> Router {
    Router::new()
        .route("/_sim/actions", of(get(control::actions).post(control::act)))
        .route("/_sim/clock", of(get(control::clock).post(control::advance)))
        .route("/_sim/reset", of(post(control::reset)))
        .route("/_sim/health", of(get(control::health)))
        .route("/_sim/keys", of(get(control::keys)))
        .route("/_sim/journal", of(get(control::journal)))
        .route("/_sim/deliveries", of(get(control::deliveries)))
        .route("/_sim/openapi.json", of(get(control::openapi)))
        .fallback(api)
        .with_state(worlds)
}

/// Any other method, HEAD included, is an unknown endpoint, as on the paths of the partner API.
fn of(methods: MethodRouter<Arc<Worlds>>) -> MethodRouter<Arc<Worlds>> {
    methods.head(api).fallback(api)
}

/// A request to the partner API, in the order of precedence (`gap.refusalPrecedence`): path, key, size,
/// then what the model decodes and decides.
async fn api(State(worlds): State<Arc<Worlds>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let authorization = extract::header(&head.headers, AUTHORIZATION);
    let world = worlds.of(authorization);
    let route = match route(head.method.as_str(), head.uri.path()) {
        Ok(route) => route,
        Err(refusal) => {
            return respond::answer(world.profile(), &world.refuse(&head, None, refusal));
        }
    };
    let refuse = |refusal| world.refuse(&head, Some(route.kind), refusal);
    let answer = match world.authenticate(authorization) {
        Err(refusal) => refuse(refusal),
        Ok(_) => match extract::body(body, world.profile().body_limit).await {
            Err(refusal) => refuse(refusal),
            Ok(body) => {
                let content_type = extract::header(&head.headers, CONTENT_TYPE);
                let operation = route.decode(content_type, &body);
                world.answer(&head, authorization, route.kind, operation)
            }
        },
    };
    respond::answer(world.profile(), &answer)
}

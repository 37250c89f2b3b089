//! Writes responses. Only this module names HTTP statuses.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::reply::Failure;
use tideover_model::{Answer, Profile, Refusal, exchange};

use crate::world::World;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A response of the partner API.
pub(crate) fn answer(
    world: &World,
    answer: &Answer,
    greased: Option<exchange::Response>,
) -> Response<Body> {
    encoded(greased.unwrap_or_else(|| world.encoding()(world.profile(), answer)))
}

/// What stands for no response where there is no connection to drop.
pub(crate) fn unanswered(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response
}

fn encoded(response: exchange::Response) -> Response<Body> {
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::BAD_GATEWAY);
    written(status, response.body)
}

/// A refusal of the control plane, with a code whose status the document states.
pub(crate) fn refusal(refusal: Refusal) -> Response<Body> {
    encoded(exchange::respond(&Profile::default(), &Err(refusal)))
}

/// A success of the control plane.
pub(crate) fn ok<T: Serialize>(value: &T) -> Response<Body> {
    written(StatusCode::OK, json(value))
}

/// A document of the control plane, which is JSON.
pub(crate) fn document(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// A refusal of the operator port.
pub(crate) fn not_applied(why: &NotApplied) -> Response<Body> {
    let status = StatusCode::from_u16(why.status()).unwrap_or(StatusCode::BAD_REQUEST);
    written(status, json(&Failure { error: why.to_string().into(), code: why.code() }))
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// A response; without a body, it has no media type either.
fn written(status: StatusCode, body: Vec<u8>) -> Response<Body> {
    if body.is_empty() {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status;
        return response;
    }
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

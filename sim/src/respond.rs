//! Writes responses. The model decides the status of every answer; this module adds the few that are no answer, except
//! for the page's redirect in `page` and the replacements of hyper's own refusals in `wire`.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::reply::Failure;
use tideover_model::{Clause, Profile, Refusal, exchange};

use crate::pieces;
use crate::pieces::List;

const JSON: &str = "application/json";
/// Keeps a browser from taking a response for another kind of document.
const NOSNIFF: &str = "nosniff";
/// The longest sentence in an error of the operator port. Bytes.
const MOST_PROSE: usize = 1000;
/// Names the clause that decided an answer.
const CLAUSE: HeaderName = HeaderName::from_static("tideover-clause");

/// A response of the partner API. `clause` names what decided it, for a client that may know. `retry_after` says when the
/// client may come again. Seconds.
pub(crate) fn answer(
    response: exchange::Response,
    clause: Option<Clause>,
    retry_after: Option<u32>,
) -> Response<Body> {
    let mut response = encoded(response);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    if let Some(clause) = clause {
        response.headers_mut().insert(CLAUSE, HeaderValue::from_static(clause.name()));
    }
    response
}

/// The headers that [`answer`] sets, for the journal.
pub(crate) fn headers(
    has_body: bool,
    clause: Option<Clause>,
    retry_after: Option<u32>,
) -> impl Iterator<Item = (HeaderName, Cow<'static, str>)> {
    let json = [(header::CONTENT_TYPE, JSON), (header::X_CONTENT_TYPE_OPTIONS, NOSNIFF)];
    let json = json.into_iter().filter(move |_| has_body);
    let set = json.chain(clause.map(|clause| (CLAUSE, clause.name())));
    let set = set.map(|(name, value)| (name, Cow::Borrowed(value)));
    set.chain(retry_after.map(|seconds| (header::RETRY_AFTER, seconds.to_string().into())))
}

/// The response where a fault drops the connection. Only a client without a socket sees its head.
pub(crate) fn unanswered(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response
}

fn encoded(response: exchange::Response) -> Response<Body> {
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::BAD_GATEWAY);
    written(status, response.body)
}

/// A refusal of the control plane with a code of the document, whose status no profile can change.
pub(crate) fn refusal(mut refusal: Refusal) -> Response<Body> {
    refusal.message = shortened(refusal.message);
    encoded(exchange::respond(&Profile::default(), &Err(refusal)))
}

/// A success of the control plane.
pub(crate) fn ok<T: Serialize>(value: &T) -> Response<Body> {
    written(StatusCode::OK, json(value))
}

/// A document of the control plane, which is JSON.
pub(crate) fn document(body: Body) -> Response<Body> {
    as_json(Response::new(body))
}

/// A document of the control plane with a long list.
pub(crate) fn list(list: impl List) -> Response<Body> {
    document(pieces::body(list))
}

fn as_json(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    let nosniff = HeaderValue::from_static(NOSNIFF);
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    response
}

/// A refusal of the operator port.
pub(crate) fn not_applied(why: &NotApplied) -> Response<Body> {
    let status = StatusCode::from_u16(why.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let error = shortened(why.to_string().into());
    written(status, json(&Failure { error, code: why.code() }))
}

/// Cuts a sentence that repeats too much of a request.
fn shortened(sentence: Cow<'static, str>) -> Cow<'static, str> {
    if sentence.len() <= MOST_PROSE {
        return sentence;
    }
    format!("{}…", &sentence[..sentence.floor_char_boundary(MOST_PROSE)]).into()
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
    as_json(response)
}

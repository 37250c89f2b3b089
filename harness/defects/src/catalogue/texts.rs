//! Answers whose text a defect changes.

use serde_json::{Map, Value};
use tideover_model::exchange::{Response, respond};
use tideover_model::wire::reply::Reply;
use tideover_model::{Answer, Code, Profile};

pub(super) fn is(answer: &Answer, code: Code) -> bool {
    answer.as_ref().is_err_and(|refusal| refusal.code == code)
}

/// Gives a refusal with `code` another status.
pub(super) fn with_status(profile: &Profile, answer: &Answer, code: Code, status: u16) -> Response {
    let mut response = respond(profile, answer);
    if is(answer, code) {
        response.status = status;
    }
    response
}

/// Alters the body of a refusal with `code`.
pub(super) fn failed(
    profile: &Profile,
    answer: &Answer,
    code: Code,
    alter: impl FnOnce(&mut Map<String, Value>),
) -> Response {
    let mut response = respond(profile, answer);
    if is(answer, code)
        && let Ok(mut body) = serde_json::from_slice::<Map<String, Value>>(&response.body)
    {
        alter(&mut body);
        response.body = Value::Object(body).to_string().into_bytes();
    }
    response
}

/// Alters the body of a success.
pub(super) fn rewritten(
    profile: &Profile,
    answer: &Answer,
    alter: impl FnOnce(&Reply, &mut Value) -> Option<()>,
) -> Response {
    let mut response = respond(profile, answer);
    if let Ok(reply) = answer
        && let Ok(mut body) = serde_json::from_slice::<Value>(&response.body)
        && alter(reply, &mut body).is_some()
    {
        response.body = body.to_string().into_bytes();
    }
    response
}

/// Answers with `other` if that `is_due`.
pub(super) fn replaced(
    profile: &Profile,
    answer: &Answer,
    is_due: bool,
    other: impl FnOnce() -> Answer,
) -> Response {
    if is_due { respond(profile, &other()) } else { respond(profile, answer) }
}

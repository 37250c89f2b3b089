//! The control plane of the journal: `/_sim/journal`.

use axum::extract::{Request, State};
use axum::http::header::HOST;
use serde_json::{Value, json};
use tideover_model::Seconds;

use crate::control;
use crate::control::{
    ControlError, ControlResult, MOST_BYTES, Patience, SharedWorlds, caller, invalid, unreadable,
};
use crate::extract;
use crate::journal;
use crate::journal::JournalFilter;
use crate::respond;
use crate::world::Waited;

/// `GET /_sim/journal`: the last requests to the partner API with their answers, the oldest first, as the parameters
/// choose them.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn list(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    Ok(respond::ok(&caller.world.journal_view(&filter(&request)?, false)))
}

/// `GET /_sim/journal/unexpected`: those of them that show a mistake of the client.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn unexpected(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    Ok(respond::ok(&caller.world.journal_view(&filter(&request)?, true)))
}

/// `GET /_sim/journal/count`: how many there are.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn count(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    Ok(respond::ok(&json!({ "count": caller.world.count_requests(&filter(&request)?) })))
}

/// `GET /_sim/journal.har`: the same requests as an HTTP Archive.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn archive(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let entries = caller.world.requests(&filter(&request)?);
    let host = extract::header(request.headers(), HOST).unwrap_or("localhost");
    Ok(respond::ok(&journal::archive(&entries, &format!("http://{host}"))))
}

/// `POST /_sim/journal/wait`: responds once so many requests have come that a filter chooses. If the world is
/// replaced, it waits in the new one.
///
/// # Errors
/// `unauthorized`, `payload_too_large`, `unreadable_request`, `invalid_request`.
pub(crate) async fn wait(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    const PATIENCE: Seconds = 30;
    let (head, body) = request.into_parts();
    let mut caller = caller(&worlds, &head.headers)?;
    let body = extract::body(body, MOST_BYTES).await?;
    let body: Value = serde_json::from_slice(&body).map_err(|why| unreadable(&why.to_string()))?;
    let fields = body.as_object().ok_or_else(|| invalid("expected an object"))?;
    let known = ["filter", "count", "patienceSeconds"];
    if let Some(other) = fields.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(invalid(&format!("{other}: expected filter, count and patienceSeconds")));
    }
    let number = |name: &str, default, most| match fields.get(name) {
        None => Ok(default),
        Some(number) => number
            .as_u64()
            .filter(|number| *number <= most)
            .ok_or_else(|| invalid(&format!("{name}: expected an integer from 0 to {most}"))),
    };
    let (count, patience) =
        (number("count", 1, u64::MAX)?, number("patienceSeconds", PATIENCE, 3600)?);
    let filter = fields.get("filter").map_or_else(|| Ok(JournalFilter::new()), filter_in)?;
    let patience = Patience::of(patience);
    let Waited { reached, count } = loop {
        let waited = caller.world.wait_for_requests(&filter, count, patience.left()).await;
        if !caller.world.has_ended() {
            break waited;
        }
        caller = control::caller(&worlds, &head.headers)?;
    };
    Ok(respond::ok(&json!({ "reached": reached, "count": count })))
}

/// The filter in a query.
fn filter(request: &Request) -> Result<JournalFilter, ControlError> {
    let query = request.uri().query().unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    JournalFilter::read(pairs.iter().map(|(name, value)| (&**name, &**value)))
        .map_err(|why| invalid(&why))
}

/// The filter in a body, with the names of the query. A number may stand without quotes.
fn filter_in(fields: &Value) -> Result<JournalFilter, ControlError> {
    let expected = || invalid("filter: expected an object, with the parameters of the journal");
    let fields = fields.as_object().ok_or_else(expected)?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let pairs: Option<Vec<_>> =
        fields.iter().map(|(name, value)| Some((name.as_str(), text(value)?))).collect();
    let pairs = pairs.ok_or_else(expected)?;
    JournalFilter::read(pairs.iter().map(|(name, value)| (*name, value.as_str())))
        .map_err(|why| invalid(&format!("filter.{why}")))
}

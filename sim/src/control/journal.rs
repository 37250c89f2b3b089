//! The control plane of the journal: `/_sim/journal`.

use axum::extract::{Request, State};
use axum::http::header::HOST;
use serde_json::{Value, json};
use tideover_model::Seconds;
use tideover_model::wire::problem::unfit;

use crate::control;
use crate::control::fields::Fields;
use crate::control::{
    ControlError, ControlResult, MOST_BYTES, MOST_PATIENCE, Patience, SharedWorlds, caller,
    invalid, unreadable,
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
    let fields = Fields::of(&body, &["filter", "count", "patienceSeconds"])?;
    let count = fields.number("count", 1, u64::MAX)?;
    let patience = fields.number("patienceSeconds", PATIENCE, MOST_PATIENCE)?;
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
    let expected = "an object with the parameters of the journal";
    let whole = || invalid(&unfit("filter", expected, Some(fields)));
    let fields = fields.as_object().ok_or_else(whole)?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let pair = |(name, value): (&'_ String, &Value)| {
        let place = format!("filter.{name}");
        let expected = || invalid(&unfit(&place, "a string or a number", Some(value)));
        Ok((name.clone(), text(value).ok_or_else(expected)?))
    };
    let pairs: Vec<_> = fields.iter().map(pair).collect::<Result<_, ControlError>>()?;
    JournalFilter::read(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))
        .map_err(|why| invalid(&format!("filter.{why}")))
}

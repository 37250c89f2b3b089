//! The control plane of the journal: `/_sim/journal`.

use axum::extract::{Request, State};
use axum::http::header::HOST;
use serde_json::Value;
use tideover_model::Seconds;
use tideover_model::wire::problem::{cut, unfit};

use crate::control;
use crate::control::answers::Counted;
use crate::control::fields::Fields;
use crate::control::{
    ControlCaller, ControlError, ControlResult, MOST_BYTES, MOST_PATIENCE, Patience, SharedWorlds,
    caller, invalid, unreadable,
};
use crate::extract;
use crate::journal::{Archived, JournalFilter, Wanted};
use crate::pieces::{Items, List};
use crate::respond;
use crate::world::{Recorded, World};
use crate::worlds::InUse;

/// `GET /_sim/journal`: the last requests to the partner API with their answers, the oldest first, as the parameters
/// choose them.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn list(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let wanted = Wanted { filter: filter(&request)?, is_unexpected: false };
    Ok(respond::list(Requests::of(caller, wanted, None)))
}

/// `GET /_sim/journal/unexpected`: those of them that show a mistake of the client.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn unexpected(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let wanted = Wanted { filter: filter(&request)?, is_unexpected: true };
    Ok(respond::list(Requests::of(caller, wanted, None)))
}

/// `GET /_sim/journal/count`: how many there are.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn count(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    Ok(respond::ok(&Counted { count: caller.world.count_requests(&filter(&request)?) }))
}

/// `GET /_sim/journal.har`: the same requests as an HTTP Archive.
///
/// # Errors
/// `unauthorized`, `invalid_request`.
pub(crate) async fn archive(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    let caller = caller(&worlds, request.headers())?;
    let wanted = Wanted { filter: filter(&request)?, is_unexpected: false };
    let host = extract::header(request.headers(), HOST).unwrap_or("localhost");
    Ok(respond::list(Requests::of(caller, wanted, Some(format!("http://{host}")))))
}

/// The requests of a journal, up to the moment in which they were asked for. What the journal drops meanwhile is
/// missing.
struct Requests {
    world: World,
    wanted: Wanted,
    recorded: Recorded,
    /// The number of the first request that is not yet looked at.
    from: u64,
    /// The address of the mock, for an archive.
    base: Option<String>,
    _in_use: InUse,
}

impl Requests {
    fn of(caller: ControlCaller, wanted: Wanted, base: Option<String>) -> Requests {
        let ControlCaller { world, in_use, .. } = caller;
        let (recorded, from) = (world.recorded(), wanted.filter.first());
        Requests { world, wanted, recorded, from, base, _in_use: in_use }
    }
}

impl List for Requests {
    fn opening(&self) -> String {
        self.base.as_ref().map_or_else(|| r#"{"entries":["#.to_owned(), |_| Archived::opening())
    }

    fn more(&mut self, items: &mut Items) -> bool {
        let Recorded { next, resets, .. } = self.recorded;
        let page = self.world.journal_page(&self.wanted, self.from..next, resets);
        for entry in &page.entries {
            match &self.base {
                Some(base) => items.push(&Archived { entry, base }),
                None => items.push(entry),
            }
        }
        self.from = page.next.unwrap_or(next);
        page.next.is_some()
    }

    fn closing(&self) -> String {
        if self.base.is_some() {
            return Archived::CLOSING.to_owned();
        }
        let Recorded { next, resets, dropped } = self.recorded;
        let now = Some(self.world.recorded()).filter(|now| now.resets == resets);
        let dropped = now.map_or(dropped, |now| now.dropped);
        format!(r#"],"next":{next},"dropped":{dropped}}}"#)
    }
}

/// `POST /_sim/journal/wait`: responds once so many requests have come that a filter chooses. If the world is
/// replaced, it waits in the new one.
///
/// # Errors
/// `unauthorized`, `action_refused` if too many wait, `payload_too_large`, `unreadable_request`, `invalid_request`.
pub(crate) async fn wait(State(worlds): SharedWorlds, request: Request) -> ControlResult {
    const PATIENCE: Seconds = 30;
    let (head, body) = request.into_parts();
    let mut caller = caller(&worlds, &head.headers)?;
    let _waiting = worlds.wait()?;
    let body = extract::body(body, MOST_BYTES).await?;
    let body: Value = serde_json::from_slice(&body).map_err(|why| unreadable(&why.to_string()))?;
    let fields = Fields::of(&body, &["filter", "count", "patienceSeconds"])?;
    let count = fields.number("count", 1, u64::MAX)?;
    let patience = fields.number("patienceSeconds", PATIENCE, MOST_PATIENCE)?;
    let filter = fields.get("filter").map_or_else(|| Ok(JournalFilter::new()), filter_in)?;
    let patience = Patience::of(patience);
    let waited = loop {
        let waited = caller.world.wait_for_requests(&filter, count, patience.left()).await;
        if !caller.world.has_ended() {
            break waited;
        }
        caller = control::caller(&worlds, &head.headers)?;
    };
    Ok(respond::ok(&waited))
}

/// The filter in a query.
fn filter(request: &Request) -> Result<JournalFilter, ControlError> {
    let query = request.uri().query().unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    JournalFilter::read(pairs.iter().map(|(name, value)| (&**name, &**value)))
        .map_err(|why| invalid(&why.to_string()))
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
        let place = format!("filter.{}", cut(name));
        let expected = || invalid(&unfit(&place, "a string or a number", Some(value)));
        Ok((name.clone(), text(value).ok_or_else(expected)?))
    };
    let pairs: Vec<_> = fields.iter().map(pair).collect::<Result<_, ControlError>>()?;
    JournalFilter::read(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))
        .map_err(|why| invalid(&format!("filter.{why}")))
}

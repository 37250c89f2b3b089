//! The control plane of the journal: `/_sim/journal`.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::HOST;
use axum::http::{HeaderMap, Uri};
use serde_json::Value;
use tideover_model::Seconds;
use tideover_model::wire::problem::{cut, unfit};

use crate::control;
use crate::control::answers::Counted;
use crate::control::fields::Fields;
use crate::control::{
    ControlCaller, ControlError, ControlResult, MOST_PATIENCE, Patience, SharedWorlds, invalid,
};
use crate::extract;
use crate::journal::{Archived, JournalFilter, Wanted};
use crate::pieces::{Items, List};
use crate::respond;
use crate::world::{LogPosition, World};
use crate::worlds::InUse;

/// `GET /_sim/journal`: the last requests to the partner API with their answers, the oldest first, as the parameters
/// choose them.
pub(crate) async fn list(caller: ControlCaller, uri: Uri) -> ControlResult {
    let wanted = Wanted { filter: filter(&uri)?, is_unexpected: false };
    Ok(respond::list(Requests::of(caller, wanted, None)))
}

/// `GET /_sim/journal/unexpected`: those of them that show a mistake of the client.
pub(crate) async fn unexpected(caller: ControlCaller, uri: Uri) -> ControlResult {
    let wanted = Wanted { filter: filter(&uri)?, is_unexpected: true };
    Ok(respond::list(Requests::of(caller, wanted, None)))
}

/// `GET /_sim/journal/count`: how many there are.
pub(crate) async fn count(caller: ControlCaller, uri: Uri) -> ControlResult {
    Ok(respond::ok(&Counted { count: caller.world.count_requests(&filter(&uri)?) }))
}

/// `GET /_sim/journal.har`: the same requests as an HTTP Archive.
pub(crate) async fn archive(caller: ControlCaller, uri: Uri, headers: HeaderMap) -> ControlResult {
    let wanted = Wanted { filter: filter(&uri)?, is_unexpected: false };
    let host = extract::header(&headers, HOST).unwrap_or("localhost");
    Ok(respond::list(Requests::of(caller, wanted, Some(format!("http://{host}")))))
}

/// The requests in a journal, up to where it stood when the client asked. What the journal drops meanwhile is missing.
struct Requests {
    world: World,
    wanted: Wanted,
    end: LogPosition,
    /// The number of the next request to look at.
    from: u64,
    /// The address of the mock, for an archive.
    base: Option<String>,
    _in_use: InUse,
}

impl Requests {
    fn of(caller: ControlCaller, wanted: Wanted, base: Option<String>) -> Requests {
        let ControlCaller { world, in_use, .. } = caller;
        let (end, from) = (world.journal_position(), wanted.filter.first());
        Requests { world, wanted, end, from, base, _in_use: in_use }
    }
}

impl List for Requests {
    fn opening(&self) -> String {
        self.base.as_ref().map_or_else(|| r#"{"entries":["#.to_owned(), |_| Archived::opening())
    }

    fn more(&mut self, items: &mut Items) -> bool {
        let LogPosition { next, resets, .. } = self.end;
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
        let LogPosition { next, resets, dropped } = self.end;
        let now = Some(self.world.journal_position()).filter(|now| now.resets == resets);
        let dropped = now.map_or(dropped, |now| now.dropped);
        format!(r#"],"next":{next},"dropped":{dropped}}}"#)
    }
}

/// `POST /_sim/journal/wait`: responds once so many requests have come that a filter chooses. If the world is
/// replaced, it waits in the new one.
pub(crate) async fn wait(
    State(worlds): SharedWorlds,
    mut caller: ControlCaller,
    headers: HeaderMap,
    body: Body,
) -> ControlResult {
    const PATIENCE: Seconds = 30;
    let _waiting = worlds.wait()?;
    let body = control::json(body).await?;
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
        caller = control::caller(&worlds, &headers)?;
    };
    Ok(respond::ok(&waited))
}

/// The filter in a query.
fn filter(uri: &Uri) -> Result<JournalFilter, ControlError> {
    let query = uri.query().unwrap_or_default();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    JournalFilter::read(pairs.iter().map(|(name, value)| (&**name, &**value)))
        .map_err(|why| invalid(&why.to_string()))
}

/// The filter in a body, with the names of the query. A number needs no quotes.
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

//! The control plane of earlier states: what a world was at an entry of its logs, what has changed, where two worlds
//! part.

use axum::extract::State;
use axum::http::Uri;
use serde::Serialize;
use tideover_model::wire::action::NotApplied;
use tideover_model::wire::overview::{Overview, Wanted};
use tideover_model::wire::problem::cut;
use tideover_model::{Impossible, PlatformId, Timestamp};
use utoipa::ToSchema;

use crate::control::{ControlCaller, ControlError, ControlResult, SharedWorlds, invalid, worlds};
use crate::history::{EntryName, NamedEntry, NotKept};
use crate::page::MOST;
use crate::respond;
use crate::world::{Difference, World};
use crate::worlds::{Absent, Parted, WorldId, Worlds, aside};

/// A world as it was right after an entry of its logs, as a platform saw it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EarlierState)]
pub(crate) struct PastView {
    /// The name of the world.
    world: String,
    /// The entry.
    entry: String,
    /// What the clock showed.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
    /// When something was due next; null if nothing was.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    next_due: Option<Timestamp>,
    #[serde(flatten)]
    seen: Overview,
}

/// Where two worlds part.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Parting)]
pub(crate) struct PartingView {
    /// Whether they have anything in common: one is a copy of the other, or both are copies of a third.
    shared: bool,
    /// The last entry that both have; null if they share nothing, or part at the start.
    #[schema(required = true)]
    last_common: Option<EntryView>,
    /// The first entry after it in the world of the path; null if there is none.
    #[schema(required = true)]
    here: Option<EntryView>,
    /// The first entry after it in the other world; null if there is none.
    #[schema(required = true)]
    there: Option<EntryView>,
}

/// An entry of a world's logs.
#[derive(Serialize, ToSchema)]
#[schema(as = EntryOfWorld)]
pub(crate) struct EntryView {
    /// The world.
    world: String,
    /// Its entry.
    entry: String,
    /// What it was; null if the log no longer has it.
    #[schema(required = true)]
    what: Option<String>,
}

impl EntryView {
    fn of((world, NamedEntry { entry, what }): (WorldId, NamedEntry)) -> EntryView {
        EntryView { world: world.to_string(), entry: entry.to_string(), what }
    }
}

impl From<NotKept> for ControlError {
    fn from(why: NotKept) -> ControlError {
        let text = why.to_string();
        match why {
            NotKept::NoSuchEntry { .. } => NotApplied::UnknownEntry(text).into(),
            NotKept::OwnService | NotKept::NoJournal | NotKept::TooLarge => {
                NotApplied::Impossible(Impossible(text.into())).into()
            }
        }
    }
}

/// `GET /_sim/at/{entry}`: the world as it was at an entry, as the caller's platform saw it.
pub(crate) async fn of_caller(
    State(worlds): SharedWorlds,
    caller: ControlCaller,
    uri: Uri,
) -> ControlResult {
    at(&worlds, (caller.id, caller.world), caller.platform, &uri).await
}

/// `GET /_sim/worlds/{id}/at/{entry}`: the same of a world by its name, as its first platform saw it.
pub(crate) async fn of_world(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let selected = worlds::world(&worlds, &uri)?;
    at(&worlds, (selected.id, selected.world), PlatformId::DEFAULT, &uri).await
}

async fn at(
    worlds: &Worlds,
    (id, world): (WorldId, World),
    platform: PlatformId,
    uri: &Uri,
) -> ControlResult {
    let entry = entry("the path", uri.path().rsplit('/').next().unwrap_or_default())?;
    let mut text = String::new();
    for (name, value) in parameters(uri) {
        match &*name {
            "text" => text = value,
            _ => return Err(invalid(&format!("{}: a state has the parameter text", cut(&name)))),
        }
    }
    // Each copies a service.
    let _place = worlds.document().await?;
    let seen = aside(move || {
        Ok(world.past(entry).map(|past| PastView {
            world: id.to_string(),
            entry: entry.to_string(),
            now: past.now(),
            next_due: past.next_due(),
            seen: past.overview(platform, Wanted { text: &text, most: MOST }),
        }))
    });
    Ok(respond::ok(&seen.await??))
}

/// `GET /_sim/diff`: what has changed in the world from one entry to another.
pub(crate) async fn diff_of_caller(
    State(worlds): SharedWorlds,
    caller: ControlCaller,
    uri: Uri,
) -> ControlResult {
    diff(&worlds, caller.world, &uri).await
}

/// `GET /_sim/worlds/{id}/diff`: the same of a world by its name.
pub(crate) async fn diff_of_world(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let world = worlds::world(&worlds, &uri)?.world;
    diff(&worlds, world, &uri).await
}

async fn diff(worlds: &Worlds, world: World, uri: &Uri) -> ControlResult {
    let (mut from, mut to) = (None, None);
    for (name, value) in parameters(uri) {
        match &*name {
            "from" => from = Some(entry("from", &value)?),
            "to" => to = Some(entry("to", &value)?),
            _ => return Err(invalid(NO_ENTRIES)),
        }
    }
    let compare: fn(&World, EntryName, EntryName) -> Result<Difference, NotKept> = match (from, to)
    {
        (Some(_), Some(_)) => World::diff,
        (None, Some(_)) => |world, _, to| world.changed_by(to),
        (Some(_), None) => |world, from, _| world.changed_after(from),
        (None, None) => return Err(invalid(NO_ENTRIES)),
    };
    let (from, to) = (from.unwrap_or(EntryName::Start), to.unwrap_or(EntryName::Start));
    let _place = worlds.document().await?;
    Ok(respond::ok(&aside(move || Ok(compare(&world, from, to))).await??))
}

const NO_ENTRIES: &str = "expected ?from=…&to=…: two entries, such as 17, i3 or d5; without from it is what the entry \
    to has changed, without to what has changed since from";

/// `GET /_sim/worlds/{id}/parting?with=…`: where two worlds part.
pub(crate) async fn parting(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let here = worlds::world(&worlds, &uri)?;
    let mut with = None;
    for (name, value) in parameters(&uri) {
        match &*name {
            "with" => with = Some(value),
            _ => return Err(invalid(NO_WORLD)),
        }
    }
    let with = with.ok_or_else(|| invalid(NO_WORLD))?;
    let unknown = || NotApplied::UnknownWorld(cut(&with));
    let there = with.parse().map_err(|()| unknown())?;
    let there = worlds.named(there).map_err(|Absent| unknown())?;
    let parted = worlds.parting((here.id, &here.world), (there.id, &there.world));
    let shared = parted.is_some();
    let Parted { last_common, here, there } = parted.unwrap_or_default();
    let [last_common, here, there] = [last_common, here, there].map(|it| it.map(EntryView::of));
    Ok(respond::ok(&PartingView { shared, last_common, here, there }))
}

const NO_WORLD: &str = "expected ?with=…: the name of another world, such as w2";

fn parameters(uri: &Uri) -> Vec<(String, String)> {
    url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect()
}

fn entry(place: &str, name: &str) -> Result<EntryName, ControlError> {
    name.parse().map_err(|why| invalid(&format!("{place}: {why}, got {:?}.", cut(name))))
}

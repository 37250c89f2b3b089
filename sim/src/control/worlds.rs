//! The control plane of worlds: `/_sim/worlds`.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tideover_model::wire::action::{Applied, NotApplied};
use tideover_model::wire::problem::{cut, problem, unfit};
use tideover_model::{Happening, Impossible, PlatformId, Profile, Timestamp, UnreadableSnapshot};
use utoipa::ToSchema;

use crate::beginning::{Beginning, Scenario};
use crate::clock::ClockChoice;
use crate::control::answers::Deleted;
use crate::control::faults::rule;
use crate::control::{
    ControlError, ControlResult, MOST_BYTES, SharedWorlds, invalid, parsed, unreadable,
};
use crate::extract;
use crate::fault::Rule;
use crate::history::EntryName;
use crate::pieces::{Items, List};
use crate::respond;
use crate::world::{World, WorldSize};
use crate::worlds::{
    Absent, InUse, IssuedKey, NotMade, Place, Recipe, Selected, WorldId, Worlds, aside,
};

/// The maximum size of a snapshot in bytes: a world of a million invoices fits.
const MOST_SNAPSHOT_BYTES: usize = 1 << 30;
/// The most platforms of a new world.
const MOST_PLATFORMS: usize = 1000;

/// A world to make: the body of `POST /_sim/worlds`. What is missing is as in the default world at its start.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewWorld {
    /// The number of platforms, or the names of those beside the first.
    #[schema(inline)]
    platforms: Option<Platforms>,
    /// The seed of all that the service chooses.
    seed: Option<u64>,
    /// When its clock starts. If neither this nor the mock says it, and the mock's clock runs: now.
    #[schema(value_type = Option<String>, format = DateTime)]
    start: Option<Timestamp>,
    /// Whether its clock runs by itself.
    clock: Option<ClockWord>,
    /// How many times as fast as the wall clock it runs.
    speed: Option<u32>,
    /// The fields of a profile. Those that are missing have their values of the standard profile.
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    profile: Option<Profile>,
    /// Rules of faults.
    #[schema(value_type = Option<Vec<Rule>>)]
    faults: Option<Vec<Map<String, Value>>>,
    /// Whether it takes freedoms.
    grease: Option<bool>,
    /// How far the story has gone.
    scenario: Option<Scenario>,
    /// It is deleted once nobody has used it for so many seconds: no request, and no stream of events.
    expires_after_idle_seconds: Option<u64>,
}

/// A copy to make: the body of `POST /_sim/worlds/{id}/fork`. What is missing is as in the original.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Fork {
    /// It is deleted once nobody has used it for so many seconds; as its original, if this is left out.
    expires_after_idle_seconds: Option<u64>,
    /// It is as its original was right after this entry: the number of a request, `i3` for an intervention, `d5` for a
    /// webhook, or `start`. As its original is now, if this is left out.
    #[serde(default, deserialize_with = "entry")]
    #[schema(value_type = Option<String>)]
    at: Option<EntryName>,
}

/// An entry, as a string or, if it is a request, as a number.
fn entry<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<EntryName>, D::Error> {
    let name = match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::String(name) => name,
        value => value.to_string(),
    };
    name.parse().map(Some).map_err(D::Error::custom)
}

/// How a world starts again: the body of a reset.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = HowToStartAgain)]
pub(crate) struct Reset {
    /// Whether secrets, references and the identifiers of events and deliveries are those of the first time again.
    repeat: Option<bool>,
}

impl Reset {
    pub(crate) fn happening(&self) -> Happening {
        Happening::Reset { repeats: self.repeat.unwrap_or_default() }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected a number of platforms, or a list of their names")]
enum Platforms {
    Number(usize),
    Names(Vec<String>),
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum ClockWord {
    Still,
    Running,
}

/// A service of its own.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = World)]
pub(crate) struct WorldView {
    /// Its name.
    id: String,
    /// What its clock shows.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
    /// The names of its platforms.
    platforms: Vec<String>,
    /// Its keys that are not revoked, whole: whoever reaches the port may use any world.
    keys: Vec<IssuedKey>,
    #[serde(flatten)]
    size: WorldSize,
}

/// A world and the keys that select it.
#[derive(Serialize, ToSchema)]
pub(crate) struct WorldMade {
    /// Its name.
    id: String,
    /// What its clock shows.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
    /// Every key that is not revoked, by platform.
    keys: Vec<IssuedKey>,
}

impl WorldView {
    fn of(worlds: &Worlds, id: WorldId, world: &World) -> WorldView {
        let mut platforms: Vec<String> = world.keys().into_iter().map(|key| key.platform).collect();
        platforms.dedup();
        let (keys, size) = (worlds.live_keys(id, world), world.size());
        WorldView { id: id.to_string(), now: world.now(), platforms, keys, size }
    }
}

impl From<NotMade> for ControlError {
    fn from(why: NotMade) -> ControlError {
        match why {
            NotMade::Impossible(why) => invalid(&why.to_string()),
            NotMade::Unreadable(why) => why.into(),
            NotMade::NotKept(why) => why.into(),
            NotMade::OwnService
            | NotMade::TooMany(_)
            | NotMade::Stopped
            | NotMade::Unwritable(_) => {
                NotApplied::Impossible(Impossible(why.to_string().into())).into()
            }
        }
    }
}

impl From<UnreadableSnapshot> for ControlError {
    fn from(why: UnreadableSnapshot) -> ControlError {
        match why {
            UnreadableSnapshot::NotJson(why) => unreadable(&why),
            UnreadableSnapshot::NotASnapshot(_)
            | UnreadableSnapshot::Newer { .. }
            | UnreadableSnapshot::Older { .. }
            | UnreadableSnapshot::Damaged
            | UnreadableSnapshot::Impossible(_) => invalid(&why.to_string()),
        }
    }
}

/// `GET /_sim/worlds`: all worlds.
pub(crate) async fn list(State(worlds): SharedWorlds) -> Response {
    respond::list(All { worlds, last: None })
}

/// All worlds.
struct All {
    worlds: Arc<Worlds>,
    /// The last world that was listed.
    last: Option<WorldId>,
}

impl List for All {
    fn opening(&self) -> String {
        r#"{"worlds":["#.to_owned()
    }

    fn more(&mut self, items: &mut Items) -> bool {
        // Each takes the lock of its world.
        const MOST: usize = 64;
        let worlds = self.worlds.after(self.last, MOST);
        for (id, world) in &worlds {
            items.push(&WorldView::of(&self.worlds, *id, world));
            self.last = Some(*id);
        }
        !worlds.is_empty()
    }

    fn closing(&self) -> String {
        "]}".to_owned()
    }
}

/// `POST /_sim/worlds`: makes a world, and returns the keys that select it.
pub(crate) async fn create(State(worlds): SharedWorlds, body: Body) -> ControlResult {
    let body = extract::body(body, MOST_BYTES).await?;
    let new: NewWorld = read(&body)?;
    let idle = new.expires_after_idle_seconds.map(Duration::from_secs);
    let is_seeded = new.seed.is_some();
    let mut recipe = recipe(worlds.recipe()?, new)?;
    let id = worlds.next_id()?;
    if !is_seeded {
        recipe.number = id.number();
    }
    let world = recipe.world().map_err(NotMade::from)?;
    worlds.add(id, world.clone(), idle)?;
    Ok(made(&worlds, id, &world))
}

/// The options in a body; the default ones if it is empty or null.
pub(crate) fn read<T: Default + DeserializeOwned>(body: &[u8]) -> Result<T, ControlError> {
    if body.is_empty() {
        return Ok(T::default());
    }
    let value = parsed(body)?;
    if value.is_null() {
        return Ok(T::default());
    }
    if !value.is_object() {
        let expected = "an object with options, or no body";
        return Err(invalid(&unfit("the body", expected, Some(&value))));
    }
    let new = serde_path_to_error::deserialize(&value);
    new.map_err(|error| invalid(&problem(Some(&value), &error)))
}

/// The names of the platforms beside the first one.
fn names(platforms: Option<&Platforms>) -> Result<Vec<String>, ControlError> {
    let most = |number: usize| {
        let expected = format!("1 to {MOST_PLATFORMS}");
        invalid(&unfit("platforms", &expected, Some(&number.into())))
    };
    let names = match platforms {
        None => Vec::new(),
        Some(Platforms::Number(number)) if (1..=MOST_PLATFORMS).contains(number) => {
            (2..=*number).map(|number| format!("platform {number}")).collect()
        }
        Some(Platforms::Number(number)) => return Err(most(*number)),
        Some(Platforms::Names(names)) => names.clone(),
    };
    if names.len() > MOST_PLATFORMS { Err(most(names.len())) } else { Ok(names) }
}

/// The recipe of the default world, changed as the request asks.
fn recipe(default: &Recipe, new: NewWorld) -> Result<Recipe, ControlError> {
    let mut recipe = default.clone();
    recipe.seed = new.seed.unwrap_or(recipe.seed);
    recipe.start = new.start.or(recipe.start);
    recipe.profile = new.profile.unwrap_or(recipe.profile);
    recipe.grease = new.grease.unwrap_or(recipe.grease);
    recipe.beginning = Beginning {
        scenario: new.scenario.unwrap_or_default(),
        platforms: names(new.platforms.as_ref())?,
    };
    recipe.clock = match (new.clock, new.speed) {
        (None, None) => recipe.clock,
        (Some(ClockWord::Still), None) => ClockChoice::Still,
        (Some(ClockWord::Still), Some(_)) => {
            return Err(invalid("speed: a clock that stands has none"));
        }
        (_, Some(speed)) if !ClockChoice::SPEEDS.contains(&speed) => {
            let (least, most) = ClockChoice::SPEEDS.into_inner();
            return Err(invalid(&format!("speed: expected {least} to {most}, but it is {speed}")));
        }
        (_, speed) => ClockChoice::Running { speed: speed.unwrap_or(1) },
    };
    if let Some(faults) = new.faults {
        let rules = faults.iter().enumerate();
        let rules = rules.map(|(index, fields)| rule(fields, &format!("faults[{index}].")));
        recipe.faults = rules.collect::<Result<_, _>>()?;
    }
    Ok(recipe)
}

/// The answer about a new world, with its keys.
fn made(worlds: &Worlds, id: WorldId, world: &World) -> Response {
    let keys = worlds.live_keys(id, world);
    respond::ok(&WorldMade { id: id.to_string(), now: world.now(), keys })
}

/// The world that a path names.
pub(crate) fn world(worlds: &Worlds, path: &Uri) -> Result<Selected<'static>, ControlError> {
    let name = path.path().split('/').nth(3).unwrap_or_default();
    let unknown = || NotApplied::UnknownWorld(cut(name));
    let id: WorldId = name.parse().map_err(|()| unknown())?;
    Ok(worlds.named(id).map_err(|Absent| unknown())?)
}

fn gone(id: WorldId) -> ControlError {
    NotApplied::UnknownWorld(id.to_string()).into()
}

/// `GET /_sim/worlds/{id}`.
pub(crate) async fn show(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let Selected { id, world, .. } = &world(&worlds, &uri)?;
    Ok(respond::ok(&WorldView::of(&worlds, *id, world)))
}

/// `DELETE /_sim/worlds/{id}`: deletes a world. After the answer, no webhook of it is sent.
pub(crate) async fn delete(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let id = world(&worlds, &uri)?.id;
    if id == WorldId::DEFAULT {
        let why = Impossible::new("the default world cannot be deleted; reset it instead");
        return Err(NotApplied::Impossible(why).into());
    }
    worlds.delete(id).await.map_err(|Absent| gone(id))?;
    Ok(respond::ok(&Deleted { deleted: true }))
}

/// `POST /_sim/worlds/{id}/fork`: makes a copy of a world, and returns its keys.
pub(crate) async fn fork(State(worlds): SharedWorlds, uri: Uri, body: Body) -> ControlResult {
    let original = world(&worlds, &uri)?;
    let Fork { expires_after_idle_seconds, at } = read(&extract::body(body, MOST_BYTES).await?)?;
    let idle = expires_after_idle_seconds.map(Duration::from_secs);
    let _place = worlds.document().await?;
    let Selected { id, world, in_use, .. } = original;
    let id = worlds.fork((id, world), at, idle.or(in_use.idle())).await?;
    let copy = worlds.named(id).map_err(|Absent| gone(id))?;
    Ok(made(&worlds, id, &copy.world))
}

/// `POST /_sim/worlds/{id}/reset`: brings a world back to its start.
pub(crate) async fn reset(State(worlds): SharedWorlds, uri: Uri, body: Body) -> ControlResult {
    let Selected { id, world, .. } = &world(&worlds, &uri)?;
    let reset: Reset = read(&extract::body(body, MOST_BYTES).await?)?;
    let reset = reset.happening();
    worlds.happen((*id, world), PlatformId::DEFAULT, reset).map_err(NotApplied::from)?;
    Ok(respond::ok(&Applied::IT_IS))
}

/// `GET /_sim/worlds/{id}/snapshot`: the world as a document.
pub(crate) async fn snapshot(State(worlds): SharedWorlds, uri: Uri) -> ControlResult {
    let Selected { world, in_use, .. } = world(&worlds, &uri)?;
    let place = worlds.document().await?;
    let text = aside(move || Ok(world.snapshot()?)).await?;
    let document = Document { text, _place: place, _in_use: in_use };
    Ok(respond::document(Body::from(Bytes::from_owner(document))))
}

/// A snapshot that is being sent. Others can be read once the client has it: the place bounds memory.
struct Document {
    text: Vec<u8>,
    _place: Place,
    _in_use: InUse,
}

impl AsRef<[u8]> for Document {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

/// `PUT /_sim/worlds/{id}/snapshot`: puts the world of a document in the place of this one, and returns its keys.
pub(crate) async fn restore(State(worlds): SharedWorlds, uri: Uri, body: Body) -> ControlResult {
    let replaced = world(&worlds, &uri)?;
    let id = replaced.id;
    let _place = worlds.document().await?;
    let body = extract::body(body, MOST_SNAPSHOT_BYTES).await?;
    let maker = Arc::clone(&worlds);
    let world = aside(move || Ok(maker.restored(&body)?.prepared())).await?;
    worlds.replace(id, world.clone()).await.map_err(|Absent| gone(id))?;
    Ok(made(&worlds, id, &world))
}

//! The worlds of a mock. The API key of a request selects one.
//!
//! Locks are taken in this order, and none is held across an await: the status of the state file, `Worlds::slots`,
//! the uses of a world or its base and then its state, the freedoms that its choices have taken. No code locks two worlds at once.

mod bounds;
mod expiry;
mod lifecycle;
mod name;
mod parting;
mod recipe;
mod saving;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use serde::Serialize;
use tideover_model::{
    Code, Happening, Impossible, Outcome, PlatformId, Refusal, Service, bearer, clause,
};
use utoipa::ToSchema;

use crate::courier::Courier;
use crate::journal::Masks;
use crate::limits::{Budget, Limits};
use crate::state_file::StateFile;
use crate::world::{Permitted, World};

pub(crate) use bounds::Place;
use bounds::Shared;
pub(crate) use expiry::InUse;
use lifecycle::Slot;
pub(crate) use lifecycle::{Absent, NotMade, aside};
pub(crate) use name::WorldId;
pub(crate) use parting::Parted;
pub(crate) use recipe::Recipe;
pub use recipe::RecipeError;
pub(crate) use saving::save_changes;

/// The header of a key that no world issues: every key begins with `rap_sk_`.
const NO_KEY: &str = "Bearer none";

/// A key of a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WorldKey)]
pub struct IssuedKey {
    /// The platform's name.
    pub platform: String,
    /// The key.
    pub key: String,
}

/// The worlds of a mock.
pub(crate) struct Worlds {
    /// How new worlds are made; `None` if the mock has a service of its own.
    recipe: Option<Recipe>,
    /// The key of the default world that stands for its first key.
    first_key: Option<String>,
    /// Sends the webhooks of all worlds; `None` if there is no socket.
    courier: Option<Arc<Courier>>,
    /// Where the worlds are saved, if they are.
    state: Option<StateFile>,
    permitted: Permitted,
    shared: Shared,
    slots: RwLock<Slots>,
}

/// What a mock is made of.
pub(crate) struct Equipment {
    pub(crate) recipe: Option<Recipe>,
    pub(crate) first_key: Option<String>,
    pub(crate) courier: Option<Arc<Courier>>,
    pub(crate) state: Option<StateFile>,
    pub(crate) limits: Limits,
    pub(crate) journals: Arc<Budget>,
}

struct Slots {
    by_id: BTreeMap<WorldId, Arc<Slot>>,
    /// The number of the last world made. No number is used twice, so that an old key selects no new world.
    last: u64,
    /// How often a world was made, replaced or deleted.
    changes: u64,
}

/// The world of a request.
pub(crate) struct Selected<'a> {
    pub(crate) id: WorldId,
    pub(crate) world: World,
    /// The `Authorization` header with the key's inner form, which this world issued.
    pub(crate) authorization: Option<Cow<'a, str>>,
    pub(crate) in_use: InUse,
}

/// The world that a key names does not exist. The request concerns no other world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoWorld {
    /// It was deleted, or has expired.
    Gone(WorldId),
    NeverMade,
}

/// `unauthorized` (§5 rule 3).
impl From<NoWorld> for Refusal {
    fn from(why: NoWorld) -> Refusal {
        let refused = Refusal::new(Code::Unauthorized, clause!("5.authentication.3"));
        match why {
            NoWorld::Gone(id) => refused.because(format!(
                "The API key is no longer valid: the world {id} is gone; POST /_sim/worlds makes another one."
            )),
            NoWorld::NeverMade => refused.because("The API key is not one that was issued."),
        }
    }
}

impl Worlds {
    /// Only a default world, without a courier.
    pub(crate) fn of_one(world: World) -> Worlds {
        let limits = Limits::default();
        let journals = Budget::of(limits.journals);
        let (recipe, first_key, courier, state) = (None, None, None, None);
        Worlds::new(world, Equipment { recipe, first_key, courier, state, limits, journals })
    }

    pub(crate) fn new(default: World, equipment: Equipment) -> Worlds {
        let Equipment { recipe, first_key, courier, state, limits, journals } = equipment;
        let permitted =
            Permitted { destinations: default.destinations(), subscriptions: limits.subscriptions };
        let slot = Slot::start(WorldId::DEFAULT, default, courier.as_ref(), None);
        let by_id = BTreeMap::from([(WorldId::DEFAULT, Arc::new(slot))]);
        let slots = RwLock::new(Slots { by_id, last: 0, changes: 0 });
        let shared = Shared::new(limits, journals);
        Worlds { recipe, first_key, courier, state, permitted, shared, slots }
    }

    /// What masks secrets in the log.
    pub(crate) fn masks(&self) -> Cow<'_, Masks> {
        let own = self.recipe.as_ref().map(|recipe| &recipe.journal.masks);
        own.map_or_else(|| Cow::Owned(Masks::default()), Cow::Borrowed)
    }

    /// The world that exists from the start.
    pub(crate) fn default_world(&self) -> World {
        self.read().by_id[&WorldId::DEFAULT].world.clone()
    }

    /// The world that the key in an `Authorization` header selects. Without a key, or with one that names no world,
    /// it is the default world.
    pub(crate) fn select<'a>(
        &self,
        authorization: Option<&'a str>,
    ) -> Result<Selected<'a>, NoWorld> {
        let Some(key) = authorization.and_then(bearer) else {
            return self.selected(WorldId::DEFAULT, authorization.map(Cow::Borrowed));
        };
        let (id, inner) = self.inner_key(key);
        match inner {
            None => self.selected(WorldId::DEFAULT, Some(NO_KEY.into())),
            Some(Cow::Borrowed(_)) => self.selected(id, authorization.map(Cow::Borrowed)),
            Some(Cow::Owned(inner)) => self.selected(id, Some(format!("Bearer {inner}").into())),
        }
    }

    fn selected<'a>(
        &self,
        id: WorldId,
        authorization: Option<Cow<'a, str>>,
    ) -> Result<Selected<'a>, NoWorld> {
        let slots = self.read();
        let gone = if id.0 <= slots.last { NoWorld::Gone(id) } else { NoWorld::NeverMade };
        Ok(slots.by_id.get(&id).ok_or(gone)?.selected(id, authorization))
    }

    /// The world of a key, and the key's inner form; none for the first key if the user has chosen another one.
    fn inner_key<'a>(&self, key: &'a str) -> (WorldId, Option<Cow<'a, str>>) {
        match &self.first_key {
            Some(first) if first == key => {
                (WorldId::DEFAULT, Some(Cow::Owned(Service::FIRST_KEY.to_owned())))
            }
            Some(_) if key == Service::FIRST_KEY => (WorldId::DEFAULT, None),
            _ => {
                let (id, inner) = name::selected(key);
                (id, Some(inner))
            }
        }
    }

    /// The outer form of a world's key: the one that a client sends.
    pub(crate) fn outer_key(&self, id: WorldId, inner: &str) -> String {
        match &self.first_key {
            Some(first) if id == WorldId::DEFAULT && inner == Service::FIRST_KEY => first.clone(),
            _ => id.outer_key(inner),
        }
    }

    /// Performs an action of the outside world in one world. Its keys have their outer form.
    pub(crate) fn happen(
        &self,
        (id, world): (WorldId, &World),
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        let happening = match happening {
            Happening::RevokeKey { key } => Happening::RevokeKey { key: self.key_in(id, &key) },
            other => other,
        };
        let outcome = world.happen(platform, happening)?;
        Ok(match outcome {
            Outcome::KeyIssued { key, platform } => {
                Outcome::KeyIssued { key: self.outer_key(id, &key), platform }
            }
            other => other,
        })
    }

    /// The inner form of a key for this world. The key of another world stays as it is, so that this one rejects it.
    fn key_in(&self, id: WorldId, key: &str) -> String {
        match self.inner_key(key) {
            (of, Some(inner)) if of == id => inner.into_owned(),
            _ => key.to_owned(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Slots> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Slots> {
        self.slots.write().unwrap_or_else(PoisonError::into_inner)
    }
}

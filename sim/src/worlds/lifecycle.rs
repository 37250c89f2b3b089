//! Makes, forks, restores, replaces and deletes worlds.

use std::borrow::Cow;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tideover_model::UnreadableSnapshot;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::courier::Courier;
use crate::history::{EntryName, NotKept};
use crate::state_file::Unwritable;
use crate::world::World;
use crate::worlds::expiry::{Expiry, InUse};
use crate::worlds::{IssuedKey, Recipe, RecipeError, Selected, WorldId, Worlds};

/// A world and what belongs to it.
pub(super) struct Slot {
    pub(super) world: World,
    sending: Mutex<Option<Sending>>,
    pub(super) expiry: Option<Arc<Expiry>>,
}

/// The courier of a world.
struct Sending {
    /// Sends nothing: dropping it makes the courier stop.
    stopping: watch::Sender<()>,
    task: JoinHandle<()>,
}

/// Why a world is not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotMade {
    #[error("this mock has a service of its own; other worlds would not have it")]
    OwnService,
    #[error(
        "this mock has at most {0} worlds; delete some first, or start it with a larger --max-worlds"
    )]
    TooMany(usize),
    #[error("the mock stops")]
    Stopped,
    #[error(transparent)]
    Impossible(#[from] RecipeError),
    #[error(transparent)]
    Unreadable(#[from] UnreadableSnapshot),
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    #[error(transparent)]
    NotKept(#[from] NotKept),
}

/// There is no such world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absent;

impl Slot {
    /// Starts to send the webhooks of a world, if there is a courier.
    pub(super) fn start(
        id: WorldId,
        world: World,
        courier: Option<&Arc<Courier>>,
        expiry: Option<Arc<Expiry>>,
    ) -> Slot {
        let sending = courier.map(|courier| {
            // Before the courier first runs, so that whoever waits also waits for what is already due.
            world.has_a_courier();
            let (stopping, stopped) = watch::channel(());
            let name = id.to_string().into();
            let task = tokio::spawn(Arc::clone(courier).run(name, world.clone(), stopped));
            Sending { stopping, task }
        });
        Slot { world, sending: Mutex::new(sending), expiry }
    }

    /// Whether it has been idle for as long as it may be.
    fn has_expired(&self) -> bool {
        let left = self.expiry.as_ref().and_then(|expiry| expiry.time_left());
        left == Some(Duration::ZERO)
    }

    /// The world for a request.
    pub(super) fn selected<'a>(
        &self,
        id: WorldId,
        authorization: Option<Cow<'a, str>>,
    ) -> Selected<'a> {
        let in_use = InUse::of(self.expiry.as_ref());
        Selected { id, world: self.world.clone(), authorization, in_use }
    }

    fn sending(&self) -> Option<Sending> {
        self.sending.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Stops sending, and ends all waits in this world. No key selects it any more.
    async fn end(&self) {
        self.world.end();
        self.stop().await;
    }

    /// Returns once this world sends nothing more.
    async fn stop(&self) {
        let Some(Sending { stopping, task }) = self.sending() else { return };
        drop(stopping);
        // An error means that the task has already ended.
        let _ = task.await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(Sending { task, .. }) = self.sending() {
            task.abort();
        }
    }
}

impl Worlds {
    /// How new worlds are made.
    pub(crate) fn recipe(&self) -> Result<&Recipe, NotMade> {
        self.recipe.as_ref().ok_or(NotMade::OwnService)
    }

    /// Every world by its number, the default one first.
    pub(crate) fn all(&self) -> Vec<(WorldId, World)> {
        self.read().by_id.iter().map(|(id, slot)| (*id, slot.world.clone())).collect()
    }

    /// At most `most` worlds after `last`, in order.
    pub(crate) fn after(&self, last: Option<WorldId>, most: usize) -> Vec<(WorldId, World)> {
        let first = last.map_or(Bound::Unbounded, Bound::Excluded);
        let slots = self.read();
        let after = slots.by_id.range((first, Bound::Unbounded)).take(most);
        after.map(|(id, slot)| (*id, slot.world.clone())).collect()
    }

    /// Whether there is any world beside the default one.
    pub(crate) fn are_several(&self) -> bool {
        self.read().by_id.len() > 1
    }

    /// A world by its number.
    pub(crate) fn named(&self, id: WorldId) -> Result<Selected<'static>, Absent> {
        let slots = self.read();
        Ok(slots.by_id.get(&id).ok_or(Absent)?.selected(id, None))
    }

    /// The number of the next world: its names follow from it.
    pub(crate) fn next_id(&self) -> Result<WorldId, NotMade> {
        let mut slots = self.write();
        self.check_room(slots.by_id.len())?;
        slots.last += 1;
        Ok(WorldId(slots.last))
    }

    fn check_room(&self, worlds: usize) -> Result<(), NotMade> {
        let most = self.shared.limits.worlds;
        if worlds >= most { Err(NotMade::TooMany(most)) } else { Ok(()) }
    }

    /// Adds a world, which expires after `idle` without a request.
    pub(crate) fn add(
        self: &Arc<Self>,
        id: WorldId,
        world: World,
        idle: Option<Duration>,
    ) -> Result<(), NotMade> {
        // Others may have taken the last place meanwhile.
        self.check_room(self.read().by_id.len())?;
        self.put(id, world, idle);
        Ok(())
    }

    /// Puts a world at a number that is free.
    pub(super) fn put(self: &Arc<Self>, id: WorldId, world: World, idle: Option<Duration>) {
        let slot = Slot::start(id, world, self.courier.as_ref(), idle.map(Expiry::after));
        let mut slots = self.write();
        slots.by_id.insert(id, Arc::new(slot));
        slots.changes += 1;
        drop(slots);
        if idle.is_some() {
            tokio::spawn(expire(Arc::downgrade(self), id));
        }
    }

    /// A copy of a world, as it is now or as it was at an entry, from its snapshot. It expires after `idle` without a
    /// request.
    pub(crate) async fn fork(
        self: &Arc<Self>,
        (of, world): (WorldId, World),
        at: Option<EntryName>,
        idle: Option<Duration>,
    ) -> Result<WorldId, NotMade> {
        let (worlds, id) = (Arc::clone(self), self.next_id()?);
        let copy = aside(move || {
            let line = world.branch(of, at);
            let snapshot = match at {
                Some(entry) => world.past(entry)?.snapshot().ok_or(Unwritable)?,
                None => world.snapshot()?,
            };
            let copy = worlds.restored(&snapshot)?.coming_from(line);
            Ok(copy.named_as(id.number()).prepared())
        });
        self.add(id, copy.await?, idle)?;
        Ok(id)
    }

    /// The world of a snapshot.
    pub(crate) fn restored(&self, snapshot: &[u8]) -> Result<World, UnreadableSnapshot> {
        let resolver = self.recipe.as_ref().and_then(|recipe| recipe.resolver.clone());
        let world = World::restored(snapshot, resolver, Some(&self.permitted))?;
        Ok(match &self.recipe {
            Some(recipe) => recipe.finished(world),
            None => world,
        })
    }

    /// Replaces a world. The old one sends nothing more.
    pub(crate) async fn replace(&self, id: WorldId, world: World) -> Result<(), Absent> {
        let before = self.take(id)?;
        before.stop().await;
        let slot = Slot::start(id, world, self.courier.as_ref(), before.expiry.clone());
        let replaced = {
            let mut slots = self.write();
            slots.changes += 1;
            slots.by_id.get_mut(&id).map(|place| *place = Arc::new(slot))
        };
        // Whoever waited in the old world finds the new one now.
        before.world.end();
        replaced.ok_or(Absent)
    }

    /// Stops all couriers at once.
    pub(crate) fn abort(&self) {
        for slot in self.read().by_id.values() {
            if let Some(Sending { task, .. }) = slot.sending() {
                task.abort();
            }
        }
    }

    /// The slot of a world.
    fn take(&self, id: WorldId) -> Result<Arc<Slot>, Absent> {
        self.read().by_id.get(&id).map(Arc::clone).ok_or(Absent)
    }

    /// Deletes a world, which then sends nothing more. The default world counts as absent here.
    pub(crate) async fn delete(&self, id: WorldId) -> Result<(), Absent> {
        if id == WorldId::DEFAULT {
            return Err(Absent);
        }
        self.remove(id, |_| true)?.end().await;
        Ok(())
    }

    /// Removes a world, if it is as wanted.
    fn remove(&self, id: WorldId, is_wanted: fn(&Slot) -> bool) -> Result<Arc<Slot>, Absent> {
        let mut slots = self.write();
        if !slots.by_id.get(&id).is_some_and(|slot| is_wanted(slot)) {
            return Err(Absent);
        }
        slots.changes += 1;
        slots.by_id.remove(&id).ok_or(Absent)
    }

    /// The outer forms of a world's keys that are not revoked, by platform.
    pub(crate) fn live_keys(&self, id: WorldId, world: &World) -> Vec<IssuedKey> {
        let live = world.keys().into_iter().filter(|key| !key.revoked);
        live.map(|key| IssuedKey { key: self.outer_key(id, key.reveal()), platform: key.platform })
            .collect()
    }
}

/// Does long work on another thread, so that it holds up no request.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NotMade> + Send + 'static,
) -> Result<T, NotMade> {
    // An error means that the runtime stops, or that the work panics: both end this request too.
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(NotMade::Stopped))
}

/// Deletes a world once it has been idle for as long as it may be.
async fn expire(worlds: Weak<Worlds>, id: WorldId) {
    loop {
        let expiry = {
            let Some(worlds) = worlds.upgrade() else { return };
            let Ok(slot) = worlds.take(id) else { return };
            let Some(expiry) = slot.expiry.clone() else { return };
            expiry
        };
        match expiry.time_left() {
            None => expiry.released().await,
            Some(Duration::ZERO) => {
                let Some(worlds) = worlds.upgrade() else { return };
                // A request may have selected it just now: `remove` looks again, under the lock.
                if let Ok(slot) = worlds.remove(id, Slot::has_expired) {
                    tracing::info!("the world {id} expires");
                    return slot.end().await;
                }
            }
            Some(left) => sleep(left).await,
        }
    }
}

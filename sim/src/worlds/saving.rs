//! Saves all worlds of a mock to its state file, and loads them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use tideover_model::{ImpossibleState, Sealed, UnreadableSnapshot};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::clock::{instant, since};
use crate::state_file::{StateError, Unsaved};
use crate::world::World;
use crate::worlds::lifecycle::Slot;
use crate::worlds::{WorldId, Worlds};

/// Version 1 holds worlds of versions that this release does not read.
const STATE: Sealed = Sealed { format: "tideover-state", version: 2 };

/// How often the mock looks for changes.
const PAUSE: Duration = Duration::from_millis(200);
/// The pause after a write is at least so many times as long as the write: saving takes a tenth of the time at most.
const PAUSES: u32 = 9;

/// The names of these fields are the form of version 2.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedState {
    /// The number of the last world made.
    last: u64,
    worlds: Vec<SavedWorld>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedWorld {
    number: u64,
    expires_after_idle_seconds: Option<u64>,
    world: Box<RawValue>,
}

/// The worlds of a state file.
struct Restored {
    last: u64,
    /// Each with the time after which it expires when idle.
    worlds: Vec<(WorldId, World, Option<Duration>)>,
}

impl Worlds {
    /// Writes all worlds, one after the other: only one snapshot is in memory at a time.
    fn write_to(&self, file: &mut BufWriter<File>) -> Result<(), Unsaved> {
        let (last, slots) = {
            let slots = self.read();
            let all: Vec<(WorldId, Arc<Slot>)> =
                slots.by_id.iter().map(|(id, slot)| (*id, Arc::clone(slot))).collect();
            (slots.last, all)
        };
        STATE.seal_into(file, |state| {
            write!(state, r#"{{"last":{last},"worlds":["#)?;
            for (index, (WorldId(number), slot)) in slots.into_iter().enumerate() {
                let idle = slot.expiry.as_ref().map(|it| it.idle.as_secs());
                let idle = serde_json::to_string(&idle).map_err(io::Error::from)?;
                let comma = if index == 0 { "" } else { "," };
                write!(
                    state,
                    r#"{comma}{{"number":{number},"expiresAfterIdleSeconds":{idle},"world":"#
                )?;
                slot.world.write_snapshot(state)?;
                state.write_all(b"}")?;
            }
            Ok(state.write_all(b"]}")?)
        })
    }

    /// Loads the worlds of the state file, if it exists. Returns whether it did. No world has changed if the file is
    /// refused.
    pub(crate) async fn load(self: &Arc<Self>) -> Result<bool, StateError> {
        let file = self.state.as_ref().ok_or(StateError::None)?;
        let Some(content) = file.load()? else { return Ok(false) };
        let Restored { last, worlds } =
            self.read_state(&content).map_err(|why| file.refused(why))?;
        for (id, world, idle) in worlds {
            if id == WorldId::DEFAULT {
                let _ = self.replace(id, world).await;
            } else {
                self.put(id, world, idle);
            }
        }
        self.write().last = last;
        Ok(true)
    }

    fn read_state(&self, content: &[u8]) -> Result<Restored, UnreadableSnapshot> {
        let SavedState { last, worlds } =
            serde_json::from_str(STATE.open(content)?).map_err(ImpossibleState::from)?;
        let mut before = None;
        let world = |saved: SavedWorld| {
            if before >= Some(saved.number) || saved.number > last {
                let what = format!("the world {} is out of order", saved.number);
                return Err(UnreadableSnapshot::from(ImpossibleState::new(what)));
            }
            before = Some(saved.number);
            let idle = saved.expires_after_idle_seconds.map(Duration::from_secs);
            Ok((
                WorldId(saved.number),
                self.restored(saved.world.get().as_bytes())?.prepared(),
                idle,
            ))
        };
        let worlds = worlds.into_iter().map(world).collect::<Result<_, _>>()?;
        Ok(Restored { last, worlds })
    }

    /// Writes the state file, unless nothing has changed. Returns once the file is complete.
    pub(crate) async fn save(self: &Arc<Self>) -> Result<(), StateError> {
        let file = self.state.as_ref().ok_or(StateError::None)?;
        // Writes take turns: whoever waited for one finds the work done.
        let Ok(turn) = Arc::clone(&self.shared.writer).acquire_owned().await else { return Ok(()) };
        if file.is_done(self.version()) {
            return Ok(());
        }
        let (worlds, (done, saved)) = (Arc::clone(self), oneshot::channel());
        let writing = thread::Builder::new().name("state".to_owned()).spawn(move || {
            let _ = done.send(worlds.write_state());
            drop(turn);
        });
        writing.map_err(|source| file.unwritten(source))?;
        saved.await.unwrap_or_else(|_| Err(file.unwritten(io::Error::other("the writer stopped"))))
    }

    fn write_state(&self) -> Result<(), StateError> {
        let file = self.state.as_ref().ok_or(StateError::None)?;
        file.save(self.version(), |file| self.write_to(file))
    }

    /// Lets other mocks have the state file.
    pub(crate) fn release_file(&self) {
        if let Some(file) = &self.state {
            file.release();
        }
    }

    /// Differs after each change.
    fn version(&self) -> (u64, u64) {
        let slots = self.read();
        (slots.changes, slots.by_id.values().map(|slot| slot.world.lasting_changes()).sum())
    }
}

/// Saves each change soon, as long as the future is polled. The more there is to write, the longer is the pause
/// between two writes. A problem is logged once, not five times a second.
pub(crate) async fn save_changes(worlds: Arc<Worlds>) {
    let mut took = Duration::ZERO;
    let mut last_problem = None;
    loop {
        sleep(PAUSE.max(took * PAUSES)).await;
        let began = instant();
        let problem = worlds.save().await.err().map(|error| error.to_string());
        took = since(began);
        if let Some(problem) = &problem
            && last_problem.as_ref() != Some(problem)
        {
            tracing::error!("{problem}");
        }
        last_problem = problem;
    }
}

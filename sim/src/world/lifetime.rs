//! How a world begins, starts over, and ends.

use tideover_model::Timestamp;

use crate::beginning::{Beginning, ScenarioError};
use crate::deliveries::DeliveryLog;
use crate::interventions::Interventions;
use crate::world::{World, WorldState};

impl World {
    /// Plays the beginning of a new world.
    pub(crate) fn beginning(self, beginning: Beginning) -> Result<World, ScenarioError> {
        let mut state = self.lock();
        state.beginning = beginning;
        let now = state.clock.now();
        let begun = state.begin(now);
        state.begin_history();
        drop(state);
        begun.map(|()| self)
    }

    /// The same world, with names of its own from now on.
    pub(crate) fn named_as(self, number: u32) -> World {
        let mut state = self.lock();
        state.face.unbegun().name_as_world(number);
        state.begin_history();
        drop(state);
        self
    }

    /// Ends the waits in this world. Its owner has seen to it that it sends nothing more and that no key selects it.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.inner.settled.notify_waiters();
        self.inner.recorded.notify_waiters();
        self.inner.changed.notify_waiters();
    }

    /// Whether it was deleted, or another world is in its place.
    pub(crate) fn has_ended(&self) -> bool {
        self.lock().ended
    }
}

impl WorldState {
    /// Resets everything around the service. Returns the time of the start.
    pub(super) fn start_over(&mut self) -> Timestamp {
        self.clock.reset();
        self.journal.clear();
        self.deliveries = DeliveryLog::default();
        self.interventions = Interventions::default();
        self.faults.reset();
        self.resets += 1;
        self.clock.now()
    }

    /// Plays the beginning on a fresh service.
    pub(super) fn begin(&mut self, now: Timestamp) -> Result<(), ScenarioError> {
        let begun = self.beginning.play(self.face.unbegun(), now);
        self.log_deliveries();
        // The client has met nothing yet.
        if let Some(grease) = &mut self.grease {
            grease.reset();
        }
        begun
    }
}

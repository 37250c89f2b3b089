//! How a world begins, starts over, and ends.

use tideover_model::Timestamp;

use crate::beginning::{Beginning, ScenarioError};
use crate::deliveries::DeliveryLog;
use crate::world::{World, WorldState};

impl World {
    /// A new world with this beginning, which meets no fault.
    ///
    /// # Errors
    /// [`ScenarioError`].
    pub(crate) fn beginning(self, beginning: Beginning) -> Result<World, ScenarioError> {
        let mut state = self.lock();
        state.beginning = beginning;
        let now = state.clock.now();
        let begun = state.begin(now);
        drop(state);
        begun.map(|()| self)
    }

    /// Lets everyone go who waits in this world: nothing of it is sent, and nobody selects it any more.
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
    /// Restores all that surrounds the service. Returns the time of the start.
    pub(super) fn start_over(&mut self) -> Timestamp {
        self.clock.reset();
        self.journal.clear();
        self.deliveries = DeliveryLog::default();
        self.faults.reset();
        self.resets += 1;
        self.clock.now()
    }

    /// Plays the beginning to a service to which nothing has happened.
    pub(super) fn begin(&mut self, now: Timestamp) -> Result<(), ScenarioError> {
        let begun = self.beginning.play(&mut *self.face, now);
        self.log_deliveries();
        // The client has met nothing yet.
        if let Some(grease) = &mut self.grease {
            grease.reset();
        }
        begun
    }
}

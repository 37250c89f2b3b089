//! Reads a world's log of interventions.

use serde::Serialize;
use tideover_model::Timestamp;
use utoipa::ToSchema;

use crate::interventions::{Intervention, Moment};
use crate::world::{World, WorldState};

/// The last interventions.
#[derive(Serialize, ToSchema)]
#[schema(as = Interventions)]
pub(crate) struct Intervened {
    /// The oldest first.
    interventions: Vec<Intervention>,
    /// The number of the next one: `?after=` waits for it.
    next: u64,
    /// How many older ones are no longer kept.
    dropped: u64,
}

impl World {
    /// The last interventions, from number `after` on.
    pub(crate) fn interventions(&self, after: u64) -> Intervened {
        let state = self.lock();
        let (log, masks) = (&state.interventions, state.journal.masks());
        let interventions = log.from(after).map(|it| it.masked(masks)).collect();
        Intervened { interventions, next: log.next(), dropped: log.dropped() }
    }
}

impl WorldState {
    /// Where its history stands now.
    pub(super) fn moment(&self, time: Timestamp) -> Moment {
        let (next_request, next_delivery) = (self.journal.next(), self.deliveries.next());
        Moment { time, next_request, next_delivery, point: self.face.point() }
    }
}

//! What the page shows of a world, and when it has changed.

use serde::Serialize;
use tideover_model::wire::overview::{Overview, Size, Wanted};
use tideover_model::{PlatformId, Timestamp};
use utoipa::ToSchema;

use crate::world::{World, when};

/// `GET /_sim/overview`, without the names of world and platform.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldOverview {
    /// What the clock shows.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
    /// How many times as fast as the wall clock it runs; 0 if it stands.
    speed: u32,
    /// When something is due next; null if nothing is.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    next_due: Option<Timestamp>,
    /// How often the world was reset.
    resets: u64,
    /// The number of the next request.
    next_request: u64,
    /// The number of the next delivery.
    next_delivery: u64,
    /// The number of the next intervention.
    next_intervention: u64,
    #[serde(flatten)]
    seen: Overview,
}

/// How much a world holds, of all platforms together.
#[derive(Serialize, ToSchema)]
pub(crate) struct WorldSize {
    #[serde(flatten)]
    service: Size,
    /// How many requests to the API it has had since its start.
    requests: u64,
}

impl World {
    pub(crate) fn size(&self) -> WorldSize {
        let state = self.lock();
        WorldSize { service: state.face.size(), requests: state.journal.next() }
    }

    /// The part of the world that belongs to a platform.
    pub(crate) fn overview(&self, platform: PlatformId, wanted: Wanted<'_>) -> WorldOverview {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        WorldOverview {
            now,
            speed: state.clock.speed().unwrap_or_default(),
            next_due: state.face.poll_timeout(),
            resets: state.resets,
            next_request: state.journal.next(),
            next_delivery: state.deliveries.next(),
            next_intervention: state.interventions.next(),
            seen: state.face.overview(now, platform, wanted),
        }
    }

    /// Returns the count of changes once it differs from `seen`; `None` if the world ends first.
    pub(crate) async fn changed_since(&self, seen: Option<u64>) -> Option<u64> {
        let look = || {
            let changes = self.changes();
            let is_new = seen != Some(changes);
            (is_new || self.has_ended()).then(|| is_new.then_some(changes))
        };
        when(&self.inner.changed, look).await
    }
}

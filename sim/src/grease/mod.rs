//! Grease: at random from the seed, the mock does what the document leaves a service free to do, so that no
//! client comes to rely on one behaviour (after RFC 8701). No documented refusal is recoded or invented.
//!
//! Pure: no clock and no ambient randomness. Every decision is keyed by seed, freedom and occasion.

mod answers;
mod choices;
mod coverage;
mod draws;
mod events;
mod form;
mod freedom;
mod json;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tideover_model::exchange::Response;
use tideover_model::{Delivery, Seeded, Service, UnreadableSnapshot};

pub use answers::{Answered, Greased, greased as greased_response};
pub use choices::GreasedChoices;
pub use coverage::Coverage;
pub(crate) use coverage::CoverageView;
pub use events::{GreasedEvent, greased as greased_event};
pub use freedom::Freedom;
pub(crate) use json::Json;

use choices::Taken;

/// Grease in a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedGrease {
    requests: u64,
    met: BTreeMap<String, u64>,
}

/// The grease of a world, and how much of it the client has met.
#[derive(Debug)]
pub struct Grease {
    seeded: Seeded,
    requests: u64,
    coverage: Coverage,
    taken: Taken,
}

impl Grease {
    /// The grease of a seed.
    pub fn of_seed(seed: u64) -> Grease {
        let seeded = Seeded { seed };
        Grease { seeded, requests: 0, coverage: Coverage::default(), taken: Taken::default() }
    }

    /// The choices of a service in this world: those of its seed, with grease.
    pub fn choices(&self) -> GreasedChoices {
        GreasedChoices::new(self.seeded, self.taken.clone())
    }

    /// What a snapshot holds of it, besides the seed.
    pub(crate) fn saved(&self) -> SavedGrease {
        SavedGrease { requests: self.requests, met: self.coverage.counts() }
    }

    /// The service of a snapshot, with the grease that was saved beside it.
    pub(crate) fn restore_service(
        saved: SavedGrease,
        service: &[u8],
    ) -> Result<(Service<GreasedChoices>, Grease), UnreadableSnapshot> {
        let SavedGrease { requests, met } = saved;
        let taken = Taken::default();
        let choices = |seeded| GreasedChoices::new(seeded, taken.clone());
        let service = Service::restore_with(service, choices)?;
        let coverage = Coverage::of(&met)?;
        let grease = Grease { seeded: service.choices().ungreased(), requests, coverage, taken };
        Ok((service, grease))
    }

    /// How often the client has met each freedom.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Starts over, as in a new world.
    pub(crate) fn reset(&mut self) {
        self.taken.collect();
        (self.requests, self.coverage) = (0, Coverage::default());
    }

    /// Changes the response to the next request. The client meets everything that changes.
    pub(crate) fn change(&mut self, answered: Answered<'_>, response: Response) -> Greased {
        let greased = greased_response(self.seeded, self.requests, answered, response);
        self.requests += 1;
        self.coverage.add(&greased.taken);
        greased
    }

    /// The event of a delivery, as it is sent.
    pub(crate) fn event(&self, delivery: &Delivery) -> GreasedEvent {
        greased_event(self.seeded, delivery)
    }

    /// Counts freedoms that the client has met.
    pub(crate) fn meet(&mut self, met: &[Freedom]) {
        self.coverage.add(met);
    }

    /// The freedoms that the service's choices have taken since the last call. The client meets them.
    pub(crate) fn collect(&mut self) -> Vec<Freedom> {
        let taken = self.taken.collect();
        self.coverage.add(&taken);
        taken
    }
}

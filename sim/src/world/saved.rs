//! A world as a snapshot, and back. Its journal and its log of past deliveries are not in it.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tideover_model::{
    Choices, Destinations, Face, ImpossibleState, Sealed, Service, Timestamp, UnreadableSnapshot,
};

use crate::beginning::Beginning;
use crate::clock::{Clock, SavedClock};
use crate::deliveries::DeliveryLog;
use crate::fault::Faults;
use crate::grease::{Grease, SavedGrease};
use crate::history::Around;
use crate::sending::Resolver;
use crate::state_file::{Unsaved, Unwritable};
use crate::world::{Past, World, WorldState};

/// Versions 1 and 2 hold a service of version 1, which this release can't read.
const WORLD: Sealed = Sealed { format: "tideover-world", version: 3 };

/// What a mock permits in each of its worlds, whatever the snapshot says from which it makes one: whoever can send a
/// snapshot must not be able to send webhooks into the mock's own network.
#[derive(Clone, Debug)]
pub(crate) struct Permitted {
    /// Where webhooks may go.
    pub(crate) destinations: Destinations,
    /// The most live subscriptions.
    pub(crate) subscriptions: usize,
}

impl Permitted {
    /// The service with these permissions and no others.
    pub(crate) fn to<C: Choices>(permitted: Option<&Permitted>, service: Service<C>) -> Service<C> {
        let Some(Permitted { destinations, subscriptions }) = permitted else { return service };
        service.sending_to(destinations.clone()).subscribing(*subscriptions)
    }
}

/// The names of these fields, and of all within them, are the form of version 3.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorldSnapshot<'a> {
    clock: SavedClock,
    faults: Cow<'a, Faults>,
    grease: Option<SavedGrease>,
    #[serde(borrow)]
    service: Cow<'a, RawValue>,
    beginning: Cow<'a, Beginning>,
}

impl World {
    /// The world as a JSON document with a checksum: service, clock, faults, grease, and the start that a reset
    /// restores. The same world gives the same bytes. Attempts of deliveries that are in flight count as failed.
    ///
    /// The bytes contain every API key and every signing key: protect them as such.
    ///
    /// # Errors
    /// [`Unwritable`] if its service has a defect, or is not the model's own.
    pub fn snapshot(&self) -> Result<Vec<u8>, Unwritable> {
        let mut document = Vec::new();
        match self.write_snapshot(&mut document) {
            Ok(()) => Ok(document),
            // Writing to memory does not fail.
            Err(Unsaved::World(_) | Unsaved::File(_)) => Err(Unwritable),
        }
    }

    /// Writes the [`snapshot`](World::snapshot).
    pub(crate) fn write_snapshot(&self, out: &mut impl Write) -> Result<(), Unsaved> {
        let mut state = self.lock();
        let now = self.proceed(&mut state);
        let service = state.written(now).ok_or(Unwritable)?;
        let service: &RawValue = serde_json::from_slice(&service).map_err(|_| Unwritable)?;
        let saved = WorldSnapshot {
            clock: state.clock.saved(),
            faults: Cow::Owned(state.faults.clone()),
            grease: state.grease.as_ref().map(Grease::saved),
            service: Cow::Borrowed(service),
            beginning: Cow::Owned(state.beginning.clone()),
        };
        // Writing takes a while: others can use the world meanwhile.
        drop(state);
        saved.write_to(out)
    }

    /// The world of a [`snapshot`](World::snapshot). Its snapshot has the same bytes.
    ///
    /// # Errors
    /// [`UnreadableSnapshot`], in the order of its variants.
    pub fn restore(bytes: &[u8]) -> Result<World, UnreadableSnapshot> {
        World::restored(bytes, None, None)
    }

    /// The world of a snapshot in a mock, which has a resolver for host names and its own permissions.
    pub(crate) fn restored(
        bytes: &[u8],
        resolver: Option<Arc<dyn Resolver>>,
        permitted: Option<&Permitted>,
    ) -> Result<World, UnreadableSnapshot> {
        let WorldSnapshot { clock, faults, grease, service, beginning } =
            serde_json::from_str(WORLD.open(bytes)?).map_err(ImpossibleState::from)?;
        let clock = Clock::restored(clock)?;
        let faults = faults.into_owned();
        faults.check().map_err(|error| ImpossibleState::new(error.to_string()))?;
        let service = service.get().as_bytes();
        let world = match grease {
            None => World::resuming(
                Permitted::to(permitted, Service::restore(service)?),
                clock,
                resolver,
            ),
            Some(saved) => {
                let (service, grease) = Grease::restore_service(saved, service)?;
                let service = Permitted::to(permitted, service);
                World::resuming(service, clock, resolver).greased(grease)
            }
        };
        world.lock().beginning = beginning.into_owned();
        Ok(world.faulty(faults))
    }

    fn resuming<C: Choices>(
        service: Service<C>,
        clock: Clock,
        resolver: Option<Arc<dyn Resolver>>,
    ) -> World {
        let log = DeliveryLog::starting_with(service.pending_deliveries(), service.next_delivery());
        let world = World::resolving(Box::new(service), clock, resolver);
        world.lock().deliveries = log;
        world
    }
}

impl WorldSnapshot<'_> {
    fn write_to(&self, out: &mut impl Write) -> Result<(), Unsaved> {
        Ok(WORLD.seal_twice(out, |out| Ok(serde_json::to_writer(out, self)?))?)
    }
}

impl Past {
    /// The [`snapshot`](World::snapshot) of the world as it was.
    pub(crate) fn snapshot(&self) -> Option<Vec<u8>> {
        let mut service = Service::restore(&self.base.face.snapshot()?).ok()?;
        service.handle_restart(self.now());
        let service = Face::snapshot(&service)?;
        let Around { faults, grease } = &self.base.around;
        let saved = WorldSnapshot {
            clock: self.clock,
            faults: Cow::Borrowed(faults),
            grease: grease.clone(),
            service: Cow::Borrowed(serde_json::from_slice(&service).ok()?),
            beginning: Cow::Borrowed(&self.beginning),
        };
        let mut document = Vec::new();
        saved.write_to(&mut document).ok()?;
        Some(document)
    }
}

impl WorldState {
    /// The snapshot of the service, without attempts in flight: whoever restores it does not have them.
    fn written(&self, now: Timestamp) -> Option<Vec<u8>> {
        let snapshot = self.face.snapshot()?;
        if self.in_flight == 0 {
            return Some(snapshot);
        }
        let mut service = Service::restore(&snapshot).ok()?;
        service.handle_restart(now);
        Face::snapshot(&service)
    }
}

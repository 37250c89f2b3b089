//! How a new world is made.

use std::sync::Arc;

use tideover_model::{Face, ImpossibleValue, Profile, Seeded, Service, Timestamp};

use crate::beginning::{Beginning, ScenarioError};
use crate::clock::{Clock, ClockChoice, wall_time};
use crate::fault::{FaultError, Faults, Rule};
use crate::grease::Grease;
use crate::journal::Setting;
use crate::sending::Resolver;
use crate::world::{Permitted, World};

/// What a world is made of.
#[derive(Clone)]
pub(crate) struct Recipe {
    pub(crate) seed: u64,
    /// The number of the world, where its names are to be its own.
    pub(crate) number: u32,
    pub(crate) profile: Profile,
    /// The instant at which its clock starts; `None` for the wall time at that moment.
    pub(crate) start: Option<Timestamp>,
    pub(crate) clock: ClockChoice,
    pub(crate) permitted: Permitted,
    pub(crate) resolver: Option<Arc<dyn Resolver>>,
    pub(crate) faults: Vec<Rule>,
    pub(crate) grease: bool,
    pub(crate) beginning: Beginning,
    /// Whether answers name the clause that decided them.
    pub(crate) hints: bool,
    pub(crate) journal: Setting,
}

/// Why a world cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// The profile has an impossible value.
    #[error("the profile is impossible: {0}")]
    Profile(#[from] ImpossibleValue),
    /// The world does not take the faults.
    #[error("the faults are impossible: {0}")]
    Faults(#[from] FaultError),
    /// The scenario cannot be played with these assumed values.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl Recipe {
    /// A new world.
    pub(crate) fn world(&self) -> Result<World, RecipeError> {
        self.profile.check()?;
        let faults = Faults::new(self.seed, self.faults.clone())?;
        let world = self.empty().named_as(self.number).beginning(self.beginning.clone())?;
        Ok(self.finished(world).faulty(faults))
    }

    /// A world with what no snapshot holds, because it concerns the mock and not the service.
    pub(super) fn finished(&self, world: World) -> World {
        world.hinting(self.hints).recording(self.journal.clone())
    }

    /// A new world in which `face` is the service. Everything but profile and permissions is the recipe's.
    pub(crate) fn world_with(&self, face: Box<dyn Face>) -> Result<World, RecipeError> {
        let faults = Faults::new(self.seed, self.faults.clone())?;
        let world = World::resolving(face, self.clock(), self.resolver.clone());
        let world = if self.grease { world.greased(Grease::of_seed(self.seed)) } else { world };
        let world = world.beginning(self.beginning.clone())?;
        Ok(self.finished(world).faulty(faults))
    }

    fn clock(&self) -> Clock {
        Clock::new(self.start.unwrap_or_else(wall_time), self.clock)
    }

    fn empty(&self) -> World {
        let Recipe { seed, profile, permitted, .. } = self.clone();
        let permitted = Some(&permitted);
        let clock = self.clock();
        let resolver = self.resolver.clone();
        if self.grease {
            let grease = Grease::of_seed(seed);
            let service = Permitted::to(permitted, Service::new(profile, grease.choices()));
            World::resolving(Box::new(service), clock, resolver).greased(grease)
        } else {
            let service = Permitted::to(permitted, Service::new(profile, Seeded { seed }));
            World::resolving(Box::new(service), clock, resolver)
        }
    }
}

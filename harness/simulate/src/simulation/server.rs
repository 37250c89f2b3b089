//! The service of a simulated world, which can be restarted.

use tideover_defects::Defective;
use tideover_model::{Choices, Destinations, Face, Seeded, Service, Timestamp};
use tideover_sim::grease::Grease;

use crate::simulation::plan::Plan;

/// A service that can be restarted from its own snapshot.
pub(crate) trait Server: Face {
    /// Stops and starts again from a snapshot.
    ///
    /// # Errors
    /// What the restored service has lost.
    fn restart(&mut self, now: Timestamp) -> Result<(), String>;
}

/// The correct service of a plan.
pub(crate) fn correct(plan: &Plan) -> Box<dyn Server> {
    if plan.greased {
        Box::new(service(plan, Grease::of_seed(plan.seed).choices()))
    } else {
        Box::new(service(plan, Seeded { seed: plan.seed }))
    }
}

fn service<C: Choices>(plan: &Plan, choices: C) -> Service<C> {
    Service::new(plan.profile.clone(), choices).sending_to(Destinations::Public)
}

/// It restarts as its defect has it.
impl Server for Defective {
    fn restart(&mut self, now: Timestamp) -> Result<(), String> {
        Defective::restart(self, now);
        Ok(())
    }
}

impl<C: Choices> Server for Service<C> {
    fn restart(&mut self, now: Timestamp) -> Result<(), String> {
        let snapshot = self.snapshot().ok_or("the service cannot be written down")?;
        let restored = Service::restore_with(&snapshot, |_| self.choices().clone())
            .map_err(|error| error.to_string())?;
        if restored != *self {
            return Err("the restored service is not equal to the one before".to_owned());
        }
        *self = restored;
        self.handle_restart(now);
        Ok(())
    }
}

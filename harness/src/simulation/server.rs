//! The service of a simulated world, which can be restarted.

use tideover_model::{Destinations, Face, Seeded, Service, Timestamp};

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
pub(crate) fn correct(plan: &Plan) -> Service {
    Service::new(plan.profile.clone(), Seeded { seed: plan.seed }).sending_to(Destinations::Public)
}

impl Server for Service {
    fn restart(&mut self, now: Timestamp) -> Result<(), String> {
        let restored = Service::restore(&self.snapshot()).map_err(|error| error.to_string())?;
        if restored != *self {
            return Err("the restored service is not equal to the one before".to_owned());
        }
        *self = restored;
        self.handle_restart(now);
        Ok(())
    }
}

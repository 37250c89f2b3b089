//! How a world begins, and begins again after a reset: by real operations.

mod scenario;

use serde::{Deserialize, Serialize};
use tideover_model::{Face, Happening, PlatformId, Timestamp};

pub use scenario::{Scenario, ScenarioError};

/// What a new world is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beginning {
    pub(crate) scenario: Scenario,
    /// The platforms beside the first one, by name. Each gets a key.
    pub(crate) platforms: Vec<String>,
}

impl Beginning {
    /// Plays it at `now` to a service to which nothing has happened.
    ///
    /// # Errors
    /// [`ScenarioError`]: the step that the service does not permit; those before it have happened.
    pub(crate) fn play(&self, face: &mut dyn Face, now: Timestamp) -> Result<(), ScenarioError> {
        self.scenario.play(face, now)?;
        for platform in &self.platforms {
            let issue = Happening::IssueKey { platform: Some(platform.clone()) };
            face.happen(now, PlatformId::DEFAULT, issue)
                .map_err(|impossible| self.scenario.stopped("IssueKey", impossible))?;
        }
        Ok(())
    }
}

//! How a world begins, and begins again after a reset: by real operations, so that no state arises that no client
//! could have caused.

mod scenario;

use serde::{Deserialize, Serialize};
use tideover_model::{Face, Happening, PlatformId, Timestamp};

pub use scenario::{Scenario, ScenarioError};

/// What happens in a new world before anyone uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beginning {
    pub(crate) scenario: Scenario,
    /// The platforms beside the first one, by name. Each gets a key.
    pub(crate) platforms: Vec<String>,
}

impl Beginning {
    /// Plays it at `now` on a fresh service. If a step fails, those before it stay done.
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

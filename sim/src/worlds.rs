//! Finds the world of a request by its API key.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use tideover_model::{Happening, Impossible, Outcome, PlatformId, Service, bearer};

use crate::world::World;

/// Worlds by API key. A missing or unknown key selects the default world, which then refuses it.
pub(crate) struct Worlds {
    default: World,
    by_key: RwLock<BTreeMap<String, World>>,
}

impl Worlds {
    pub(crate) fn new(default: World) -> Worlds {
        let first = (Service::FIRST_KEY.to_owned(), default.clone());
        Worlds { default, by_key: RwLock::new(BTreeMap::from([first])) }
    }

    /// The world of the key in the `Authorization` header.
    pub(crate) fn of(&self, authorization: Option<&str>) -> World {
        let Some(key) = authorization.and_then(bearer) else { return self.default.clone() };
        let by_key = self.by_key.read().unwrap_or_else(PoisonError::into_inner);
        by_key.get(key).unwrap_or(&self.default).clone()
    }

    /// Performs an action of the outside world. A newly issued key selects this world from then on.
    ///
    /// # Errors
    /// [`Impossible`] if the outside world can't do that now.
    pub(crate) fn happen(
        &self,
        world: &World,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        let outcome = world.happen(platform, happening)?;
        if let Outcome::KeyIssued { key, .. } = &outcome {
            let mut by_key = self.by_key.write().unwrap_or_else(PoisonError::into_inner);
            by_key.insert(key.clone(), world.clone());
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use tideover_model::{Profile, Seeded, Timestamp};

    use super::*;
    use crate::clock::{Clock, ClockChoice};

    fn world(body_limit: usize) -> World {
        let profile = Profile { body_limit, ..Profile::default() };
        let service = Service::new(profile, Seeded { seed: 1 });
        World::new(Box::new(service), Clock::new(Timestamp::MAX, ClockChoice::Still))
    }

    #[test]
    fn a_key_selects_the_world_that_issued_it() {
        let worlds = Worlds::new(world(1));
        let other = world(2);
        let issue = Happening::IssueKey { platform: None };
        let outcome = worlds.happen(&other, PlatformId::DEFAULT, issue).unwrap();
        let Outcome::KeyIssued { key, .. } = outcome else { panic!("{outcome:?}") };
        let limit = |header: Option<&str>| worlds.of(header).profile().body_limit;
        assert_eq!(limit(Some(&format!("Bearer {key}"))), 2);
        assert_eq!(limit(Some("Bearer rap_sk_local")), 1);
        assert_eq!(limit(Some("Bearer rap_sk_unknown")), 1);
        assert_eq!(limit(Some(&key)), 1);
        assert_eq!(limit(None), 1);
    }
}

//! Callers and their API keys (§5).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::choices::{Choices, Token};
use crate::clause;
use crate::face::IssuedKey;
use crate::happening::{Impossible, Outcome};
use crate::identity::{PlatformId, SubscriptionId};
use crate::refusal::{Code, Refusal};
use crate::secret::Secret;
use crate::service::Service;

/// The platform that exists from the start.
pub(super) const FIRST_PLATFORM: &str = "local";
/// Its key.
pub(super) const FIRST_KEY: &str = "rap_sk_local";

/// A caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Platform {
    pub(super) name: String,
    /// The number of rows after which its next import stops, if it is to be interrupted.
    pub(super) interrupt_import_after: Option<usize>,
    /// Its live subscriptions: an index of `Service::subscriptions`, for events.
    #[serde(skip)]
    pub(super) subscriptions: Vec<SubscriptionId>,
    /// The references of its last revoked subscriptions that were not deleted (`gap.revokedReference`).
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub(super) revoked: VecDeque<String>,
}

impl Platform {
    pub(super) fn named(name: &str) -> Platform {
        Platform {
            name: name.to_owned(),
            interrupt_import_after: None,
            subscriptions: Vec::new(),
            revoked: VecDeque::new(),
        }
    }
}

/// An API key. The service remembers revoked keys too.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) platform: PlatformId,
    revoked: bool,
}

impl Key {
    pub(super) fn of(platform: PlatformId) -> Key {
        Key { platform, revoked: false }
    }
}

/// The key of `Authorization: Bearer <key>` (`5.authentication.1`).
///
/// ```
/// assert_eq!(tideover_model::bearer("Bearer rap_sk_local"), Some("rap_sk_local"));
/// assert_eq!(tideover_model::bearer("Basic abc"), None);
/// ```
pub fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, key) = authorization.split_at_checked("bearer ".len())?;
    scheme.eq_ignore_ascii_case("bearer ").then_some(key)
}

impl<C: Choices> Service<C> {
    pub(super) fn platform(&self, id: PlatformId) -> &Platform {
        &self.platforms[id.0 as usize]
    }

    pub(super) fn platform_mut(&mut self, id: PlatformId) -> &mut Platform {
        &mut self.platforms[id.0 as usize]
    }

    /// Refuses a platform from before a reset, whose keys are unknown too.
    pub(super) fn known_platform(&self, id: PlatformId) -> Result<(), Refusal> {
        if (id.0 as usize) < self.platforms.len() {
            return Ok(());
        }
        Err(Refusal::new(Code::Unauthorized, clause!("5.authentication.3")))
    }

    /// §5 rules 1 and 3.
    pub(super) fn owner_of_live_key(
        &self,
        authorization: Option<&str>,
    ) -> Result<PlatformId, Refusal> {
        let refused =
            |why| Refusal::new(Code::Unauthorized, clause!("5.authentication.3")).because(why);
        let authorization = authorization.ok_or_else(|| {
            refused("There is no Authorization header; send `Authorization: Bearer <API key>`.")
        })?;
        let key = bearer(authorization).ok_or_else(|| {
            refused(
                "The Authorization header is malformed; send `Authorization: Bearer <API key>`.",
            )
        })?;
        match self.keys.get(key) {
            None => Err(refused("The API key is not one that was issued.")),
            Some(Key { revoked: true, .. }) => {
                Err(Refusal::new(Code::Unauthorized, clause!("5.authentication.3.3"))
                    .because("The API key was revoked."))
            }
            Some(Key { platform, .. }) => Ok(*platform),
        }
    }

    pub(super) fn owner_of_any_key(&self, authorization: Option<&str>) -> Option<PlatformId> {
        match authorization {
            None => Some(PlatformId::DEFAULT),
            Some(header) => self.keys.get(bearer(header)?).map(|key| key.platform),
        }
    }

    pub(super) fn issued_keys(&self) -> Vec<IssuedKey> {
        let issued = |(key, Key { platform, revoked }): (&Secret, &Key)| IssuedKey {
            platform: self.platform(*platform).name.clone(),
            key: key.clone(),
            revoked: *revoked,
        };
        let mut keys: Vec<(&Secret, &Key)> = self.keys.iter().collect();
        keys.sort_by_key(|(key, of)| (of.platform, key.reveal() != FIRST_KEY));
        keys.into_iter().map(issued).collect()
    }

    /// §5 rule 2 (`5.authentication.2`).
    pub(super) fn issue_key(&mut self, caller: PlatformId, name: Option<String>) -> Outcome {
        let platform = match &name {
            None => caller,
            Some(name) => self.platform_named(name),
        };
        let key = self.mint(Token::ApiKey);
        self.keys.insert(key.clone().into(), Key::of(platform));
        Outcome::KeyIssued { key, platform: self.platform(platform).name.clone() }
    }

    fn platform_named(&mut self, name: &str) -> PlatformId {
        let known = self.platforms.iter().position(|platform| platform.name == name);
        let index = known.unwrap_or_else(|| {
            self.platforms.push(Platform::named(name));
            self.platforms.len() - 1
        });
        PlatformId(u32::try_from(index).expect("more than four billion platforms"))
    }

    pub(super) fn revoke_key(&mut self, key: &str) -> Result<Outcome, Impossible> {
        let key = self.keys.get_mut(key).ok_or(Impossible::new("no such key was issued"))?;
        if key.revoked {
            return Err(Impossible::new("the key is revoked already"));
        }
        key.revoked = true;
        Ok(Outcome::Applied)
    }
}

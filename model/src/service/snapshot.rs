//! A service as bytes, and back.

mod check;
mod indexes;
mod state;

use crate::choices::{Choices, Seeded};
use crate::sealed::{ImpossibleState, Sealed, UnreadableSnapshot};
use crate::service::Service;

use state::State;

/// The document of a service. Version 1 has the states of SHA-256 after a signing key, and no secret to make the key
/// of again.
const SERVICE: Sealed = Sealed { format: "tideover-service", version: 2 };

impl<C: Choices> Service<C> {
    /// The whole service as one JSON document; `None` if its choices do not follow from a seed. Equal services
    /// give equal bytes.
    ///
    /// The bytes contain every API key and every signing key: protect them as such. Only a service whose
    /// profile passes [`Profile::check`](crate::Profile::check) can be restored. Of the choices, only the seed
    /// is written: choices of another kind come back by [`Service::restore_with`].
    ///
    /// ```
    /// use tideover_model::{Face, Operation, PlatformId, Profile, Seeded, Service, Timestamp};
    ///
    /// let mut service = Service::new(Profile::default(), Seeded { seed: 1 });
    /// let now = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    /// let (url, addresses) = ("https://hooks.example.com/".to_owned(), Vec::new());
    /// let subscribe = Operation::Subscribe { url, event_types: None, addresses };
    /// service.handle(now, PlatformId::DEFAULT, subscribe).unwrap();
    ///
    /// let restored = Service::restore(&service.snapshot().unwrap()).unwrap();
    /// assert_eq!(restored, service);
    /// ```
    pub fn snapshot(&self) -> Option<Vec<u8>> {
        let state = serde_json::to_string(&State::of(self)?);
        Some(SERVICE.seal(&state.expect("each key of an object is a string")))
    }
}

impl Service {
    /// The service that a [`snapshot`](Service::snapshot) holds: equal to the one that wrote it, with the same
    /// hash and the same answers. It takes no receipt for an attempt that the other one began: call
    /// [`Service::handle_restart`] before anything else.
    ///
    /// # Errors
    /// [`UnreadableSnapshot`], in the order of its variants.
    pub fn restore(bytes: &[u8]) -> Result<Service, UnreadableSnapshot> {
        Service::restore_with(bytes, |seeded| seeded)
    }
}

impl<C: Choices> Service<C> {
    /// The choices that it has made and will make.
    pub fn choices(&self) -> &C {
        &self.choices
    }

    /// The same, with choices of another kind that follow from the same seed.
    ///
    /// # Errors
    /// [`UnreadableSnapshot`], in the order of its variants.
    pub fn restore_with(
        bytes: &[u8],
        choices: impl Fn(Seeded) -> C,
    ) -> Result<Service<C>, UnreadableSnapshot> {
        let state = SERVICE.open(bytes)?;
        let state: State<'_> = serde_json::from_str(state).map_err(ImpossibleState::from)?;
        Ok(state.into_service(choices)?)
    }
}

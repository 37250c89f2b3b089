//! The model's face: what anything that plays the service looks like from outside.

use crate::event::Delivery;
use crate::happening::{Happening, Impossible, Outcome};
use crate::identity::PlatformId;
use crate::operation::Operation;
use crate::profile::Profile;
use crate::refusal::Refusal;
use crate::timestamp::Timestamp;
use crate::wire::reply::Reply;

/// What the service answers: a reply or a refusal.
pub type Answer = Result<Reply, Refusal>;

/// An API key, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedKey {
    /// The name of the platform that it was issued to.
    pub platform: String,
    /// The key, but for its middle.
    pub masked: String,
    /// Whether it opens nothing any more.
    pub revoked: bool,
}

/// A service, without I/O: time is an argument, nothing is awaited.
///
/// One mutation, then drain what it caused ([`Face::poll_delivery`]), then the next. Whoever drives it
/// calls [`Face::handle_timeout`] before anything else, so that what is due has happened.
pub trait Face: Send {
    /// The assumed values.
    fn profile(&self) -> &Profile;

    /// Whose key the `Authorization` header carries (§5 rules 1 and 3).
    ///
    /// # Errors
    /// `unauthorized` if the header is missing or malformed, or the key unknown or revoked.
    fn authenticate(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal>;

    /// Whose key the `Authorization` header carries or ever carried; the default platform without one.
    /// `None` for a key that was never issued.
    fn platform_of(&self, authorization: Option<&str>) -> Option<PlatformId>;

    /// Every key that was ever issued.
    fn keys(&self) -> Vec<IssuedKey>;

    /// What `caller` asks for.
    ///
    /// # Errors
    /// The first refusal in the order of precedence; nothing has changed then.
    fn handle(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer;

    /// What anyone else does, told with the identifiers of `platform`.
    ///
    /// # Errors
    /// [`Impossible`] if the outside world cannot do that now; nothing has changed then.
    fn happen(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible>;

    /// Does everything that is due at or before `now`, each thing at its own time, in order.
    fn handle_timeout(&mut self, now: Timestamp);

    /// When something is due next.
    fn poll_timeout(&self) -> Option<Timestamp>;

    /// The next delivery that was queued.
    fn poll_delivery(&mut self) -> Option<Delivery>;

    /// Checks that the books balance: cents are neither made nor lost.
    ///
    /// # Errors
    /// The law of conservation that does not hold, with its two sides.
    fn audit(&self) -> Result<(), String>;
}

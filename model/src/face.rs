//! The model's face: what anything that plays the service looks like from outside.

use std::sync::Arc;

use crate::clause::Clause;
use crate::delivery::{Attempt, Consequence, Delivery, Receipt};
use crate::destination::Destinations;
use crate::happening::{Happening, Impossible, Outcome};
use crate::identity::PlatformId;
use crate::operation::Operation;
use crate::profile::Profile;
use crate::refusal::{Code, Refusal};
use crate::timestamp::Timestamp;
use crate::wire::reply::Reply;

/// What the service answers: a reply or a refusal.
pub type Answer = Result<Reply, Refusal>;

/// A response. Its body is JSON, or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body's bytes.
    pub body: Vec<u8>,
    /// Why it is a refusal, if it is one.
    pub refused: Option<(Code, Clause)>,
}

/// How an answer is written down otherwise than by `exchange::respond`, which does it right.
pub type Encoding = fn(&Profile, &Answer) -> Response;

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

    /// Where webhooks may go.
    fn destinations(&self) -> &Destinations;

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

    /// What anyone else does, with the identifiers of `platform`.
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

    /// The next delivery that was queued: for whoever keeps a journal. It is sent by its attempts.
    fn poll_delivery(&mut self) -> Option<Arc<Delivery>>;

    /// The next attempt that is due by `now`: it begins. It is under way until its receipt comes.
    fn poll_attempt(&mut self, now: Timestamp) -> Option<Attempt>;

    /// What became of an attempt, and so becomes of its delivery (§6 delivery rules 1 and 2).
    fn handle_receipt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence;

    /// Whether the subscription of a delivery is there still.
    fn is_live(&self, delivery: &Delivery) -> bool;

    /// Sends a delivery once more, at once, after so many attempts: one that is done, too. Its schedule stays
    /// as it is.
    ///
    /// # Errors
    /// [`Impossible`] if its subscription is gone, or an attempt is under way.
    fn resend(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible>;

    /// When the next attempt of a delivery is due, if one is.
    fn next_attempt(&self, delivery: &Delivery) -> Option<Timestamp>;

    /// Checks that the books balance: cents are neither made nor lost.
    ///
    /// # Errors
    /// The law of conservation that does not hold, with its two sides.
    fn audit(&self) -> Result<(), String>;

    /// What is missing of the address by which `caller`'s `business` is known before a collection account
    /// opens with it, for prose; `None` where nothing is, or no address is known.
    fn address_lacks(&self, caller: PlatformId, business: &str) -> Option<String>;

    /// How its answers are written down, where that is not as they should be.
    fn encoding(&self) -> Option<Encoding> {
        None
    }

    /// What it does wrong on purpose, in words, if it does anything wrong.
    fn defect(&self) -> Option<&str> {
        None
    }
}

/// Lets time pass from `now` to `end`: whatever is due happens at its own time, in order, and each attempt
/// that begins meets `receiver` before time goes on.
pub fn pass<F: Face + ?Sized>(
    face: &mut F,
    mut now: Timestamp,
    end: Timestamp,
    mut receiver: impl FnMut(Timestamp, &Attempt) -> Receipt,
) {
    loop {
        face.handle_timeout(now);
        while let Some(attempt) = face.poll_attempt(now) {
            let receipt = receiver(now, &attempt);
            face.handle_receipt(now, &attempt, receipt);
        }
        if now >= end {
            return;
        }
        let next = face.poll_timeout().unwrap_or(end);
        // A face that has something due and doesn't do it must not stop time.
        now = if next > now { next.min(end) } else { end };
    }
}

/// A face that does as another does, but for what it overrides: a defect, a fault.
pub trait Altered: Send {
    /// The face that it alters.
    type Face: Face;

    /// The other face.
    fn unaltered(&self) -> &Self::Face;

    /// The other face.
    fn unaltered_mut(&mut self) -> &mut Self::Face;

    /// In place of [`Face::authenticate`].
    ///
    /// # Errors
    /// As [`Face::authenticate`].
    fn alter_authentication(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        self.unaltered().authenticate(authorization)
    }

    /// In place of [`Face::handle`].
    ///
    /// # Errors
    /// As [`Face::handle`].
    fn alter_answer(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        self.unaltered_mut().handle(now, caller, operation)
    }

    /// In place of [`Face::happen`].
    ///
    /// # Errors
    /// As [`Face::happen`].
    fn alter_happening(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        self.unaltered_mut().happen(now, platform, happening)
    }

    /// In place of [`Face::poll_attempt`].
    fn alter_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        self.unaltered_mut().poll_attempt(now)
    }

    /// In place of [`Face::handle_receipt`].
    fn alter_consequence(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        self.unaltered_mut().handle_receipt(now, attempt, receipt)
    }

    /// In place of [`Face::encoding`].
    fn alter_encoding(&self) -> Option<Encoding> {
        self.unaltered().encoding()
    }

    /// In place of [`Face::defect`].
    fn admit_defect(&self) -> Option<&str> {
        self.unaltered().defect()
    }
}

impl<A: Altered> Face for A {
    fn profile(&self) -> &Profile {
        self.unaltered().profile()
    }

    fn destinations(&self) -> &Destinations {
        self.unaltered().destinations()
    }

    fn authenticate(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        self.alter_authentication(authorization)
    }

    fn platform_of(&self, authorization: Option<&str>) -> Option<PlatformId> {
        self.unaltered().platform_of(authorization)
    }

    fn keys(&self) -> Vec<IssuedKey> {
        self.unaltered().keys()
    }

    fn handle(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        self.alter_answer(now, caller, operation)
    }

    fn happen(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        self.alter_happening(now, platform, happening)
    }

    fn handle_timeout(&mut self, now: Timestamp) {
        self.unaltered_mut().handle_timeout(now);
    }

    fn poll_timeout(&self) -> Option<Timestamp> {
        self.unaltered().poll_timeout()
    }

    fn poll_delivery(&mut self) -> Option<Arc<Delivery>> {
        self.unaltered_mut().poll_delivery()
    }

    fn poll_attempt(&mut self, now: Timestamp) -> Option<Attempt> {
        self.alter_attempt(now)
    }

    fn handle_receipt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence {
        self.alter_consequence(now, attempt, receipt)
    }

    fn is_live(&self, delivery: &Delivery) -> bool {
        self.unaltered().is_live(delivery)
    }

    fn resend(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.unaltered_mut().resend(now, delivery, attempts)
    }

    fn next_attempt(&self, delivery: &Delivery) -> Option<Timestamp> {
        self.unaltered().next_attempt(delivery)
    }

    fn audit(&self) -> Result<(), String> {
        self.unaltered().audit()
    }

    fn address_lacks(&self, caller: PlatformId, business: &str) -> Option<String> {
        self.unaltered().address_lacks(caller, business)
    }

    fn encoding(&self) -> Option<Encoding> {
        self.alter_encoding()
    }

    fn defect(&self) -> Option<&str> {
        self.admit_defect()
    }
}

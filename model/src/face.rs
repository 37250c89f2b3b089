//! The interface of anything that plays the service.

use std::sync::Arc;

use crate::clause::Clause;
use crate::delivery::{Attempt, Cause, Consequence, Delivery, Receipt};
use crate::destination::Destinations;
use crate::endpoint::OperationKind;
use crate::happening::{Happening, Impossible, Outcome};
use crate::identity::{BusinessId, PlatformId};
use crate::operation::Operation;
use crate::profile::Profile;
use crate::refusal::{Code, Refusal};
use crate::secret::Secret;
use crate::timestamp::Timestamp;
use crate::wire::overview::{Overview, Size, Wanted};
use crate::wire::reply::Reply;

/// The service's answer: a reply or a refusal.
pub type Answer = Result<Reply, Refusal>;

/// A response. Its body is JSON, or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body's bytes.
    pub body: Vec<u8>,
    /// The code and the clause, if it is a refusal.
    pub refused: Option<(Code, Clause)>,
}

/// A serialization of answers that differs from the correct one, `exchange::respond`. It may hold data of its own.
pub type Encoding = &'static (dyn Fn(&Profile, &Answer) -> Response + Send + Sync);

/// Another body that an endpoint reads in place of the one that was sent; `None` where it reads that one. It may hold
/// data of its own.
pub type Rereading = &'static (dyn Fn(OperationKind, &[u8]) -> Option<Vec<u8>> + Send + Sync);

/// An API key. `Debug` does not show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedKey {
    /// The name of the platform that it belongs to.
    pub platform: String,
    pub(crate) key: Secret,
    /// Whether it has been revoked.
    pub revoked: bool,
}

impl IssuedKey {
    /// The key.
    pub fn reveal(&self) -> &str {
        self.key.reveal()
    }
}

/// The books do not balance: the service itself is to blame. Names the broken law of conservation, with both sides.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unbalanced(pub(crate) String);

/// A service without I/O: time is an argument, and no call blocks.
///
/// The driver calls [`Face::handle_timeout`] before each call that depends on the time, so that everything due has
/// happened. After each mutation, it drains the effects with [`Face::poll_delivery`].
pub trait Face: Send {
    /// The assumed values.
    fn profile(&self) -> &Profile;

    /// Where webhooks may go.
    fn destinations(&self) -> &Destinations;

    /// The platform whose key the `Authorization` header carries (§5 rules 1 and 3).
    ///
    /// # Errors
    /// `unauthorized` if the header is missing or malformed, or the key unknown or revoked.
    fn authenticate(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal>;

    /// The platform whose key, valid or revoked, the `Authorization` header carries; the default platform if
    /// there is no header. `None` for a key that was never issued.
    fn platform_of(&self, authorization: Option<&str>) -> Option<PlatformId>;

    /// Every key ever issued, by platform in the order in which these were made, the first key before all others.
    fn keys(&self) -> Vec<IssuedKey>;

    /// Performs an operation for `caller`.
    ///
    /// # Errors
    /// The first refusal in the order of precedence; the state has not changed.
    fn handle(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer;

    /// Performs an action of the outside world; identifiers in it are those of `platform`.
    ///
    /// # Errors
    /// [`Impossible`] if the outside world cannot do that now; the state has not changed.
    fn happen(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible>;

    /// Mints names from now on that no other world of the same seed mints: those of the world of this number.
    fn name_as_world(&mut self, _number: u32) {}

    /// Does everything that is due at or before `now`, each thing at its own time, in order.
    fn handle_timeout(&mut self, now: Timestamp);

    /// When the next thing is due.
    fn poll_timeout(&self) -> Option<Timestamp>;

    /// The next queued delivery, for a journal. To send it, use its attempts.
    fn poll_delivery(&mut self) -> Option<Arc<Delivery>>;

    /// Begins the next attempt that is due by `now`. It is in flight until its receipt arrives.
    fn poll_attempt(&mut self, now: Timestamp) -> Option<Attempt>;

    /// Records the result of an attempt, and returns the effect on its delivery (§6 delivery rules 1 and 2).
    fn handle_receipt(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        receipt: Receipt,
    ) -> Consequence;

    /// Whether the subscription of a delivery still exists.
    fn is_live(&self, delivery: &Delivery) -> bool;

    /// Sends a delivery once more, at once, after so many attempts, even if it is done. Its schedule does not
    /// change.
    ///
    /// # Errors
    /// [`Impossible`] if its subscription is gone, or an attempt is in flight.
    fn resend(
        &mut self,
        now: Timestamp,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible>;

    /// Sends a delivery at `due`, for this reason, after so many attempts: later than the service would, or once more
    /// if it is done.
    ///
    /// # Errors
    /// [`Impossible`] if its subscription is gone, or an attempt is in flight.
    fn reschedule(
        &mut self,
        due: Timestamp,
        cause: Cause,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible>;

    /// Whether the subscription of a delivery gets events of every type, even future ones (§6 subscription rule 3).
    fn gets_every_event(&self, delivery: &Delivery) -> bool;

    /// When the next attempt of a delivery is due, if one is.
    fn next_attempt(&self, delivery: &Delivery) -> Option<Timestamp>;

    /// Checks that the books balance: no cent appears or disappears.
    ///
    /// # Errors
    /// [`Unbalanced`].
    fn audit(&self) -> Result<(), Unbalanced>;

    /// The parts that the address of `caller`'s `business` lacks for a collection account to open, as prose;
    /// `None` if it lacks none, or there is no address.
    fn address_lacks(&self, caller: PlatformId, business: &str) -> Option<String>;

    /// What `caller`'s identifier `business` stands for; `None` if the caller has not synced it.
    fn business_of(&self, caller: PlatformId, business: &str) -> Option<BusinessId>;

    /// The same service once more, if it can be copied. What happens to the one changes nothing of the other.
    fn copied(&self) -> Option<Box<dyn Face>> {
        None
    }

    /// The whole state as a document that `Service::restore` reads, if it can be written.
    fn snapshot(&self) -> Option<Vec<u8>> {
        None
    }

    /// Every refusal that an advance against this invoice of `caller` would meet at `now`, in order of precedence;
    /// empty if it can be financed (§2 Invoice, `fundable`).
    ///
    /// # Errors
    /// `business_not_found`, `invoice_not_found`.
    fn objections(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<Vec<Refusal>, Refusal>;

    /// The part of the service that belongs to `caller`, as it is inside, for whoever operates it; empty if it can't
    /// be seen.
    fn overview(&self, _now: Timestamp, _caller: PlatformId, _wanted: Wanted<'_>) -> Overview {
        Overview::default()
    }

    /// How much the service holds; nothing if that can't be seen.
    fn size(&self) -> Size {
        Size::default()
    }

    /// Its response to a request for this endpoint, or for none, if it does not serialize answers correctly.
    fn write(&mut self, _kind: Option<OperationKind>, _answer: &Answer) -> Option<Response> {
        None
    }

    /// How it reads requests before they are parsed, if not correctly.
    fn rereading(&self) -> Option<Rereading> {
        None
    }

    /// A description of its deliberate defect, if it has one.
    fn defect(&self) -> Option<&str> {
        None
    }
}

/// Lets time pass from `now` to `end`. Everything due happens at its own time, in order, and `receiver`
/// answers each attempt at once.
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
        // A face that doesn't do what is due must not stop time.
        now = if next > now { next.min(end) } else { end };
    }
}

/// A face that behaves like another, except for what it overrides, such as a defect or a fault.
pub trait Altered: Send {
    /// The face that it alters.
    type Face: Face;

    /// The other face.
    fn unaltered(&self) -> &Self::Face;

    /// The other face.
    fn unaltered_mut(&mut self) -> &mut Self::Face;

    /// In place of [`Face::authenticate`].
    fn alter_authentication(&self, authorization: Option<&str>) -> Result<PlatformId, Refusal> {
        self.unaltered().authenticate(authorization)
    }

    /// In place of [`Face::handle`].
    fn alter_answer(&mut self, now: Timestamp, caller: PlatformId, operation: Operation) -> Answer {
        self.unaltered_mut().handle(now, caller, operation)
    }

    /// In place of [`Face::happen`].
    fn alter_happening(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        happening: Happening,
    ) -> Result<Outcome, Impossible> {
        self.unaltered_mut().happen(now, platform, happening)
    }

    /// In place of [`Face::handle_timeout`].
    fn alter_timeout(&mut self, now: Timestamp) {
        self.unaltered_mut().handle_timeout(now);
    }

    /// In place of [`Face::poll_delivery`].
    fn alter_delivery(&mut self) -> Option<Arc<Delivery>> {
        self.unaltered_mut().poll_delivery()
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

    /// In place of [`Face::write`].
    fn alter_writing(&mut self, kind: Option<OperationKind>, answer: &Answer) -> Option<Response> {
        self.unaltered_mut().write(kind, answer)
    }

    /// In place of [`Face::rereading`].
    fn alter_rereading(&self) -> Option<Rereading> {
        self.unaltered().rereading()
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
        self.alter_timeout(now);
    }

    fn poll_timeout(&self) -> Option<Timestamp> {
        self.unaltered().poll_timeout()
    }

    fn poll_delivery(&mut self) -> Option<Arc<Delivery>> {
        self.alter_delivery()
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

    fn reschedule(
        &mut self,
        due: Timestamp,
        cause: Cause,
        delivery: &Arc<Delivery>,
        attempts: u32,
    ) -> Result<(), Impossible> {
        self.unaltered_mut().reschedule(due, cause, delivery, attempts)
    }

    fn gets_every_event(&self, delivery: &Delivery) -> bool {
        self.unaltered().gets_every_event(delivery)
    }

    fn next_attempt(&self, delivery: &Delivery) -> Option<Timestamp> {
        self.unaltered().next_attempt(delivery)
    }

    fn audit(&self) -> Result<(), Unbalanced> {
        self.unaltered().audit()
    }

    fn address_lacks(&self, caller: PlatformId, business: &str) -> Option<String> {
        self.unaltered().address_lacks(caller, business)
    }

    fn objections(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        payee: &str,
        invoice: &str,
    ) -> Result<Vec<Refusal>, Refusal> {
        self.unaltered_mut().objections(now, caller, payee, invoice)
    }

    fn overview(&self, now: Timestamp, caller: PlatformId, wanted: Wanted<'_>) -> Overview {
        self.unaltered().overview(now, caller, wanted)
    }

    fn size(&self) -> Size {
        self.unaltered().size()
    }

    fn name_as_world(&mut self, number: u32) {
        self.unaltered_mut().name_as_world(number);
    }

    fn business_of(&self, caller: PlatformId, business: &str) -> Option<BusinessId> {
        self.unaltered().business_of(caller, business)
    }

    fn write(&mut self, kind: Option<OperationKind>, answer: &Answer) -> Option<Response> {
        self.alter_writing(kind, answer)
    }

    fn rereading(&self) -> Option<Rereading> {
        self.alter_rereading()
    }

    fn defect(&self) -> Option<&str> {
        self.admit_defect()
    }
}

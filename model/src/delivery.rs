//! What happened, as subscribers are sent it, and what they answer (§6 Delivery).

use std::sync::Arc;

use crate::identity::{PlatformId, SubscriptionId};
use crate::signature::{Signature, SigningKey};
use crate::timestamp::Timestamp;
use crate::words::EventType;

/// One event for one subscription, to be sent until it is accepted (`gap.deliveryIdentity`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Delivery {
    /// How many were queued before it.
    pub number: u64,
    /// Constant over all attempts: the `Service-Delivery` header (§6 delivery rule 3).
    pub id: String,
    /// Whose subscription it is.
    pub platform: PlatformId,
    /// The subscription's reference.
    pub subscription: Arc<str>,
    /// Where it goes.
    pub url: Arc<str>,
    /// The kind of its event.
    pub event: EventType,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// The bytes to send, the same at every attempt.
    pub body: Arc<[u8]>,
}

/// One POST of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What is sent.
    pub delivery: Arc<Delivery>,
    /// The how-manieth it is, from 1.
    pub number: u32,
    /// When it begins: the schedule counts from here.
    pub begun_at: Timestamp,
    /// Why it is made.
    pub cause: Cause,
    /// What signs it.
    pub signer: Signer,
    pub(crate) subscription: SubscriptionId,
    pub(crate) place: Place,
}

impl Attempt {
    /// The value of its `Service-Signature` header, as of `at` (`5.authentication.6`).
    pub fn sign(&self, at: Timestamp) -> Signature {
        let Signer { key, signed_at } = &self.signer;
        key.sign(signed_at.unwrap_or(at).unix_unsigned(), &self.delivery.body)
    }
}

/// What signs an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// The prepared secret of the subscription.
    pub key: Arc<SigningKey>,
    /// When it is signed, if not when it is sent: what a service that signs once gets wrong.
    pub signed_at: Option<Timestamp>,
}

/// Where in the schedule of its delivery an attempt stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Attempts of the schedule that were begun.
    pub(crate) begun: usize,
    /// When the schedule goes on after an attempt by hand, if it does.
    pub(crate) resumes_at: Option<Timestamp>,
}

/// Why an attempt is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The event happened.
    Event,
    /// The event happened a while ago: what happened after it may have been sent before
    /// (`6.delivery.4`, `gap.lateness`).
    Late,
    /// The attempt before was not accepted (`6.delivery.1.2`).
    Retry,
    /// It was accepted, and is sent once more all the same (`6.delivery.3`, `gap.duplicates`).
    Duplicate,
    /// The operator asked for it.
    Resent,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// The receiver answered in time, with this HTTP status.
    Answered(u16),
    /// It could not be sent, or the connection ended before the answer did.
    Failed,
    /// The time for the answer is over.
    TimedOut,
}

/// What a receipt means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The delivery is done (`6.delivery.1`).
    Accepted,
    /// It is sent again when this comes.
    Again(Timestamp),
    /// It was tried for long enough (`8.webhookRetryWindow`).
    GivenUp,
    /// The subscription is gone, with all that was queued for it (`6.delivery.2`).
    Revoked,
    /// Nothing: the subscription was deleted meanwhile, or everything was reset.
    None,
}

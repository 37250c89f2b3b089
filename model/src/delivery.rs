//! Deliveries of events to subscribers, and their receipts (§6 Delivery).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::identity::{PlatformId, SubscriptionId};
use crate::signature::{Signature, SigningKey};
use crate::timestamp::Timestamp;
use crate::words::EventKind;

/// One event for one subscription, sent until the receiver accepts it (`gap.deliveryIdentity`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Delivery {
    /// The number of deliveries queued before it.
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
    pub event: EventKind,
    /// When the service queued it.
    pub queued_at: Timestamp,
    /// The bytes to send, the same at every attempt.
    #[serde(with = "crate::hex")]
    pub body: Arc<[u8]>,
}

/// One POST of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The delivery that it sends.
    pub delivery: Arc<Delivery>,
    /// Its number among the delivery's attempts, from 1.
    pub number: u32,
    /// When it begins: the schedule counts from this time.
    pub begun_at: Timestamp,
    /// The reason for it.
    pub cause: Cause,
    /// The signer of it.
    pub signer: Signer,
    pub(crate) subscription: SubscriptionId,
    pub(crate) position: SchedulePosition,
}

impl Attempt {
    /// The value of its `Service-Signature` header, if sent at `at` (`5.authentication.6`).
    pub fn sign(&self, at: Timestamp) -> Signature {
        let Signer { key, signed_at } = &self.signer;
        key.sign(signed_at.unwrap_or(at).unix_unsigned(), &self.delivery.body)
    }
}

/// The key that signs an attempt, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// The prepared secret of the subscription.
    pub key: Arc<SigningKey>,
    /// The time to sign as of, if not the time of sending: for a defective service that signs only once.
    pub signed_at: Option<Timestamp>,
}

/// An attempt's position in the schedule of its delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct SchedulePosition {
    /// The number of scheduled attempts that have begun.
    pub(crate) begun: usize,
    /// When the schedule continues after a manual attempt, if it does.
    pub(crate) resumes_at: Option<Timestamp>,
}

/// The reason for an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cause {
    /// The event happened.
    Event,
    /// The event happened earlier, so that later events may already have been sent (`6.delivery.4`,
    /// `gap.lateness`).
    Late,
    /// The receiver did not accept the previous attempt (`6.delivery.1.2`).
    Retry,
    /// The receiver accepted the delivery, but the service repeats it (`6.delivery.3`, `gap.duplicates`).
    Duplicate,
    /// The operator asked for it.
    Resent,
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// The receiver answered in time, with this HTTP status.
    Answered(u16),
    /// Sending failed, or the connection ended before the response was complete.
    Failed,
    /// The response took too long.
    TimedOut,
}

impl Receipt {
    /// The statuses that send a client to another place (RFC 9110 §15.4). A delivery follows none: the place was not
    /// subscribed.
    pub const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];
}

/// The effect of a receipt on its delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The delivery is done (`6.delivery.1`).
    Accepted,
    /// The next attempt is due at this time.
    Again(Timestamp),
    /// The retry window is over (`8.webhookRetryWindow`).
    GivenUp,
    /// The subscription ends, together with all deliveries queued for it (`6.delivery.2`).
    Revoked,
    /// No effect: the subscription was deleted meanwhile, or the state was reset.
    None,
}

//! What happened, as subscribers are told (§6).

use std::sync::Arc;

use crate::identity::PlatformId;
use crate::timestamp::Timestamp;
use crate::wire::words::EventType;

/// One event for one subscription, to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Delivery {
    /// Constant over all attempts: the `Service-Delivery` header (§6 delivery rule 3).
    pub id: String,
    /// Whose subscription it is.
    pub platform: PlatformId,
    /// The subscription's reference.
    pub subscription: String,
    /// Where it goes.
    pub url: String,
    /// What kind of event it tells.
    pub event: EventType,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// The bytes to send, the same at every attempt.
    pub body: Arc<[u8]>,
}

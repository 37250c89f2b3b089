//! Changes to an event before it is signed, and events of unlisted kinds.

use std::sync::Arc;

use tideover_model::words::EventKind;
use tideover_model::{Delivery, Seeded};

use crate::grease::draws::{Draws, occasion_of};
use crate::grease::form::{Freedoms, formed};
use crate::grease::freedom::Freedom;
use crate::grease::json::Json;

/// An event as it is sent: the same bytes at every attempt, and for every subscription.
#[derive(Clone, Debug)]
pub(crate) struct GreasedEvent {
    pub(crate) body: Arc<[u8]>,
    /// The freedoms taken with it.
    pub(crate) taken: Vec<Freedom>,
}

/// The event of a delivery, with grease.
pub(super) fn greased(seeded: Seeded, delivery: &Delivery) -> GreasedEvent {
    let is_new = matches!(delivery.event, EventKind::Unlisted(_));
    let taken: Vec<Freedom> = is_new.then_some(Freedom::NewEvent).into_iter().collect();
    let Ok(json) = serde_json::from_slice::<Json>(&delivery.body) else {
        return GreasedEvent { body: Arc::clone(&delivery.body), taken };
    };
    let freedoms = Freedoms {
        extra_field: Some(Freedom::EventExtraField),
        key_order: Freedom::EventKeyOrder,
        white_space: Freedom::EventWhiteSpace,
    };
    let formed = formed(seeded, occasion_of(&delivery.body), &freedoms, json, taken);
    GreasedEvent { body: formed.body.into(), taken: formed.taken }
}

/// Kinds of event that the document does not list. They fit a business as well as an invoice.
const KINDS: [&str; 4] = [
    "partner.account.reviewed",
    "partner.document.available",
    "partner.notice.sent",
    "partner.record.archived",
];

/// The kind of an event that follows event number `event`, if one does.
pub(super) fn unlisted(seeded: Seeded, event: u64) -> Option<&'static str> {
    let mut draws = Draws::of(seeded, Freedom::NewEvent, event);
    draws.takes().then(|| draws.one_of(&KINDS))
}

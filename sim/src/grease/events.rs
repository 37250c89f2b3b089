//! Changes to an event before it is signed, and events of unlisted kinds.

use std::sync::Arc;

use tideover_model::words::{EventKind, UnlistedEvent};
use tideover_model::{Delivery, Seeded};

use crate::grease::draws::{Draws, occasion_of};
use crate::grease::form::{Freedoms, formed};
use crate::grease::freedom::Freedom;
use crate::grease::json::Json;

/// An event as it is sent: the same bytes at every attempt, and for every subscription.
#[derive(Clone, Debug)]
pub struct GreasedEvent {
    /// What the receiver gets.
    pub body: Arc<[u8]>,
    /// The freedoms taken with it.
    pub taken: Vec<Freedom>,
}

/// The event of a delivery, with grease.
pub fn greased(seeded: Seeded, delivery: &Delivery) -> GreasedEvent {
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
    let (body, taken) = formed(seeded, occasion_of(&delivery.body), &freedoms, json, taken);
    GreasedEvent { body: body.into(), taken }
}

/// The event of an unlisted kind that follows event number `event`, if one does.
pub(super) fn unlisted(seeded: Seeded, event: u64) -> Option<UnlistedEvent> {
    let mut draws = Draws::of(seeded, Freedom::NewEvent, event);
    draws.takes().then(|| draws.one_of(&UnlistedEvent::ALL))
}

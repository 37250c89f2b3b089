//! Attempts of deliveries as the watch of conduct sees them.

use std::sync::Arc;

use tideover_model::conduct::{AttemptSeen, Making, Trait, Traits};
use tideover_model::{Consequence, Delivery, signature};

use crate::deliveries::{AttemptEntry, DeliveryLog, LoggedDelivery, Place};
use crate::fault::{DeliveryAct, Faults};
use crate::grease::Freedom;

/// An attempt that has ended.
pub(crate) struct Witnessed {
    pub(crate) ended: Place,
    /// The delivery as it was sent.
    pub(crate) delivery: Arc<Delivery>,
    /// Whether it was the last attempt of a delivery that was given up.
    pub(crate) given_up: bool,
    making: Making,
    signed_at: i64,
    traits: Traits,
    status: Option<u16>,
}

impl Witnessed {
    pub(crate) fn seen(&self) -> AttemptSeen<'_> {
        let Witnessed { delivery, making, signed_at, traits, status, .. } = self;
        AttemptSeen {
            delivery,
            making: *making,
            signed_at: *signed_at,
            traits: *traits,
            status: *status,
            // Only the receiver itself knows.
            acted: None,
            held: None,
        }
    }
}

impl DeliveryLog {
    /// All attempts that have ended, by delivery.
    pub(crate) fn witnessed(&self, faults: &Faults) -> Vec<Witnessed> {
        let logged = self.logged.values();
        logged.flat_map(|logged| logged.witnessed(faults)).collect()
    }
}

impl LoggedDelivery {
    fn witnessed(&self, faults: &Faults) -> impl Iterator<Item = Witnessed> {
        let delivery = self.sent.clone().unwrap_or_else(|| faults.as_sent(&self.delivery));
        let act = faults.act_on(&self.delivery);
        let of_act = match act {
            Some(DeliveryAct::UnknownEventType) => Some(Trait::UnknownEvent),
            Some(DeliveryAct::UnknownField) => Some(Trait::UnknownField),
            Some(DeliveryAct::UnknownValue) => Some(Trait::UnknownValue),
            Some(DeliveryAct::BodyIndented) => Some(Trait::Respaced),
            _ => None,
        };
        let traits = self.grease.iter().filter_map(|freedom| Freedom::shown_by_delivery(*freedom));
        let traits = traits.chain(of_act).fold(Traits::default(), Traits::with);
        let last = self.attempts.last().map(|last| last.number);
        let is_given_up = self.ended == Some(Consequence::GivenUp);
        let ended = self.attempts.iter().filter(|attempt| attempt.milliseconds.is_some());
        ended.map(move |attempt| Witnessed {
            ended: attempt.ended,
            given_up: is_given_up && Some(attempt.number) == last,
            making: making(act, attempt),
            signed_at: signed_at(attempt),
            traits: Trait::of_lateness(attempt.cause, delivery.queued_at, attempt.at)
                .map_or(traits, |late| traits.with(late)),
            status: attempt.status,
            delivery: Arc::clone(&delivery),
        })
    }
}

/// How an attempt was made, if this act changed its delivery.
fn making(act: Option<DeliveryAct>, attempt: &AttemptEntry) -> Making {
    match act {
        Some(DeliveryAct::SignedWithAnotherSecret { attempts }) if attempt.number <= attempts => {
            Making::Forged
        }
        Some(DeliveryAct::SignedAnHourAgo { attempts }) if attempt.number <= attempts => {
            Making::Old
        }
        _ => Making::Genuine,
    }
}

/// The time in the signature of an attempt; its beginning, if it was not signed.
fn signed_at(attempt: &AttemptEntry) -> i64 {
    let header = attempt.headers.get(signature::HEADER);
    let time = header.and_then(|header| signature::signed_at(header)?.try_into().ok());
    time.unwrap_or_else(|| attempt.at.unix())
}

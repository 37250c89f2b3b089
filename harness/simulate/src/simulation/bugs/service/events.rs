//! Events that are missing, wrong or too many.

use std::sync::Arc;

use tideover_model::Delivery;
use tideover_model::words::EventType;

use crate::simulation::bugs::buggy::Memory;

fn mentions(delivery: &Delivery, word: &str) -> bool {
    delivery.body.windows(word.len()).any(|window| window == word.as_bytes())
}

pub(super) fn all_but_repaid(_: &Memory, delivery: &Delivery) -> bool {
    delivery.event != EventType::FactoredUpdated || !mentions(delivery, "\"REPAID\"")
}

pub(super) fn no_paid_event_after_restart(memory: &Memory, delivery: &Delivery) -> bool {
    delivery.event != EventType::InvoicePaid || memory.restarts == 0
}

pub(super) fn sequence_from_one(memory: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    if memory.restarts == 0 || delivery.event != EventType::FactoredUpdated {
        return None;
    }
    let mut event: serde_json::Value = serde_json::from_slice(&delivery.body).ok()?;
    event["sequence"] = 1.into();
    Some(Delivery { body: event.to_string().into_bytes().into(), ..delivery.clone() })
}

pub(super) fn second_payment_event(_: &Memory, delivery: &Delivery) -> Option<Delivery> {
    again(delivery, EventType::InvoicePaid)
}

pub(super) fn second_opt_in(_: &Memory, delivery: &Delivery) -> Option<Delivery> {
    again(delivery, EventType::BusinessOptedIn)
}

pub(super) fn second_account_event(_: &Memory, delivery: &Delivery) -> Option<Delivery> {
    again(delivery, EventType::RemittanceUpdated)
}

/// Another event of this kind about the same subject.
fn again(delivery: &Delivery, event: EventType) -> Option<Delivery> {
    if delivery.event != event {
        return None;
    }
    let mut body: serde_json::Value = serde_json::from_slice(&delivery.body).ok()?;
    body["id"] = format!("{}_again", body["id"].as_str()?).into();
    let body = body.to_string().into_bytes().into();
    Some(Delivery { id: format!("{}_again", delivery.id), body, ..delivery.clone() })
}

pub(super) fn body_of_the_other_platform(
    memory: &mut Memory,
    delivery: &Delivery,
) -> Option<Delivery> {
    let others = memory.last_bodies.iter().find(|(platform, _)| **platform != delivery.platform);
    let other = others.map(|(_, body)| Arc::clone(body));
    let is_opt_in = delivery.event == EventType::BusinessOptedIn;
    if is_opt_in {
        memory.last_bodies.insert(delivery.platform, Arc::clone(&delivery.body));
    }
    other.filter(|_| is_opt_in).map(|body| Delivery { body, ..delivery.clone() })
}

//! Attempts that go out wrongly, and receipts that are read wrongly.

use std::sync::Arc;

use tideover_model::words::EventType;
use tideover_model::{Attempt, Delivery, Receipt};

use crate::simulation::bugs::buggy::Memory;

/// The length of the body stays the same.
pub(super) fn redates_retry(_: &mut Memory, attempt: &mut Attempt) {
    if attempt.number > 1 {
        let begun_at = attempt.begun_at.to_string();
        change_body(attempt, |body| body["occurredAt"] = begun_at.into());
    }
}

pub(super) fn sequence_backwards(_: &mut Memory, attempt: &mut Attempt) {
    if attempt.delivery.event == EventType::FactoredUpdated {
        change_body(attempt, |body| {
            body["sequence"] = (5 - body["sequence"].as_u64().unwrap_or(0)).into();
        });
    }
}

fn change_body(attempt: &mut Attempt, change: impl FnOnce(&mut serde_json::Value)) {
    let Ok(mut body) = serde_json::from_slice(&attempt.delivery.body) else { return };
    change(&mut body);
    let body = body.to_string().into_bytes().into();
    attempt.delivery = Arc::new(Delivery { body, ..(*attempt.delivery).clone() });
}

pub(super) fn renames_retry(_: &mut Memory, attempt: &mut Attempt) {
    if attempt.number > 1 {
        let id = format!("{}_{}", attempt.delivery.id, attempt.number);
        attempt.delivery = Arc::new(Delivery { id, ..(*attempt.delivery).clone() });
    }
}

pub(super) fn signs_once(memory: &mut Memory, attempt: &mut Attempt) {
    let first = memory.first_attempts.entry(attempt.delivery.number).or_insert(attempt.begun_at);
    attempt.signer.signed_at = Some(*first);
}

pub(super) fn gives_up_after_three(attempt: &Attempt, receipt: Receipt) -> Receipt {
    if attempt.number >= 3 { Receipt::Answered(200) } else { receipt }
}

pub(super) fn revokes_after_timeout(_: &Attempt, receipt: Receipt) -> Receipt {
    match receipt {
        Receipt::TimedOut => Receipt::Answered(410),
        other => other,
    }
}

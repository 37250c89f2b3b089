//! At most the face value is collected, and the state follows from both amounts (`2.invoice.collected.2`,
//! `3.collection.1`).

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Notes};

pub(super) struct Collected;

impl Check for Collected {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(invoice) = exchange.success_of(OperationKind::GetInvoice) else { return };
        let cents = |name: &str| invoice.get(name).and_then(Value::as_i64);
        let (Some(collected), Some(face)) = (cents(field::COLLECTED), cents(field::FACE_VALUE))
        else {
            return;
        };
        let within = (0..=face).contains(&collected);
        let evidence = || (format!("0 to {face}"), collected.to_string());
        notes.expect(
            exchange,
            clause!("2.invoice.collected.2"),
            within,
            field::COLLECTED,
            evidence,
        );
        let state = Fields::of(invoice).collection_state().unwrap_or_default();
        let derived = match collected {
            0 => "UNCOLLECTED",
            all if all == face => "COLLECTED",
            _ => "PARTIALLY_COLLECTED",
        };
        // Wherever the thresholds are, they are on their own side of the half.
        let is_half = collected.saturating_mul(2) >= face;
        let beyond = if is_half { "UNCOLLECTED" } else { "COLLECTED" };
        let clause = if state == beyond {
            clause!("3.collection.1")
        } else {
            clause!("gap.collectionThresholds")
        };
        let evidence = || (derived, state);
        notes.expect(exchange, clause, state == derived, field::COLLECTION_STATE, evidence);
    }
}

//! The response equals the shadow model's: status, code and every documented field.

use crate::exchange::Exchange;
use crate::judge::checks::{Check, Notes, starts_anew};
use crate::judge::{Bindings, Comparison};

#[derive(Default)]
pub(super) struct PredictionCheck {
    bindings: Bindings,
}

impl Check for PredictionCheck {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            self.bindings = Bindings::default();
        }
        let comparison = Comparison {
            action: &exchange.sent.action,
            kind: exchange.kind(),
            seen: exchange.seen,
            predicted: exchange.predicted,
            refusal: exchange.predicted_refusal,
            freedom: None,
        };
        comparison.each_point(&mut self.bindings, &mut |clause, holds, field, evidence| {
            notes.expect(exchange, clause, holds, field, evidence);
        });
    }
}

//! The response is as the model predicts: status, code and every documented field.

use tideover_exchange::Exchange;
use tideover_exchange::evidence::Point;

use crate::checks::{Check, Notes, is_reset};
use crate::comparison::{Bindings, Comparison};
use crate::grounds::Grounds;

#[derive(Default)]
pub(super) struct PredictionCheck {
    bindings: Bindings,
    grounds: Grounds,
}

impl Check for PredictionCheck {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = PredictionCheck::default();
        }
        let comparison = Comparison {
            action: &exchange.sent.action,
            kind: exchange.kind(),
            seen: exchange.seen,
            predicted: exchange.predicted,
            refusal: exchange.predicted_refusal,
            freedom: None,
        };
        let mut wrong = Vec::new();
        comparison.each_point(&mut self.bindings, &mut |clause, holds, field, evidence| {
            if holds {
                notes.meet(clause);
                return;
            }
            let (expected, seen) = evidence();
            wrong.push(Point { clause, holds, field: field.to_owned(), expected, seen });
        });
        let Exchange { sent, seen, predicted, .. } = exchange;
        if wrong.is_empty() {
            for clause in self.grounds.upheld_by(sent, predicted) {
                notes.meet(clause);
            }
        }
        self.grounds.recite((sent, seen), predicted, &mut wrong);
        self.grounds.learn(sent, seen, predicted);
        for point in wrong {
            notes.add(exchange, point);
        }
    }
}

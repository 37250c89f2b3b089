//! The arithmetic of quotes and advances (§2 Advance and quote amounts).

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_model::wire::field;
use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Notes};

pub(super) struct Arithmetic;

impl Check for Arithmetic {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let quote = exchange.success_of(OperationKind::Quote);
        let body = quote.or_else(|| exchange.success_of(OperationKind::RequestAdvance));
        let Some(body) = body else { return };
        let cents = |name: &str| body.get(name).and_then(Value::as_i64);
        let (Some(financeable), Some(advance), Some(fee), Some(forwarded)) = (
            cents(field::FINANCEABLE_AMOUNT),
            cents(field::ADVANCE_AMOUNT),
            cents(field::FEE_TOTAL),
            cents("forwardedAtPayment"),
        ) else {
            return;
        };
        let shown = || {
            format!(
                "financeableAmount {financeable}, advanceAmount {advance}, feeTotal {fee}, forwardedAtPayment \
                 {forwarded}"
            )
        };
        let mut expect = |clause, holds, field, law: &str| {
            notes.expect(exchange, clause, holds, field, || (law, shown()));
        };
        expect(
            clause!("1.general.1"),
            financeable >= 0 && advance >= 0 && fee >= 0,
            field::ADVANCE_AMOUNT,
            "cents, not negative",
        );
        expect(
            clause!("2.amounts.forwardedAtPayment.2"),
            forwarded >= 0,
            "forwardedAtPayment",
            "at least 0",
        );
        expect(
            clause!("2.amounts.financeableAmount"),
            advance <= financeable,
            field::ADVANCE_AMOUNT,
            "at most the financeable amount",
        );
        if let Some(face) = exchange.quoted_face() {
            expect(
                clause!("2.amounts.financeableAmount"),
                financeable <= face,
                field::FINANCEABLE_AMOUNT,
                "at most the face value",
            );
            let [face, advance, fee, forwarded] = [face, advance, fee, forwarded].map(i128::from);
            let rest = (face - advance - fee).max(0);
            // What is negative breaks the rule above, whether or not the sum is right.
            let is_rest = forwarded == rest || forwarded < 0;
            expect(
                clause!("2.amounts.forwardedAtPayment"),
                is_rest,
                "forwardedAtPayment",
                "the face value less advance and fee",
            );
        }
    }
}

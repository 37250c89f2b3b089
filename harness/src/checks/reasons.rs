//! A reason names no amount (`2.invoice.notFundableReason.2`, `2.quote.notFundableReason.3`).

use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Exchange, Notes};

pub(super) struct NoAmounts;

impl Check for NoAmounts {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        for (kind, clause) in [
            (OperationKind::GetInvoice, clause!("2.invoice.notFundableReason.2")),
            (OperationKind::Quote, clause!("2.quote.notFundableReason.3")),
        ] {
            let body = exchange.success_of(kind);
            let reason = body.and_then(|body| body.get("notFundableReason")?.as_str());
            if let Some(reason) = reason {
                let names_amount = digits_in_a_row(reason) >= 3;
                let evidence = || ("no amount", reason);
                notes.expect(exchange, clause, !names_amount, "notFundableReason", evidence);
            }
        }
    }
}

/// The most digits in a row, separators of thousands and the decimal point apart: no small number is a limit.
fn digits_in_a_row(text: &str) -> usize {
    let (mut most, mut run) = (0, 0);
    for character in text.chars() {
        match character {
            '0'..='9' => run += 1,
            ',' | '.' | '\'' | '_' | '\u{a0}' if run > 0 => {}
            _ => run = 0,
        }
        most = most.max(run);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_seen_however_it_is_written() {
        assert_eq!(digits_in_a_row("more than $1,000,000.00 is out"), 9);
        assert_eq!(digits_in_a_row("see rule 12. Or 13."), 2);
    }
}

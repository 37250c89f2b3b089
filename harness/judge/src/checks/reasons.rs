//! A reason names no amount (`2.invoice.notFundableReason.2`, `2.quote.notFundableReason.3`).

use tideover_exchange::Exchange;
use tideover_model::wire::field;
use tideover_model::{OperationKind, clause};

use crate::checks::{Check, Notes};

pub(super) struct NoAmounts;

impl Check for NoAmounts {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        for (kind, clause) in [
            (OperationKind::GetInvoice, clause!("2.invoice.notFundableReason.2")),
            (OperationKind::Quote, clause!("2.quote.notFundableReason.3")),
        ] {
            let body = exchange.success_of(kind);
            let reason = body.and_then(|body| body.get(field::NOT_FUNDABLE_REASON)?.as_str());
            if let Some(reason) = reason {
                let evidence = || ("no amount", reason);
                let names_none = !names_amount(reason, exchange);
                notes.expect(exchange, clause, names_none, field::NOT_FUNDABLE_REASON, evidence);
            }
        }
    }
}

/// Whether a reason names an amount that the exchange does not show anyway. Limits are never shown.
fn names_amount(reason: &str, exchange: &Exchange<'_>) -> bool {
    let answer = exchange.seen.json();
    let shown = [
        field::FACE_VALUE,
        field::COLLECTED,
        field::FINANCEABLE_AMOUNT,
        field::ADVANCE_AMOUNT,
        field::FEE_TOTAL,
    ];
    let shown = shown.iter().filter_map(|name| answer?.get(name)?.as_u64());
    let quoted = || exchange.quoted_face().and_then(|face| u64::try_from(face).ok());
    let is_shown = |value: u64| {
        shown.clone().chain(quoted()).any(|it| value == it || value.saturating_mul(100) == it)
    };
    numbers(reason).any(|number| {
        let digits: String = number.chars().filter(char::is_ascii_digit).collect();
        is_amount(number, &digits) && !is_shown(digits.parse().unwrap_or(u64::MAX))
    })
}

/// Whether a number is an amount, by its size or its grouping. Small numbers and years are not.
fn is_amount(number: &str, digits: &str) -> bool {
    let is_grouped = number.contains([',', '.', '\'', '_', '\u{a0}']);
    digits.len() >= 5 || is_grouped && digits.len() >= 3
}

/// The free-standing numbers of a text. Identifiers and dates have letters or hyphens next to them.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| it.is_whitespace() && it != '\u{a0}');
    let is_part = |it: char| it.is_ascii_digit() || matches!(it, ',' | '.' | '\'' | '_' | '\u{a0}');
    words.filter_map(move |word| {
        let word = word.trim_matches(|it: char| !it.is_alphanumeric() && it != '-');
        (!word.is_empty() && word.chars().all(is_part)).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_an_amount_in_any_spelling() {
        let named = |text: &str| {
            let amounts = numbers(text).filter(|number| {
                is_amount(number, &number.replace(|it: char| !it.is_ascii_digit(), ""))
            });
            amounts.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(named("more than $1,000,000.00 is out"), ["1,000,000.00"]);
        assert_eq!(named("No more than 250000 cents."), ["250000"]);
        assert_eq!(named("(USD 5'000)."), ["5'000"]);
        for text in [
            "see rule 12. Or 13.",
            "Requested on 2026-03-01.",
            "Invoice INV-100000 is not ISSUED.",
            "Due in March 2026.",
            "Invoice td-3f812a45678-2-i100000 is VOIDED.",
            "Advance 550e8400-e29b-41d4-a716-446655440000 stands against it.",
            "Needs 3 of 4 requirements.",
        ] {
            assert!(named(text).is_empty(), "{text}");
        }
    }
}

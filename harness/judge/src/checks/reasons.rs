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
    let words: Vec<&str> = words(reason).collect();
    (0..words.len()).any(|place| {
        let value = amount_at(&words, place).map(|digits| digits.parse().unwrap_or(u64::MAX));
        value.is_some_and(|value| !is_shown(value))
    })
}

/// The words of a text. A space that keeps groups of digits together is part of a number.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| it.is_whitespace() && it != '\u{a0}')
}

/// The digits of the word at this place if it is an amount: groups of thousands, or a large number beside a currency or a
/// word for a bound. A reference of a case, or a telephone number, is none; nor are identifiers and dates, which have
/// letters or hyphens next to them.
fn amount_at(words: &[&str], place: usize) -> Option<String> {
    let word = words[place];
    let number = word.trim_matches(|it: char| !it.is_alphanumeric() && it != '-');
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let is_number = number.chars().all(|it| it.is_ascii_digit() || SEPARATORS.contains(&it));
    if digits.is_empty() || !is_number {
        return None;
    }
    let before = words[place.saturating_sub(NEAR)..place].iter();
    let is_near = before.chain(words.get(place + 1)).any(|word| is_of_amounts(word));
    let is_large = digits.len() >= 5 && (is_near || word.contains(['$', '€']));
    (is_grouped(number) || is_large).then_some(digits)
}

const SEPARATORS: [char; 5] = [',', '.', '\'', '_', '\u{a0}'];

/// How many words before a number may say that it is an amount.
const NEAR: usize = 3;

/// Whether a whole word, in singular or plural, stands beside amounts. A part of a word does not count: `supplier` has
/// `up` in it, and `recent` has `cent`.
fn is_of_amounts(word: &str) -> bool {
    let word = word.trim_matches(|it: char| !it.is_alphanumeric() && it != '$').to_lowercase();
    OF_AMOUNTS.iter().any(|it| word == *it || word.strip_suffix('s') == Some(it))
}

/// The words for a currency, a bound, and what is left of it.
const OF_AMOUNTS: [&str; 22] = [
    "usd",
    "$",
    "dollar",
    "cent",
    "amount",
    "limit",
    "max",
    "maximum",
    "most",
    "cap",
    "exceed",
    "exceeded",
    "exceeding",
    "over",
    "than",
    "above",
    "below",
    "up",
    "remain",
    "remaining",
    "available",
    "outstanding",
];

/// Whether the digits stand in groups of thousands, with or without two decimals.
fn is_grouped(number: &str) -> bool {
    let groups: Vec<usize> = number.split(SEPARATORS).map(str::len).collect();
    let [first, middle @ .., last] = &groups[..] else { return false };
    (1..=3).contains(first)
        && middle.iter().all(|group| *group == 3)
        && (*last == 3 || *last == 2 && !middle.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_an_amount_in_any_spelling() {
        let named = |text: &str| {
            let words: Vec<&str> = words(text).collect();
            (0..words.len()).filter_map(|place| amount_at(&words, place)).collect::<Vec<_>>()
        };
        assert_eq!(named("more than $1,000,000.00 is out"), ["100000000"]);
        assert_eq!(named("No more than 250000 cents."), ["250000"]);
        assert_eq!(named("(USD 5'000)."), ["5000"]);
        assert_eq!(named("The limit is 1000000."), ["1000000"]);
        assert_eq!(named("Only $12345 is left."), ["12345"]);
        for text in [
            "see rule 12. Or 13.",
            "Requested on 2026-03-01.",
            "Invoice INV-100000 is not ISSUED.",
            "Due in March 2026.",
            "Invoice td-3f812a45678-2-i100000 is VOIDED.",
            "Advance 550e8400-e29b-41d4-a716-446655440000 stands against it.",
            "See case 1234567.",
            "Call 800 5551234 or 800.555.1234.",
            "Needs 3 of 4 requirements.",
            "Ask your supplier, 80055512.",
            "Recent case 1234567 decides.",
        ] {
            assert!(named(text).is_empty(), "{text}");
        }
    }
}

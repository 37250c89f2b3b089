//! The rates of vendors, from quotes and advances (`gap.rates`, `gap.pricing`, `gap.quoteTerm`).

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::Exchange;
use tideover_judge::{Belief, amount};
use tideover_model::wire::field;
use tideover_model::{OperationKind, PlatformId};

use crate::play::learn::span::{Span, Spans, Steady};

/// The whole in basis points.
const WHOLE: u64 = 10_000;

/// The whole in basis points for one day: a fee rate is for 30 days.
const FEE_WHOLE: u128 = 10_000 * 30;

/// The bounds of rates in basis points, and of the term of a quote in days.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    vendors: BTreeMap<(Option<PlatformId>, String), VendorRates>,
    pub(super) advance: Spans,
    pub(super) fee: Spans,
    pub(super) quote_term: Steady,
    /// The fees of quotes, rate times term, for vendors without an advance that would separate the two.
    pub(super) fee_of_term: Spans,
}

#[derive(Clone, Copy, Debug, Default)]
struct VendorRates {
    advance: Steady,
    fee: Steady,
    fee_of_term: Steady,
}

impl Rates {
    pub(super) fn observe(&mut self, exchange: &Exchange<'_>, belief: &Belief) {
        let Some(answer) = exchange.seen.success_body() else {
            return;
        };
        let Some(offered) = OfferedAmounts::by(answer) else { return };
        let (vendor, days) = match exchange.kind() {
            Some(OperationKind::Quote) => (exchange.sent_field(field::EXTERNAL_ID), None),
            Some(OperationKind::RequestAdvance) => {
                let payee = exchange.sent_field(field::PAYEE_EXTERNAL_ID);
                (payee, belief.days_to_due_date(exchange.sent, exchange.now))
            }
            _ => return,
        };
        let Some(vendor) = vendor else { return };
        let known = self.vendors.entry((exchange.platform, vendor)).or_default();
        known.advance.narrow(offered.advance_rate());
        let Some(fee) = offered.fee_for_days() else { return };
        match (exchange.kind(), days) {
            (Some(OperationKind::Quote), _) => known.fee_of_term.narrow(fee),
            (_, Some(days)) => {
                let days = days.max(1);
                let rate = Span { min: fee.min.div_ceil(days), max: fee.max / days };
                if rate.min <= rate.max {
                    known.fee.narrow(rate);
                }
            }
            _ => {}
        }
    }

    /// Notes the rates of the vendors of a case. Each has rates of its own, so that a profile gets their range.
    pub(super) fn conclude(&mut self) {
        for vendor in std::mem::take(&mut self.vendors).into_values() {
            let [advance, fee, fee_of_term] =
                [vendor.advance, vendor.fee, vendor.fee_of_term].map(Steady::span);
            advance.into_iter().for_each(|rate| self.advance.note(rate));
            fee.into_iter().for_each(|rate| self.fee.note(rate));
            fee_of_term.into_iter().for_each(|fee| self.fee_of_term.note(fee));
            if let (Some(term), Some(rate)) = (fee_of_term, fee)
                && rate.min > 0
            {
                let days = Span { min: term.min.div_ceil(rate.max), max: term.max / rate.min };
                if days.min <= days.max {
                    self.quote_term.narrow(days);
                }
            }
        }
    }

    pub(super) fn add(&mut self, other: &Rates) {
        self.advance.add(&other.advance);
        self.fee.add(&other.fee);
        self.fee_of_term.add(&other.fee_of_term);
        self.quote_term.add(other.quote_term);
    }
}

/// The amounts of an offer. Cents.
struct OfferedAmounts {
    financeable: u64,
    advance: u64,
    fee: u64,
}

impl OfferedAmounts {
    fn by(answer: &Value) -> Option<OfferedAmounts> {
        let cents = |name: &str| u64::try_from(amount(answer, name)?.0).ok();
        let financeable = cents(field::FINANCEABLE_AMOUNT).filter(|cents| *cents > 0)?;
        let advance = cents(field::ADVANCE_AMOUNT).filter(|cents| *cents <= financeable)?;
        Some(OfferedAmounts { financeable, advance, fee: cents(field::FEE_TOTAL)? })
    }

    /// The bounds of the advance rate: an advance is rounded down, and at most the whole.
    fn advance_rate(&self) -> Span {
        let (least, beyond) = (self.advance * WHOLE, (self.advance + 1) * WHOLE);
        let min = least.div_ceil(self.financeable);
        Span { min, max: (beyond.div_ceil(self.financeable) - 1).clamp(min, WHOLE) }
    }

    /// The bounds of the fee rate times the days: a fee is rounded up. `None` if the fee takes all that the advance
    /// leaves: then it is cut, and shows no rate.
    fn fee_for_days(&self) -> Option<Span> {
        if self.advance + self.fee >= self.financeable {
            return None;
        }
        let share = |cents: u64| u128::from(cents) * FEE_WHOLE / u128::from(self.financeable);
        let max = u64::try_from(share(self.fee)).ok()?;
        let min = match self.fee {
            0 => 0,
            fee => u64::try_from(share(fee - 1)).ok()? + 1,
        };
        (min <= max).then_some(Span { min, max })
    }
}

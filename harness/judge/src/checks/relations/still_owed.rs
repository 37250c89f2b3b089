//! A payment never raises what is still owed of an advance, and once it is repaid, less is owed than before any payment
//! (`2.invoice.advance.2`).
//!
//! The document does not show the name of the field, so its values say which one it is: before any payment it is the
//! amount of the advance, or that with the fee; a payment never lowers it by more than what is paid, and once by all.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::matcher::leaves;
use tideover_exchange::{DAY, Exchange};
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::AdvanceState;
use tideover_model::{OperationKind, Timestamp, clause};

use crate::checks::meanings::Proof;
use crate::checks::relations::ledger::{InvoiceName, invoice};
use crate::checks::{Check, Notes, is_reset};

/// Between two reads so near to each other, on one day, no interest is added. Seconds.
const NEAR: u64 = 60;

#[derive(Default)]
pub(in crate::checks) struct StillOwed {
    /// What each advance costs as it is granted: its amount, and that with the fee. Cents.
    costs: BTreeMap<InvoiceName, [i64; 2]>,
    reads: BTreeMap<InvoiceName, Read>,
    /// Each advance that is paid out, as it was shown before any payment.
    unpaid: BTreeMap<InvoiceName, Value>,
}

/// What reads of an advance that is paid out have shown.
struct Read {
    at: Timestamp,
    collected: i64,
    /// The last value of each field that may be what is still owed. Cents.
    shown: BTreeMap<String, i64>,
    /// Those of them that a payment has lowered by all that was paid.
    owed: BTreeSet<String>,
}

impl Check for StillOwed {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = StillOwed::default();
        }
        let Some(name) = invoice(exchange) else { return };
        if let Some(body) = exchange.success_of(OperationKind::RequestAdvance) {
            let fields = Fields::of(body);
            if let (Some(advance), Some(fee)) = (fields.advance_amount(), fields.fee_total()) {
                self.costs.insert(name, [advance, advance.saturating_add(fee)]);
            }
        } else if let Some(body) = exchange.success_of(OperationKind::GetInvoice) {
            let collected = Fields::of(body).collected();
            let advance = &body[field::ADVANCE];
            match Proof::of(OperationKind::GetInvoice, body).state() {
                Some(AdvanceState::Funded) => {
                    let Some(collected) = collected else { return };
                    if collected == 0 {
                        self.unpaid.insert(name.clone(), advance.clone());
                    }
                    self.read(name, exchange, (advance, collected), notes);
                }
                Some(AdvanceState::Repaid) => self.compare_repaid(&name, exchange, advance, notes),
                _ => {}
            }
        }
    }
}

impl StillOwed {
    /// What is still owed of a repaid advance is less than before any payment, wherever it is shown. It may be left out then.
    fn compare_repaid(
        &self,
        name: &InvoiceName,
        exchange: &Exchange<'_>,
        advance: &Value,
        notes: &mut Notes,
    ) {
        let unpaid = self.unpaid.get(name).filter(|it| leaves(it).any(Value::is_i64));
        let Some(unpaid) = unpaid else { return };
        let clause = clause!("2.invoice.advance.2");
        notes.expect(exchange, clause, may_have_fallen(unpaid, advance), field::ADVANCE, || {
            ("an amount that is less than before any payment", "none")
        });
    }

    /// A read of an advance that is paid out. Cents.
    fn read(
        &mut self,
        name: InvoiceName,
        exchange: &Exchange<'_>,
        (advance, collected): (&Value, i64),
        notes: &mut Notes,
    ) {
        // Those within an object or a list of it may be amounts of something else, such as of a payment.
        let amounts = advance.as_object().into_iter().flatten();
        let amounts = amounts.filter_map(|(name, value)| Some((name.clone(), value.as_i64()?)));
        let mut shown: BTreeMap<String, i64> = amounts.collect();
        let Some(before) = self.reads.get_mut(&name) else {
            let costs = self.costs.get(&name).filter(|_| collected == 0);
            shown.retain(|_, amount| costs.is_some_and(|costs| costs.contains(amount)));
            let read = Read { at: exchange.now, collected, shown, owed: BTreeSet::new() };
            self.reads.insert(name, read);
            return;
        };
        // A read that shows more collected is no older than the one before.
        if collected <= before.collected {
            return;
        }
        let paid = collected - before.collected;
        let is_near = exchange.ahead.is_some()
            && before.at.whole_seconds_until(exchange.now) <= NEAR
            && before.at.unix() / DAY == exchange.now.unix() / DAY;
        let Read { shown: last, owed, .. } = before;
        last.retain(|name, was| {
            let Some(is) = shown.get(name).copied() else { return false };
            if owed.contains(name) && is_near {
                let evidence = || (format!("at most {was}, as before the payment"), is.to_string());
                let clause = clause!("2.invoice.advance.2");
                notes.expect(exchange, clause, is <= *was, field::ADVANCE, evidence);
            }
            let lowered_by = *was - is;
            // What was moved last may be shown, too.
            if lowered_by == paid && is != paid {
                owed.insert(name.clone());
            }
            *was = is;
            (0..=paid).contains(&lowered_by)
        });
        (before.at, before.collected) = (exchange.now, collected);
    }
}

/// Whether a value within one may be an amount that is less now. One that is written otherwise than as a number may be any.
fn may_have_fallen(was: &Value, is: &Value) -> bool {
    let is_no_amount =
        |text: &str| AdvanceState::parse(text).is_some() || Timestamp::parse(text).is_some();
    match (was, is) {
        (Value::Object(was), _) => was.iter().any(|(name, was)| may_have_fallen(was, &is[name])),
        (Value::Array(was), _) => {
            was.iter().enumerate().any(|(place, was)| may_have_fallen(was, &is[place]))
        }
        (Value::Number(was), Value::Number(is)) => is.as_i64() < was.as_i64(),
        (Value::String(was), Value::String(is)) => was != is && !is_no_amount(is),
        (Value::Number(_) | Value::String(_), _) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tideover_exchange::step::Call;

    use super::StillOwed;
    use crate::checks::proof::{broken, get};

    type Played = (Call, u16, Value);

    fn granted(invoice: &str) -> Played {
        let body = json!({ "payeeExternalId": "v", "invoiceExternalId": invoice });
        let granted = json!({ "alreadyRequested": false, "advanceAmount": 800, "feeTotal": 30 });
        (Call::json("POST", "/v1/advances", body), 200, granted)
    }

    /// An advance, and what one of its fields shows once so much is collected. Cents.
    fn reads_of(invoice: &str, first: i64, later: &[(i64, i64)]) -> Vec<Played> {
        let read = |(collected, one): &(i64, i64)| {
            let advance = json!({ "phase": "FUNDED", "went": 800, "one": one });
            let shown = json!({ "collected": collected, "advance": advance });
            (get(&format!("/v1/organizations/v/invoices/{invoice}")), 200, shown)
        };
        let first = [granted(invoice), read(&(0, first))];
        first.into_iter().chain(later.iter().map(read)).collect()
    }

    fn of(first: i64, later: &[(i64, i64)]) -> Vec<&'static str> {
        let plain = reads_of("plain", 830, &[(200, 630), (300, 530)]);
        broken(&mut StillOwed::default(), &[plain, reads_of("i", first, later)].concat())
    }

    #[test]
    fn finds_more_owed_after_a_payment() {
        assert_eq!(of(830, &[(200, 630), (300, 730)]), ["2.invoice.advance.2"]);
        assert_eq!(of(800, &[(200, 600), (300, 700)]), ["2.invoice.advance.2"]);
        assert!(of(830, &[(200, 630), (300, 530)]).is_empty());
        assert!(of(830, &[(200, 630), (300, 630), (400, 630)]).is_empty(), "the rest is forwarded");
    }

    #[test]
    fn finds_an_amount_that_never_falls() {
        let read = |(state, collected, owed): (&str, i64, Value)| {
            let advance = json!({ "phase": state, "sent": { "first": 800 }, "owed": owed });
            let shown = json!({ "collected": collected, "advance": advance });
            (get("/v1/organizations/v/invoices/i"), 200, shown)
        };
        let of = |owed: [Value; 2]| {
            let [before, after] = owed;
            let reads = [("FUNDED", 0, before), ("REPAID", 900, after)].map(read);
            broken(&mut StillOwed::default(), &[vec![granted("i")], reads.to_vec()].concat())
        };
        assert_eq!(of([json!({ "fee": 30 }), json!({ "fee": 30 })]), ["2.invoice.advance.2"]);
        for after in [json!({ "fee": 0 }), json!({}), json!(null), json!({ "fee": null })] {
            assert!(of([json!({ "fee": 30 }), after]).is_empty());
        }
        assert!(of([json!("8.30"), json!("0.00")]).is_empty(), "it may be written as text");
    }

    #[test]
    fn believes_an_older_response_and_other_amounts() {
        assert!(of(830, &[(200, 630), (300, 530), (300, 830)]).is_empty(), "it may be older");
        assert!(of(500, &[(200, 400), (300, 600)]).is_empty(), "it was no amount of the advance");
        assert!(of(800, &[(500, 500), (1100, 600)]).is_empty(), "it is what moved last");
        assert!(of(800, &[(100, 500), (200, 600)]).is_empty(), "a payment lowers it by more");
        let after_more = [(100, 500), (200, 400), (300, 600)];
        assert!(of(800, &after_more).is_empty(), "what was disproved once is no candidate again");
        assert!(of(800, &[(500, 470), (1100, 570)]).is_empty(), "it is a part of what is paid");
    }
}

//! A quote of an amount between two that are fundable is fundable (`2.quote.fundable`): it looks at nothing but the
//! business and the amount.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{OperationKind, clause};

use crate::checks::relations::ledger::{BusinessName, business, invoice};
use crate::checks::{Check, Notes, is_reset};

/// What an invoice needs of the limit, a quote of a part of it does not: the two may be priced for other terms.
const PART: i64 = 2;

#[derive(Default)]
pub(in crate::checks) struct QuotedBetween {
    /// The least amount of each business that was fundable. What is too small depends on nothing else. Cents.
    least: BTreeMap<BusinessName, i64>,
    /// The greatest amount that a quote would find room for, since the last possible change. Cents.
    most: BTreeMap<BusinessName, i64>,
    /// The businesses whose last quote disagrees. One response may be stale; the next one is not.
    behind: BTreeSet<BusinessName>,
}

impl Check for QuotedBetween {
    fn miss(&mut self, _sent: &Prepared) {
        self.forget();
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = QuotedBetween::default();
        }
        let is_refused = (400..500).contains(&exchange.seen.status);
        if !is_refused && !exchange.kind().is_some_and(OperationKind::reads) {
            self.forget();
            return;
        }
        let Some(body) = exchange.seen.success_body() else { return };
        let Some(fundable) = Fields::of(body).fundable() else { return };
        match exchange.kind() {
            Some(OperationKind::GetInvoice) if fundable => {
                let face = body[field::FACE_VALUE].as_i64();
                if let Some(((payee, _), face)) = invoice(exchange).zip(face) {
                    self.learn(payee, face, face / PART);
                }
            }
            Some(OperationKind::Quote) => {
                let Some(name) = business(exchange) else { return };
                let Some(face) = exchange.quoted_face() else { return };
                self.compare(exchange, &name, (face, fundable), notes);
                if fundable {
                    self.learn(name, face, face);
                }
            }
            _ => {}
        }
    }
}

impl QuotedBetween {
    fn forget(&mut self) {
        self.most.clear();
        self.behind.clear();
    }

    /// Learns that an amount is fundable, and up to which one there is surely room. Cents.
    fn learn(&mut self, name: BusinessName, face: i64, most: i64) {
        let least = self.least.entry(name.clone()).or_insert(face);
        *least = face.min(*least);
        let known = self.most.entry(name).or_insert(most);
        *known = most.max(*known);
    }

    /// Compares a quote of so many cents with what is fundable.
    fn compare(
        &mut self,
        exchange: &Exchange<'_>,
        name: &BusinessName,
        (face, fundable): (i64, bool),
        notes: &mut Notes,
    ) {
        let known = self.least.get(name).zip(self.most.get(name));
        let Some((least, most)) = known.filter(|(least, most)| (*least..=*most).contains(&&face))
        else {
            return;
        };
        if fundable {
            self.behind.remove(name);
        } else if self.behind.insert(name.clone()) {
            return;
        }
        notes.expect(exchange, clause!("2.quote.fundable"), fundable, field::FUNDABLE, || {
            (format!("true, as for {least} cents, and with room for {most}"), "false")
        });
    }
}

//! A quote of an amount between two that are fundable is fundable (`2.quote.fundable`): it looks at nothing but the
//! business and the amount.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::AdvanceState;
use tideover_model::{OperationKind, clause};

use crate::checks::meanings::Proof;
use crate::checks::relations::behind::Behind;
use crate::checks::relations::ledger::{BusinessName, InvoiceName, business, invoice};
use crate::checks::{Check, Notes, is_reset};

/// An invoice and a quote may be priced for other terms, and two amounts by other rates: what is fundable says something
/// about amounts that are so many times as large, or as small.
const MARGIN: i64 = 2;

#[derive(Default)]
pub(in crate::checks) struct QuotedBetween {
    /// The least amount of each business that is surely not too small. Cents.
    least: BTreeMap<BusinessName, i64>,
    /// For which amounts there is room, as responses said since the last possible change. Cents.
    room: BTreeMap<BusinessName, Vec<i64>>,
    behind: Behind<(BusinessName, i64)>,
    /// The invoices whose advance no read showed as paid out: until then, more may become outstanding by itself.
    pending: BTreeSet<InvoiceName>,
    /// Whether a request was lost. It may have been one for an advance.
    has_missed: bool,
}

impl Check for QuotedBetween {
    fn miss(&mut self, _sent: &Prepared) {
        self.has_missed = true;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = QuotedBetween::default();
        }
        if exchange.success_of(OperationKind::RequestAdvance).is_some() {
            self.pending.extend(invoice(exchange));
        }
        if !exchange.seen.is_refused() && !exchange.kind().is_some_and(OperationKind::reads) {
            self.room.clear();
            self.behind = Behind::default();
            return;
        }
        let Some(body) = exchange.seen.success_body().filter(|_| !exchange.unsettled) else {
            return;
        };
        match exchange.kind() {
            Some(OperationKind::GetInvoice) => self.learn_invoice(exchange, body),
            Some(OperationKind::Quote) => self.quote(exchange, body, notes),
            _ => {}
        }
    }
}

impl QuotedBetween {
    fn learn_invoice(&mut self, exchange: &Exchange<'_>, body: &Value) {
        let Some(name) = invoice(exchange) else { return };
        let state = Proof::of(OperationKind::GetInvoice, body).state();
        if state >= Some(AdvanceState::Funded) {
            self.pending.remove(&name);
        }
        if let Some(face) = body[field::FACE_VALUE].as_i64()
            && Fields::of(body).fundable() == Some(true)
        {
            self.learn(name.0, face.saturating_mul(MARGIN), face);
        }
    }

    fn quote(&mut self, exchange: &Exchange<'_>, body: &Value, notes: &mut Notes) {
        let (Some(name), Some(face), Some(fundable)) =
            (business(exchange), exchange.quoted_face(), Fields::of(body).fundable())
        else {
            return;
        };
        if self.must_be_fundable(&name, face)
            && let Some(holds) = self.behind.agrees((name.clone(), face), fundable)
        {
            let evidence = || ("true, as smaller and larger amounts are", "false");
            notes.expect(exchange, clause!("2.quote.fundable"), holds, field::FUNDABLE, evidence);
        }
        if fundable {
            self.learn(name, face, face);
        }
    }

    /// Learns that an amount is fundable, and which least one is not too small. Cents.
    fn learn(&mut self, name: BusinessName, least: i64, face: i64) {
        let known = self.least.entry(name.clone()).or_insert(least);
        *known = least.min(*known);
        self.room.entry(name).or_default().push(face / MARGIN);
    }

    /// Whether a quote of so many cents is neither too small nor too large. Of what is fundable, one response may be stale.
    fn must_be_fundable(&self, name: &BusinessName, face: i64) -> bool {
        let has_pending = self.pending.iter().any(|(payee, _)| payee == name);
        let with_room = self.room.get(name).into_iter().flatten().filter(|room| face <= **room);
        !self.has_missed
            && !has_pending
            && self.least.get(name).is_some_and(|least| *least <= face)
            && with_room.count() >= 2
    }
}

//! The limit of a business grants no amount that it refused before (`8.concentrationLimit`).
//!
//! What counts as outstanding is not stated. So this check takes the least possible amount for a granted
//! advance, and the most possible amount for a refused one.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared, PreparedAction};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Code, Operation, OperationKind, clause, tax_id_digits};

use crate::checks::relations::ledger::{
    BusinessName, InvoiceName, SyncedInvoices, acted_on_invoice, business, invoice,
};
use crate::checks::{Check, Notes, is_reset};

/// What a business has outstanding. Cents.
#[derive(Clone, Debug, Default)]
struct Exposure {
    /// The advances, and the fees, of its invoices.
    granted: BTreeMap<InvoiceName, (i64, i64)>,
    /// What payors have paid on its invoices. At most so much of an advance is recovered.
    paid: BTreeMap<InvoiceName, i64>,
    /// The smallest refused amount. Each one is counted as high as possible.
    refused: Option<i64>,
    /// Whether something was paid elsewhere, or the amount of an advance was not shown.
    is_unsure: bool,
}

impl Exposure {
    /// The most that may be outstanding: no advance is recovered, and fees count.
    fn most(&self) -> i64 {
        self.granted.values().map(|(advance, fee)| advance + fee).sum()
    }

    /// The least: each payment has recovered as much.
    fn least(&self) -> i64 {
        let left = |(invoice, (advance, _)): (&InvoiceName, &(i64, i64))| {
            (advance - self.paid.get(invoice).unwrap_or(&0)).max(0)
        };
        self.granted.iter().map(left).sum()
    }
}

#[derive(Default)]
pub(super) struct OneLimit {
    synced: SyncedInvoices,
    /// Identifiers linked to another business by its tax id.
    linked_to: BTreeMap<BusinessName, BusinessName>,
    holders: BTreeMap<String, BusinessName>,
    exposures: BTreeMap<BusinessName, Exposure>,
    /// The per-invoice maximum, if a response showed it. Cents.
    cap: Option<i64>,
    is_unsure: bool,
}

impl Check for OneLimit {
    fn miss(&mut self, _sent: &Prepared) {
        self.is_unsure = true;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = OneLimit::default();
        }
        self.synced.learn(exchange);
        self.learn_matches(exchange);
        self.learn_cap(exchange);
        match exchange.acts() {
            Some(ActionKind::PayorPays) => self.learn_payment(exchange),
            // Nothing may be outstanding with a test account.
            Some(ActionKind::MarkTestAccount) => self.is_unsure = true,
            _ => {}
        }
        match exchange.kind() {
            Some(OperationKind::RequestAdvance) => self.request(exchange, notes),
            Some(OperationKind::Quote) => self.quote(exchange, notes),
            _ => {}
        }
    }
}

impl OneLimit {
    fn resolve(&self, name: &BusinessName) -> BusinessName {
        self.linked_to.get(name).unwrap_or(name).clone()
    }

    fn exposure(&mut self, name: &BusinessName) -> &mut Exposure {
        let business = self.resolve(name);
        self.exposures.entry(business).or_default()
    }

    /// What is outstanding elsewhere may count for a limit, too, where a tax id makes two businesses one in a way that no
    /// response shows. So after a payment only the limit of its own payee is still compared.
    fn learn_payment(&mut self, exchange: &Exchange<'_>) {
        let Some(invoice) = acted_on_invoice(exchange) else { return };
        let own = self.resolve(&invoice.0);
        for (business, exposure) in &mut self.exposures {
            exposure.is_unsure |= *business != own;
        }
        let PreparedAction::Act(fields) = &exchange.sent.action else { return };
        let amount = fields.get("amount").and_then(Value::as_i64).unwrap_or(i64::MAX);
        let paid = self.exposures.entry(own).or_default().paid.entry(invoice).or_default();
        *paid = paid.saturating_add(amount);
    }

    /// Two identifiers are one business if the response says so and another business has the tax id.
    fn learn_matches(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(OperationKind::SyncBusiness) else { return };
        let Some(name) = business(exchange) else { return };
        let Some(tax_id) = exchange.synced_tax_id() else { return };
        let digits = tax_id_digits(&tax_id);
        match self.holders.get(&digits) {
            Some(holder) if Fields::of(answer).created() == Some(false) && *holder != name => {
                let holder = self.resolve(holder);
                self.linked_to.entry(name).or_insert(holder);
            }
            Some(_) => {}
            None => {
                self.holders.insert(digits, name);
            }
        }
    }

    fn learn_cap(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.seen.success_body() else { return };
        let face = match exchange.kind() {
            Some(OperationKind::Quote) => exchange.quoted_face(),
            Some(OperationKind::RequestAdvance) => {
                invoice(exchange).and_then(|invoice| self.synced.face(&invoice))
            }
            _ => None,
        };
        let financeable = Fields::of(answer).financeable_amount();
        let capped = financeable.zip(face).filter(|(most, face)| most < face);
        if let Some((financeable, _)) = capped {
            self.cap = Some(self.cap.map_or(financeable, |cap| cap.max(financeable)));
        }
    }

    /// The most that an advance on `face` may use, with its fee. Cents.
    fn most(&self, face: i64) -> i64 {
        match self.cap {
            Some(cap) if cap < face => face.min(cap + cap / 2),
            _ => face,
        }
    }

    fn request(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(requested) = invoice(exchange) else { return };
        let payee = requested.0.clone();
        if exchange.seen.code() == Some(Code::ConcentrationExceeded.name()) {
            let Some(most) = self.synced.face(&requested).map(|face| self.most(face)) else {
                return;
            };
            let exposure = self.exposure(&payee);
            let refused = exposure.most() + most;
            exposure.refused = Some(exposure.refused.map_or(refused, |known| known.min(refused)));
            return;
        }
        let Some(answer) = exchange.success_of(OperationKind::RequestAdvance) else { return };
        if Fields::of(answer).already_requested() != Some(false) {
            return;
        }
        let cents = |name: &str| answer.get(name).and_then(Value::as_i64);
        let (Some(advance), fee) =
            (cents(field::ADVANCE_AMOUNT), cents(field::FEE_TOTAL).unwrap_or(0))
        else {
            self.exposure(&payee).is_unsure = true;
            return;
        };
        self.check_limit(exchange, &payee, advance, notes);
        self.exposure(&payee).granted.insert(requested, (advance, fee));
    }

    fn quote(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.success_of(OperationKind::Quote) else { return };
        let advance = Fields::of(answer)
            .advance_amount()
            .filter(|_| Fields::of(answer).fundable() == Some(true));
        if let (Some(name), Some(advance)) = (business(exchange), advance) {
            self.check_limit(exchange, &name, advance, notes);
        }
    }

    /// Compares an advance that fits with those that were refused.
    fn check_limit(
        &mut self,
        exchange: &Exchange<'_>,
        name: &BusinessName,
        advance: i64,
        notes: &mut Notes,
    ) {
        let is_unsure = self.is_unsure;
        let exposure = self.exposure(name);
        let Some(refused) = exposure.refused.filter(|_| !exposure.is_unsure && !is_unsure) else {
            return;
        };
        let with_it = exposure.least() + advance;
        let clause = match exchange.call().and_then(|call| call.operation()) {
            Some(Operation::Quote { .. }) => clause!("2.quote.fundable"),
            _ => clause!("8.concentrationLimit"),
        };
        notes.expect(exchange, clause, with_it < refused, "limit", || {
            (
                format!("no room: at most {refused} cents outstanding were refused earlier"),
                format!("room for {with_it} cents"),
            )
        });
    }
}

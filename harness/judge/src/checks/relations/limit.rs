//! The limit of a business grants no amount that it refused before (`8.concentrationLimit`).
//!
//! What counts as outstanding is not stated. So this check takes the least possible amount for a granted
//! advance, and the most possible amount for a refused one.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Code, Operation, OperationKind, clause, tax_id_digits};

use crate::checks::relations::ledger::{BusinessName, SyncedInvoices, acted_on, business, invoice};
use crate::checks::{Check, Notes, is_reset};

/// What a business has outstanding. Cents.
#[derive(Clone, Copy, Debug, Default)]
struct Exposure {
    advances: i64,
    fees: i64,
    /// The smallest refused amount. Each one is counted as high as possible.
    refused: Option<i64>,
    /// Whether something was paid. The service decides what is left then.
    is_unsure: bool,
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
        if exchange.acts() == Some(ActionKind::PayorPays)
            && let Some(payee) = acted_on(exchange, field::PAYEE_EXTERNAL_ID)
        {
            self.exposure(&payee).is_unsure = true;
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
            let refused = exposure.advances + exposure.fees + most;
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
        let exposure = self.exposure(&payee);
        exposure.advances += advance;
        exposure.fees += fee;
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
        let exposure = *self.exposure(name);
        let Some(refused) = exposure.refused.filter(|_| !exposure.is_unsure && !is_unsure) else {
            return;
        };
        let with_it = exposure.advances + advance;
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

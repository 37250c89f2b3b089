//! What was refused for want of room under the limit of a business is not granted after (`8.concentrationLimit`).
//!
//! What counts as outstanding is not stated, so that it is taken for as little as can be where an advance is granted,
//! and for as much as can be where one is refused.

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::{ActionKind, Code, Operation, OperationKind, clause};

use crate::exchange::{Exchange, Prepared};
use crate::judge::checks::relations::ledger::{BusinessName, Synced, acted_on, business, invoice};
use crate::judge::checks::{Check, Notes, starts_anew};

/// What a business has outstanding. Cents.
#[derive(Clone, Copy, Debug, Default)]
struct Exposure {
    advances: i64,
    fees: i64,
    /// What was beyond the limit, at the most.
    refused: Option<i64>,
    /// Whether something was paid, so that what is left of it is the service's to say.
    is_unsure: bool,
}

#[derive(Default)]
pub(super) struct OneLimit {
    synced: Synced,
    /// The business that others are one with, since they have its tax id.
    same: BTreeMap<BusinessName, BusinessName>,
    holders: BTreeMap<String, BusinessName>,
    exposures: BTreeMap<BusinessName, Exposure>,
    /// The most that is financed of an invoice, where something has shown it. Cents.
    cap: Option<i64>,
    is_unsure: bool,
}

impl Check for OneLimit {
    fn miss(&mut self, _sent: &Prepared) {
        self.is_unsure = true;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            *self = OneLimit::default();
        }
        self.synced.learn(exchange);
        self.learn_matches(exchange);
        self.learn_cap(exchange);
        if exchange.acts() == Some(ActionKind::PayorPays)
            && let Some(payee) = acted_on(exchange, "payeeExternalId")
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
    fn one(&self, name: &BusinessName) -> BusinessName {
        self.same.get(name).unwrap_or(name).clone()
    }

    fn exposure(&mut self, name: &BusinessName) -> &mut Exposure {
        let one = self.one(name);
        self.exposures.entry(one).or_default()
    }

    /// Two identifiers are one business where the answer says so and another has the tax id.
    fn learn_matches(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(OperationKind::SyncBusiness) else { return };
        let Some(name) = business(exchange) else { return };
        let Some(tax_id) = exchange.synced_tax_id() else { return };
        let digits: String = tax_id.chars().filter(char::is_ascii_digit).collect();
        match self.holders.get(&digits) {
            Some(holder) if answer["created"] == false && *holder != name => {
                let holder = self.one(holder);
                self.same.entry(name).or_insert(holder);
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
        let financeable = answer["financeableAmount"].as_i64();
        let capped = financeable.zip(face).filter(|(most, face)| most < face);
        if let Some((financeable, _)) = capped {
            self.cap = Some(self.cap.map_or(financeable, |cap| cap.max(financeable)));
        }
    }

    /// What an advance on `face` may take up at the most, its fee included. Cents.
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
        if answer["alreadyRequested"] != false {
            return;
        }
        let cents = |name: &str| answer.get(name).and_then(Value::as_i64);
        let (Some(advance), fee) = (cents("advanceAmount"), cents("feeTotal").unwrap_or(0)) else {
            self.exposure(&payee).is_unsure = true;
            return;
        };
        self.hold(exchange, &payee, advance, notes);
        let exposure = self.exposure(&payee);
        exposure.advances += advance;
        exposure.fees += fee;
    }

    fn quote(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.success_of(OperationKind::Quote) else { return };
        let advance = answer["advanceAmount"].as_i64().filter(|_| answer["fundable"] == true);
        if let (Some(name), Some(advance)) = (business(exchange), advance) {
            self.hold(exchange, &name, advance, notes);
        }
    }

    /// Holds an advance that fits against what did not.
    fn hold(
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
                format!("no room: at most {refused} cents outstanding were refused before"),
                format!("room for {with_it} cents"),
            )
        });
    }
}

//! A repeated request returns the existing advance (`4.advances.2`, `2.advance.alreadyRequested`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_exchange::{Exchange, masked_field};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{OperationKind, PlatformId, clause};

use crate::checks::remittance::same_account;
use crate::checks::{Check, Notes, is_reset};
use crate::comparison::AMOUNTS_THAT_STAY;

/// The fields of an advance that never change.
pub const UNCHANGED: [&str; 3] = [AMOUNTS_THAT_STAY[0], AMOUNTS_THAT_STAY[1], field::REMITTANCE];

/// Whether a field of an advance has its first value.
pub fn is_unchanged(field: &str, first: &Value, again: &Value) -> bool {
    if field == field::REMITTANCE { same_account(first, again) } else { first == again }
}

/// The first response for each advance, by platform and invoice.
#[derive(Default)]
pub(super) struct RepeatedAdvance {
    first: BTreeMap<(Option<PlatformId>, String, String), Arc<Value>>,
}

impl Check for RepeatedAdvance {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            self.first.clear();
        }
        let Some(answer) = exchange.success_of(OperationKind::RequestAdvance) else { return };
        let Some((payee, invoice)) = exchange.asked_advance() else { return };
        let key = (exchange.platform, payee, invoice);
        let already = Fields::of(answer).already_requested();
        let first = self.first.get(&key);
        let flag = match first {
            None => clause!("2.advance.alreadyRequested"),
            Some(_) => clause!("2.advance.alreadyRequested.2"),
        };
        let fits = already == Some(first.is_some());
        notes.expect(exchange, flag, fits, field::ALREADY_REQUESTED, || {
            let shown = answer.get(field::ALREADY_REQUESTED).unwrap_or(&Value::Null);
            (first.is_some().to_string(), shown.to_string())
        });
        match first {
            None => {
                self.first.insert(key, Arc::clone(answer));
            }
            Some(first) => {
                for field in UNCHANGED {
                    let (first, again) = (&first[field], &answer[field]);
                    let clause = clause!("4.advances.2");
                    let evidence = || (masked_field(field, first), masked_field(field, again));
                    notes.expect(
                        exchange,
                        clause,
                        is_unchanged(field, first, again),
                        field,
                        evidence,
                    );
                }
            }
        }
    }
}

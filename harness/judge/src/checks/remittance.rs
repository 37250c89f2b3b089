//! A business has one collection account, the same in every response (`2.remittance.intro.2`, `3.onboarding.4.2`).

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::{Exchange, masked_field};
use tideover_model::wire::field;
use tideover_model::{OperationKind, PlatformId, clause};

use crate::checks::{Check, Notes, is_reset};

/// The account of each business, by platform and identifier.
#[derive(Default)]
pub(super) struct OneAccount {
    accounts: BTreeMap<(Option<PlatformId>, String), Value>,
}

impl Check for OneAccount {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            self.accounts.clear();
        }
        let answer = exchange.success_of(OperationKind::GetBusiness);
        let answer = answer.or_else(|| exchange.success_of(OperationKind::RequestAdvance));
        let Some(account) = answer.and_then(|body| body.get(field::REMITTANCE)) else { return };
        let is_closed =
            answer.is_some_and(|body| body[field::ONBOARDING][field::COLLECTION_ACCOUNT] == false);
        // What is wrong then is that the account closed: the requirement says so.
        if is_closed && account.is_null() {
            return;
        }
        let Some(business) = business(exchange) else { return };
        let key = (exchange.platform, business);
        match self.accounts.get(&key) {
            None if account.is_null() => {}
            None => {
                self.accounts.insert(key, account.clone());
            }
            Some(known) => {
                let clause = if account.is_null() {
                    clause!("3.onboarding.4.2")
                } else {
                    clause!("2.remittance.intro.2")
                };
                let evidence = || {
                    (
                        masked_field(field::REMITTANCE, known),
                        masked_field(field::REMITTANCE, account),
                    )
                };
                let is_same = same_account(known, account);
                notes.expect(exchange, clause, is_same, field::REMITTANCE, evidence);
            }
        }
    }
}

/// Whether two remittances name the same account. Ignores their other fields.
pub(super) fn same_account(one: &Value, other: &Value) -> bool {
    one.is_null() == other.is_null()
        && [field::ACCOUNT_NUMBER, "routingNumber"].iter().all(|name| one[name] == other[name])
}

fn business(exchange: &Exchange<'_>) -> Option<String> {
    let payee = exchange.asked_advance().map(|(payee, _)| payee);
    payee.or_else(|| Some(exchange.subject()?.business()?.to_owned()))
}

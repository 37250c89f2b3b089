//! If one collection account opens, so does another that waits for the same. It needs an address, from the
//! agreement or from any synced contact (`3.requirement.collectionAccount.3`, `2.businessSync.contact.2`).

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::{Exchange, PreparedAction};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Clause, OperationKind, Timestamp, clause};

use crate::checks::relations::ledger::{BusinessName, acted_on, business};
use crate::checks::{Check, Notes, is_reset};
use crate::comparison::meets_first_three;

/// An account that waits longer than this lacks something. Seconds.
const LONG: u64 = 6 * 86_400;

/// Where an address comes from.
#[derive(Clone, Copy, Debug, Default)]
struct AddressSource {
    in_agreement: bool,
    in_contact: bool,
    /// Whether a later contact omitted it.
    left_out: bool,
}

#[derive(Default)]
pub(super) struct AccountOpenings {
    addresses: BTreeMap<BusinessName, AddressSource>,
    /// When a business was first seen to wait for its account alone.
    waits: BTreeMap<BusinessName, Timestamp>,
    /// The opened accounts: the source of the address, and how long they were seen to wait. Seconds.
    opened: Vec<(AddressSource, u64)>,
}

impl Check for AccountOpenings {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = AccountOpenings::default();
        }
        if !exchange.seen.is_success() {
            return;
        }
        self.learn_address(exchange);
        if exchange.kind() == Some(OperationKind::GetBusiness) {
            self.check_wait(exchange, notes);
        }
    }
}

impl AccountOpenings {
    fn learn_address(&mut self, exchange: &Exchange<'_>) {
        if exchange.acts() == Some(ActionKind::VendorSignsAgreement) {
            let PreparedAction::Act(fields) = &exchange.sent.action else { return };
            if let Some(signer) = acted_on(exchange, field::PAYEE_EXTERNAL_ID)
                .filter(|_| has_address(fields.get(field::ADDRESS)))
            {
                self.addresses.entry(signer).or_default().in_agreement = true;
            }
        }
        if exchange.kind() != Some(OperationKind::SyncBusiness) {
            return;
        }
        let (Some(name), Some(contact)) =
            (business(exchange), exchange.sent_json().and_then(|sent| sent.get(field::CONTACT)))
        else {
            return;
        };
        let address = self.addresses.entry(name).or_default();
        let is_there = has_address(contact.get(field::ADDRESS));
        address.left_out = address.in_contact && !is_there;
        address.in_contact |= is_there;
    }

    fn check_wait(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some((name, answer)) = business(exchange).zip(exchange.seen.success_body()) else {
            return;
        };
        let Some(address) = self.addresses.get(&name).copied() else { return };
        let met = &answer[field::ONBOARDING];
        let now = exchange.now.unix_unsigned();
        let waited = |since: &Timestamp| now.saturating_sub(since.unix_unsigned());
        if Fields::of(met).collection_account() == Some(true) {
            // The waiting time is known only if a read showed the wait.
            self.opened.extend(self.waits.get(&name).map(|since| (address, waited(since))));
            self.waits.remove(&name);
            return;
        }
        if !meets_first_three(met) {
            self.waits.remove(&name);
            return;
        }
        let waited = waited(self.waits.entry(name).or_insert(exchange.now));
        let Some(clause) = self.due(address, waited) else { return };
        notes.expect(exchange, clause, false, "onboarding.collectionAccount", || {
            (
                "true: an address is known, and other accounts have opened".to_owned(),
                format!("false, {waited} s after the other three requirements were met"),
            )
        });
    }

    /// The clause that this account violates if accounts with a like address opened and it waited this many
    /// seconds.
    fn due(&self, address: AddressSource, waited: u64) -> Option<Clause> {
        let is_long = |took: u64| waited >= LONG.max(took.saturating_mul(20));
        let opened = |like: &dyn Fn(&AddressSource) -> bool| {
            self.opened.iter().any(|(opened, took)| like(opened) && is_long(*took))
        };
        let by_contact = |one: &AddressSource| one.in_contact && !one.in_agreement && !one.left_out;
        let clause = match address {
            AddressSource { in_agreement: true, .. } if opened(&|_| true) => {
                clause!("3.requirement.collectionAccount.3")
            }
            AddressSource { in_agreement: false, in_contact: true, left_out }
                if opened(&by_contact) =>
            {
                if left_out {
                    clause!("2.businessSync.contact.2")
                } else {
                    clause!("3.requirement.collectionAccount.3")
                }
            }
            _ => return None,
        };
        Some(clause)
    }
}

fn has_address(address: Option<&Value>) -> bool {
    address.is_some_and(|address| address.get(field::POSTAL_CODE).is_some())
}

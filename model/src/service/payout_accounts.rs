//! The bank accounts that receive advances (§4 `PUT …/payout-account`).

use serde::{Deserialize, Serialize};

use crate::choices::Choices;
use crate::clause;
use crate::face::Answer;
use crate::happening::Impossible;
use crate::identity::{BusinessId, PlatformId};
use crate::refusal::{Code, Refusal};
use crate::routing_number;
use crate::service::{Service, UNSYNCED};
use crate::timestamp::Timestamp;
use crate::wire::reply::{PayoutAccountSet, Reply};
use crate::wire::request::AccountNumber;
use crate::words::EventType;

/// A bank account.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct PayoutAccount {
    account_number: String,
    routing_number: String,
    /// The last nickname that was sent, if any: the next account keeps it (`4.payoutAccount.2`).
    label: Option<String>,
    set_by: SetBy,
}

/// Who set the account: the vendor can't change an account that a platform set (`4.payoutAccount.3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum SetBy {
    Platform,
    Vendor,
}

impl PayoutAccount {
    fn is_same_destination(&self, account_number: &str, routing_number: &str) -> bool {
        self.account_number == account_number && self.routing_number == routing_number
    }

    fn mask(&self) -> &str {
        last_four(&self.account_number)
    }
}

impl std::fmt::Debug for PayoutAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // `2.payoutAccount.label.2`
        let label = self.label.as_deref().unwrap_or(self.mask());
        write!(f, "PayoutAccount({label:?}, …{}, by {:?})", self.mask(), self.set_by)
    }
}

/// The visible part of an account number.
fn last_four(account_number: &str) -> &str {
    let start = account_number.len().saturating_sub(4);
    account_number.get(start..).unwrap_or_default()
}

impl<C: Choices> Service<C> {
    /// `PUT /v1/organizations/{externalId}/payout-account`: sets the account that receives advances
    /// (`4.payoutAccount.intro.1`). Verifies only the check digit (`4.payoutAccount.4`), not the owner
    /// (`4.payoutAccount.4.2`).
    pub(super) fn set_payout_account(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        external_id: &str,
        account_number: String,
        routing_number: String,
        label: Option<String>,
    ) -> Answer {
        let relationship = self.known_relationship(caller, external_id, UNSYNCED);
        let invalid = || Refusal::new(Code::InvalidRoutingNumber, clause!("4.payoutAccount.4.3"));
        let valid = routing_number::is_valid(&routing_number).then_some(()).ok_or_else(invalid);
        let relationship = self.in_precedence(relationship, valid)?;
        let mask = last_four(&account_number).to_owned();
        let business = self.relationship(relationship).business;
        self.replace_account(
            now,
            business,
            PayoutAccount { account_number, routing_number, label, set_by: SetBy::Platform },
        );
        self.proceed_with_onboarding(now, business);
        Ok(Reply::PayoutAccountSet(PayoutAccountSet { external_id: external_id.to_owned(), mask }))
    }

    /// The vendor links its own account (`3.requirement.bank.2`), unless a platform set one
    /// (`3.onboarding.3`).
    pub(super) fn link_vendor_account(
        &mut self,
        now: Timestamp,
        business: BusinessId,
        account_number: String,
        routing_number: String,
    ) -> Result<(), Impossible> {
        if AccountNumber::parse(&account_number).is_none() {
            return Err(Impossible::new("the account number is not 4 to 17 digits"));
        }
        if !routing_number::is_valid(&routing_number) {
            return Err(Impossible::new("the routing number is not a valid ABA number"));
        }
        let before = self.business(business).payout_account.as_ref();
        if before.is_some_and(|before| before.set_by == SetBy::Platform) {
            return Err(Impossible::new(
                "a platform has set the payout account, so the vendor cannot change it",
            ));
        }
        self.replace_account(
            now,
            business,
            PayoutAccount { account_number, routing_number, label: None, set_by: SetBy::Vendor },
        );
        Ok(())
    }

    /// §4 payout account rules 1 and 2 (`4.payoutAccount.1`, `4.payoutAccount.1.2`, `4.payoutAccount.2`).
    fn replace_account(&mut self, now: Timestamp, id: BusinessId, mut account: PayoutAccount) {
        let before = self.business_mut(id).payout_account.take();
        let moved = !before.as_ref().is_some_and(|before| {
            before.is_same_destination(&account.account_number, &account.routing_number)
        });
        account.label = account.label.or(before.and_then(|before| before.label));
        self.business_mut(id).payout_account = Some(Box::new(account));
        if moved {
            self.emit_to_all(now, EventType::RemittanceUpdated, id);
        }
    }
}

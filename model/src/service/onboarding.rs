//! The four requirements, and the vendor's actions to meet them (§3 Onboarding requirements).

use crate::choices::{Choices, Transition};
use crate::happening::{Impossible, Outcome, VendorRoute};
use crate::identity::{BusinessId, PlatformId, RelationshipId};
use crate::operation::Address;
use crate::readings::Reading;
use crate::service::Service;
use crate::service::businesses::Business;
use crate::service::requirements::{Agreement, CollectionAccount};
use crate::service::timers::Timer;
use crate::tax_id::TaxId;
use crate::timestamp::Timestamp;
use crate::wire::reply::{Onboarding, Remittance};
use crate::words::EventType;

/// Joins names as prose does, with commas and a final "and".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

impl Business {
    /// §3 Onboarding requirements: `3.requirement.compliance`, `3.requirement.contract`,
    /// `3.requirement.bank`, `3.requirement.collectionAccount`.
    pub(super) fn onboarding(&self) -> Onboarding {
        Onboarding {
            compliance: self.compliance.is_some(),
            contract: self.agreement.is_some(),
            bank: self.payout_account.is_some(),
            collection_account: self.remittance().is_some(),
        }
    }

    /// Null until the account is open (`3.onboarding.4`).
    pub(super) fn remittance(&self) -> Option<&Remittance> {
        match &self.collection_account {
            CollectionAccount::Open { remittance } => Some(remittance),
            CollectionAccount::Closed { .. } | CollectionAccount::Verifying { .. } => None,
        }
    }

    /// Whether the first three requirements are met, in any order (`3.onboarding.1`).
    fn has_first_three(&self) -> bool {
        let Onboarding { compliance, contract, bank, collection_account: _ } = self.onboarding();
        compliance && contract && bank
    }
}

impl<C: Choices> Service<C> {
    /// Starts or cancels the account's verification after a change to the requirements
    /// (`3.requirement.collectionAccount.2`). Verification takes some time
    /// (`3.requirement.collectionAccount.4`, `gap.accountOpening`).
    pub(super) fn proceed_with_onboarding(&mut self, now: Timestamp, id: BusinessId) {
        self.share(now, id);
        self.verify_account(now, id);
    }

    pub(super) fn verify_account(&mut self, now: Timestamp, id: BusinessId) {
        let ready = self.business(id).has_first_three() && self.knows_address(id);
        match self.business(id).collection_account {
            CollectionAccount::Closed { attempts } if ready => {
                let transition = Transition::AccountOpens(id, attempts);
                let opens_at = now.after(self.choices.delay(&self.profile, transition));
                self.set_timer(opens_at, Timer::AccountOpens(id));
                self.business_mut(id).collection_account =
                    CollectionAccount::Verifying { attempts, opens_at };
            }
            CollectionAccount::Verifying { attempts, opens_at } if !ready => {
                self.clear_timer(opens_at, Timer::AccountOpens(id));
                self.business_mut(id).collection_account =
                    CollectionAccount::Closed { attempts: attempts + 1 };
            }
            CollectionAccount::Closed { .. }
            | CollectionAccount::Verifying { .. }
            | CollectionAccount::Open { .. } => {}
        }
    }

    /// The parts that a business's address lacks for its account to open, as prose; `None` if it lacks none,
    /// or there is no address. Of the signed and the synced address, uses the more complete one.
    pub(super) fn missing_of_address(&self, id: RelationshipId) -> Option<String> {
        let relationship = self.relationship(id);
        if self.knows_address(relationship.business) {
            return None;
        }
        let agreement = self.business(relationship.business).agreement.as_ref();
        let signed = agreement.map(|agreement| &agreement.address);
        let addresses = signed.into_iter().chain([&relationship.details.contact.address]);
        let addresses = addresses.filter(|address| !address.is_empty());
        let best = addresses.min_by_key(|address| self.lacks(address).count())?;
        Some(listed(&self.lacks(best).collect::<Vec<_>>()))
    }

    /// What an address lacks before an account can be opened with it, by name (`gap.addressKnown`).
    fn lacks(&self, address: &Address) -> impl Iterator<Item = &'static str> {
        let is_whole = self.profile.readings.whole_address;
        address.missing().filter(move |part| is_whole || *part == "line1")
    }

    /// Whether the signed agreement, or the contact of a business sync, has an address that is known
    /// (`3.requirement.collectionAccount.3`).
    pub(super) fn knows_address(&self, id: BusinessId) -> bool {
        let is_known = |address: &Address| self.lacks(address).next().is_none();
        let business = self.business(id);
        business.agreement.as_ref().is_some_and(|agreement| is_known(&agreement.address))
            || business
                .relationships
                .iter()
                .any(|id| is_known(&self.relationship(*id).details.contact.address))
    }

    /// The bank has verified the account. It opens permanently, one for all advances
    /// (`2.remittance.intro.2`).
    pub(super) fn open_collection_account(&mut self, now: Timestamp, id: BusinessId) {
        let remittance = Box::new(self.choices.remittance(id, self.series.name(0)));
        self.business_mut(id).collection_account = CollectionAccount::Open { remittance };
        self.emit_to_all(now, EventType::BusinessOptedIn, id);
        if self.profile.readings.account_moves_funds {
            self.emit_to_all(now, EventType::RemittanceUpdated, id);
        }
        self.share(now, id);
    }

    /// Clears compliance. If that was the last unmet requirement, the business opts in again.
    fn confirm_compliance(&mut self, now: Timestamp, id: BusinessId, route: VendorRoute) {
        let was_complete = self.business(id).onboarding().is_complete();
        self.business_mut(id).compliance = Some(route.into());
        self.announce_completion(now, id, was_complete);
    }

    /// `6.events.organization.optedIn`: all four requirements are met again (`gap.eventCauses`).
    pub(super) fn announce_completion(
        &mut self,
        now: Timestamp,
        id: BusinessId,
        was_complete: bool,
    ) {
        let is_announced = self.profile.readings.opts_in_again;
        if is_announced && !was_complete && self.business(id).onboarding().is_complete() {
            self.emit_to_all(now, EventType::BusinessOptedIn, id);
        }
    }

    /// The business of a vendor that acts: the vendor must have claimed its account
    /// (`3.requirement.contract.2`, `4.invitations.1`).
    fn claimed_business(
        &self,
        platform: PlatformId,
        payee: &str,
    ) -> Result<BusinessId, Impossible> {
        let relationship = self.relationship(self.named_relationship(platform, payee)?);
        if relationship.claimed {
            Ok(relationship.business)
        } else {
            Err(Impossible::new("the vendor has not accepted an invitation"))
        }
    }

    /// `gap.vendorCompliance`, `3.requirement.compliance.2`
    pub(super) fn vendor_confirms_tax_id(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        route: VendorRoute,
        tax_id: Option<&str>,
    ) -> Result<Outcome, Impossible> {
        let id = self.claimed_business(platform, payee)?;
        match tax_id {
            None if self.business(id).tax_id.is_none() => {
                return Err(Impossible::new("no tax id is on file, and the vendor gives none"));
            }
            None => {}
            Some(text) => {
                let tax_id = self.usable_tax_id(id, text)?;
                self.strike_tax_id(id);
                self.file_tax_id(id, tax_id);
            }
        }
        self.confirm_compliance(now, id, route);
        self.proceed_with_onboarding(now, id);
        Ok(Outcome::Applied)
    }

    /// The tax id in `text`, if the business can have it.
    pub(super) fn usable_tax_id(&self, id: BusinessId, text: &str) -> Result<TaxId, Impossible> {
        let tax_id = self.parsed_tax_id(text).ok_or(Impossible::new("the tax id is malformed"))?;
        let holder = self.by_tax_id.get(&tax_id);
        let is_own = self.business(id).tax_id == Some(tax_id);
        if !is_own && holder.is_some_and(|holder| *holder != id) {
            return Err(Impossible::new("another business holds the tax id"));
        }
        Ok(tax_id)
    }

    /// `3.requirement.contract`
    pub(super) fn vendor_signs_agreement(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        address: Address,
    ) -> Result<Outcome, Impossible> {
        let id = self.claimed_business(platform, payee)?;
        if self.business(id).agreement.is_some() {
            return Err(Impossible::new("the agreement is signed already"));
        }
        self.business_mut(id).agreement = Some(Box::new(Agreement { address }));
        self.proceed_with_onboarding(now, id);
        Ok(Outcome::Applied)
    }

    /// `3.requirement.bank`; `4.payoutAccount.3`.
    pub(super) fn vendor_adds_bank_account(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        account_number: String,
        routing_number: String,
    ) -> Result<Outcome, Impossible> {
        let id = self.claimed_business(platform, payee)?;
        self.link_vendor_account(now, id, account_number, routing_number)?;
        self.proceed_with_onboarding(now, id);
        Ok(Outcome::Applied)
    }

    /// Forces a verification to end at once.
    pub(super) fn collection_account_opens(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
    ) -> Result<Outcome, Impossible> {
        let relationship = self.named_relationship(platform, payee)?;
        let id = self.relationship(relationship).business;
        match self.business(id).collection_account {
            CollectionAccount::Verifying { opens_at, .. } => {
                self.clear_timer(opens_at, Timer::AccountOpens(id));
                self.open_collection_account(now, id);
                Ok(Outcome::Applied)
            }
            CollectionAccount::Closed { .. } => {
                let needs = "the account needs compliance, contract, bank and an address first";
                Err(match self.missing_of_address(relationship) {
                    None => Impossible::new(needs),
                    Some(parts) => Impossible(format!("{needs}: the address lacks {parts}").into()),
                })
            }
            CollectionAccount::Open { .. } => Err(Impossible::new("the account is open already")),
        }
    }

    /// The service needs a correction (`4.businessSync.1.2`, `gap.wrongTaxIdStruck`).
    pub(super) fn tax_id_found_wrong(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
    ) -> Result<Outcome, Impossible> {
        let id = self.relationship(self.named_relationship(platform, payee)?).business;
        if self.business(id).tax_id.is_none() {
            return Err(Impossible::new("no tax id is on file"));
        }
        let is_forgiven = self.reads_so(Reading::ForgivenTaxId);
        let found_wrong = self.business(id).tax_id.filter(|_| !is_forgiven);
        if self.reads_so(Reading::StruckTaxId) {
            self.strike_tax_id(id);
        }
        let business = self.business_mut(id);
        (business.compliance, business.found_wrong) = (None, found_wrong);
        self.proceed_with_onboarding(now, id);
        Ok(Outcome::Applied)
    }
}

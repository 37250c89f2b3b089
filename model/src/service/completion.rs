//! The vendor and the bank do all that onboarding still needs (§3 Onboarding requirements): one happening after
//! the other.

use crate::choices::Choices;
use crate::happening::{Impossible, OnboardingStep, Outcome, VendorRoute};
use crate::identity::{BusinessId, PlatformId, RelationshipId};
use crate::operation::Address;
use crate::service::Service;
use crate::service::invitations::is_email;
use crate::timestamp::Timestamp;

/// The address for an invitation, if the platform has sent none.
const EMAIL: &str = "vendor@vendor.example";
/// The vendor's bank account, if nobody has set one.
const ACCOUNT_NUMBER: &str = "000123456789";
const ROUTING_NUMBER: &str = "021000021";
/// The first number of the tax ids of vendors whose platform has sent none.
const FIRST_TAX_ID: u32 = 900_000_000;

/// A vendor in whose name all this happens.
#[derive(Clone, Copy)]
struct Vendor<'a> {
    now: Timestamp,
    platform: PlatformId,
    payee: &'a str,
    relationship: RelationshipId,
    business: BusinessId,
}

impl<C: Choices> Service<C> {
    /// Skips what is done already. Confirms the tax id again only if the vendor gives one, or a route.
    pub(super) fn vendor_completes_onboarding(
        &mut self,
        now: Timestamp,
        platform: PlatformId,
        payee: &str,
        route: Option<VendorRoute>,
        tax_id: Option<String>,
    ) -> Result<Outcome, Impossible> {
        let relationship = self.named_relationship(platform, payee)?;
        let business = self.relationship(relationship).business;
        let vendor = Vendor { now, platform, payee, relationship, business };
        let confirms = route.is_some() || tax_id.is_some();
        // The last refusal: nothing has changed yet.
        let tax_id = self.tax_id_to_confirm(business, tax_id)?;
        let route = route.unwrap_or(VendorRoute::VendorAssertion);
        let mut steps = Vec::new();
        self.complete_claim(vendor, &mut steps)?;
        if confirms || self.business(business).compliance.is_none() {
            self.vendor_confirms_tax_id(now, platform, payee, route, tax_id.as_deref())?;
            steps.push(OnboardingStep::VendorConfirmsTaxId);
        }
        self.complete_agreement(vendor, &mut steps)?;
        if self.business(business).payout_account.is_none() {
            let (account, routing) = (ACCOUNT_NUMBER.to_owned(), ROUTING_NUMBER.to_owned());
            self.vendor_adds_bank_account(now, platform, payee, account, routing)?;
            steps.push(OnboardingStep::VendorAddsBankAccount);
        }
        if self.business(business).remittance().is_none() {
            self.collection_account_opens(now, platform, payee)?;
            steps.push(OnboardingStep::CollectionAccountOpens);
        }
        Ok(Outcome::Onboarded { steps })
    }

    /// The tax id that the vendor gives: `sent`, or one that nobody holds if none is on file.
    fn tax_id_to_confirm(
        &self,
        id: BusinessId,
        sent: Option<String>,
    ) -> Result<Option<String>, Impossible> {
        match sent {
            Some(text) => self.usable_tax_id(id, &text).map(|_| Some(text)),
            None if self.business(id).tax_id.is_some() => Ok(None),
            None => {
                let numbers = FIRST_TAX_ID.saturating_add(id.0)..1_000_000_000;
                let mut texts = numbers.map(|number| format!("{number:09}"));
                let is_free = |text: &String| {
                    self.parsed_tax_id(text)
                        .is_some_and(|tax_id| !self.by_tax_id.contains_key(&tax_id))
                };
                texts.find(is_free).map(Some).ok_or(Impossible::new("no tax id is left"))
            }
        }
    }

    /// The vendor accepts an open invitation; without one, it is invited first.
    fn complete_claim(
        &mut self,
        vendor: Vendor<'_>,
        steps: &mut Vec<OnboardingStep>,
    ) -> Result<(), Impossible> {
        let Vendor { now, platform, payee, relationship, .. } = vendor;
        if self.relationship(relationship).claimed {
            return Ok(());
        }
        let open = self.open_invitations(now, relationship).next().cloned();
        let email = match open {
            Some(email) => email,
            None => {
                let contact = self.relationship(relationship).details.contact.email.clone();
                let email = contact.filter(|email| is_email(email)).unwrap_or(EMAIL.to_owned());
                self.invite(now, platform, payee, email.clone())
                    .map_err(|refusal| Impossible(refusal.to_string().into()))?;
                steps.push(OnboardingStep::VendorIsInvited);
                email
            }
        };
        self.vendor_accepts_invitation(now, platform, payee, email)?;
        steps.push(OnboardingStep::VendorAcceptsInvitation);
        Ok(())
    }

    /// The vendor signs, and makes an address known.
    fn complete_agreement(
        &mut self,
        vendor: Vendor<'_>,
        steps: &mut Vec<OnboardingStep>,
    ) -> Result<(), Impossible> {
        let Vendor { now, platform, payee, business, .. } = vendor;
        let knows_address = self.knows_address(business);
        match &mut self.business_mut(business).agreement {
            None => {
                let address = if knows_address { Address::default() } else { own_address() };
                self.vendor_signs_agreement(now, platform, payee, address)?;
                steps.push(OnboardingStep::VendorSignsAgreement);
            }
            Some(agreement) if !knows_address => {
                agreement.address = own_address();
                self.proceed_with_onboarding(now, business);
                steps.push(OnboardingStep::VendorCompletesAddress);
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// The address of a vendor whose platform has sent none.
fn own_address() -> Address {
    let some = |text: &str| Some(text.to_owned());
    Address {
        line1: some("1 Main Street"),
        line2: None,
        city: some("Springfield"),
        state: some("IL"),
        postal_code: some("62701"),
    }
}

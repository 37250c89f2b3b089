//! The outside world as a library: the actions of vendors, banks, payors and the operator.

use std::sync::Arc;

use tideover_model::{
    Address, Cents, Happening, Impossible, OnboardingStep, Outcome, PlatformId, Refusal,
    VendorRoute,
};

use crate::world::World;
use crate::worlds::{IssuedKey, Selected, WorldId, Worlds};

/// The outside world, with the identifiers of one platform.
///
/// Each method is an action of the operator port. It fails with [`Impossible`], and changes nothing, if the key was
/// never issued or the outside world can't do that now.
#[derive(Clone)]
pub struct Outside {
    worlds: Arc<Worlds>,
    /// A key of the platform; `None` for the default one.
    key: Option<String>,
}

/// The effect of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Cents collected on the invoice.
    pub applied: Cents,
    /// Cents in excess of its face value, kept in suspense.
    pub suspense: Cents,
}

const NEVER_ISSUED: Impossible = Impossible::new("the API key was never issued");
const UNEXPECTED_OUTCOME: Impossible = Impossible::new("the service answered something else");

impl World {
    /// The outside world with the identifiers of the default platform, for a world without a
    /// `Mock`.
    pub fn outside(&self) -> Outside {
        Outside::new(Arc::new(Worlds::of_one(self.clone())), None)
    }
}

impl Outside {
    pub(crate) fn new(worlds: Arc<Worlds>, key: Option<&str>) -> Outside {
        Outside { worlds, key: key.map(str::to_owned) }
    }

    /// The world and the platform of the key.
    fn find(&self) -> Result<(WorldId, World, PlatformId), Impossible> {
        let authorization = self.key.as_ref().map(|key| format!("Bearer {key}"));
        let selected = self.worlds.select(authorization.as_deref());
        let Selected { id, world, authorization, .. } =
            selected.map_err(|why| Impossible(Refusal::from(why).message))?;
        let platform = world.platform_of(authorization.as_deref()).ok_or(NEVER_ISSUED)?;
        Ok((id, world, platform))
    }

    /// Performs `happening`.
    pub fn happen(&self, happening: Happening) -> Result<Outcome, Impossible> {
        let (id, world, platform) = self.find()?;
        self.worlds.happen((id, &world), platform, happening)
    }

    /// Everything for which this invoice cannot be financed now, in order of precedence: each refusal that an advance
    /// would meet, if it met no other. Empty if it can be financed.
    ///
    /// # Errors
    /// [`Impossible`] if the key was never issued, or the payee or its invoice is not synced.
    pub fn objections(&self, payee: &str, invoice: &str) -> Result<Vec<Refusal>, Impossible> {
        let (_, world, platform) = self.find()?;
        world.objections(platform, payee, invoice).map_err(|refusal| Impossible(refusal.message))
    }

    fn apply(&self, happening: Happening) -> Result<(), Impossible> {
        self.happen(happening).map(|_| ())
    }

    /// The vendor follows the link of the invitation sent to `email`, once (§4 invitations).
    pub fn vendor_accepts_invitation(&self, payee: &str, email: &str) -> Result<(), Impossible> {
        let (payee, email) = (payee.to_owned(), email.to_owned());
        self.apply(Happening::VendorAcceptsInvitation { payee, email })
    }

    /// The vendor confirms a tax id: `tax_id`, or the one on file.
    pub fn vendor_confirms_tax_id(
        &self,
        payee: &str,
        route: VendorRoute,
        tax_id: Option<&str>,
    ) -> Result<(), Impossible> {
        let (payee, tax_id) = (payee.to_owned(), tax_id.map(str::to_owned));
        self.apply(Happening::VendorConfirmsTaxId { payee, route, tax_id })
    }

    /// The vendor signs the agreement, without an address (§3 Onboarding requirements).
    pub fn vendor_signs_agreement(&self, payee: &str) -> Result<(), Impossible> {
        self.vendor_signs_agreement_at(payee, Address::default())
    }

    /// The vendor signs the agreement, with an address (§3 Onboarding requirements).
    pub fn vendor_signs_agreement_at(
        &self,
        payee: &str,
        address: Address,
    ) -> Result<(), Impossible> {
        self.apply(Happening::VendorSignsAgreement { payee: payee.to_owned(), address })
    }

    /// The vendor links a bank account, unless a platform set one (§4 payout account rule 3).
    pub fn vendor_adds_bank_account(
        &self,
        payee: &str,
        account_number: &str,
        routing_number: &str,
    ) -> Result<(), Impossible> {
        self.apply(Happening::VendorAddsBankAccount {
            payee: payee.to_owned(),
            account_number: account_number.to_owned(),
            routing_number: routing_number.to_owned(),
        })
    }

    /// The bank finishes the verification of the collection account.
    pub fn collection_account_opens(&self, payee: &str) -> Result<(), Impossible> {
        self.apply(Happening::CollectionAccountOpens { payee: payee.to_owned() })
    }

    /// The vendor and the bank do all that onboarding still needs, so that all four requirements are met. Returns
    /// what that was. The vendor invents what the platform has not sent: a tax id, an address, a bank account.
    pub fn vendor_completes_onboarding(
        &self,
        payee: &str,
    ) -> Result<Vec<OnboardingStep>, Impossible> {
        let payee = payee.to_owned();
        let completes = Happening::VendorCompletesOnboarding { payee, route: None, tax_id: None };
        match self.happen(completes)? {
            Outcome::Onboarded { steps } => Ok(steps),
            _ => Err(UNEXPECTED_OUTCOME),
        }
    }

    /// The money for an advance is in transit.
    pub fn funding_starts(&self, payee: &str, invoice: &str) -> Result<(), Impossible> {
        let (payee, invoice) = (payee.to_owned(), invoice.to_owned());
        self.apply(Happening::FundingStarts { payee, invoice })
    }

    /// The vendor has the money of an advance.
    pub fn funding_completes(&self, payee: &str, invoice: &str) -> Result<(), Impossible> {
        let (payee, invoice) = (payee.to_owned(), invoice.to_owned());
        self.apply(Happening::FundingCompletes { payee, invoice })
    }

    /// The payor pays `cents` for an invoice into the collection account.
    pub fn payor_pays(
        &self,
        payee: &str,
        invoice: &str,
        cents: i64,
    ) -> Result<Payment, Impossible> {
        let (payee, invoice, amount) = (payee.to_owned(), invoice.to_owned(), Cents(cents));
        match self.happen(Happening::PayorPays { payee, invoice, amount })? {
            Outcome::Paid { applied, suspense } => Ok(Payment { applied, suspense }),
            _ => Err(UNEXPECTED_OUTCOME),
        }
    }

    /// The tax id on file turns out to be wrong (§4 business sync rule 1).
    pub fn tax_id_found_wrong(&self, payee: &str) -> Result<(), Impossible> {
        self.apply(Happening::TaxIdFoundWrong { payee: payee.to_owned() })
    }

    /// The next import of the platform stops after `rows` rows (§4 imports rule 7).
    pub fn interrupt_next_import(&self, rows: usize) -> Result<(), Impossible> {
        self.apply(Happening::InterruptNextImport { after_rows: rows })
    }

    /// The vendor follows an onboarding link, once (§4 onboarding sessions).
    pub fn vendor_opens_session(&self, url: &str) -> Result<(), Impossible> {
        self.apply(Happening::VendorOpensSession { url: url.to_owned() })
    }

    /// The operator marks a business as a test account (§5 rule 5).
    pub fn mark_test_account(&self, business: &str) -> Result<(), Impossible> {
        self.apply(Happening::MarkTestAccount { business: business.to_owned() })
    }

    /// The operator issues a key to the platform with this name, which it creates if necessary; to the
    /// current platform without a name.
    pub fn issue_key(&self, platform: Option<&str>) -> Result<IssuedKey, Impossible> {
        match self.happen(Happening::IssueKey { platform: platform.map(str::to_owned) })? {
            Outcome::KeyIssued { key, platform } => Ok(IssuedKey { key, platform }),
            _ => Err(UNEXPECTED_OUTCOME),
        }
    }

    /// The operator revokes a key (§5 rule 3).
    pub fn revoke_key(&self, key: &str) -> Result<(), Impossible> {
        self.apply(Happening::RevokeKey { key: key.to_owned() })
    }

    /// The next `requests` requests of any caller fail upstream (`7.codes.upstream_failed`).
    pub fn upstream_fails(&self, requests: u32) -> Result<(), Impossible> {
        self.apply(Happening::UpstreamFails { requests })
    }

    /// Brings the world back to its start, as [`World::happen`] says.
    pub fn reset(&self) -> Result<(), Impossible> {
        self.apply(Happening::Reset { repeats: false })
    }
}

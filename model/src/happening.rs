//! What anyone but a caller does: the vendor, the bank, the payor, the operator.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::cents::Cents;
use crate::operation::Address;
use crate::words::ComplianceRoute;

/// A move of the outside world. Identifiers are those of the platform in whose name it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields say what they are")]
pub enum Happening {
    /// The vendor follows the link of its invitation, once (§4 invitations).
    VendorAcceptsInvitation { payee: String, email: String },
    /// The vendor confirms a tax id: `tax_id`, or the one on file.
    VendorConfirmsTaxId { payee: String, route: VendorRoute, tax_id: Option<String> },
    /// The vendor signs the agreement, perhaps with an address on it.
    VendorSignsAgreement { payee: String, address: Address },
    /// The vendor links a bank account, unless a platform set one (§4 payout account rule 3).
    VendorAddsBankAccount { payee: String, account_number: String, routing_number: String },
    /// The bank is done with verifying the collection account.
    CollectionAccountOpens { payee: String },
    /// The vendor and the bank do all that onboarding still needs. The vendor confirms `tax_id`, or the one on
    /// file, or one of its own.
    VendorCompletesOnboarding { payee: String, route: Option<VendorRoute>, tax_id: Option<String> },
    /// The money for an advance is on its way.
    FundingStarts { payee: String, invoice: String },
    /// The vendor has the money of an advance.
    FundingCompletes { payee: String, invoice: String },
    /// The payor pays `amount` cents for an invoice into the collection account.
    PayorPays { payee: String, invoice: String, amount: Cents },
    /// The tax id on file turns out to be wrong (§4 business sync rule 1).
    TaxIdFoundWrong { payee: String },
    /// The next import of the platform stops after so many rows.
    InterruptNextImport { after_rows: usize },
    /// The vendor follows an onboarding link, once (§4 onboarding sessions).
    VendorOpensSession { url: String },
    /// The operator marks a business as a test account (§5 rule 5).
    MarkTestAccount { business: String },
    /// The operator issues an API key to a platform, to a new one if it is not known yet; to the platform
    /// in whose name this happens if none is named.
    IssueKey { platform: Option<String> },
    /// The operator revokes an API key.
    RevokeKey { key: String },
    /// The next `requests` requests of any caller fail upstream (`7.codes.upstream_failed`).
    UpstreamFails { requests: u32 },
    /// Everything is as it was at the start. The service mints other names from then on, unless it `repeats` them.
    Reset { repeats: bool },
}

impl Happening {
    /// The business that it is about, if it is about one: the payee of its invoice, if it is about an invoice.
    pub fn business(&self) -> Option<&str> {
        match self {
            Happening::VendorAcceptsInvitation { payee, .. }
            | Happening::VendorConfirmsTaxId { payee, .. }
            | Happening::VendorSignsAgreement { payee, .. }
            | Happening::VendorAddsBankAccount { payee, .. }
            | Happening::CollectionAccountOpens { payee }
            | Happening::VendorCompletesOnboarding { payee, .. }
            | Happening::FundingStarts { payee, .. }
            | Happening::FundingCompletes { payee, .. }
            | Happening::PayorPays { payee, .. }
            | Happening::TaxIdFoundWrong { payee } => Some(payee),
            Happening::MarkTestAccount { business } => Some(business),
            Happening::InterruptNextImport { .. }
            | Happening::VendorOpensSession { .. }
            | Happening::IssueKey { .. }
            | Happening::RevokeKey { .. }
            | Happening::UpstreamFails { .. }
            | Happening::Reset { .. } => None,
        }
    }

    /// The invoice that it is about, if it is about one.
    pub fn invoice(&self) -> Option<&str> {
        match self {
            Happening::FundingStarts { invoice, .. }
            | Happening::FundingCompletes { invoice, .. }
            | Happening::PayorPays { invoice, .. } => Some(invoice),
            _ => None,
        }
    }

    /// What a payor pays. Cents.
    pub fn amount(&self) -> Option<Cents> {
        match self {
            Happening::PayorPays { amount, .. } => Some(*amount),
            _ => None,
        }
    }
}

/// How a vendor clears compliance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VendorRoute {
    /// It confirms its number.
    VendorAssertion,
    /// It sends a form W-9.
    W9Upload,
}

impl VendorRoute {
    /// All of them.
    pub const ALL: [VendorRoute; 2] = [VendorRoute::VendorAssertion, VendorRoute::W9Upload];
}

impl From<VendorRoute> for ComplianceRoute {
    fn from(route: VendorRoute) -> ComplianceRoute {
        match route {
            VendorRoute::VendorAssertion => ComplianceRoute::VendorAssertion,
            VendorRoute::W9Upload => ComplianceRoute::W9Upload,
        }
    }
}

/// What a vendor and the bank did to complete onboarding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum OnboardingStep {
    /// No invitation was open, so the vendor got one.
    VendorIsInvited,
    /// The vendor followed the link of an invitation.
    VendorAcceptsInvitation,
    /// The vendor confirmed a tax id.
    VendorConfirmsTaxId,
    /// The vendor signed the agreement, with an address if none was known.
    VendorSignsAgreement,
    /// The vendor added to the signed agreement what its address lacked.
    VendorCompletesAddress,
    /// The vendor linked a bank account.
    VendorAddsBankAccount,
    /// The bank opened the collection account.
    CollectionAccountOpens,
}

/// What came of a happening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Applied,
    /// All four requirements of onboarding are met.
    Onboarded {
        /// What was still to do, in order.
        steps: Vec<OnboardingStep>,
    },
    /// A payment came in.
    Paid {
        /// Cents collected on the invoice.
        applied: Cents,
        /// Cents beyond its face value, kept in suspense.
        suspense: Cents,
    },
    /// A key was issued.
    KeyIssued {
        /// The key.
        key: String,
        /// The platform's name.
        platform: String,
    },
}

/// Why the outside world cannot do that now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Impossible(pub Cow<'static, str>);

impl Impossible {
    /// For this reason.
    pub const fn new(why: &'static str) -> Impossible {
        Impossible(Cow::Borrowed(why))
    }
}

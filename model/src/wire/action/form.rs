//! An action as the body of a request has it: its fields, and what users read of them.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::cents::FaceValue;
use crate::happening::{Happening, VendorRoute};
use crate::wire::object::{object, present};
use crate::wire::request::{Address, NonEmpty};

/// An action as the body of a request has it. Sentences, fields and examples are what users read of it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum Action {
    /// The invited person follows the link of an invitation, which works once.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "email": "ada@acme.example" })
    )]
    VendorAcceptsInvitation {
        /// The business of the invitation.
        payee_external_id: String,
        /// The address that was invited.
        email: String,
    },
    /// The vendor confirms its tax id, which clears compliance.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "route": "W9_UPLOAD", "taxId": "12-3456789" })
    )]
    VendorConfirmsTaxId {
        /// The vendor.
        payee_external_id: String,
        /// How it does that; `complianceRoute` shows it afterwards.
        route: VendorRoute,
        /// The number; the one on file if it is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        tax_id: Option<String>,
    },
    /// The vendor signs the agreement. It must have accepted an invitation before.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "address": { "line1": "1 Quay",
            "city": "Portland", "state": "OR", "postalCode": "97201" } })
    )]
    VendorSignsAgreement {
        /// The vendor.
        payee_external_id: String,
        /// The address on the agreement, with which a collection account can open.
        #[serde(default, deserialize_with = "object")]
        #[schema(required = false)]
        address: Address,
    },
    /// The vendor adds a bank account for its advances, unless the platform has set one.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "accountNumber": "000123456789",
            "routingNumber": "021000021" })
    )]
    VendorAddsBankAccount {
        /// The vendor.
        payee_external_id: String,
        /// 4 to 17 digits.
        account_number: String,
        /// Nine digits, the last of them a check digit.
        routing_number: String,
    },
    /// The bank opens the collection account at once, instead of after some minutes.
    #[schema(rename_all = "camelCase", example = json!({ "payeeExternalId": "acme" }))]
    CollectionAccountOpens {
        /// The business whose other three requirements are met.
        payee_external_id: String,
    },
    /// The vendor and the bank do all that is left, so that the business meets all four requirements.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "route": "VENDOR_ASSERTION",
            "taxId": "12-3456789" })
    )]
    VendorCompletesOnboarding {
        /// The vendor.
        payee_external_id: String,
        /// How it confirms its tax id, if that is left to do; by its own word if this is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        route: Option<VendorRoute>,
        /// The number that it confirms; the one on file, or one of its own, if this is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        tax_id: Option<String>,
    },
    /// The money of a requested advance is on its way at once, instead of after some seconds.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" })
    )]
    FundingStarts {
        /// The payee of the invoice.
        payee_external_id: String,
        /// The invoice.
        invoice_external_id: String,
    },
    /// The money reaches the vendor at once, instead of after an hour.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" })
    )]
    FundingCompletes {
        /// The payee of the invoice.
        payee_external_id: String,
        /// The invoice.
        invoice_external_id: String,
    },
    /// The payor pays an invoice into the collection account; what exceeds the face value stays in suspense.
    #[schema(
        rename_all = "camelCase",
        example = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7",
            "amount": 1000000 })
    )]
    PayorPays {
        /// The payee of the invoice.
        payee_external_id: String,
        /// The invoice.
        invoice_external_id: String,
        /// Cents.
        #[schema(value_type = i64, minimum = 1, maximum = 2_147_483_647)]
        amount: FaceValue,
    },
    /// The tax id on file turns out to be wrong: compliance is no longer cleared.
    #[schema(rename_all = "camelCase", example = json!({ "payeeExternalId": "acme" }))]
    TaxIdFoundWrong {
        /// The vendor.
        payee_external_id: String,
    },
    /// The next import stops in the middle; the same file sent again resumes it.
    #[schema(rename_all = "camelCase", example = json!({ "afterRows": 1 }))]
    InterruptNextImport {
        /// How many rows it carries out before it stops.
        #[schema(minimum = 0)]
        after_rows: usize,
    },
    /// The vendor opens the link of an onboarding session, which works once; refused while such links lead nowhere.
    #[schema(
        rename_all = "camelCase",
        example = json!({
            "url": "https://onboarding.tideover.invalid/sessions/cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc"
        })
    )]
    VendorOpensSession {
        /// The link, as the creation of the session returned it.
        url: String,
    },
    /// The operator marks a business as a test account: no money of it moves.
    #[schema(rename_all = "camelCase", example = json!({ "externalId": "acme" }))]
    MarkTestAccount {
        /// The business.
        external_id: String,
    },
    /// The operator issues an API key, which the answer shows.
    #[schema(rename_all = "camelCase", example = json!({ "platform": "second" }))]
    IssueKey {
        /// The platform that gets it; a new name makes a new platform. The caller's own if it is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(value_type = String, min_length = 1, required = false)]
        platform: Option<NonEmpty>,
    },
    /// The operator revokes an API key.
    #[schema(rename_all = "camelCase", example = json!({ "key": "rap_sk_local" }))]
    RevokeKey {
        /// The key; the caller's own if it is left out.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        key: Option<String>,
    },
    /// The next requests of any caller fail with 502.
    #[schema(rename_all = "camelCase", example = json!({ "requests": 2 }))]
    UpstreamFails {
        /// How many.
        #[schema(minimum = 0)]
        requests: u32,
    },
    /// Everything is as it was at the start, with the same keys. What is minted from then on (secrets, references,
    /// identifiers of events and deliveries) has other names.
    #[schema(rename_all = "camelCase", example = json!({ "repeat": true }))]
    Reset {
        /// Whether what is minted has the same names again, too.
        #[serde(default, deserialize_with = "present")]
        #[schema(nullable = false)]
        repeat: Option<bool>,
    },
}

impl Action {
    /// What it asks for. `own_key` is the key that asks.
    pub(super) fn happening(self, own_key: &str) -> Happening {
        match self {
            Action::VendorAcceptsInvitation { payee_external_id, email } => {
                Happening::VendorAcceptsInvitation { payee: payee_external_id, email }
            }
            Action::VendorConfirmsTaxId { payee_external_id, route, tax_id } => {
                Happening::VendorConfirmsTaxId { payee: payee_external_id, route, tax_id }
            }
            Action::VendorSignsAgreement { payee_external_id, address } => {
                Happening::VendorSignsAgreement {
                    payee: payee_external_id,
                    address: address.into(),
                }
            }
            Action::VendorAddsBankAccount { payee_external_id, account_number, routing_number } => {
                Happening::VendorAddsBankAccount {
                    payee: payee_external_id,
                    account_number,
                    routing_number,
                }
            }
            Action::CollectionAccountOpens { payee_external_id } => {
                Happening::CollectionAccountOpens { payee: payee_external_id }
            }
            Action::VendorCompletesOnboarding { payee_external_id, route, tax_id } => {
                Happening::VendorCompletesOnboarding { payee: payee_external_id, route, tax_id }
            }
            Action::FundingStarts { payee_external_id, invoice_external_id } => {
                Happening::FundingStarts { payee: payee_external_id, invoice: invoice_external_id }
            }
            Action::FundingCompletes { payee_external_id: payee, invoice_external_id: invoice } => {
                Happening::FundingCompletes { payee, invoice }
            }
            Action::PayorPays { payee_external_id, invoice_external_id, amount } => {
                Happening::PayorPays {
                    payee: payee_external_id,
                    invoice: invoice_external_id,
                    amount: amount.cents(),
                }
            }
            Action::TaxIdFoundWrong { payee_external_id } => {
                Happening::TaxIdFoundWrong { payee: payee_external_id }
            }
            Action::InterruptNextImport { after_rows } => {
                Happening::InterruptNextImport { after_rows }
            }
            Action::VendorOpensSession { url } => Happening::VendorOpensSession { url },
            Action::MarkTestAccount { external_id } => {
                Happening::MarkTestAccount { business: external_id }
            }
            Action::IssueKey { platform } => {
                Happening::IssueKey { platform: platform.map(|name| name.0) }
            }
            Action::RevokeKey { key } => {
                Happening::RevokeKey { key: key.unwrap_or_else(|| own_key.to_owned()) }
            }
            Action::UpstreamFails { requests } => Happening::UpstreamFails { requests },
            Action::Reset { repeat } => Happening::Reset { repeats: repeat.unwrap_or_default() },
        }
    }
}

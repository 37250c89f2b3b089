//! The bodies of successful responses, with the document's field names (§2).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::cents::Cents;
use crate::clause;
use crate::clause::Clause;
use crate::endpoint::OperationKind;
use crate::pricing::Offer;
use crate::refusal::Code;
use crate::timestamp::Timestamp;
use crate::words::{
    AdvanceState, CollectionState, ComplianceRoute, EventType, InvoiceStatus, RowOutcome,
    SyncOutcome, TaxIdOutcome,
};

/// A successful answer of the service: one variant per endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// To `GET /v1/organizations/{payeeExternalId}/invoices/{externalId}` (`4.invoice.3`).
    Invoice(Box<Invoice>),
    /// To `PUT /v1/invoices/{externalId}` (`4.invoiceSync.5`).
    InvoiceSynced(InvoiceSynced),
    /// To `GET /v1/invoices/imports/{externalId}` (`4.import.1`).
    Import(ImportReport),
    /// To `PUT /v1/invoices/imports/{externalId}` (`4.imports.outro.1`).
    Imported(ImportReport),
    /// To `PUT /v1/organizations/{externalId}/payout-account` (`4.payoutAccount.intro.3`).
    PayoutAccountSet(PayoutAccountSet),
    /// To `GET /v1/organizations/{externalId}` (`4.business.2`).
    Business(Business),
    /// To `PUT /v1/organizations/{externalId}` (`4.businessSync.intro.4`).
    BusinessSynced(BusinessSynced),
    /// To a first `POST /v1/advances` for an invoice.
    /// (`4.advances.intro.2`, `2.advance.intro.1`, `2.advance.intro.2`)
    AdvanceRequested(AdvanceRequested),
    /// To a repeated `POST /v1/advances` for an invoice.
    AdvanceRepeated(AdvanceRepeated),
    /// To `POST /v1/quotes` (`4.quotes.4`).
    Quoted(Quoted),
    /// To `POST /v1/invitations` (`4.invitations.3`).
    Invited(Invited),
    /// To `POST /v1/onboarding-sessions` (`4.sessions.2`).
    SessionCreated(SessionCreated),
    /// To `POST /v1/webhooks`.
    /// (`4.webhooks.2`, `2.subscription.secret`)
    Subscribed(Subscribed),
    /// To `GET /v1/webhooks` (`4.webhookList.1`).
    Subscriptions(Vec<Subscription>),
    /// To `DELETE /v1/webhooks/{reference}`: no body.
    Unsubscribed,
}

impl Reply {
    /// The endpoint that gives this answer.
    pub fn kind(&self) -> OperationKind {
        match self {
            Reply::Invoice(_) => OperationKind::GetInvoice,
            Reply::InvoiceSynced(_) => OperationKind::SyncInvoice,
            Reply::Import(_) => OperationKind::GetImport,
            Reply::Imported(_) => OperationKind::ImportInvoices,
            Reply::PayoutAccountSet(_) => OperationKind::SetPayoutAccount,
            Reply::Business(_) => OperationKind::GetBusiness,
            Reply::BusinessSynced(_) => OperationKind::SyncBusiness,
            Reply::AdvanceRequested(_) | Reply::AdvanceRepeated(_) => OperationKind::RequestAdvance,
            Reply::Quoted(_) => OperationKind::Quote,
            Reply::Invited(_) => OperationKind::Invite,
            Reply::SessionCreated(_) => OperationKind::CreateOnboardingSession,
            Reply::Subscribed(_) => OperationKind::Subscribe,
            Reply::Subscriptions(_) => OperationKind::ListSubscriptions,
            Reply::Unsubscribed => OperationKind::Unsubscribe,
        }
    }

    /// The sentence of the document that decided this answer.
    pub fn clause(&self) -> Clause {
        match self {
            Reply::Invoice(_) => clause!("4.invoice.1"),
            Reply::InvoiceSynced(synced) if synced.outcome == SyncOutcome::StatusOnly => {
                clause!("3.invoice.2.2")
            }
            Reply::InvoiceSynced(_) => clause!("4.invoiceSync.1"),
            Reply::Import(_) => clause!("4.import.1"),
            Reply::Imported(_) => clause!("4.imports.2"),
            Reply::PayoutAccountSet(_) => clause!("4.payoutAccount.1"),
            Reply::Business(_) => clause!("4.business.1"),
            Reply::BusinessSynced(_) => clause!("4.businessSync.intro.1"),
            Reply::AdvanceRequested(_) => clause!("4.advances.1"),
            Reply::AdvanceRepeated(_) => clause!("4.advances.2.2"),
            Reply::Quoted(_) => clause!("4.quotes.1"),
            Reply::Invited(_) => clause!("4.invitations.1"),
            Reply::SessionCreated(_) => clause!("4.sessions.6"),
            Reply::Subscribed(_) => clause!("4.webhooks.2"),
            Reply::Subscriptions(_) => clause!("4.webhookList.1"),
            Reply::Unsubscribed => clause!("4.webhookDeletion.1"),
        }
    }
}

/// An invoice as read (§2 Invoice).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    /// The caller's invoice identifier.
    pub external_id: String,
    /// As the caller last synced it.
    pub status: InvoiceStatus,
    /// Cents.
    #[schema(value_type = i64, minimum = 1, maximum = 2_147_483_647)]
    pub face_value: Cents,
    /// Cents that the payor has paid, at most `faceValue`.
    #[schema(value_type = i64, minimum = 0, maximum = 2_147_483_647)]
    pub collected: Cents,
    /// Derived from `collected` and `faceValue`.
    pub collection_state: CollectionState,
    /// When it was issued.
    #[schema(value_type = String, format = DateTime)]
    pub issue_date: Timestamp,
    /// When it is due.
    #[schema(value_type = String, format = DateTime)]
    pub due_date: Timestamp,
    /// Null until one is requested.
    #[schema(required = true)]
    pub advance: Option<Advance>,
    /// Whether an advance could be requested now.
    pub fundable: bool,
    /// Why not; null if `fundable` is true.
    #[schema(required = true)]
    pub not_fundable_reason: Option<&'static str>,
}

/// The advance against an invoice (`gap.advanceObject`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InvoiceAdvance)]
pub struct Advance {
    /// The financing state.
    pub state: AdvanceState,
    /// Cents that the vendor gets.
    #[schema(value_type = i64, minimum = 0)]
    pub advance_amount: Cents,
    /// Cents that the service keeps.
    #[schema(value_type = i64, minimum = 0)]
    pub fee_total: Cents,
    /// Cents of the advance that the vendor has been paid.
    #[schema(value_type = i64, minimum = 0)]
    pub amount_sent: Cents,
    /// Cents of advance and fee that are not yet recovered.
    #[schema(value_type = i64, minimum = 0)]
    pub amount_owed: Cents,
    /// When it was requested.
    #[schema(value_type = String, format = DateTime)]
    pub requested_at: Timestamp,
    /// When the vendor was paid; null before.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    pub funded_at: Option<Timestamp>,
    /// When it was recovered; null before.
    #[schema(value_type = Option<String>, format = DateTime, required = true)]
    pub repaid_at: Option<Timestamp>,
}

/// The effect of an invoice sync (§2 Invoice sync response).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceSynced {
    /// The caller's invoice identifier.
    pub external_id: String,
    /// What the sync did.
    pub outcome: SyncOutcome,
    /// Why, if that needs an explanation.
    #[schema(required = true)]
    pub reason: Option<&'static str>,
}

/// The effect of an import (§2 Import report).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The caller's import identifier.
    pub external_id: String,
    /// Rows of the file.
    pub row_count: usize,
    /// False if the import was interrupted.
    pub finished: bool,
    /// The rows reported so far, counted by outcome (`gap.importExtra`).
    pub summary: ImportSummary,
    /// The rows reported so far, in the file's order.
    pub rows: Vec<RowReport>,
}

/// Rows counted by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportSummary {
    /// Rows that created an invoice.
    pub created: usize,
    /// Rows that changed one.
    pub updated: usize,
    /// Rows that changed only a status.
    pub status_only: usize,
    /// Bad rows.
    pub rejected: usize,
}

/// The outcome of a row of an import (`gap.importExtra`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowReport {
    /// The row's number in the file, from 1, without the line of column names.
    pub row: usize,
    /// The invoice's identifier; null if the row has none.
    #[schema(required = true)]
    pub external_id: Option<String>,
    /// The payee's identifier, given or derived; null if the row has none.
    #[schema(required = true)]
    pub payee_external_id: Option<String>,
    /// The row's outcome.
    pub outcome: RowOutcome,
    /// The code with which the service would refuse a single sync; null for a good row.
    #[schema(value_type = Option<String>, required = true)]
    pub code: Option<Code>,
    /// The error in the row; null for a good one.
    #[schema(required = true)]
    pub error: Option<String>,
}

/// The response about the bank account that advances go to (§2 Payout account).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutAccountSet {
    /// The caller's business identifier.
    pub external_id: String,
    /// The last four digits (`gap.mask`).
    pub mask: String,
}

/// A business with its onboarding and its collection account (§2 Business).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Business {
    /// The caller's business identifier.
    pub external_id: String,
    /// Its name, as the caller sent it.
    #[schema(required = true)]
    pub name: Option<String>,
    /// Whether a tax id is on file.
    pub tax_id_on_file: bool,
    /// How compliance was cleared; null while it is not.
    #[schema(required = true)]
    pub compliance_route: Option<ComplianceRoute>,
    /// The four requirements.
    pub onboarding: Onboarding,
    /// The account that payors pay into; null until it is open.
    #[schema(required = true)]
    pub remittance: Option<Remittance>,
}

/// The four requirements of an advance (§3 Onboarding requirements).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Onboarding {
    /// Compliance is cleared.
    pub compliance: bool,
    /// The agreement is signed.
    pub contract: bool,
    /// A payout account is on file.
    pub bank: bool,
    /// The collection account is open.
    pub collection_account: bool,
}

impl Onboarding {
    /// Whether all four are met (§3 Onboarding rule 2).
    pub fn is_complete(self) -> bool {
        self.compliance && self.contract && self.bank && self.collection_account
    }
}

/// A collection account (§2 Remittance).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Remittance {
    /// Digits.
    pub account_number: String,
    /// Nine digits.
    pub routing_number: String,
}

/// The effect of a business sync (§2 Business sync response).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BusinessSynced {
    /// The caller's business identifier.
    pub external_id: String,
    /// Whether the business is new to the service.
    pub created: bool,
    /// What happened, for support requests.
    pub reason: &'static str,
    /// Only if the sync sent a tax id for a business that the caller already synced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tax_id_result: Option<TaxIdResult>,
}

/// The outcome of the tax id in a sync (`gap.taxIdResult`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaxIdResult {
    /// The tax id's outcome.
    pub outcome: TaxIdOutcome,
}

/// The priced amounts of an advance or a quote (§2 Advance and quote amounts). Cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Amounts {
    /// The eligible part of the face value.
    #[schema(value_type = i64, minimum = 0)]
    pub financeable_amount: Cents,
    /// The amount that the business gets at once.
    #[schema(value_type = i64, minimum = 0)]
    pub advance_amount: Cents,
    /// The part of the payor's payment that the service keeps.
    #[schema(value_type = i64, minimum = 0)]
    pub fee_total: Cents,
    /// The part of the payor's payment that the business gets.
    #[schema(value_type = i64, minimum = 0)]
    pub forwarded_at_payment: Cents,
}

impl From<Offer> for Amounts {
    fn from(offer: Offer) -> Amounts {
        Amounts {
            financeable_amount: offer.financeable,
            advance_amount: offer.advance,
            fee_total: offer.fee,
            forwarded_at_payment: offer.forwarded(),
        }
    }
}

/// The first of the two advance responses (`gap.advanceVariants`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvanceRequested {
    /// False: this request created the advance.
    pub already_requested: bool,
    #[serde(flatten)]
    #[expect(missing_docs, reason = "the amounts, flattened")]
    pub amounts: Amounts,
    /// The account that the payor must pay this invoice into.
    pub remittance: Remittance,
}

/// The second of the two advance responses (`gap.advanceVariants`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvanceRepeated {
    /// True: an earlier request created the advance.
    pub already_requested: bool,
    /// Cents that the vendor gets.
    #[schema(value_type = i64, minimum = 0)]
    pub advance_amount: Cents,
    /// Cents that the service keeps.
    #[schema(value_type = i64, minimum = 0)]
    pub fee_total: Cents,
    /// The account that the payor must pay this invoice into.
    pub remittance: Remittance,
}

/// A price (§2 Quote response).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quoted {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "the amounts, flattened")]
    pub amounts: Amounts,
    /// Whether the business could get an advance of this amount today.
    pub fundable: bool,
    /// Why not; null if `fundable` is true.
    #[schema(required = true)]
    pub not_fundable_reason: Option<&'static str>,
    /// The four requirements (`gap.quoteExtra`).
    pub onboarding: Onboarding,
}

/// An invitation (§2 Invitation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invited {
    /// Identifies the invitation.
    pub invite_id: String,
    /// When its link stops working.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
}

/// An onboarding session (§2 Onboarding session).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreated {
    /// A single-use link.
    pub url: String,
    /// When it stops working.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
}

/// A new subscription, with its secret (§2 Webhook subscription).
#[derive(Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscribed {
    #[serde(flatten)]
    #[expect(missing_docs, reason = "the subscription, flattened")]
    pub subscription: Subscription,
    /// The key of the signatures. Only this response shows it.
    pub secret: String,
}

impl fmt::Debug for Subscribed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subscribed { subscription, secret: _ } = self;
        f.debug_struct("Subscribed").field("subscription", subscription).finish_non_exhaustive()
    }
}

/// A live subscription (`gap.subscriptionForm`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// Identifies the subscription.
    pub reference: String,
    /// Where deliveries go.
    pub url: String,
    /// The delivered event types; null for all, even future ones.
    #[schema(required = true)]
    pub event_types: Option<Vec<EventType>>,
    /// When the caller created it.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

/// The one shape of every failure (§7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Failure<'a> {
    /// Prose for a log.
    #[schema(value_type = String)]
    pub error: Cow<'a, str>,
    /// What callers branch on. Codes may be added: keep a default branch.
    pub code: &'static str,
}

//! The fields of successful responses.

use crate::clause;
use crate::clause::Clause;
use crate::endpoint::OperationKind;
use crate::wire::schema::{Field, Origin, Role, optional, required};
use crate::words::{
    AdvanceState, CollectionState, ComplianceRoute, EventType, InvoiceStatus, RowOutcome,
    SyncOutcome, TaxIdOutcome,
};

/// What the caller sent.
const fn sent(name: &'static str, role: Role, clause: Clause) -> Field {
    required(name, role, clause)
}

const fn from(origin: Origin, name: &'static str, role: Role, clause: Clause) -> Field {
    Field { origin, ..required(name, role, clause) }
}

/// What follows from the state of the service.
const fn state(name: &'static str, role: Role, clause: Clause) -> Field {
    from(Origin::State, name, role, clause)
}

/// What the service chooses once.
const fn minted(name: &'static str, role: Role, clause: Clause) -> Field {
    from(Origin::Service, name, role, clause)
}

/// What the service's clock decides.
const fn timed(name: &'static str, clause: Clause) -> Field {
    from(Origin::Clock, name, Role::Instant, clause)
}

const INVOICE: &[Field] = &[
    sent("externalId", Role::Invoice, clause!("2.invoice.externalId")),
    sent("status", Role::Word(&InvoiceStatus::WORDS), clause!("2.invoice.status")),
    sent("faceValue", Role::Amount, clause!("2.invoice.faceValue")),
    state("collected", Role::Count, clause!("2.invoice.collected")),
    state(
        "collectionState",
        Role::Word(&CollectionState::WORDS),
        clause!("2.invoice.collectionState"),
    ),
    sent("issueDate", Role::Instant, clause!("2.invoice.issueDate")),
    sent("dueDate", Role::Instant, clause!("2.invoice.dueDate")),
    state("advance", Role::Object(ADVANCE), clause!("2.invoice.advance")),
    state("fundable", Role::Flag, clause!("2.invoice.fundable")),
    state("notFundableReason", Role::Prose, clause!("2.invoice.notFundableReason")),
];

const ADVANCE: &[Field] = &[
    state("state", Role::Word(&AdvanceState::WORDS), clause!("gap.advanceObject")),
    state("advanceAmount", Role::Count, clause!("gap.advanceObject")),
    state("feeTotal", Role::Count, clause!("gap.advanceObject")),
    state("amountSent", Role::Count, clause!("gap.advanceObject")),
    state("amountOwed", Role::Count, clause!("gap.advanceObject")),
    timed("requestedAt", clause!("gap.advanceObject")),
    timed("fundedAt", clause!("gap.advanceObject")),
    timed("repaidAt", clause!("gap.advanceObject")),
];

const INVOICE_SYNCED: &[Field] = &[
    sent("externalId", Role::Invoice, clause!("2.invoiceSynced.externalId")),
    state("outcome", Role::Word(&SyncOutcome::WORDS), clause!("2.invoiceSynced.outcome")),
    state("reason", Role::Prose, clause!("2.invoiceSynced.reason")),
];

const IMPORT_REPORT: &[Field] = &[
    sent("externalId", Role::Import, clause!("2.importReport.externalId")),
    state("rowCount", Role::Count, clause!("2.importReport.rowCount")),
    state("finished", Role::Flag, clause!("2.importReport.finished")),
    state("summary", Role::Object(IMPORT_SUMMARY), clause!("gap.importExtra")),
    state("rows", Role::List(ROWS), clause!("2.importReport.rows")),
];

const IMPORT_SUMMARY: &[Field] = &[
    state("created", Role::Count, clause!("gap.importExtra")),
    state("updated", Role::Count, clause!("gap.importExtra")),
    state("statusOnly", Role::Count, clause!("gap.importExtra")),
    state("rejected", Role::Count, clause!("gap.importExtra")),
];

const ROWS: &[Field] = &[
    state("row", Role::Count, clause!("gap.importExtra")),
    sent("externalId", Role::Invoice, clause!("gap.importExtra")),
    state("payeeExternalId", Role::Business, clause!("gap.importExtra")),
    state("outcome", Role::Word(&RowOutcome::WORDS), clause!("2.importReport.rows")),
    state("code", Role::Text, clause!("gap.importExtra")),
    state("error", Role::Prose, clause!("gap.importExtra")),
];

const PAYOUT_ACCOUNT_SET: &[Field] = &[
    sent("externalId", Role::Business, clause!("2.payoutAccount.externalId")),
    state("mask", Role::Text, clause!("2.payoutAccount.mask")),
];

const BUSINESS: &[Field] = &[
    sent("externalId", Role::Business, clause!("2.business.externalId")),
    sent("name", Role::LegalName, clause!("2.business.name")),
    state("taxIdOnFile", Role::Flag, clause!("2.business.taxIdOnFile")),
    state(
        "complianceRoute",
        Role::Word(&ComplianceRoute::WORDS),
        clause!("2.business.complianceRoute"),
    ),
    state("onboarding", Role::Object(ONBOARDING), clause!("2.business.onboarding")),
    state("remittance", Role::Object(REMITTANCE), clause!("2.business.remittance")),
];

const ONBOARDING: &[Field] = &[
    state("compliance", Role::Flag, clause!("2.business.onboarding")),
    state("contract", Role::Flag, clause!("2.business.onboarding")),
    state("bank", Role::Flag, clause!("2.business.onboarding")),
    state("collectionAccount", Role::Flag, clause!("2.business.onboarding")),
];

const REMITTANCE: &[Field] = &[
    minted("accountNumber", Role::AccountNumber, clause!("2.business.remittance")),
    state("routingNumber", Role::RoutingNumber, clause!("2.business.remittance")),
];

const BUSINESS_SYNCED: &[Field] = &[
    sent("externalId", Role::Business, clause!("2.businessSynced.externalId")),
    state("created", Role::Flag, clause!("2.businessSynced.created")),
    state("reason", Role::Prose, clause!("2.businessSynced.reason")),
    Field {
        origin: Origin::State,
        ..optional(
            "taxIdResult",
            Role::Object(TAX_ID_RESULT),
            clause!("2.businessSynced.taxIdResult"),
        )
    },
];

const TAX_ID_RESULT: &[Field] =
    &[state("outcome", Role::Word(&TaxIdOutcome::WORDS), clause!("gap.taxIdResult"))];

/// The two responses to a request for an advance have some fields in common.
const ADVANCE_REQUESTED: &[Field] = &[
    state("alreadyRequested", Role::Flag, clause!("2.advance.alreadyRequested")),
    Field {
        origin: Origin::State,
        ..optional("financeableAmount", Role::Count, clause!("2.advance.financeableAmount"))
    },
    state("advanceAmount", Role::Count, clause!("2.advance.advanceAmount")),
    state("feeTotal", Role::Count, clause!("2.advance.feeTotal")),
    Field {
        origin: Origin::State,
        ..optional("forwardedAtPayment", Role::Count, clause!("2.advance.forwardedAtPayment"))
    },
    state("remittance", Role::Object(REMITTANCE), clause!("2.advance.remittance")),
];

const QUOTED: &[Field] = &[
    state("financeableAmount", Role::Count, clause!("2.quote.financeableAmount")),
    state("advanceAmount", Role::Count, clause!("2.quote.advanceAmount")),
    state("feeTotal", Role::Count, clause!("2.quote.feeTotal")),
    state("forwardedAtPayment", Role::Count, clause!("2.quote.forwardedAtPayment")),
    state("fundable", Role::Flag, clause!("2.quote.fundable")),
    state("notFundableReason", Role::Prose, clause!("2.quote.notFundableReason")),
    state("onboarding", Role::Object(ONBOARDING), clause!("gap.quoteExtra")),
];

const INVITED: &[Field] = &[
    minted("inviteId", Role::Invitation, clause!("2.invitation.inviteId")),
    timed("expiresAt", clause!("2.invitation.expiresAt")),
];

const SESSION_CREATED: &[Field] = &[
    minted("url", Role::Link, clause!("2.session.url")),
    timed("expiresAt", clause!("2.session.expiresAt")),
];

const SUBSCRIPTION: [Field; 4] = [
    minted("reference", Role::Subscription, clause!("2.subscription.reference")),
    sent("url", Role::Receiver, clause!("gap.subscriptionForm")),
    sent("eventTypes", Role::EventTypes, clause!("gap.subscriptionForm")),
    timed("createdAt", clause!("gap.subscriptionForm")),
];

const SUBSCRIBED: &[Field] = &{
    let [reference, url, event_types, created_at] = SUBSCRIPTION;
    let secret = minted("secret", Role::Secret, clause!("2.subscription.secret"));
    [reference, url, event_types, created_at, secret]
};

/// The fields of every failure (§7).
pub const FAILURE: &[Field] = &[
    state("error", Role::Prose, clause!("7.shape.error")),
    state("code", Role::Text, clause!("7.shape.code")),
];

/// The fields of every event in a delivery (§6). The document names two of them, and shows no form.
pub const EVENT: &[Field] = &[
    minted("id", Role::Text, clause!("gap.eventPayload")),
    state("type", Role::Word(&EventType::WORDS), clause!("gap.eventPayload")),
    timed("occurredAt", clause!("6.delivery.6")),
    Field { is_required: false, ..state("sequence", Role::Count, clause!("6.delivery.5")) },
    state("data", Role::Object(EVENT_DATA), clause!("gap.eventPayload")),
];

const EVENT_DATA: &[Field] = &[
    optional("externalId", Role::Business, clause!("gap.eventPayload")),
    optional("payeeExternalId", Role::Business, clause!("gap.eventPayload")),
    optional("invoiceExternalId", Role::Invoice, clause!("gap.eventPayload")),
    optional("state", Role::Word(&AdvanceState::WORDS), clause!("gap.eventPayload")),
    optional("collected", Role::Count, clause!("gap.eventPayload")),
    optional("advanceAmount", Role::Count, clause!("gap.eventPayload")),
];

/// The fields of the operator port's responses whose values the service chooses (`gap.operatorPort`).
const OPERATOR: &[Field] = &[
    minted("id", Role::Text, clause!("gap.operatorPort")),
    minted("subscription", Role::Subscription, clause!("gap.operatorPort")),
    minted("key", Role::Key, clause!("gap.operatorPort")),
];

/// The field of this name in a response to `kind`, or to the operator port: of a success, at any depth, or of a failure.
pub fn shown(kind: Option<OperationKind>, name: &str) -> Option<&'static Field> {
    anywhere(of_success(kind), name).or_else(|| anywhere(FAILURE, name))
}

/// Whether the service chooses a value in a success of `kind`, or of the operator port.
pub fn mints(kind: Option<OperationKind>) -> bool {
    fn any(fields: &[Field]) -> bool {
        fields.iter().any(|field| field.origin == Origin::Service || any(field.within()))
    }
    any(of_success(kind))
}

fn of_success(kind: Option<OperationKind>) -> &'static [Field] {
    kind.map_or(OPERATOR, OperationKind::reply_fields)
}

/// The first field of this name, those of objects after the field that holds them.
fn anywhere(fields: &'static [Field], name: &str) -> Option<&'static Field> {
    let inner = |field: &'static Field| anywhere(field.within(), name);
    fields.iter().find_map(|field| if field.name == name { Some(field) } else { inner(field) })
}

impl OperationKind {
    /// The fields of the body of a success, or of each object in its list; none if it has no body.
    pub const fn reply_fields(self) -> &'static [Field] {
        match self {
            OperationKind::GetInvoice => INVOICE,
            OperationKind::SyncInvoice => INVOICE_SYNCED,
            OperationKind::GetImport | OperationKind::ImportInvoices => IMPORT_REPORT,
            OperationKind::SetPayoutAccount => PAYOUT_ACCOUNT_SET,
            OperationKind::GetBusiness => BUSINESS,
            OperationKind::SyncBusiness => BUSINESS_SYNCED,
            OperationKind::RequestAdvance => ADVANCE_REQUESTED,
            OperationKind::Quote => QUOTED,
            OperationKind::Invite => INVITED,
            OperationKind::CreateOnboardingSession => SESSION_CREATED,
            OperationKind::Subscribe => SUBSCRIBED,
            OperationKind::ListSubscriptions => &SUBSCRIPTION,
            OperationKind::Unsubscribe => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use utoipa::PartialSchema;

    use super::*;
    use crate::wire::reply;

    /// The names of the fields in the OpenAPI schema of `T`, those of flattened parts included.
    fn published<T: PartialSchema>() -> Vec<String> {
        let schema = serde_json::to_value(T::schema()).unwrap();
        let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
        let properties = parts.iter().filter_map(|part| part["properties"].as_object());
        let mut names: Vec<String> = properties.flat_map(|it| it.keys().cloned()).collect();
        let is_flattened =
            |part: &Value, name: &str| part["$ref"].as_str().is_some_and(|it| it.ends_with(name));
        if parts.iter().any(|part| is_flattened(part, "/Amounts")) {
            names.extend(published::<reply::Amounts>());
        }
        if parts.iter().any(|part| is_flattened(part, "/Subscription")) {
            names.extend(published::<reply::Subscription>());
        }
        names.sort();
        names
    }

    fn tabled(fields: &[Field]) -> Vec<String> {
        let mut names: Vec<String> = fields.iter().map(|field| field.name.to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_table_has_the_fields_that_are_sent() {
        assert_eq!(tabled(INVOICE), published::<reply::Invoice>());
        assert_eq!(tabled(ADVANCE), published::<reply::Advance>());
        assert_eq!(tabled(INVOICE_SYNCED), published::<reply::InvoiceSynced>());
        assert_eq!(tabled(IMPORT_REPORT), published::<reply::ImportReport>());
        assert_eq!(tabled(IMPORT_SUMMARY), published::<reply::ImportSummary>());
        assert_eq!(tabled(ROWS), published::<reply::RowReport>());
        assert_eq!(tabled(PAYOUT_ACCOUNT_SET), published::<reply::PayoutAccountSet>());
        assert_eq!(tabled(BUSINESS), published::<reply::Business>());
        assert_eq!(tabled(ONBOARDING), published::<reply::Onboarding>());
        assert_eq!(tabled(REMITTANCE), published::<reply::Remittance>());
        assert_eq!(tabled(BUSINESS_SYNCED), published::<reply::BusinessSynced>());
        assert_eq!(tabled(TAX_ID_RESULT), published::<reply::TaxIdResult>());
        assert_eq!(tabled(ADVANCE_REQUESTED), published::<reply::AdvanceRequested>());
        assert_eq!(tabled(QUOTED), published::<reply::Quoted>());
        assert_eq!(tabled(INVITED), published::<reply::Invited>());
        assert_eq!(tabled(SESSION_CREATED), published::<reply::SessionCreated>());
        assert_eq!(tabled(SUBSCRIBED), published::<reply::Subscribed>());
        assert_eq!(tabled(&SUBSCRIPTION), published::<reply::Subscription>());
    }
}

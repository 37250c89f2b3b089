//! Under which clauses a breach of another clause is reported.
//!
//! A difference has one name: the clause of the expected refusal or of the code that came instead, of the
//! wrong field, or of the broken law. A rule about a request shows in its response. A rule about a state
//! shows in the fields of that state.

use tideover_model::{Clause, clause};

macro_rules! table {
    ($($clause:literal in $($shown:literal),+;)*) => {
        &[$((clause!($clause), &[$(clause!($shown)),+])),*]
    };
}

/// The clauses that report a breach of another clause, besides those that the defects and the model's tables show.
pub(super) const SHOWS_IN: &[(Clause, &[Clause])] = table! {
    "1.service.1" in
        "2.invoiceSynced.outcome", "2.businessSynced.created", "7.codes.unknown_endpoint";
    "1.service.2" in
        "2.business.onboarding", "2.advance.advanceAmount", "2.quote.fundable",
        "7.codes.business_not_eligible";
    "1.service.4" in "gap.eventCauses";
    "1.general.2.2" in "7.codes.business_not_found", "7.codes.invoice_not_found";
    "1.general.6" in "7.codes.unknown_endpoint";
    "1.general.6.2" in "7.shape.1", "7.codes.unreadable_request";

    "2.invoiceSync.payee.2" in "7.codes.invalid_request";
    "2.invoiceSync.status.2" in "2.invoice.fundable", "3.invoice.1";
    "2.importReport.extra" in "gap.importExtra";
    "2.business.complianceRoute.2" in "2.business.complianceRoute";
    "2.business.remittance.2" in "2.business.remittance";
    "2.remittance.intro.1" in "2.business.remittance", "2.advance.remittance";
    "2.remittance.accountNumber" in "2.business.remittance", "2.advance.remittance";
    "2.remittance.routingNumber" in "2.business.remittance", "2.advance.remittance";
    "2.businessSync.contact" in "7.codes.invalid_request", "gap.accountOpening";
    "2.businessSync.contact.2" in "2.business.onboarding", "gap.accountOpening";
    "2.payoutAccount.routingNumber" in "4.payoutAccount.4.3";
    "2.amounts.advanceAmount" in "2.invoice.advance.2";
    "2.amounts.feeTotal" in "1.service.3.3", "2.invoice.advance.2";
    "2.amounts.feeTotal.2" in "2.advance.feeTotal";
    "2.advance.intro.1" in "2.advance.financeableAmount", "2.advance.forwardedAtPayment";
    "2.advance.intro.2" in
        "2.advance.alreadyRequested", "2.advance.financeableAmount", "2.advance.advanceAmount",
        "2.advance.feeTotal", "2.advance.forwardedAtPayment", "2.advance.remittance";
    "2.quote.fundable.2" in "2.quote.fundable";
    "2.quote.notFundableReason.2" in "2.quote.notFundableReason";
    "2.quote.extra" in "gap.quoteExtra";
    "2.invitation.externalId" in "7.codes.invalid_request", "7.codes.business_not_found";
    "2.invitation.email" in "4.invitations.7";
    "2.session.externalId" in "7.codes.invalid_request", "7.codes.business_not_found";

    "3.invoice.intro.1" in "2.invoice.status";
    "3.invoice.2.2" in "2.invoiceSynced.outcome", "2.importReport.rows";
    "3.requirement.compliance" in "2.business.onboarding";
    "3.requirement.compliance.2" in "2.business.onboarding", "gap.vendorCompliance";
    "3.requirement.bank" in "2.business.onboarding";
    "3.requirement.bank.2" in "2.business.onboarding", "4.payoutAccount.3";
    "3.requirement.collectionAccount" in "2.business.onboarding";
    "3.requirement.collectionAccount.2" in "2.business.onboarding", "gap.accountOpening";
    "3.requirement.collectionAccount.3" in "2.business.onboarding", "gap.accountOpening";
    "3.requirement.collectionAccount.4" in "2.business.onboarding", "gap.accountOpening";
    "3.onboarding.2" in "2.invoice.fundable", "3.onboarding.2.2";
    "3.onboarding.3" in "4.payoutAccount.3";
    "3.onboarding.4" in "2.business.remittance";
    "3.onboarding.4.2" in "2.business.remittance", "2.advance.remittance";

    "4.invoice.1" in "2.invoice.advance", "2.invoice.advance.2";
    "4.invoice.2" in "7.codes.business_not_found", "7.codes.invoice_not_found";
    "4.invoiceSync.1" in "2.invoiceSynced.outcome", "7.codes.invoice_not_found";
    "4.invoiceSync.4" in "7.codes.invalid_request", "7.codes.unreadable_request";
    "4.invoiceSync.6" in "3.invoice.2", "3.invoice.2.2";
    "4.import.2" in "2.importReport.finished", "2.importReport.rows", "4.import.1";
    "4.imports.intro.1" in "2.importReport.rows", "4.imports.9", "7.codes.invoice_not_found";
    "4.imports.intro.2" in "2.importReport.externalId", "7.codes.import_not_found";
    "4.imports.1" in "2.importReport.rowCount";
    "4.imports.3" in "4.imports.9", "7.codes.unreadable_file";
    "4.imports.4" in "2.importReport.rows", "7.codes.unreadable_file";
    "4.imports.5.4" in "7.codes.business_not_found";
    "4.payoutAccount.intro.2" in "7.codes.invalid_request";
    "4.payoutAccount.1" in "2.payoutAccount.mask";
    "4.payoutAccount.1.2" in "2.payoutAccount.mask", "gap.eventCauses";
    "4.payoutAccount.4" in "2.payoutAccount.mask", "7.codes.invalid_routing_number";
    "4.payoutAccount.4.2" in "2.payoutAccount.mask", "7.codes.invalid_routing_number";
    "4.business.1" in "2.business.onboarding", "2.business.remittance";
    "4.businessSync.intro.1" in "2.business.name", "2.businessSynced.created";
    "4.businessSync.intro.3" in "7.codes.invalid_request", "7.codes.unreadable_request";
    "4.businessSync.1" in "2.business.complianceRoute", "2.business.onboarding";
    "4.businessSync.2.2" in "2.business.onboarding";
    "4.advances.intro.1" in "4.advances.5", "7.codes.invalid_request";
    "4.advances.3" in
        "7.codes.invoice_not_financeable", "7.codes.business_not_eligible",
        "7.codes.concentration_exceeded";
    "4.quotes.1" in "2.invoice.advance", "4.quotes.2";
    "4.quotes.7" in "2.quote.fundable";
    "4.quotes.8" in "3.invoice.1", "4.advances.5";
    "4.invitations.1" in "2.invitation.inviteId", "gap.invitationLink";
    "4.invitations.2" in "4.invitations.7", "7.codes.invalid_request", "7.codes.business_not_found";
    "4.invitations.8" in "3.requirement.contract.2", "7.codes.business_not_found";
    "4.invitations.9" in "gap.invitationLink";
    "4.invitations.10" in "2.invitation.expiresAt", "gap.invitationLink";
    "4.sessions.1" in "7.codes.invalid_request", "7.codes.business_not_found";
    "4.sessions.3" in "3.requirement.contract.2", "4.payoutAccount.3", "gap.vendorCompliance";
    "4.sessions.5" in "2.session.expiresAt", "gap.sessionsLive";
    "4.sessions.7" in "gap.sessionsLive";
    "4.webhooks.1" in "2.subscription.url", "7.codes.invalid_request";
    "4.webhooks.2" in "2.subscription.secret", "4.webhookList.1";
    "4.recovery.1" in "gap.subscriptionForm";
    "4.recovery.2" in "4.webhookDeletion.1", "7.codes.subscription_not_found";
    "4.idempotency.1" in
        "2.invoiceSynced.outcome", "2.businessSynced.created", "2.payoutAccount.mask",
        "4.import.1", "4.advances.2";
    "4.idempotency.2" in "2.invitation.expiresAt", "gap.invitationLink";
    "4.idempotency.3" in "4.webhooks.3";

    "5.authentication.3.2" in "5.authentication.3", "5.authentication.3.3", "7.retrying.2";
    "5.authentication.6" in "6.signature.1";

    "6.events.intro.1" in "gap.eventCauses";
    "6.events.intro.2" in "2.subscription.eventTypes", "gap.eventCauses";
    "6.events.organization.added" in "gap.eventCauses";
    "6.events.organization.optedIn" in "gap.eventCauses";
    "6.events.organization.remittanceUpdated" in "gap.eventCauses";
    "6.events.invoice.created" in "gap.eventCauses";
    "6.events.invoice.paid" in "gap.eventCauses";
    "6.events.invoice.factoredUpdated" in "6.delivery.5", "gap.eventCauses";
    "6.events.loan.created" in "gap.eventCauses";
    "6.events.loan.paid" in "gap.eventCauses";
    "6.subscription.3" in "gap.eventCauses";
    "6.signature.2" in "6.signature.1";

    "7.codes.subscription_not_found" in "4.webhookDeletion.2", "gap.ownStatuses";
    "7.retrying.3" in "4.import.1", "4.advances.2";

    "8.importSize" in "4.imports.1.2", "7.codes.too_many_rows";
    "8.accountNumber" in "7.codes.invalid_request";
    "8.routingNumber" in "4.payoutAccount.4.3";
    "8.signatureAge" in "6.signature.4";
    "8.webhookRetryWindow" in "gap.retrySchedule";
    "8.sessionLife" in "2.session.expiresAt", "gap.sessionsLive";

    "9.versioning.1" in "7.codes.unknown_endpoint";

    "gap.rates" in "2.quote.advanceAmount", "2.quote.feeTotal";
    "gap.lateness" in "gap.retrySchedule";
};

//! Which check covers which clauses, by name: what a run can meet.

use std::slice;

use tideover_model::clause::Kind;
use tideover_model::wire::schema::{Field, Role};
use tideover_model::{Clause, OperationKind, clause};

pub use crate::checks::needs::Needs;

/// A check and the clauses that it covers.
#[derive(Clone, Copy, Debug)]
pub struct RegisteredCheck {
    /// The name of the check.
    pub name: &'static str,
    /// Everything that its evidence requires.
    pub needs: &'static [Needs],
    /// The clauses that it counts and reports.
    pub clauses: &'static [Clause],
}

const fn registered(
    name: &'static str,
    needs: &'static [Needs],
    clauses: &'static [Clause],
) -> RegisteredCheck {
    RegisteredCheck { name, needs, clauses }
}

/// Every check. Two checks may share a clause, each for another aspect.
pub fn watched() -> impl Iterator<Item = RegisteredCheck> {
    let fields = OperationKind::ALL.into_iter().flat_map(|kind| clauses_of(kind.fields()));
    // An invalid value must be refused.
    let of_fields =
        fields.map(|clause| registered("prediction", &[Needs::Requests], slice::from_ref(clause)));
    WATCHED.iter().copied().chain(of_fields)
}

/// The sentences that state the form of fields.
fn clauses_of(fields: &'static [Field]) -> Vec<&'static Clause> {
    let within = fields.iter().flat_map(|field| match field.role {
        Role::Object(fields) => clauses_of(fields),
        _ => Vec::new(),
    });
    let own = fields.iter().map(|field| &field.clause);
    own.chain(within).filter(|clause| clause.kind() == Kind::Documented).collect()
}

static WATCHED: &[RegisteredCheck] = &[
    registered(
        "error_shape",
        &[Needs::Requests],
        &[clause!("7.shape.1"), clause!("7.shape.error"), clause!("7.shape.code")],
    ),
    registered("prediction", &[Needs::Requests], OUTCOMES),
    registered("prediction", &[Needs::Requests], FIELDS),
    registered("prediction", &[Needs::Requests], GROUNDS),
    registered(
        "prediction",
        &[Needs::Operator],
        &[
            clause!("2.businessSync.taxId"),
            clause!("4.businessSync.3"),
            clause!("5.authentication.3.3"),
        ],
    ),
    registered(
        "prediction",
        &[Needs::SecondKey],
        &[
            clause!("5.authentication.4"),
            clause!("5.authentication.4.2"),
            // An unknown reference breaks the sentence on the deletion.
            clause!("7.codes.subscription_not_found"),
        ],
    ),
    registered("prediction", &[Needs::Vendor], ADVANCED),
    registered("prediction", &[Needs::Operator, Needs::OwnPort], OUTSIDE),
    registered("fundable", &[Needs::Requests], &[clause!("2.invoice.notFundableReason")]),
    registered("fundable", &[Needs::Known], &[clause!("2.invoice.fundable.2")]),
    registered("fundable", &[Needs::Foreign, Needs::Vendor], &[clause!("2.invoice.fundable.2")]),
    registered(
        "repeated_advance",
        &[Needs::Vendor],
        &[clause!("2.advance.alreadyRequested"), clause!("2.advance.alreadyRequested.2")],
    ),
    registered("repeated_advance", &[Needs::Vendor, Needs::Known], &[clause!("4.advances.2")]),
    registered("import_report", &[Needs::Requests], &[clause!("4.import.1")]),
    registered(
        "remittance",
        &[Needs::Vendor],
        &[clause!("2.remittance.intro.2"), clause!("3.onboarding.4.2")],
    ),
    registered("unchanged", &[Needs::Known], &[clause!("7.retrying.2")]),
    registered("unchanged", &[Needs::Inside], &[clause!("4.quotes.2")]),
    registered("steady", &[Needs::Foreign, Needs::Vendor], &[clause!("4.quotes.2")]),
    registered(
        "upstream",
        &[Needs::Foreign, Needs::Operator],
        &[clause!("7.codes.upstream_failed")],
    ),
    registered(
        "amounts",
        &[Needs::Requests],
        &[
            clause!("1.general.1"),
            clause!("2.amounts.financeableAmount"),
            clause!("2.amounts.forwardedAtPayment"),
            clause!("2.amounts.forwardedAtPayment.2"),
        ],
    ),
    registered(
        "collected",
        &[Needs::Requests],
        &[clause!("2.invoice.collected.2"), clause!("gap.collectionThresholds")],
    ),
    registered(
        "consistent",
        &[Needs::Requests],
        &[
            clause!("2.invoice.fundable"),
            clause!("2.invoice.notFundableReason"),
            clause!("2.quote.notFundableReason"),
            clause!("2.business.remittance.2"),
        ],
    ),
    registered(
        "consistent",
        &[Needs::Vendor],
        &[clause!("2.invoice.advance.2"), clause!("3.onboarding.4.2")],
    ),
    registered(
        "reasons",
        &[Needs::Requests],
        &[clause!("2.invoice.notFundableReason.2"), clause!("2.quote.notFundableReason.3")],
    ),
    registered(
        "secrets",
        &[Needs::Requests],
        &[
            clause!("1.general.5"),
            clause!("2.business.taxIdOnFile.2"),
            clause!("4.webhookList.1"),
            clause!("4.webhooks.3"),
        ],
    ),
    registered("conservation", &[Needs::Inside], &[clause!("1.service.3.3")]),
    registered(
        "signatures",
        &[Needs::Inbox],
        &[clause!("6.signature.intro.1"), clause!("6.signature.1"), clause!("6.signature.4")],
    ),
    registered("attempts", &[Needs::Inbox], &[clause!("6.delivery.3.2")]),
    registered("redirects", &[Needs::Inbox], &[clause!("6.subscription.2.2")]),
    registered("wanted", &[Needs::Inbox], &[clause!("6.delivery.2")]),
    registered(
        "wanted",
        &[Needs::Requests],
        &[clause!("4.webhookDeletion.1"), clause!("2.subscription.eventTypes")],
    ),
    registered(
        "sequences",
        &[Needs::Inbox],
        &[clause!("6.delivery.6"), clause!("gap.eventCauses")],
    ),
    registered("sequences", &[Needs::Vendor, Needs::Inbox], &[clause!("6.delivery.5")]),
    registered(
        "events",
        &[Needs::Foreign, Needs::Vendor, Needs::Inbox],
        &[clause!("4.advances.2")],
    ),
    registered(
        "events",
        &[Needs::Foreign, Needs::Operator, Needs::Inbox],
        &[clause!("6.events.organization.optedIn"), clause!("6.events.invoice.paid")],
    ),
    registered("accounts", &[Needs::Foreign], &[clause!("4.payoutAccount.1")]),
    registered("names", &[Needs::Foreign], &[clause!("4.businessSync.intro.2")]),
    registered("limit", &[Needs::Foreign], &[clause!("8.perInvoiceMaximum")]),
    registered(
        "limit",
        &[Needs::Foreign, Needs::Vendor],
        &[clause!("2.amounts.advanceAmount.2"), clause!("8.concentrationLimit")],
    ),
    registered(
        "arrivals",
        &[Needs::Inbox, Needs::Clock, Needs::Known],
        &[clause!("6.delivery.1.2")],
    ),
    registered("retries", &[Needs::Inbox, Needs::Clock], RETRIES),
    registered("events", &[Needs::Vendor, Needs::Inbox, Needs::Operator, Needs::Clock], EVENTS),
    registered(
        "events",
        &[Needs::Inbox],
        &[clause!("4.payoutAccount.1.2"), clause!("5.authentication.4.2")],
    ),
    registered("arrivals", &[Needs::Inbox], &[clause!("6.delivery.6"), clause!("gap.eventCauses")]),
    registered("arrivals", &[Needs::Inbox, Needs::Known], &[clause!("gap.retrySchedule")]),
];

/// Whether a response alone can break the clause, without earlier ones.
pub fn shows_in_an_answer(clause: Clause) -> bool {
    const OF_RESPONSES: [&str; 5] = ["error_shape", "amounts", "collected", "reasons", "secrets"];
    let mut checks = WATCHED.iter().filter(|check| OF_RESPONSES.contains(&check.name));
    checks.any(|check| check.clauses.contains(&clause))
}

/// Whether a request succeeds or is refused, with which code and status.
const OUTCOMES: &[Clause] = &[
    clause!("3.invoice.1"),
    clause!("3.onboarding.2.2"),
    clause!("4.imports.1.2"),
    clause!("4.imports.8"),
    clause!("4.imports.9"),
    clause!("4.imports.9.2"),
    clause!("4.payoutAccount.4.3"),
    clause!("4.advances.4"),
    clause!("4.advances.5"),
    clause!("4.quotes.6"),
    clause!("4.invitations.6"),
    clause!("4.invitations.7"),
    clause!("4.webhooks.4"),
    clause!("4.webhookDeletion.2"),
    clause!("5.authentication.3"),
    clause!("6.subscription.1"),
    clause!("6.subscription.2"),
    clause!("7.shape.code"),
    clause!("7.codes.invalid_request"),
    clause!("7.codes.unreadable_request"),
    clause!("7.codes.unauthorized"),
    clause!("7.codes.payload_too_large"),
    clause!("7.codes.unknown_endpoint"),
    clause!("7.codes.business_not_found"),
    clause!("7.codes.invoice_not_found"),
    clause!("7.codes.import_not_found"),
    clause!("7.codes.invoice_not_financeable"),
    clause!("7.codes.business_not_eligible"),
    clause!("7.codes.already_subscribed"),
    clause!("8.requestBodySize"),
    clause!("gap.successStatuses"),
    clause!("gap.ownStatuses"),
    clause!("gap.zeroAdvance"),
    clause!("gap.jsonMediaType"),
    clause!("gap.integerForm"),
    clause!("gap.duplicateKeys"),
    clause!("gap.emptyIdentifier"),
];

/// The content of a response.
const FIELDS: &[Clause] = &[
    clause!("2.invoice.externalId"),
    clause!("2.invoice.status"),
    clause!("2.invoice.faceValue"),
    clause!("2.invoice.collected"),
    clause!("2.invoice.collectionState"),
    clause!("2.invoice.issueDate"),
    clause!("2.invoice.dueDate"),
    clause!("2.invoice.advance"),
    clause!("2.invoice.fundable"),
    clause!("2.invoiceSynced.externalId"),
    clause!("2.invoiceSynced.outcome"),
    clause!("2.invoiceSynced.reason"),
    clause!("2.importReport.externalId"),
    clause!("2.importReport.rowCount"),
    clause!("2.importReport.finished"),
    clause!("2.importReport.rows"),
    clause!("2.business.externalId"),
    clause!("2.business.name"),
    clause!("2.business.taxIdOnFile"),
    clause!("2.business.complianceRoute"),
    clause!("2.business.onboarding"),
    clause!("2.business.remittance"),
    clause!("2.businessSynced.externalId"),
    clause!("2.businessSynced.created"),
    clause!("2.businessSynced.reason"),
    clause!("2.businessSynced.taxIdResult"),
    clause!("2.payoutAccount.externalId"),
    clause!("2.payoutAccount.mask"),
    clause!("2.quote.financeableAmount"),
    clause!("2.quote.advanceAmount"),
    clause!("2.quote.feeTotal"),
    clause!("2.quote.forwardedAtPayment"),
    clause!("2.quote.fundable"),
    clause!("2.quote.notFundableReason"),
    clause!("2.invitation.inviteId"),
    clause!("2.invitation.expiresAt"),
    clause!("2.session.url"),
    clause!("2.session.expiresAt"),
    clause!("2.subscription.url"),
    clause!("2.subscription.secret"),
    clause!("2.subscription.reference"),
    clause!("4.webhookDeletion.1"),
    clause!("gap.quoteExtra"),
    clause!("gap.importExtra"),
    clause!("gap.subscriptionForm"),
];

/// By which sentence the content of a response is expected.
const GROUNDS: &[Clause] = &[
    clause!("1.general.3"),
    clause!("2.business.complianceRoute.2"),
    clause!("2.business.remittance.2"),
    clause!("3.requirement.compliance"),
    clause!("3.requirement.contract"),
    clause!("3.requirement.bank"),
    clause!("3.requirement.collectionAccount"),
    clause!("4.invoiceSync.1"),
    clause!("4.import.1"),
    clause!("4.imports.2"),
    clause!("4.imports.5"),
    clause!("4.imports.5.2"),
    clause!("4.imports.5.3"),
    clause!("4.imports.5.4"),
    clause!("4.imports.6"),
    clause!("4.imports.7.2"),
    clause!("4.businessSync.intro.2"),
    clause!("4.businessSync.2"),
    clause!("4.businessSync.3.2"),
    clause!("4.sessions.6"),
];

/// What may happen outside, which follows from the states of the service.
const OUTSIDE: &[Clause] = &[
    clause!("2.invoice.collected.2"),
    clause!("3.requirement.contract.2"),
    clause!("4.imports.7"),
    clause!("4.payoutAccount.3"),
    clause!("4.businessSync.1.2"),
    clause!("4.invitations.11"),
    clause!("5.authentication.2"),
    clause!("5.authentication.5"),
    clause!("7.codes.upstream_failed"),
    clause!("gap.advanceTransitions"),
    clause!("gap.accountOpening"),
    clause!("gap.vendorCompliance"),
    clause!("gap.invitationLink"),
    clause!("gap.sessionsLive"),
];

/// How a delivery is retried.
const RETRIES: &[Clause] = &[
    clause!("6.delivery.1"),
    clause!("6.delivery.1.2"),
    clause!("6.delivery.2"),
    clause!("6.delivery.3"),
    clause!("8.webhookRetryWindow"),
];

/// Which events must come, once a response has proven what they mean.
const EVENTS: &[Clause] = &[
    clause!("6.events.intro.1"),
    clause!("6.events.organization.added"),
    clause!("6.events.organization.optedIn"),
    clause!("6.events.organization.remittanceUpdated"),
    clause!("6.events.invoice.created"),
    clause!("6.events.invoice.paid"),
    clause!("6.events.invoice.factoredUpdated"),
    clause!("6.events.loan.created"),
    clause!("6.events.loan.issued"),
    clause!("6.events.loan.paid"),
    clause!("6.subscription.3"),
];

/// What shows only after an advance is granted.
const ADVANCED: &[Clause] = &[
    clause!("2.invoice.status.2"),
    clause!("2.invoiceSynced.outcome.2"),
    clause!("3.invoice.2"),
    clause!("3.invoice.2.2"),
    clause!("3.onboarding.4.2"),
    clause!("4.advances.2.2"),
    clause!("2.advance.financeableAmount"),
    clause!("2.advance.advanceAmount"),
    clause!("2.advance.feeTotal"),
    clause!("2.advance.forwardedAtPayment"),
    clause!("2.advance.remittance"),
    clause!("4.advances.1"),
    clause!("7.codes.concentration_exceeded"),
    clause!("gap.alreadyCollected"),
];

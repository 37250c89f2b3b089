//! Which check covers which clauses, by name: what a run can meet.

use std::slice;
use std::sync::LazyLock;

use tideover_model::clause::Kind;
use tideover_model::wire::schema::Field;
use tideover_model::{Clause, Code, OperationKind, Status, clause};

pub use crate::checks::needs::Needs;

/// A check and the clauses that it covers.
#[derive(Clone, Copy, Debug)]
pub struct RegisteredCheck {
    pub name: &'static str,
    /// Everything that its evidence requires.
    pub needs: &'static [Needs],
    /// The clauses that it counts and reports.
    pub clauses: &'static [Clause],
}

/// Every check. Two checks may share a clause, each for another aspect.
pub fn watched() -> impl Iterator<Item = RegisteredCheck> {
    let predicted = |needs: &'static [Needs], clause: &'static Clause| RegisteredCheck {
        name: "prediction",
        needs,
        clauses: slice::from_ref(clause),
    };
    // An invalid value must be refused.
    let of_requests = OperationKind::ALL.into_iter().flat_map(|kind| clauses_of(kind.fields()));
    let of_requests = of_requests.map(move |clause| predicted(&[Needs::Requests], clause));
    let of_replies = OperationKind::ALL.into_iter().flat_map(move |kind| {
        let needs: &[Needs] = match kind {
            OperationKind::RequestAdvance => &[Needs::Vendor],
            _ => &[Needs::Requests],
        };
        documented(kind.reply_fields()).map(move |clause| predicted(needs, clause))
    });
    let of_codes = OF_CODES.iter().map(move |clause| predicted(&[Needs::Requests], clause));
    WATCHED.iter().copied().chain(of_requests).chain(of_replies).chain(of_codes)
}

/// The clauses of the codes that every caller can meet. A refusal with another status breaks the row of its code, if the
/// document states the status; one with another code breaks the sentence that asks for the code. What requires more has a
/// row below.
static OF_CODES: LazyLock<Vec<Clause>> = LazyLock::new(|| {
    // The refusal cites the row of the code.
    const UNCITED: Clause = clause!("4.import.3");
    let is_stated = |code: &Code| matches!(code.status(), Status::Documented(_));
    let rows = Code::ALL.into_iter().filter(is_stated).map(Code::clause);
    let asks = |clause: &Clause| {
        clause.kind() == Kind::Documented && Code::named_alone_by(*clause).is_some()
    };
    let asking = Clause::all().filter(asks).filter(|clause| *clause != UNCITED);
    let is_below = |clause| WATCHED.iter().any(|check| check.clauses.contains(&clause));
    rows.chain(asking).filter(|clause| !is_below(*clause)).collect()
});

/// The sentences that state the form of fields, at any depth.
fn clauses_of(fields: &'static [Field]) -> Vec<&'static Clause> {
    let within = fields.iter().flat_map(|field| clauses_of(field.within()));
    documented(fields).chain(within).collect()
}

fn documented(fields: &'static [Field]) -> impl Iterator<Item = &'static Clause> {
    let clauses = fields.iter().map(|field| &field.clause);
    clauses.filter(|clause| clause.kind() == Kind::Documented)
}

/// One row for each check: its name, everything that its evidence requires, and the clauses that it covers.
macro_rules! checks {
    ($($name:literal [$($needs:ident)+] $($clause:literal)+;)*) => {
        &[$(RegisteredCheck {
            name: $name,
            needs: &[$(Needs::$needs),+],
            clauses: &[$(clause!($clause)),+],
        }),*]
    };
}

static WATCHED: &[RegisteredCheck] = checks! {
    "error_shape" [Requests] "7.shape.1" "7.shape.error" "7.shape.code";
    // Whether a request succeeds or is refused, with which code and status.
    "prediction" [Requests]
        "3.invoice.1" "4.advances.5" "6.subscription.1" "6.subscription.2" "7.shape.code"
        "7.codes.invoice_not_found" "7.codes.import_not_found" "8.requestBodySize"
        "gap.successStatuses" "gap.ownStatuses" "gap.zeroAdvance" "gap.jsonMediaType"
        "gap.integerForm" "gap.nullOptional" "gap.duplicateKeys" "gap.emptyIdentifier"
        "gap.csvForm";
    // The content of a response, apart from its fields.
    "prediction" [Requests]
        "4.webhookDeletion.1" "gap.quoteExtra" "gap.importExtra" "gap.subscriptionForm";
    // By which sentence the content of a response is expected.
    "prediction" [Requests]
        "1.general.3" "2.business.complianceRoute.2" "2.business.remittance.2"
        "3.requirement.compliance" "3.requirement.contract" "3.requirement.bank"
        "3.requirement.collectionAccount" "4.invoiceSync.1" "4.import.1" "4.imports.2"
        "4.imports.5" "4.imports.5.2" "4.imports.5.3" "4.imports.5.4" "4.imports.6"
        "4.imports.7.2" "4.businessSync.intro.2" "4.businessSync.2" "4.businessSync.3.2"
        "4.sessions.6";
    "prediction" [Operator] "2.businessSync.taxId" "4.businessSync.3" "5.authentication.3.3";
    // An unknown reference breaks the sentence on the deletion.
    "prediction" [SecondKey]
        "5.authentication.4" "5.authentication.4.2" "7.codes.subscription_not_found";
    // What shows only after an advance is granted.
    "prediction" [Vendor]
        "2.invoice.status.2" "2.invoiceSynced.outcome.2" "3.invoice.2" "3.invoice.2.2"
        "3.onboarding.4.2" "4.advances.2.2" "4.advances.1" "7.codes.concentration_exceeded"
        "gap.alreadyCollected";
    // What may happen outside, which follows from the states of the service.
    "prediction" [Operator OwnPort]
        "2.invoice.collected.2" "3.requirement.contract.2" "4.imports.7" "4.payoutAccount.3"
        "4.businessSync.1.2" "4.invitations.11" "5.authentication.2" "5.authentication.5"
        "7.codes.upstream_failed" "gap.advanceTransitions" "gap.accountOpening"
        "gap.vendorCompliance" "gap.invitationLink" "gap.sessionsLive";
    "fundable" [Requests] "2.invoice.notFundableReason";
    "fundable" [Known] "2.invoice.fundable.2";
    "fundable" [Foreign Vendor] "2.invoice.fundable.2";
    "repeated_advance" [Vendor] "2.advance.alreadyRequested" "2.advance.alreadyRequested.2";
    "repeated_advance" [Vendor Known] "4.advances.2";
    "import_report" [Requests] "4.import.1";
    "remittance" [Vendor] "2.remittance.intro.2" "3.onboarding.4.2";
    "unchanged" [Known] "7.retrying.2";
    "unchanged" [Inside] "4.quotes.2";
    "steady" [Foreign Vendor] "4.quotes.2";
    "refused_again" [Foreign Vendor] "7.retrying.2";
    "quoted" [Foreign Vendor] "2.quote.fundable";
    "still_owed" [Foreign Operator] "2.invoice.advance.2";
    "upstream" [Foreign Operator] "7.codes.upstream_failed";
    "amounts" [Requests]
        "1.general.1" "2.amounts.financeableAmount" "2.amounts.forwardedAtPayment"
        "2.amounts.forwardedAtPayment.2";
    "collected" [Requests] "2.invoice.collected.2" "gap.collectionThresholds";
    "consistent" [Requests]
        "2.invoice.fundable" "2.invoice.notFundableReason" "2.quote.notFundableReason"
        "2.business.remittance.2";
    "consistent" [Vendor] "2.invoice.advance.2" "3.onboarding.4.2";
    "reasons" [Requests] "2.invoice.notFundableReason.2" "2.quote.notFundableReason.3";
    "secrets" [Requests] "1.general.5" "2.business.taxIdOnFile.2" "4.webhookList.1" "4.webhooks.3";
    "conservation" [Inside] "1.service.3.3";
    "signatures" [Inbox] "6.signature.intro.1" "6.signature.1" "6.signature.4";
    "attempts" [Inbox] "6.delivery.3.2";
    "redirects" [Inbox] "6.subscription.2.2";
    "wanted" [Inbox] "6.delivery.2";
    "wanted" [Requests] "4.webhookDeletion.1" "2.subscription.eventTypes";
    "sequences" [Inbox] "6.delivery.6" "gap.eventCauses";
    "sequences" [Vendor Inbox] "6.delivery.5";
    "events" [Foreign Vendor Inbox] "4.advances.2";
    "events" [Foreign Operator Inbox] "6.events.organization.optedIn" "6.events.invoice.paid";
    "accounts" [Foreign] "4.payoutAccount.1";
    "names" [Foreign] "4.businessSync.intro.2";
    "limit" [Foreign] "8.perInvoiceMaximum";
    "limit" [Foreign Vendor] "1.service.3.3" "2.amounts.advanceAmount.2" "8.concentrationLimit";
    "room" [Foreign Vendor Operator] "8.concentrationLimit";
    "arrivals" [Inbox Clock Known] "6.delivery.1.2";
    // How a delivery is retried.
    "retries" [Inbox Clock]
        "6.delivery.1" "6.delivery.1.2" "6.delivery.2" "6.delivery.3" "8.webhookRetryWindow";
    // Which events must come, once a response has proven what they mean.
    "events" [Vendor Inbox Operator Clock]
        "6.events.intro.1" "6.events.organization.added" "6.events.organization.optedIn"
        "6.events.organization.remittanceUpdated" "6.events.invoice.created"
        "6.events.invoice.paid" "6.events.invoice.factoredUpdated" "6.events.loan.created"
        "6.events.loan.issued" "6.events.loan.paid" "6.subscription.3";
    "events" [Inbox] "4.payoutAccount.1.2" "5.authentication.4.2";
    "arrivals" [Inbox] "6.delivery.6" "gap.eventCauses";
    "arrivals" [Inbox Known] "gap.retrySchedule";
};

/// Whether a response alone can break the clause, without earlier ones.
pub fn shows_in_an_answer(clause: Clause) -> bool {
    const OF_RESPONSES: [&str; 5] = ["error_shape", "amounts", "collected", "reasons", "secrets"];
    let mut checks = WATCHED.iter().filter(|check| OF_RESPONSES.contains(&check.name));
    checks.any(|check| check.clauses.contains(&clause))
}

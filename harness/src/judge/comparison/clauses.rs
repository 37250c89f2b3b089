//! Which clauses apply to a response.

use tideover_model::{Clause, Code, OperationKind, clause};

use crate::exchange::Seen;

/// Clauses whose names differ only in the last part.
struct Family {
    prefix: &'static str,
    clauses: &'static [Clause],
}

impl Family {
    const fn of(prefix: &'static str) -> Family {
        Family { prefix, clauses: Clause::beginning_with(prefix) }
    }

    fn find(&self, last: &str) -> Option<Clause> {
        let length = self.prefix.len() + last.len();
        let is_it =
            |clause: &&Clause| clause.name().len() == length && clause.name().ends_with(last);
        self.clauses.iter().find(is_it).copied()
    }
}

pub(crate) fn code_clause(code: Code) -> Option<Clause> {
    const CODES: Family = Family::of("7.codes.");
    CODES.find(code.name())
}

/// The clause on how long the link of an operation lives (§8).
pub(crate) fn life(kind: OperationKind) -> Option<Clause> {
    match kind {
        OperationKind::Invite => Some(clause!("8.invitationLife")),
        OperationKind::CreateOnboardingSession => Some(clause!("8.sessionLife")),
        _ => None,
    }
}

/// The clause that requires a body of a success, and its shape.
pub(super) fn body_clause(kind: OperationKind) -> Clause {
    match kind {
        OperationKind::GetInvoice => clause!("4.invoice.3"),
        OperationKind::SyncInvoice => clause!("4.invoiceSync.5"),
        OperationKind::GetImport => clause!("4.import.1"),
        OperationKind::ImportInvoices => clause!("4.imports.outro.1"),
        OperationKind::SetPayoutAccount => clause!("4.payoutAccount.intro.3"),
        OperationKind::GetBusiness => clause!("4.business.2"),
        OperationKind::SyncBusiness => clause!("4.businessSync.intro.4"),
        OperationKind::RequestAdvance => clause!("4.advances.intro.2"),
        OperationKind::Quote => clause!("4.quotes.4"),
        OperationKind::Invite => clause!("4.invitations.3"),
        OperationKind::CreateOnboardingSession => clause!("4.sessions.2"),
        OperationKind::Subscribe => clause!("4.webhooks.2"),
        OperationKind::ListSubscriptions => clause!("4.webhookList.1"),
        OperationKind::Unsubscribe => clause!("4.webhookDeletion.1"),
    }
}

/// The clause of a response field. §2 names most of them.
pub(super) fn field_clause(kind: OperationKind, field: &str) -> Clause {
    macro_rules! family {
        ($prefix:literal) => {{
            const FAMILY: Family = Family::of($prefix);
            FAMILY
        }};
    }
    let (family, otherwise) = match kind {
        OperationKind::GetInvoice => (family!("2.invoice."), clause!("4.invoice.3")),
        OperationKind::SyncInvoice => (family!("2.invoiceSynced."), clause!("4.invoiceSync.5")),
        OperationKind::GetImport | OperationKind::ImportInvoices => {
            (family!("2.importReport."), clause!("gap.importExtra"))
        }
        OperationKind::SetPayoutAccount => {
            (family!("2.payoutAccount."), clause!("4.payoutAccount.intro.3"))
        }
        OperationKind::GetBusiness => (family!("2.business."), clause!("4.business.2")),
        OperationKind::SyncBusiness => {
            (family!("2.businessSynced."), clause!("4.businessSync.intro.4"))
        }
        OperationKind::RequestAdvance => (family!("2.advance."), clause!("gap.advanceVariants")),
        OperationKind::Quote => (family!("2.quote."), clause!("gap.quoteExtra")),
        OperationKind::Invite => (family!("2.invitation."), clause!("4.invitations.3")),
        OperationKind::CreateOnboardingSession => (family!("2.session."), clause!("4.sessions.2")),
        OperationKind::Subscribe | OperationKind::ListSubscriptions => {
            (family!("2.subscription."), clause!("gap.subscriptionForm"))
        }
        OperationKind::Unsubscribe => (family!("2.subscription."), clause!("4.webhookDeletion.1")),
    };
    family.find(field).unwrap_or(otherwise)
}

/// The clause that an action of the operator port tests.
pub(super) fn action_clause(action: &str, predicted: &Seen) -> Clause {
    match action {
        // A link that is used or expired must not work, whichever it was.
        "vendorAcceptsInvitation" if !predicted.is_success() => clause!("4.invitations.11"),
        "vendorAcceptsInvitation" => clause!("gap.invitationLink"),
        "vendorConfirmsTaxId" => clause!("gap.vendorCompliance"),
        "vendorSignsAgreement" => clause!("3.requirement.contract.2"),
        "vendorAddsBankAccount" => clause!("4.payoutAccount.3"),
        "collectionAccountOpens" => clause!("gap.accountOpening"),
        "payorPays" => clause!("2.invoice.collected.2"),
        "taxIdFoundWrong" => clause!("4.businessSync.1.2"),
        "interruptNextImport" => clause!("4.imports.7"),
        "vendorOpensSession" => clause!("gap.sessionsLive"),
        "markTestAccount" => clause!("5.authentication.5"),
        "issueKey" => clause!("5.authentication.2"),
        "revokeKey" => clause!("5.authentication.3"),
        "upstreamFails" => clause!("7.codes.upstream_failed"),
        _ => clause!("gap.advanceTransitions"),
    }
}

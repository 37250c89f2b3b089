//! The step after which a read shows the wrong state, and the sentence on what that step does.
//!
//! Each step of a shrunk finding is necessary. The last write before the read is the one that left the state wrong:
//! it did not do what it should, or did more.

use tideover_model::wire::field;
use tideover_model::{Clause, Operation, OperationKind, Service, clause};

use crate::endpoint::INBOX;
use crate::evidence::finding::Finding;
use crate::exchange::step::{Action, Step};
use crate::exchange::{Memory, Prepared};
use crate::play::cases::Failure;
use crate::report::document::Culprit;

/// The culprit of a failure, if a sentence on it says more than the finding does.
pub(super) fn culprit(failure: &Failure) -> Option<Culprit> {
    let finding = failure.finding();
    let steps = &failure.transcript.steps;
    let (last, before) = steps.split_last().filter(|_| failure.is_small)?;
    operation(last).filter(|asked| shows_state(asked.kind()))?;
    let index = before.iter().rposition(|step| !is_read(step))?;
    let Action::Call(_) = &before[index].action else { return None };
    let clause = sentence(&operation(&before[index])?, finding)?;
    (clause != finding.clause).then(|| Culprit {
        step: index as u64 + 1,
        clause: clause.name().to_owned(),
        place: clause.place().to_owned(),
        wording: clause.wording().to_owned(),
    })
}

/// Whether responses show the state of a business or of an invoice.
fn shows_state(kind: OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::GetBusiness
            | OperationKind::GetInvoice
            | OperationKind::RequestAdvance
            | OperationKind::Quote
    )
}

fn operation(step: &Step) -> Option<Operation> {
    let sent = Prepared::from_step(step, &Memory::with_inbox(INBOX), Service::FIRST_KEY);
    sent.call()?.operation().cloned()
}

fn is_read(step: &Step) -> bool {
    operation(step).is_some_and(|asked| asked.kind().reads())
}

/// The sentence on what `write` does to the state that a finding is about.
fn sentence(write: &Operation, finding: &Finding) -> Option<Clause> {
    match write {
        Operation::SyncBusiness { details, .. } => {
            let tax_id = details.tax_id.as_deref().filter(|_| is_of_compliance(finding));
            Some(match tax_id {
                None => clause!("4.businessSync.intro.2"),
                Some(spelled) if !spelled.bytes().all(|byte| byte.is_ascii_digit()) => {
                    clause!("2.businessSync.taxId")
                }
                Some(_) => clause!("4.businessSync.1"),
            })
        }
        Operation::SyncInvoice(_) | Operation::ImportInvoices { .. } if !is_of_invoice(finding) => {
            Some(clause!("4.invoiceSync.3"))
        }
        Operation::ImportInvoices { .. } => Some(clause!("4.imports.2")),
        Operation::SetPayoutAccount { .. } => Some(clause!("4.payoutAccount.1")),
        Operation::Quote { .. } => Some(clause!("4.quotes.2")),
        Operation::RequestAdvance { .. } if finding.field == field::STATUS => {
            Some(clause!("3.invoice.intro.1"))
        }
        _ => None,
    }
}

fn is_of_compliance(finding: &Finding) -> bool {
    let field = finding.field.as_str();
    [field::COMPLIANCE_ROUTE, field::TAX_ID_ON_FILE, "onboarding.compliance"].contains(&field)
}

fn is_of_invoice(finding: &Finding) -> bool {
    finding.operation == OperationKind::GetInvoice.to_string()
}

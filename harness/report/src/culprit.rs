//! The step that wrote the field that a read shows wrong, and the sentence on what that step does.
//!
//! Each step of a shrunk finding is necessary. If the last write before the read wrote the wrong field of what is read,
//! it did not do what it should. Any other write says nothing of the finding.

use tideover_exchange::step::{Action, Step};
use tideover_exchange::target::INBOX;
use tideover_exchange::{Memory, Prepared};
use tideover_judge::undone_by;
use tideover_model::wire::field;
use tideover_model::{
    Clause, InvoiceSync, Operation, Service, clause, is_punctuated_tax_id, tax_id_digits,
};
use tideover_suite::play::cases::Failure;

use crate::document::Culprit;

/// The culprit of a failure, if a sentence on it says more than the finding does.
pub(super) fn culprit(failure: &Failure) -> Option<Culprit> {
    let finding = failure.finding();
    // A sentence on writes says it already.
    if finding.clause.name().starts_with('4') || finding.clause.name().starts_with("3.invoice") {
        return None;
    }
    let steps = &failure.transcript.steps;
    let (last, before) = steps.split_last().filter(|_| failure.is_small)?;
    let read = operation(last)?;
    let index = before.iter().rposition(|step| !is_read(step))?;
    let Action::Call(_) = &before[index].action else { return None };
    let write = operation(&before[index])?;
    let clause = match finding.field == field::FUNDABLE && finding.expected == "false" {
        true => finances_itself(&write, &read, before).then_some(clause!("4.advances.4"))?,
        false => written_by(&write, &read, &finding.field)?,
    };
    (clause != finding.clause).then(|| Culprit {
        step: index as u64 + 1,
        clause: clause.name().to_owned(),
        place: clause.place().to_owned(),
        wording: clause.wording().to_owned(),
    })
}

fn operation(step: &Step) -> Option<Operation> {
    let sent = Prepared::from_step(step, &Memory::with_inbox(INBOX), Service::FIRST_KEY);
    sent.call()?.operation().cloned()
}

fn is_read(step: &Step) -> bool {
    operation(step).is_some_and(|asked| asked.kind().reads())
}

/// The sentence by which `write` wrote a field that `read` shows, if it wrote that field of the same subject.
fn written_by(write: &Operation, read: &Operation, field: &str) -> Option<Clause> {
    match read {
        Operation::GetInvoice { payee, invoice } => {
            of_invoice(write, |sync| is_of(sync, payee, invoice), field)
        }
        Operation::GetBusiness { business } => of_business(write, business, field),
        _ => None,
    }
}

/// Whether `write` syncs the invoice that `read` shows, and its payor is its payee: the same identifier, or one that the
/// steps sync with the same tax id.
fn finances_itself(write: &Operation, read: &Operation, steps: &[Step]) -> bool {
    let Operation::GetInvoice { payee, invoice } = read else { return false };
    let tax_id = |business: &str| {
        steps.iter().rev().filter_map(operation).find_map(|operation| match operation {
            Operation::SyncBusiness { business: synced, details } if synced == business => {
                details.tax_id.as_deref().map(tax_id_digits)
            }
            _ => None,
        })
    };
    let is_same = |payor: &str| {
        payor == payee || tax_id(payor).zip(tax_id(payee)).is_some_and(|(one, other)| one == other)
    };
    let syncs = write.syncs();
    syncs.into_iter().any(|sync| is_of(sync, payee, invoice) && is_same(&sync.payor.business))
}

/// Whether a sync writes this invoice.
fn is_of(sync: &InvoiceSync, payee: &str, invoice: &str) -> bool {
    sync.payee.business == payee && sync.invoice == invoice
}

fn of_invoice(
    write: &Operation,
    is_it: impl Fn(&InvoiceSync) -> bool,
    field: &str,
) -> Option<Clause> {
    const SYNCED: [&str; 4] =
        [field::STATUS, field::FACE_VALUE, field::ISSUE_DATE, field::DUE_DATE];
    if !SYNCED.contains(&field) || !write.syncs().into_iter().any(is_it) {
        return None;
    }
    match write {
        Operation::SyncInvoice(_) => Some(clause!("4.invoiceSync.1")),
        Operation::ImportInvoices { .. } => Some(clause!("4.imports.2")),
        _ => None,
    }
}

fn of_business(write: &Operation, business: &str, field: &str) -> Option<Clause> {
    const CLEARED: [&str; 3] =
        [field::COMPLIANCE_ROUTE, field::TAX_ID_ON_FILE, "onboarding.compliance"];
    let names = |sync: &InvoiceSync| {
        [&sync.payee, &sync.payor].into_iter().any(|party| party.business == business)
    };
    let is_requirement = field.starts_with("onboarding.") || field == field::REMITTANCE;
    match write {
        Operation::SyncInvoice(_) | Operation::ImportInvoices { .. }
            if is_requirement && write.syncs().into_iter().any(names) =>
        {
            undone_by(write.kind(), field)
        }
        Operation::SyncBusiness { business: synced, details } if synced == business => {
            let tax_id = details.tax_id.as_deref().filter(|_| CLEARED.contains(&field));
            match tax_id {
                Some(spelled) if is_punctuated_tax_id(spelled) => {
                    Some(clause!("2.businessSync.taxId"))
                }
                Some(_) => Some(clause!("4.businessSync.1")),
                None => (field == field::NAME).then_some(clause!("4.businessSync.intro.2")),
            }
        }
        Operation::SetPayoutAccount { business: paid, .. } if paid == business => {
            (field == "onboarding.bank").then_some(clause!("3.requirement.bank.2"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use tideover_exchange::step::Call;

    use super::*;

    fn sync(business: &str, tax_id: Option<&str>) -> Step {
        let body = json!({ "legalName": business, "taxId": tax_id });
        let path = format!("/v1/organizations/{business}");
        Step::new(Action::Call(Call::json("PUT", path, body)))
    }

    /// Whether an invoice of v1 that `payor` owes is one of v1 itself.
    fn is_own(payor: &str, steps: &[Step]) -> bool {
        let party = |business: &str| json!({ "externalId": business, "legalName": business });
        let body = json!({
            "status": "ISSUED", "faceValue": 700, "issueDate": "2026-01-01T00:00:00Z",
            "dueDate": "2026-02-01T00:00:00Z", "payee": party("v1"), "payor": party(payor),
        });
        let write = Step::new(Action::Call(Call::json("PUT", "/v1/invoices/i1", body)));
        let read = Call::bare("GET", "/v1/organizations/v1/invoices/i1");
        let [write, read] = [write, Step::new(Action::Call(read))].map(|one| operation(&one));
        finances_itself(&write.unwrap(), &read.unwrap(), steps)
    }

    #[test]
    fn an_alias_of_the_payee_is_the_payee() {
        assert!(is_own("v1", &[]));
        let vendor = sync("v1", Some("12-0000000"));
        let steps = |tax_id| [vendor.clone(), sync("alias", tax_id)];
        assert!(is_own("alias", &steps(Some("120000000"))));
        assert!(!is_own("alias", &steps(Some("120000001"))));
        assert!(!is_own("alias", &steps(None)));
        assert!(!is_own("p1", &steps(Some("120000000"))));
    }
}

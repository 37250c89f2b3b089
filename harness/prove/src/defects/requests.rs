//! Defects of advance requests: who is granted one, and how a repeated request is answered.

use tideover_model::wire::reply::Reply;
use tideover_model::words::{AdvanceState, InvoiceStatus};
use tideover_model::{Answer, Code, Operation, Refusal, clause};

use crate::defects::Defect;
use crate::defects::advances::{grant, grant_if, requested};
use crate::defects::breach::{Behind, answer};

pub(super) static DEFECTS: &[Defect] = &[
    altered!("first-request-is-answered-as-a-repeat", "2.advance.alreadyRequested",
        AdvanceRequested(advance) => advance.already_requested = true,
        "the request that creates an advance shows alreadyRequested as true"),
    Defect::new(
        "repeat-is-refused-once-withdrawn",
        clause!("4.advances.2.2"),
        "a repeated request is refused once the invoice is no longer ISSUED",
        answer(|behind, operation| {
            let requested = invoice_of(&operation);
            match behind.answer(operation)? {
                Reply::AdvanceRepeated(_)
                    if status(behind, requested) != Some(InvoiceStatus::Issued) =>
                {
                    Err(Refusal::new(Code::InvoiceNotFinanceable, clause!("3.invoice.1")))
                }
                reply => Ok(reply),
            }
        }),
    ),
    Defect::new(
        "repaid-invoice-gets-a-second-advance",
        clause!("4.advances.2"),
        "an invoice whose advance is REPAID is granted a second one",
        answer(|behind, operation| {
            let requested = invoice_of(&operation);
            match (behind.answer(operation)?, requested) {
                (repeated @ Reply::AdvanceRepeated(_), Some((payee, invoice)))
                    if is_repaid(behind, payee.clone(), invoice.clone()) =>
                {
                    Ok(grant(behind, payee, invoice).unwrap_or(repeated))
                }
                (reply, _) => Ok(reply),
            }
        }),
    ),
    Defect::new(
        "advance-needs-no-account",
        clause!("3.onboarding.2"),
        "an advance is granted to a business that lacks only its collection account",
        answer(|behind, operation| {
            let only_account = lacks_only_its_account(behind, &operation);
            grant_if(behind, operation, |_, refusal| {
                only_account && refusal.code == Code::BusinessNotEligible
            })
        }),
    )
    .named_as(clause!("3.onboarding.2.2")),
    Defect::new(
        "parties-are-compared-by-identifier",
        clause!("4.advances.4"),
        "a business gets an advance on an invoice that it owes to itself under another identifier",
        answer(|behind, operation| {
            if let Operation::SyncInvoice(sync) = &operation {
                let key = behind.key(&[&sync.payee.business, &sync.invoice]);
                behind.memory.forget(&key);
                if sync.payee.business != sync.payor.business {
                    behind.memory.note(key, behind.now);
                }
            }
            let key = requested(behind, &operation);
            grant_if(behind, operation, |behind, refusal| {
                refusal.code == Code::SelfDealing && behind.memory.noted(&key).is_some()
            })
        }),
    ),
    Defect::new(
        "third-advance-has-an-account-of-its-own",
        clause!("2.remittance.intro.2"),
        "the third advance of a business names another collection account than the first two",
        answer(|behind, operation| {
            let payee = invoice_of(&operation).map(|(payee, _)| behind.key(&[&payee]));
            let mut answer = behind.answer(operation);
            if let (Ok(Reply::AdvanceRequested(advance)), Some(payee)) = (&mut answer, payee)
                && behind.memory.count(&payee) == 3
            {
                advance.remittance.account_number.insert(0, '3');
            }
            answer
        }),
    ),
];

/// The payee and the invoice of an advance request.
fn invoice_of(operation: &Operation) -> Option<(String, String)> {
    match operation {
        Operation::RequestAdvance { payee, invoice } => Some((payee.clone(), invoice.clone())),
        _ => None,
    }
}

fn read(behind: &mut Behind<'_>, payee: String, invoice: String) -> Answer {
    behind.answer(Operation::GetInvoice { payee, invoice })
}

fn status(behind: &mut Behind<'_>, requested: Option<(String, String)>) -> Option<InvoiceStatus> {
    let (payee, invoice) = requested?;
    match read(behind, payee, invoice) {
        Ok(Reply::Invoice(invoice)) => Some(invoice.status),
        _ => None,
    }
}

pub(super) fn is_repaid(behind: &mut Behind<'_>, payee: String, invoice: String) -> bool {
    let Ok(Reply::Invoice(invoice)) = read(behind, payee, invoice) else { return false };
    invoice.advance.is_some_and(|advance| advance.state == AdvanceState::Repaid)
}

fn lacks_only_its_account(behind: &mut Behind<'_>, operation: &Operation) -> bool {
    let Some((business, _)) = invoice_of(operation) else { return false };
    let Ok(Reply::Business(business)) = behind.answer(Operation::GetBusiness { business }) else {
        return false;
    };
    let onboarding = business.onboarding;
    onboarding.compliance && onboarding.contract && onboarding.bank
}

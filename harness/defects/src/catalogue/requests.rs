//! Defects of advance requests: who is granted one, and how a repeated request is answered.

use tideover_model::wire::reply::Reply;
use tideover_model::words::{AdvanceState, InvoiceStatus};
use tideover_model::{Code, Operation, Refusal, clause};

use crate::Inner;
use crate::catalogue::advances::{grant, grant_if, requested};
use crate::catalogue::onboarding::is_ready_for_its_account;
use crate::hooks::answer;

defects! {
    "first-request-is-answered-as-a-repeat", "2.advance.alreadyRequested",
        "the request that creates an advance shows alreadyRequested as true",
        edit!(AdvanceRequested(advance) => advance.already_requested = true);
    "repeat-is-refused-once-withdrawn", "4.advances.2.2",
        "a repeated request is refused once the invoice is no longer ISSUED",
        answer(&|inner, operation| {
            let requested = invoice_of(&operation);
            match inner.answer(operation)? {
                Reply::AdvanceRepeated(_)
                    if !requested.is_some_and(|it| is_issued(inner, it)) =>
                {
                    Err(Refusal::new(Code::InvoiceNotFinanceable, clause!("3.invoice.1")))
                }
                reply => Ok(reply),
            }
        });
    "repaid-invoice-gets-a-second-advance", "4.advances.2",
        "an invoice whose advance is REPAID is granted a second one",
        answer(&|inner, operation| {
            let requested = invoice_of(&operation);
            match (inner.answer(operation)?, requested) {
                (repeated @ Reply::AdvanceRepeated(_), Some((payee, invoice)))
                    if is_repaid(inner, &payee, &invoice) =>
                {
                    Ok(grant(inner, payee, invoice).unwrap_or(repeated))
                }
                (reply, _) => Ok(reply),
            }
        });
    "advance-needs-no-account", "3.onboarding.2", as "3.onboarding.2.2",
        "an advance is granted to a business that lacks only its collection account",
        answer(&|inner, operation| {
            let business = invoice_of(&operation).and_then(|(payee, _)| inner.business(&payee));
            let only_account =
                business.is_some_and(|business| is_ready_for_its_account(business.onboarding));
            grant_if(inner, operation, |_, refusal| {
                only_account && refusal.code == Code::BusinessNotEligible
            })
        });
    "parties-are-compared-by-identifier", "4.advances.4",
        "a business gets an advance on an invoice that it owes to itself under another identifier",
        answer(&|inner, operation| {
            if let Operation::SyncInvoice(sync) = &operation {
                let key = inner.key(&[&sync.payee.business, &sync.invoice]);
                inner.memory.forget(&key);
                if sync.payee.business != sync.payor.business {
                    inner.memory.note(key, inner.now);
                }
            }
            let key = requested(inner, &operation);
            grant_if(inner, operation, |inner, refusal| {
                refusal.code == Code::SelfDealing && inner.memory.noted(&key).is_some()
            })
        });
    "third-advance-has-an-account-of-its-own", "2.remittance.intro.2",
        "the third advance of a business names another collection account than the first two",
        after!(|inner, key| Operation::RequestAdvance { payee, .. } => inner.key(&[payee]),
            AdvanceRequested(advance) if inner.memory.count(&key) == 3 =>
                advance.remittance.account_number.insert(0, '3'));
}

/// The payee and the invoice of an advance request.
fn invoice_of(operation: &Operation) -> Option<(String, String)> {
    match operation {
        Operation::RequestAdvance { payee, invoice } => Some((payee.clone(), invoice.clone())),
        _ => None,
    }
}

fn is_issued(inner: &mut Inner<'_>, (payee, invoice): (String, String)) -> bool {
    let read = inner.invoice(&payee, &invoice);
    read.is_some_and(|invoice| invoice.status == InvoiceStatus::Issued)
}

pub(super) fn is_repaid(inner: &mut Inner<'_>, payee: &str, invoice: &str) -> bool {
    let advance = inner.invoice(payee, invoice).and_then(|invoice| invoice.advance);
    advance.is_some_and(|advance| advance.state == AdvanceState::Repaid)
}

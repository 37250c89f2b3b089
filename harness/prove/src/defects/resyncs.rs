//! Defects of repeated invoice syncs: what changes, and what must not change.

use tideover_model::wire::reply::{Business, Invoice, InvoiceSynced, Reply};
use tideover_model::words::{CollectionState, InvoiceStatus, SyncOutcome};
use tideover_model::{Answer, Cents, FaceValue, InvoiceSync, Operation, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer, reply};
use crate::defects::invoices::read;
use crate::defects::requests::is_repaid;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "face-value-moves-over-an-advance",
        clause!("3.invoice.2"),
        "a sync changes the face value of an invoice that has an advance",
        answer(|behind, operation| {
            over_an_advance(behind, operation, |invoice, synced| {
                invoice.face_value = synced.face_value.cents();
            })
        }),
    ),
    Defect::new(
        "due-date-moves-over-an-advance",
        clause!("3.invoice.2"),
        "a sync changes the due date of an invoice that has an advance",
        answer(|behind, operation| {
            over_an_advance(behind, operation, |invoice, synced| {
                invoice.due_date = synced.due_date;
            })
        }),
    ),
    Defect::new(
        "status-only-is-reported-as-updated",
        clause!("3.invoice.2.2"),
        "a sync of an invoice that has an advance is reported as an update",
        reply(|reply| {
            if let Reply::InvoiceSynced(InvoiceSynced { outcome, .. }) = reply
                && *outcome == SyncOutcome::StatusOnly
            {
                *outcome = SyncOutcome::Updated;
            }
        }),
    ),
    altered!("updates-are-reported-as-status-only", "2.invoiceSynced.outcome.2",
        InvoiceSynced(synced) if synced.outcome == SyncOutcome::Updated
            => synced.outcome = SyncOutcome::StatusOnly,
        "an update of an invoice without an advance is reported as one of its status alone"),
    Defect::new(
        "third-sync-is-reported-as-created",
        clause!("4.invoiceSync.1"),
        "the third sync of an invoice is reported as its creation",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::SyncInvoice(sync) => behind.key(&[&sync.payee.business, &sync.invoice]),
                _ => return behind.answer(operation),
            };
            let mut answer = behind.answer(operation);
            if let Ok(Reply::InvoiceSynced(synced)) = &mut answer
                && behind.memory.count(&key) == 3
            {
                synced.outcome = SyncOutcome::Created;
            }
            answer
        }),
    ),
    Defect::new(
        "resync-forgets-what-was-collected",
        clause!("4.invoiceSync.2"),
        "an invoice that is synced again after a payment is shown as uncollected",
        answer(|behind, operation| {
            if let Operation::SyncInvoice(sync) = &operation {
                let key = behind.key(&[&sync.payee.business, &sync.invoice]);
                behind.memory.count(&key);
            }
            let key = match &operation {
                Operation::GetInvoice { payee, invoice } => behind.key(&[payee, invoice]),
                _ => String::new(),
            };
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Invoice(invoice)) = &mut answer
                && behind.memory.counted(&key) > 1
            {
                invoice.collected = Cents::ZERO;
                invoice.collection_state = CollectionState::Uncollected;
            }
            answer
        }),
    )
    .named_as(clause!("2.invoice.collected")),
    Defect::new(
        "second-sync-over-an-advance-moves-its-face-value",
        clause!("3.invoice.2"),
        "the second sync after an advance changes the face value of the invoice, the first does not",
        answer(|behind, operation| {
            let mut second = false;
            if let Operation::SyncInvoice(sync) = &operation {
                let key = behind.key(&["over", &sync.payee.business, &sync.invoice]);
                let (payee, invoice) = (sync.payee.business.clone(), sync.invoice.clone());
                second = has_advance(behind, payee, invoice) && behind.memory.count(&key) >= 2;
            }
            over_an_advance(behind, operation, |invoice, synced| {
                if second {
                    invoice.face_value = synced.face_value.cents();
                }
            })
        }),
    ),
    Defect::new(
        "repaid-invoices-move-again",
        clause!("3.invoice.2"),
        "a sync changes the face value of an invoice whose advance is REPAID",
        answer(|behind, operation| {
            let repaid = match &operation {
                Operation::SyncInvoice(sync) => {
                    is_repaid(behind, sync.payee.business.clone(), sync.invoice.clone())
                }
                _ => false,
            };
            over_an_advance(behind, operation, |invoice, synced| {
                if repaid {
                    invoice.face_value = synced.face_value.cents();
                }
            })
        }),
    ),
    Defect::new(
        "void-is-final",
        clause!("3.invoice.intro.1"),
        "an invoice that was VOIDED stays VOIDED, whatever later syncs send",
        answer(|behind, mut operation| {
            if let Operation::SyncInvoice(sync) = &mut operation
                && let Some(known) = known(behind, sync)
                && known.status == InvoiceStatus::Voided
            {
                sync.status = InvoiceStatus::Voided;
            }
            behind.answer(operation)
        }),
    )
    .named_as(clause!("2.invoice.status")),
    Defect::new(
        "resync-is-ignored",
        clause!("4.invoiceSync.1"),
        "a sync of a known invoice is reported as an update but changes only its status",
        answer(|behind, mut operation| {
            if let Operation::SyncInvoice(sync) = &mut operation
                && let Some(known) = known(behind, sync)
                && let Some(face_value) = FaceValue::new(known.face_value.0)
            {
                sync.face_value = face_value;
                sync.issue_date = known.issue_date;
                sync.due_date = known.due_date;
            }
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "invoice-sync-forgets-the-contract",
        clause!("4.invoiceSync.3"),
        "a business that has signed is shown as not signed once another invoice names it",
        answer(|behind, operation| {
            let payee = match &operation {
                Operation::SyncInvoice(sync) => Some(sync.payee.business.clone()),
                _ => None,
            };
            if let Some(payee) = payee
                && has_signed(behind, payee.clone())
            {
                let key = behind.key(&[&payee]);
                behind.memory.count(&key);
            }
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Business(business)) = &mut answer
                && behind.memory.counted(&behind.key(&[&business.external_id])) > 0
            {
                business.onboarding.contract = false;
            }
            answer
        }),
    )
    .named_as(clause!("3.requirement.contract")),
    Defect::new(
        "other-payees-invoice-is-updated",
        clause!("1.general.3"),
        "a sync updates the invoice of another payee that has the same identifier",
        answer(|behind, mut operation| {
            if let Operation::SyncInvoice(sync) = &mut operation {
                let key = behind.key(&["payee of", &sync.invoice]);
                let business = sync.payee.business.clone();
                match behind.memory.kept(&key) {
                    Some(Reply::Business(first)) => {
                        sync.payee.business = first.external_id.clone();
                    }
                    _ => keep_payee(behind, key, business),
                }
            }
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "advance-locks-its-number-for-every-payee",
        clause!("1.general.3"),
        "an advance locks the invoices of every payee that have the same identifier",
        answer(|behind, operation| {
            if let Operation::RequestAdvance { payee, invoice } = &operation {
                let (key, payee) = (behind.key(&["locked", invoice]), payee.clone());
                let answer = behind.answer(operation);
                if let Ok(Reply::AdvanceRequested(_)) = answer {
                    keep_payee(behind, key, payee);
                }
                return answer;
            }
            let locked = match &operation {
                Operation::SyncInvoice(sync) => locked_by_another(behind, sync),
                _ => false,
            };
            let mut answer = behind.answer(operation);
            if let Ok(Reply::InvoiceSynced(synced)) = &mut answer
                && locked
                && synced.outcome == SyncOutcome::Updated
            {
                synced.outcome = SyncOutcome::StatusOnly;
            }
            answer
        }),
    ),
];

/// The invoice as it is before the sync.
fn known(behind: &mut Behind<'_>, sync: &InvoiceSync) -> Option<Box<Invoice>> {
    let (payee, invoice) = (sync.payee.business.clone(), sync.invoice.clone());
    match behind.answer(Operation::GetInvoice { payee, invoice }) {
        Ok(Reply::Invoice(known)) => Some(known),
        _ => None,
    }
}

fn has_advance(behind: &mut Behind<'_>, payee: String, invoice: String) -> bool {
    let read = behind.answer(Operation::GetInvoice { payee, invoice });
    matches!(read, Ok(Reply::Invoice(invoice)) if invoice.advance.is_some())
}

fn has_signed(behind: &mut Behind<'_>, business: String) -> bool {
    let read = behind.answer(Operation::GetBusiness { business });
    matches!(read, Ok(Reply::Business(business)) if business.onboarding.contract)
}

/// Remembers the payee under `key`, if that business is known.
fn keep_payee(behind: &mut Behind<'_>, key: String, business: String) {
    if let Ok(payee) = behind.answer(Operation::GetBusiness { business }) {
        behind.memory.first(key, payee);
    }
}

/// Whether another payee has an advance on an invoice with this identifier.
fn locked_by_another(behind: &Behind<'_>, sync: &InvoiceSync) -> bool {
    let locked = behind.memory.kept(&behind.key(&["locked", &sync.invoice]));
    matches!(locked, Some(Reply::Business(Business { external_id, .. }))
        if *external_id != sync.payee.business)
}

/// Lets a sync of an invoice with an advance change more than the status; it shows in later reads.
fn over_an_advance(
    behind: &mut Behind<'_>,
    operation: Operation,
    alter: impl FnOnce(&mut Invoice, &InvoiceSync),
) -> Answer {
    if let Operation::GetInvoice { payee, invoice } = &operation {
        let changed = behind.memory.kept(&behind.key(&[payee, invoice])).cloned();
        let mut answer = behind.answer(operation);
        if let (Ok(reply), Some(Reply::Invoice(changed))) = (&mut answer, changed) {
            read(reply, |invoice| {
                invoice.face_value = changed.face_value;
                invoice.due_date = changed.due_date;
            });
        }
        return answer;
    }
    let Operation::SyncInvoice(sync) = operation else { return behind.answer(operation) };
    let (payee, invoice) = (sync.payee.business.clone(), sync.invoice.clone());
    let answer = behind.answer(Operation::SyncInvoice(sync.clone()))?;
    if matches!(&answer, Reply::InvoiceSynced(synced) if synced.outcome == SyncOutcome::StatusOnly)
    {
        let key = behind.key(&[&payee, &invoice]);
        if let Ok(mut reply) = behind.answer(Operation::GetInvoice { payee, invoice }) {
            read(&mut reply, |invoice| alter(invoice, &sync));
            behind.memory.keep(key, reply);
        }
    }
    Ok(answer)
}

//! Defects of repeated invoice syncs: what changes, and what must not change.

use tideover_model::wire::reply::{Business, Invoice, InvoiceSynced, Reply};
use tideover_model::words::{CollectionState, InvoiceStatus, SyncOutcome};
use tideover_model::{Answer, Cents, FaceValue, InvoiceSync, Operation};

use crate::Inner;
use crate::catalogue::requests::is_repaid;
use crate::hooks::answer;

defects! {
    "face-value-moves-over-an-advance", "3.invoice.2",
        "a sync changes the face value of an invoice that has an advance",
        answer(&|inner, operation| over_an_advance(inner, operation, move_face_value));
    "due-date-moves-over-an-advance", "3.invoice.2",
        "a sync changes the due date of an invoice that has an advance",
        answer(&|inner, operation| {
            over_an_advance(inner, operation, |invoice, sync| invoice.due_date = sync.due_date)
        });
    "status-only-is-reported-as-updated", "3.invoice.2.2",
        "a sync of an invoice that has an advance is reported as an update",
        edit!(InvoiceSynced(InvoiceSynced { outcome, .. })
            if *outcome == SyncOutcome::StatusOnly => *outcome = SyncOutcome::Updated);
    "updates-are-reported-as-status-only", "2.invoiceSynced.outcome.2",
        "an update of an invoice without an advance is reported as one of its status alone",
        edit!(InvoiceSynced(synced) if synced.outcome == SyncOutcome::Updated =>
            synced.outcome = SyncOutcome::StatusOnly);
    "third-sync-is-reported-as-created", "4.invoiceSync.1",
        "the third sync of an invoice is reported as its creation",
        after!(|inner, key|
            Operation::SyncInvoice(sync) => inner.key(&[&sync.payee.business, &sync.invoice]),
            InvoiceSynced(synced) if inner.memory.count(&key) == 3 =>
                synced.outcome = SyncOutcome::Created);
    "resync-forgets-what-was-collected", "4.invoiceSync.2", as "2.invoice.collected",
        "an invoice that is synced again after a payment is shown as uncollected",
        answer(&|inner, operation| {
            if let Operation::SyncInvoice(sync) = &operation {
                let key = inner.key(&[&sync.payee.business, &sync.invoice]);
                inner.memory.count(&key);
            }
            let key = match &operation {
                Operation::GetInvoice { payee, invoice } => inner.key(&[payee, invoice]),
                _ => String::new(),
            };
            let mut answer = inner.answer(operation);
            if let Ok(Reply::Invoice(invoice)) = &mut answer
                && inner.memory.counted(&key) > 1
            {
                invoice.collected = Cents::ZERO;
                invoice.collection_state = CollectionState::Uncollected;
            }
            answer
        });
    "second-sync-over-an-advance-moves-its-face-value", "3.invoice.2",
        "the second sync after an advance changes the face value of the invoice, the first does not",
        answer(&|inner, operation| {
            let mut second = false;
            if let Operation::SyncInvoice(sync) = &operation {
                let key = inner.key(&["over", &sync.payee.business, &sync.invoice]);
                let has_advance = known(inner, sync).is_some_and(|known| known.advance.is_some());
                second = has_advance && inner.memory.count(&key) >= 2;
            }
            over_an_advance(inner, operation, if second { move_face_value } else { |_, _| {} })
        });
    "repaid-invoices-move-again", "3.invoice.2",
        "a sync changes the face value of an invoice whose advance is REPAID",
        answer(&|inner, operation| {
            let repaid = matches!(&operation, Operation::SyncInvoice(sync)
                if is_repaid(inner, &sync.payee.business, &sync.invoice));
            over_an_advance(inner, operation, if repaid { move_face_value } else { |_, _| {} })
        });
    "void-is-final", "3.invoice.intro.1", as "2.invoice.status",
        "an invoice that was VOIDED stays VOIDED, whatever later syncs send",
        answer(&|inner, mut operation| {
            if let Operation::SyncInvoice(sync) = &mut operation
                && let Some(known) = known(inner, sync)
                && known.status == InvoiceStatus::Voided
            {
                sync.status = InvoiceStatus::Voided;
            }
            inner.answer(operation)
        });
    "resync-is-ignored", "4.invoiceSync.1",
        "a sync of a known invoice is reported as an update but changes only its status",
        answer(&|inner, mut operation| {
            if let Operation::SyncInvoice(sync) = &mut operation
                && let Some(known) = known(inner, sync)
                && let Some(face_value) = FaceValue::new(known.face_value.0)
            {
                sync.face_value = face_value;
                sync.issue_date = known.issue_date;
                sync.due_date = known.due_date;
            }
            inner.answer(operation)
        });
    "invoice-sync-forgets-the-contract", "4.invoiceSync.3", as "3.requirement.contract",
        "a business that has signed is shown as not signed once another invoice names it",
        answer(&|inner, operation| {
            if let Operation::SyncInvoice(sync) = &operation
                && let Some(payee) = inner.business(&sync.payee.business)
                && payee.onboarding.contract
            {
                let key = inner.key(&[&sync.payee.business]);
                inner.memory.count(&key);
            }
            let mut answer = inner.answer(operation);
            if let Ok(Reply::Business(business)) = &mut answer
                && inner.counted(&[&business.external_id]) > 0
            {
                business.onboarding.contract = false;
            }
            answer
        });
    "other-payees-invoice-is-updated", "1.general.3",
        "a sync updates the invoice of another payee that has the same identifier",
        answer(&|inner, mut operation| {
            if let Operation::SyncInvoice(sync) = &mut operation {
                let key = inner.key(&["payee of", &sync.invoice]);
                match inner.memory.kept(&key) {
                    Some(Reply::Business(first)) => {
                        sync.payee.business = first.external_id.clone();
                    }
                    _ => keep_payee(inner, key, &sync.payee.business),
                }
            }
            inner.answer(operation)
        });
    "advance-locks-its-number-for-every-payee", "1.general.3",
        "an advance locks the invoices of every payee that have the same identifier",
        answer(&|inner, operation| {
            if let Operation::RequestAdvance { payee, invoice } = &operation {
                let (key, payee) = (inner.key(&["locked", invoice]), payee.clone());
                let answer = inner.answer(operation);
                if let Ok(Reply::AdvanceRequested(_)) = answer {
                    keep_payee(inner, key, &payee);
                }
                return answer;
            }
            let locked = matches!(&operation, Operation::SyncInvoice(sync)
                if locked_by_another(inner, sync));
            let mut answer = inner.answer(operation);
            if let Ok(Reply::InvoiceSynced(synced)) = &mut answer
                && locked
                && synced.outcome == SyncOutcome::Updated
            {
                synced.outcome = SyncOutcome::StatusOnly;
            }
            answer
        });
}

/// The invoice as it is before the sync.
fn known(inner: &mut Inner<'_>, sync: &InvoiceSync) -> Option<Box<Invoice>> {
    inner.invoice(&sync.payee.business, &sync.invoice)
}

fn move_face_value(invoice: &mut Invoice, sync: &InvoiceSync) {
    invoice.face_value = sync.face_value.cents();
}

/// Remembers the payee under `key`, if that business is known.
pub(super) fn keep_payee(inner: &mut Inner<'_>, key: String, business: &str) {
    if let Some(payee) = inner.business(business) {
        inner.memory.first(key, Reply::Business(payee));
    }
}

/// Whether another payee has an advance on an invoice with this identifier.
fn locked_by_another(inner: &Inner<'_>, sync: &InvoiceSync) -> bool {
    let locked = inner.memory.kept(&inner.key(&["locked", &sync.invoice]));
    matches!(locked, Some(Reply::Business(Business { external_id, .. }))
        if *external_id != sync.payee.business)
}

/// Lets a sync of an invoice with an advance change more than the status; it shows in later reads.
fn over_an_advance(
    inner: &mut Inner<'_>,
    operation: Operation,
    alter: fn(&mut Invoice, &InvoiceSync),
) -> Answer {
    if let Operation::GetInvoice { payee, invoice } = &operation {
        let changed = inner.memory.kept(&inner.key(&[payee, invoice])).cloned();
        let mut answer = inner.answer(operation);
        if let (Ok(Reply::Invoice(invoice)), Some(Reply::Invoice(changed))) = (&mut answer, changed)
        {
            (invoice.face_value, invoice.due_date) = (changed.face_value, changed.due_date);
        }
        return answer;
    }
    let Operation::SyncInvoice(sync) = operation else { return inner.answer(operation) };
    let answer = inner.answer(Operation::SyncInvoice(sync.clone()))?;
    if matches!(&answer, Reply::InvoiceSynced(synced) if synced.outcome == SyncOutcome::StatusOnly)
    {
        let key = inner.key(&[&sync.payee.business, &sync.invoice]);
        if let Some(mut invoice) = known(inner, &sync) {
            alter(&mut invoice, &sync);
            inner.memory.keep(key, Reply::Invoice(invoice));
        }
    }
    Ok(answer)
}

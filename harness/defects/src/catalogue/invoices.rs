//! Defects of invoices that are read or first synced.

use tideover_model::wire::reply::{Advance, Invoice, InvoiceSynced, Reply};
use tideover_model::words::{AdvanceState, CollectionState, InvoiceStatus, SyncOutcome};
use tideover_model::{Cents, Code, FaceValue, Operation, Refusal, Timestamp, clause};

use crate::catalogue::resyncs::keep_payee;
use crate::hooks::answer;

defects! {
    "invoice-identifiers-are-global", "1.general.3",
        "reading an invoice returns that of the first payee who used its identifier",
        answer(&|inner, mut operation| {
            if let Operation::GetInvoice { invoice, .. } = &operation
                && let Some(Reply::Business(first)) =
                    inner.memory.kept(&inner.key(&["payee of", invoice]))
            {
                let (payee, invoice) = (first.external_id.clone(), invoice.clone());
                operation = Operation::GetInvoice { payee, invoice };
            }
            if let Operation::SyncInvoice(sync) = &operation {
                keep_payee(inner, inner.key(&["payee of", &sync.invoice]), &sync.payee.business);
            }
            inner.answer(operation)
        });
    "percent-sign-is-decoded-twice", "2.invoice.externalId",
        "an invoice with a percent sign in its identifier is shown without it",
        edit!(Invoice(invoice) => invoice.external_id = invoice.external_id.replace('%', ""));
    "paid-invoices-become-paid", "2.invoice.status.2",
        "the service changes the status of an invoice to PAID once all of it is collected",
        edit!(Invoice(invoice) if invoice.collection_state == CollectionState::Collected =>
            invoice.status = InvoiceStatus::Paid);
    "status-is-that-of-the-first-sync", "2.invoice.status",
        "the status of an invoice never changes after its first read",
        after!(|inner, key| Operation::GetInvoice { payee, invoice } => inner.key(&[payee, invoice]),
            Invoice(invoice) => {
                let first = inner.memory.first(key, Reply::Invoice(invoice.clone()));
                if let Reply::Invoice(first) = first {
                    invoice.status = first.status;
                }
            });
    "large-face-value-is-rounded", "4.invoiceSync.1", as "2.invoice.faceValue",
        "a face value is stored as a 32-bit float, which loses cents above 16,777,216",
        edit!(Invoice(invoice) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                reason = "the defect"
            )]
            let rounded = invoice.face_value.0 as f32 as i64;
            invoice.face_value = Cents(rounded);
        });
    "issue-date-is-cut-to-the-day", "4.invoiceSync.1",
        "the issue date of an invoice loses its time of day",
        edit!(Invoice(invoice) => invoice.issue_date = midnight(invoice.issue_date));
    "due-date-far-off-is-cut", "4.invoiceSync.1",
        "a due date after 2026 is shown as the end of 2026",
        edit!(Invoice(invoice) => {
            let end = Timestamp::from_unix(1_798_761_599).unwrap_or(Timestamp::MAX);
            invoice.due_date = invoice.due_date.min(end);
        });
    "void-invoices-are-fundable", "2.invoice.fundable",
        "an invoice that is VOIDED is shown as fundable",
        edit!(Invoice(invoice) if invoice.status == InvoiceStatus::Voided => {
            invoice.fundable = true;
            invoice.not_fundable_reason = None;
        });
    "advance-is-shown-before-it-is-requested", "2.invoice.advance",
        "an invoice without an advance shows one of zero cents",
        edit!(|inner| Invoice(invoice) =>
            invoice.advance.get_or_insert_with(|| no_advance(inner.now)));
    "advanced-invoices-stay-fundable", "2.invoice.fundable",
        "an invoice that has an advance is shown as fundable",
        edit!(Invoice(invoice) if invoice.advance.is_some() => {
            invoice.fundable = true;
            invoice.not_fundable_reason = None;
        });
    "withdrawn-invoices-stay-unfundable", "2.invoice.fundable",
        "an invoice that was read while it was not ISSUED is never fundable again",
        after!(|inner, key| Operation::GetInvoice { payee, invoice } => inner.key(&[payee, invoice]),
            Invoice(invoice) => {
                if invoice.status != InvoiceStatus::Issued {
                    inner.memory.count(&key);
                }
                if invoice.fundable && inner.memory.counted(&key) > 0 {
                    invoice.fundable = false;
                    invoice.not_fundable_reason = Some("The invoice was withdrawn.");
                }
            });
    "fundable-forgets-the-limit", "2.invoice.fundable",
        "an invoice whose advance would exceed the limit is shown as fundable",
        edit!(Invoice(invoice)
            if invoice.not_fundable_reason.is_some_and(|reason| reason.contains("outstanding")) => {
            invoice.fundable = true;
            invoice.not_fundable_reason = None;
        });
    "fundable-is-followed-by-a-409", "2.invoice.fundable.2",
        "an invoice that was shown as fundable is refused an advance in the same second",
        answer(&|inner, operation| {
            let key = match &operation {
                Operation::GetInvoice { payee, invoice }
                | Operation::RequestAdvance { payee, invoice } => inner.key(&[payee, invoice]),
                _ => return inner.answer(operation),
            };
            if matches!(operation, Operation::RequestAdvance { .. })
                && inner.memory.noted(&key) == Some(inner.now)
            {
                return Err(Refusal::new(
                    Code::InvoiceNotFinanceable,
                    clause!("2.invoice.fundable.2"),
                ));
            }
            let answer = inner.answer(operation);
            if matches!(&answer, Ok(Reply::Invoice(invoice)) if invoice.fundable) {
                inner.memory.note(key, inner.now);
            }
            answer
        });
    "no-reason-for-self-dealing", "2.invoice.notFundableReason",
        "an invoice that a business owes to itself is not fundable, and the reason is null",
        edit!(Invoice(invoice) =>
            invoice.not_fundable_reason.take_if(|reason| reason.contains("same business")));
    "null-reason-is-left-out", "2.invoice.notFundableReason",
        "a fundable invoice omits the field notFundableReason",
        body!(|body| Invoice(_) if body["notFundableReason"].is_null() =>
            body.as_object_mut()?.remove("notFundableReason"));
    "reason-names-the-limit", "2.invoice.notFundableReason.2",
        "the reason of an invoice over the limit states the limit",
        edit!(Invoice(invoice)
            let Some(reason) = &mut invoice.not_fundable_reason,
            if reason.contains("outstanding") =>
            *reason = "More than $1,000,000.00 would be outstanding with this business.");
    "sync-names-no-invoice", "2.invoiceSynced.externalId",
        "the response to an invoice update has an empty identifier",
        edit!(InvoiceSynced(InvoiceSynced { external_id, outcome, .. })
            if *outcome == SyncOutcome::Updated => external_id.clear());
    "null-sync-reason-is-left-out", "2.invoiceSynced.reason",
        "the response to an invoice sync omits a null reason",
        body!(|body| InvoiceSynced(_) if body["reason"].is_null() =>
            body.as_object_mut()?.remove("reason"));
    "payors-are-not-created", "4.invoiceSync.3", as "7.codes.business_not_found",
        "a business that was named only as a payor is not found",
        answer(&|inner, operation| {
            match &operation {
                Operation::SyncBusiness { business, .. } => {
                    let key = inner.key(&[business]);
                    inner.memory.forget(&key);
                    inner.memory.count(&key);
                }
                Operation::SyncInvoice(sync) => {
                    let key = inner.key(&[&sync.payor.business]);
                    if inner.memory.counted(&key) == 0 {
                        inner.memory.note(key, inner.now);
                    }
                }
                Operation::GetBusiness { business }
                    if inner.memory.noted(&inner.key(&[business])).is_some() =>
                {
                    return Err(Refusal::new(
                        Code::BusinessNotFound,
                        clause!("7.codes.business_not_found"),
                    ));
                }
                _ => {}
            }
            inner.answer(operation)
        });
    "greatest-face-value-is-refused", "8.faceValue", as "7.codes.invalid_request",
        "an invoice of exactly 2147483647 cents is refused",
        refuse!(Operation::SyncInvoice(sync) if sync.face_value.cents() == Cents(FaceValue::MAX)
            => InvalidRequest, "8.faceValue");
    "unknown-invoice-is-shown-as-void", "7.codes.invoice_not_found",
        "reading an invoice that is not synced returns one that is VOIDED",
        despite!(|inner, name| Operation::GetInvoice { invoice, .. } => invoice.clone(),
            InvoiceNotFound => Ok(Reply::Invoice(Box::new(void(name, inner.now)))));
}

fn void(external_id: String, now: Timestamp) -> Invoice {
    Invoice {
        external_id,
        status: InvoiceStatus::Voided,
        face_value: Cents(1),
        collected: Cents::ZERO,
        collection_state: CollectionState::Uncollected,
        issue_date: now,
        due_date: now,
        advance: None,
        fundable: false,
        not_fundable_reason: Some("It is void."),
    }
}

/// An advance of zero cents.
fn no_advance(now: Timestamp) -> Advance {
    Advance {
        state: AdvanceState::Requested,
        advance_amount: Cents::ZERO,
        fee_total: Cents::ZERO,
        amount_sent: Cents::ZERO,
        amount_owed: Cents::ZERO,
        requested_at: now,
        funded_at: None,
        repaid_at: None,
    }
}

fn midnight(time: Timestamp) -> Timestamp {
    Timestamp::from_unix(time.unix().div_euclid(86_400) * 86_400).unwrap_or(time)
}

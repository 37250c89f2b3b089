//! Defects of invoices that are read or first synced.

use tideover_model::wire::reply::{Advance, Invoice, InvoiceSynced, Reply};
use tideover_model::words::{AdvanceState, CollectionState, InvoiceStatus, SyncOutcome};
use tideover_model::{Cents, Code, FaceValue, Operation, Refusal, Timestamp, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, answer, encoding, reply};
use crate::defects::errors::rewritten;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "invoice-identifiers-are-global",
        clause!("1.general.3"),
        "reading an invoice returns that of the first payee who used its identifier",
        answer(|behind, mut operation| {
            if let Operation::GetInvoice { invoice, .. } = &operation
                && let Some(Reply::Business(first)) =
                    behind.memory.kept(&behind.key(&["payee of", invoice]))
            {
                let (payee, invoice) = (first.external_id.clone(), invoice.clone());
                operation = Operation::GetInvoice { payee, invoice };
            }
            remember_payee(behind, &operation);
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "percent-sign-is-decoded-twice",
        clause!("2.invoice.externalId"),
        "an invoice with a percent sign in its identifier is shown without it",
        reply(|reply| {
            read(reply, |invoice| invoice.external_id = invoice.external_id.replace('%', ""))
        }),
    ),
    Defect::new(
        "paid-invoices-become-paid",
        clause!("2.invoice.status.2"),
        "the service changes the status of an invoice to PAID once all of it is collected",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.collection_state == CollectionState::Collected {
                    invoice.status = InvoiceStatus::Paid;
                }
            });
        }),
    ),
    Defect::new(
        "status-is-that-of-the-first-sync",
        clause!("2.invoice.status"),
        "the status of an invoice never changes after its first read",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::GetInvoice { payee, invoice } => behind.key(&[payee, invoice]),
                _ => return behind.answer(operation),
            };
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Invoice(invoice)) = &mut answer {
                let first = behind.memory.first(key, Reply::Invoice(invoice.clone()));
                if let Reply::Invoice(first) = first {
                    invoice.status = first.status;
                }
            }
            answer
        }),
    ),
    Defect::new(
        "large-face-value-is-rounded",
        clause!("4.invoiceSync.1"),
        "a face value is stored as a 32-bit float, which loses cents above 16,777,216",
        reply(|reply| {
            read(reply, |invoice| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_precision_loss,
                    reason = "the defect"
                )]
                let rounded = invoice.face_value.0 as f32 as i64;
                invoice.face_value = Cents(rounded);
            });
        }),
    ),
    Defect::new(
        "issue-date-is-cut-to-the-day",
        clause!("4.invoiceSync.1"),
        "the issue date of an invoice loses its time of day",
        reply(|reply| read(reply, |invoice| invoice.issue_date = midnight(invoice.issue_date))),
    ),
    Defect::new(
        "due-date-far-off-is-cut",
        clause!("4.invoiceSync.1"),
        "a due date after 2026 is shown as the end of 2026",
        reply(|reply| {
            read(reply, |invoice| {
                let end = Timestamp::from_unix(1_798_761_599).unwrap_or(Timestamp::MAX);
                invoice.due_date = invoice.due_date.min(end);
            });
        }),
    ),
    Defect::new(
        "void-invoices-are-fundable",
        clause!("2.invoice.fundable"),
        "an invoice that is VOIDED is shown as fundable",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.status == InvoiceStatus::Voided {
                    invoice.fundable = true;
                    invoice.not_fundable_reason = None;
                }
            });
        }),
    ),
    Defect::new(
        "advance-is-shown-before-it-is-requested",
        clause!("2.invoice.advance"),
        "an invoice without an advance shows one of zero cents",
        answer(|behind, operation| {
            let now = behind.now;
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Invoice(invoice)) = &mut answer {
                invoice.advance.get_or_insert_with(|| no_advance(now));
            }
            answer
        }),
    ),
    Defect::new(
        "advanced-invoices-stay-fundable",
        clause!("2.invoice.fundable"),
        "an invoice that has an advance is shown as fundable",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.advance.is_some() {
                    invoice.fundable = true;
                    invoice.not_fundable_reason = None;
                }
            });
        }),
    ),
    Defect::new(
        "withdrawn-invoices-stay-unfundable",
        clause!("2.invoice.fundable"),
        "an invoice that was read while it was not ISSUED is never fundable again",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::GetInvoice { payee, invoice } => behind.key(&[payee, invoice]),
                _ => return behind.answer(operation),
            };
            let mut answer = behind.answer(operation);
            if let Ok(Reply::Invoice(invoice)) = &mut answer {
                if invoice.status != InvoiceStatus::Issued {
                    behind.memory.count(&key);
                }
                if invoice.fundable && behind.memory.counted(&key) > 0 {
                    invoice.fundable = false;
                    invoice.not_fundable_reason = Some("The invoice was withdrawn.");
                }
            }
            answer
        }),
    ),
    Defect::new(
        "fundable-forgets-the-limit",
        clause!("2.invoice.fundable"),
        "an invoice whose advance would exceed the limit is shown as fundable",
        reply(|reply| {
            read(reply, |invoice| {
                if invoice.not_fundable_reason.is_some_and(|reason| reason.contains("outstanding"))
                {
                    invoice.fundable = true;
                    invoice.not_fundable_reason = None;
                }
            });
        }),
    ),
    Defect::new(
        "fundable-is-followed-by-a-409",
        clause!("2.invoice.fundable.2"),
        "an invoice that was shown as fundable is refused an advance in the same second",
        answer(|behind, operation| {
            let key = match &operation {
                Operation::GetInvoice { payee, invoice }
                | Operation::RequestAdvance { payee, invoice } => behind.key(&[payee, invoice]),
                _ => return behind.answer(operation),
            };
            if matches!(operation, Operation::RequestAdvance { .. })
                && behind.memory.noted(&key) == Some(behind.now)
            {
                return Err(Refusal::new(
                    Code::InvoiceNotFinanceable,
                    clause!("2.invoice.fundable.2"),
                ));
            }
            let answer = behind.answer(operation);
            if matches!(&answer, Ok(Reply::Invoice(invoice)) if invoice.fundable) {
                behind.memory.note(key, behind.now);
            }
            answer
        }),
    ),
    Defect::new(
        "no-reason-for-self-dealing",
        clause!("2.invoice.notFundableReason"),
        "an invoice that a business owes to itself is not fundable, and the reason is null",
        reply(|reply| {
            read(reply, |invoice| {
                invoice.not_fundable_reason.take_if(|reason| reason.contains("same business"));
            });
        }),
    ),
    Defect::new(
        "null-reason-is-left-out",
        clause!("2.invoice.notFundableReason"),
        "a fundable invoice omits the field notFundableReason",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::Invoice(_)) && body["notFundableReason"].is_null() {
                    body.as_object_mut()?.remove("notFundableReason");
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "reason-names-the-limit",
        clause!("2.invoice.notFundableReason.2"),
        "the reason of an invoice over the limit states the limit",
        reply(|reply| {
            read(reply, |invoice| {
                if let Some(reason) = &mut invoice.not_fundable_reason
                    && reason.contains("outstanding")
                {
                    *reason = "More than $1,000,000.00 would be outstanding with this business.";
                }
            });
        }),
    ),
    Defect::new(
        "sync-names-no-invoice",
        clause!("2.invoiceSynced.externalId"),
        "the response to an invoice update has an empty identifier",
        reply(|reply| {
            if let Reply::InvoiceSynced(InvoiceSynced { external_id, outcome, .. }) = reply
                && *outcome == SyncOutcome::Updated
            {
                external_id.clear();
            }
        }),
    ),
    Defect::new(
        "null-sync-reason-is-left-out",
        clause!("2.invoiceSynced.reason"),
        "the response to an invoice sync omits a null reason",
        encoding(|profile, answer| {
            rewritten(profile, answer, |reply, body| {
                if matches!(reply, Reply::InvoiceSynced(_)) && body["reason"].is_null() {
                    body.as_object_mut()?.remove("reason");
                }
                Some(())
            })
        }),
    ),
    Defect::new(
        "payors-are-not-created",
        clause!("4.invoiceSync.3"),
        "a business that was named only as a payor is not found",
        answer(|behind, operation| {
            match &operation {
                Operation::SyncBusiness { business, .. } => {
                    let key = behind.key(&[business]);
                    behind.memory.forget(&key);
                    behind.memory.count(&key);
                }
                Operation::SyncInvoice(sync) => {
                    let key = behind.key(&[&sync.payor.business]);
                    if behind.memory.counted(&key) == 0 {
                        behind.memory.note(key, behind.now);
                    }
                }
                Operation::GetBusiness { business }
                    if behind.memory.noted(&behind.key(&[business])).is_some() =>
                {
                    return Err(Refusal::new(
                        Code::BusinessNotFound,
                        clause!("7.codes.business_not_found"),
                    ));
                }
                _ => {}
            }
            behind.answer(operation)
        }),
    )
    .named_as(clause!("7.codes.business_not_found")),
    Defect::new(
        "greatest-face-value-is-refused",
        clause!("8.faceValue"),
        "an invoice of exactly 2147483647 cents is refused",
        answer(|behind, operation| match &operation {
            Operation::SyncInvoice(sync) if sync.face_value.cents() == Cents(FaceValue::MAX) => {
                Err(Refusal::new(Code::InvalidRequest, clause!("8.faceValue")))
            }
            _ => behind.answer(operation),
        }),
    )
    .named_as(clause!("7.codes.invalid_request")),
    Defect::new(
        "unknown-invoice-is-shown-as-void",
        clause!("7.codes.invoice_not_found"),
        "reading an invoice that is not synced returns one that is VOIDED",
        answer(|behind, operation| {
            let external_id = match &operation {
                Operation::GetInvoice { invoice, .. } => invoice.clone(),
                _ => return behind.answer(operation),
            };
            match behind.answer(operation) {
                Err(refusal) if refusal.code == Code::InvoiceNotFound => {
                    Ok(Reply::Invoice(Box::new(Invoice {
                        external_id,
                        status: InvoiceStatus::Voided,
                        face_value: Cents(1),
                        collected: Cents::ZERO,
                        collection_state: CollectionState::Uncollected,
                        issue_date: behind.now,
                        due_date: behind.now,
                        advance: None,
                        fundable: false,
                        not_fundable_reason: Some("It is void."),
                    })))
                }
                answer => answer,
            }
        }),
    ),
];

/// Alters the invoice in the response to a read.
pub(super) fn read(reply: &mut Reply, alter: impl FnOnce(&mut Invoice)) {
    if let Reply::Invoice(invoice) = reply {
        alter(invoice);
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

fn remember_payee(behind: &mut Behind<'_>, operation: &Operation) {
    let Operation::SyncInvoice(sync) = operation else { return };
    let key = behind.key(&["payee of", &sync.invoice]);
    let read = Operation::GetBusiness { business: sync.payee.business.clone() };
    if let Ok(payee) = behind.answer(read) {
        behind.memory.first(key, payee);
    }
}

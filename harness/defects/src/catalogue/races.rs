//! Defects that show only while other requests are in flight: the service acts on the state at the
//! arrival of a request.

use tideover_model::wire::reply::{AdvanceRepeated, AdvanceRequested, Reply};
use tideover_model::{Answer, Code, Face, Operation};

use crate::Inner;
use crate::hooks::race;

defects! {
    "race-lets-two-first-requests-through", "4.advances.2",
        "two simultaneous requests for one invoice are both answered as the first",
        race(&|inner, before, operation| match &operation {
            Operation::RequestAdvance { .. } => {
                let (then, now) = both(inner, before, operation);
                match (then, now) {
                    (Ok(first @ Reply::AdvanceRequested(_)), Ok(Reply::AdvanceRepeated(_))) => {
                        Ok(first)
                    }
                    (_, now) => now,
                }
            }
            _ => inner.answer(operation),
        });
    "race-lets-an-advance-beyond-the-limit-through", "8.concentrationLimit",
        "two simultaneous advances are both granted although only one fits the limit",
        race(&|inner, before, operation| {
            let Operation::RequestAdvance { payee, invoice } = &operation else {
                return inner.answer(operation);
            };
            let key = inner.key(&[payee, invoice]);
            if let Some(Reply::AdvanceRequested(first)) = inner.memory.kept(&key) {
                return Ok(repeated(first));
            }
            let granted = granted_as_then(inner, before, operation, Code::ConcentrationExceeded);
            if let Ok(first @ Reply::AdvanceRequested(_)) = &granted {
                inner.memory.keep(key, first.clone());
            }
            granted
        });
    "race-creates-one-business-twice", "2.businessSynced.created",
        "two simultaneous syncs of a new business are both answered as its creation",
        race(&|inner, before, operation| {
            let Operation::SyncBusiness { .. } = &operation else {
                return inner.answer(operation);
            };
            match both(inner, before, operation) {
                (Ok(Reply::BusinessSynced(then)), Ok(_)) if then.created => {
                    Ok(Reply::BusinessSynced(then))
                }
                (_, now) => now,
            }
        });
    "race-returns-two-secrets-for-one-url", "4.webhooks.3",
        "of two simultaneous subscriptions of one URL, the later replaces the other",
        race(&|inner, before, operation| {
            let Operation::Subscribe { url, .. } = &operation else {
                return inner.answer(operation);
            };
            let url = url.clone();
            let now = inner.answer(operation.clone());
            if before.handle(inner.now, inner.caller, operation.clone()).is_err() || now.is_ok() {
                return now;
            }
            if let Ok(Reply::Subscriptions(live)) = inner.answer(Operation::ListSubscriptions)
                && let Some(other) = live.into_iter().find(|one| one.url == url)
            {
                let _ = inner.answer(Operation::Unsubscribe { reference: other.reference });
            }
            inner.answer(operation)
        });
    "race-takes-two-files-for-one-import", "4.imports.8",
        "two files sent at once under one identifier are both answered as imported",
        race(&|inner, before, operation| {
            granted_as_then(inner, before, operation, Code::AlreadyImported)
        });
}

/// The response to a repeat of the first request.
fn repeated(first: &AdvanceRequested) -> Reply {
    Reply::AdvanceRepeated(AdvanceRepeated {
        already_requested: true,
        advance_amount: first.amounts.advance_amount,
        fee_total: first.amounts.fee_total,
        remittance: first.remittance.clone(),
    })
}

/// The response on the state at arrival, and the response on the state now.
fn both(inner: &mut Inner<'_>, before: &mut dyn Face, operation: Operation) -> (Answer, Answer) {
    let then = before.handle(inner.now, inner.caller, operation.clone());
    (then, inner.answer(operation))
}

/// Grants what is refused with `code` now, if the state at arrival granted it.
fn granted_as_then(
    inner: &mut Inner<'_>,
    before: &mut dyn Face,
    operation: Operation,
    code: Code,
) -> Answer {
    match both(inner, before, operation) {
        (Ok(then), Err(refusal)) if refusal.code == code => Ok(then),
        (_, now) => now,
    }
}

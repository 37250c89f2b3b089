//! Defects that show only while other requests are in flight: the service acts on the state at the
//! arrival of a request.

use tideover_model::wire::reply::{AdvanceRepeated, AdvanceRequested, Reply};
use tideover_model::{Answer, Code, Face, Operation, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, race};

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "race-lets-two-first-requests-through",
        clause!("4.advances.2"),
        "two simultaneous requests for one invoice are both answered as the first",
        race(|behind, before, operation| match &operation {
            Operation::RequestAdvance { .. } => {
                let (then, now) = both(behind, before, operation);
                match (then, now) {
                    (Ok(first @ Reply::AdvanceRequested(_)), Ok(Reply::AdvanceRepeated(_))) => {
                        Ok(first)
                    }
                    (_, now) => now,
                }
            }
            _ => behind.answer(operation),
        }),
    ),
    Defect::new(
        "race-lets-an-advance-beyond-the-limit-through",
        clause!("8.concentrationLimit"),
        "two simultaneous advances are both granted although only one fits the limit",
        race(|behind, before, operation| {
            let Operation::RequestAdvance { payee, invoice } = &operation else {
                return behind.answer(operation);
            };
            let key = behind.key(&[payee, invoice]);
            if let Some(Reply::AdvanceRequested(first)) = behind.memory.kept(&key) {
                return Ok(repeated(first));
            }
            let granted = granted_as_then(behind, before, operation, Code::ConcentrationExceeded);
            if let Ok(first @ Reply::AdvanceRequested(_)) = &granted {
                behind.memory.keep(key, first.clone());
            }
            granted
        }),
    ),
    Defect::new(
        "race-creates-one-business-twice",
        clause!("2.businessSynced.created"),
        "two simultaneous syncs of a new business are both answered as its creation",
        race(|behind, before, operation| {
            let Operation::SyncBusiness { .. } = &operation else {
                return behind.answer(operation);
            };
            match both(behind, before, operation) {
                (Ok(Reply::BusinessSynced(then)), Ok(_)) if then.created => {
                    Ok(Reply::BusinessSynced(then))
                }
                (_, now) => now,
            }
        }),
    ),
    Defect::new(
        "race-returns-two-secrets-for-one-url",
        clause!("4.webhooks.3"),
        "of two simultaneous subscriptions of one URL, the later replaces the other",
        race(|behind, before, operation| {
            let Operation::Subscribe { url, .. } = &operation else {
                return behind.answer(operation);
            };
            let url = url.clone();
            let now = behind.answer(operation.clone());
            if before.handle(behind.now, behind.caller, operation.clone()).is_err() || now.is_ok() {
                return now;
            }
            if let Ok(Reply::Subscriptions(live)) = behind.answer(Operation::ListSubscriptions)
                && let Some(other) = live.into_iter().find(|one| one.url == url)
            {
                let _ = behind.answer(Operation::Unsubscribe { reference: other.reference });
            }
            behind.answer(operation)
        }),
    ),
    Defect::new(
        "race-takes-two-files-for-one-import",
        clause!("4.imports.8"),
        "two files sent at once under one identifier are both answered as imported",
        race(|behind, before, operation| {
            granted_as_then(behind, before, operation, Code::AlreadyImported)
        }),
    ),
];

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
fn both(behind: &mut Behind<'_>, before: &mut dyn Face, operation: Operation) -> (Answer, Answer) {
    let then = before.handle(behind.now, behind.caller, operation.clone());
    (then, behind.answer(operation))
}

/// Grants what is refused with `code` now, if the state at arrival granted it.
fn granted_as_then(
    behind: &mut Behind<'_>,
    before: &mut dyn Face,
    operation: Operation,
    code: Code,
) -> Answer {
    match both(behind, before, operation) {
        (Ok(then), Err(refusal)) if refusal.code == code => Ok(then),
        (_, now) => now,
    }
}

//! Wrong answers.

use tideover_model::wire::reply::Reply;
use tideover_model::{Answer, Delivery, Face, InvoiceSync, Operation, PlatformId, Timestamp};

use crate::simulation::bugs::buggy::{Buggy, Memory};

/// What the name of an invoice ends with that stands for the second advance of another one.
const SECOND: &str = "~2";

/// The second advance is one of another invoice, which nobody sees: its money is really paid out.
pub(super) fn advances_twice(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let answer = buggy.service.handle(now, caller, operation.clone());
    match (&answer, operation) {
        (Ok(Reply::AdvanceRepeated(_)), Operation::RequestAdvance { payee, invoice }) => {
            let second = format!("{invoice}{SECOND}");
            let copied = buggy.memory.syncs.get(&(caller, payee.clone(), invoice)).cloned();
            let Some(sync) = copied else { return answer };
            let sync = InvoiceSync { invoice: second.clone(), ..sync };
            let synced = buggy.service.handle(now, caller, Operation::SyncInvoice(sync.into()));
            let request = Operation::RequestAdvance { payee, invoice: second };
            match synced.and_then(|_| buggy.service.handle(now, caller, request)) {
                Ok(again @ Reply::AdvanceRequested(_)) => Ok(again),
                _ => answer,
            }
        }
        (_, Operation::SyncInvoice(sync)) => {
            let key = (caller, sync.payee.business.clone(), sync.invoice.clone());
            buggy.memory.syncs.insert(key, *sync);
            answer
        }
        _ => answer,
    }
}

pub(super) fn names_the_first_invoice(_: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    let body = std::str::from_utf8(&delivery.body).ok()?;
    let body = body.contains(SECOND).then(|| body.replace(SECOND, ""))?;
    Some(Delivery { body: body.into_bytes().into(), ..delivery.clone() })
}

pub(super) fn moves_the_account(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = buggy.service.handle(now, caller, operation);
    let shown = match &mut answer {
        Ok(Reply::Business(business)) => business.remittance.as_mut(),
        Ok(Reply::AdvanceRequested(advance)) => Some(&mut advance.remittance),
        Ok(Reply::AdvanceRepeated(advance)) => Some(&mut advance.remittance),
        _ => None,
    };
    if let Some(remittance) = shown
        && buggy.memory.restarts > 0
    {
        remittance.account_number.push('0');
    }
    answer
}

pub(super) fn repeats_a_row(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let last = match &operation {
        Operation::ImportInvoices { file, .. } => {
            file.rows.iter().rev().find_map(|row| row.sync.clone().ok())
        }
        _ => None,
    };
    let mut answer = buggy.service.handle(now, caller, operation);
    if let Ok(Reply::Imported(report)) = &mut answer {
        if !report.finished {
            buggy.memory.interrupted.insert(report.external_id.clone());
        } else if buggy.memory.interrupted.remove(&report.external_id)
            && let (Some(sync), Some(row)) = (last, report.rows.last().cloned())
        {
            let _ = buggy.service.handle(now, caller, Operation::SyncInvoice(sync.into()));
            report.rows.push(row);
        }
    }
    answer
}

pub(super) fn lists_all_subscriptions(
    buggy: &mut Buggy,
    now: Timestamp,
    caller: PlatformId,
    operation: Operation,
) -> Answer {
    let mut answer = buggy.service.handle(now, caller, operation);
    if let Ok(Reply::Subscriptions(listed)) = &mut answer {
        let platforms = (0..buggy.memory.platforms).map(PlatformId);
        for other in platforms.filter(|other| *other != caller) {
            let own = buggy.service.handle(now, other, Operation::ListSubscriptions);
            if let Ok(Reply::Subscriptions(theirs)) = own {
                listed.extend(theirs);
            }
        }
    }
    answer
}

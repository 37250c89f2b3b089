//! Defects that show only to whoever sees a whole world: its restarts, the queue of its events, all of its money.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::reply::{Reply, Subscription};
use tideover_model::words::{AdvanceState, CollectionState, EventType};
use tideover_model::{
    Answer, Cents, Code, Delivery, Happening, Impossible, InvoiceSync, Operation, Outcome,
    PlatformId, Receipt,
};

use crate::catalogue::webhooks::body;
use crate::hooks::{
    adds, answer, attempt, choice, happening, receipt, restart, rewrites, sends, timeout,
};
use crate::{Inner, Memory, WrongChoice};

/// A snapshot is made every so many requests.
const SNAPSHOT_EVERY: u64 = 40;

/// What the name of an invoice ends with that stands for the second advance of another one.
const SECOND: &str = "~2";

defects! {
    "loses-repaid-event", "6.events.invoice.factoredUpdated",
        "no factoredUpdated event is sent when an advance becomes REPAID",
        sends(&|_, delivery| {
            delivery.event != EventType::FactoredUpdated || !mentions(delivery, "\"REPAID\"")
        });
    "repayment-unannounced", "6.events.loan.paid",
        "nobody hears that an advance is repaid",
        sends(&|_, delivery| delivery.event != EventType::AdvancePaid);
    "loses-paid-event-after-restart", "6.events.invoice.paid",
        "after a restart, no invoice.paid event is sent any more",
        sends(&|memory, delivery| {
            delivery.event != EventType::InvoicePaid || memory.restarts == 0
        });
    "advances-twice", "4.advances.2",
        "a repeated request of an advance creates another one: the vendor is paid twice",
        answer(&advance_twice).and_rewrites(&|_, delivery| {
            let body = std::str::from_utf8(&delivery.body).ok()?;
            let body = body.contains(SECOND).then(|| body.replace(SECOND, ""))?;
            Some(Delivery { body: body.into_bytes().into(), ..delivery.clone() })
        });
    "reads-limit-early", "8.concentrationLimit",
        "the outstanding amount is read before the write of the advance before",
        choice(WrongChoice::StaleLimit);
    "skips-requirements", "3.onboarding.2", once "onboarding-forgotten",
        "an advance is created although compliance was withdrawn",
        choice(WrongChoice::Overlooked(Code::BusinessNotEligible));
    "restarts-sequence", "6.delivery.5",
        "after a restart from a snapshot, the sequence of factoredUpdated begins at 1 again",
        rewrites(&|memory, delivery| {
            if memory.restarts == 0 || delivery.event != EventType::FactoredUpdated {
                return None;
            }
            with_body(delivery, |event| event["sequence"] = 1.into())
        });
    "restores-old-snapshot", "3.advance.1",
        "a restart loses the writes since the last periodic snapshot",
        answer(&|inner, operation| {
            if inner.memory.requests % SNAPSHOT_EVERY == 1 {
                inner.face.keep();
            }
            inner.answer(operation)
        })
        .and_restart(&|inner| {
            inner.face.put_back();
            inner.face.handle_timeout(inner.now);
            inner.face.restart(inner.now);
        })
        .and_rewrites(&|memory, delivery| {
            // The lost writes had used numbers that are used again. Whoever sends was not put back: for such a number, it
            // still has the first event.
            let first = memory.first_delivery(delivery.number.to_string(), delivery);
            Some(Delivery::clone(&first))
        });
    "forgets-retries-at-restart", "6.delivery.1.2",
        "deliveries that were in flight, or waited for a retry, at a restart are never sent again",
        restart(&|inner| {
            for number in inner.face.pending() {
                inner.memory.count(&number.to_string());
            }
            inner.face.restart(inner.now);
        })
        .and_attempt(&|memory, attempt| memory.counted(&attempt.delivery.number.to_string()) == 0);
    "moves-account-at-restart", "2.remittance.intro.2",
        "after a restart, the service shows another collection account of each business",
        answer(&|inner, operation| {
            let mut answer = inner.answer(operation);
            let shown = match &mut answer {
                Ok(Reply::Business(business)) => business.remittance.as_mut(),
                Ok(Reply::AdvanceRequested(advance)) => Some(&mut advance.remittance),
                Ok(Reply::AdvanceRepeated(advance)) => Some(&mut advance.remittance),
                _ => None,
            };
            if let Some(remittance) = shown
                && inner.memory.restarts > 0
            {
                remittance.account_number.push('0');
            }
            answer
        });
    "sleeps-after-restart", "3.advance.1",
        "after a restart, no account opens and no advance is funded any more",
        timeout(&|memory| memory.restarts == 0);
    "repeats-row-after-cut", "4.imports.7.2",
        "an import that is resumed after a cut carries out its last row again",
        answer(&repeat_a_row);
    "counts-early-payment-twice", "1.service.3.3",
        "a payment that comes before the advance is FUNDED is applied twice",
        happening(&count_early_payment_twice);
    "suspends-second-payment", "1.service.3.3",
        "a payment of an invoice that is collected in part is kept in suspense",
        happening(&suspend_second_payment);
    "announces-payment-twice", "6.events.invoice.paid",
        "another invoice.paid event follows the first one",
        adds(&|delivery| again(delivery, EventType::InvoicePaid));
    "opts-in-twice", "6.events.organization.optedIn",
        "another organization.optedIn event follows the first one",
        adds(&|delivery| again(delivery, EventType::BusinessOptedIn));
    "announces-account-twice", "6.events.organization.remittanceUpdated",
        "another organization.remittanceUpdated event follows the first one",
        adds(&|delivery| again(delivery, EventType::RemittanceUpdated));
    "redates-retried-delivery", "6.delivery.3.2",
        "each retry of a delivery carries the time of its attempt as occurredAt",
        attempt(&|_, attempt| {
            if attempt.number > 1 {
                // The length of the body stays the same.
                let begun_at = attempt.begun_at.to_string();
                body(attempt, |event| event["occurredAt"] = begun_at.into());
            }
            true
        });
    "sends-sequence-backwards", "6.delivery.5",
        "the sequence of factoredUpdated falls, from 4 to 1, in the webhooks that go out",
        attempt(&|_, attempt| {
            if attempt.delivery.event == EventType::FactoredUpdated {
                body(attempt, |event| {
                    event["sequence"] = (5 - event["sequence"].as_u64().unwrap_or(0)).into();
                });
            }
            true
        });
    "lists-all-subscriptions", "5.authentication.4",
        "the list of subscriptions shows those of all platforms",
        edit!(|inner| Subscriptions(listed) => listed.extend(subscriptions_of_others(inner)));
    "signs-once", "6.signature.4",
        "retries carry the signature of the first attempt, which is too old after five minutes",
        attempt(&|memory, attempt| {
            let first = memory.first_noted(attempt.delivery.number.to_string(), attempt.begun_at);
            attempt.signer.signed_at = Some(first);
            true
        });
    "mixes-platforms", "5.authentication.4",
        "an event goes out with the body of another platform's event",
        rewrites(&body_of_another_platform);
    "gives-up-early", "6.delivery.1.2",
        "a delivery is given up after three attempts",
        receipt(&|_, attempt, receipt| {
            if attempt.number >= 3 { Receipt::Answered(200) } else { receipt }
        });
    "revokes-after-timeout", "6.delivery.2",
        "a subscription ends when its receiver does not answer in time",
        receipt!(Receipt::TimedOut => Receipt::Answered(410));
}

fn mentions(delivery: &Delivery, word: &str) -> bool {
    delivery.body.windows(word.len()).any(|window| window == word.as_bytes())
}

/// The same delivery, with another event.
fn with_body(delivery: &Delivery, change: impl FnOnce(&mut Value)) -> Option<Delivery> {
    let mut event: Value = serde_json::from_slice(&delivery.body).ok()?;
    change(&mut event);
    Some(Delivery { body: event.to_string().into_bytes().into(), ..delivery.clone() })
}

/// Another event of this kind about the same subject.
fn again(delivery: &Delivery, event: EventType) -> Option<Delivery> {
    if delivery.event != event {
        return None;
    }
    let mut body: Value = serde_json::from_slice(&delivery.body).ok()?;
    body["id"] = format!("{}_again", body["id"].as_str()?).into();
    let body = body.to_string().into_bytes().into();
    Some(Delivery { id: format!("{}_again", delivery.id), body, ..delivery.clone() })
}

/// The second advance is one of another invoice, which nobody sees: its money is really paid out.
fn advance_twice(inner: &mut Inner<'_>, operation: Operation) -> Answer {
    let answer = inner.answer(operation.clone());
    match (&answer, operation) {
        (Ok(Reply::AdvanceRepeated(_)), Operation::RequestAdvance { payee, invoice }) => {
            let second = format!("{invoice}{SECOND}");
            let copied = inner.memory.sync(&inner.key(&[&payee, &invoice])).cloned();
            let Some(sync) = copied else { return answer };
            let sync = InvoiceSync { invoice: second.clone(), ..sync };
            let synced = inner.answer(Operation::SyncInvoice(sync.into()));
            let request = Operation::RequestAdvance { payee, invoice: second };
            match synced.and_then(|_| inner.answer(request)) {
                Ok(again @ Reply::AdvanceRequested(_)) => Ok(again),
                _ => answer,
            }
        }
        (_, Operation::SyncInvoice(sync)) => {
            let key = inner.key(&[&sync.payee.business, &sync.invoice]);
            inner.memory.keep_sync(key, *sync);
            answer
        }
        _ => answer,
    }
}

fn repeat_a_row(inner: &mut Inner<'_>, operation: Operation) -> Answer {
    let last = match &operation {
        Operation::ImportInvoices { file, .. } => {
            file.rows.iter().rev().find_map(|row| row.sync.clone().ok())
        }
        _ => None,
    };
    let mut answer = inner.answer(operation);
    if let Ok(Reply::Imported(report)) = &mut answer {
        if !report.finished {
            inner.memory.note(report.external_id.clone(), inner.now);
        } else if inner.memory.forget(&report.external_id).is_some()
            && let (Some(sync), Some(row)) = (last, report.rows.last().cloned())
        {
            let _ = inner.answer(Operation::SyncInvoice(sync.into()));
            report.rows.push(row);
        }
    }
    answer
}

fn count_early_payment_twice(
    inner: &mut Inner<'_>,
    happening: Happening,
) -> Result<Outcome, Impossible> {
    if let Happening::PayorPays { payee, invoice, .. } = &happening {
        let read = inner.invoice(payee, invoice);
        let state = read.and_then(|invoice| invoice.advance).map(|advance| advance.state);
        if matches!(state, Some(AdvanceState::Requested | AdvanceState::Funding)) {
            let first = inner.happen(happening.clone());
            return inner.happen(happening).and(first);
        }
    }
    inner.happen(happening)
}

/// The vendor's money never leaves the service's own pocket.
fn suspend_second_payment(
    inner: &mut Inner<'_>,
    happening: Happening,
) -> Result<Outcome, Impossible> {
    if let Happening::PayorPays { payee, invoice, amount } = &happening
        && let Some(invoice) = inner.invoice(payee, invoice)
        && invoice.collection_state == CollectionState::PartiallyCollected
    {
        return Ok(Outcome::Paid { applied: Cents::ZERO, suspense: *amount });
    }
    inner.happen(happening)
}

fn subscriptions_of_others(inner: &mut Inner<'_>) -> Vec<Subscription> {
    let mut platforms: Vec<String> =
        inner.face.keys().into_iter().map(|key| key.platform).collect();
    platforms.dedup();
    let others = (0..).map(PlatformId).take(platforms.len()).filter(|it| *it != inner.caller);
    let mut all = Vec::new();
    for other in others.collect::<Vec<_>>() {
        if let Ok(Reply::Subscriptions(theirs)) =
            inner.answer_to(other, Operation::ListSubscriptions)
        {
            all.extend(theirs);
        }
    }
    all
}

/// The opt-in of one platform carries the body of the last opt-in of another one.
fn body_of_another_platform(memory: &mut Memory, delivery: &Delivery) -> Option<Delivery> {
    if delivery.event != EventType::BusinessOptedIn {
        return None;
    }
    let other = memory.deliveries().find(|one| one.platform != delivery.platform);
    let body = other.map(|one| Arc::clone(&one.body));
    // In the order of the platforms.
    let key = format!("{:010}", delivery.platform.0);
    memory.keep_delivery(key, &Arc::new(delivery.clone()));
    Some(Delivery { body: body?, ..delivery.clone() })
}

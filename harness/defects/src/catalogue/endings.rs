//! Defects of ending subscriptions: by deletion, and by a 410 of the receiver.

use tideover_model::wire::reply::{Reply, Subscribed, Subscription};
use tideover_model::{Answer, Attempt, Code, Operation, Receipt, Refusal, Timestamp, clause};

use crate::hooks::{answer, receipt};
use crate::{Inner, Memory};

/// Longer than any delay of the retry schedule. Seconds.
const LONG: u64 = 43_200;

defects! {
    "gone-is-not-heard", "6.delivery.2",
        "a receiver that answers 410 still gets deliveries",
        receipt!(Receipt::Answered(410) => Receipt::Failed);
    "gone-receiver-is-sent-what-comes-later", "6.delivery.2",
        "a subscription that ended with a 410 is no longer listed but still gets every later event",
        answer(&|inner, operation| match operation {
            Operation::Unsubscribe { reference } => match inner.memory.noted(&reference) {
                Some(_) => Err(unknown_subscription()),
                None => inner.answer(Operation::Unsubscribe { reference }),
            },
            operation => without_noted(inner, operation),
        })
        .and_receipt(&note_gone);
    "gone-receiver-stays-listed", "6.delivery.2",
        "a subscription that ended with a 410 gets no deliveries but is still listed",
        receipt(&note_gone)
            .and_attempt(&|memory, attempt| memory.noted(&attempt.delivery.subscription).is_none());
    "failed-deliveries-never-end", "8.webhookRetryWindow", as "6.delivery.1.2",
        "a delivery that was never accepted is sent every twelve hours after the last retry",
        answer(&|inner, operation| {
            resend_given_up_deliveries(inner);
            inner.answer(operation)
        })
        .and_receipt(&note_failure);
    "deletion-is-forgotten", "4.webhookDeletion.1", as "4.webhookDeletion.2",
        "deleting a subscription succeeds but has no effect",
        answer(&|inner, operation| {
            let Operation::Unsubscribe { reference } = &operation else {
                return inner.answer(operation);
            };
            if find(inner, reference).is_some() {
                Ok(Reply::Unsubscribed)
            } else {
                inner.answer(operation)
            }
        });
    "deletion-forgets-what-is-queued", "4.webhookDeletion.1", as "7.retrying.2",
        "a deleted subscription still gets the deliveries that were queued before",
        answer(&|inner, operation| match operation {
            Operation::Unsubscribe { reference } => unsubscribe_later(inner, reference),
            operation => without_noted(inner, operation),
        })
        .and_attempt(&|memory, attempt| {
            let deleted = memory.noted(&attempt.delivery.subscription);
            deleted.is_none_or(|deleted| attempt.delivery.queued_at < deleted)
        });
    "deleted-subscription-is-sent-to", "4.webhookDeletion.1", as "7.retrying.2",
        "a deleted subscription is no longer listed but still gets every later event",
        answer(&|inner, operation| match operation {
            Operation::Unsubscribe { reference } => unsubscribe_later(inner, reference),
            operation => without_noted(inner, operation),
        });
    "deleted-subscription-is-listed", "4.webhookList.1",
        "a deleted subscription stays in the list",
        answer(&|inner, operation| {
            let (deleted, unsubscribes) = match &operation {
                Operation::Unsubscribe { reference } => (find(inner, reference), true),
                Operation::ListSubscriptions => (None, false),
                _ => return inner.answer(operation),
            };
            let reply = inner.answer(operation)?;
            let key = inner.key(&["deleted"]);
            let kept = inner.memory.kept(&key).cloned();
            let mut all = match kept {
                Some(Reply::Subscriptions(all)) => all,
                _ => Vec::new(),
            };
            all.extend(deleted);
            inner.memory.keep(key, Reply::Subscriptions(all.clone()));
            match reply {
                Reply::Subscriptions(live) if !unsubscribes => {
                    Ok(Reply::Subscriptions(live.into_iter().chain(all).collect()))
                }
                reply => Ok(reply),
            }
        });
    "deletion-is-repeated", "4.webhookDeletion.2",
        "deleting an unknown reference succeeds",
        answer(&|inner, operation| match inner.answer(operation) {
            Err(refusal) if refusal.code == Code::SubscriptionNotFound => Ok(Reply::Unsubscribed),
            answer => answer,
        });
    "deleted-url-stays-subscribed", "4.recovery.3", as "7.codes.already_subscribed",
        "a URL whose subscription was deleted cannot subscribe again",
        answer(&|inner, operation| {
            let url = match &operation {
                Operation::Subscribe { url, .. } => inner.key(&[url]),
                _ => return inner.answer(operation),
            };
            let reply = inner.answer(operation)?;
            if inner.memory.count(&url) > 1 {
                if let Reply::Subscribed(Subscribed { subscription, .. }) = reply {
                    inner.answer(Operation::Unsubscribe { reference: subscription.reference })?;
                }
                return Err(Refusal::new(Code::AlreadySubscribed, clause!("4.webhooks.3")));
            }
            Ok(reply)
        });
}

/// The caller's subscription of this reference.
fn find(inner: &mut Inner<'_>, reference: &str) -> Option<Subscription> {
    match inner.answer(Operation::ListSubscriptions) {
        Ok(Reply::Subscriptions(list)) => list.into_iter().find(|one| one.reference == reference),
        _ => None,
    }
}

fn unknown_subscription() -> Refusal {
    Refusal::new(Code::SubscriptionNotFound, clause!("4.webhookDeletion.2"))
}

/// Answers as if every noted subscription were gone; the model keeps it until the next subscription.
fn without_noted(inner: &mut Inner<'_>, operation: Operation) -> Answer {
    if let Operation::Subscribe { .. } = &operation {
        for reference in inner.memory.noted_keys() {
            inner.memory.forget(&reference);
            // A subscription of another platform stays.
            let _ = inner.answer(Operation::Unsubscribe { reference });
        }
    }
    match inner.answer(operation)? {
        Reply::Subscriptions(mut list) => {
            list.retain(|one| inner.memory.noted(&one.reference).is_none());
            Ok(Reply::Subscriptions(list))
        }
        reply => Ok(reply),
    }
}

/// Notes the subscription of a receiver that answers 410, and treats the 410 as an acceptance.
fn note_gone(memory: &mut Memory, attempt: &Attempt, receipt: Receipt) -> Receipt {
    if receipt != Receipt::Answered(410) {
        return receipt;
    }
    memory.note(attempt.delivery.subscription.to_string(), attempt.begun_at);
    Receipt::Answered(200)
}

/// Notes which deliveries were not accepted, and the time of the last attempt.
fn note_failure(memory: &mut Memory, attempt: &Attempt, receipt: Receipt) -> Receipt {
    let id = attempt.delivery.id.clone();
    match receipt {
        Receipt::Answered(200..=299 | 410) => drop(memory.forget(&id)),
        Receipt::Answered(_) | Receipt::Failed | Receipt::TimedOut => {
            memory.count(&id);
            memory.keep_delivery(id.clone(), &attempt.delivery);
            memory.note(id, attempt.begun_at);
        }
    }
    receipt
}

fn resend_given_up_deliveries(inner: &mut Inner<'_>) {
    for id in inner.memory.noted_keys() {
        let last: Option<Timestamp> = inner.memory.noted(&id);
        if let Some(delivery) = inner.memory.delivery(&id)
            && last.is_some_and(|last| inner.now >= last.after(LONG))
            && inner.face.next_attempt(&delivery).is_none()
        {
            // The subscription may no longer exist.
            let _ = inner.face.resend(inner.now, &delivery, inner.memory.counted(&id));
        }
    }
}

/// Reports a subscription as deleted, but keeps it for queued deliveries.
fn unsubscribe_later(inner: &mut Inner<'_>, reference: String) -> Answer {
    if inner.memory.noted(&reference).is_none() && find(inner, &reference).is_some() {
        inner.memory.note(reference, inner.now);
        return Ok(Reply::Unsubscribed);
    }
    inner.answer(Operation::Unsubscribe { reference: format!("{reference} deleted") })
}

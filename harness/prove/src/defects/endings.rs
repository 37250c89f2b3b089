//! Defects of ending subscriptions: by deletion, and by a 410 of the receiver.

use tideover_model::wire::reply::{Reply, Subscribed, Subscription};
use tideover_model::{Answer, Attempt, Code, Operation, Receipt, Refusal, Timestamp, clause};

use crate::defects::Defect;
use crate::defects::breach::{Behind, DefectMemory, answer, receipt};

/// Longer than any delay of the retry schedule. Seconds.
const LONG: u64 = 43_200;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "gone-is-not-heard",
        clause!("6.delivery.2"),
        "a receiver that answers 410 still gets deliveries",
        receipt(|_, _, receipt| match receipt {
            Receipt::Answered(410) => Receipt::Failed,
            receipt => receipt,
        }),
    ),
    Defect::new(
        "gone-receiver-is-sent-what-comes-later",
        clause!("6.delivery.2"),
        "a subscription that ended with a 410 is no longer listed but still gets every later event",
        answer(|behind, operation| match operation {
            Operation::Unsubscribe { reference } => match behind.memory.noted(&reference) {
                Some(_) => Err(unknown_subscription()),
                None => behind.answer(Operation::Unsubscribe { reference }),
            },
            operation => without_noted(behind, operation),
        })
        .and_receipt(note_gone),
    ),
    Defect::new(
        "gone-receiver-stays-listed",
        clause!("6.delivery.2"),
        "a subscription that ended with a 410 gets no deliveries but is still listed",
        receipt(note_gone)
            .and_attempt(|memory, attempt| memory.noted(&attempt.delivery.subscription).is_none()),
    ),
    Defect::new(
        "failed-deliveries-never-end",
        clause!("8.webhookRetryWindow"),
        "a delivery that was never accepted is sent every twelve hours after the last retry",
        answer(|behind, operation| {
            resend_given_up_deliveries(behind);
            behind.answer(operation)
        })
        .and_receipt(note_failure),
    )
    .named_as(clause!("6.delivery.1.2")),
    Defect::new(
        "deletion-is-forgotten",
        clause!("4.webhookDeletion.1"),
        "deleting a subscription succeeds but has no effect",
        answer(|behind, operation| {
            let Operation::Unsubscribe { reference } = &operation else {
                return behind.answer(operation);
            };
            if find(behind, reference).is_some() {
                Ok(Reply::Unsubscribed)
            } else {
                behind.answer(operation)
            }
        }),
    )
    .named_as(clause!("4.webhookDeletion.2")),
    Defect::new(
        "deletion-forgets-what-is-queued",
        clause!("4.webhookDeletion.1"),
        "a deleted subscription still gets the deliveries that were queued before",
        answer(|behind, operation| match operation {
            Operation::Unsubscribe { reference } => unsubscribe_later(behind, reference),
            operation => without_noted(behind, operation),
        })
        .and_attempt(|memory, attempt| {
            let deleted = memory.noted(&attempt.delivery.subscription);
            deleted.is_none_or(|deleted| attempt.delivery.queued_at < deleted)
        }),
    )
    .named_as(clause!("7.retrying.2")),
    Defect::new(
        "deleted-subscription-is-sent-to",
        clause!("4.webhookDeletion.1"),
        "a deleted subscription is no longer listed but still gets every later event",
        answer(|behind, operation| match operation {
            Operation::Unsubscribe { reference } => unsubscribe_later(behind, reference),
            operation => without_noted(behind, operation),
        }),
    )
    .named_as(clause!("7.retrying.2")),
    Defect::new(
        "deleted-subscription-is-listed",
        clause!("4.webhookList.1"),
        "a deleted subscription stays in the list",
        answer(|behind, operation| {
            let (deleted, unsubscribes) = match &operation {
                Operation::Unsubscribe { reference } => (find(behind, reference), true),
                Operation::ListSubscriptions => (None, false),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            let key = behind.key(&["deleted"]);
            let kept = behind.memory.kept(&key).cloned();
            let mut all = match kept {
                Some(Reply::Subscriptions(all)) => all,
                _ => Vec::new(),
            };
            all.extend(deleted);
            behind.memory.keep(key, Reply::Subscriptions(all.clone()));
            match reply {
                Reply::Subscriptions(live) if !unsubscribes => {
                    Ok(Reply::Subscriptions(live.into_iter().chain(all).collect()))
                }
                reply => Ok(reply),
            }
        }),
    ),
    Defect::new(
        "deletion-is-repeated",
        clause!("4.webhookDeletion.2"),
        "deleting an unknown reference succeeds",
        answer(|behind, operation| match behind.answer(operation) {
            Err(refusal) if refusal.code == Code::SubscriptionNotFound => Ok(Reply::Unsubscribed),
            answer => answer,
        }),
    ),
    Defect::new(
        "deleted-url-stays-subscribed",
        clause!("4.recovery.3"),
        "a URL whose subscription was deleted cannot subscribe again",
        answer(|behind, operation| {
            let url = match &operation {
                Operation::Subscribe { url, .. } => behind.key(&[url]),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            if behind.memory.count(&url) > 1 {
                if let Reply::Subscribed(Subscribed { subscription, .. }) = reply {
                    behind.answer(Operation::Unsubscribe { reference: subscription.reference })?;
                }
                return Err(Refusal::new(Code::AlreadySubscribed, clause!("4.webhooks.3")));
            }
            Ok(reply)
        }),
    )
    .named_as(clause!("7.codes.already_subscribed")),
];

/// The caller's subscription of this reference.
fn find(behind: &mut Behind<'_>, reference: &str) -> Option<Subscription> {
    match behind.answer(Operation::ListSubscriptions) {
        Ok(Reply::Subscriptions(list)) => list.into_iter().find(|one| one.reference == reference),
        _ => None,
    }
}

fn unknown_subscription() -> Refusal {
    Refusal::new(Code::SubscriptionNotFound, clause!("4.webhookDeletion.2"))
}

/// Answers as if every noted subscription were gone; the model keeps it until the next subscription.
fn without_noted(behind: &mut Behind<'_>, operation: Operation) -> Answer {
    if let Operation::Subscribe { .. } = &operation {
        for reference in behind.memory.noted_keys() {
            behind.memory.forget(&reference);
            // A subscription of another platform stays.
            let _ = behind.answer(Operation::Unsubscribe { reference });
        }
    }
    match behind.answer(operation)? {
        Reply::Subscriptions(mut list) => {
            list.retain(|one| behind.memory.noted(&one.reference).is_none());
            Ok(Reply::Subscriptions(list))
        }
        reply => Ok(reply),
    }
}

/// Notes the subscription of a receiver that answers 410, and treats the 410 as an acceptance.
fn note_gone(memory: &mut DefectMemory, attempt: &Attempt, receipt: Receipt) -> Receipt {
    if receipt != Receipt::Answered(410) {
        return receipt;
    }
    memory.note(attempt.delivery.subscription.to_string(), attempt.begun_at);
    Receipt::Answered(200)
}

/// Notes which deliveries were not accepted, and the time of the last attempt.
fn note_failure(memory: &mut DefectMemory, attempt: &Attempt, receipt: Receipt) -> Receipt {
    let id = attempt.delivery.id.clone();
    match receipt {
        Receipt::Answered(200..=299 | 410) => memory.forget(&id),
        Receipt::Answered(_) | Receipt::Failed | Receipt::TimedOut => {
            memory.count(&id);
            memory.keep_delivery(id.clone(), &attempt.delivery);
            memory.note(id, attempt.begun_at);
        }
    }
    receipt
}

fn resend_given_up_deliveries(behind: &mut Behind<'_>) {
    for id in behind.memory.noted_keys() {
        let last: Option<Timestamp> = behind.memory.noted(&id);
        if let Some(delivery) = behind.memory.delivery(&id)
            && last.is_some_and(|last| behind.now >= last.after(LONG))
            && behind.face.next_attempt(&delivery).is_none()
        {
            // The subscription may no longer exist.
            let _ = behind.face.resend(behind.now, &delivery, behind.memory.counted(&id));
        }
    }
}

/// Reports a subscription as deleted, but keeps it for queued deliveries.
fn unsubscribe_later(behind: &mut Behind<'_>, reference: String) -> Answer {
    if behind.memory.noted(&reference).is_none() && find(behind, &reference).is_some() {
        behind.memory.note(reference, behind.now);
        return Ok(Reply::Unsubscribed);
    }
    behind.answer(Operation::Unsubscribe { reference: format!("{reference} deleted") })
}

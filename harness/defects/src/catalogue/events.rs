//! Defects of events: which are sent, to which subscriptions, with which fields.

use std::sync::Arc;

use serde_json::{Value, json};
use tideover_model::wire::reply::Reply;
use tideover_model::words::EventType;
use tideover_model::{Attempt, Cause, Delivery, Happening, Impossible, Operation, Outcome};

use crate::catalogue::identity::other_than;
use crate::catalogue::onboarding::is_ready_for_its_account;
use crate::catalogue::webhooks::{altered, body};
use crate::hooks::{answer, attempt};
use crate::{Inner, Memory};

/// No attempt is made for events of one kind.
macro_rules! silent {
    ($event:ident) => {
        attempt(&|_, attempt| attempt.delivery.event != EventType::$event)
    };
}

defects! {
    "added-business-has-no-event", "6.events.organization.added", as "gap.eventCauses",
        "no event announces that a business exists",
        silent!(BusinessAdded);
    "opted-in-has-no-event", "6.events.organization.optedIn", as "gap.eventCauses",
        "no event announces that a business has completed onboarding",
        silent!(BusinessOptedIn);
    "moved-funds-have-no-event", "6.events.organization.remittanceUpdated", as "gap.eventCauses",
        "no event announces that a business's funds go elsewhere",
        silent!(RemittanceUpdated);
    "created-invoice-has-no-event", "6.events.invoice.created", as "gap.eventCauses",
        "no event announces that an invoice exists",
        silent!(InvoiceCreated);
    "paid-invoice-has-no-event", "6.events.invoice.paid", as "gap.eventCauses",
        "no event announces that the payor has paid",
        silent!(InvoicePaid);
    "created-advance-has-no-event", "6.events.loan.created", as "gap.eventCauses",
        "no event announces that an advance exists",
        silent!(AdvanceCreated);
    "issued-advance-has-no-event", "6.events.loan.issued", as "gap.eventCauses",
        "no event announces that the vendor was paid",
        silent!(AdvanceIssued);
    "settled-advance-has-no-event", "6.events.loan.paid", as "gap.eventCauses",
        "no event announces that an advance is settled",
        silent!(AdvancePaid);
    "nothing-is-announced", "6.events.intro.1", as "gap.eventCauses",
        "a subscription gets no event at all",
        attempt(&|_, _| false);
    "every-third-delivery-is-lost", "6.delivery.3", as "gap.eventCauses",
        "one delivery in three is never sent",
        attempt(&|memory, attempt| {
            let number = attempt.delivery.number.to_string();
            let is_first = memory.count(&number) == 1;
            !is_first || !memory.count("deliveries").is_multiple_of(3)
        });
    "every-sequence-is-one", "6.delivery.5",
        "the sequence of every financing state is 1",
        attempt(&|_, attempt| {
            body(attempt, |event| {
                if event.get("sequence").is_some() {
                    event["sequence"] = json!(1);
                }
            });
            true
        });
    "repaid-has-the-sequence-of-funded", "6.delivery.5",
        "REPAID has the sequence of the state before, so that receivers drop it",
        attempt(&|_, attempt| {
            body(attempt, |event| {
                if event["data"]["state"] == "REPAID" {
                    event["sequence"] = json!(3);
                }
            });
            true
        });
    "occurred-at-is-unix-time", "6.delivery.6",
        "the occurredAt of an event is a Unix time in seconds",
        attempt(&|_, attempt| {
            let at = attempt.delivery.queued_at.unix();
            body(attempt, |event| event["occurredAt"] = json!(at));
            true
        });
    "occurred-at-is-missing", "6.delivery.6",
        "an event about a business carries no occurredAt",
        attempt(&|_, attempt| {
            body(attempt, |event| {
                if let (Some(_), Some(fields)) =
                    (event["data"].get("externalId").cloned(), event.as_object_mut())
                {
                    fields.remove("occurredAt");
                }
            });
            true
        });
    "funding-has-no-event", "6.events.invoice.factoredUpdated", as "gap.eventCauses",
        "no event announces that an advance is FUNDING",
        attempt(&|_, attempt| {
            let event: Value = serde_json::from_slice(&attempt.delivery.body).unwrap_or_default();
            event["data"]["state"] != "FUNDING"
        });
    "subscription-to-all-misses-the-settlement", "6.subscription.3", as "gap.eventCauses",
        "a subscription without eventTypes gets no event when an advance is settled",
        answer(&|inner, operation| {
            let to_all = matches!(&operation, Operation::Subscribe { event_types: None, .. });
            let reply = inner.answer(operation)?;
            if let (true, Reply::Subscribed(subscribed)) = (to_all, &reply) {
                inner.memory.count(&subscribed.subscription.reference);
            }
            Ok(reply)
        })
        .and_attempt(&|memory, attempt| {
            let Delivery { event, subscription, .. } = &*attempt.delivery;
            *event != EventType::AdvancePaid || memory.counted(subscription) == 0
        });
    "only-one-subscription-gets-events", "6.events.intro.1", as "gap.eventCauses",
        "of several subscriptions to an event, only the first one gets it",
        attempt(&|memory, attempt| {
            let event: Value = serde_json::from_slice(&attempt.delivery.body).unwrap_or_default();
            let (event, to) = (event["id"].to_string(), &attempt.delivery.subscription);
            let to_this_one = format!("{event} {to}");
            let sent = memory.counted(&to_this_one) > 0 || memory.counted(&event) == 0;
            if sent {
                memory.count(&event);
                memory.count(&to_this_one);
            }
            sent
        });
    "repeated-advance-is-announced", "4.advances.2.2", as "gap.eventCauses",
        "a repeated request is announced as a new advance",
        after!(|inner, of|
            Operation::RequestAdvance { payee, invoice } => [payee.clone(), invoice.clone()],
            AdvanceRepeated(_) => announce(inner, &["loan.created", &of[0], &of[1]], |_| ()))
        .and_attempt(&announced);
    "part-payment-is-announced-as-paid", "6.events.invoice.paid", as "gap.eventCauses",
        "an invoice is announced as paid after a partial payment",
        attempt(&announced).and_happening(&|inner, happening| {
            let (payee, invoice) = match &happening {
                Happening::PayorPays { payee, invoice, .. } => (payee.clone(), invoice.clone()),
                _ => return inner.happen(happening),
            };
            let outcome = inner.happen(happening)?;
            if let Some(collected) = collected_in_part(inner, &payee, &invoice) {
                announce(inner, &["invoice.created", &payee, &invoice], |event| {
                    event["type"] = json!(EventType::InvoicePaid);
                    event["data"]["collected"] = json!(collected);
                });
            }
            Ok(outcome)
        });
    "opted-in-is-announced-too-early", "6.events.organization.optedIn", as "gap.eventCauses",
        "a business is announced as onboarded before its collection account is open",
        after!(|inner, business|
            Operation::SyncBusiness { business, .. } | Operation::SetPayoutAccount { business, .. }
                => business.clone(),
            BusinessSynced(_) | PayoutAccountSet(_) => announce_if_almost_onboarded(inner, &business))
        .and_happening(&opt_in_by_signing)
        .and_attempt(&announced);
    "other-platforms-invoices-are-announced", "5.authentication.4.2", as "gap.eventCauses",
        "a platform gets events about the invoices of another platform",
        after!(|inner, of|
            Operation::SyncInvoice(sync) => [sync.payee.business.clone(), sync.invoice.clone()],
            InvoiceSynced(_) => {
                inner.caller = other_than(inner.caller);
                announce(inner, &["any"], |event| {
                    event["type"] = json!(EventType::InvoiceCreated);
                    event["data"] =
                        json!({ "payeeExternalId": of[0], "invoiceExternalId": of[1] });
                });
            })
        .and_attempt(&announced);
}

/// Queues a copy of the delivery kept under `like`, with a new event that `alter` completes.
fn announce(inner: &mut Inner<'_>, like: &[&str], alter: impl FnOnce(&mut Value)) {
    let Some(before) = inner.memory.delivery(&inner.key(like)) else { return };
    let count = inner.memory.count(&before.id);
    let Ok(mut event) = serde_json::from_slice::<Value>(&before.body) else { return };
    event["id"] = json!(format!("{}-{count}", event["id"].as_str().unwrap_or_default()));
    event["occurredAt"] = json!(inner.now);
    alter(&mut event);
    let made = Delivery {
        id: format!("{}-{count}", before.id),
        body: event.to_string().into_bytes().into(),
        queued_at: inner.now,
        ..Delivery::clone(&before)
    };
    inner.memory.keep_delivery(made_of(&before), &Arc::new(made));
    // The subscription may no longer exist.
    let _ = inner.face.resend(inner.now, &before, 1);
}

/// Replaces a resent delivery by the announced one; keeps a copy of every other delivery.
fn announced(memory: &mut Memory, attempt: &mut Attempt) -> bool {
    if attempt.cause == Cause::Resent
        && let Some(made) = memory.delivery(&made_of(&attempt.delivery))
    {
        altered(attempt, |delivery| *delivery = Delivery::clone(&made));
        return true;
    }
    let platform = attempt.delivery.platform.0;
    let event: Value = serde_json::from_slice(&attempt.delivery.body).unwrap_or_default();
    let text = |field: &str| event["data"][field].as_str().unwrap_or_default().to_owned();
    let kind = attempt.delivery.event.name().trim_start_matches("partner.");
    let about = match text("externalId") {
        empty if empty.is_empty() => {
            format!("{} {}", text("payeeExternalId"), text("invoiceExternalId"))
        }
        business => business,
    };
    memory.keep_delivery(format!("{platform} any"), &attempt.delivery);
    memory.keep_delivery(format!("{platform} {kind} {about}"), &attempt.delivery);
    true
}

/// The key of the delivery that was made from `delivery`.
fn made_of(delivery: &Delivery) -> String {
    format!("made of {}", delivery.number)
}

/// The amount collected on an invoice, in cents; `None` once all of it is collected.
fn collected_in_part(inner: &mut Inner<'_>, payee: &str, invoice: &str) -> Option<i64> {
    let invoice = inner.invoice(payee, invoice)?;
    (invoice.collected < invoice.face_value).then_some(invoice.collected.0)
}

fn opt_in_by_signing(inner: &mut Inner<'_>, happening: Happening) -> Result<Outcome, Impossible> {
    let signing = match &happening {
        Happening::VendorSignsAgreement { payee, .. } => Some(payee.clone()),
        _ => None,
    };
    let outcome = inner.happen(happening)?;
    if let Some(payee) = signing {
        announce_if_almost_onboarded(inner, &payee);
    }
    Ok(outcome)
}

/// Announces that a business has opted in if it lacks only its collection account.
fn announce_if_almost_onboarded(inner: &mut Inner<'_>, business: &str) {
    let Some(read) = inner.business(business) else { return };
    if is_ready_for_its_account(read.onboarding) && !read.onboarding.collection_account {
        announce(inner, &["organization.added", business], |event| {
            event["type"] = json!(EventType::BusinessOptedIn);
        });
    }
}

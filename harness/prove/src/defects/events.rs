//! Defects of events: which are sent, to which subscriptions, with which fields.

use std::sync::Arc;

use serde_json::{Value, json};
use tideover_model::wire::reply::Reply;
use tideover_model::words::EventType;
use tideover_model::{
    Attempt, Cause, Delivery, Happening, Impossible, Operation, Outcome, PlatformId, clause,
};

use crate::defects::Defect;
use crate::defects::breach::{Behind, DefectMemory, answer, attempt};
use crate::defects::webhooks::{altered, body};

/// A defect that sends no event of one kind: name, clause, kind, description.
macro_rules! silent {
    ($name:literal, $clause:literal, $event:ident, $words:literal) => {
        Defect::new(
            $name,
            clause!($clause),
            $words,
            attempt(|_, attempt| attempt.delivery.event != EventType::$event),
        )
        .named_as(clause!("gap.eventCauses"))
    };
}

pub(super) static DEFECTS: &[Defect] = &[
    silent!(
        "added-business-has-no-event",
        "6.events.organization.added",
        BusinessAdded,
        "no event announces that a business exists"
    ),
    silent!(
        "opted-in-has-no-event",
        "6.events.organization.optedIn",
        BusinessOptedIn,
        "no event announces that a business has completed onboarding"
    ),
    silent!(
        "moved-funds-have-no-event",
        "6.events.organization.remittanceUpdated",
        RemittanceUpdated,
        "no event announces that a business's funds go elsewhere"
    ),
    silent!(
        "created-invoice-has-no-event",
        "6.events.invoice.created",
        InvoiceCreated,
        "no event announces that an invoice exists"
    ),
    silent!(
        "paid-invoice-has-no-event",
        "6.events.invoice.paid",
        InvoicePaid,
        "no event announces that the payor has paid"
    ),
    silent!(
        "created-advance-has-no-event",
        "6.events.loan.created",
        AdvanceCreated,
        "no event announces that an advance exists"
    ),
    silent!(
        "issued-advance-has-no-event",
        "6.events.loan.issued",
        AdvanceIssued,
        "no event announces that the vendor was paid"
    ),
    silent!(
        "settled-advance-has-no-event",
        "6.events.loan.paid",
        AdvancePaid,
        "no event announces that an advance is settled"
    ),
    Defect::new(
        "nothing-is-announced",
        clause!("6.events.intro.1"),
        "a subscription gets no event at all",
        attempt(|_, _| false),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "every-third-delivery-is-lost",
        clause!("6.delivery.3"),
        "one delivery in three is never sent",
        attempt(|memory, attempt| {
            let number = attempt.delivery.number.to_string();
            let is_first = memory.count(&number) == 1;
            !is_first || !memory.count("deliveries").is_multiple_of(3)
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "every-sequence-is-one",
        clause!("6.delivery.5"),
        "the sequence of every financing state is 1",
        attempt(|_, attempt| {
            body(attempt, |event| {
                if event.get("sequence").is_some() {
                    event["sequence"] = json!(1);
                }
            });
            true
        }),
    ),
    Defect::new(
        "repaid-has-the-sequence-of-funded",
        clause!("6.delivery.5"),
        "REPAID has the sequence of the state before, so that receivers drop it",
        attempt(|_, attempt| {
            body(attempt, |event| {
                if event["data"]["state"] == "REPAID" {
                    event["sequence"] = json!(3);
                }
            });
            true
        }),
    ),
    Defect::new(
        "occurred-at-is-unix-time",
        clause!("6.delivery.6"),
        "the occurredAt of an event is a Unix time in seconds",
        attempt(|_, attempt| {
            let at = attempt.delivery.queued_at.unix();
            body(attempt, |event| event["occurredAt"] = json!(at));
            true
        }),
    ),
    Defect::new(
        "occurred-at-is-missing",
        clause!("6.delivery.6"),
        "an event about a business carries no occurredAt",
        attempt(|_, attempt| {
            body(attempt, |event| {
                if let (Some(_), Some(fields)) =
                    (event["data"].get("externalId").cloned(), event.as_object_mut())
                {
                    fields.remove("occurredAt");
                }
            });
            true
        }),
    ),
    Defect::new(
        "funding-has-no-event",
        clause!("6.events.invoice.factoredUpdated"),
        "no event announces that an advance is FUNDING",
        attempt(|_, attempt| {
            let event: Value = serde_json::from_slice(&attempt.delivery.body).unwrap_or_default();
            event["data"]["state"] != "FUNDING"
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "subscription-to-all-misses-the-settlement",
        clause!("6.subscription.3"),
        "a subscription without eventTypes gets no event when an advance is settled",
        answer(|behind, operation| {
            let to_all = matches!(&operation, Operation::Subscribe { event_types: None, .. });
            let reply = behind.answer(operation)?;
            if let (true, Reply::Subscribed(subscribed)) = (to_all, &reply) {
                behind.memory.count(&subscribed.subscription.reference);
            }
            Ok(reply)
        })
        .and_attempt(|memory, attempt| {
            let Delivery { event, subscription, .. } = &*attempt.delivery;
            *event != EventType::AdvancePaid || memory.counted(subscription) == 0
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "only-one-subscription-gets-events",
        clause!("6.events.intro.1"),
        "of several subscriptions to an event, only the first one gets it",
        attempt(|memory, attempt| {
            let event: Value = serde_json::from_slice(&attempt.delivery.body).unwrap_or_default();
            let (event, to) = (event["id"].to_string(), &attempt.delivery.subscription);
            let to_this_one = format!("{event} {to}");
            let sent = memory.counted(&to_this_one) > 0 || memory.counted(&event) == 0;
            if sent {
                memory.count(&event);
                memory.count(&to_this_one);
            }
            sent
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "repeated-advance-is-announced",
        clause!("4.advances.2.2"),
        "a repeated request is announced as a new advance",
        answer(|behind, operation| {
            let (payee, invoice) = match &operation {
                Operation::RequestAdvance { payee, invoice } => (payee.clone(), invoice.clone()),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            if let Reply::AdvanceRepeated(_) = &reply {
                announce(behind, &["loan.created", &payee, &invoice], |_| ());
            }
            Ok(reply)
        })
        .and_attempt(announced),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "part-payment-is-announced-as-paid",
        clause!("6.events.invoice.paid"),
        "an invoice is announced as paid after a partial payment",
        attempt(announced).and_happening(|behind, happening| {
            let (payee, invoice) = match &happening {
                Happening::PayorPays { payee, invoice, .. } => (payee.clone(), invoice.clone()),
                _ => return behind.happen(happening),
            };
            let outcome = behind.happen(happening)?;
            if let Some(collected) = collected_in_part(behind, &payee, &invoice) {
                announce(behind, &["invoice.created", &payee, &invoice], |event| {
                    event["type"] = json!(EventType::InvoicePaid);
                    event["data"]["collected"] = json!(collected);
                });
            }
            Ok(outcome)
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "opted-in-is-announced-too-early",
        clause!("6.events.organization.optedIn"),
        "a business is announced as onboarded before its collection account is open",
        answer(|behind, operation| {
            let business = match &operation {
                Operation::SyncBusiness { business, .. }
                | Operation::SetPayoutAccount { business, .. } => business.clone(),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            announce_if_almost_onboarded(behind, &business);
            Ok(reply)
        })
        .and_happening(opt_in_by_signing)
        .and_attempt(announced),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "other-platforms-invoices-are-announced",
        clause!("5.authentication.4.2"),
        "a platform gets events about the invoices of another platform",
        answer(|behind, operation| {
            let synced = match &operation {
                Operation::SyncInvoice(sync) => (sync.payee.business.clone(), sync.invoice.clone()),
                _ => return behind.answer(operation),
            };
            let reply = behind.answer(operation)?;
            let caller = behind.caller;
            behind.caller = PlatformId(1 - caller.0.min(1));
            announce(behind, &["any"], |event| {
                event["type"] = json!(EventType::InvoiceCreated);
                event["data"] =
                    json!({ "payeeExternalId": synced.0, "invoiceExternalId": synced.1 });
            });
            behind.caller = caller;
            Ok(reply)
        })
        .and_attempt(announced),
    )
    .named_as(clause!("gap.eventCauses")),
];

/// Queues a copy of the delivery kept under `like`, with a new event that `alter` completes.
fn announce(behind: &mut Behind<'_>, like: &[&str], alter: impl FnOnce(&mut Value)) {
    let Some(before) = behind.memory.delivery(&behind.key(like)) else { return };
    let count = behind.memory.count(&before.id);
    let Ok(mut event) = serde_json::from_slice::<Value>(&before.body) else { return };
    event["id"] = json!(format!("{}-{count}", event["id"].as_str().unwrap_or_default()));
    event["occurredAt"] = json!(behind.now);
    alter(&mut event);
    let made = Delivery {
        id: format!("{}-{count}", before.id),
        body: event.to_string().into_bytes().into(),
        queued_at: behind.now,
        ..Delivery::clone(&before)
    };
    behind.memory.keep_delivery(made_of(&before), &Arc::new(made));
    // The subscription may no longer exist.
    let _ = behind.face.resend(behind.now, &before, 1);
}

/// Replaces a resent delivery by the announced one; keeps a copy of every other delivery.
fn announced(memory: &mut DefectMemory, attempt: &mut Attempt) -> bool {
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
fn collected_in_part(behind: &mut Behind<'_>, payee: &str, invoice: &str) -> Option<i64> {
    let (payee, invoice) = (payee.to_owned(), invoice.to_owned());
    match behind.answer(Operation::GetInvoice { payee, invoice }) {
        Ok(Reply::Invoice(invoice)) if invoice.collected < invoice.face_value => {
            Some(invoice.collected.0)
        }
        _ => None,
    }
}

fn opt_in_by_signing(behind: &mut Behind<'_>, happening: Happening) -> Result<Outcome, Impossible> {
    let signing = match &happening {
        Happening::VendorSignsAgreement { payee, .. } => Some(payee.clone()),
        _ => None,
    };
    let outcome = behind.happen(happening)?;
    if let Some(payee) = signing {
        announce_if_almost_onboarded(behind, &payee);
    }
    Ok(outcome)
}

/// Announces that a business has opted in if it lacks only its collection account.
fn announce_if_almost_onboarded(behind: &mut Behind<'_>, business: &str) {
    let read = Operation::GetBusiness { business: business.to_owned() };
    let Ok(Reply::Business(read)) = behind.answer(read) else { return };
    let onboarding = read.onboarding;
    let almost = onboarding.compliance && onboarding.contract && onboarding.bank;
    if almost && !onboarding.collection_account {
        announce(behind, &["organization.added", business], |event| {
            event["type"] = json!(EventType::BusinessOptedIn);
        });
    }
}

//! Defects of subscriptions and their deliveries.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::reply::{Reply, Subscribed, Subscription};
use tideover_model::{
    Answer, Attempt, Cause, Code, Delivery, Operation, Receipt, SigningKey, Token, clause,
};

use crate::defects::Defect;
use crate::defects::breach::{Behind, Breach, answer, attempt, choice, receipt};
use crate::defects::chosen::Skew;

pub(super) static DEFECTS: &[Defect] = &[
    Defect::new(
        "retries-have-bodies-of-their-own",
        clause!("6.delivery.3.2"),
        "the body of a retry differs from that of the first attempt",
        attempt(|_, attempt| {
            if attempt.number > 1 {
                altered(attempt, |delivery| append(delivery, b" "));
            }
            true
        }),
    ),
    Defect::new(
        "retries-have-names-of-their-own",
        clause!("6.delivery.3.2"),
        "a retry carries another Service-Delivery than the attempt before",
        attempt(|_, attempt| {
            let number = attempt.number;
            if number > 1 {
                altered(attempt, |delivery| delivery.id.push_str(&number.to_string()));
            }
            true
        }),
    ),
    Defect::new(
        "one-name-for-every-delivery",
        clause!("6.delivery.3.2"),
        "every delivery carries the same Service-Delivery",
        choice(Skew::Same(Token::Delivery)),
    ),
    Defect::new(
        "attempts-are-signed-with-another-secret",
        clause!("6.signature.1"),
        "attempts are signed with a secret that was never returned",
        attempt(|_, attempt| {
            attempt.signer.key = Arc::new(SigningKey::new("whsec_another"));
            true
        }),
    ),
    Defect::new(
        "attempts-are-signed-when-the-event-happens",
        clause!("6.signature.4"),
        "retries are signed with the time of the event, so that receivers find them too old",
        attempt(|_, attempt| {
            attempt.signer.signed_at = Some(attempt.delivery.queued_at);
            true
        }),
    ),
    Defect::new(
        "failed-deliveries-are-not-repeated",
        clause!("6.delivery.1.2"),
        "a delivery that was answered with a 5xx is never retried",
        receipt(|_, _, receipt| match receipt {
            Receipt::Answered(500..) => Receipt::Answered(200),
            receipt => receipt,
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "redirected-deliveries-are-not-repeated",
        clause!("6.delivery.1.2"),
        "a delivery that was answered with a redirect is never retried",
        receipt(|_, _, receipt| match receipt {
            Receipt::Answered(300..=399) => Receipt::Answered(200),
            receipt => receipt,
        }),
    ),
    Defect::new(
        "only-200-accepts-a-delivery",
        clause!("6.delivery.1"),
        "a delivery that was answered with a 2xx other than 200 is retried",
        receipt(|_, _, receipt| match receipt {
            Receipt::Answered(201..=299) => Receipt::Failed,
            receipt => receipt,
        }),
    )
    .named_as(clause!("gap.retrySchedule")),
    Defect::new(
        "accepted-deliveries-are-repeated",
        clause!("6.delivery.1"),
        "an accepted delivery is retried as if it had failed",
        receipt(|_, _, receipt| match receipt {
            Receipt::Answered(200..=299) => Receipt::Failed,
            receipt => receipt,
        }),
    )
    .named_as(clause!("gap.eventCauses")),
    Defect::new(
        "event-types-are-not-looked-at",
        clause!("2.subscription.eventTypes"),
        "a subscription to some event types gets every event",
        answer(|behind, operation| match operation {
            Operation::Subscribe { url, event_types, addresses } => {
                let all = Operation::Subscribe { url, event_types: None, addresses };
                let mut answer = behind.answer(all);
                if let Ok(Reply::Subscribed(Subscribed { subscription, .. })) = &mut answer {
                    subscription.event_types = event_types;
                    let shown = Reply::Subscriptions(vec![subscription.clone()]);
                    behind.memory.keep(subscription.reference.clone(), shown);
                }
                answer
            }
            Operation::ListSubscriptions => match behind.answer(operation)? {
                Reply::Subscriptions(list) => {
                    let shown = |one: Subscription| match behind.memory.kept(&one.reference) {
                        Some(Reply::Subscriptions(kept)) => kept[0].clone(),
                        _ => one,
                    };
                    Ok(Reply::Subscriptions(list.into_iter().map(shown).collect()))
                }
                reply => Ok(reply),
            },
            operation => behind.answer(operation),
        }),
    ),
    altered!("url-is-shown-in-upper-case", "2.subscription.url",
        Subscribed(subscribed) => subscribed.subscription.url = subscribed.subscription.url.to_uppercase(),
        "the response to a subscription shows its URL in upper case"),
    Defect::new(
        "one-reference-for-all",
        clause!("2.subscription.reference"),
        "every subscription has the same reference",
        choice(Skew::Same(Token::SubscriptionReference)),
    ),
    Defect::new(
        "known-url-subscribes-again",
        clause!("4.webhooks.3"),
        "a URL that is already subscribed gets a second secret",
        answer(|behind, operation| {
            subscribed_if(behind, operation, Code::AlreadySubscribed, |_| true)
        }),
    ),
    Defect::new(
        "link-local-addresses-are-sent-to",
        clause!("4.webhooks.4"),
        "a URL with a link-local address can be subscribed",
        answer(|behind, operation| {
            subscribed_if(behind, operation, Code::DestinationRefused, |url| {
                url.contains("169.254")
            })
        }),
    )
    .named_as(clause!("6.subscription.2")),
    Defect::new(
        "plain-http-is-sent-to",
        clause!("6.subscription.1"),
        "a URL without TLS can be subscribed",
        answer(|behind, operation| {
            subscribed_if(behind, operation, Code::DestinationRefused, |url| {
                url.starts_with("http://")
            })
        }),
    ),
    Defect::new(
        "duplicates-are-new-deliveries",
        clause!("6.delivery.3.2"),
        "the duplicate of an accepted delivery carries another Service-Delivery",
        Breach {
            skew: Some(Skew::Twice),
            ..attempt(|_, attempt| {
                if matches!(attempt.cause, Cause::Duplicate | Cause::Resent) {
                    altered(attempt, |delivery| delivery.id.push('r'));
                }
                true
            })
        },
    ),
];

/// Alters the delivery.
pub(super) fn altered(attempt: &mut Attempt, alter: impl FnOnce(&mut Delivery)) {
    let mut delivery = Delivery::clone(&attempt.delivery);
    alter(&mut delivery);
    attempt.delivery = Arc::new(delivery);
}

fn append(delivery: &mut Delivery, bytes: &[u8]) {
    delivery.body = [&delivery.body, bytes].concat().into();
}

/// Alters the event in the body.
pub(super) fn body(attempt: &mut Attempt, alter: impl FnOnce(&mut Value)) {
    if let Ok(mut event) = serde_json::from_slice::<Value>(&attempt.delivery.body) {
        alter(&mut event);
        altered(attempt, |delivery| delivery.body = event.to_string().into_bytes().into());
    }
}

/// Answers some refusals with a subscription that gets no deliveries.
fn subscribed_if(
    behind: &mut Behind<'_>,
    operation: Operation,
    code: Code,
    subscribed: impl FnOnce(&str) -> bool,
) -> Answer {
    let url = match &operation {
        Operation::Subscribe { url, .. } => url.clone(),
        _ => return behind.answer(operation),
    };
    match behind.answer(operation) {
        Err(refusal) if refusal.code == code && subscribed(&url) => {
            let subscription = Subscription {
                reference: "whs_second".to_owned(),
                url,
                event_types: None,
                created_at: behind.now,
            };
            Ok(Reply::Subscribed(Subscribed { subscription, secret: "whsec_second".to_owned() }))
        }
        answer => answer,
    }
}

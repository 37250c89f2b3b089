//! Defects of subscriptions and their deliveries.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::reply::{Reply, Subscribed, Subscription};
use tideover_model::{Attempt, Cause, Delivery, Operation, Receipt, SigningKey, Timestamp, Token};

use crate::WrongChoice;
use crate::hooks::{answer, attempt, choice};

defects! {
    "retries-have-bodies-of-their-own", "6.delivery.3.2",
        "the body of a retry differs from that of the first attempt",
        attempt(&|_, attempt| {
            if attempt.number > 1 {
                altered(attempt, |delivery| append(delivery, b" "));
            }
            true
        });
    "retries-have-names-of-their-own", "6.delivery.3.2",
        once "renames-retried-delivery", once "retry-renamed",
        "a retry carries another Service-Delivery than the attempt before",
        attempt(&|_, attempt| {
            if attempt.number > 1 {
                let number = format!("_{}", attempt.number);
                altered(attempt, |delivery| delivery.id.push_str(&number));
            }
            true
        });
    "one-name-for-every-delivery", "6.delivery.3.2",
        "every delivery carries the same Service-Delivery",
        choice(WrongChoice::Same(Token::Delivery));
    "attempts-are-signed-with-another-secret", "6.signature.1",
        "attempts are signed with a secret that was never returned",
        attempt(&|_, attempt| {
            attempt.signer.key = Arc::new(SigningKey::new("whsec_another"));
            true
        });
    "attempts-are-signed-when-the-event-happens", "6.signature.4",
        "retries are signed with the time of the event, so that receivers find them too old",
        attempt(&|_, attempt| {
            attempt.signer.signed_at = Some(attempt.delivery.queued_at);
            true
        });
    "failed-deliveries-are-not-repeated", "6.delivery.1.2", as "gap.eventCauses",
        "a delivery that was answered with a 5xx is never retried",
        receipt!(Receipt::Answered(500..) => Receipt::Answered(200));
    "redirected-deliveries-are-not-repeated", "6.delivery.1.2",
        "a delivery that was answered with a redirect is never retried",
        receipt!(Receipt::Answered(300..=399) => Receipt::Answered(200));
    "only-200-accepts-a-delivery", "6.delivery.1", as "gap.retrySchedule",
        "a delivery that was answered with a 2xx other than 200 is retried",
        receipt!(Receipt::Answered(201..=299) => Receipt::Failed);
    "accepted-deliveries-are-repeated", "6.delivery.1", as "gap.eventCauses",
        "an accepted delivery is retried as if it had failed",
        receipt!(Receipt::Answered(200..=299) => Receipt::Failed);
    "event-types-are-not-looked-at", "2.subscription.eventTypes",
        "a subscription to some event types gets every event",
        answer(&|inner, operation| match operation {
            Operation::Subscribe { url, event_types, addresses } => {
                let all = Operation::Subscribe { url, event_types: None, addresses };
                let mut answer = inner.answer(all);
                if let Ok(Reply::Subscribed(Subscribed { subscription, .. })) = &mut answer {
                    subscription.event_types = event_types;
                    let shown = Reply::Subscriptions(vec![subscription.clone()]);
                    inner.memory.keep(subscription.reference.clone(), shown);
                }
                answer
            }
            Operation::ListSubscriptions => match inner.answer(operation)? {
                Reply::Subscriptions(list) => {
                    let shown = |one: Subscription| match inner.memory.kept(&one.reference) {
                        Some(Reply::Subscriptions(kept)) => kept[0].clone(),
                        _ => one,
                    };
                    Ok(Reply::Subscriptions(list.into_iter().map(shown).collect()))
                }
                reply => Ok(reply),
            },
            operation => inner.answer(operation),
        });
    "url-is-shown-in-upper-case", "2.subscription.url", as "gap.subscriptionForm",
        "the response to a subscription shows its URL in upper case",
        edit!(Subscribed(Subscribed { subscription, .. }) =>
            subscription.url = subscription.url.to_uppercase());
    "one-reference-for-all", "2.subscription.reference",
        "every subscription has the same reference",
        choice(WrongChoice::Same(Token::SubscriptionReference));
    "known-url-subscribes-again", "4.webhooks.3",
        "a URL that is already subscribed gets a second secret",
        despite!(|inner, url| Operation::Subscribe { url, .. } => url.clone(),
            AlreadySubscribed => Ok(second_subscription(url, inner.now)));
    "link-local-addresses-are-sent-to", "4.webhooks.4", as "6.subscription.2",
        "a URL with a link-local address can be subscribed",
        despite!(|inner, url| Operation::Subscribe { url, .. } => url.clone(),
            DestinationRefused if url.contains("169.254") => Ok(second_subscription(url, inner.now)));
    "plain-http-is-sent-to", "6.subscription.1",
        "a URL without TLS can be subscribed",
        despite!(|inner, url| Operation::Subscribe { url, .. } => url.clone(),
            DestinationRefused if url.starts_with("http://") => Ok(second_subscription(url, inner.now)));
    "duplicates-are-new-deliveries", "6.delivery.3.2",
        "the duplicate of an accepted delivery carries another Service-Delivery",
        choice(WrongChoice::Twice).and_attempt(&|_, attempt| {
            if matches!(attempt.cause, Cause::Duplicate | Cause::Resent) {
                altered(attempt, |delivery| delivery.id.push('r'));
            }
            true
        });
}

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

/// The answer with a subscription that gets no deliveries.
fn second_subscription(url: String, created_at: Timestamp) -> Reply {
    let reference = "whs_second".to_owned();
    let subscription = Subscription { reference, url, event_types: None, created_at };
    Reply::Subscribed(Subscribed { subscription, secret: "whsec_second".to_owned() })
}

//! Attempts, receipts and their effects, over days: `8.webhookRetryWindow`, `5.authentication.6`.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use tideover_model::{
    Attempt, Cause, Consequence, Delivery, Face, Profile, Range, Receipt, Service, Timestamp,
    Webhooks,
};

use crate::desk::{Desk, instant, round_numbers};

const DAY: u64 = 24 * 3600;
/// When attempts begin, in seconds after the event, if the receiver accepts none.
const SCHEDULE: [u64; 8] = [0, 5, 305, 2105, 9305, 27305, 63305, 99305];

/// A recorded attempt.
#[derive(Debug, PartialEq)]
struct Made {
    delivery: u64,
    at: Timestamp,
    number: u32,
    cause: Cause,
    consequence: Consequence,
}

/// Lets `seconds` pass as a driver of the model does: from one due time to the next, and `receiver` answers
/// every attempt before the clock moves on.
fn pass(
    desk: &mut Desk,
    seconds: u64,
    mut receiver: impl FnMut(&mut Desk, &Attempt) -> Receipt,
) -> Vec<Made> {
    let end = desk.now.after(seconds);
    let mut made = Vec::new();
    loop {
        desk.service.handle_timeout(desk.now);
        while let Some(attempt) = desk.service.poll_attempt(desk.now) {
            let receipt = receiver(desk, &attempt);
            let (delivery, number) = (attempt.delivery.number, attempt.number);
            let consequence = desk.service.handle_receipt(desk.now, &attempt, receipt);
            made.push(Made { delivery, at: desk.now, number, cause: attempt.cause, consequence });
        }
        let next = desk.service.poll_timeout().filter(|due| *due <= end);
        let Some(due) = next else { break };
        assert!(due > desk.now, "due things have happened");
        desk.now = due;
    }
    desk.now = end;
    made
}

fn subscribed(profile: Profile) -> Desk {
    let mut desk = Desk::with(profile);
    desk.subscribe();
    desk
}

/// One event, whose deliveries are pending.
fn event(desk: &mut Desk, business: &str) {
    desk.put(&format!("/v1/organizations/{business}"), &json!({ "legalName": business }));
}

fn times(made: &[Made], start: Timestamp) -> Vec<Timestamp> {
    assert!(made.iter().all(|made| made.at >= start));
    made.iter().map(|made| made.at).collect()
}

/// `6.delivery.1.2`, `gap.retrySchedule`
#[test]
fn an_unaccepted_delivery_has_eight_attempts_in_28_hours() {
    for receipt in [301, 307, 400, 404, 429, 500, 503].map(Receipt::Answered) {
        let mut desk = subscribed(round_numbers());
        let start = desk.now;
        event(&mut desk, "acme");
        let made = pass(&mut desk, 3 * DAY, |_, _| receipt);
        assert_eq!(times(&made, start), SCHEDULE.map(|seconds| start.after(seconds)));
        assert_eq!(
            made.iter().map(|made| made.number).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
        assert_eq!(made[6].consequence, Consequence::Again(start.after(99305)));
        assert_eq!(made[7].consequence, Consequence::GivenUp);
        assert_eq!(made[0].cause, Cause::Event);
        assert!(made[1..].iter().all(|made| made.cause == Cause::Retry));
        assert_eq!(desk.service.poll_timeout(), None);
    }
}

/// An attempt without a response ends at its timeout: the next begins then at the earliest.
#[test]
fn a_hanging_receiver_is_retried_after_the_timeout() {
    let mut desk = subscribed(round_numbers());
    let start = desk.now;
    event(&mut desk, "acme");
    let made = pass(&mut desk, 3 * DAY, |_, _| Receipt::TimedOut);
    let schedule = [0, 15, 315, 2115, 9315, 27315, 63315, 99315];
    assert_eq!(times(&made, start), schedule.map(|seconds| start.after(seconds)));
}

/// `6.delivery.1`, `6.delivery.3`: a lost response is no response.
#[test]
fn only_a_2xx_accepts_a_delivery() {
    for status in [200, 201, 202, 204, 226, 299] {
        let mut desk = subscribed(round_numbers());
        event(&mut desk, "acme");
        let made = pass(&mut desk, 3 * DAY, |_, _| Receipt::Answered(status));
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].consequence, Consequence::Accepted);
    }
    let mut desk = subscribed(round_numbers());
    event(&mut desk, "acme");
    let last = |attempt: &Attempt| attempt.number == 8;
    let made = pass(&mut desk, 3 * DAY, |_, attempt| match last(attempt) {
        true => Receipt::Answered(200),
        false => Receipt::Failed,
    });
    assert_eq!(made.len(), 8);
    assert_eq!(made[7].consequence, Consequence::Accepted);
}

/// `6.delivery.3.2`, `6.signature.2`: the body stays the same, the signature's time changes.
#[test]
fn attempts_share_identity_and_bytes_and_are_signed_anew() {
    let mut desk = subscribed(round_numbers());
    event(&mut desk, "acme");
    event(&mut desk, "globex");
    let mut sent: Vec<(Arc<Delivery>, String)> = Vec::new();
    pass(&mut desk, 3 * DAY, |desk, attempt| {
        let signature = attempt.sign(desk.now).to_string();
        sent.push((Arc::clone(&attempt.delivery), signature));
        Receipt::Failed
    });
    let ids: BTreeSet<&str> = sent.iter().map(|(delivery, _)| delivery.id.as_str()).collect();
    assert_eq!((sent.len(), ids.len()), (16, 2));
    for id in ids {
        let attempts = sent.iter().filter(|(delivery, _)| delivery.id == id);
        let bodies: BTreeSet<&[u8]> =
            attempts.clone().map(|(delivery, _)| &*delivery.body).collect();
        let signatures: BTreeSet<&str> =
            attempts.map(|(_, signature)| signature.as_str()).collect();
        assert_eq!((bodies.len(), signatures.len()), (1, 8));
    }
}

/// `6.delivery.2`
#[test]
fn a_410_ends_the_subscription_and_its_deliveries() {
    let mut desk = subscribed(round_numbers());
    let other = desk.post("/v1/webhooks", &json!({ "url": "https://other.example.com/" }));
    for business in ["a", "b", "c"] {
        event(&mut desk, business);
    }
    let mut answers = 0;
    let made = pass(&mut desk, DAY, |_, attempt| {
        let is_other = *attempt.delivery.subscription == other.body["reference"];
        answers += u32::from(!is_other);
        Receipt::Answered(if is_other { 200 } else { 410 })
    });
    assert_eq!((answers, made.len()), (1, 4));
    assert_eq!(made[0].consequence, Consequence::Revoked);
    let list = desk.get("/v1/webhooks");
    assert_eq!(list.body.as_array().map(Vec::len), Some(1));
    // The destination can subscribe again (`4.recovery.3`).
    desk.subscribe();
}

/// `4.webhookDeletion.1`: not even queued attempts; the result of one in flight has no effect.
#[test]
fn a_deleted_subscription_gets_no_more_deliveries() {
    let mut desk = subscribed(round_numbers());
    let reference = desk.get("/v1/webhooks").body[0]["reference"].as_str().unwrap().to_owned();
    event(&mut desk, "acme");
    event(&mut desk, "globex");
    let made = pass(&mut desk, 4, |_, _| Receipt::Failed);
    assert_eq!(made.len(), 2);
    desk.wait(1);
    let in_flight = desk.service.poll_attempt(desk.now).expect("the first retry");
    desk.send("DELETE", &format!("/v1/webhooks/{reference}"), &json!(null));
    assert_eq!(desk.service.poll_attempt(desk.now), None);
    let receipt = Receipt::Answered(500);
    let consequence = desk.service.handle_receipt(desk.now, &in_flight, receipt);
    assert_eq!(consequence, Consequence::None);
    assert_eq!(desk.service.poll_timeout(), None);
    assert_eq!(desk.service.next_attempt(&in_flight.delivery), None);
    assert!(!desk.service.is_live(&in_flight.delivery));
    assert!(desk.service.resend(desk.now, &in_flight.delivery, 1).is_err());
}

#[test]
fn a_receipt_counts_once_for_the_attempt_in_flight() {
    let mut desk = subscribed(round_numbers());
    event(&mut desk, "acme");
    let first = desk.service.poll_attempt(desk.now).unwrap();
    assert_eq!(desk.service.poll_attempt(desk.now), None);
    let again = desk.service.handle_receipt(desk.now, &first, Receipt::Failed);
    assert_eq!(again, Consequence::Again(desk.now.after(5)));
    let accepted = Receipt::Answered(200);
    assert_eq!(desk.service.handle_receipt(desk.now, &first, accepted), Consequence::None);
    assert_eq!(desk.service.next_attempt(&first.delivery), Some(desk.now.after(5)));
    // Nor does one from before a reset, although the numbers are the same.
    desk.act(&json!({ "action": "reset", "repeat": true }));
    desk.subscribe();
    event(&mut desk, "acme");
    let newest = desk.service.poll_attempt(desk.now).unwrap();
    assert_eq!((newest.number, newest.delivery.number), (1, 0));
    assert_eq!(desk.service.handle_receipt(desk.now, &first, accepted), Consequence::None);
    assert_eq!(desk.service.handle_receipt(desk.now, &newest, accepted), Consequence::Accepted);
}

/// After a reset, the numbers and references of deliveries come again.
#[test]
fn a_delivery_from_before_a_reset_is_unknown() {
    let mut desk = Desk::open();
    desk.become_platform("second");
    desk.subscribe();
    event(&mut desk, "acme");
    let before = desk.service.poll_attempt(desk.now).unwrap().delivery;
    desk.act(&json!({ "action": "reset", "repeat": true }));
    assert!(!desk.service.is_live(&before));
    assert_eq!(desk.service.next_attempt(&before), None);
    assert!(desk.service.resend(desk.now, &before, 1).is_err());
    // Nor does it take the place of the delivery that gets its number.
    desk.key = Service::FIRST_KEY.to_owned();
    desk.become_platform("second");
    desk.subscribe();
    assert!(desk.service.is_live(&before));
    assert!(desk.service.resend(desk.now, &before, 1).is_err());
    event(&mut desk, "acme");
    assert_eq!(desk.service.poll_attempt(desk.now).unwrap().number, 1);
}

#[test]
fn one_dead_receiver_blocks_no_other() {
    let at_once = Webhooks { at_once: 2, ..Webhooks::default() };
    let mut desk = subscribed(Profile { webhooks: at_once, ..round_numbers() });
    desk.post("/v1/webhooks", &json!({ "url": "https://other.example.com/" }));
    for business in ["a", "b", "c"] {
        event(&mut desk, business);
    }
    let begun: Vec<Attempt> = std::iter::from_fn(|| desk.service.poll_attempt(desk.now)).collect();
    assert_eq!(begun.len(), 4, "two for each");
    assert_eq!(desk.service.poll_timeout(), None, "nothing until one of them ends");
    let accepted = Receipt::Answered(200);
    desk.service.handle_receipt(desk.now, &begun[3], accepted);
    let next = desk.service.poll_attempt(desk.now).unwrap();
    assert_eq!(next.delivery.subscription, begun[3].delivery.subscription);
    assert_eq!(desk.service.poll_attempt(desk.now), None);
}

#[test]
fn the_profile_determines_the_schedule() {
    let webhooks = Webhooks { retries: vec![60, 60, 60, 60], window: 150, ..Webhooks::default() };
    let mut desk = subscribed(Profile { webhooks, ..round_numbers() });
    let start = desk.now;
    event(&mut desk, "acme");
    let made = pass(&mut desk, DAY, |_, _| Receipt::Failed);
    assert_eq!(times(&made, start), [0, 60, 120].map(|seconds| start.after(seconds)));
    assert_eq!(made[2].consequence, Consequence::GivenUp);
}

/// `6.delivery.4`, `6.delivery.4.2`, `gap.lateness`
#[test]
fn events_overtake_each_other_if_the_profile_allows_it() {
    let webhooks = Webhooks { lateness: Range { min: 0, max: 600 }, ..Webhooks::default() };
    let play = || {
        let mut desk = subscribed(Profile { webhooks: webhooks.clone(), ..round_numbers() });
        for business in 0..20 {
            event(&mut desk, &format!("b{business}"));
        }
        let made = pass(&mut desk, DAY, |_, _| Receipt::Answered(200));
        assert!(made.iter().any(|made| made.cause == Cause::Late));
        made.iter().map(|made| (made.delivery, made.at)).collect::<Vec<_>>()
    };
    let order = play();
    assert_eq!(order.len(), 20);
    assert!(!order.is_sorted(), "{order:?}");
    assert!(order.iter().all(|(_, at)| *at <= instant(crate::desk::START).after(600)));
    assert_eq!(order, play());
}

/// `6.delivery.3`, `gap.duplicates`
#[test]
fn some_deliveries_come_twice_if_the_profile_allows_it() {
    let webhooks = Webhooks { duplicates: 50, ..Webhooks::default() };
    let mut desk = subscribed(Profile { webhooks, ..round_numbers() });
    for business in 0..40 {
        event(&mut desk, &format!("b{business}"));
    }
    let made = pass(&mut desk, DAY, |_, attempt| match attempt.cause {
        Cause::Duplicate => Receipt::Failed,
        _ => Receipt::Answered(200),
    });
    let twice: Vec<_> = made.iter().filter(|made| made.cause == Cause::Duplicate).collect();
    assert!((10..30).contains(&twice.len()), "{}", twice.len());
    assert!(twice.iter().all(|made| made.number == 2));
    assert_eq!(made.len(), 40 + twice.len(), "a duplicate is not retried");
}

#[test]
fn a_delivery_can_be_resent_manually() {
    let mut desk = subscribed(round_numbers());
    let start = desk.now;
    event(&mut desk, "acme");
    let mut delivery = None;
    pass(&mut desk, 60, |_, attempt| {
        delivery = Some(Arc::clone(&attempt.delivery));
        Receipt::Failed
    });
    let delivery = delivery.unwrap();
    // A waiting delivery gets one more attempt now, and its schedule continues unchanged.
    for number in [3, 4, 5] {
        desk.service.resend(desk.now, &delivery, number - 1).unwrap();
        let made = pass(&mut desk, 1, |_, _| Receipt::Failed);
        assert_eq!((made.len(), made[0].number, made[0].cause), (1, number, Cause::Resent));
        assert_eq!(made[0].consequence, Consequence::Again(start.after(305)));
    }
    let made = pass(&mut desk, 3 * DAY, |_, _| Receipt::Failed);
    assert_eq!(
        times(&made, start),
        SCHEDULE[2..].iter().map(|s| start.after(*s)).collect::<Vec<_>>()
    );
    let last = made.last().unwrap();
    assert_eq!((last.number, last.consequence), (11, Consequence::GivenUp));
    // A completed delivery gets one more attempt.
    desk.service.resend(desk.now, &delivery, 11).unwrap();
    let made = pass(&mut desk, DAY, |desk, attempt| {
        assert!(desk.service.resend(desk.now, &attempt.delivery, 12).is_err(), "it is in flight");
        Receipt::Failed
    });
    let [Made { number: 12, consequence: Consequence::GivenUp, .. }] = made[..] else {
        panic!("{made:?}")
    };
}

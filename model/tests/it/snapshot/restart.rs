//! A restart while attempts are in flight.

use std::sync::Arc;

use serde_json::json;
use tideover_model::{
    Attempt, Cause, Consequence, Face, Profile, Receipt, Service, Timestamp, Webhooks, pass,
};

use crate::desk::{Desk, round_numbers};

/// A service with one subscription and one event.
fn desk(webhooks: Webhooks) -> Desk {
    let mut desk = Desk::with(Profile { webhooks, ..round_numbers() });
    desk.subscribe();
    desk.put("/v1/organizations/acme", &json!({ "legalName": "Acme" }));
    desk
}

/// Continues with a service that was restored, `seconds` later.
fn restart(desk: &mut Desk, seconds: u64) -> Vec<(Attempt, Consequence)> {
    desk.service =
        Service::restore(&desk.service.snapshot().expect("seeded choices")).expect("a snapshot");
    desk.now = desk.now.after(seconds);
    desk.service.handle_restart(desk.now)
}

fn consequences(ended: &[(Attempt, Consequence)]) -> Vec<Consequence> {
    ended.iter().map(|(_, consequence)| *consequence).collect()
}

/// When attempts begin, if the receiver accepts none.
fn attempts(desk: &mut Desk, seconds: u64) -> Vec<Timestamp> {
    let (start, mut begun) = (desk.now, Vec::new());
    pass(&mut desk.service, start, start.after(seconds), |now, _| {
        begun.push(now);
        Receipt::Failed
    });
    begun
}

/// `6.delivery.1.2`, `gap.retrySchedule`
#[test]
fn an_attempt_in_flight_at_the_restart_has_failed() {
    let mut desk = desk(Webhooks::default());
    let start = desk.now;
    let first = desk.service.poll_attempt(start).unwrap();
    let ended = restart(&mut desk, 2);
    assert_eq!(ended, [(first.clone(), Consequence::Again(start.after(5)))]);
    assert_eq!(desk.service.poll_timeout(), Some(start.after(5)));
    // The schedule counts from the start of the attempt, not from the restart.
    assert_eq!(attempts(&mut desk, 400), [5, 305].map(|seconds| start.after(seconds)));
    assert_eq!(desk.service.handle_restart(desk.now), []);
}

#[test]
fn a_late_receipt_has_no_effect() {
    let mut desk = desk(Webhooks::default());
    let first = desk.service.poll_attempt(desk.now).unwrap();
    let mut same_process = desk.clone();
    restart(&mut desk, 60);
    same_process.service.handle_restart(desk.now);
    same_process.now = desk.now;
    assert!(desk.service == same_process.service);
    for desk in [&mut desk, &mut same_process] {
        let late =
            |desk: &mut Desk| desk.service.handle_receipt(desk.now, &first, Receipt::Answered(410));
        assert_eq!(late(desk), Consequence::None);
        // The retry is due at once, since its time has passed.
        let second = desk.service.poll_attempt(desk.now).unwrap();
        assert_eq!((second.number, second.cause), (2, Cause::Retry));
        assert_eq!(late(desk), Consequence::None);
        let accepted = desk.service.handle_receipt(desk.now, &second, Receipt::Answered(200));
        assert_eq!(accepted, Consequence::Accepted);
    }
}

/// `8.webhookRetryWindow`
#[test]
fn a_restart_after_the_window_gives_up() {
    let mut desk = desk(Webhooks::default());
    desk.service.poll_attempt(desk.now).unwrap();
    let ended = restart(&mut desk, 28 * 3600 + 1);
    assert_eq!(consequences(&ended), [Consequence::GivenUp]);
    assert_eq!(desk.service.poll_timeout(), None);
}

/// A delivery that waits does not depend on the process.
#[test]
fn deliveries_that_wait_are_sent_after_the_restart() {
    let mut desk = desk(Webhooks::default());
    let start = desk.now;
    assert_eq!(restart(&mut desk, 90), []);
    assert_eq!(attempts(&mut desk, 1), [start.after(90)]);
}

/// A journal finds an attempt's delivery by its place in memory.
#[test]
fn a_queued_delivery_is_that_of_its_attempts() {
    let mut desk = desk(Webhooks::default());
    restart(&mut desk, 0);
    let queued = desk.service.poll_delivery().unwrap();
    let attempt = desk.service.poll_attempt(desk.now).unwrap();
    assert!(Arc::ptr_eq(&queued, &attempt.delivery));
}

/// `gap.duplicates`
#[test]
fn an_interrupted_duplicate_was_accepted_before() {
    let mut desk = desk(Webhooks { duplicates: 100, ..Webhooks::default() });
    let first = desk.service.poll_attempt(desk.now).unwrap();
    desk.service.handle_receipt(desk.now, &first, Receipt::Answered(200));
    let second = desk.service.poll_attempt(desk.now).unwrap();
    assert_eq!(second.cause, Cause::Duplicate);
    assert_eq!(restart(&mut desk, 1), [(second, Consequence::Accepted)]);
    assert_eq!(desk.service.poll_timeout(), None);
}

#[test]
fn an_interrupted_manual_attempt_leaves_the_schedule_as_it_is() {
    let mut desk = desk(Webhooks::default());
    let start = desk.now;
    let first = desk.service.poll_attempt(start).unwrap();
    desk.service.handle_receipt(start, &first, Receipt::Failed);
    desk.service.resend(start, &first.delivery, 1).unwrap();
    let manual = desk.service.poll_attempt(start).unwrap();
    assert_eq!(manual.cause, Cause::Resent);
    assert_eq!(restart(&mut desk, 1), [(manual, Consequence::Again(start.after(5)))]);
}

/// `webhooks.at_once`: what a dead process sent takes no place.
#[test]
fn a_restart_frees_the_places_of_attempts() {
    let mut desk = desk(Webhooks { at_once: 1, ..Webhooks::default() });
    desk.put("/v1/organizations/globex", &json!({ "legalName": "Globex" }));
    desk.service.poll_attempt(desk.now).unwrap();
    assert_eq!(desk.service.poll_attempt(desk.now), None);
    restart(&mut desk, 1);
    assert_eq!(desk.service.poll_attempt(desk.now).unwrap().delivery.number, 1);
}

//! What comes to the inbox with a step is what the shadow sends its own: the same events, at the same times.
//!
//! The document leaves both open, so that a difference is one from an assumption; not so, that what was not accepted
//! is tried again (`6.delivery.1.2`), and when the transaction began (`6.delivery.6`). Order and repeats are not
//! compared: they are free. Nor is what was answered 410: how much was under way then is nobody's to say.

use std::collections::BTreeSet;
use std::iter::zip;

use serde_json::Value;
use tideover_model::{Clause, Timestamp, clause};

use crate::exchange::{Arrival, Exchange};
use crate::judge::checks::{Check, Notes, starts_anew};

#[derive(Default)]
pub(super) struct Arrivals {
    /// What was not accepted before, whatever the delivery is called.
    refused: BTreeSet<String>,
}

impl Check for Arrivals {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            self.refused.clear();
        }
        let (seen, predicted) = (exchange.arrivals, exchange.predicted_arrivals);
        if seen.is_empty() && predicted.is_empty() {
            return;
        }
        let (causes, schedule) = (clause!("gap.eventCauses"), clause!("gap.retrySchedule"));
        if seen.len() == predicted.len()
            && zip(seen, predicted).all(|(one, other)| is_same(one, other))
        {
            notes.meet(causes);
            notes.meet(schedule);
            if self.attempt(seen) {
                notes.meet(RETRIED);
            }
            return;
        }
        let mut expected = Arrivals { refused: self.refused.clone() };
        let is_retried = (expected.attempt(predicted), self.attempt(seen));
        if is_retried.0 {
            let evidence = || ("another attempt at what was not accepted", "none");
            notes.expect(exchange, RETRIED, is_retried.1, "events", evidence);
            if !is_retried.1 {
                return;
            }
        }
        let (expected, events) = (told(predicted, event), told(seen, event));
        let same = expected == events;
        let evidence = || (in_words(&expected), in_words(&events));
        notes.expect(exchange, causes, same, "events", evidence);
        if same {
            let (expected, times) = (told(predicted, foreseen_attempt), told(seen, attempt));
            let evidence = || (in_words(&expected), in_words(&times));
            notes.expect(exchange, schedule, expected == times, "times", evidence);
            let (expected, began) = (told(predicted, began), told(seen, began));
            let evidence = || (in_words(&expected), in_words(&began));
            let clause = clause!("6.delivery.6");
            notes.expect(exchange, clause, expected == began, "occurredAt", evidence);
        }
    }
}

const RETRIED: Clause = clause!("6.delivery.1.2");

impl Arrivals {
    /// Keeps what was not accepted; whether any of it was attempted again.
    fn attempt(&mut self, arrivals: &[Arrival]) -> bool {
        let mut again = false;
        for arrival in arrivals {
            let is_accepted = (200..=299).contains(&arrival.status);
            if is_accepted && self.refused.is_empty() {
                continue;
            }
            let event = event(arrival);
            again |= self.refused.contains(&event);
            if !is_accepted {
                self.refused.insert(event);
            }
        }
        again
    }
}

/// What an event is, and when its transaction began.
fn began(arrival: &Arrival) -> String {
    let body = arrival.body.json().unwrap_or(&Value::Null);
    format!("{} {}", event(arrival), body["occurredAt"])
}

fn told(arrivals: &[Arrival], what: fn(&Arrival) -> String) -> BTreeSet<String> {
    arrivals.iter().filter(|arrival| arrival.status != 410).map(what).collect()
}

fn event(arrival: &Arrival) -> String {
    let body = arrival.body.json().unwrap_or(&Value::Null);
    format!("{} {} {}", arrival.path, body["type"], body["data"])
}

fn attempt(arrival: &Arrival) -> String {
    format!("{} at {}", event(arrival), arrival.signed_at().unwrap_or_default())
}

fn foreseen_attempt(arrival: &Arrival) -> String {
    format!("{} at {}", event(arrival), foreseen_at(arrival).unwrap_or_default())
}

/// The shadow signs when it sends, if it signs at all.
fn foreseen_at(arrival: &Arrival) -> Option<u64> {
    arrival.at.map(Timestamp::unix_unsigned).or_else(|| arrival.signed_at())
}

/// Whether an arrival is the foreseen one, at the same time.
fn is_same(seen: &Arrival, foreseen: &Arrival) -> bool {
    (&seen.path, seen.status, &seen.body) == (&foreseen.path, foreseen.status, &foreseen.body)
        && seen.signed_at() == foreseen_at(foreseen)
}

fn in_words(told: &BTreeSet<String>) -> String {
    told.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
}

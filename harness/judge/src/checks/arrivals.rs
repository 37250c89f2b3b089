//! Each step causes the deliveries that the model predicts: the same events at the same times.
//!
//! The document leaves both open, so a difference contradicts only an assumption. Two points are documented:
//! an unaccepted delivery is retried (`6.delivery.1.2`), and an event shows when its transaction began
//! (`6.delivery.6`). Order is not guaranteed, and a delivery is made at least once (§6 Delivery rules 3 and 4): a
//! service that loses our response sends it again. So neither is compared. Deliveries answered with 410 are not
//! compared either, because how many were in flight then is unknown.

use std::collections::BTreeSet;
use std::iter::zip;

use serde_json::Value;
use tideover_exchange::{Arrival, Exchange};
use tideover_model::wire::field;
use tideover_model::{Clause, Timestamp, clause};

use crate::checks::{Check, Notes, is_reset};

#[derive(Default)]
pub(super) struct Arrivals {
    /// Events that were not accepted before, under any delivery identifier.
    refused: BTreeSet<String>,
}

impl Check for Arrivals {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
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
            // The bodies are equal, and so are their times. Another order of arrival counts the same.
            notes.meet(BEGAN);
            if self.attempt(seen) {
                notes.meet(RETRIED);
            }
            return;
        }
        let mut expected = Arrivals { refused: self.refused.clone() };
        // An event that has not come at all is no attempt that is missing.
        let has_come: BTreeSet<String> =
            seen.iter().map(began).chain(self.refused.clone()).collect();
        let of_known = predicted.iter().filter(|arrival| has_come.contains(&began(arrival)));
        let of_known: Vec<Arrival> = of_known.cloned().collect();
        let is_retried = (expected.attempt(&of_known), self.attempt(seen));
        if is_retried.0 {
            let evidence = || ("another attempt at a delivery that was not accepted", "none");
            notes.expect(exchange, RETRIED, is_retried.1, "events", evidence);
            if !is_retried.1 {
                return;
            }
        }
        let (expected, events) = (described(predicted, event), described(seen, event));
        let same = expected == events;
        let evidence = || (in_words(&expected), in_words(&events));
        notes.expect(exchange, causes, same, "events", evidence);
        if same {
            let (expected, times) =
                (described(predicted, predicted_attempt), described(seen, attempt));
            let evidence = || (in_words(&expected), in_words(&times));
            notes.expect(exchange, schedule, expected == times, "times", evidence);
            let (expected, began) = (described(predicted, began), described(seen, began));
            let evidence = || (in_words(&expected), in_words(&began));
            notes.expect(exchange, BEGAN, expected == began, field::OCCURRED_AT, evidence);
        }
    }
}

const RETRIED: Clause = clause!("6.delivery.1.2");
const BEGAN: Clause = clause!("6.delivery.6");

impl Arrivals {
    /// Records events that were not accepted. Returns whether any of them was retried, in whatever order they arrived.
    fn attempt(&mut self, arrivals: &[Arrival]) -> bool {
        let is_accepted = |arrival: &&Arrival| (200..=299).contains(&arrival.status);
        let mut again = false;
        for arrival in arrivals.iter().filter(|arrival| !is_accepted(arrival)) {
            again |= !self.refused.insert(began(arrival));
        }
        if self.refused.is_empty() {
            return false;
        }
        let mut accepted = arrivals.iter().filter(is_accepted);
        again || accepted.any(|arrival| self.refused.contains(&began(arrival)))
    }
}

/// The event, and when its transaction began.
fn began(arrival: &Arrival) -> String {
    let body = arrival.body.json().unwrap_or(&Value::Null);
    format!("{} {}", event(arrival), body[field::OCCURRED_AT])
}

fn described(arrivals: &[Arrival], what: fn(&Arrival) -> String) -> BTreeSet<String> {
    arrivals.iter().filter(|arrival| arrival.status != 410).map(what).collect()
}

fn event(arrival: &Arrival) -> String {
    let body = arrival.body.json().unwrap_or(&Value::Null);
    format!("{} {} {}", arrival.path, body[field::TYPE], body[field::DATA])
}

fn attempt(arrival: &Arrival) -> String {
    format!("{} at {}", event(arrival), arrival.signed_at().unwrap_or_default())
}

fn predicted_attempt(arrival: &Arrival) -> String {
    format!("{} at {}", event(arrival), predicted_at(arrival).unwrap_or_default())
}

/// When the model sent it. The signature has the same time, if there is one.
fn predicted_at(arrival: &Arrival) -> Option<u64> {
    arrival.at.map(Timestamp::unix_unsigned).or_else(|| arrival.signed_at())
}

/// Whether an arrival is the predicted one, at the same time.
fn is_same(seen: &Arrival, predicted: &Arrival) -> bool {
    (&seen.path, seen.status, &seen.body) == (&predicted.path, predicted.status, &predicted.body)
        && seen.signed_at() == predicted_at(predicted)
}

fn in_words(texts: &BTreeSet<String>) -> String {
    texts.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
}

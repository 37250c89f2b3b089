//! What comes to the inbox with a step is what the shadow sends its own: the same events, at the same times.
//!
//! The document leaves both open, so that a difference is one from an assumption. Order and repeats are not
//! compared: they are free. Nor is what was answered 410: how much was under way then is nobody's to say.

use std::collections::BTreeSet;

use serde_json::Value;
use tideover_model::clause;

use crate::checks::{Check, Exchange, Notes};
use crate::inbox::Arrival;

pub(super) struct Arrivals;

impl Check for Arrivals {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let (seen, predicted) = (exchange.arrivals, exchange.predicted_arrivals);
        if seen.is_empty() && predicted.is_empty() {
            return;
        }
        let (expected, events) = (told(predicted, event), told(seen, event));
        let same = expected == events;
        notes.expect(
            exchange,
            clause!("gap.eventCauses"),
            same,
            "events",
            in_words(&expected),
            in_words(&events),
        );
        if same {
            let (expected, times) = (told(predicted, attempt), told(seen, attempt));
            let clause = clause!("gap.retrySchedule");
            let same = expected == times;
            notes.expect(exchange, clause, same, "times", in_words(&expected), in_words(&times));
        }
    }
}

fn told(arrivals: &[Arrival], what: fn(&Arrival) -> String) -> BTreeSet<String> {
    arrivals.iter().filter(|arrival| arrival.status != 410).map(what).collect()
}

fn event(arrival: &Arrival) -> String {
    let body: Value = serde_json::from_slice(&arrival.body).unwrap_or_default();
    format!("{} {} {}", arrival.path, body["type"], body["data"])
}

fn attempt(arrival: &Arrival) -> String {
    format!("{} at {}", event(arrival), arrival.signed_at().unwrap_or_default())
}

fn in_words(told: &BTreeSet<String>) -> String {
    told.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
}

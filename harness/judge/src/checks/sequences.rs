//! A later financing state has a greater sequence, in any order of arrival (`6.delivery.5`). Every event
//! shows when its transaction began, which is before the event was sent (`6.delivery.6`).

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use serde::Deserialize;
use serde_json::Value;
use tideover_exchange::matcher::fields;
use tideover_exchange::{Arrival, Exchange, Sequence};
use tideover_model::signature::TOLERANCE;
use tideover_model::wire::field;
use tideover_model::words::AdvanceState;
use tideover_model::{Timestamp, clause};

use crate::checks::relations::shared_paths::SharedPaths;
use crate::checks::{Check, ChosenBy, Notes, is_reset};

/// The sequences seen for an invoice, by state.
type StateSequences = BTreeMap<AdvanceState, Sequence>;

#[derive(Default)]
pub(super) struct Sequences {
    invoices: BTreeMap<String, StateSequences>,
    /// Two platforms may name two invoices alike.
    shared_paths: SharedPaths,
    chosen_by: ChosenBy,
}

impl Sequences {
    pub(super) fn of(chosen_by: ChosenBy) -> Sequences {
        Sequences { chosen_by, ..Sequences::default() }
    }

    /// Whether a value can be a time. The format of a time is not shown.
    fn is_time(&self, occurred: &Value) -> bool {
        match self.chosen_by {
            ChosenBy::OurMock => occurred.as_str().and_then(Timestamp::parse).is_some(),
            ChosenBy::UnknownService => !occurred.is_null(),
        }
    }
}

impl Check for Sequences {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            self.invoices.clear();
        }
        self.shared_paths.learn(exchange);
        for arrival in exchange.arrivals {
            let event = arrival.body.json().unwrap_or(&Value::Null);
            let occurred = field(event, field::OCCURRED_AT);
            let is_time = self.is_time(occurred);
            let evidence = || ("the time of the transaction", occurred.to_string());
            notes.expect_delivery(clause!("6.delivery.6"), is_time, field::OCCURRED_AT, evidence);
            check_beginning(exchange, arrival, occurred, notes);
            let is_one_platforms = !self.shared_paths.has(&arrival.path);
            if arrival.event_type() == Some("partner.invoice.factoredUpdated") && is_one_platforms {
                self.compare(&arrival.path, event, notes);
            }
        }
    }
}

/// A transaction began before anything was sent of it. Whether a signature has the time of the service's own clock or of
/// the receiver's is open, so the later one counts.
fn check_beginning(
    exchange: &Exchange<'_>,
    arrival: &Arrival,
    occurred: &Value,
    notes: &mut Notes,
) {
    let began = occurred.as_str().and_then(Timestamp::parse).map(Timestamp::unix_unsigned);
    let (Some(began), Some(now)) = (began, exchange.its_time(exchange.now)) else { return };
    let latest = arrival.signed_at().unwrap_or(now).max(now);
    let evidence = || {
        let late = began.saturating_sub(latest);
        ("no later than the attempt".to_owned(), format!("{late} seconds after it"))
    };
    let is_past = began <= latest.saturating_add(TOLERANCE);
    notes.expect_delivery(clause!("6.delivery.6"), is_past, field::OCCURRED_AT, evidence);
}

impl Sequences {
    fn compare(&mut self, path: &str, event: &Value, notes: &mut Notes) {
        let clause = clause!("6.delivery.5");
        let value = field(event, field::SEQUENCE);
        let Some(sequence) = Sequence::of(value)
            .filter(|_| self.chosen_by == ChosenBy::UnknownService || value.is_u64())
        else {
            let evidence = || ("a number", value.to_string());
            notes.expect_delivery(clause, false, "sequence", evidence);
            return;
        };
        let data = &event[field::DATA];
        let Ok(state) = AdvanceState::deserialize(&data[field::STATE]) else { return };
        let (payee, invoice) = (&data[field::PAYEE_EXTERNAL_ID], &data[field::INVOICE_EXTERNAL_ID]);
        if !(payee.is_string() && invoice.is_string()) {
            return;
        }
        let invoice = format!("{path} {payee} {invoice}");
        let known = self.invoices.entry(invoice).or_default();
        let fits = match self.chosen_by {
            ChosenBy::OurMock => follows(known, state, sequence),
            ChosenBy::UnknownService => may_follow(known, state, sequence),
        };
        notes.expect_delivery(clause, fits, "sequence", || {
            (format!("a sequence of {state:?} that fits {known:?}"), sequence.to_string())
        });
        // Keeps the first sequence of a state. A transition back comes later.
        known.entry(state).and_modify(|first| *first = sequence.min(*first)).or_insert(sequence);
        // The document doesn't say that no sequence is skipped.
        let (clause, next) = (clause!("gap.eventCauses"), Sequence::from(state.sequence()));
        let evidence = || (next.to_string(), sequence.to_string());
        notes.expect_delivery(clause, sequence == next, "sequence", evidence);
    }
}

/// Whether a sequence fits a state where each state comes once, in order.
fn follows(known: &StateSequences, state: AdvanceState, sequence: Sequence) -> bool {
    let before = known.range(..state).next_back().is_none_or(|(_, before)| *before < sequence);
    let mut later = known.range((Excluded(state), Unbounded));
    let after = later.next().is_none_or(|(_, after)| sequence < *after);
    let same = known.get(&state).is_none_or(|same| *same == sequence);
    before && after && same
}

/// The same check where a state may repeat or follow a later one, because the transitions are not shown. No
/// two states share a sequence.
fn may_follow(known: &StateSequences, state: AdvanceState, sequence: Sequence) -> bool {
    known.iter().all(|(other, before)| *other == state || *before != sequence)
}

/// A field at any depth of an event, because its place is not shown.
fn field<'a>(event: &'a Value, name: &str) -> &'a Value {
    fields(event).find(|(known, _)| *known == name).map_or(&Value::Null, |(_, value)| value)
}

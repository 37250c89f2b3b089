//! A later financing state has a greater sequence, whatever order they come in (`6.delivery.5`), and every
//! event says when its transaction began (`6.delivery.6`).

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use serde::Deserialize;
use serde_json::Value;
use tideover_model::words::AdvanceState;
use tideover_model::{Timestamp, clause};

use crate::exchange::{Exchange, kind_of_event, whole_number};
use crate::judge::checks::{Check, Notes, Whose, starts_anew};

/// The sequences seen of an invoice, by state.
type Seen = BTreeMap<AdvanceState, u64>;

#[derive(Default)]
pub(super) struct Sequences {
    invoices: BTreeMap<String, Seen>,
    whose: Whose,
}

impl Sequences {
    pub(super) fn of(whose: Whose) -> Sequences {
        Sequences { whose, ..Sequences::default() }
    }

    /// How the time is told is not shown.
    fn is_time(&self, occurred: &Value) -> bool {
        match self.whose {
            Whose::Ours => occurred.as_str().and_then(Timestamp::parse).is_some(),
            Whose::Theirs => !occurred.is_null(),
        }
    }
}

impl Check for Sequences {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            self.invoices.clear();
        }
        for arrival in exchange.arrivals {
            let event = arrival.body.json().unwrap_or(&Value::Null);
            let occurred = field(event, "occurredAt");
            let is_time = self.is_time(occurred);
            let evidence = || ("the time of the transaction", occurred.to_string());
            notes.expect(exchange, clause!("6.delivery.6"), is_time, "occurredAt", evidence);
            if kind_of_event(event) == Some("partner.invoice.factoredUpdated") {
                self.compare(exchange, &arrival.path, event, notes);
            }
        }
    }
}

impl Sequences {
    fn compare(&mut self, exchange: &Exchange<'_>, path: &str, event: &Value, notes: &mut Notes) {
        let clause = clause!("6.delivery.5");
        let told = field(event, "sequence");
        let Some(sequence) =
            whole_number(told).filter(|_| self.whose == Whose::Theirs || told.is_u64())
        else {
            let evidence = || ("an integer", told.to_string());
            notes.expect(exchange, clause, false, "sequence", evidence);
            return;
        };
        let data = &event["data"];
        let Ok(state) = AdvanceState::deserialize(&data["state"]) else { return };
        let (payee, invoice) = (&data["payeeExternalId"], &data["invoiceExternalId"]);
        if !(payee.is_string() && invoice.is_string()) {
            return;
        }
        let invoice = format!("{path} {payee} {invoice}");
        let known = self.invoices.entry(invoice).or_default();
        let fits = match self.whose {
            Whose::Ours => follows(known, state, sequence),
            Whose::Theirs => may_follow(known, state, sequence),
        };
        notes.expect(exchange, clause, fits, "sequence", || {
            (format!("a sequence of {state:?} that fits {known:?}"), sequence.to_string())
        });
        // The first time that it was in a state: a transition back comes later.
        known.entry(state).and_modify(|first| *first = sequence.min(*first)).or_insert(sequence);
        // That none is left out, the document doesn't say.
        let (clause, next) = (clause!("gap.eventCauses"), u64::from(state.sequence()));
        let evidence = || (next.to_string(), sequence.to_string());
        notes.expect(exchange, clause, sequence == next, "sequence", evidence);
    }
}

/// Whether a state of this sequence fits in where each comes once, in order.
fn follows(known: &Seen, state: AdvanceState, sequence: u64) -> bool {
    let before = known.range(..state).next_back().is_none_or(|(_, before)| *before < sequence);
    let mut later = known.range((Excluded(state), Unbounded));
    let after = later.next().is_none_or(|(_, after)| sequence < *after);
    let same = known.get(&state).is_none_or(|same| *same == sequence);
    before && after && same
}

/// The same where one may come again, or after a later one: the transitions are not shown. No two have one sequence.
fn may_follow(known: &Seen, state: AdvanceState, sequence: u64) -> bool {
    known.iter().all(|(other, before)| *other == state || *before != sequence)
}

/// A field of an event, wherever in it that stands: where is not shown.
fn field<'a>(event: &'a Value, name: &str) -> &'a Value {
    found(event, name).unwrap_or(&Value::Null)
}

fn found<'a>(event: &'a Value, name: &str) -> Option<&'a Value> {
    match event {
        Value::Object(fields) => {
            fields.get(name).or_else(|| fields.values().find_map(|inside| found(inside, name)))
        }
        Value::Array(items) => items.iter().find_map(|item| found(item, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

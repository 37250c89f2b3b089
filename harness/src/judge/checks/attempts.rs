//! All attempts of a delivery have one `Service-Delivery` and the same bytes. No other delivery has that
//! identifier (`6.delivery.3.2`).
//!
//! Two arrivals are attempts of one delivery if a subscription receives the same financing state of an
//! invoice twice: one event alone has its sequence (`6.delivery.5`). Other equal bytes may be two events.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::field;
use tideover_model::{OperationKind, clause};

use crate::exchange::{Arrival, Exchange, Prepared, kind_of_event};
use crate::judge::checks::{Check, ChosenBy, Notes, starts_anew};

/// The path and the bytes of an attempt.
type AttemptContent = Arc<(String, Vec<u8>)>;

#[derive(Default)]
pub(super) struct Attempts {
    deliveries: BTreeMap<String, AttemptContent>,
    /// The first identifier of each content since the last subscription. A new subscription gets new
    /// deliveries.
    names: BTreeMap<AttemptContent, String>,
    chosen_by: ChosenBy,
}

impl Attempts {
    pub(super) fn of(chosen_by: ChosenBy) -> Attempts {
        Attempts { chosen_by, ..Attempts::default() }
    }

    /// Whether an arrival is an attempt of the delivery that began with `sent`.
    fn is_attempt(&self, arrival: &Arrival, sent: &AttemptContent) -> bool {
        let (path, body) = &**sent;
        match self.chosen_by {
            ChosenBy::OurMock => *path == arrival.path && **body == *arrival.body,
            // Other content of an event may be new at each attempt.
            ChosenBy::UnknownService => {
                **body == *arrival.body || event(body) == event(&arrival.body)
            }
        }
    }
}

/// The documented parts of an event's body.
fn event(body: &[u8]) -> (Option<&'static str>, Value, Value) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    (kind_of_event(&body), body[field::OCCURRED_AT].clone(), body[field::SEQUENCE].clone())
}

impl Check for Attempts {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            *self = Attempts::default();
        }
        if exchange.success_of(OperationKind::Subscribe).is_some() {
            self.names.clear();
        }
        for arrival in exchange.arrivals {
            let clause = clause!("6.delivery.3.2");
            let Some(id) = &arrival.delivery else {
                let evidence = || ("an identifier", "none");
                notes.expect(exchange, clause, false, "Service-Delivery", evidence);
                continue;
            };
            let in_words = |(path, body): &(String, Vec<u8>)| {
                format!("{id} on {path}: {}", String::from_utf8_lossy(body))
            };
            let sent = AttemptContent::new((arrival.path.clone(), arrival.body.to_vec()));
            if let Some(known) = self.deliveries.get(id) {
                let same = self.is_attempt(arrival, known);
                let evidence = || (in_words(known), in_words(&sent));
                notes.expect(exchange, clause, same, "Service-Delivery", evidence);
                if same && known.0 != sent.0 {
                    let clause = clause!("gap.deliveryIdentity");
                    let evidence = || (known.0.clone(), sent.0.clone());
                    notes.expect(exchange, clause, false, "Service-Delivery", evidence);
                }
                continue;
            }
            let name = self.names.entry(Arc::clone(&sent)).or_insert_with(|| id.clone());
            let same = name == id || !happens_once(arrival);
            notes.expect(exchange, clause, same, "Service-Delivery", || (name.clone(), id.clone()));
            self.deliveries.insert(id.clone(), sent);
        }
    }

    /// The request may have made a subscription.
    fn miss(&mut self, _sent: &Prepared) {
        self.names.clear();
    }
}

fn happens_once(arrival: &Arrival) -> bool {
    arrival.body.json().and_then(|event| event.get(field::SEQUENCE)).is_some_and(Value::is_u64)
}

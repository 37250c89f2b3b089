//! All attempts of a delivery carry one `Service-Delivery` and the same bytes, and no other delivery carries
//! it (`6.delivery.3.2`).
//!
//! That two arrivals are attempts of one delivery shows where a subscription is told the same financing state of
//! an invoice twice: its sequence is of one event alone (`6.delivery.5`). What else is told twice in the same
//! bytes may be two events.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_model::{OperationKind, clause};

use crate::exchange::{Arrival, Exchange, Prepared, kind_of_event};
use crate::judge::checks::{Check, Notes, Whose, starts_anew};

/// Where an attempt came, and its bytes.
type Sent = Arc<(String, Vec<u8>)>;

#[derive(Default)]
pub(super) struct Attempts {
    deliveries: BTreeMap<String, Sent>,
    /// Under which name each came first, since the last subscription was made: what a new one is told is new.
    names: BTreeMap<Sent, String>,
    whose: Whose,
}

impl Attempts {
    pub(super) fn of(whose: Whose) -> Attempts {
        Attempts { whose, ..Attempts::default() }
    }

    /// Whether an arrival is an attempt of the delivery whose first one was `sent`.
    fn is_attempt(&self, arrival: &Arrival, sent: &Sent) -> bool {
        let (path, body) = &**sent;
        match self.whose {
            Whose::Ours => *path == arrival.path && **body == *arrival.body,
            // What else an event carries may be told anew at each attempt.
            Whose::Theirs => **body == *arrival.body || event(body) == event(&arrival.body),
        }
    }
}

/// What of an event's body is shown.
fn event(body: &[u8]) -> (Option<&'static str>, Value, Value) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    (kind_of_event(&body), body["occurredAt"].clone(), body["sequence"].clone())
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
            let sent = Sent::new((arrival.path.clone(), arrival.body.to_vec()));
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

    /// It may have made a subscription.
    fn miss(&mut self, _sent: &Prepared) {
        self.names.clear();
    }
}

fn happens_once(arrival: &Arrival) -> bool {
    arrival.body.json().and_then(|event| event.get("sequence")).is_some_and(Value::is_u64)
}

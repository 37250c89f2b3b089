//! All attempts of a delivery have one `Service-Delivery` and the same bytes. No other delivery has that
//! identifier (`6.delivery.3.2`).
//!
//! Two arrivals at one subscription are attempts of one delivery if their bytes are equal and no second event can have
//! them: in our own mock each event has an identifier, and of any service a financing state of an invoice has one
//! sequence (`6.delivery.5`). Other equal bytes may be two events; whether they are, the retries show
//! ([`Retries`](super::relations)).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_exchange::{Arrival, Exchange, Prepared, kind_of_event};
use tideover_model::clause;
use tideover_model::wire::field;

use crate::checks::subscribed::{KnownSubscriptions, SubscriptionNumber};
use crate::checks::{Check, ChosenBy, Notes, is_reset};

/// The path and the bytes of an attempt.
type AttemptContent = Arc<(String, Vec<u8>)>;

/// An identifier, and whose it is: receivers look at those that come to them.
type DeliveryName = (Option<SubscriptionNumber>, String, String);

#[derive(Default)]
pub(super) struct Attempts {
    subscriptions: KnownSubscriptions,
    deliveries: BTreeMap<DeliveryName, AttemptContent>,
    /// The first content under each identifier, wherever it went.
    first: BTreeMap<String, AttemptContent>,
    /// The first identifier of each content that a subscription got.
    names: BTreeMap<(SubscriptionNumber, AttemptContent), String>,
    chosen_by: ChosenBy,
}

impl Attempts {
    pub(super) fn of(chosen_by: ChosenBy) -> Attempts {
        Attempts { chosen_by, ..Attempts::default() }
    }

    fn name_of(&self, arrival: &Arrival, id: &str) -> DeliveryName {
        match self.chosen_by {
            ChosenBy::OurMock => (None, String::new(), id.to_owned()),
            ChosenBy::UnknownService => {
                (self.subscriptions.number_of(arrival), arrival.path.clone(), id.to_owned())
            }
        }
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

    /// Whether no second event can have the bytes of an arrival.
    fn is_unique(&self, arrival: &Arrival) -> bool {
        let has = |name: &str, is_it: fn(&Value) -> bool| {
            arrival.body.json().and_then(|event| event.get(name)).is_some_and(is_it)
        };
        let has_id = || self.chosen_by == ChosenBy::OurMock && has("id", Value::is_string);
        has(field::SEQUENCE, Value::is_u64) || has_id()
    }
}

/// The documented parts of an event's body.
fn event(body: &[u8]) -> (Option<&'static str>, Value, Value) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    (kind_of_event(&body), body[field::OCCURRED_AT].clone(), body[field::SEQUENCE].clone())
}

impl Check for Attempts {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = Attempts::of(self.chosen_by);
        }
        self.subscriptions.learn(exchange);
        for arrival in exchange.arrivals {
            self.observe_arrival(arrival, notes);
        }
        self.subscriptions.learn_deletion(exchange);
    }

    /// The request may have made a subscription.
    fn miss(&mut self, sent: &Prepared) {
        self.subscriptions.miss(sent);
    }
}

impl Attempts {
    fn observe_arrival(&mut self, arrival: &Arrival, notes: &mut Notes) {
        let (clause, field) = (clause!("6.delivery.3.2"), "Service-Delivery");
        let Some(id) = &arrival.delivery else {
            notes.expect_delivery(clause, false, field, || ("an identifier", "none"));
            return;
        };
        let in_words = |(path, body): &(String, Vec<u8>)| {
            format!("{id} on {path}: {}", String::from_utf8_lossy(body))
        };
        let sent = AttemptContent::new((arrival.path.clone(), arrival.body.to_vec()));
        let first = self.first.entry(id.clone()).or_insert_with(|| Arc::clone(&sent)).clone();
        if first.0 != sent.0 && self.is_attempt(arrival, &first) {
            let clause = clause!("gap.deliveryIdentity");
            let evidence = || (first.0.clone(), sent.0.clone());
            notes.expect_delivery(clause, false, field, evidence);
        }
        let name = self.name_of(arrival, id);
        if let Some(known) = self.deliveries.get(&name) {
            let same = self.is_attempt(arrival, known);
            let evidence = || (in_words(known), in_words(&sent));
            notes.expect_delivery(clause, same, field, evidence);
            return;
        }
        self.deliveries.insert(name, Arc::clone(&sent));
        let subscription = self.subscriptions.number_of(arrival);
        let Some(subscription) = subscription.filter(|_| self.is_unique(arrival)) else {
            notes.meet(clause);
            return;
        };
        let name = self.names.entry((subscription, sent)).or_insert_with(|| id.clone());
        notes.expect_delivery(clause, name == id, field, || (name.clone(), id.clone()));
    }
}

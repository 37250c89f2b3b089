//! What a subscription gets: the kinds that it named, and nothing once it was deleted or has answered 410
//! (`4.webhookDeletion.1`, `6.delivery.2`, `2.subscription.eventTypes`).

use serde_json::Value;
use tideover_model::clause;

use crate::checks::subscribed::Subscriptions;
use crate::checks::{Check, Exchange, Notes};

#[derive(Default)]
pub(super) struct Wanted {
    subscriptions: Subscriptions,
}

impl Check for Wanted {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.subscriptions.learn(exchange);
        if exchange.call().is_none_or(|call| call.method != "GET") {
            // Something could have come that must not.
            for clause in self.subscriptions.endings() {
                notes.expect(exchange, clause, true, "webhook", "", "");
            }
        }
        for arrival in exchange.arrivals {
            let Some(subscription) = self.subscriptions.of(arrival) else { continue };
            if let Some(clause) = subscription.forbids(arrival) {
                let seen = format!("a delivery on {}", arrival.path);
                notes.expect(exchange, clause, false, "webhook", "nothing more", seen);
            }
            if let Some(wanted) = &subscription.event_types {
                let body: Value = serde_json::from_slice(&arrival.body).unwrap_or_default();
                let clause = clause!("2.subscription.eventTypes");
                let holds = wanted.contains(&body["type"]);
                let (wanted, seen) = (format!("one of {wanted:?}"), body["type"].to_string());
                notes.expect(exchange, clause, holds, "type", wanted, seen);
            }
            self.subscriptions.learn_answer(arrival);
        }
        self.subscriptions.learn_deletion(exchange);
    }
}

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
        for arrival in exchange.arrivals {
            let Some(subscription) = self.subscriptions.of(arrival) else { continue };
            let seen = format!("a delivery on {}", arrival.path);
            if let Some(clause) = subscription.ended {
                notes.expect(exchange, clause, false, "webhook", "nothing more", &*seen);
            } else {
                for clause in [clause!("4.webhookDeletion.1"), clause!("6.delivery.2")] {
                    notes.expect(exchange, clause, true, "webhook", "", "");
                }
            }
            if let Some(wanted) = &subscription.event_types {
                let body: Value = serde_json::from_slice(&arrival.body).unwrap_or_default();
                let clause = clause!("2.subscription.eventTypes");
                let holds = wanted.contains(&body["type"]);
                let (wanted, seen) = (format!("one of {wanted:?}"), body["type"].to_string());
                notes.expect(exchange, clause, holds, "type", wanted, seen);
            }
        }
        self.subscriptions.end(exchange);
    }
}

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
                notes.meet(clause);
            }
        }
        for arrival in exchange.arrivals {
            if !self.subscriptions.may_not_want(arrival) {
                self.subscriptions.learn_answer(arrival);
                continue;
            }
            let Some(subscription) = self.subscriptions.of(arrival) else { continue };
            if let Some(clause) = subscription.forbids(arrival) {
                let evidence = || ("nothing more", format!("a delivery on {}", arrival.path));
                notes.expect(exchange, clause, false, "webhook", evidence);
            }
            if let Some(wanted) = &subscription.event_types {
                let body: Value = serde_json::from_slice(&arrival.body).unwrap_or_default();
                let clause = clause!("2.subscription.eventTypes");
                let kind = &body["type"];
                let evidence = || (format!("one of {wanted:?}"), kind.to_string());
                notes.expect(exchange, clause, wanted.contains(kind), "type", evidence);
            }
            self.subscriptions.learn_answer(arrival);
        }
        self.subscriptions.learn_deletion(exchange);
    }
}

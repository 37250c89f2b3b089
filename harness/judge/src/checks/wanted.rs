//! What a subscription receives: only the event kinds it names, and nothing after its deletion or a response
//! of 410 (`4.webhookDeletion.1`, `6.delivery.2`, `2.subscription.eventTypes`).

use tideover_exchange::Exchange;
use tideover_model::clause;

use crate::checks::subscribed::KnownSubscriptions;
use crate::checks::{Check, ChosenBy, Notes};

#[derive(Default)]
pub(super) struct WantedEvents {
    subscriptions: KnownSubscriptions,
    chosen_by: ChosenBy,
}

impl WantedEvents {
    pub(super) fn of(chosen_by: ChosenBy) -> WantedEvents {
        WantedEvents { chosen_by, ..WantedEvents::default() }
    }
}

impl Check for WantedEvents {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.subscriptions.learn(exchange);
        if exchange.call().is_none_or(|call| call.method != "GET") {
            // A forbidden delivery could have arrived here.
            for clause in self.subscriptions.endings() {
                notes.meet(clause);
            }
        }
        for arrival in exchange.arrivals {
            if !self.subscriptions.may_not_want(arrival) {
                self.subscriptions.learn_response(exchange, arrival);
                continue;
            }
            let Some(subscription) = self.subscriptions.of(arrival) else { continue };
            let late = self.chosen_by == ChosenBy::UnknownService
                && subscription.may_be_late(exchange, arrival);
            if let Some(clause) = subscription.forbids(arrival).filter(|_| !late) {
                let evidence = || ("nothing more", format!("a delivery on {}", arrival.path));
                notes.expect_delivery(clause, false, "webhook", evidence);
            }
            let kind = arrival.event_type();
            if let Some((wanted, kind)) = subscription.event_types.as_ref().zip(kind) {
                let clause = clause!("2.subscription.eventTypes");
                let is_wanted = wanted.contains(&kind);
                let evidence = || (format!("one of {wanted:?}"), kind);
                notes.expect_delivery(clause, is_wanted, "type", evidence);
            }
            self.subscriptions.learn_response(exchange, arrival);
        }
        self.subscriptions.learn_deletion(exchange);
    }
}

//! All attempts of a delivery carry one `Service-Delivery` and the same bytes, and no other delivery carries
//! it (`6.delivery.3.2`).

use std::collections::BTreeMap;

use tideover_model::clause;

use crate::checks::{Check, Exchange, Notes, starts_anew};

#[derive(Default)]
pub(super) struct Attempts {
    deliveries: BTreeMap<String, (String, Vec<u8>)>,
}

impl Check for Attempts {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            self.deliveries.clear();
        }
        let clause = clause!("6.delivery.3.2");
        for arrival in exchange.arrivals {
            let Some(id) = &arrival.delivery else {
                notes.expect(exchange, clause, false, "Service-Delivery", "an identifier", "none");
                continue;
            };
            let sent = (arrival.path.clone(), arrival.body.clone());
            let first = self.deliveries.entry(id.clone()).or_insert_with(|| sent.clone());
            let in_words = |(path, body): &(String, Vec<u8>)| {
                format!("{id} on {path}: {}", String::from_utf8_lossy(body))
            };
            let (expected, seen) = (in_words(first), in_words(&sent));
            notes.expect(exchange, clause, *first == sent, "Service-Delivery", expected, seen);
        }
    }
}

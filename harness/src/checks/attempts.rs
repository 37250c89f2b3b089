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
                let evidence = || ("an identifier", "none");
                notes.expect(exchange, clause, false, "Service-Delivery", evidence);
                continue;
            };
            let Some((path, body)) = self.deliveries.get(id) else {
                let sent = (arrival.path.clone(), arrival.body.clone());
                self.deliveries.insert(id.clone(), sent);
                notes.meet(clause);
                continue;
            };
            let same = *path == arrival.path && *body == arrival.body;
            let in_words = |path: &str, body: &[u8]| {
                format!("{id} on {path}: {}", String::from_utf8_lossy(body))
            };
            notes.expect(exchange, clause, same, "Service-Delivery", || {
                (in_words(path, body), in_words(&arrival.path, &arrival.body))
            });
        }
    }
}

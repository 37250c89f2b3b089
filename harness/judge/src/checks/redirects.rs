//! A service does not follow the redirect that a receiver answers with (`6.subscription.2.2`).

use tideover_exchange::Exchange;
use tideover_exchange::target::inbox::is_redirected;
use tideover_model::clause;

use crate::checks::{Check, Notes};

pub(super) struct Redirects;

impl Check for Redirects {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let clause = clause!("6.subscription.2.2");
        for arrival in exchange.arrivals {
            if is_redirected(&arrival.path) {
                let evidence =
                    || ("nothing where a redirect leads", format!("a request on {}", arrival.path));
                notes.expect_delivery(clause, false, "webhook", evidence);
            } else if (300..400).contains(&arrival.status) {
                notes.meet(clause);
            }
        }
    }
}

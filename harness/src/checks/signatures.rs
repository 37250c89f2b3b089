//! Every webhook is signed over its raw body with the secret of its subscription, at the time of the attempt
//! (`6.signature.intro.1`, `6.signature.1`, `6.signature.4`).

use tideover_model::clause;
use tideover_model::signature::TOLERANCE;

use crate::checks::subscribed::Subscriptions;
use crate::checks::{Check, Exchange, Notes};
use crate::target::Prepared;

#[derive(Default)]
pub(super) struct Signatures {
    subscriptions: Subscriptions,
}

impl Check for Signatures {
    fn miss(&mut self, sent: &Prepared) {
        self.subscriptions.miss(sent);
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.subscriptions.learn(exchange);
        let earliest = exchange.since.unix_unsigned().saturating_sub(TOLERANCE);
        let latest = exchange.now.unix_unsigned().saturating_add(TOLERANCE);
        for arrival in exchange.arrivals {
            let mut expect = |clause, holds, field, expected: &str| {
                notes.expect(exchange, clause, holds, field, || {
                    (expected, format!("{:?} on {}", arrival.signature, arrival.path))
                });
            };
            let field = "Service-Signature";
            let is_there = arrival.signature.is_some() && arrival.signed_at().is_some();
            expect(clause!("6.signature.intro.1"), is_there, field, "t=<unix seconds>,v1=<hex>");
            let Some(at) = arrival.signed_at() else { continue };
            let signed = self.subscriptions.of(arrival).is_some();
            if signed || !self.subscriptions.may_be_unknown(arrival) {
                expect(clause!("6.signature.1"), signed, field, "the digest of the raw body");
            }
            let timely = match arrival.at {
                Some(came_at) => came_at.unix_unsigned().abs_diff(at) <= TOLERANCE,
                None => (earliest..=latest).contains(&at),
            };
            expect(clause!("6.signature.4"), timely, "t", "the time of the attempt");
        }
    }
}

//! Every webhook is signed over its raw body with the secret of its subscription, at the time of the attempt
//! (`6.signature.intro.1`, `6.signature.1`, `6.signature.4`).

use std::ops::RangeInclusive;

use tideover_exchange::{Arrival, Exchange, Prepared};
use tideover_model::clause;
use tideover_model::signature::TOLERANCE;

use crate::checks::subscribed::KnownSubscriptions;
use crate::checks::unseen_moves::UnseenMoves;
use crate::checks::{Check, ChosenBy, Notes};

#[derive(Default)]
pub(super) struct Signatures {
    subscriptions: KnownSubscriptions,
    chosen_by: ChosenBy,
    /// When arrivals may have been signed, by the target's clock at each step.
    times: Vec<RangeInclusive<u64>>,
    unseen_moves: UnseenMoves,
}

impl Signatures {
    pub(super) fn of(chosen_by: ChosenBy) -> Signatures {
        Signatures { chosen_by, ..Signatures::default() }
    }

    /// Whether `at` is a valid signing time. A delivery over a network arrives late: the target's clock may
    /// have moved since. The service may also sign by real time.
    fn is_timely(&self, exchange: &Exchange<'_>, arrival: &Arrival, at: u64) -> bool {
        if self.unseen_moves.may_have_passed(at) {
            return true;
        }
        let now = self.times.last().is_some_and(|times| times.contains(&at));
        match (self.chosen_by, arrival.arrived) {
            (ChosenBy::UnknownService, Some(arrived)) => {
                let by_real_time = arrived.unix_unsigned().abs_diff(at) <= TOLERANCE;
                let before = || self.times.iter().any(|times| times.contains(&at));
                exchange.ahead.is_none() || by_real_time || before()
            }
            _ => arrival.at.map_or(now, |came| came.unix_unsigned().abs_diff(at) <= TOLERANCE),
        }
    }
}

impl Check for Signatures {
    fn miss(&mut self, sent: &Prepared) {
        self.subscriptions.miss(sent);
        self.unseen_moves.miss(sent);
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        self.subscriptions.learn(exchange);
        self.unseen_moves.observe(exchange);
        if let Some((since, now)) =
            exchange.its_time(exchange.since).zip(exchange.its_time(exchange.now))
        {
            if self.chosen_by == ChosenBy::OurMock {
                self.times.clear();
            }
            self.times.push(since.saturating_sub(TOLERANCE)..=now.saturating_add(TOLERANCE));
        }
        for arrival in exchange.arrivals {
            // A signature with the secret proves that the response contained the secret.
            if self.subscriptions.of(arrival).is_some() {
                notes.meet(clause!("2.subscription.secret"));
            }
            let mut expect = |clause, holds, field, expected: &str| {
                notes.expect_delivery(clause, holds, field, || {
                    let signature = arrival.signature.as_deref().unwrap_or("no signature");
                    (expected, format!("{signature} on {}", arrival.path))
                });
            };
            let field = "Service-Signature";
            let is_there = arrival.signature.is_some() && arrival.signed_at().is_some();
            expect(clause!("6.signature.intro.1"), is_there, field, "t=UNIX_SECONDS,v1=HEX_DIGEST");
            let Some(at) = arrival.signed_at() else { continue };
            let signed = self.subscriptions.of(arrival).is_some();
            if signed || !self.subscriptions.may_be_unknown(arrival) {
                expect(clause!("6.signature.1"), signed, field, "the digest of the raw body");
            }
            let timely = self.is_timely(exchange, arrival, at);
            expect(clause!("6.signature.4"), timely, "t", "the time of the attempt");
        }
    }
}

//! Receivers that refuse a delivery because of something that must not matter.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{AttemptSeen, Fact, Trait, Traits};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::Rule;
use crate::conduct::rules::deliveries::is_deliberate;

/// A receiver breaks the duty if it refuses a delivery with the trait, and accepts the same kind of event without it. A
/// receiver that has trouble, or has lost its secret, is not to blame: a status that may mean that counts only if the
/// receiver accepts another delivery afterwards, and this one never. A 401 is about the signature, so that the delivery
/// between may be of any event.
#[derive(Debug)]
pub(super) struct Refusing {
    /// Who accepts a delivery with it meets the duty.
    special: Trait,
    /// Who refuses a delivery with these alone breaks it.
    blamed: Traits,
    /// The deliveries that were refused, by subscription and number.
    refused: Recent<(String, u64), Refusal>,
    /// The order of the last accepted delivery without the trait, by subscription and event; of any event under "".
    accepted: Recent<(String, String), u64>,
    /// The number of attempts so far.
    attempts: u64,
}

#[derive(Debug)]
struct Refusal {
    event: String,
    /// The order of the first attempt that was refused.
    first: u64,
    /// How often.
    times: u32,
    deliberate: bool,
    /// Whether a 500 was all that it got: trouble, unless it comes again.
    failed: bool,
    /// Whether a 401 was.
    unauthorized: bool,
    /// The order of the last attempt that was refused.
    last: u64,
}

impl Refusing {
    pub(super) fn of(special: Trait) -> Refusing {
        let (refused, accepted) = (Recent::default(), Recent::default());
        let blamed = Traits::default().with(special);
        Refusing { special, blamed, refused, accepted, attempts: 0 }
    }

    /// A refusal because of this other trait breaks the duty too. An acceptance says nothing.
    pub(super) fn blaming(self, other: Trait) -> Refusing {
        Refusing { blamed: self.blamed.with(other), ..self }
    }

    fn take_special(&mut self, attempt: &AttemptSeen<'_>, repeated: bool, row: &mut Row) {
        let key = (attempt.delivery.subscription.to_string(), attempt.delivery.number);
        match attempt.status {
            Some(200..=299) => {
                self.refused.remove(&key);
                // A receiver that accepts and ignores it is as wrong as one that refuses it.
                match attempt.acted {
                    Some(false) if repeated => {}
                    Some(false) if attempt.traits.are_only(self.blamed) => {
                        row.breach(&[Proof::Delivery(attempt.delivery.number)]);
                    }
                    Some(true) | None if attempt.traits.has(self.special) => row.keep(),
                    Some(_) | None => {}
                }
            }
            Some(status)
                if attempt.traits.are_only(self.blamed)
                    && !repeated
                    && (is_deliberate(status) || matches!(status, 401 | 403 | 500)) =>
            {
                let mut refusal = self.refused.remove(&key).unwrap_or_else(|| Refusal {
                    event: attempt.delivery.event.name().to_owned(),
                    first: self.attempts,
                    times: 0,
                    deliberate: true,
                    failed: true,
                    unauthorized: true,
                    last: self.attempts,
                });
                refusal.times += 1;
                refusal.deliberate &= is_deliberate(status);
                refusal.failed &= status == 500;
                refusal.unauthorized &= status == 401;
                refusal.last = self.attempts;
                self.refused.insert(key, refusal);
            }
            _ => {}
        }
    }

    fn is_breach(&self, subscription: &str, refusal: &Refusal) -> bool {
        let accepted =
            |event: &str| self.accepted.get(&(subscription.to_owned(), event.to_owned())).copied();
        let is_between = accepted("").is_some_and(|it| refusal.first < it && it < refusal.last);
        if refusal.unauthorized && is_between {
            return true;
        }
        // An event of an unknown type has no others of its kind.
        let event = if self.special == Trait::UnknownEvent { "" } else { &refusal.event };
        let Some(accepted) = accepted(event) else { return false };
        let is_after = accepted > refusal.first;
        refusal.deliberate || (is_after && (!refusal.failed || refusal.times > 1))
    }
}

impl Rule for Refusing {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        if !attempt.is_genuine() {
            return;
        }
        self.attempts += 1;
        if attempt.traits.have_any(self.blamed) {
            return self.take_special(attempt, before.repeated, row);
        }
        if attempt.is_accepted() {
            for event in [attempt.delivery.event.name(), ""] {
                let key = (attempt.delivery.subscription.to_string(), event.to_owned());
                self.accepted.insert(key, self.attempts);
            }
        }
        // A late delivery that comes again is an ordinary one.
        if attempt.is_accepted() {
            self.refused
                .remove(&(attempt.delivery.subscription.to_string(), attempt.delivery.number));
        }
    }

    fn settle(&self, row: &mut Row) {
        for ((subscription, number), refusal) in self.refused.iter() {
            if self.is_breach(subscription, refusal) {
                row.breach(&[Proof::Delivery(*number)]);
            }
        }
    }
}

//! Receivers that refuse a delivery because of something that must not matter.

use std::collections::BTreeSet;

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
    /// The order of the last attempt that was refused: another one, if it came again.
    last: u64,
    /// All that it got.
    statuses: BTreeSet<u16>,
}

impl Refusal {
    fn got_only(&self, is_it: impl Fn(u16) -> bool) -> bool {
        self.statuses.iter().all(|status| is_it(*status))
    }
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
                    last: self.attempts,
                    statuses: BTreeSet::new(),
                });
                refusal.last = self.attempts;
                refusal.statuses.insert(status);
                self.refused.insert(key, refusal);
            }
            _ => {}
        }
    }

    fn is_breach(&self, subscription: &str, refusal: &Refusal) -> bool {
        let accepted =
            |event: &str| self.accepted.get(&(subscription.to_owned(), event.to_owned())).copied();
        let is_between = accepted("").is_some_and(|it| refusal.first < it && it < refusal.last);
        if is_between && refusal.got_only(|status| status == 401) {
            return true;
        }
        // An event of an unknown type has no others of its kind.
        let event = if self.special == Trait::UnknownEvent { "" } else { &refusal.event };
        let Some(accepted) = accepted(event) else { return false };
        if refusal.got_only(is_deliberate) {
            return true;
        }
        // A 500 is trouble, unless it comes again.
        let is_trouble = refusal.first == refusal.last && refusal.got_only(|status| status == 500);
        accepted > refusal.first && !is_trouble
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

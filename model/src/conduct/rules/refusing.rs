//! Receivers that refuse a delivery because of something that must not matter.

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{AttemptSeen, Fact, Trait};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::Rule;
use crate::conduct::rules::deliveries::is_deliberate;

/// A receiver breaks the duty if it refuses a delivery with the trait, and accepts the same kind of event without it. A
/// receiver that has trouble, or has lost its secret, is not to blame: a status that may mean that counts only if the
/// receiver accepts another delivery afterwards, and this one never.
#[derive(Debug)]
pub(super) struct Refusing {
    special: Trait,
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
}

impl Refusing {
    pub(super) fn of(special: Trait) -> Refusing {
        let (refused, accepted) = (Recent::default(), Recent::default());
        Refusing { special, refused, accepted, attempts: 0 }
    }

    fn take_special(&mut self, attempt: &AttemptSeen<'_>, repeated: bool, row: &mut Row) {
        let key = (attempt.delivery.subscription.to_string(), attempt.delivery.number);
        match attempt.status {
            Some(200..=299) => {
                self.refused.remove(&key);
                // A receiver that accepts and ignores it is as wrong as one that refuses it.
                match attempt.acted {
                    Some(false) if repeated => {}
                    Some(false) if attempt.traits.is_only(self.special) => {
                        row.breach(&[Proof::Delivery(attempt.delivery.number)]);
                    }
                    Some(false) => {}
                    Some(true) | None => row.keep(),
                }
            }
            Some(status)
                if attempt.traits.is_only(self.special)
                    && !repeated
                    && (is_deliberate(status) || matches!(status, 401 | 403 | 500)) =>
            {
                let mut refusal = self.refused.remove(&key).unwrap_or_else(|| Refusal {
                    event: attempt.delivery.event.name().to_owned(),
                    first: self.attempts,
                    times: 0,
                    deliberate: true,
                    failed: true,
                });
                refusal.times += 1;
                refusal.deliberate &= is_deliberate(status);
                refusal.failed &= status == 500;
                self.refused.insert(key, refusal);
            }
            _ => {}
        }
    }

    fn is_breach(&self, subscription: &str, refusal: &Refusal) -> bool {
        // An event of an unknown type has no others of its kind.
        let event = if self.special == Trait::UnknownEvent { "" } else { &refusal.event };
        let accepted = self.accepted.get(&(subscription.to_owned(), event.to_owned()));
        let Some(accepted) = accepted else { return false };
        let is_after = *accepted > refusal.first;
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
        if attempt.traits.has(self.special) {
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

//! What the receiver answers, and what it does.

use std::cmp::Ordering;

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{AttemptSeen, Fact, Making};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::Rule;
use crate::delivery::Receipt;
use crate::signature::TOLERANCE;

fn proof(attempt: &AttemptSeen<'_>) -> [Proof; 1] {
    [Proof::Delivery(attempt.delivery.number)]
}

/// Whether a status refuses a delivery for what it is, and not because the receiver has trouble.
pub(super) fn is_deliberate(status: u16) -> bool {
    matches!(status, 400 | 409 | 415 | 422 | 501)
}

/// §6 Delivery rule 1. A receiver may have trouble, and the service tries again: only a repeat that is refused because
/// it is one breaks it.
#[derive(Debug)]
pub(super) struct Accepts;

impl Rule for Accepts {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        if !attempt.is_genuine() {
            return;
        }
        if attempt.is_accepted() {
            row.keep();
        } else if before.repeated && attempt.status.is_some_and(is_deliberate) {
            row.breach(&proof(attempt));
        }
    }
}

/// §6 Subscription rule 2, second sentence.
#[derive(Debug)]
pub(super) struct InPlace;

impl Rule for InPlace {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        match attempt.status {
            Some(status) if Receipt::REDIRECTS.contains(&status) && attempt.is_genuine() => {
                row.breach(&proof(attempt));
            }
            Some(200..=299) if attempt.is_genuine() => row.keep(),
            _ => {}
        }
    }
}

/// §6 Signature rule 3. A 410 ends the subscription (§6 Delivery rule 2), which no forger must bring about. A receiver that
/// rejects everything shows nothing: it must also accept something.
#[derive(Debug, Default)]
pub(super) struct Verifies {
    seen: Recent<String, Verdicts>,
}

/// How a receiver has judged right deliveries and forged ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Verdicts {
    accepts: bool,
    rejects: bool,
}

impl Rule for Verifies {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        let verdicts = self.seen.or_default(attempt.delivery.subscription.to_string());
        match (attempt.making, attempt.status) {
            (Making::Genuine, Some(200..=299)) => verdicts.accepts = true,
            (Making::Forged, Some(200..=299 | 410)) => row.breach(&proof(attempt)),
            (Making::Forged, Some(_)) => verdicts.rejects = true,
            _ => {}
        }
    }

    fn settle(&self, row: &mut Row) {
        if self.seen.values().any(|verdicts| verdicts.accepts && verdicts.rejects) {
            row.keep();
        }
    }
}

/// §6 Signature rule 4. A receiver whose clock is another one than the world's may see an old signature as a fresh one. So
/// this needs two deliveries that it accepted: no clock makes both of them fresh.
#[derive(Debug, Default)]
pub(super) struct ChecksAge {
    accepted: Recent<String, Accepted>,
}

/// What a subscription's receiver has accepted.
#[derive(Debug, Default)]
struct Accepted {
    /// The earliest and the latest time in a signature.
    signed_at: Option<(i64, i64)>,
    /// The old ones, with their times.
    old: Vec<(u64, i64)>,
    /// Whether an old one was rejected.
    rejects: bool,
}

impl Accepted {
    /// The most old deliveries that are kept of a subscription.
    const MOST: usize = 20;

    fn add(&mut self, attempt: &AttemptSeen<'_>) {
        let at = attempt.signed_at;
        if attempt.making == Making::Old {
            if self.old.len() < Accepted::MOST {
                self.old.push((attempt.delivery.number, at));
            }
        } else {
            let (first, last) = self.signed_at.unwrap_or((at, at));
            self.signed_at = Some((first.min(at), last.max(at)));
        }
    }

    fn contradicts(&self, at: i64) -> bool {
        let far = |other: i64| other.abs_diff(at) > 2 * TOLERANCE;
        self.signed_at.is_some_and(|(first, last)| far(first) || far(last))
    }
}

impl Rule for ChecksAge {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        match (attempt.making, attempt.status) {
            (Making::Old, Some(410)) => row.breach(&proof(attempt)),
            (Making::Old | Making::Genuine, Some(200..=299)) => {
                let subscription = attempt.delivery.subscription.to_string();
                self.accepted.or_default(subscription).add(attempt);
            }
            (Making::Old, Some(_)) => {
                self.accepted.or_default(attempt.delivery.subscription.to_string()).rejects = true;
            }
            _ => {}
        }
    }

    fn settle(&self, row: &mut Row) {
        for accepted in self.accepted.values() {
            if accepted.rejects && accepted.signed_at.is_some() {
                row.keep();
            }
            for (number, at) in &accepted.old {
                if accepted.contradicts(*at) {
                    row.breach(&[Proof::Delivery(*number)]);
                }
            }
        }
    }
}

/// §6 Delivery rule 3, second sentence.
#[derive(Debug)]
pub(super) struct Deduplicates;

impl Rule for Deduplicates {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        if !before.repeated || !attempt.is_genuine() || !attempt.is_accepted() {
            return;
        }
        match attempt.acted {
            Some(true) => row.breach(&proof(attempt)),
            Some(false) => row.keep(),
            None => {}
        }
    }
}

/// §6 Delivery rule 5, second sentence.
#[derive(Debug)]
pub(super) struct KeepsSequence;

impl Rule for KeepsSequence {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        let Fact::Attempt(attempt) = fact else { return };
        if !before.stale || before.repeated || !attempt.is_genuine() || !attempt.is_accepted() {
            return;
        }
        match attempt.held {
            Some(held) if held.before != held.after => row.breach(&proof(attempt)),
            Some(_) => row.keep(),
            None => {}
        }
    }
}

/// §6 Delivery rule 4, second sentence.
#[derive(Debug)]
pub(super) struct KeepsNewest;

impl Rule for KeepsNewest {
    fn take(&mut self, fact: &Fact<'_>, before: &Before, row: &mut Row) {
        let (held, proofs) = match fact {
            Fact::Read(held) => (*held, None),
            // A stale event is a matter of its sequence.
            Fact::Attempt(attempt) if attempt.is_genuine() && !before.stale => {
                let Some(held) = attempt.held else { return };
                (held, Some(proof(attempt)))
            }
            _ => return,
        };
        match held.after.cmp(&held.before) {
            Ordering::Less => row.breach(proofs.as_ref().map_or(&[], |proofs| &proofs[..])),
            Ordering::Greater => row.keep(),
            Ordering::Equal => {}
        }
    }
}

//! How a delivery is tried: again until it is accepted, for about 28 hours, and each attempt signed anew
//! (`6.delivery.1`, `6.delivery.1.2`, `6.delivery.2`, `6.signature.4`).

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use tideover_model::signature::TOLERANCE;
use tideover_model::{OperationKind, clause};

use crate::exchange::{Arrival, Exchange};
use crate::judge::checks::relations::ledger::{Caller, caller};
use crate::judge::checks::{Check, Notes, starts_anew};

/// About 28 hours are not more than that. Seconds.
const LONGEST: u64 = 36 * 3600;

/// Within so long a delivery is tried again. Seconds.
const SOON: u64 = 28 * 3600;

/// An accepted delivery may come once more, and more often by chance (§6 Delivery rule 3): so often is not chance.
const IN_VAIN: u32 = 3;

/// What comes with a step may have been sent in one of so many.
const LATE: usize = 3;

/// A list that is made elsewhere may be so much behind. Seconds.
const SETTLES: u64 = 15;

/// Attempts that may be under way still when the clock has been moved: so many further answers come first.
const SETTLED: u32 = 3;

#[derive(Default)]
pub(super) struct Deliveries {
    known: BTreeMap<(String, String), Delivery>,
    /// The endpoints that have answered 410: when, and by whose subscription of which reference.
    gone: BTreeMap<String, u64>,
    references: BTreeMap<String, (Caller, String)>,
    /// The references of deleted subscriptions, each with its caller, and when they were deleted.
    deleted: BTreeMap<(Caller, String), u64>,
    /// When the last steps began, by the target's clock: what comes with one may have been sent in another. Unix seconds.
    began: VecDeque<u64>,
    /// How many answers came since the clock was moved.
    since_moved: u32,
    /// Whether attempts are signed by the target's own clock, and not by that on the wall.
    is_virtual: bool,
}

/// What came of a delivery.
#[derive(Clone, Debug)]
struct Delivery {
    /// When the first attempt came, by the target's clock, and the attempts since. Unix seconds.
    first: u64,
    attempts: u32,
    /// What the last was answered.
    status: u16,
    /// How often it was tried once more after it was accepted.
    in_vain: u32,
    /// The moves of the clock since.
    is_settled: bool,
}

impl Check for Deliveries {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            *self = Deliveries::default();
        }
        let (Some(since), Some(now)) =
            (exchange.its_time(exchange.since), exchange.its_time(exchange.now))
        else {
            return;
        };
        self.since_moved = if now > since + 1 { 0 } else { self.since_moved + 1 };
        self.learn_subscription(exchange);
        self.began.push_back(since);
        if self.began.len() > LATE {
            self.began.pop_front();
        }
        for arrival in exchange.arrivals {
            self.attempt(exchange, arrival, (since, now), notes);
        }
        if self.since_moved >= SETTLED {
            self.hold_to_retries(exchange, now, notes);
        }
        self.hold_to_list(exchange, now, notes);
    }
}

impl Deliveries {
    fn learn_subscription(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(OperationKind::Subscribe) else { return };
        let url = exchange.sent_field("url").unwrap_or_default();
        // Whoever is gone may subscribe again.
        self.gone.retain(|path, _| !url.ends_with(path.as_str()));
        if let Some(reference) = answer["reference"].as_str() {
            self.deleted.remove(&(caller(exchange), reference.to_owned()));
            self.references.insert(reference.to_owned(), (caller(exchange), url));
        }
    }

    fn attempt(
        &mut self,
        exchange: &Exchange<'_>,
        arrival: &Arrival,
        (since, now): (u64, u64),
        notes: &mut Notes,
    ) {
        let Some(id) = arrival.delivery.clone() else { return };
        if arrival.status == 410 {
            self.gone.entry(arrival.path.clone()).or_insert(now);
        }
        let key = (arrival.path.clone(), id);
        self.learn_clock(arrival, (since, now));
        let Some(known) = self.known.get_mut(&key) else {
            let delivery = Delivery {
                first: now,
                attempts: 1,
                status: arrival.status,
                in_vain: 0,
                is_settled: false,
            };
            self.known.insert(key, delivery);
            return;
        };
        known.attempts += 1;
        let (before, first) = (known.status, known.first);
        known.status = arrival.status;
        known.in_vain += u32::from((200..300).contains(&before));
        let is_in_vain = before != 200 && known.in_vain >= IN_VAIN && self.only_200_accepts();
        notes.expect(exchange, clause!("6.delivery.1"), !is_in_vain, "webhook", || {
            (
                format!("nothing more: it was answered {before}, and those answered 200 are done"),
                format!("attempt after attempt on {}", arrival.path),
            )
        });
        if before >= 300 {
            notes.meet(clause!("6.delivery.3"));
            notes.meet(clause!("8.webhookRetryWindow"));
        }
        let Some(signed_at) = arrival.signed_at().filter(|_| self.is_virtual) else { return };
        let is_late = signed_at > first + LONGEST && !(200..300).contains(&before);
        notes.expect(exchange, clause!("6.delivery.1.2"), !is_late, "webhook", || {
            (
                "no attempt after about 28 hours",
                format!("one {} hours later", (signed_at - first) / 3600),
            )
        });
        let earliest = self.began.front().copied().unwrap_or(since);
        let is_stale = signed_at + 2 * TOLERANCE < earliest && before >= 300;
        notes.expect(exchange, clause!("6.signature.4"), !is_stale, "t", || {
            ("the time of the attempt", format!("{} seconds before it", earliest - signed_at))
        });
    }

    /// Whether several deliveries that were accepted otherwise go on, and none that was answered 200 does.
    fn only_200_accepts(&self) -> bool {
        let with_200 = |delivery: &&Delivery| delivery.status == 200;
        let goes_on = |delivery: &Delivery| delivery.in_vain >= IN_VAIN;
        let done = self.known.values().filter(with_200).filter(|delivery| delivery.in_vain == 0);
        let repeated = self.known.values().filter(with_200).any(|delivery| delivery.in_vain > 0);
        let others =
            self.known.values().filter(|delivery| delivery.status != 200 && goes_on(delivery));
        done.count() >= 3 && !repeated && others.count() >= 2
    }

    /// A first attempt tells by which clock it is signed, once the two are far apart.
    fn learn_clock(&mut self, arrival: &Arrival, (since, now): (u64, u64)) {
        let Some(signed_at) = arrival.signed_at() else { return };
        let is_its_own = (since.saturating_sub(TOLERANCE)..=now + TOLERANCE).contains(&signed_at);
        // What comes within the process comes by no other clock.
        let by_the_wall = arrival
            .arrived
            .is_some_and(|arrived| arrived.unix_unsigned().abs_diff(signed_at) <= 2 * TOLERANCE);
        self.is_virtual |= is_its_own && !by_the_wall;
    }

    /// Whatever was not accepted is tried again, and nothing is where a receiver is gone.
    fn hold_to_retries(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        // By a clock that nobody moves, another attempt may not be due yet.
        let repeats = self.known.values().any(|delivery| delivery.attempts > 1);
        if !self.is_virtual && !repeats {
            return;
        }
        for ((path, _), delivery) in &mut self.known {
            let is_over = now > delivery.first + SOON && !delivery.is_settled;
            let is_refused = !(200..300).contains(&delivery.status) && delivery.status != 410;
            if !is_over || self.gone.contains_key(path) {
                continue;
            }
            delivery.is_settled = true;
            let is_ended = !self.references.values().any(|(_, url)| url.ends_with(path.as_str()));
            let holds = !is_refused || delivery.attempts > 1 || is_ended;
            notes.expect(exchange, clause!("6.delivery.1.2"), holds, "webhook", || {
                (
                    format!("another attempt, since {path} answered {}", delivery.status),
                    "none in 28 hours",
                )
            });
        }
        if let Some(reference) = deleted(exchange) {
            self.references.remove(reference);
        }
    }

    /// What was deleted is listed no longer, and neither is a receiver that has answered 410.
    fn hold_to_list(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        if let Some(reference) = deleted(exchange) {
            self.references.remove(reference);
            self.deleted.insert((caller(exchange), reference.to_owned()), now);
        }
        let Some(list) = exchange.success_of(OperationKind::ListSubscriptions) else { return };
        let caller = caller(exchange);
        for ((owner, reference), at) in &self.deleted {
            if *owner == caller && now > at + SETTLES {
                let is_listed = lists(list, reference);
                notes.expect(exchange, clause!("4.webhookList.1"), !is_listed, "", || {
                    ("no subscription that was deleted", reference.clone())
                });
            }
        }
        for (reference, (owner, url)) in &self.references {
            let gone = self.gone.iter().find(|(path, _)| url.ends_with(path.as_str()));
            let is_settled = gone.is_some_and(|(_, at)| now > at + SETTLES);
            if *owner != caller || !is_settled {
                continue;
            }
            let is_listed = lists(list, reference);
            notes.expect(exchange, clause!("6.delivery.2"), !is_listed, "", || {
                ("no subscription whose receiver has answered 410", reference.clone())
            });
        }
    }
}

fn deleted<'a>(exchange: &Exchange<'a>) -> Option<&'a str> {
    let deletes = exchange.kind() == Some(OperationKind::Unsubscribe) && exchange.seen.is_success();
    exchange.call().filter(|_| deletes)?.path.rsplit('/').next()
}

fn lists(list: &Value, reference: &str) -> bool {
    match list {
        Value::Object(fields) => {
            fields.get("reference").is_some_and(|told| told == reference)
                || fields.values().any(|value| lists(value, reference))
        }
        Value::Array(items) => items.iter().any(|item| lists(item, reference)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

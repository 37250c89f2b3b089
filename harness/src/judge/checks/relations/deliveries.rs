//! How a delivery is retried: until it is accepted, for about 28 hours, with a new signature for each attempt
//! (`6.delivery.1`, `6.delivery.1.2`, `6.delivery.2`, `6.signature.4`).

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use tideover_model::signature::TOLERANCE;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{OperationKind, clause};

use crate::exchange::{Arrival, Exchange};
use crate::judge::checks::relations::ledger::{CallerKey, caller};
use crate::judge::checks::{Check, Notes, starts_anew};

/// More than "about 28 hours" can mean. Seconds.
const LONGEST: u64 = 36 * 3600;

/// The time within which a delivery is retried. Seconds.
const RETRY_DUE: u64 = 28 * 3600;

/// An accepted delivery may repeat once or, by chance, more often (§6 Delivery rule 3). This many repeats
/// are not chance.
const NEEDLESS: u32 = 3;

/// A step's arrivals may have been sent during this many steps.
const RECENT_STEPS: usize = 3;

/// How far a list may lag behind. Seconds.
const LIST_LAG: u64 = 15;

/// Attempts may still be in flight after the clock was moved. This many further responses come first.
const SETTLED: u32 = 3;

#[derive(Default)]
pub(super) struct Retries {
    known: BTreeMap<(String, String), TrackedDelivery>,
    /// When each endpoint first responded with 410, by the target's clock. Unix seconds.
    gone: BTreeMap<String, u64>,
    /// The caller and the URL of each subscription, by reference.
    references: BTreeMap<String, (CallerKey, String)>,
    /// When subscriptions were deleted, by caller and reference. Unix seconds.
    deleted: BTreeMap<(CallerKey, String), u64>,
    /// When the last steps began, by the target's clock. A step's arrivals may have been sent in an earlier
    /// one. Unix seconds.
    recent_starts: VecDeque<u64>,
    /// How many responses came since the clock was moved.
    since_moved: u32,
    /// Whether the target signs attempts by its own clock, not by real time.
    is_virtual: bool,
}

/// The history of a delivery.
#[derive(Clone, Debug)]
struct TrackedDelivery {
    /// When the first attempt arrived, by the target's clock. Unix seconds.
    first: u64,
    /// The number of attempts.
    attempts: u32,
    /// The response to the last attempt.
    status: u16,
    /// How often it was repeated after it was accepted.
    needless: u32,
    /// Whether its retries were checked.
    is_settled: bool,
}

impl Check for Retries {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            *self = Retries::default();
        }
        let (Some(since), Some(now)) =
            (exchange.its_time(exchange.since), exchange.its_time(exchange.now))
        else {
            return;
        };
        self.since_moved = if now > since + 1 { 0 } else { self.since_moved + 1 };
        self.learn_subscription(exchange);
        self.recent_starts.push_back(since);
        if self.recent_starts.len() > RECENT_STEPS {
            self.recent_starts.pop_front();
        }
        for arrival in exchange.arrivals {
            self.attempt(exchange, arrival, (since, now), notes);
        }
        if self.since_moved >= SETTLED {
            self.check_retries(exchange, now, notes);
        }
        self.check_list(exchange, now, notes);
    }
}

impl Retries {
    fn learn_subscription(&mut self, exchange: &Exchange<'_>) {
        let Some(answer) = exchange.success_of(OperationKind::Subscribe) else { return };
        let url = exchange.sent_field(field::URL).unwrap_or_default();
        // An endpoint that responded with 410 may subscribe again.
        self.gone.retain(|path, _| !url.ends_with(path.as_str()));
        if let Some(reference) = Fields::of(answer).reference() {
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
            let delivery = TrackedDelivery {
                first: now,
                attempts: 1,
                status: arrival.status,
                needless: 0,
                is_settled: false,
            };
            self.known.insert(key, delivery);
            return;
        };
        known.attempts += 1;
        let (before, first) = (known.status, known.first);
        known.status = arrival.status;
        known.needless += u32::from((200..300).contains(&before));
        let is_needless = before != 200 && known.needless >= NEEDLESS && self.only_200_accepts();
        notes.expect(exchange, clause!("6.delivery.1"), !is_needless, "webhook", || {
            (
                format!("no attempt after {before}: deliveries answered with 200 are done"),
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
        let earliest = self.recent_starts.front().copied().unwrap_or(since);
        let is_stale = signed_at + 2 * TOLERANCE < earliest && before >= 300;
        notes.expect(exchange, clause!("6.signature.4"), !is_stale, "t", || {
            ("the time of the attempt", format!("{} seconds before it", earliest - signed_at))
        });
    }

    /// Whether several deliveries accepted with another status go on, and none with 200 does.
    fn only_200_accepts(&self) -> bool {
        let with_200 = |delivery: &&TrackedDelivery| delivery.status == 200;
        let goes_on = |delivery: &TrackedDelivery| delivery.needless >= NEEDLESS;
        let done = self.known.values().filter(with_200).filter(|delivery| delivery.needless == 0);
        let repeated = self.known.values().filter(with_200).any(|delivery| delivery.needless > 0);
        let others =
            self.known.values().filter(|delivery| delivery.status != 200 && goes_on(delivery));
        done.count() >= 3 && !repeated && others.count() >= 2
    }

    /// Learns the clock of the signatures from a first attempt, once the two clocks are far apart.
    fn learn_clock(&mut self, arrival: &Arrival, (since, now): (u64, u64)) {
        let Some(signed_at) = arrival.signed_at() else { return };
        let is_its_own = (since.saturating_sub(TOLERANCE)..=now + TOLERANCE).contains(&signed_at);
        // In process there is no other clock.
        let by_real_time = arrival
            .arrived
            .is_some_and(|arrived| arrived.unix_unsigned().abs_diff(signed_at) <= 2 * TOLERANCE);
        self.is_virtual |= is_its_own && !by_real_time;
    }

    /// Every unaccepted delivery is retried, except where a receiver responded with 410.
    fn check_retries(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        // If no one moves the clock, another attempt may not be due yet.
        let repeats = self.known.values().any(|delivery| delivery.attempts > 1);
        if !self.is_virtual && !repeats {
            return;
        }
        for ((path, _), delivery) in &mut self.known {
            let is_over = now > delivery.first + RETRY_DUE && !delivery.is_settled;
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

    /// A list omits deleted subscriptions, and those whose receiver responded with 410.
    fn check_list(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        if let Some(reference) = deleted(exchange) {
            self.references.remove(reference);
            self.deleted.insert((caller(exchange), reference.to_owned()), now);
        }
        let Some(list) = exchange.success_of(OperationKind::ListSubscriptions) else { return };
        let caller = caller(exchange);
        for ((owner, reference), at) in &self.deleted {
            if *owner == caller && now > at + LIST_LAG {
                let is_listed = lists(list, reference);
                notes.expect(exchange, clause!("4.webhookList.1"), !is_listed, "", || {
                    ("no subscription that was deleted", reference.clone())
                });
            }
        }
        for (reference, (owner, url)) in &self.references {
            let gone = self.gone.iter().find(|(path, _)| url.ends_with(path.as_str()));
            let is_settled = gone.is_some_and(|(_, at)| now > at + LIST_LAG);
            if *owner != caller || !is_settled {
                continue;
            }
            let is_listed = lists(list, reference);
            notes.expect(exchange, clause!("6.delivery.2"), !is_listed, "", || {
                ("no subscription whose receiver answered with 410", reference.clone())
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
            fields.get(field::REFERENCE).is_some_and(|listed| listed == reference)
                || fields.values().any(|value| lists(value, reference))
        }
        Value::Array(items) => items.iter().any(|item| lists(item, reference)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

//! How a delivery is retried: until it is accepted, for about 28 hours, with a new signature for each attempt
//! (`6.delivery.1`, `6.delivery.1.2`, `6.delivery.2`, `6.signature.4`).

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use tideover_exchange::matcher::fields;
use tideover_exchange::{Arrival, Exchange, NO_ANSWER, Payload, Prepared, kind_of_event};
use tideover_model::signature::TOLERANCE;
use tideover_model::wire::field;
use tideover_model::{OperationKind, clause};

use crate::checks::relations::{RETRY_WINDOW, SETTLED};
use crate::checks::subscribed::{
    KnownSubscription, KnownSubscriptions, SubscriptionNumber, caller_of,
};
use crate::checks::unseen_moves::UnseenMoves;
use crate::checks::{Check, Notes, is_reset};

/// More than "about 28 hours" can mean. Seconds.
const LONGEST: u64 = 36 * 3600;

/// Delivery is at least once (§6 Delivery rule 3): a service that loses the response to an accepted attempt has to make
/// another. That it loses so many responses to one delivery in a row is not chance.
const NEEDLESS: u32 = 3;

/// Attempts that end before this do not go on over about 28 hours: half of it. Seconds.
const LEAST: u64 = 14 * 3600;

/// How many moves of the clock without an attempt show that no more come.
const OFTEN_ENOUGH: u32 = 2;

/// A step's arrivals may have been sent during this many steps.
const RECENT_STEPS: usize = 3;

/// How far a list may lag behind. Seconds.
const LIST_LAG: u64 = 15;

#[derive(Default)]
pub(in crate::checks) struct Retries {
    subscriptions: KnownSubscriptions,
    known: BTreeMap<DeliveryName, TrackedDelivery>,
    /// When the last steps began, by the target's clock. A step's arrivals may have been sent in an earlier
    /// one. Unix seconds.
    recent_starts: VecDeque<u64>,
    /// The target's clock after the last response. Unix seconds.
    now: u64,
    /// How many responses came since the clock was moved.
    since_moved: u32,
    unseen_moves: UnseenMoves,
    /// Whether the target signs attempts by its own clock, not by real time.
    is_virtual: bool,
}

/// What names a delivery. A subscription that is made anew is another one, even to the same path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DeliveryName {
    /// `None` if it is unknown which subscription it belongs to.
    subscription: Option<SubscriptionNumber>,
    path: String,
    /// The `Service-Delivery` of its attempts.
    id: String,
}

/// The history of a delivery.
#[derive(Clone, Debug)]
struct TrackedDelivery {
    /// The body of the first attempt.
    body: Payload,
    /// When the first attempt was sent, by the target's clock. Unix seconds.
    first: u64,
    /// The number of attempts.
    attempts: u32,
    /// The response to the last attempt.
    status: u16,
    /// How often it was repeated after it was accepted.
    needless: u32,
    /// Whether its retries were checked.
    is_settled: bool,
    /// When the last attempt was sent, by the target's clock. Unix seconds.
    last: u64,
    /// How often the clock was moved since then, within the time of the retries.
    moves: u32,
}

impl Check for Retries {
    fn miss(&mut self, sent: &Prepared) {
        self.subscriptions.miss(sent);
        self.unseen_moves.miss(sent);
    }

    fn is_waiting(&self) -> bool {
        let lacks = |(name, delivery): (&DeliveryName, &TrackedDelivery)| {
            delivery.is_over(self.now) && self.lacks_attempts(name, delivery)
        };
        self.since_moved + 1 >= SETTLED && self.known.iter().any(lacks)
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = Retries::default();
        }
        self.subscriptions.learn(exchange);
        self.unseen_moves.observe(exchange);
        let times = exchange.its_time(exchange.since).zip(exchange.its_time(exchange.now));
        if let Some((since, now)) = times {
            self.observe_at(exchange, (since, now), notes);
        }
        self.subscriptions.learn_deletion(exchange);
        if let Some((_, now)) = times {
            self.check_list(exchange, now, notes);
        }
    }
}

impl TrackedDelivery {
    /// Whether the last attempt was accepted.
    fn is_accepted(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether all its retries are over, and were not checked yet.
    fn is_over(&self, now: u64) -> bool {
        now > self.first + RETRY_WINDOW && !self.is_settled
    }
}

impl Retries {
    fn observe_at(&mut self, exchange: &Exchange<'_>, (since, now): (u64, u64), notes: &mut Notes) {
        self.since_moved = if now > since + 1 { 0 } else { self.since_moved + 1 };
        if now > since + 1 {
            for delivery in self.known.values_mut().filter(|one| since < one.first + RETRY_WINDOW) {
                delivery.moves += 1;
            }
        }
        self.now = now;
        self.recent_starts.push_back(since);
        if self.recent_starts.len() > RECENT_STEPS {
            self.recent_starts.pop_front();
        }
        for arrival in exchange.arrivals {
            self.attempt(arrival, (since, now), notes);
            self.subscriptions.learn_response(exchange, arrival);
        }
        if self.since_moved >= SETTLED {
            self.check_retries(now, notes);
        }
    }

    fn attempt(&mut self, arrival: &Arrival, (since, now): (u64, u64), notes: &mut Notes) {
        let Some(id) = arrival.delivery.clone() else { return };
        let subscription = self.subscriptions.number_of(arrival);
        let name = DeliveryName { subscription, path: arrival.path.clone(), id };
        self.learn_clock(arrival, (since, now));
        let sent = self.time_of(arrival, (since, now));
        let Some(known) = self.known.get_mut(&name) else {
            let delivery = TrackedDelivery {
                body: arrival.body.clone(),
                first: sent,
                attempts: 1,
                status: arrival.status,
                needless: 0,
                is_settled: false,
                last: sent,
                moves: 0,
            };
            self.known.insert(name, delivery);
            return;
        };
        known.attempts += 1;
        (known.last, known.moves) = (sent, 0);
        let (before, first) = (known.status, known.first);
        known.status = arrival.status;
        known.needless += u32::from((200..300).contains(&before));
        let is_needless = before != 200 && known.needless >= NEEDLESS && self.only_200_accepts();
        notes.expect_delivery(clause!("6.delivery.1"), !is_needless, "webhook", || {
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
        notes.expect_delivery(clause!("6.delivery.1.2"), !is_late, "webhook", || {
            (
                "no attempt after about 28 hours",
                format!("one about {} hours later", (signed_at - first + 1800) / 3600),
            )
        });
        let earliest = self.recent_starts.front().copied().unwrap_or(since);
        let is_on_the_way = self.unseen_moves.may_have_passed(signed_at);
        let is_stale = signed_at + 2 * TOLERANCE < earliest && before >= 300 && !is_on_the_way;
        notes.expect_delivery(clause!("6.signature.4"), !is_stale, "t", || {
            (
                format!("at most {TOLERANCE} seconds before the attempt"),
                format!("at least {} seconds before it", earliest - signed_at),
            )
        });
    }

    /// When an attempt was sent: the time in its signature, if that can be when it was. A step that moves the clock far
    /// has attempts all along the way.
    fn time_of(&self, arrival: &Arrival, (since, now): (u64, u64)) -> u64 {
        let earliest = self.recent_starts.front().copied().unwrap_or(since);
        let signed_at = arrival.signed_at().filter(|_| self.is_virtual);
        signed_at.filter(|at| (earliest..=now).contains(at)).unwrap_or(now)
    }

    /// Whether several deliveries accepted with another status go on, and none with 200 does.
    fn only_200_accepts(&self) -> bool {
        let goes_on = |delivery: &&TrackedDelivery| delivery.needless >= NEEDLESS;
        // One that has had as much time as the others has no attempt more to come.
        let is_done = |(name, delivery): &(&DeliveryName, &TrackedDelivery)| {
            delivery.moves >= NEEDLESS && self.is_to_live(name)
        };
        let with_200 = self.known.iter().filter(|(_, delivery)| delivery.status == 200);
        let repeated = with_200.clone().any(|(_, delivery)| delivery.needless > 0);
        let others = self.known.values().filter(|delivery| delivery.status != 200);
        with_200.filter(is_done).count() >= 3 && !repeated && others.filter(goes_on).count() >= 2
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

    /// Every unaccepted delivery of a live subscription is retried, under its own name.
    fn check_retries(&mut self, now: u64, notes: &mut Notes) {
        // If no one moves the clock, another attempt may not be due yet.
        let repeats = self.known.values().any(|delivery| delivery.attempts > 1);
        if !self.is_virtual && !repeats {
            return;
        }
        let mut over: Vec<DeliveryName> = Vec::new();
        for (name, delivery) in self.known.iter_mut().filter(|(_, one)| one.is_over(now)) {
            delivery.is_settled = true;
            over.push(name.clone());
        }
        for name in over {
            self.check_retry(&name, notes);
        }
    }

    /// Whether a delivery goes to a live subscription.
    fn is_to_live(&self, name: &DeliveryName) -> bool {
        let is_live = |one: &KnownSubscription| one.ended.is_none() && !one.may_have_ended;
        name.subscription.and_then(|number| self.subscriptions.get(number)).is_some_and(is_live)
    }

    /// Whether a delivery to a live subscription was not accepted, and no other attempt followed under its name.
    fn lacks_attempts(&self, name: &DeliveryName, delivery: &TrackedDelivery) -> bool {
        !delivery.is_accepted() && delivery.attempts == 1 && self.is_to_live(name)
    }

    /// Whether the attempts of a delivery to a live subscription ended long before they should, although the clock
    /// was moved often enough for more of them.
    fn gave_up_early(&self, name: &DeliveryName, delivery: &TrackedDelivery) -> bool {
        self.is_virtual
            && !delivery.is_accepted()
            && delivery.attempts > 1
            && delivery.moves >= OFTEN_ENOUGH
            && delivery.last < delivery.first + LEAST
            && self.is_to_live(name)
    }

    fn check_retry(&self, name: &DeliveryName, notes: &mut Notes) {
        let Some(delivery) = self.known.get(name) else { return };
        if self.gave_up_early(name, delivery) {
            let hours = (delivery.last.saturating_sub(delivery.first) + 1800) / 3600;
            notes.expect_delivery(clause!("6.delivery.1.2"), false, "webhook", || {
                ("attempts over about 28 hours", format!("the last one after {hours} hours"))
            });
            return;
        }
        if !self.lacks_attempts(name, delivery) {
            notes.meet(clause!("6.delivery.1.2"));
            return;
        }
        let DeliveryName { path, id, .. } = name;
        let answered = match delivery.status {
            NO_ANSWER => format!("{path} did not answer"),
            status => format!("{path} answered {status}"),
        };
        match self.renamed(name, delivery) {
            Some(other) => {
                notes.expect_delivery(clause!("6.delivery.3.2"), false, "Service-Delivery", || {
                    (
                        format!("{id} again, since {answered}"),
                        format!("the same event again as {other}, and never as {id}"),
                    )
                });
            }
            // The last attempt of a delivery that came under other names before.
            None if self.same_event(name, delivery).next().is_some() => {}
            None => notes.expect_delivery(clause!("6.delivery.1.2"), false, "webhook", || {
                (format!("another attempt, since {answered}"), "none in 28 hours")
            }),
        }
    }

    /// Another name under which the event of a delivery came to the same subscription later.
    fn renamed<'a>(
        &'a self,
        name: &'a DeliveryName,
        delivery: &'a TrackedDelivery,
    ) -> Option<&'a str> {
        let mut others = self.same_event(name, delivery);
        let again = others.find(|(_, other)| other.first >= delivery.first);
        again.map(|(other, _)| other.id.as_str())
    }

    /// The other deliveries of the same event to the same subscription.
    fn same_event<'a>(
        &'a self,
        name: &'a DeliveryName,
        delivery: &'a TrackedDelivery,
    ) -> impl Iterator<Item = (&'a DeliveryName, &'a TrackedDelivery)> {
        self.known.iter().filter(move |(other, later)| {
            other.subscription == name.subscription
                && other.path == name.path
                && other.id != name.id
                && is_same_event(&later.body, &delivery.body)
        })
    }

    /// A list omits deleted subscriptions, and those whose receiver responded with 410.
    fn check_list(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        let Some(list) = exchange.success_of(OperationKind::ListSubscriptions) else { return };
        let caller = caller_of(exchange);
        let others = self.subscriptions.iter().filter(|one| {
            let is_others = caller.zip(one.platform).is_some_and(|(own, other)| own != other);
            is_others && !one.reference.is_empty()
        });
        for other in others {
            let is_listed = lists(list, &other.reference);
            notes.expect(
                exchange,
                clause!("5.authentication.4.2"),
                !is_listed,
                field::REFERENCE,
                || ("no subscription of another platform", other.reference.clone()),
            );
        }
        let own = || {
            let is_own = |one: &&KnownSubscription| one.owner == exchange.sent.authorization;
            self.subscriptions.iter().filter(is_own).filter(|one| !one.reference.is_empty())
        };
        let is_live =
            |reference: &str| own().any(|one| one.ended.is_none() && one.reference == reference);
        for one in own() {
            let Some(end) = one.ended.filter(|_| !is_live(&one.reference)) else { continue };
            // In process, nothing lags behind.
            let may_lag = |learned| exchange.inside.is_none() && now <= learned + LIST_LAG;
            if end.learned.is_none_or(may_lag) {
                continue;
            }
            let (clause, expected) = if end.clause == clause!("6.delivery.2") {
                (end.clause, "no subscription whose receiver answered with 410")
            } else {
                (clause!("4.webhookList.1"), "no subscription that was deleted")
            };
            let is_listed = lists(list, &one.reference);
            let evidence = || (expected, one.reference.clone());
            notes.expect(exchange, clause, !is_listed, field::REFERENCE, evidence);
        }
    }
}

fn lists(list: &Value, reference: &str) -> bool {
    fields(list).any(|(name, value)| name == field::REFERENCE && value == reference)
}

/// The field that identifies an event, where a body has it (`gap.eventPayload`).
const EVENT_ID: &str = "id";

/// Whether two bodies report the same event: their bytes are equal, or kind and identifier are, or kind, subject and
/// time are. Two events may still be alike, because the document doesn't show what an event contains.
fn is_same_event(one: &Payload, other: &Payload) -> bool {
    if **one == **other {
        return true;
    }
    let (Some(one), Some(other)) = (one.json(), other.json()) else { return false };
    let same = |names: &[&str]| names.iter().all(|name| one.get(name) == other.get(name));
    let has_id = one.get(EVENT_ID).is_some_and(Value::is_string);
    kind_of_event(one).is_some()
        && kind_of_event(one) == kind_of_event(other)
        && (has_id && same(&[EVENT_ID])
            || same(&[field::DATA, field::OCCURRED_AT, field::SEQUENCE]))
}

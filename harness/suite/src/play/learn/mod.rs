//! What a run learns about a target where the document is silent: a profile for the mock, and for later checks of the
//! target.
//!
//! Every lesson is a count or an interval, never one value: a service may choose each time. A profile gets a value only
//! where the interval leaves one, or where any value in it serves the mock.

mod causes;
mod constant;
mod delays;
pub(crate) mod failing;
mod held;
mod media_types;
mod orders;
mod persistent;
mod rates;
mod renamed;
mod repeats;
mod replaced;
mod resumed;
mod span;
mod variants;
mod written;

use std::collections::BTreeMap;

use tideover_exchange::evidence::Point;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::{Arrival, Exchange, PreparedAction};
use tideover_judge::{Belief, Bounds};
use tideover_model::wire::field::Fields;
use tideover_model::{ActionKind, Clause, Code, OperationKind, Profile, Reading, Success, clause};

pub use constant::Constant;
pub use failing::Failing;
pub use held::Stated;
pub use media_types::MediaTypes;
pub use persistent::{Persistent, Probe};
pub use renamed::Renamed;
pub use repeats::Repeats;
pub use replaced::Replaced;
pub use span::Span;
pub use variants::Variants;
pub use written::Learned;

use causes::Causes;
use delays::Delays;
use rates::Rates;
use resumed::Resumptions;
use span::Spans;

/// What the responses of a target show of its choices.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    success: BTreeMap<Success, BTreeMap<u16, u64>>,
    refusals: BTreeMap<Code, BTreeMap<u16, u64>>,
    body_limit: Bounds,
    per_invoice_maximum: Bounds,
    concentration_limit: Bounds,
    rates: Rates,
    delays: Delays,
    /// Seconds between two attempts of a delivery that were not accepted, by the number of attempts before.
    retries: BTreeMap<usize, Spans>,
    attempts: BTreeMap<(String, String), Vec<Attempt>>,
    /// How far this case has moved the target's clock. Seconds.
    moved: u64,
    /// The longest time from the first attempt of a delivery to its last. Seconds.
    tried_for: Option<u64>,
    repeats: AcceptedAgain,
    resumptions: Resumptions,
    causes: Causes,
    session_links_live: Option<bool>,
    readings: BTreeMap<Reading, CasesByValue>,
}

/// The number of cases that show that a reading is false, and of those that show that it is true.
type CasesByValue = [u64; 2];

/// The time of an attempt, if it is known, and the status of the inbox.
type Attempt = (Option<u64>, u16);

/// How many deliveries were accepted, and how many of them came again.
#[derive(Clone, Copy, Debug, Default)]
struct AcceptedAgain {
    accepted: u64,
    repeated: u64,
}

impl Lessons {
    pub(crate) fn observe(&mut self, exchange: &Exchange<'_>, belief: &Belief) {
        self.observe_status(exchange);
        self.rates.observe(exchange, belief);
        self.delays.observe(exchange, belief);
        self.causes.observe(exchange, belief);
        self.resumptions.observe(exchange);
        for arrival in exchange.arrivals {
            self.observe_arrival(exchange, arrival);
        }
        if let PreparedAction::Advance(seconds) = exchange.sent.action
            && exchange.seen.is_success()
        {
            self.moved += seconds;
        }
        if exchange.acts() == Some(ActionKind::VendorOpensSession) {
            let live = self.session_links_live.unwrap_or(false) || exchange.seen.is_success();
            self.session_links_live = Some(live);
        }
    }

    /// Learns of a request that has no response, and may have been carried out.
    pub(crate) fn miss(&mut self) {
        self.delays.miss();
        self.resumptions.miss();
    }

    /// The transition that should have happened by `profile`, and that a read shows not to have.
    pub(crate) fn overdue(&self, profile: &Profile) -> Option<Point> {
        self.delays.overdue(&profile.delays)
    }

    /// What breaks a sentence, although no single case shows it.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let found = [self.delays.orders.finding(), self.resumptions.finding()];
        found.into_iter().flatten().collect()
    }

    /// For each kind of event that this case has caused, whether it came.
    pub(crate) fn events(&self) -> impl Iterator<Item = Point> {
        self.causes.points()
    }

    /// Ends a case: takes over what the belief knows of limits, and drops what is about this case only.
    pub(crate) fn conclude(&mut self, belief: &Belief) {
        let limits = belief.limits();
        self.body_limit = self.body_limit.and(limits.of_bodies());
        self.per_invoice_maximum = self.per_invoice_maximum.and(limits.invoice);
        for bounds in limits.outstanding.values() {
            self.concentration_limit = self.concentration_limit.and(*bounds);
        }
        for (reading, value) in belief.readings() {
            self.readings.entry(reading).or_default()[usize::from(value)] += 1;
        }
        self.rates.conclude();
        self.resumptions.conclude();
        self.attempts.clear();
        self.moved = 0;
        self.causes = Causes::default();
    }

    /// Forgets the delays: somebody else made the transitions happen.
    pub fn forget_delays(&mut self) {
        self.delays = Delays::default();
    }

    pub fn add(&mut self, other: &Lessons) {
        for (success, statuses) in &other.success {
            count(self.success.entry(*success).or_default(), statuses);
        }
        for (code, statuses) in &other.refusals {
            count(self.refusals.entry(*code).or_default(), statuses);
        }
        self.body_limit = self.body_limit.and(other.body_limit);
        self.per_invoice_maximum = self.per_invoice_maximum.and(other.per_invoice_maximum);
        self.concentration_limit = self.concentration_limit.and(other.concentration_limit);
        self.rates.add(&other.rates);
        self.delays.add(&other.delays);
        for (attempt, spans) in &other.retries {
            self.retries.entry(*attempt).or_default().add(spans);
        }
        self.tried_for = self.tried_for.max(other.tried_for);
        self.repeats.accepted += other.repeats.accepted;
        self.repeats.repeated += other.repeats.repeated;
        self.resumptions.add(&other.resumptions);
        self.session_links_live = match (self.session_links_live, other.session_links_live) {
            (Some(one), Some(other)) => Some(one || other),
            (one, other) => one.or(other),
        };
        for (reading, cases) in &other.readings {
            let known = self.readings.entry(*reading).or_default();
            known.iter_mut().zip(cases).for_each(|(known, more)| *known += more);
        }
    }

    /// How the target reads what can be read in two ways. `None` if no case, or not every one, has shown it.
    fn reads(&self, reading: Reading) -> Option<bool> {
        let [otherwise, so] = *self.readings.get(&reading)?;
        (otherwise == 0 || so == 0).then_some(so > 0)
    }

    /// The lessons as a profile. Where there are none, it has the values of `known`.
    pub fn learned(&self, known: &Profile) -> Learned {
        Learned::from_lessons(self, known)
    }

    fn observe_status(&mut self, exchange: &Exchange<'_>) {
        let Some(kind) = exchange.kind() else { return };
        let (status, seen) = (exchange.seen.status, exchange.seen);
        if let Some(code) = seen.code().and_then(Code::parse) {
            // For an advance, the document states the status.
            let stated = exchange.predicted_refusal.is_some_and(|(_, by)| by == ADVANCE_NOT_FOUND);
            if !stated && matches!(code.status(), tideover_model::Status::Assumed(_)) {
                *self.refusals.entry(code).or_default().entry(status).or_default() += 1;
            }
        } else if seen.is_success() {
            let repeat =
                seen.json().is_some_and(|body| Fields::of(body).already_requested() == Some(true));
            let success = match kind {
                OperationKind::RequestAdvance if repeat => Success::RepeatAdvance,
                kind => kind.into(),
            };
            *self.success.entry(success).or_default().entry(status).or_default() += 1;
        }
    }

    fn observe_arrival(&mut self, exchange: &Exchange<'_>, arrival: &Arrival) {
        let (Some(id), Some(at)) = (&arrival.delivery, arrival.signed_at()) else { return };
        let at = Some(at).filter(|at| self.is_by_its_clock(exchange, *at));
        // Several subscriptions may share the name of a delivery: the path tells them apart.
        let delivery = (arrival.path.clone(), id.clone());
        let attempts = self.attempts.entry(delivery).or_default();
        let is_accepted = |status: u16| (200..=299).contains(&status);
        let accepted = attempts.iter().filter(|(_, status)| is_accepted(*status)).count();
        if let Some((before, _)) = attempts.last().copied()
            && accepted == 0
            && let Some(pause) = at.zip(before).and_then(|(at, before)| at.checked_sub(before))
        {
            self.retries.entry(attempts.len() - 1).or_default().note(Span::exactly(pause));
            let first = at.zip(attempts[0].0).and_then(|(at, first)| at.checked_sub(first));
            self.tried_for = self.tried_for.max(first);
        }
        self.repeats.accepted += u64::from(accepted == 0 && is_accepted(arrival.status));
        self.repeats.repeated += u64::from(accepted == 1);
        attempts.push((at, arrival.status));
    }

    /// Whether an attempt was signed with the target's own clock. Once that clock was moved, the wall clock says nothing
    /// about when an attempt was due.
    fn is_by_its_clock(&self, exchange: &Exchange<'_>, at: u64) -> bool {
        let is_moved = matches!(exchange.sent.action, PreparedAction::Advance(_));
        if self.moved == 0 && !is_moved {
            return true;
        }
        let times = exchange.its_time(exchange.since).zip(exchange.its_time(exchange.now));
        times.is_some_and(|(since, now)| {
            let since = if is_moved { since + SLACK + 1 } else { since.saturating_sub(SLACK) };
            (since..=now + SLACK).contains(&at)
        })
    }
}

/// How late a due attempt may come. Seconds.
const SLACK: u64 = 2;

const ADVANCE_NOT_FOUND: Clause = clause!("4.advances.5");

fn count(known: &mut BTreeMap<u16, u64>, other: &BTreeMap<u16, u64>) {
    for (status, times) in other {
        *known.entry(*status).or_default() += times;
    }
}

//! How long hidden transitions take: each happened between the last read before it and the first read after it.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use tideover_exchange::Exchange;
use tideover_exchange::evidence::Point;
use tideover_judge::{Belief, Subject, meets_first_three};
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, BusinessId, Delays as Known, OperationKind, Timestamp, clause};

use crate::play::learn::orders::{Orders, Requirement};
use crate::play::learn::span::{Span, Spans};

/// The bounds of delays, in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    /// What the object of the last read waits for.
    waits: Option<(Awaited, Wait)>,
    businesses: BTreeMap<BusinessId, Opening>,
    /// Who names each business. What several share of it is not shown, so that the account of one may lack what another
    /// has.
    names: BTreeMap<BusinessId, BTreeSet<Subject>>,
    advances: BTreeMap<Subject, Funding>,
    /// Which accounts have opened.
    pub(super) orders: Orders,
    pub(super) collection_account: Spans,
    pub(super) funding_starts: Spans,
    pub(super) funding_completes: Spans,
    /// The delays of advances that passed both transitions between two reads: only their upper bounds are known.
    pub(super) either_at_most: (Spans, Spans),
}

/// A transition that was enabled and had not happened at the last read.
#[derive(Clone, Copy, Debug)]
struct Wait {
    /// The bounds of the time since when it is enabled.
    enabled: (Timestamp, Timestamp),
    not_yet: Timestamp,
}

/// A collection account that may open.
#[derive(Clone, Copy, Debug)]
struct Opening {
    wait: Wait,
    /// Whether our own request enabled it, so that the start of the wait is known.
    is_from_the_start: bool,
    /// The first read that showed that nothing else is missing: a request that enables it may have had no response.
    shown: Option<Timestamp>,
    /// The requirement that was met last, until it is known what became of the account.
    last: Option<Requirement>,
    /// Whether a request has no response since the last one that has: nobody knows what it changed.
    is_open: bool,
}

/// How long a transition may take if no profile says how long. The document says "usually a few minutes" of an account
/// and nothing of an advance, and a day is far beyond what a caller waits for. Seconds.
const PATIENCE: u64 = 24 * 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    CollectionAccount,
    Funding,
    Funded,
}

#[derive(Clone, Copy, Debug)]
struct Funding {
    starts: Wait,
    /// The bounds of the time when it started.
    started: Option<(Timestamp, Timestamp)>,
    not_funded: Timestamp,
}

impl Wait {
    /// How long it had lasted at least at the last read. Seconds.
    fn has_lasted(&self) -> u64 {
        between(self.enabled.1, self.not_yet)
    }

    /// The bounds of the delay, if `now` is the first read after it.
    fn until(&self, now: Timestamp) -> Span {
        Span { min: self.has_lasted(), max: between(self.enabled.0, now) }
    }
}

impl Delays {
    /// Learns of a request without a response.
    pub(super) fn miss(&mut self) {
        self.businesses.values_mut().for_each(|opening| opening.is_open = true);
    }

    pub(super) fn observe(&mut self, exchange: &Exchange<'_>, belief: &Belief) {
        self.waits = None;
        let Some(subject) = belief.subject(exchange.sent) else { return };
        if let Some(business) = belief.business(&subject) {
            self.names.entry(business).or_default().insert(subject.business());
        }
        // An action that forces a transition says nothing about how long it takes, only when it began.
        match (exchange.acts(), self.advances.get_mut(&subject)) {
            (Some(ActionKind::FundingStarts), Some(funding)) if exchange.seen.is_success() => {
                funding.start(exchange);
            }
            (Some(ActionKind::FundingStarts | ActionKind::FundingCompletes), _) => {
                self.advances.remove(&subject);
            }
            _ => {}
        }
        match exchange.kind() {
            Some(OperationKind::GetInvoice) => self.observe_advance(exchange, &subject),
            Some(OperationKind::RequestAdvance)
                if exchange
                    .seen
                    .json()
                    .is_some_and(|body| Fields::of(body).already_requested() == Some(false)) =>
            {
                let starts = Wait::from(exchange);
                let funding = Funding { starts, started: None, not_funded: exchange.now };
                self.advances.insert(subject.clone(), funding);
            }
            _ => {}
        }
        self.observe_account(exchange, &subject, belief);
    }

    fn observe_account(&mut self, exchange: &Exchange<'_>, subject: &Subject, belief: &Belief) {
        let reads = exchange.kind() == Some(OperationKind::GetBusiness);
        let may_open = belief.may_open_account(subject, exchange.now);
        let is_hurried = matches!(
            exchange.acts(),
            Some(ActionKind::CollectionAccountOpens | ActionKind::VendorCompletesOnboarding)
        );
        let shows_it = may_open || is_hurried || reads && exchange.seen.is_success();
        if !shows_it {
            return;
        }
        let Some(business) = belief.business(subject) else { return };
        if self.names.get(&business).is_some_and(|names| names.len() > 1) {
            self.businesses.remove(&business);
            return;
        }
        // What comes after may open an account that would have stayed shut.
        let meets_more = Requirement::met_by(exchange).is_some()
            || exchange.kind() == Some(OperationKind::SyncBusiness);
        let known = self.businesses.get_mut(&business).filter(|_| meets_more);
        known.into_iter().for_each(|opening| opening.last = None);
        if may_open {
            // What a read shows was so before, and a request without a response may have enabled it.
            let is_ours = !exchange.kind().is_some_and(OperationKind::reads);
            let is_from_the_start = is_ours && !exchange.unsettled;
            let opening = Opening {
                wait: Wait::from(exchange),
                is_from_the_start,
                shown: None,
                last: Requirement::met_by(exchange),
                is_open: false,
            };
            self.businesses.entry(business).or_insert(opening);
        }
        let Some(opening) = self.businesses.get_mut(&business) else { return };
        opening.is_from_the_start &= !is_hurried;
        // What changes a business may end the wait and begin another one, and no response shows it: a requirement may
        // have been lost before, such as by a tax id that clears nothing.
        let changes =
            *subject == subject.business() && !exchange.kind().is_some_and(OperationKind::reads);
        if take(&mut opening.is_open) || exchange.unsettled || changes {
            opening.wait.enabled.1 = exchange.now;
        }
        if reads {
            self.read_account(exchange, business, may_open, belief.has_a_past());
        }
    }

    /// Learns from a read of a business whose account may open, or has opened.
    fn read_account(
        &mut self,
        exchange: &Exchange<'_>,
        business: BusinessId,
        may_open: bool,
        has_a_past: bool,
    ) {
        let onboarding = exchange.seen.json().and_then(|body| body.get(field::ONBOARDING));
        let Some(onboarding) = onboarding else { return };
        let Some(opening) = self.businesses.get_mut(&business) else { return };
        if Fields::of(onboarding).collection_account() == Some(true) {
            if opening.is_from_the_start && !has_a_past {
                self.collection_account.note(opening.wait.until(exchange.now));
                opening.last.into_iter().for_each(|last| self.orders.opened(last));
            }
            self.businesses.remove(&business);
            return;
        }
        if !(may_open && meets_first_three(onboarding)) {
            // Something that no response showed seemed to enable it, and this response contradicts that.
            self.businesses.remove(&business);
            return;
        }
        opening.wait.not_yet = exchange.since;
        let shown = *opening.shown.get_or_insert(exchange.now);
        let (earliest, latest) = opening.wait.enabled;
        let latest = if opening.is_from_the_start { latest } else { latest.max(shown) };
        // Whether an address came may still be open.
        if !exchange.unsettled {
            let wait = Wait { enabled: (earliest, latest), ..opening.wait };
            self.waits = Some((Awaited::CollectionAccount, wait));
            let is_shut = opening.is_from_the_start && wait.has_lasted() > PATIENCE;
            if let Some(last) = opening.last.take_if(|_| is_shut) {
                self.orders.stayed_shut(last);
            }
        }
    }

    fn observe_advance(&mut self, exchange: &Exchange<'_>, subject: &Subject) {
        let Some(funding) = self.advances.get_mut(subject) else { return };
        let state = exchange
            .seen
            .json()
            .and_then(|body| Fields::of(body).advance().and_then(Fields::state));
        match (state, funding.started) {
            (Some("REQUESTED"), _) => {
                funding.starts.not_yet = exchange.since;
                self.waits = Some((Awaited::Funding, funding.starts));
            }
            (Some("FUNDING"), None) => {
                self.funding_starts.note(funding.starts.until(exchange.now));
                funding.start(exchange);
            }
            (Some("FUNDING"), Some((_, latest))) => {
                funding.not_funded = exchange.since;
                let wait = Wait { enabled: (latest, latest), not_yet: exchange.since };
                self.waits = Some((Awaited::Funded, wait));
            }
            (Some("FUNDED" | "REPAID"), Some((earliest, latest))) => {
                let took = Span {
                    min: between(latest, funding.not_funded),
                    max: between(earliest, exchange.now),
                };
                self.funding_completes.note(took);
                self.advances.remove(subject);
            }
            (Some("FUNDED" | "REPAID"), None) => {
                let starts = funding.starts.until(exchange.now);
                let (earliest, latest) = funding.starts.enabled;
                let max = between(funding.starts.not_yet, exchange.now) + between(earliest, latest);
                self.either_at_most.0.note(starts);
                self.either_at_most.1.note(Span { min: 0, max });
                self.advances.remove(subject);
            }
            (Some(_), _) => {
                self.advances.remove(subject);
            }
            (None, _) => {}
        }
    }

    /// The transition that is late by the last read: it takes longer than the profile allows.
    pub(super) fn overdue(&self, known: &Known) -> Option<Point> {
        let (awaited, wait) = self.waits?;
        let (clause, field, bound) = match awaited {
            Awaited::CollectionAccount => (
                clause!("gap.accountOpening"),
                "onboarding.collectionAccount",
                known.collection_account,
            ),
            Awaited::Funding => {
                (clause!("gap.advanceTransitions"), "advance.state", known.funding_starts)
            }
            Awaited::Funded => {
                (clause!("gap.advanceTransitions"), "advance.state", known.funding_completes)
            }
        };
        let waited = wait.has_lasted();
        // Only a stated profile promises a time.
        let most = if *known == Known::default() { PATIENCE } else { bound.max };
        (waited > most).then(|| Point {
            clause,
            holds: false,
            field: field.to_owned(),
            expected: format!("{awaited:?} within {most} s"),
            seen: format!("not yet, after {waited} s"),
        })
    }

    pub(super) fn add(&mut self, other: &Delays) {
        self.orders.add(&other.orders);
        self.collection_account.add(&other.collection_account);
        self.funding_starts.add(&other.funding_starts);
        self.funding_completes.add(&other.funding_completes);
        self.either_at_most.0.add(&other.either_at_most.0);
        self.either_at_most.1.add(&other.either_at_most.1);
    }
}

impl Funding {
    /// Funding has started since the last read.
    fn start(&mut self, exchange: &Exchange<'_>) {
        self.started = Some((self.starts.not_yet, exchange.now));
        self.not_funded = exchange.since;
    }
}

impl From<&Exchange<'_>> for Wait {
    fn from(exchange: &Exchange<'_>) -> Wait {
        Wait { enabled: (exchange.since, exchange.now), not_yet: exchange.now }
    }
}

fn between(earlier: Timestamp, later: Timestamp) -> u64 {
    later.unix_unsigned().saturating_sub(earlier.unix_unsigned())
}

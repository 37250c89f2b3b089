//! Which events are due at which endpoints, and have not come.
//!
//! A response proves what an event means ([`Proof`]). A subscription that was made before anybody named the subject
//! gets the event, sooner or later: the document doesn't say how soon. An event that has not come when all retries of
//! a delivery are over never will. Only time that the run has let pass counts, because no other clock is certain.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use tideover_exchange::target::inbox;
use tideover_exchange::{Exchange, Prepared, PreparedAction, Sequence, kind_of_event};
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{ActionKind, Clause, OperationKind, clause};

use crate::checks::Notes;
use crate::checks::meanings::{Proof, meaning_of};
use crate::checks::relations::events::Announcement;
use crate::checks::relations::events::names::{Mentioned, Names, invoice_of};
use crate::checks::relations::ledger::{CallerKey, InvoiceName, business, caller};
use crate::checks::relations::shared_paths::SharedPaths;
use crate::checks::relations::{RETRY_WINDOW, SETTLED};
use crate::checks::subscribed::referred;

/// An endpoint of the inbox that accepts every delivery.
#[derive(Debug)]
struct InboxEndpoint {
    path: String,
    owner: CallerKey,
    reference: Option<String>,
    /// The kinds that it names. `None` if it subscribes to all.
    kinds: Option<Vec<&'static str>>,
    /// The step of its subscription.
    since: u64,
}

/// What an event must contain: its kind, some names, and the state for a change of state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    owner: CallerKey,
    event: EventType,
    names: Vec<String>,
    state: Option<AdvanceState>,
}

/// When a response first proved a fact.
#[derive(Clone, Debug)]
struct Sighting {
    /// How far the run had moved the clock before. Seconds.
    moved: u64,
    /// The step of the response.
    step: u64,
    /// The step before which nothing can have caused the event.
    not_before: u64,
    /// The operation whose response proved it.
    proven_by: String,
    is_judged: bool,
}

/// The events that came, and what they may name.
struct EventLog<'a> {
    announced: &'a [Announcement],
    names: &'a Names,
    /// What each event mentions, in the same order. Most responses need none of it.
    mentioned: OnceCell<Vec<Mentioned<'a>>>,
}

/// The endpoints of the inbox, and the facts that their events must report.
#[derive(Default)]
pub(super) struct DueEvents {
    endpoints: Vec<InboxEndpoint>,
    facts: BTreeMap<Fact, Sighting>,
    /// How far the run has moved the clock. Seconds.
    moved: u64,
    /// How many responses came since the run moved the clock.
    since_moved: u32,
    /// The steps that created advances. No event about an advance is older.
    advanced: BTreeMap<InvoiceName, u64>,
    /// The paths of the inbox that something has come to, and whether it had a listed type: the document doesn't show
    /// where the type stands.
    arrived: BTreeMap<String, bool>,
    /// Whether an event has come to an endpoint that names its kind, so that the names are those that the service means:
    /// the allowed values are not shown.
    has_chosen: bool,
    shared_paths: SharedPaths,
}

impl DueEvents {
    /// Learns that something came to a path of the inbox, with a listed type or without.
    pub(super) fn learn_arrival(&mut self, path: &str, is_listed: bool) {
        *self.arrived.entry(path.to_owned()).or_default() |= is_listed;
    }

    /// Whether what came to a path has no listed type, so that it may be any event.
    fn is_unreadable(&self, path: &str) -> bool {
        self.arrived.get(path) == Some(&false)
    }

    /// Learns that an event came to a path of the inbox.
    pub(super) fn learn_event(&mut self, announced: &Announcement) {
        let mut here = self.endpoints.iter().filter(|one| one.path == announced.path);
        self.has_chosen |= here.any(|one| one.names(announced.kind));
    }

    /// Learns how much time the run has let pass.
    pub(super) fn learn_time(&mut self, exchange: &Exchange<'_>) {
        self.since_moved += 1;
        if let PreparedAction::Advance(seconds) = exchange.sent.action {
            self.since_moved = 0;
            if exchange.seen.is_success() {
                self.moved += seconds;
            }
        }
    }

    /// Learns of a request without a response. It may have ended subscriptions.
    pub(super) fn miss(&mut self, sent: &Prepared) {
        self.end(sent);
    }

    /// Learns which subscriptions were made and ended. Arrivals of a step may predate its subscription.
    pub(super) fn learn_endpoints(&mut self, exchange: &Exchange<'_>, step: u64) {
        if exchange.seen.is_success() {
            self.end(exchange.sent);
        }
        self.shared_paths.learn(exchange);
        let Some(answer) = exchange.success_of(OperationKind::Subscribe) else { return };
        let sent = exchange.sent_json().and_then(|sent| sent.get(field::EVENT_TYPES));
        let kinds = match sent.map(|sent| sent.as_array()) {
            None => None,
            Some(Some(named)) => Some(named.iter().filter_map(kind_of_event).collect()),
            // What this form means is not shown.
            Some(None) => return,
        };
        let url = exchange.sent_field(field::URL).unwrap_or_default();
        let Some(path) = inbox::accepting(&url) else { return };
        self.endpoints.push(InboxEndpoint {
            path: path.to_owned(),
            owner: caller(exchange),
            reference: Fields::of(answer).reference().map(str::to_owned),
            kinds,
            since: step,
        });
    }

    /// Forgets the subscriptions that a request ends.
    fn end(&mut self, sent: &Prepared) {
        if sent.acts() == Some(ActionKind::RevokeKey) {
            self.endpoints.clear();
        }
        if let Some(call) = sent.call()
            && sent.kind() == Some(OperationKind::Unsubscribe)
        {
            let reference = Some(referred(&call.path));
            self.endpoints.retain(|one| one.reference.as_deref() != reference);
        }
    }

    /// The owner of the subscription to all events at a path, if nobody else has subscribed it.
    pub(super) fn owner_of(&self, path: &str) -> Option<&CallerKey> {
        let mut all = self.endpoints.iter().filter(|one| one.kinds.is_none());
        let owner = all.find(|one| one.path == path).map(|one| &one.owner)?;
        (!self.shared_paths.has(path)).then_some(owner)
    }

    /// Learns what a response proves.
    pub(super) fn learn_facts(
        &mut self,
        exchange: &Exchange<'_>,
        step: u64,
        proof: Proof<'_>,
        names: &Names,
    ) {
        let owner = caller(exchange);
        if proof.is_first_advance()
            && let Some(name) = invoice_of(exchange)
        {
            self.advanced.entry(name).or_insert(step);
        }
        for event in proof.caused().chain(proof.shown()) {
            let is_of_business = event.name().starts_with("partner.organization");
            let (named, not_before) = if is_of_business {
                let Some(name) = business(exchange) else { continue };
                (vec![name.1.clone()], names.business_since(&name))
            } else {
                let Some(name) = invoice_of(exchange) else { continue };
                let advanced = self.advanced.get(&name).filter(|_| is_of_advance(event));
                let since = names.invoice_since(&name);
                let since = since.map(|since| advanced.map_or(since, |step| since.max(*step)));
                (vec![name.0.1, name.1], since)
            };
            let Some(not_before) = not_before else { continue };
            let state = proof.state().filter(|_| event == EventType::FactoredUpdated);
            let fact = Fact { owner: owner.clone(), event, names: named, state };
            self.facts.entry(fact).or_insert_with(|| Sighting {
                moved: self.moved,
                step,
                not_before,
                proven_by: exchange.operation(),
                is_judged: false,
            });
        }
    }

    /// Whether the next response will show that an event never came.
    pub(super) fn lacks_any(&self, announced: &[Announcement], names: &Names) -> bool {
        let log = EventLog::new(announced, names);
        self.since_moved + 1 >= SETTLED
            && self.facts.iter().any(|(fact, sighting)| {
                self.is_over(sighting) && self.missing(fact, sighting, &log).is_some()
            })
    }

    /// Every endpoint that subscribed before a fact receives its event.
    pub(super) fn check(
        &mut self,
        exchange: &Exchange<'_>,
        announced: &[Announcement],
        names: &Names,
        notes: &mut Notes,
    ) {
        let log = EventLog::new(announced, names);
        let inbox_works = exchange.inbox_works || !self.arrived.is_empty();
        if self.since_moved < SETTLED || !inbox_works {
            return;
        }
        let over = |(fact, sighting): (&Fact, &Sighting)| {
            self.is_over(sighting).then(|| (fact.clone(), sighting.clone()))
        };
        let over: Vec<(Fact, Sighting)> = self.facts.iter().filter_map(over).collect();
        for (fact, sighting) in over {
            match self.missing(&fact, &sighting, &log) {
                Some(endpoint) => self.report(&fact, &sighting, endpoint, &log, notes),
                None if self.check_order(&fact, &sighting, &log, notes) => {}
                None if self.expects(&fact, &sighting) => {
                    notes.meet(meaning_of(fact.event));
                    notes.meet(clause!("6.events.intro.1"));
                    if self.expecting(&fact, &sighting).any(|one| one.kinds.is_none()) {
                        notes.meet(clause!("6.subscription.3"));
                    }
                }
                None => {}
            }
            self.facts.entry(fact).and_modify(|sighting| sighting.is_judged = true);
        }
    }

    fn is_over(&self, sighting: &Sighting) -> bool {
        !sighting.is_judged && self.moved >= sighting.moved + RETRY_WINDOW
    }

    /// The endpoints that must receive the event of a fact.
    fn expecting(&self, fact: &Fact, sighting: &Sighting) -> impl Iterator<Item = &InboxEndpoint> {
        self.endpoints.iter().filter(move |one| {
            let is_asked_for =
                one.kinds.is_none() || self.has_chosen && one.names(fact.event.name());
            is_asked_for
                && one.owner == fact.owner
                && one.since < sighting.not_before
                && !self.is_unreadable(&one.path)
        })
    }

    fn expects(&self, fact: &Fact, sighting: &Sighting) -> bool {
        self.expecting(fact, sighting).next().is_some()
    }

    /// An endpoint that did not receive the event of a fact.
    fn missing(
        &self,
        fact: &Fact,
        sighting: &Sighting,
        log: &EventLog<'_>,
    ) -> Option<&InboxEndpoint> {
        self.expecting(fact, sighting).find(|one| !log.has(fact, &one.path))
    }

    /// The sequence of a later state is greater (§6 Delivery rule 5). Whether one that is not was reported.
    ///
    /// A state that was there twice has two sequences, and is not compared.
    fn check_order(
        &self,
        fact: &Fact,
        sighting: &Sighting,
        log: &EventLog<'_>,
        notes: &mut Notes,
    ) -> bool {
        let is_earlier = |(other, seen): &(&Fact, &Sighting)| {
            (&other.owner, &other.names, other.event) == (&fact.owner, &fact.names, fact.event)
                && other.state < fact.state
                && seen.step < sighting.step
        };
        for endpoint in self.expecting(fact, sighting) {
            let sequence = |of: &Fact| log.only_sequence(of, &endpoint.path);
            let Some(later) = sequence(fact) else { continue };
            let mut before = self.facts.iter().filter(is_earlier);
            let before =
                before.find_map(|(one, _)| Some((one, sequence(one).filter(|it| *it >= later)?)));
            if let Some((earlier, sequence)) = before {
                notes.expect_delivery(clause!("6.delivery.5"), false, field::SEQUENCE, || {
                    let expected =
                        format!("more than {sequence}, which {} had", earlier.in_words());
                    (expected, format!("{later} for {}", fact.in_words()))
                });
                return true;
            }
        }
        false
    }

    fn report(
        &self,
        fact: &Fact,
        sighting: &Sighting,
        missing: &InboxEndpoint,
        log: &EventLog<'_>,
        notes: &mut Notes,
    ) {
        let path = &missing.path;
        let others = log.announced.iter().filter(|one| one.path == *path).count();
        let clause = self.broken_by(fact, missing, others, log);
        notes.expect_delivery(clause, false, "webhook", || {
            let expected = format!("{} on {path}", fact.in_words());
            let others = match others {
                0 => "no webhook at all came there, though the inbox works".to_owned(),
                1 => "one other webhook came there".to_owned(),
                others => format!("{others} other webhooks came there"),
            };
            let seen = format!("none within 28 hours of {}; {others}", sighting.proven_by);
            (expected, seen)
        });
    }

    /// The sentence that a missing event breaks, given how many others came to the endpoint.
    fn broken_by(
        &self,
        fact: &Fact,
        missing: &InboxEndpoint,
        others: usize,
        log: &EventLog<'_>,
    ) -> Clause {
        let own = self.endpoints.iter().filter(|one| one.owner == fact.owner);
        let mut got = own.filter(|one| log.has(fact, &one.path)).peekable();
        // An endpoint that is deleted since may have got it, too.
        if log.reporting(fact).next().is_none() && others > 0 {
            return meaning_of(fact.event);
        }
        if missing.kinds.is_none() && got.peek().is_some() && got.all(|one| one.kinds.is_some()) {
            return clause!("6.subscription.3");
        }
        clause!("6.events.intro.1")
    }
}

impl InboxEndpoint {
    /// Whether it subscribes to this kind by name.
    fn names(&self, kind: &str) -> bool {
        self.kinds.as_ref().is_some_and(|kinds| kinds.contains(&kind))
    }
}

/// Whether an event tells of an advance.
fn is_of_advance(event: EventType) -> bool {
    match event {
        EventType::FactoredUpdated
        | EventType::AdvanceCreated
        | EventType::AdvanceIssued
        | EventType::AdvancePaid => true,
        EventType::BusinessAdded
        | EventType::BusinessOptedIn
        | EventType::RemittanceUpdated
        | EventType::InvoiceCreated
        | EventType::InvoicePaid => false,
    }
}

impl<'a> EventLog<'a> {
    fn new(announced: &'a [Announcement], names: &'a Names) -> EventLog<'a> {
        EventLog { announced, names, mentioned: OnceCell::new() }
    }

    /// Whether an event that reports a fact came to a path.
    fn has(&self, fact: &Fact, path: &str) -> bool {
        self.reporting(fact).any(|one| one.path == path)
    }

    /// The sequence of the events that came to a path and show the state of a fact, if all have the same.
    fn only_sequence(&self, fact: &Fact, path: &str) -> Option<Sequence> {
        fact.state?;
        let shows = |one: &&Announcement| one.path == path && one.only_state() == fact.state;
        let mut all = self.reporting(fact).filter(shows).map(|one| one.sequence);
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    /// The events that report a fact.
    fn reporting(&self, fact: &Fact) -> impl Iterator<Item = &'a Announcement> {
        let mentioned = self.mentioned.get_or_init(|| self.names.mentioned_in(self.announced));
        let shows = |one: &Announcement| {
            fact.state.is_none_or(|state| {
                let states: Vec<AdvanceState> = one.states().collect();
                states.is_empty() || states.contains(&state)
            })
        };
        let reports = move |(one, mentioned): &(&Announcement, &Mentioned<'_>)| {
            one.kind == fact.event.name()
                && shows(one)
                && self.names.fit(&fact.owner, &fact.names, mentioned)
        };
        self.announced.iter().zip(mentioned).filter(reports).map(|(one, _)| one)
    }
}

impl Fact {
    fn in_words(&self) -> String {
        let state = self.state.map(|state| format!(" {}", state.name())).unwrap_or_default();
        let subject = match self.names.as_slice() {
            [payee, invoice] => format!("invoice {invoice} of {payee}"),
            names => names.join(", "),
        };
        format!("{}{state} of {subject}", self.event.name())
    }
}

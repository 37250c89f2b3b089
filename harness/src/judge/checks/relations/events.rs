//! An event reports every state that a read shows, to every endpoint that subscribes to all events. Later
//! reads agree with events (§6 Events). Which operation causes which event is not shown, but the meaning of
//! an event is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_model::wire::field::{self, Fields};
use tideover_model::{ActionKind, Clause, OperationKind, clause};

use crate::endpoint::inbox;
use crate::exchange::matcher::texts;
use crate::exchange::{Arrival, Exchange, Prepared, kind_of_event, whole_number};
use crate::judge::checks::relations::ledger::{
    BusinessName, CallerKey, InvoiceName, SyncedInvoices, acted_on, business, caller, invoice,
};
use crate::judge::checks::{Check, Notes, starts_anew};
use crate::judge::comparison::meets_first_three;

/// How long after its state an event has certainly arrived, by the target's clock. Seconds.
const LONG: u64 = 3600;

/// Deliveries may still be in flight after the clock was moved. This many further responses come first.
const SETTLED: u32 = 3;

const STATES: [&str; 4] = ["REQUESTED", "FUNDING", "FUNDED", "REPAID"];

const FACTORED: &str = "partner.invoice.factoredUpdated";
const OPTED_IN: &str = "partner.organization.optedIn";
const PAID: &str = "partner.invoice.paid";
const REMITTANCE: &str = "partner.organization.remittanceUpdated";

/// An endpoint of the inbox that accepts every event.
#[derive(Debug)]
struct InboxEndpoint {
    path: String,
    owner: CallerKey,
    reference: Option<String>,
    /// The step of its subscription.
    since: u64,
}

/// What an event must contain: its kind, some names, and the state for a change of state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    owner: CallerKey,
    kind: &'static str,
    names: Vec<String>,
    state: Option<&'static str>,
}

/// When a read showed a fact.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    /// By the target's clock. Unix seconds.
    at: u64,
    /// The step that first named its subject.
    first_named: u64,
    is_judged: bool,
}

/// An event that arrived at an endpoint, once for each delivery.
#[derive(Debug)]
struct Announcement {
    path: String,
    kind: &'static str,
    texts: BTreeSet<String>,
    sequence: Option<u64>,
}

#[derive(Default)]
pub(super) struct Events {
    steps: u64,
    endpoints: Vec<InboxEndpoint>,
    /// The deliveries so far, by path and identifier.
    deliveries: BTreeSet<(String, String)>,
    announced: Vec<Announcement>,
    facts: BTreeMap<Fact, Sighting>,
    synced: SyncedInvoices,
    /// The step that first named each business.
    first_named: BTreeMap<BusinessName, u64>,
    invoices_first_named: BTreeMap<InvoiceName, u64>,
    /// Businesses that may be linked to others, so that unknown callers may act on them.
    is_shared: BTreeSet<BusinessName>,
    /// The payout account of each business, and how often its destination can have changed.
    payouts: BTreeMap<BusinessName, (String, usize)>,
    since_moved: u32,
    is_unsure: bool,
    /// Whether requests got no response. They may have been carried out.
    has_missed: bool,
    /// When the last delivery arrived, by the target's clock. Unix seconds.
    last_arrival: u64,
}

impl Check for Events {
    fn miss(&mut self, _sent: &Prepared) {
        self.is_unsure = true;
        self.has_missed = true;
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if starts_anew(exchange) {
            *self = Events::default();
        }
        self.steps += 1;
        let (Some(since), Some(now)) =
            (exchange.its_time(exchange.since), exchange.its_time(exchange.now))
        else {
            return;
        };
        self.since_moved = if now > since + 1 { 0 } else { self.since_moved + 1 };
        self.learn_names(exchange);
        self.learn_payouts(exchange);
        for arrival in exchange.arrivals {
            self.learn_event(exchange, arrival, notes);
            self.last_arrival = now;
        }
        self.check_read(exchange, notes);
        self.learn_facts(exchange, now);
        if self.since_moved >= SETTLED && !self.is_unsure {
            self.check_facts(exchange, now, notes);
        }
        // Arrivals of a step may predate its subscription.
        self.learn_endpoints(exchange);
    }
}

impl Events {
    fn learn_endpoints(&mut self, exchange: &Exchange<'_>) {
        if exchange.kind() == Some(OperationKind::Unsubscribe) && exchange.seen.is_success() {
            let reference = exchange.call().and_then(|call| call.path.rsplit('/').next());
            self.endpoints.retain(|one| one.reference.as_deref() != reference);
        }
        let Some(answer) = exchange.success_of(OperationKind::Subscribe) else { return };
        let wants_all =
            exchange.sent_json().is_some_and(|sent| sent.get(field::EVENT_TYPES).is_none());
        let url = exchange.sent_field(field::URL).unwrap_or_default();
        let Some(path) = inbox::accepting(&url).filter(|_| wants_all) else { return };
        self.endpoints.push(InboxEndpoint {
            path: path.to_owned(),
            owner: caller(exchange),
            reference: Fields::of(answer).reference().map(str::to_owned),
            since: self.steps,
        });
    }

    fn learn_names(&mut self, exchange: &Exchange<'_>) {
        self.synced.learn(exchange);
        let (steps, owner) = (self.steps, caller(exchange));
        let operation = exchange.call().and_then(|call| call.operation());
        if let Some(name) = business(exchange) {
            let is_new = !self.first_named.contains_key(&name);
            self.first_named.entry(name.clone()).or_insert(steps);
            let answer = exchange.success_of(OperationKind::SyncBusiness);
            if answer.is_some_and(|answer| is_new && Fields::of(answer).created() != Some(true)) {
                self.is_shared.insert(name);
            }
        }
        if operation.is_some_and(|it| it.syncs().iter().any(|sync| has_tax_id(sync))) {
            self.is_unsure = true;
        }
        for sync in operation.into_iter().flat_map(|operation| operation.syncs()) {
            let payee = (owner.clone(), sync.payee.business.clone());
            self.invoices_first_named.entry((payee, sync.invoice.clone())).or_insert(steps);
            for party in [&sync.payee, &sync.payor] {
                self.first_named.entry((owner.clone(), party.business.clone())).or_insert(steps);
            }
        }
    }

    /// Counts how often a business's destination of funds can have changed: once for each new payout account.
    fn learn_payouts(&mut self, exchange: &Exchange<'_>) {
        if matches!(
            exchange.acts(),
            Some(ActionKind::VendorAddsBankAccount | ActionKind::VendorCompletesOnboarding)
        ) && let Some(name) = acted_on(exchange, field::PAYEE_EXTERNAL_ID)
        {
            self.payouts.entry(name).or_default().1 += 1;
        }
        if exchange.success_of(OperationKind::SetPayoutAccount).is_none() {
            return;
        }
        let details =
            [field::ACCOUNT_NUMBER, "routingNumber"].map(|name| exchange.sent_field(name));
        let (Some(name), [Some(account), Some(routing)]) = (business(exchange), details) else {
            return;
        };
        let (known, changes) = self.payouts.entry(name).or_default();
        let details = format!("{account} {routing}");
        if *known != details {
            (*known, *changes) = (details, *changes + 1);
        }
    }

    /// Records and checks a delivery on its first arrival.
    fn learn_event(&mut self, exchange: &Exchange<'_>, arrival: &Arrival, notes: &mut Notes) {
        let Some(event) = arrival.body.json() else { return };
        let Some(kind) = kind_of_event(event) else { return };
        let delivery = (arrival.path.clone(), arrival.delivery.clone().unwrap_or_default());
        if !self.deliveries.insert(delivery) {
            return;
        }
        let announced = Announcement {
            path: arrival.path.clone(),
            kind,
            texts: texts(event).into_iter().map(str::to_owned).collect(),
            sequence: number(event, field::SEQUENCE),
        };
        self.check_owner(exchange, &announced, notes);
        self.check_sequence(exchange, &announced, notes);
        self.announced.push(announced);
        let announced =
            self.announced.last().map(|announced| (announced.kind, announced.path.clone()));
        if let Some((kind, path)) = announced {
            self.check_count(exchange, kind, &path, notes);
        }
    }

    /// Events about another platform's invoices go to no one else.
    fn check_owner(&self, exchange: &Exchange<'_>, announced: &Announcement, notes: &mut Notes) {
        let Some(owner) = self.owner_of(&announced.path) else { return };
        if announced.kind.starts_with("partner.organization") || self.has_missed {
            return;
        }
        let own = self.synced.invoices_of(owner);
        let is_own = announced.texts.iter().any(|text| own.contains(text.as_str()));
        let foreign = announced.texts.iter().find(|text| self.synced.is_known(text));
        let clause = clause!("5.authentication.4.2");
        let holds = is_own || foreign.is_none();
        notes.expect(exchange, clause, holds, "webhook", || {
            let foreign = foreign.map_or("", String::as_str);
            (
                "an event of the subscriber's own invoices",
                format!("{} of {foreign}", announced.kind),
            )
        });
    }

    /// No two states of an invoice share a sequence, because a receiver ignores the second.
    fn check_sequence(&self, exchange: &Exchange<'_>, announced: &Announcement, notes: &mut Notes) {
        let (Some(sequence), Some(state)) = (announced.sequence, state_in(&announced.texts)) else {
            return;
        };
        if announced.kind != FACTORED {
            return;
        }
        let Some(name) = self.invoice_in(announced) else { return };
        let same = self.announced.iter().find(|before| {
            before.kind == FACTORED
                && before.path == announced.path
                && before.sequence == Some(sequence)
                && self.invoice_in(before).as_ref() == Some(&name)
                && state_in(&before.texts).is_some_and(|before| before != state)
        });
        notes.expect(exchange, clause!("6.delivery.5"), same.is_none(), "sequence", || {
            let before = same.and_then(|before| state_in(&before.texts)).unwrap_or_default();
            (format!("another sequence than that of {before}"), format!("{sequence} of {state}"))
        });
    }

    /// An advance is created once. A destination changes with each new account, and when the account opens.
    fn check_count(&self, exchange: &Exchange<'_>, kind: &str, path: &str, notes: &mut Notes) {
        let Some(owner) = self.owner_of(path) else { return };
        let same = |about: &dyn Fn(&Announcement) -> bool| {
            let announced = self
                .announced
                .iter()
                .filter(|announced| announced.kind == kind && announced.path == path);
            announced.filter(|announced| about(announced)).count()
        };
        let Some(last) = self.announced.last() else { return };
        match kind {
            "partner.loan.created" => {
                let Some(name) = self.invoice_in(last) else { return };
                let times = same(&|announced| self.invoice_in(announced).as_ref() == Some(&name));
                notes.expect(exchange, clause!("4.advances.2"), times <= 1, "webhook", || {
                    ("one event for the creation of the advance", format!("{times} of them"))
                });
            }
            REMITTANCE => {
                let about = |name: &&BusinessName| name.0 == *owner && last.texts.contains(&name.1);
                let Some(name) = self.payouts.keys().find(about) else { return };
                // A request without a response, or another platform, may have set another account.
                if self.has_missed || !self.is_shared.is_empty() {
                    return;
                }
                let most = self.payouts[name].1 + 1;
                let times = same(&|announced| announced.texts.contains(&name.1));
                notes.expect(
                    exchange,
                    clause!("4.payoutAccount.1.2"),
                    times <= most,
                    "webhook",
                    || {
                        (
                            format!("at most {most}, one for each other account"),
                            format!("{times} events"),
                        )
                    },
                );
            }
            _ => {}
        }
    }

    /// A later read agrees with an event.
    fn check_read(&self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.seen.success_body() else { return };
        let owner = caller(exchange);
        let was_announced = |kind: &str, names: &[&String]| {
            self.announced.iter().any(|announced| {
                announced.kind == kind
                    && self.owner_of(&announced.path) == Some(&owner)
                    && names.iter().all(|name| announced.texts.contains(*name))
            })
        };
        let mut expect = |clause: Clause, holds: bool, field: &str, seen: &Value| {
            notes.expect(exchange, clause, holds, field, || {
                ("as the event reported", format!("{seen} after it"))
            });
        };
        match exchange.kind() {
            Some(OperationKind::GetBusiness) => {
                let Some((_, name)) = business(exchange) else { return };
                let met = &answer[field::ONBOARDING];
                let all = is_onboarded(met);
                if was_announced(OPTED_IN, &[&name]) && !self.is_unsure {
                    expect(clause!("6.events.organization.optedIn"), all, field::ONBOARDING, met);
                }
            }
            Some(OperationKind::GetInvoice) => {
                let Some(((_, payee), name)) = invoice(exchange) else { return };
                let (collected, face) = (&answer[field::COLLECTED], &answer[field::FACE_VALUE]);
                // A caller can report the payment itself.
                let is_reported = Fields::of(answer).status() == Some("PAID");
                if was_announced(PAID, &[&payee, &name])
                    && Fields::of(answer).advance().is_some()
                    && !is_reported
                {
                    let is_paid = collected.as_i64() >= face.as_i64();
                    expect(clause!("6.events.invoice.paid"), is_paid, field::COLLECTED, collected);
                }
            }
            _ => {}
        }
    }

    fn learn_facts(&mut self, exchange: &Exchange<'_>, at: u64) {
        let Some(answer) = exchange.seen.success_body() else { return };
        let owner = caller(exchange);
        let mut facts: Vec<(&'static str, Option<&'static str>)> = Vec::new();
        let (names, first_named) = match exchange.kind() {
            Some(OperationKind::GetBusiness) => {
                let Some(name) = business(exchange) else { return };
                let met = &answer[field::ONBOARDING];
                if is_onboarded(met) {
                    facts.push((OPTED_IN, None));
                }
                // The first destination is not a change.
                if self.payouts.get(&name).is_some_and(|(_, accounts)| *accounts > 1) {
                    facts.push((REMITTANCE, None));
                }
                let first_named =
                    self.first_named.get(&name).filter(|_| !self.is_shared.contains(&name));
                (vec![name.1.clone()], first_named)
            }
            Some(OperationKind::GetInvoice) => {
                let Some(name) = invoice(exchange) else { return };
                facts.extend(invoice_facts(answer));
                // The payor paid nothing when the platform lowered the face value (`gap.eventCauses`).
                if self.synced.was_lowered(&name) {
                    facts.retain(|(kind, _)| *kind != PAID);
                }
                (vec![name.0.1.clone(), name.1.clone()], self.invoices_first_named.get(&name))
            }
            Some(OperationKind::SyncBusiness) if Fields::of(answer).created() == Some(true) => {
                let Some(name) = business(exchange) else { return };
                facts.push(("partner.organization.added", None));
                (vec![name.1.clone()], self.first_named.get(&name))
            }
            _ => return,
        };
        let Some(first_named) = first_named.copied() else { return };
        for (kind, state) in facts {
            let fact = Fact { owner: owner.clone(), kind, names: names.clone(), state };
            let sighting = Sighting { at, first_named, is_judged: false };
            self.facts.entry(fact).or_insert(sighting);
        }
    }

    /// Every endpoint that subscribed before a fact receives its event within the time.
    fn check_facts(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        for (fact, sighting) in &mut self.facts {
            // If nothing newer arrived, all late deliveries may still be in flight.
            if sighting.is_judged || now < sighting.at + LONG || self.last_arrival <= sighting.at {
                continue;
            }
            sighting.is_judged = true;
            let subscribed =
                |one: &&InboxEndpoint| one.owner == fact.owner && one.since < sighting.first_named;
            let has_event = |one: &InboxEndpoint| {
                self.announced
                    .iter()
                    .any(|announced| announced.path == one.path && fact.is_announced_by(announced))
            };
            let endpoints: Vec<&InboxEndpoint> = self.endpoints.iter().filter(subscribed).collect();
            let missing = endpoints.iter().find(|one| !has_event(one));
            let elsewhere = endpoints.iter().any(|one| has_event(one));
            let clause = if elsewhere { clause!("6.events.intro.1") } else { fact.clause() };
            if endpoints.is_empty() {
                continue;
            }
            notes.expect(exchange, clause, missing.is_none(), "webhook", || {
                let path = missing.map_or("", |one| one.path.as_str());
                (format!("{} on {path}", fact.in_words()), "none, an hour later".to_owned())
            });
        }
    }

    fn owner_of(&self, path: &str) -> Option<&CallerKey> {
        self.endpoints.iter().find(|one| one.path == path).map(|one| &one.owner)
    }

    /// The invoice that an event names, if it was synced.
    fn invoice_in(&self, announced: &Announcement) -> Option<InvoiceName> {
        let named = |((_, payee), invoice): &&InvoiceName| {
            announced.texts.contains(payee) && announced.texts.contains(invoice)
        };
        self.invoices_first_named.keys().find(named).cloned()
    }
}

impl Fact {
    fn is_announced_by(&self, announced: &Announcement) -> bool {
        announced.kind == self.kind
            && self.names.iter().all(|name| announced.texts.contains(name))
            && self.state.is_none_or(|state| announced.texts.contains(state))
    }

    fn clause(&self) -> Clause {
        match self.kind {
            "partner.organization.added" => clause!("6.events.organization.added"),
            OPTED_IN => clause!("6.events.organization.optedIn"),
            REMITTANCE => clause!("6.events.organization.remittanceUpdated"),
            "partner.invoice.created" => clause!("6.events.invoice.created"),
            PAID => clause!("6.events.invoice.paid"),
            "partner.loan.created" => clause!("6.events.loan.created"),
            "partner.loan.issued" => clause!("6.events.loan.issued"),
            "partner.loan.paid" => clause!("6.events.loan.paid"),
            _ => clause!("6.events.invoice.factoredUpdated"),
        }
    }

    fn in_words(&self) -> String {
        let state = self.state.map(|state| format!(" {state}")).unwrap_or_default();
        format!("{}{state} of {}", self.kind, self.names.join(", "))
    }
}

/// Whether all four requirements are met. Ignores other fields.
fn is_onboarded(met: &Value) -> bool {
    meets_first_three(met) && Fields::of(met).collection_account() == Some(true)
}

/// The events that must have happened, given a read of an invoice.
fn invoice_facts(answer: &Value) -> Vec<(&'static str, Option<&'static str>)> {
    let mut facts = vec![("partner.invoice.created", None)];
    if answer[field::COLLECTED]
        .as_i64()
        .is_some_and(|collected| Some(collected) == Fields::of(answer).face_value())
    {
        facts.push((PAID, None));
    }
    let announced = texts(&answer[field::ADVANCE]);
    let Some(state) = STATES.into_iter().find(|state| announced.contains(state)) else {
        return facts;
    };
    facts.push(("partner.loan.created", None));
    facts.push((FACTORED, Some(state)));
    if matches!(state, "FUNDED" | "REPAID") {
        facts.push(("partner.loan.issued", None));
    }
    if state == "REPAID" {
        facts.push(("partner.loan.paid", None));
    }
    facts
}

fn state_in(texts: &BTreeSet<String>) -> Option<&'static str> {
    STATES.into_iter().find(|state| texts.contains(*state))
}

fn has_tax_id(sync: &tideover_model::InvoiceSync) -> bool {
    [&sync.payee, &sync.payor].iter().any(|party| party.details.tax_id.is_some())
}

/// A number at any depth of an event.
fn number(event: &Value, name: &str) -> Option<u64> {
    match event {
        Value::Object(fields) => fields
            .get(name)
            .and_then(whole_number)
            .or_else(|| fields.values().find_map(|inside| number(inside, name))),
        Value::Array(items) => items.iter().find_map(|item| number(item, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

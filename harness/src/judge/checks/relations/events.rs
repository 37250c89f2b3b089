//! What is read of a state is told by its event to every endpoint that subscribes to all, and what an event tells is so
//! when it is read (§6 Events). Which operation causes which event is not shown; what an event means is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_model::{ActionKind, Clause, OperationKind, clause};

use crate::endpoint::inbox;
use crate::exchange::matcher::texts;
use crate::exchange::{Arrival, Exchange, Prepared, kind_of_event, whole_number};
use crate::judge::checks::relations::ledger::{
    BusinessName, Caller, InvoiceName, Synced, acted_on, business, caller, invoice,
};
use crate::judge::checks::{Check, Notes, starts_anew};

/// An event has come once its state is so long ago, by the target's clock. Seconds.
const LONG: u64 = 3600;

/// Deliveries may be under way still when the clock has been moved: so many further answers come first.
const SETTLED: u32 = 3;

const STATES: [&str; 4] = ["REQUESTED", "FUNDING", "FUNDED", "REPAID"];

const FACTORED: &str = "partner.invoice.factoredUpdated";
const OPTED_IN: &str = "partner.organization.optedIn";
const PAID: &str = "partner.invoice.paid";
const REMITTANCE: &str = "partner.organization.remittanceUpdated";

/// An endpoint of the inbox that accepts every event.
#[derive(Debug)]
struct Endpoint {
    path: String,
    owner: Caller,
    reference: Option<String>,
    /// With which step it was subscribed.
    since: u64,
}

/// What an event must tell: its kind, which texts stand in it, and the state, for a change of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    owner: Caller,
    kind: &'static str,
    names: Vec<String>,
    state: Option<&'static str>,
}

/// When a fact was seen.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    /// By the target's clock. Unix seconds.
    at: u64,
    /// What it is about is known since this step.
    born: u64,
    is_judged: bool,
}

/// What came to an endpoint: once for each delivery.
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
    endpoints: Vec<Endpoint>,
    /// Endpoints that are subscribed no longer: what came to them is told of nobody else.
    deliveries: BTreeSet<(String, String)>,
    announced: Vec<Announcement>,
    facts: BTreeMap<Fact, Sighting>,
    synced: Synced,
    /// With which step each business was first named.
    born: BTreeMap<BusinessName, u64>,
    born_invoices: BTreeMap<InvoiceName, u64>,
    /// Businesses that others may be one with, so that more than the caller knows happens to them.
    is_shared: BTreeSet<BusinessName>,
    /// The payout account that each has, and how often its destination can have changed.
    payouts: BTreeMap<BusinessName, (String, usize)>,
    since_moved: u32,
    is_unsure: bool,
    /// Whether requests were left without an answer: what they asked for may have been done.
    has_missed: bool,
    /// When something came last, by the target's own clock. Unix seconds.
    heard: u64,
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
            self.hear(exchange, arrival, notes);
            self.heard = now;
        }
        self.contradict(exchange, notes);
        self.learn_facts(exchange, now);
        if self.since_moved >= SETTLED && !self.is_unsure {
            self.hold_to_facts(exchange, now, notes);
        }
        // What comes with a step may be of before it.
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
        let wants_all = exchange.sent_json().is_some_and(|sent| sent.get("eventTypes").is_none());
        let url = exchange.sent_field("url").unwrap_or_default();
        let Some(path) = inbox::accepting(&url).filter(|_| wants_all) else { return };
        self.endpoints.push(Endpoint {
            path: path.to_owned(),
            owner: caller(exchange),
            reference: answer["reference"].as_str().map(str::to_owned),
            since: self.steps,
        });
    }

    fn learn_names(&mut self, exchange: &Exchange<'_>) {
        self.synced.learn(exchange);
        let (steps, owner) = (self.steps, caller(exchange));
        let operation = exchange.call().and_then(|call| call.operation());
        if let Some(name) = business(exchange) {
            let is_new = !self.born.contains_key(&name);
            self.born.entry(name.clone()).or_insert(steps);
            let answer = exchange.success_of(OperationKind::SyncBusiness);
            if answer.is_some_and(|answer| is_new && answer["created"] != true) {
                self.is_shared.insert(name);
            }
        }
        if operation.is_some_and(|it| it.syncs().iter().any(|sync| has_tax_id(sync))) {
            self.is_unsure = true;
        }
        for sync in operation.into_iter().flat_map(|operation| operation.syncs()) {
            let payee = (owner.clone(), sync.payee.business.clone());
            self.born_invoices.entry((payee, sync.invoice.clone())).or_insert(steps);
            for party in [&sync.payee, &sync.payor] {
                self.born.entry((owner.clone(), party.business.clone())).or_insert(steps);
            }
        }
    }

    /// How often the destination of a business's funds can have changed: with each other payout account.
    fn learn_payouts(&mut self, exchange: &Exchange<'_>) {
        if exchange.acts() == Some(ActionKind::VendorAddsBankAccount)
            && let Some(name) = acted_on(exchange, "payeeExternalId")
        {
            self.payouts.entry(name).or_default().1 += 1;
        }
        if exchange.success_of(OperationKind::SetPayoutAccount).is_none() {
            return;
        }
        let details = ["accountNumber", "routingNumber"].map(|name| exchange.sent_field(name));
        let (Some(name), [Some(account), Some(routing)]) = (business(exchange), details) else {
            return;
        };
        let (known, changes) = self.payouts.entry(name).or_default();
        let details = format!("{account} {routing}");
        if *known != details {
            (*known, *changes) = (details, *changes + 1);
        }
    }

    /// A delivery that comes for the first time.
    fn hear(&mut self, exchange: &Exchange<'_>, arrival: &Arrival, notes: &mut Notes) {
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
            sequence: number(event, "sequence"),
        };
        self.hold_to_owner(exchange, &announced, notes);
        self.hold_to_sequence(exchange, &announced, notes);
        self.announced.push(announced);
        let announced =
            self.announced.last().map(|announced| (announced.kind, announced.path.clone()));
        if let Some((kind, path)) = announced {
            self.hold_to_count(exchange, kind, &path, notes);
        }
    }

    /// What another platform has synced is told to nobody else.
    fn hold_to_owner(&self, exchange: &Exchange<'_>, announced: &Announcement, notes: &mut Notes) {
        let Some(owner) = self.owner_of(&announced.path) else { return };
        if announced.kind.starts_with("partner.organization") || self.has_missed {
            return;
        }
        let own = self.synced.invoices_of(owner);
        let is_own = announced.texts.iter().any(|text| own.contains(text.as_str()));
        let strange = announced.texts.iter().find(|text| self.synced.is_known(text));
        let clause = clause!("5.authentication.4.2");
        let holds = is_own || strange.is_none();
        notes.expect(exchange, clause, holds, "webhook", || {
            let strange = strange.map_or("", String::as_str);
            (
                "an event of the subscriber's own invoices",
                format!("{} of {strange}", announced.kind),
            )
        });
    }

    /// No two states of an invoice have one sequence: a receiver ignores the second.
    fn hold_to_sequence(
        &self,
        exchange: &Exchange<'_>,
        announced: &Announcement,
        notes: &mut Notes,
    ) {
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
            (format!("another than that of {before}"), format!("{sequence} of {state}"))
        });
    }

    /// An advance is created once, and a destination changes with each other account and as the account opens.
    fn hold_to_count(&self, exchange: &Exchange<'_>, kind: &str, path: &str, notes: &mut Notes) {
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
                    ("one event that the advance is created", format!("{times} of them"))
                });
            }
            REMITTANCE => {
                let about = |name: &&BusinessName| name.0 == *owner && last.texts.contains(&name.1);
                let Some(name) = self.payouts.keys().find(about) else { return };
                // A request without an answer may have set another account.
                if self.has_missed || self.is_shared.contains(name) || self.has_aliases(name) {
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

    /// Whether another identifier may be the same business.
    fn has_aliases(&self, _name: &BusinessName) -> bool {
        !self.is_shared.is_empty()
    }

    /// What an event has told is so when it is read after.
    fn contradict(&self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.seen.success_body() else { return };
        let owner = caller(exchange);
        let heard = |kind: &str, names: &[&String]| {
            self.announced.iter().any(|announced| {
                announced.kind == kind
                    && self.owner_of(&announced.path) == Some(&owner)
                    && names.iter().all(|name| announced.texts.contains(*name))
            })
        };
        let mut expect = |clause: Clause, holds: bool, field: &str, seen: &Value| {
            notes.expect(exchange, clause, holds, field, || {
                ("as the event has announced", format!("{seen} after it"))
            });
        };
        match exchange.kind() {
            Some(OperationKind::GetBusiness) => {
                let Some((_, name)) = business(exchange) else { return };
                let met = &answer["onboarding"];
                let all = is_onboarded(met);
                if heard(OPTED_IN, &[&name]) && !self.is_unsure {
                    expect(clause!("6.events.organization.optedIn"), all, "onboarding", met);
                }
            }
            Some(OperationKind::GetInvoice) => {
                let Some(((_, payee), name)) = invoice(exchange) else { return };
                let (collected, face) = (&answer["collected"], &answer["faceValue"]);
                // A caller can say itself that it is paid.
                let is_said = answer["status"] == "PAID";
                if heard(PAID, &[&payee, &name]) && answer["advance"].is_object() && !is_said {
                    let is_paid = collected.as_i64() >= face.as_i64();
                    expect(clause!("6.events.invoice.paid"), is_paid, "collected", collected);
                }
            }
            _ => {}
        }
    }

    fn learn_facts(&mut self, exchange: &Exchange<'_>, at: u64) {
        let Some(answer) = exchange.seen.success_body() else { return };
        let owner = caller(exchange);
        let mut facts: Vec<(&'static str, Option<&'static str>)> = Vec::new();
        let (names, born) = match exchange.kind() {
            Some(OperationKind::GetBusiness) => {
                let Some(name) = business(exchange) else { return };
                let met = &answer["onboarding"];
                if is_onboarded(met) {
                    facts.push((OPTED_IN, None));
                }
                // What was never another destination has not changed.
                if self.payouts.get(&name).is_some_and(|(_, accounts)| *accounts > 1) {
                    facts.push((REMITTANCE, None));
                }
                let born = self.born.get(&name).filter(|_| !self.is_shared.contains(&name));
                (vec![name.1.clone()], born)
            }
            Some(OperationKind::GetInvoice) => {
                let Some(name) = invoice(exchange) else { return };
                facts.extend(invoice_facts(answer));
                (vec![name.0.1.clone(), name.1.clone()], self.born_invoices.get(&name))
            }
            Some(OperationKind::SyncBusiness) if answer["created"] == true => {
                let Some(name) = business(exchange) else { return };
                facts.push(("partner.organization.added", None));
                (vec![name.1.clone()], self.born.get(&name))
            }
            _ => return,
        };
        let Some(born) = born.copied() else { return };
        for (kind, state) in facts {
            let fact = Fact { owner: owner.clone(), kind, names: names.clone(), state };
            let sighting = Sighting { at, born, is_judged: false };
            self.facts.entry(fact).or_insert(sighting);
        }
    }

    /// What was seen long ago was told to everybody who subscribed before.
    fn hold_to_facts(&mut self, exchange: &Exchange<'_>, now: u64, notes: &mut Notes) {
        for (fact, sighting) in &mut self.facts {
            // Where nothing newer has come, all that is late may still be on its way.
            if sighting.is_judged || now < sighting.at + LONG || self.heard <= sighting.at {
                continue;
            }
            sighting.is_judged = true;
            let subscribed = |one: &&Endpoint| one.owner == fact.owner && one.since < sighting.born;
            let is_told = |one: &Endpoint| {
                self.announced
                    .iter()
                    .any(|announced| announced.path == one.path && fact.is_announced_by(announced))
            };
            let endpoints: Vec<&Endpoint> = self.endpoints.iter().filter(subscribed).collect();
            let missing = endpoints.iter().find(|one| !is_told(one));
            let elsewhere = endpoints.iter().any(|one| is_told(one));
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

    fn owner_of(&self, path: &str) -> Option<&Caller> {
        self.endpoints.iter().find(|one| one.path == path).map(|one| &one.owner)
    }

    /// The invoice that an event names, if it names one that was synced.
    fn invoice_in(&self, announced: &Announcement) -> Option<InvoiceName> {
        let named = |((_, payee), invoice): &&InvoiceName| {
            announced.texts.contains(payee) && announced.texts.contains(invoice)
        };
        self.born_invoices.keys().find(named).cloned()
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

/// Whether all four requirements are met, whatever else is told of them.
fn is_onboarded(met: &Value) -> bool {
    ["compliance", "contract", "bank", "collectionAccount"].iter().all(|name| met[name] == true)
}

/// What a read of an invoice shows to have happened.
fn invoice_facts(answer: &Value) -> Vec<(&'static str, Option<&'static str>)> {
    let mut facts = vec![("partner.invoice.created", None)];
    if answer["collected"]
        .as_i64()
        .is_some_and(|collected| Some(collected) == answer["faceValue"].as_i64())
    {
        facts.push((PAID, None));
    }
    let announced = texts(&answer["advance"]);
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

/// A number of an event, wherever in it that stands.
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

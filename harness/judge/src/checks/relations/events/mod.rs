//! An event reports every state that a read shows, to every endpoint that subscribes to all events. Later
//! reads agree with events (§6 Events). Which operation causes which event is not shown, but the meaning of
//! an event is.

mod due;
mod names;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tideover_exchange::matcher::{fields, texts};
use tideover_exchange::{Arrival, Exchange, Prepared, Sequence};
use tideover_model::wire::field::{self, Fields};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{ActionKind, Clause, Code, OperationKind, clause};

use crate::checks::meanings::{Proof, meaning_of};
use crate::checks::relations::behind::Behind;
use crate::checks::relations::ledger::{
    BusinessName, InvoiceName, SyncedInvoices, acted_on, business, caller, invoice,
};
use crate::checks::{Check, Notes, is_reset};
use crate::comparison::is_onboarded;

use due::DueEvents;
use names::Names;

const FACTORED: &str = EventType::FactoredUpdated.name();
const OPTED_IN: &str = EventType::BusinessOptedIn.name();
const PAID: &str = EventType::InvoicePaid.name();
const CREATED: &str = EventType::InvoiceCreated.name();
const REMITTANCE: &str = EventType::RemittanceUpdated.name();
const LOAN_CREATED: &str = EventType::AdvanceCreated.name();
const LOAN_ISSUED: &str = EventType::AdvanceIssued.name();
const LOAN_PAID: &str = EventType::AdvancePaid.name();

/// An event that arrived at an endpoint, once for each delivery.
#[derive(Debug)]
struct Announcement {
    path: String,
    kind: &'static str,
    texts: BTreeSet<String>,
    sequence: Option<Sequence>,
}

#[derive(Default)]
pub(in crate::checks) struct Events {
    steps: u64,
    /// The deliveries so far, by path and identifier.
    deliveries: BTreeSet<(String, String)>,
    announced: Vec<Announcement>,
    due: DueEvents,
    names: Names,
    synced: SyncedInvoices,
    /// The payout account of each business, and how often its destination can have changed.
    payouts: BTreeMap<BusinessName, (String, usize)>,
    /// The businesses whose payout account was replaced, and those whose collection account is open.
    replaced: BTreeSet<BusinessName>,
    opened: BTreeSet<BusinessName>,
    /// The reads of businesses, and of their invoices, that were behind an event.
    behind: Behind<(BusinessName, Option<String>, EventType)>,
    /// The invoices that a read did not find, until a request may make them.
    absent: BTreeSet<InvoiceName>,
    /// Whether requests got no response. They may have been carried out.
    has_missed: bool,
    /// Whether no one else moves the outside world.
    is_ours: bool,
}

impl Check for Events {
    fn miss(&mut self, sent: &Prepared) {
        self.has_missed = true;
        self.forget_absent(sent);
        self.names.miss(sent, self.steps);
        self.synced.miss(sent);
        self.due.miss(sent);
    }

    fn is_waiting(&self) -> bool {
        self.due.lacks_any(&self.announced, &self.names)
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            *self = Events::of(self.is_ours);
        }
        self.steps += 1;
        self.due.learn_time(exchange);
        self.synced.learn(exchange);
        self.names.learn(exchange, self.steps);
        if self.learn_payouts(exchange) {
            self.replaced.extend(business(exchange));
        }
        let moves_funds = self.learn_opening(exchange);
        self.forget_absent(exchange.sent);
        // What arrived with this response may have been sent after it.
        self.check_read(exchange, notes);
        for arrival in exchange.arrivals {
            self.learn_event(arrival, notes);
        }
        self.learn_absent(exchange);
        self.learn_facts(exchange, moves_funds);
        self.due.check(exchange, &self.announced, &self.names, notes);
        self.due.learn_endpoints(exchange, self.steps);
    }
}

impl Events {
    /// The check, where no one else moves the outside world or someone may.
    pub(in crate::checks) fn of(is_ours: bool) -> Events {
        Events { is_ours, ..Events::default() }
    }

    fn learn_facts(&mut self, exchange: &Exchange<'_>, moves_funds: bool) {
        let Some((kind, body)) = exchange.kind().zip(exchange.seen.success_body()) else { return };
        let lowered = invoice(exchange).is_some_and(|name| self.synced.was_lowered(&name));
        // Another platform, or a request without a response, may have moved them before.
        let moves_funds = moves_funds && !self.names.has_shared() && !self.has_missed;
        let proof = Proof { moves_funds, was_lowered: lowered, ..Proof::of(kind, body) };
        self.due.learn_facts(exchange, self.steps, proof, &self.names);
    }

    /// Counts how often a business's destination of funds can have changed: once for each new payout account. Whether
    /// the request replaced one account by another.
    fn learn_payouts(&mut self, exchange: &Exchange<'_>) -> bool {
        if matches!(
            exchange.acts(),
            Some(ActionKind::VendorAddsBankAccount | ActionKind::VendorCompletesOnboarding)
        ) && let Some(name) = acted_on(exchange, field::PAYEE_EXTERNAL_ID)
        {
            let (known, changes) = self.payouts.entry(name).or_default();
            // The vendor cannot change an account that the caller has set.
            *changes += usize::from(known.is_empty());
        }
        if exchange.success_of(OperationKind::SetPayoutAccount).is_none() {
            return false;
        }
        let details =
            [field::ACCOUNT_NUMBER, "routingNumber"].map(|name| exchange.sent_field(name));
        let (Some(name), [Some(account), Some(routing)]) = (business(exchange), details) else {
            return false;
        };
        let (known, changes) = self.payouts.entry(name).or_default();
        let details = format!("{account} {routing}");
        if *known == details {
            return false;
        }
        // The first destination is not a change.
        let is_change = !known.is_empty();
        (*known, *changes) = (details, *changes + 1);
        is_change
    }

    /// Learns which collection accounts are open. Whether both destinations of the business's funds have changed.
    fn learn_opening(&mut self, exchange: &Exchange<'_>) -> bool {
        let Some(name) = business(exchange) else { return false };
        if exchange.seen.success_body().is_some_and(|body| body[field::REMITTANCE].is_object()) {
            self.opened.insert(name.clone());
        }
        self.replaced.contains(&name) && self.opened.contains(&name)
    }

    /// Records and checks a delivery on its first arrival.
    fn learn_event(&mut self, arrival: &Arrival, notes: &mut Notes) {
        let kind = arrival.event_type();
        self.due.learn_arrival(&arrival.path, kind.is_some());
        let (Some(kind), Some(event)) = (kind, arrival.body.json()) else { return };
        let delivery = (arrival.path.clone(), arrival.delivery.clone().unwrap_or_default());
        if !self.deliveries.insert(delivery) {
            return;
        }
        let announced = Announcement {
            path: arrival.path.clone(),
            kind,
            texts: texts(event).into_iter().map(str::to_owned).collect(),
            sequence: sequence_of(event),
        };
        self.due.learn_event(&announced);
        self.check_owner(&announced, notes);
        self.check_existence(&announced, notes);
        self.check_sequence(&announced, notes);
        self.announced.push(announced);
        let announced =
            self.announced.last().map(|announced| (announced.kind, announced.path.clone()));
        if let Some((kind, path)) = announced {
            self.check_count(kind, &path, notes);
        }
    }

    /// Events about another platform's invoices go to no one else.
    fn check_owner(&self, announced: &Announcement, notes: &mut Notes) {
        let Some(owner) = self.due.owner_of(&announced.path) else { return };
        if announced.kind.starts_with("partner.organization") || self.has_missed {
            return;
        }
        let own = self.synced.invoices_of(owner);
        let is_own = announced.texts.iter().any(|text| own.contains(text.as_str()));
        let foreign = announced.texts.iter().find(|text| self.synced.is_known(text));
        let clause = clause!("5.authentication.4.2");
        let holds = is_own || foreign.is_none();
        notes.expect_delivery(clause, holds, "webhook", || {
            let foreign = foreign.map_or("", String::as_str);
            (
                "an event of the subscriber's own invoices",
                format!("{} of {foreign}", announced.kind),
            )
        });
    }

    /// An invoice of which an event says that it exists is found by a read.
    fn check_existence(&self, announced: &Announcement, notes: &mut Notes) {
        if announced.kind != CREATED {
            return;
        }
        let Some(owner) = self.due.owner_of(&announced.path) else { return };
        let named = |text: &String| announced.texts.contains(text);
        let is_it =
            |((caller, payee), name): &&InvoiceName| caller == owner && named(payee) && named(name);
        let Some(absent) = self.absent.iter().find(is_it) else { return };
        // A read may be behind a sync. And the name may stand for something else in an event about another invoice.
        if self.names.invoices_in(&announced.texts).next().is_some() {
            return;
        }
        notes.expect_delivery(meaning_of(EventType::InvoiceCreated), false, "webhook", || {
            let seen = format!("{CREATED} of {}, and a read does not find it", absent.1);
            ("an event of an invoice that exists", seen)
        });
    }

    /// Learns that a read does not find an invoice.
    fn learn_absent(&mut self, exchange: &Exchange<'_>) {
        let is_absent = exchange.kind() == Some(OperationKind::GetInvoice)
            && exchange.seen.code() == Some(Code::InvoiceNotFound.name());
        self.absent.extend(invoice(exchange).filter(|_| is_absent));
    }

    /// Forgets what was absent before a request that may make it.
    fn forget_absent(&mut self, sent: &Prepared) {
        let Some(call) = sent.call().filter(|_| !self.absent.is_empty()) else { return };
        match sent.kind() {
            Some(OperationKind::SyncInvoice) => self.absent.clear(),
            Some(OperationKind::ImportInvoices) => {
                let file = String::from_utf8_lossy(call.body());
                self.absent.retain(|(_, name)| !file.contains(name));
            }
            _ => {}
        }
    }

    /// No two states of an invoice share a sequence, because a receiver ignores the second.
    fn check_sequence(&self, announced: &Announcement, notes: &mut Notes) {
        let (Some(sequence), Some(state)) = (announced.sequence, announced.only_state()) else {
            return;
        };
        if announced.kind != FACTORED {
            return;
        }
        let Some(name) = self.only_invoice_in(announced) else { return };
        let same = self.announced.iter().find(|before| {
            before.kind == FACTORED
                && before.path == announced.path
                && before.sequence == Some(sequence)
                && self.is_surely_about(before, &name)
                && before.only_state().is_some_and(|before| before != state)
        });
        notes.expect_delivery(clause!("6.delivery.5"), same.is_none(), "sequence", || {
            let before = same.and_then(Announcement::only_state).map_or("", AdvanceState::name);
            (
                format!("another sequence than {sequence}, which {before} had"),
                format!("{sequence} for {}", state.name()),
            )
        });
    }

    /// An advance is created, paid out and settled once. A destination changes with each new account, and when the account
    /// opens.
    fn check_count(&self, kind: &str, path: &str, notes: &mut Notes) {
        let Some(owner) = self.due.owner_of(path) else { return };
        let same = |about: &dyn Fn(&Announcement) -> bool| {
            let announced = self
                .announced
                .iter()
                .filter(|announced| announced.kind == kind && announced.path == path);
            announced.filter(|announced| about(announced)).count()
        };
        let Some(last) = self.announced.last() else { return };
        match kind {
            LOAN_CREATED | LOAN_ISSUED | LOAN_PAID => {
                // Somebody else may take a payment back, so that it is made again.
                let Some(name) = self.only_invoice_in(last) else { return };
                let (clause, is_sure) = match kind {
                    LOAN_ISSUED => (meaning_of(EventType::AdvanceIssued), self.is_ours),
                    LOAN_PAID => (meaning_of(EventType::AdvancePaid), self.is_ours),
                    _ => (clause!("4.advances.2"), true),
                };
                let times = same(&|announced| self.is_surely_about(announced, &name));
                notes.expect_delivery(clause, times <= 1 || !is_sure, "webhook", || {
                    (format!("one {kind} for the advance"), format!("{times} of them"))
                });
            }
            REMITTANCE => {
                let about = |name: &&BusinessName| name.0 == *owner && last.texts.contains(&name.1);
                let Some(name) = self.payouts.keys().find(about) else { return };
                // A request without a response, or another platform, may have set another account.
                if self.has_missed || self.names.has_shared() {
                    return;
                }
                let most = self.payouts[name].1 + 1;
                let times = same(&|announced| announced.texts.contains(&name.1));
                notes.expect_delivery(
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
    fn check_read(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(answer) = exchange.seen.success_body() else { return };
        let owner = caller(exchange);
        let was_announced = |kind: &str, names: &[&String]| {
            self.announced.iter().any(|announced| {
                announced.kind == kind
                    && self.due.owner_of(&announced.path) == Some(&owner)
                    && names.iter().all(|name| announced.texts.contains(*name))
            })
        };
        let mut expect = |clause: Clause, holds: bool, field: &str, due: &str, seen: &Value| {
            notes.expect(exchange, clause, holds, field, || {
                (format!("{due}, since the event came before"), seen.to_string())
            });
        };
        match exchange.kind() {
            Some(OperationKind::GetBusiness) => {
                let Some(name) = business(exchange) else { return };
                let met = &answer[field::ONBOARDING];
                let all = self.is_still_onboarded(&name, met);
                let is_sure = !self.has_missed && !self.names.is_doubtful(&name);
                let event = EventType::BusinessOptedIn;
                if was_announced(OPTED_IN, &[&name.1])
                    && is_sure
                    && let Some(holds) = self.behind.agrees((name.clone(), None, event), all)
                {
                    let due = "all requirements met";
                    expect(meaning_of(event), holds, field::ONBOARDING, due, met);
                }
            }
            Some(OperationKind::GetInvoice) => {
                let Some(invoice) = invoice(exchange) else { return };
                let ((_, payee), name) = &invoice;
                let (collected, face) = (&answer[field::COLLECTED], &answer[field::FACE_VALUE]);
                let event = EventType::InvoicePaid;
                let is_paid = collected.as_i64() >= face.as_i64();
                let question = (invoice.0.clone(), Some(name.clone()), event);
                // A caller can report the payment itself, or raise what is to be paid after the event.
                let is_reported = Fields::of(answer).status() == Some("PAID")
                    || self.synced.was_reported(&invoice);
                if was_announced(PAID, &[payee, name])
                    && Fields::of(answer).advance().is_some()
                    && !is_reported
                    && !self.synced.was_raised(&invoice)
                    && let Some(holds) = self.behind.agrees(question, is_paid)
                {
                    let due = format!("at least {face}");
                    expect(meaning_of(event), holds, field::COLLECTED, &due, collected);
                }
                self.check_advance(exchange, answer, notes);
            }
            _ => {}
        }
    }

    /// An advance is as far as the events about it say.
    fn check_advance(&mut self, exchange: &Exchange<'_>, answer: &Value, notes: &mut Notes) {
        let Some(name) = invoice(exchange) else { return };
        let Some(shown) = Proof::of(OperationKind::GetInvoice, answer).state() else { return };
        let owner = caller(exchange);
        let about = self.announced.iter().filter(|announced| {
            self.due.owner_of(&announced.path) == Some(&owner)
                && self.is_surely_about(announced, &name)
        });
        // Each once, however many endpoints it came to.
        let mut said: BTreeSet<(EventType, AdvanceState)> =
            about.clone().filter_map(Announcement::least_state).collect();
        // Whether an advance goes back to an earlier state is not shown. If it does, an event with a greater sequence says so.
        let last = about.filter_map(Announcement::state_in_order).max();
        let last = last.map(|(_, state)| state).filter(|state| *state >= AdvanceState::Funded);
        said.extend(last.map(|state| (EventType::FactoredUpdated, state)));
        for (event, least) in said {
            let question = (name.0.clone(), Some(name.1.clone()), event);
            let Some(holds) = self.behind.agrees(question, shown >= least) else { continue };
            notes.expect(exchange, meaning_of(event), holds, field::ADVANCE, || {
                let due = format!("at least {}, since {} came before", least.name(), event.name());
                (due, shown.name())
            });
        }
    }

    /// Whether an event names one invoice and its payee, and no other business.
    fn is_surely_about(&self, announced: &Announcement, name: &InvoiceName) -> bool {
        let ((owner, payee), invoice) = name;
        let named = |text: &String| announced.texts.contains(text);
        named(payee)
            && named(invoice)
            && self.names.businesses_in(&announced.texts, owner).eq([payee])
            && self.names.invoices_in(&announced.texts).count() == 1
    }

    /// Whether a business that completed onboarding still meets what it met then. A tax id may be found wrong later, or
    /// another one sent.
    fn is_still_onboarded(&self, name: &BusinessName, met: &Value) -> bool {
        let may_be_wrong = !self.is_ours || self.names.may_lose_compliance(name);
        let others = [field::CONTRACT, field::BANK, field::COLLECTION_ACCOUNT];
        is_onboarded(met) || may_be_wrong && others.iter().all(|it| met[it] == true)
    }

    /// The invoice that an event is about, if it names one that was synced and no other.
    fn only_invoice_in(&self, announced: &Announcement) -> Option<InvoiceName> {
        let (payee, invoice) = self.names.invoices_in(&announced.texts).next()?;
        let name = (payee.clone(), invoice.clone());
        self.is_surely_about(announced, &name).then_some(name)
    }
}

impl Announcement {
    /// How far an advance is at least once this event was sent.
    fn least_state(&self) -> Option<(EventType, AdvanceState)> {
        let event = EventType::ALL.into_iter().find(|event| event.name() == self.kind)?;
        let least = match event {
            EventType::AdvanceIssued => AdvanceState::Funded,
            EventType::AdvancePaid => AdvanceState::Repaid,
            _ => return None,
        };
        Some((event, least))
    }

    /// The sequence and the financing state of an event that says how the state changed.
    fn state_in_order(&self) -> Option<(Sequence, AdvanceState)> {
        self.sequence.zip(self.only_state()).filter(|_| self.kind == FACTORED)
    }

    /// The financing states that it shows: the one that changed may be among them.
    fn states(&self) -> impl Iterator<Item = AdvanceState> {
        AdvanceState::ALL.into_iter().filter(|state| self.texts.contains(state.name()))
    }

    /// The financing state that it shows, if it shows no other.
    fn only_state(&self) -> Option<AdvanceState> {
        let mut states = self.states();
        states.next().filter(|_| states.next().is_none())
    }
}

/// The sequence at any depth of an event.
fn sequence_of(event: &Value) -> Option<Sequence> {
    let named = fields(event).filter(|(name, _)| *name == field::SEQUENCE);
    named.into_iter().find_map(|(_, value)| Sequence::of(value))
}

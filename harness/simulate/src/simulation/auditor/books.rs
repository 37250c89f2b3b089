//! The auditor's records of businesses, invoices and money, compared with what the service shows.

use serde::{Deserialize, Serialize};
use tideover_model::wire::reply::{
    Advance, AdvanceRequested, Invoice, Onboarding, Remittance, Reply,
};
use tideover_model::words::{AdvanceState, CollectionState};
use tideover_model::{Cents, Face, Operation, Outcome, PlatformId, Timestamp};

use crate::simulation::auditor::events::{BusinessEvents, InvoiceEvents};
use crate::simulation::auditor::{Auditor, BusinessKey, Invariant, InvoiceKey, invoice_subject};

/// Where the money is. Cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Totals {
    /// Paid by payors, without what is in suspense.
    pub paid: Cents,
    /// Paid by payors in excess of a face value.
    pub suspense: Cents,
    /// Paid to vendors as advances.
    pub advanced: Cents,
    /// Requested as advances, paid to vendors or not yet, and not recovered: it can exceed `advanced`.
    pub outstanding: Cents,
}

/// What the auditor knows of a business.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct BusinessRecord {
    /// The events since somebody listens; `None` until the next look.
    pub(super) events: Option<BusinessEvents>,
    /// The events that its changes since then ask for.
    pub(super) due: BusinessEvents,
    /// Whether the service was ever asked about it.
    is_seen: bool,
    is_complete: bool,
    remittance: Option<Remittance>,
    /// The bank account that the vendor is paid into: its number and its routing number.
    pub(super) destination: Option<(String, String)>,
    pub(super) tax_id: Option<String>,
    /// The same business, as other platforms name it.
    pub(super) shared: Vec<BusinessKey>,
}

/// What the auditor knows of an invoice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct InvoiceRecord {
    /// The events since somebody listens; `None` until the next look.
    pub(super) events: Option<InvoiceEvents>,
    /// How often it was wholly collected since then: another face value can undo that.
    collections: u32,
    is_collected: bool,
    face_value: Cents,
    paid: Cents,
    state: Option<AdvanceState>,
    offer: Option<(Cents, Cents)>,
    advanced: Cents,
    outstanding: Cents,
    account: Option<String>,
}

impl InvoiceRecord {
    /// Whether its advance is on its way to the vendor.
    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, Some(AdvanceState::Requested | AdvanceState::Funding))
    }
}

impl BusinessRecord {
    /// Compares what is shown now with what was shown before. A business that another platform onboarded is
    /// complete and open without an event at the first look.
    fn change(&mut self, is_complete: bool, remittance: Option<Remittance>) {
        let is_taken_over = !std::mem::replace(&mut self.is_seen, true) && !self.shared.is_empty();
        let completes = is_complete && !self.is_complete;
        let opens = remittance.is_some() && self.remittance.is_none();
        let events = BusinessEvents {
            added: 0,
            opted_in: u32::from(completes),
            remittance: u32::from(opens),
        };
        self.due.add(&events);
        // They count as if they had come: so it does not matter which platform onboarded it.
        if let Some(counted) = self.events.as_mut().filter(|_| is_taken_over) {
            counted.add(&events);
        }
        (self.is_complete, self.remittance) = (is_complete, remittance);
    }

    /// How the counted events differ from those that its changes ask for. At the first look after a subscription, the
    /// counting begins.
    fn difference(&mut self) -> Option<String> {
        match &self.events {
            Some(counted) => counted.difference(&self.due),
            None => {
                self.due = BusinessEvents::AT_FIRST;
                self.events = Some(self.due.clone());
                None
            }
        }
    }
}

impl Auditor {
    /// §4 advances rules 1 and 2.
    pub(super) fn advance_created(&mut self, key: InvoiceKey, requested: &AdvanceRequested) {
        let subject = invoice_subject(&key);
        let Some(record) = self.invoices.get_mut(&key) else {
            let detail = "an advance was created for an invoice that nobody synced";
            return self.report(Invariant::OneAdvance, subject, detail);
        };
        let offer = (requested.amounts.advance_amount, requested.amounts.fee_total);
        if let Some(before) = record.offer.replace(offer) {
            let detail =
                format!("after {}, another one was created: {}", offered(before), offered(offer));
            return self.report(Invariant::OneAdvance, subject, detail);
        }
        let account = requested.remittance.account_number.clone();
        record.account = Some(account.clone());
        self.accounts.entry(account).or_default().1.push(key.clone());
        self.touched_invoices.push(key.clone());
        let (platform, payee, _) = key;
        self.touched_businesses.push((platform, payee.clone()));
        self.just_financed.push((platform, payee));
    }

    pub(super) fn paid(&mut self, key: InvoiceKey, amount: Cents, outcome: &Outcome) {
        let Outcome::Paid { applied, suspense } = *outcome else { return };
        let record = self.invoices.entry(key.clone()).or_default();
        let owed = (record.face_value - record.paid).max(Cents::ZERO);
        let due = amount.min(owed);
        record.paid += due;
        self.totals.paid += due;
        self.totals.suspense += amount - due;
        if (applied, suspense) != (due, amount - due) {
            let detail = format!(
                "of {amount} cents, {applied} were applied and {suspense} kept; {owed} were owed"
            );
            self.report(Invariant::CentsConserved, invoice_subject(&key), detail);
        }
        self.touched_invoices.push(key);
    }

    /// Records a business that an answer shows for the first time.
    pub(super) fn know_business(&mut self, platform: PlatformId, business: &str) {
        let key = (platform, business.to_owned());
        let listened = self.followed.contains_key(&platform);
        self.businesses.entry(key.clone()).or_insert_with(|| BusinessRecord {
            events: listened.then(BusinessEvents::default),
            due: BusinessEvents::AT_FIRST,
            ..BusinessRecord::default()
        });
        self.touched_businesses.push(key);
    }

    /// Records an invoice that an answer shows for the first time.
    pub(super) fn know_invoice(&mut self, key: InvoiceKey) {
        let listened = self.followed.contains_key(&key.0);
        self.invoices.entry(key.clone()).or_insert_with(|| InvoiceRecord {
            events: listened.then(InvoiceEvents::default),
            ..InvoiceRecord::default()
        });
        self.touched_invoices.push(key);
    }

    /// §3 onboarding rules 2 and 4; §6 Events.
    pub(super) fn check_business(
        &mut self,
        face: &mut dyn Face,
        now: Timestamp,
        key: &BusinessKey,
    ) {
        let question = Operation::GetBusiness { business: key.1.clone() };
        let subject = || format!("business {}, platform {}", key.1, key.0.0);
        let Ok(Reply::Business(business)) = face.handle(now, key.0, question) else {
            return self.report(
                Invariant::StateMovesForward,
                subject(),
                "it is not known any more",
            );
        };
        let complete = business.onboarding.is_complete();
        if self.just_financed.contains(key) && !complete {
            let missing = missing(business.onboarding).join(", ");
            let detail = format!("an advance was created, and these are missing: {missing}");
            self.report(Invariant::FourRequirements, subject(), detail);
        }
        let listened = self.followed.contains_key(&key.0);
        let record = self.businesses.entry(key.clone()).or_default();
        let taken_back = record.remittance.is_some() && record.remittance != business.remittance;
        record.change(complete, business.remittance);
        let difference = if listened { record.difference() } else { None };
        if taken_back {
            self.report(Invariant::StateMovesForward, subject(), "its remittance changed");
        }
        if let Some(difference) = difference {
            self.report(Invariant::EventsFollowState, subject(), difference);
        }
    }

    pub(super) fn check_invoice(&mut self, face: &mut dyn Face, now: Timestamp, key: &InvoiceKey) {
        let question = Operation::GetInvoice { payee: key.1.clone(), invoice: key.2.clone() };
        let Ok(Reply::Invoice(invoice)) = face.handle(now, key.0, question) else {
            let detail = "it is not known any more";
            return self.report(Invariant::StateMovesForward, invoice_subject(key), detail);
        };
        self.check_money(key, &invoice);
        self.check_progress(key, &invoice);
        self.check_events(key, &invoice);
        self.check_limit(face, now, key);
    }

    fn check_money(&mut self, key: &InvoiceKey, invoice: &Invoice) {
        let record = self.invoices.entry(key.clone()).or_default();
        record.face_value = invoice.face_value;
        let (paid, before) = (record.paid, (record.advanced, record.outstanding));
        let mut wrong = Vec::new();
        let mut expect = |what: &str, expected: Cents, seen: Cents| {
            if expected != seen {
                wrong.push(format!("{what} is {seen} cents, expected {expected}"));
            }
        };
        expect("collected", paid.min(invoice.face_value), invoice.collected);
        if let Some(advance) = &invoice.advance {
            let funded = advance.funded_at.is_some();
            let sent = if funded { advance.advance_amount } else { Cents::ZERO };
            let recovered = if funded { paid } else { Cents::ZERO };
            let debt = advance.advance_amount + advance.fee_total;
            expect("amountSent", sent, advance.amount_sent);
            expect("amountOwed", (debt - recovered).max(Cents::ZERO), advance.amount_owed);
            record.advanced = advance.amount_sent;
            record.outstanding = outstanding(advance);
        }
        let after = (record.advanced, record.outstanding);
        self.totals.advanced += after.0 - before.0;
        self.totals.outstanding += after.1 - before.1;
        if let Some((sum, _)) = record.account.as_ref().and_then(|it| self.accounts.get_mut(it)) {
            *sum += after.1 - before.1;
        }
        if let Some(detail) = wrong.into_iter().next() {
            self.report(Invariant::CentsConserved, invoice_subject(key), detail);
        }
    }

    /// §3 Financing state of an advance; §2 Advance.
    fn check_progress(&mut self, key: &InvoiceKey, invoice: &Invoice) {
        let record = self.invoices.entry(key.clone()).or_default();
        let state = invoice.advance.as_ref().map(|advance| advance.state);
        let offer = invoice.advance.as_ref().map(|it| (it.advance_amount, it.fee_total));
        let before = std::mem::replace(&mut record.state, state);
        let earlier = std::mem::replace(&mut record.offer, offer);
        if state.map(AdvanceState::sequence) < before.map(AdvanceState::sequence) {
            let detail = format!("its advance was {} and is {}", named(before), named(state));
            self.report(Invariant::StateMovesForward, invoice_subject(key), detail);
        } else if let Some(earlier) = earlier
            && Some(earlier) != offer
        {
            let now = offer.map_or_else(|| "none".to_owned(), offered);
            let detail = format!("its advance was {}, and is {now}", offered(earlier));
            self.report(Invariant::StateMovesForward, invoice_subject(key), detail);
        }
    }

    /// §6 Events.
    fn check_events(&mut self, key: &InvoiceKey, invoice: &Invoice) {
        let reached = |state: AdvanceState| {
            let advance = invoice.advance.as_ref();
            u32::from(advance.is_some_and(|it| it.state.sequence() >= state.sequence()))
        };
        let is_collected = invoice.collection_state == CollectionState::Collected;
        let listened = self.followed.contains_key(&key.0);
        let record = self.invoices.entry(key.clone()).or_default();
        let was_collected = std::mem::replace(&mut record.is_collected, is_collected);
        record.collections += u32::from(is_collected && !was_collected);
        if record.events.is_none() {
            record.collections = u32::from(is_collected);
        }
        let expected = InvoiceEvents {
            created: 1,
            paid: record.collections,
            sequence: invoice.advance.as_ref().map_or(0, |advance| advance.state.sequence()),
            advance_created: reached(AdvanceState::Requested),
            advance_issued: reached(AdvanceState::Funded),
            advance_paid: reached(AdvanceState::Repaid),
        };
        match &mut record.events {
            _ if !listened => {}
            none @ None => *none = Some(expected),
            Some(events) => {
                if let Some(detail) = events.difference(&expected) {
                    self.report(Invariant::EventsFollowState, invoice_subject(key), detail);
                }
            }
        }
    }

    /// §8, concentration limit.
    fn check_limit(&mut self, face: &mut dyn Face, now: Timestamp, key: &InvoiceKey) {
        let Some(account) = self.invoices.get(key).and_then(|record| record.account.clone()) else {
            return;
        };
        let Some((sum, invoices)) = self.accounts.get(&account) else { return };
        if *sum <= self.limit {
            return;
        }
        // What was recovered while nobody listened is not yet subtracted.
        let mut sum = Cents::ZERO;
        for (platform, payee, invoice) in invoices {
            let question = Operation::GetInvoice { payee: payee.clone(), invoice: invoice.clone() };
            if let Ok(Reply::Invoice(invoice)) = face.handle(now, *platform, question) {
                sum += invoice.advance.as_ref().map_or(Cents::ZERO, outstanding);
            }
        }
        if sum > self.limit {
            let detail = format!("{sum} cents are outstanding, the limit is {}", self.limit);
            self.report(Invariant::LimitHeld, invoice_subject(key), detail);
        }
    }
}

/// The unrecovered part of an advance, without its fee: payments go to the advance first (`gap.waterfall`).
fn outstanding(advance: &Advance) -> Cents {
    (advance.amount_owed - advance.fee_total).max(Cents::ZERO)
}

/// The amounts of an advance, for a reader.
fn offered((advance, fee): (Cents, Cents)) -> String {
    format!("an advance of {advance} cents with a fee of {fee}")
}

/// A financing state as on the wire, for a reader.
fn named(state: Option<AdvanceState>) -> String {
    state.map_or_else(|| "none".to_owned(), |state| format!("{state:?}").to_uppercase())
}

/// The requirements that are not met (§3 Onboarding rule 2).
fn missing(onboarding: Onboarding) -> Vec<&'static str> {
    let Onboarding { compliance, contract, bank, collection_account } = onboarding;
    let requirements = [
        (compliance, "compliance"),
        (contract, "contract"),
        (bank, "bank"),
        (collection_account, "collectionAccount"),
    ];
    requirements.into_iter().filter(|(met, _)| !met).map(|(_, name)| name).collect()
}

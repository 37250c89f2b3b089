//! The auditor: it sees every answer, action and event, and checks what must always hold.
//!
//! It stands outside the service. It reads what a platform could read, and adds up what payors paid.

mod books;
mod breach;
mod events;
mod identity;

use std::collections::BTreeMap;
use std::sync::Arc;

use tideover_model::wire::reply::{ImportReport, Reply};
use tideover_model::words::EventKind;
use tideover_model::{
    Answer, Attempt, Cents, Delivery, Face, Happening, Impossible, InvoiceSync, Operation, Outcome,
    PlatformId, Timestamp,
};

use books::{BusinessRecord, InvoiceRecord};
use events::EventContent;

pub use books::Totals;
pub use breach::{Breach, Invariant};

/// A business, by the platform that named it.
type BusinessKey = (PlatformId, String);
/// An invoice, by platform, payee and invoice identifier.
type InvoiceKey = (PlatformId, String, String);

/// The identity of a delivery and its body.
type Carried = (String, Arc<[u8]>);

/// What the auditor knows of the world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Auditor {
    limit: Cents,
    /// The subscription of each platform whose events are followed.
    followed: BTreeMap<PlatformId, String>,
    businesses: BTreeMap<BusinessKey, BusinessRecord>,
    invoices: BTreeMap<InvoiceKey, InvoiceRecord>,
    /// The advances that count toward each collection account, and their outstanding amount.
    accounts: BTreeMap<String, (Cents, Vec<InvoiceKey>)>,
    totals: Totals,
    /// The platform that made each subscription, by its reference.
    subscribers: BTreeMap<String, PlatformId>,
    /// The identity and the body of each delivery that is not done, by subscription and number.
    retried: BTreeMap<(Arc<str>, u64), Carried>,
    touched_businesses: Vec<BusinessKey>,
    /// The businesses that got an advance since the last check.
    just_financed: Vec<BusinessKey>,
    touched_invoices: Vec<InvoiceKey>,
    breach: Option<Breach>,
}

impl Auditor {
    /// An auditor of a service with this greatest limit for each business. Cents.
    pub fn new(limit: Cents) -> Auditor {
        Auditor { limit, ..Auditor::default() }
    }

    /// The first breach so far.
    pub fn breach(&self) -> Option<&Breach> {
        self.breach.as_ref()
    }

    /// The money so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Whether an advance is on its way to its vendor.
    pub fn has_advances_under_way(&self) -> bool {
        self.invoices.values().any(books::InvoiceRecord::is_under_way)
    }

    /// Records a breach that was seen elsewhere. Only the first counts.
    pub fn report(&mut self, invariant: Invariant, subject: impl ToString, detail: impl ToString) {
        if self.breach.is_none() {
            let (subject, detail) = (subject.to_string(), detail.to_string());
            self.breach = Some(Breach { invariant, subject, detail });
        }
    }

    /// Sees an operation and its answer.
    pub fn answered(&mut self, caller: PlatformId, operation: &Operation, answer: &Answer) {
        let Ok(reply) = answer else { return };
        self.check_addressee(caller, operation, reply);
        match (operation, reply) {
            (Operation::SyncInvoice(sync), _) => self.synced(caller, sync),
            (Operation::ImportInvoices { file, .. }, Reply::Imported(report)) => {
                self.check_rows(caller, report);
                let done = file.rows.iter().take(report.rows.len());
                for sync in done.filter_map(|row| row.sync.as_ref().ok()) {
                    self.synced(caller, sync);
                }
            }
            (Operation::SyncBusiness { business, details }, Reply::BusinessSynced(synced)) => {
                self.business_synced((caller, business.clone()), details, synced);
            }
            (Operation::SetPayoutAccount { business, account_number, routing_number, .. }, _) => {
                let destination = (account_number.clone(), routing_number.clone());
                self.destination_set(&(caller, business.clone()), destination);
            }
            (Operation::RequestAdvance { payee, invoice }, Reply::AdvanceRequested(requested)) => {
                let key = (caller, payee.clone(), invoice.clone());
                self.advance_created(key, requested);
            }
            (Operation::Subscribe { .. }, Reply::Subscribed(subscribed)) => {
                let reference = &subscribed.subscription.reference;
                self.subscribers.insert(reference.clone(), caller);
                self.follow(caller, reference);
            }
            (Operation::Unsubscribe { reference }, _) => self.unfollow(caller, reference),
            _ => {}
        }
    }

    /// Sees an action of the outside world.
    pub fn happened(
        &mut self,
        platform: PlatformId,
        happening: &Happening,
        result: &Result<Outcome, Impossible>,
    ) {
        let Ok(outcome) = result else { return };
        match happening {
            Happening::PayorPays { payee, invoice, amount } => {
                let key = (platform, payee.clone(), invoice.clone());
                self.paid(key, *amount, outcome);
            }
            Happening::VendorConfirmsTaxId { payee, tax_id, .. } => {
                let key = (platform, payee.clone());
                if tax_id.is_some() {
                    self.tax_id_filed(&key, tax_id.as_ref());
                }
                self.touch(&key);
            }
            Happening::TaxIdFoundWrong { payee } => {
                let key = (platform, payee.clone());
                self.tax_id_filed(&key, None);
                self.touch(&key);
            }
            Happening::VendorAddsBankAccount { payee, account_number, routing_number } => {
                let destination = (account_number.clone(), routing_number.clone());
                self.destination_set(&(platform, payee.clone()), destination);
            }
            Happening::VendorAcceptsInvitation { payee, .. }
            | Happening::VendorSignsAgreement { payee, .. }
            | Happening::VendorCompletesOnboarding { payee, .. }
            | Happening::CollectionAccountOpens { payee } => {
                self.touch(&(platform, payee.clone()));
            }
            Happening::FundingStarts { payee, invoice }
            | Happening::FundingCompletes { payee, invoice } => {
                self.touched_invoices.push((platform, payee.clone(), invoice.clone()));
            }
            Happening::InterruptNextImport { .. }
            | Happening::VendorOpensSession { .. }
            | Happening::MarkTestAccount { .. }
            | Happening::IssueKey { .. }
            | Happening::RevokeKey { .. }
            | Happening::UpstreamFails { .. }
            | Happening::Reset { .. } => {}
        }
    }

    /// Sees an event that the service queues.
    pub fn queued(&mut self, delivery: &Delivery) {
        let Some(content) = EventContent::read(&delivery.body) else {
            let detail = "its body is not an event with an identifier";
            return self.report(Invariant::EventsFollowState, &delivery.id, detail);
        };
        let platform = delivery.platform;
        let is_known = match &content.invoice {
            None => self.businesses.contains_key(&(platform, content.business.clone())),
            Some(invoice) => {
                let key = (platform, content.business.clone(), invoice.clone());
                self.invoices.contains_key(&key)
            }
        };
        if !is_known {
            let subject = format!("{} to platform {}", delivery.event.name(), platform.0);
            let detail =
                format!("it names {}, which this platform never synced", content.subject());
            return self.report(Invariant::PlatformsApart, subject, detail);
        }
        let is_followed =
            self.followed.get(&platform).is_some_and(|it| **it == *delivery.subscription);
        if let EventKind::Listed(event) = delivery.event
            && is_followed
        {
            self.count(platform, event, &content);
        }
        match content.invoice {
            None => self.touched_businesses.push((platform, content.business)),
            Some(invoice) => self.touched_invoices.push((platform, content.business, invoice)),
        }
    }

    /// Sees an attempt that the service begins.
    pub fn begun(&mut self, attempt: &Attempt) {
        let Attempt { delivery, number, .. } = attempt;
        let identity = (delivery.id.clone(), Arc::clone(&delivery.body));
        let key = (Arc::clone(&delivery.subscription), delivery.number);
        if *number == 1 {
            self.retried.insert(key, identity);
            return;
        }
        let first = self.retried.get(&key);
        if let Some(first) = first.filter(|first| **first != identity).cloned() {
            let detail = if first.0 == identity.0 {
                let shown = |body: &[u8]| String::from_utf8_lossy(body).into_owned();
                let (now, before) = (shown(&identity.1), shown(&first.1));
                format!("attempt {number} carries {now}, attempt 1 {before}")
            } else {
                format!("attempt {number} carries {}, attempt 1 {}", identity.0, first.0)
            };
            self.report(Invariant::DeliveryConstant, delivery.event.name(), detail);
        }
    }

    /// Sees that a delivery is done.
    pub fn done(&mut self, delivery: &Delivery) {
        self.retried.remove(&(Arc::clone(&delivery.subscription), delivery.number));
    }

    /// Sees that the service ended a subscription by itself.
    pub fn revoked(&mut self, delivery: &Delivery) {
        self.unfollow(delivery.platform, &delivery.subscription);
    }

    /// Checks what was touched since the last check. Everything due by `now` has happened.
    pub fn check(&mut self, face: &mut dyn Face, now: Timestamp) {
        if face.poll_timeout().is_some_and(|due| due < now) {
            self.report(Invariant::NoTimerInThePast, "the service", "something due did not happen");
        }
        for key in std::mem::take(&mut self.touched_businesses) {
            self.check_business(face, now, &key);
        }
        self.just_financed.clear();
        let mut invoices = std::mem::take(&mut self.touched_invoices);
        invoices.dedup();
        for key in invoices {
            self.check_invoice(face, now, &key);
        }
    }

    /// Checks a business now.
    pub fn check_one(
        &mut self,
        face: &mut dyn Face,
        now: Timestamp,
        platform: PlatformId,
        business: String,
    ) {
        self.touched_businesses.push((platform, business));
        self.check(face, now);
    }

    /// Checks everything, and the books as a whole.
    pub fn check_all(&mut self, face: &mut dyn Face, now: Timestamp) {
        self.touched_businesses = self.businesses.keys().cloned().collect();
        self.touched_invoices = self.invoices.keys().cloned().collect();
        self.check(face, now);
        if let Err(difference) = face.audit() {
            self.report(Invariant::CentsConserved, "the books", difference);
        }
    }

    fn synced(&mut self, platform: PlatformId, sync: &InvoiceSync) {
        for party in [&sync.payee, &sync.payor] {
            if !self.businesses.contains_key(&(platform, party.business.clone())) {
                self.know_business(platform, &party.business);
            }
        }
        let key = (platform, sync.payee.business.clone(), sync.invoice.clone());
        self.know_invoice(key);
    }

    /// An import reports each row once (§4 imports rules 2 and 7).
    fn check_rows(&mut self, platform: PlatformId, report: &ImportReport) {
        let in_order = (1..).zip(&report.rows).all(|(number, row)| number == row.row);
        let whole = report.rows.len() == report.row_count;
        if !in_order || report.rows.len() > report.row_count || report.finished != whole {
            let detail = format!(
                "{} of {} rows, {}, numbered {:?}",
                report.rows.len(),
                report.row_count,
                if report.finished { "finished" } else { "not finished" },
                report.rows.iter().map(|row| row.row).collect::<Vec<_>>()
            );
            let subject = format!("import {} of platform {}", report.external_id, platform.0);
            self.report(Invariant::RowsOnce, subject, detail);
        }
    }
}

/// The subject of a breach, for a reader.
fn invoice_subject((platform, payee, invoice): &InvoiceKey) -> String {
    format!("invoice {invoice} of {payee}, platform {}", platform.0)
}

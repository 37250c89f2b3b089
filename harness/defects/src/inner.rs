//! What a hook works with: the right service inside a defective one, and what the defect remembers.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::reply::{Business, Invoice, Reply};
use tideover_model::{
    Altered, Answer, Choices, Delivery, Face, Happening, Impossible, InvoiceSync, Operation,
    Outcome, PlatformId, Service, Timestamp,
};

use crate::choices::DefectiveChoices;

/// The right service, with the time and the caller.
pub struct Inner<'a> {
    /// The service.
    pub face: &'a mut dyn Reversible,
    /// What the defect remembers.
    pub memory: &'a mut Memory,
    /// The time.
    pub now: Timestamp,
    /// Who calls, or whose identifiers a happening uses.
    pub caller: PlatformId,
}

impl Inner<'_> {
    /// The right answer.
    pub fn answer(&mut self, operation: Operation) -> Answer {
        self.face.handle(self.now, self.caller, operation)
    }

    /// The right answer to another platform.
    pub fn answer_to(&mut self, platform: PlatformId, operation: Operation) -> Answer {
        self.face.handle(self.now, platform, operation)
    }

    /// What comes of a happening at a right service.
    pub fn happen(&mut self, happening: Happening) -> Result<Outcome, Impossible> {
        self.face.happen(self.now, self.caller, happening)
    }

    /// An invoice as the caller reads it.
    pub fn invoice(&mut self, payee: &str, invoice: &str) -> Option<Box<Invoice>> {
        let (payee, invoice) = (payee.to_owned(), invoice.to_owned());
        match self.answer(Operation::GetInvoice { payee, invoice }) {
            Ok(Reply::Invoice(invoice)) => Some(invoice),
            _ => None,
        }
    }

    /// A business as the caller reads it.
    pub fn business(&mut self, business: &str) -> Option<Business> {
        match self.answer(Operation::GetBusiness { business: business.to_owned() }) {
            Ok(Reply::Business(business)) => Some(business),
            _ => None,
        }
    }

    /// A key of the memory: `parts`, for this caller.
    pub fn key(&self, parts: &[&str]) -> String {
        format!("{} {}", self.caller.0, parts.join(" "))
    }

    /// The counter of the key of `parts`.
    pub fn counted(&self, parts: &[&str]) -> u32 {
        self.memory.counted(&self.key(parts))
    }
}

/// A service whose state can be kept and put back: so a hook undoes whatever came in between. A state is copied only if
/// a hook asks for it.
pub trait Reversible: Face {
    /// Keeps the present state, instead of the one kept before.
    fn keep(&mut self);

    /// Puts the kept state back, if there is one. It is not kept any longer.
    fn put_back(&mut self);

    /// Starts the service again: attempts in flight never get their receipts.
    fn restart(&mut self, now: Timestamp);

    /// The numbers of the deliveries that are not done.
    fn pending(&self) -> Vec<u64>;
}

/// A service, with the state that was kept of it.
#[derive(Clone, Debug)]
pub(crate) struct Kept<C> {
    pub(crate) service: Service<DefectiveChoices<C>>,
    earlier: Option<Box<Service<DefectiveChoices<C>>>>,
}

impl<C> Kept<C> {
    pub(crate) fn new(service: Service<DefectiveChoices<C>>) -> Kept<C> {
        Kept { service, earlier: None }
    }
}

impl<C: Choices> Altered for Kept<C> {
    type Face = Service<DefectiveChoices<C>>;

    fn unaltered(&self) -> &Self::Face {
        &self.service
    }

    fn unaltered_mut(&mut self) -> &mut Self::Face {
        &mut self.service
    }
}

impl<C: Choices> Reversible for Kept<C> {
    fn keep(&mut self) {
        self.earlier = Some(Box::new(self.service.clone()));
    }

    fn put_back(&mut self) {
        if let Some(earlier) = self.earlier.take() {
            self.service = *earlier;
        }
    }

    fn restart(&mut self, now: Timestamp) {
        self.service.handle_restart(now);
    }

    fn pending(&self) -> Vec<u64> {
        let pending = self.service.pending_deliveries();
        pending.iter().map(|(delivery, _)| delivery.number).collect()
    }
}

/// What a defect remembers until a reset.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The requests so far, the present one included.
    pub requests: u64,
    /// The restarts so far, the present one included.
    pub restarts: u32,
    counts: BTreeMap<String, u32>,
    replies: BTreeMap<String, Reply>,
    syncs: BTreeMap<String, InvoiceSync>,
    names: BTreeMap<String, String>,
    times: BTreeMap<String, Timestamp>,
    deliveries: BTreeMap<String, Arc<Delivery>>,
    values: BTreeMap<String, Value>,
}

impl Memory {
    /// Increments the counter of `key` and returns it.
    pub fn count(&mut self, key: &str) -> u32 {
        let count = self.counts.entry(key.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// The counter of `key`.
    pub fn counted(&self, key: &str) -> u32 {
        self.counts.get(key).copied().unwrap_or_default()
    }

    /// The reply kept under `key`; keeps `reply` if there is none.
    pub fn first(&mut self, key: String, reply: Reply) -> Reply {
        self.replies.entry(key).or_insert(reply).clone()
    }

    /// Keeps a reply under `key` and replaces the earlier one.
    pub fn keep(&mut self, key: String, reply: Reply) {
        self.replies.insert(key, reply);
    }

    /// The reply kept under `key`.
    pub fn kept(&self, key: &str) -> Option<&Reply> {
        self.replies.get(key)
    }

    /// Keeps an invoice sync under `key` and replaces the earlier one.
    pub fn keep_sync(&mut self, key: String, sync: InvoiceSync) {
        self.syncs.insert(key, sync);
    }

    /// The invoice sync kept under `key`.
    pub fn sync(&self, key: &str) -> Option<&InvoiceSync> {
        self.syncs.get(key)
    }

    /// Keeps a name under `key`, and returns the one that it replaces.
    pub fn name(&mut self, key: String, name: String) -> Option<String> {
        self.names.insert(key, name)
    }

    /// Keeps a value under `key`, and returns the one that it replaces.
    pub fn keep_value(&mut self, key: String, value: Value) -> Option<Value> {
        self.values.insert(key, value)
    }

    /// The value kept under `key`.
    pub fn kept_value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// Notes a time under `key`.
    pub fn note(&mut self, key: String, time: Timestamp) {
        self.times.insert(key, time);
    }

    /// The time noted under `key`; notes `time` if there is none.
    pub fn first_noted(&mut self, key: String, time: Timestamp) -> Timestamp {
        *self.times.entry(key).or_insert(time)
    }

    /// The time noted under `key`.
    pub fn noted(&self, key: &str) -> Option<Timestamp> {
        self.times.get(key).copied()
    }

    /// Forgets the time noted under `key` and returns it.
    pub fn forget(&mut self, key: &str) -> Option<Timestamp> {
        self.times.remove(key)
    }

    /// The keys of all noted times.
    pub fn noted_keys(&self) -> Vec<String> {
        self.times.keys().cloned().collect()
    }

    /// Keeps a delivery under `key` and replaces the earlier one.
    pub fn keep_delivery(&mut self, key: String, delivery: &Arc<Delivery>) {
        self.deliveries.insert(key, Arc::clone(delivery));
    }

    /// The delivery kept under `key`; keeps `delivery` if there is none.
    pub fn first_delivery(&mut self, key: String, delivery: &Delivery) -> Arc<Delivery> {
        let first = self.deliveries.entry(key).or_insert_with(|| Arc::new(delivery.clone()));
        Arc::clone(first)
    }

    /// The delivery kept under `key`.
    pub fn delivery(&self, key: &str) -> Option<Arc<Delivery>> {
        self.deliveries.get(key).cloned()
    }

    /// All kept deliveries, in the order of their keys.
    pub fn deliveries(&self) -> impl Iterator<Item = &Arc<Delivery>> {
        self.deliveries.values()
    }
}

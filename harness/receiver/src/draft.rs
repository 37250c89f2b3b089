//! The builder of an examination: names, events, deliveries.

use std::sync::Arc;

use serde_json::Value;
use tideover_model::wire::event::{Event, EventData};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{Cents, Clause, Timestamp};

use crate::case::{Case, Required, Seal};

/// An examination in the making.
pub(super) struct Draft {
    /// The prefix of all names of the run.
    name: String,
    pub(super) now: Timestamp,
    cases: Vec<Case>,
}

impl Draft {
    pub(super) fn new(run: &str, now: Timestamp) -> Draft {
        Draft { name: format!("tideover-receiver-check-{run}"), now, cases: Vec::new() }
    }

    pub(super) fn into_cases(self) -> Vec<Case> {
        self.cases
    }

    pub(super) fn accept(&mut self, clause: Clause, sent: &str, body: Vec<u8>) {
        self.add(clause, sent, Required::Accepted, body, Seal::Signed(0));
    }

    pub(super) fn reject(&mut self, clause: Clause, sent: &str, body: Vec<u8>, seal: Seal) {
        self.add(clause, sent, Required::Rejected, body, seal);
    }

    /// Adds a case with a new delivery.
    pub(super) fn add(
        &mut self,
        clause: Clause,
        sent: &str,
        required: Required,
        body: Vec<u8>,
        seal: Seal,
    ) {
        let delivery = format!("dlv_{}-{}", self.name, self.number());
        let (sent, body) = (sent.to_owned(), Arc::from(body));
        self.cases.push(Case { sent, clause, required, delivery, body, seal });
    }

    /// Repeats the last delivery with a new signature.
    pub(super) fn again(&mut self, sent: &str) {
        if let Some(last) = self.cases.last().cloned() {
            let (sent, seal) = (sent.to_owned(), Seal::Signed(0));
            self.cases.push(Case { sent, required: Required::Dropped, seal, ..last });
        }
    }

    /// The number of the next case.
    fn number(&self) -> usize {
        self.cases.len() + 1
    }

    /// An invoice that no earlier case uses.
    pub(super) fn fresh(&self) -> String {
        format!("INV-{}", self.number())
    }

    /// An event of the next case, about `invoice` or its payee.
    pub(super) fn event(&self, event: EventType, invoice: &str) -> Vec<u8> {
        let (payee, invoice) = (self.payee(), self.invoice(invoice));
        let (payee_external_id, invoice_external_id) = (payee.as_str(), invoice.as_str());
        let data = match event {
            EventType::BusinessAdded
            | EventType::BusinessOptedIn
            | EventType::RemittanceUpdated => EventData::Business { external_id: &payee },
            EventType::InvoiceCreated => {
                EventData::Invoice { payee_external_id, invoice_external_id }
            }
            EventType::InvoicePaid => {
                let collected = Cents(1_000_000);
                EventData::Collection { payee_external_id, invoice_external_id, collected }
            }
            EventType::FactoredUpdated => {
                let state = AdvanceState::Requested;
                EventData::Financing { payee_external_id, invoice_external_id, state }
            }
            EventType::AdvanceCreated | EventType::AdvanceIssued | EventType::AdvancePaid => {
                let advance_amount = Cents(900_000);
                EventData::Advance { payee_external_id, invoice_external_id, advance_amount }
            }
        };
        self.body(event, data)
    }

    /// An event of the next case: the advance on `invoice` is in `state`.
    pub(super) fn financing(&self, invoice: &str, state: AdvanceState) -> Vec<u8> {
        self.financing_of(&self.payee(), invoice, state)
    }

    /// The same for another vendor whose invoice has the same identifier.
    pub(super) fn financing_of_another(&self, invoice: &str, state: AdvanceState) -> Vec<u8> {
        self.financing_of(&format!("{}-2", self.payee()), invoice, state)
    }

    fn financing_of(&self, payee: &str, invoice: &str, state: AdvanceState) -> Vec<u8> {
        let (payee_external_id, invoice_external_id) = (payee, &*self.invoice(invoice));
        let data = EventData::Financing { payee_external_id, invoice_external_id, state };
        self.body(EventType::FactoredUpdated, data)
    }

    fn body(&self, event: EventType, data: EventData<'_>) -> Vec<u8> {
        let id = format!("evt_{}-{}", self.name, self.number());
        Event::new(&id, event, self.now, data).body().to_vec()
    }

    /// An event of the next case, altered by `alter`.
    pub(super) fn altered(&self, event: EventType, alter: impl FnOnce(&mut Value)) -> Vec<u8> {
        let mut event =
            serde_json::from_slice(&self.event(event, &self.fresh())).unwrap_or_default();
        alter(&mut event);
        event.to_string().into_bytes()
    }

    fn payee(&self) -> String {
        format!("{}-vendor", self.name)
    }

    fn invoice(&self, invoice: &str) -> String {
        format!("{}-{invoice}", self.name)
    }
}

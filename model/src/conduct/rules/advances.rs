//! Invoices with an advance, and what the caller makes of successes.

use serde_json::Value;

use crate::cents::FaceValue;
use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{Exchange, Fact, Outcome};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::imports::outcomes;
use crate::conduct::rules::{Rule, SubjectKey, subject};
use crate::operation::{InvoiceSync, Operation};
use crate::timestamp::Timestamp;
use crate::wire::field::Fields;

/// §3 Invoice status rule 2.
#[derive(Debug, Default)]
pub(super) struct KeepsTerms {
    invoices: Recent<SubjectKey, Invoice>,
    /// The imports that were uploaded before: a report shows old outcomes again.
    imports: Recent<SubjectKey, ()>,
}

type Terms = (FaceValue, Timestamp, Timestamp);

/// What is known of an invoice.
#[derive(Clone, Copy, Debug, Default)]
struct Invoice {
    /// What the service holds, if a sync showed it.
    terms: Option<Terms>,
    /// The number of the exchange that showed the caller that there is an advance.
    advanced: Option<u64>,
}

impl KeepsTerms {
    /// Takes the outcome of a sync.
    fn synced(
        &mut self,
        exchange: &Exchange<'_>,
        sync: &InvoiceSync,
        outcome: &str,
        row: &mut Row,
    ) {
        let InvoiceSync { invoice, payee, face_value, issue_date, due_date, .. } = sync;
        let sent = (*face_value, *issue_date, *due_date);
        let number = exchange.number;
        let held =
            self.invoices.or_default(subject(exchange.caller, &payee.business, Some(invoice)));
        match outcome {
            "created" | "updated" => held.terms = Some(sent),
            "statusOnly" => {
                let known = held.advanced.filter(|advanced| exchange.came_after(*advanced));
                match (held.terms, known) {
                    (Some(terms), Some(advanced)) if terms != sent => {
                        row.breach(&[Proof::Request(advanced), Proof::Request(number)]);
                    }
                    (Some(_), Some(_)) => row.keep(),
                    _ => {}
                }
                if exchange.outcome() == Outcome::Done {
                    held.advanced.get_or_insert(number);
                }
            }
            // Grease may name an update in another way.
            _ => held.terms = None,
        }
    }

    fn imported(&mut self, exchange: &Exchange<'_>, operation: &Operation, row: &mut Row) {
        let Operation::ImportInvoices { import, file } = operation else { return };
        let key = subject(exchange.caller, import, None);
        let is_first = self.imports.get(&key).is_none();
        self.imports.insert(key, ());
        let body = exchange.answer.map_or(&[][..], |answer| answer.body);
        let outcomes = if is_first { outcomes(body) } else { Vec::new() };
        let outcomes = outcomes.into_iter().chain(std::iter::repeat(None));
        for (sync, outcome) in file.rows.iter().zip(outcomes) {
            if let Ok(sync) = &sync.sync {
                self.synced(exchange, sync, outcome.as_deref().unwrap_or_default(), row);
            }
        }
    }

    /// The outcome is not known: whatever a sync sent may be held.
    fn forget(&mut self, exchange: &Exchange<'_>, operation: &Operation) {
        for sync in operation.syncs() {
            let key = subject(exchange.caller, &sync.payee.business, Some(&sync.invoice));
            if let Some(held) = self.invoices.get_mut(&key) {
                held.terms = None;
            }
        }
    }
}

impl Rule for KeepsTerms {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let Some(operation) = exchange.operation else { return };
        if !exchange.is_carried_out() {
            if matches!(exchange.outcome(), Outcome::Unknown | Outcome::Failed) {
                self.forget(exchange, operation);
            }
            return;
        }
        let body = exchange.answer.map_or(&[][..], |answer| answer.body);
        let is_seen = exchange.outcome() == Outcome::Done;
        let parsed = || serde_json::from_slice::<Value>(body).unwrap_or_default();
        match operation {
            Operation::SyncInvoice(sync) => {
                let answer = parsed();
                let outcome = Fields::of(&answer).outcome().unwrap_or_default();
                self.synced(exchange, sync, outcome, row);
            }
            Operation::ImportInvoices { .. } => self.imported(exchange, operation, row),
            Operation::RequestAdvance { payee, invoice } if is_seen => {
                let held = self.invoices.or_default(subject(exchange.caller, payee, Some(invoice)));
                held.advanced.get_or_insert(exchange.number);
            }
            Operation::GetInvoice { payee, invoice }
                if is_seen && Fields::of(&parsed()).advance().is_some() =>
            {
                let held = self.invoices.or_default(subject(exchange.caller, payee, Some(invoice)));
                held.advanced.get_or_insert(exchange.number);
            }
            _ => {}
        }
    }
}

/// §4 `POST /v1/advances` rule 6.
#[derive(Debug)]
pub(super) struct Publishes;

impl Rule for Publishes {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        match fact {
            Fact::Payment { right: true } => row.keep(),
            Fact::Payment { right: false } => row.breach(&[]),
            _ => {}
        }
    }
}

/// `gap.successStatuses`.
#[derive(Debug)]
pub(super) struct TakesAnySuccess;

impl Rule for TakesAnySuccess {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        if exchange.outcome() != Outcome::Done {
            return;
        }
        match exchange.taken {
            Some(true) => row.keep(),
            Some(false) => row.breach(&[Proof::Request(exchange.number)]),
            None => {}
        }
    }
}

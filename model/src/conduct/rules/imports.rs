//! Imports that are uploaded again.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conduct::card::{Proof, Row};
use crate::conduct::fact::{Exchange, Fact, Outcome};
use crate::conduct::received::Before;
use crate::conduct::recent::Recent;
use crate::conduct::rules::Rule;
use crate::identity::PlatformId;
use crate::operation::Operation;
use crate::refusal::Code;
use crate::wire::field::Fields;

/// A caller and its identifier of an import.
type Import = (Option<PlatformId>, String);

/// §4 `PUT /v1/invoices/imports/{externalId}` rule 8.
#[derive(Debug, Default)]
pub(super) struct KeepsFile {
    /// The number of the upload that was carried out.
    uploaded: Recent<Import, u64>,
}

impl Rule for KeepsFile {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let Some(Operation::ImportInvoices { import, .. }) = exchange.operation else { return };
        let key = (exchange.caller, import.clone());
        let before = self.uploaded.get(&key).copied();
        let code = exchange.answer.and_then(|answer| answer.code);
        if code == Some(Code::AlreadyImported) {
            let proofs = before.into_iter().chain([exchange.number]).map(Proof::Request);
            row.breach(&proofs.collect::<Vec<_>>());
        } else if exchange.is_carried_out() {
            if before.is_some() {
                row.keep();
            }
            self.uploaded.insert(key, before.unwrap_or(exchange.number));
        }
    }
}

/// §4 `PUT /v1/invoices/imports/{externalId}` rule 7.
#[derive(Debug, Default)]
pub(super) struct Resumes {
    /// The number of the exchange whose report said that an import is not finished.
    unfinished: Recent<Import, u64>,
}

/// Whether the report in an answer says that the import is finished.
fn finished(exchange: &Exchange<'_>) -> Option<bool> {
    let answer = exchange.answer.filter(|_| exchange.outcome() == Outcome::Done)?;
    let report: BTreeMap<String, Value> = serde_json::from_slice(answer.body).ok()?;
    report.get(crate::wire::field::FINISHED)?.as_bool()
}

impl Rule for Resumes {
    fn take(&mut self, fact: &Fact<'_>, _: &Before, row: &mut Row) {
        let Fact::Exchange(exchange) = fact else { return };
        let (import, uploads) = match exchange.operation {
            Some(Operation::ImportInvoices { import, .. }) => (import, true),
            Some(Operation::GetImport { import }) => (import, false),
            _ => return,
        };
        let key = (exchange.caller, import.clone());
        if uploads && self.unfinished.get(&key).is_some_and(|number| exchange.came_after(*number)) {
            self.unfinished.remove(&key);
            row.keep();
        }
        match finished(exchange) {
            Some(false) if self.unfinished.get(&key).is_none() => {
                self.unfinished.insert(key, exchange.number);
            }
            // A corrected file has an identifier of its own (rule 8), and may have the rows that were left.
            Some(true) if uploads => self.unfinished.retain(|(who, _), _| *who != exchange.caller),
            Some(true) => {
                self.unfinished.remove(&key);
            }
            _ => {}
        }
    }

    fn settle(&self, row: &mut Row) {
        for number in self.unfinished.values() {
            row.leave_open(Proof::Request(*number));
        }
    }
}

/// The outcomes of the rows in a report, in the order of the file.
pub(super) fn outcomes(body: &[u8]) -> Vec<Option<String>> {
    let Ok(report) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let rows = Fields::of(&report).rows().unwrap_or_default();
    rows.iter().map(|row| Fields::of(row).outcome().map(str::to_owned)).collect()
}

//! The report that is read is the one that the upload returned (`4.import.1`).

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::{OperationKind, PlatformId, clause};

use crate::checks::{Check, Exchange, Notes};

/// The report of each import, by platform and path.
#[derive(Default)]
pub(super) struct IdenticalReport {
    uploaded: BTreeMap<(Option<PlatformId>, String), Value>,
}

impl Check for IdenticalReport {
    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if crate::checks::starts_anew(exchange) {
            self.uploaded.clear();
        }
        let Some(call) = exchange.call() else { return };
        let import = (exchange.platform, call.path.clone());
        if let Some(report) = exchange.success_of(OperationKind::ImportInvoices) {
            self.uploaded.insert(import, report.clone());
        } else if let Some(report) = exchange.success_of(OperationKind::GetImport)
            && let Some(uploaded) = self.uploaded.get(&import)
        {
            let clause = clause!("4.import.1");
            let (expected, seen) = (uploaded.to_string(), report.to_string());
            notes.expect(exchange, clause, uploaded == report, "body", expected, seen);
        }
    }
}

//! A read returns the same report as the upload (`4.import.1`).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tideover_exchange::{Exchange, Prepared};
use tideover_model::{OperationKind, PlatformId, clause};

use crate::checks::{Check, Notes, is_reset};

/// The report of each import, by platform and path.
#[derive(Default)]
pub(super) struct IdenticalReport {
    uploaded: BTreeMap<(Option<PlatformId>, String), Arc<Value>>,
}

impl Check for IdenticalReport {
    fn miss(&mut self, _sent: &Prepared) {
        // The missed request may be an upload that went further.
        self.uploaded.clear();
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            self.uploaded.clear();
        }
        let Some(call) = exchange.call() else { return };
        let import = || (exchange.platform, call.path.clone());
        if let Some(report) = exchange.success_of(OperationKind::ImportInvoices) {
            self.uploaded.insert(import(), Arc::clone(report));
        } else if let Some(report) = exchange.success_of(OperationKind::GetImport)
            && let Some(uploaded) = self.uploaded.get(&import())
        {
            let evidence = || (uploaded.to_string(), report.to_string());
            notes.expect(exchange, clause!("4.import.1"), uploaded == report, "body", evidence);
        }
    }
}

//! Paths of the inbox that more than one caller has subscribed: whose event comes there is open.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Exchange;
use tideover_exchange::target::inbox;
use tideover_model::OperationKind;
use tideover_model::wire::field;

use crate::checks::relations::ledger::{CallerKey, caller};

#[derive(Debug, Default)]
pub(in crate::checks) struct SharedPaths {
    first_owners: BTreeMap<String, CallerKey>,
    shared: BTreeSet<String>,
}

impl SharedPaths {
    /// Learns who subscribes a path.
    pub(in crate::checks) fn learn(&mut self, exchange: &Exchange<'_>) {
        if exchange.success_of(OperationKind::Subscribe).is_none() {
            return;
        }
        let url = exchange.sent_field(field::URL).unwrap_or_default();
        let Some(path) = inbox::accepting(&url) else { return };
        let first = self.first_owners.entry(path.to_owned()).or_insert_with(|| caller(exchange));
        if *first != caller(exchange) {
            self.shared.insert(path.to_owned());
        }
    }

    pub(in crate::checks) fn has(&self, path: &str) -> bool {
        self.shared.contains(path)
    }
}

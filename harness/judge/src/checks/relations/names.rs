//! A repeated sync updates the name of a business (`4.businessSync.intro.2`). Whether a read shows the name at all, and
//! whether an invoice that names the business changes it, is open.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Exchange, Prepared};
use tideover_model::wire::field;
use tideover_model::{Operation, OperationKind, clause};

use super::ledger::{BusinessName, business, caller};
use crate::checks::{Check, Notes, is_reset};

/// The names that a caller has sent for a business.
#[derive(Debug, Default)]
struct SentNames {
    /// The name in its last sync.
    synced: Option<String>,
    /// The names in invoices and rows since then.
    mentioned: BTreeSet<String>,
    /// The names that the last sync replaced.
    replaced: BTreeSet<String>,
}

impl SentNames {
    fn sync(&mut self, name: &str) {
        let before = self.synced.replace(name.to_owned());
        self.replaced.extend(before);
        self.replaced.append(&mut self.mentioned);
        self.replaced.remove(name);
    }

    fn mention(&mut self, name: &str) {
        self.replaced.remove(name);
        self.mentioned.insert(name.to_owned());
    }
}

/// Looks for names that a sync has replaced.
#[derive(Default)]
pub(in crate::checks) struct Names {
    sent: BTreeMap<BusinessName, SentNames>,
}

impl Check for Names {
    fn miss(&mut self, sent: &Prepared) {
        let Some(operation) = sent.call().and_then(|call| call.operation()) else { return };
        // It may take effect at any time, so that any of the names may be shown.
        if let Some(name) = operation.subject().business() {
            let owner = sent.authorization.clone().unwrap_or_default();
            self.sent.remove(&(owner, name.to_owned()));
        }
    }

    fn observe(&mut self, exchange: &Exchange<'_>, notes: &mut Notes) {
        if is_reset(exchange) {
            self.sent.clear();
        }
        self.check(exchange, notes);
        let Some(operation) = exchange.call().and_then(|call| call.operation()) else { return };
        if let Operation::SyncBusiness { details, .. } = operation
            && let (true, Some(name)) = (exchange.seen.is_success(), business(exchange))
        {
            self.sent.entry(name).or_default().sync(&details.legal_name);
        }
        // Also those of a refused request, of which the document does not say that nothing is kept.
        for sync in operation.syncs() {
            for party in [&sync.payee, &sync.payor] {
                let name = (caller(exchange), party.business.clone());
                self.sent.entry(name).or_default().mention(&party.details.legal_name);
            }
        }
    }
}

impl Names {
    fn check(&self, exchange: &Exchange<'_>, notes: &mut Notes) {
        let Some(body) = exchange.success_of(OperationKind::GetBusiness) else { return };
        let Some(sent) = business(exchange).and_then(|name| self.sent.get(&name)) else { return };
        let shown = body.get(field::NAME).and_then(|name| name.as_str());
        let (Some(shown), Some(synced)) = (shown, &sent.synced) else { return };
        let is_stale = sent.replaced.contains(shown);
        if is_stale || shown == synced {
            let clause = clause!("4.businessSync.intro.2");
            let evidence = || (synced.clone(), shown.to_owned());
            notes.expect(exchange, clause, !is_stale, field::NAME, evidence);
        }
    }
}

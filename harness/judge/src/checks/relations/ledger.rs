//! The subject of a request: the caller, its identifiers, and the invoices that it synced.

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::{Exchange, Prepared};
use tideover_model::Operation;
use tideover_model::wire::field;
use tideover_model::words::InvoiceStatus;

/// A caller, by its `Authorization` header.
pub(super) type CallerKey = String;

/// A business, by the caller's identifier.
pub(super) type BusinessName = (CallerKey, String);

/// An invoice, by its payee and its own identifier.
pub(super) type InvoiceName = (BusinessName, String);

/// The caller of a request. Empty without a key.
pub(super) fn caller(exchange: &Exchange<'_>) -> CallerKey {
    exchange.sent.authorization.clone().unwrap_or_default()
}

/// The business that a request is about, if any.
pub(super) fn business(exchange: &Exchange<'_>) -> Option<BusinessName> {
    Some((caller(exchange), exchange.subject()?.business()?.to_owned()))
}

/// The invoice that a read or a request for an advance is about.
pub(super) fn invoice(exchange: &Exchange<'_>) -> Option<InvoiceName> {
    match exchange.call()?.operation()? {
        Operation::GetInvoice { payee, invoice } | Operation::RequestAdvance { payee, invoice } => {
            Some(((caller(exchange), payee.clone()), invoice.clone()))
        }
        _ => None,
    }
}

/// A text field of an operator action, with the caller.
pub(super) fn acted_on(exchange: &Exchange<'_>, field: &str) -> Option<BusinessName> {
    let tideover_exchange::PreparedAction::Act(fields) = &exchange.sent.action else { return None };
    Some((caller(exchange), fields.get(field)?.as_str()?.to_owned()))
}

/// The invoice that an operator action is about, if any.
pub(super) fn acted_on_invoice(exchange: &Exchange<'_>) -> Option<InvoiceName> {
    let (_, invoice) = acted_on(exchange, field::INVOICE_EXTERNAL_ID)?;
    Some((acted_on(exchange, field::PAYEE_EXTERNAL_ID)?, invoice))
}

/// What syncs have said of invoices, by caller: their face values in cents, and whether they are paid.
#[derive(Debug, Default)]
pub(super) struct SyncedInvoices {
    faces: BTreeMap<InvoiceName, i64>,
    lowered: BTreeSet<InvoiceName>,
    raised: BTreeSet<InvoiceName>,
    reported: BTreeSet<InvoiceName>,
}

impl SyncedInvoices {
    /// Learns from a sync or an import.
    pub(super) fn learn(&mut self, exchange: &Exchange<'_>) {
        if !exchange.seen.is_success() {
            return;
        }
        let Some(operation) = exchange.call().and_then(|call| call.operation()) else { return };
        for sync in operation.syncs() {
            let payee = (caller(exchange), sync.payee.business.clone());
            let (name, face) = ((payee, sync.invoice.clone()), sync.face_value.cents().0);
            self.learn_status(&name, sync.status);
            match self.faces.insert(name.clone(), face) {
                Some(before) if before > face => drop(self.lowered.insert(name)),
                Some(before) if before < face => drop(self.raised.insert(name)),
                _ => {}
            }
        }
    }

    /// Learns of a request without a response. It may have changed a face value.
    pub(super) fn miss(&mut self, sent: &Prepared) {
        let Some(operation) = sent.call().and_then(|call| call.operation()) else { return };
        for sync in operation.syncs() {
            let payee =
                (sent.authorization.clone().unwrap_or_default(), sync.payee.business.clone());
            let name = (payee, sync.invoice.clone());
            self.lowered.insert(name.clone());
            self.raised.insert(name.clone());
            self.learn_status(&name, sync.status);
        }
    }

    fn learn_status(&mut self, name: &InvoiceName, status: InvoiceStatus) {
        if status == InvoiceStatus::Paid {
            self.reported.insert(name.clone());
        }
    }

    /// The face value of an invoice at its last sync. Cents.
    pub(super) fn face(&self, invoice: &InvoiceName) -> Option<i64> {
        self.faces.get(invoice).copied()
    }

    /// Whether a sync lowered the face value of an invoice, possibly to what was collected already.
    pub(super) fn was_lowered(&self, invoice: &InvoiceName) -> bool {
        self.lowered.contains(invoice)
    }

    /// Whether a sync raised the face value of an invoice, possibly after it was collected in full.
    pub(super) fn was_raised(&self, invoice: &InvoiceName) -> bool {
        self.raised.contains(invoice)
    }

    /// Whether a sync has ever reported an invoice as PAID.
    pub(super) fn was_reported(&self, invoice: &InvoiceName) -> bool {
        self.reported.contains(invoice)
    }

    /// The identifiers of a caller's invoices.
    pub(super) fn invoices_of(&self, caller: &str) -> BTreeSet<&str> {
        let own = self.faces.keys().filter(|((owner, _), _)| owner == caller);
        own.map(|(_, invoice)| invoice.as_str()).collect()
    }

    /// Whether any caller synced an invoice with this identifier.
    pub(super) fn is_known(&self, invoice: &str) -> bool {
        self.faces.keys().any(|(_, known)| known == invoice)
    }
}

//! Parties of an invoice that has an advance. Its sync changes only the status (§3 Invoice status rule 2).
//! Whether it also creates parties that were not synced yet (§4 Sync an invoice) is not stated
//! (`gap.statusOnlyParties`).

use tideover_exchange::{Prepared, PreparedAction, PreparedCall};
use tideover_model::wire::reply::Reply;
use tideover_model::{
    BusinessDetails, Contact, InvoiceSync, Operation, Party, PlatformId, Timestamp,
};

use crate::belief::hypothesis::Hypothesis;
use crate::belief::hypothesis::open::Open;

impl Hypothesis {
    /// Records such a party as a request that may have been carried out.
    pub(super) fn note_parties(&mut self, sent: &Prepared, now: Timestamp) {
        let Some(operation) = sent.call().and_then(PreparedCall::operation) else { return };
        let Some(platform) = self.platform_of(sent) else { return };
        for sync in operation.syncs() {
            if self.creates_unseen(platform, sync, now) {
                let party = Open::later(sync_of_payor(sent, sync));
                if !self.open.contains(&party) {
                    self.open.push(party);
                }
            }
        }
    }

    fn creates_unseen(&self, platform: PlatformId, sync: &InvoiceSync, now: Timestamp) -> bool {
        let payor = Operation::GetBusiness { business: sync.payor.business.clone() };
        self.look(now, platform, payor).is_none() && self.has_advance(platform, sync, now)
    }

    fn has_advance(&self, platform: PlatformId, sync: &InvoiceSync, now: Timestamp) -> bool {
        let (payee, invoice) = (sync.payee.business.clone(), sync.invoice.clone());
        let invoice = self.look(now, platform, Operation::GetInvoice { payee, invoice });
        matches!(invoice, Some(Reply::Invoice(invoice)) if invoice.advance.is_some())
    }
}

/// The sync of the payor alone, by its name and its tax id.
fn sync_of_payor(sent: &Prepared, sync: &InvoiceSync) -> Prepared {
    let Party { business, details } = sync.payor.clone();
    let details = BusinessDetails { contact: Contact::default(), ..details };
    let call = PreparedCall::of(&Operation::SyncBusiness { business, details });
    Prepared { authorization: sent.authorization.clone(), action: PreparedAction::Call(call) }
}

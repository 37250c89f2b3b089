//! Which platform an answer is meant for, and which businesses of two platforms are one.

use tideover_model::wire::reply::{BusinessSynced, Reply};
use tideover_model::words::TaxIdOutcome;
use tideover_model::{BusinessDetails, Operation, PlatformId};

use crate::simulation::auditor::{Auditor, BusinessKey, Invariant};

impl Auditor {
    /// §5 rule 4: an answer is about what its caller named, and lists only its own subscriptions.
    pub(super) fn check_addressee(
        &mut self,
        caller: PlatformId,
        operation: &Operation,
        reply: &Reply,
    ) {
        let (asked, shown) = match (operation, reply) {
            (Operation::GetBusiness { business }, Reply::Business(shown)) => {
                (business, &shown.external_id)
            }
            (Operation::GetInvoice { invoice, .. }, Reply::Invoice(shown)) => {
                (invoice, &shown.external_id)
            }
            (_, Reply::Subscriptions(listed)) => {
                let owner = |reference: &String| self.subscribers.get(reference).copied();
                let foreign = listed.iter().find(|it| owner(&it.reference) != Some(caller));
                if let Some(foreign) = foreign {
                    let subject = format!("subscriptions of platform {}", caller.0);
                    let detail = format!("{} was made by another one", foreign.url);
                    self.report(Invariant::PlatformsApart, subject, detail);
                }
                return;
            }
            _ => return,
        };
        if asked != shown {
            let subject = format!("answer to platform {}", caller.0);
            let detail = format!("it asked for {asked}, and was shown {shown}");
            self.report(Invariant::PlatformsApart, subject, detail);
        }
    }

    /// A sync that does not create the business that it names for the first time has matched its tax id (§4
    /// business sync rule 3).
    pub(super) fn business_synced(
        &mut self,
        key: BusinessKey,
        details: &BusinessDetails,
        synced: &BusinessSynced,
    ) {
        let is_new = !self.businesses.contains_key(&key);
        self.know_business(key.0, &key.1);
        let Some(tax_id) = &details.tax_id else { return };
        let outcome = synced.tax_id_result.as_ref().map(|result| result.outcome);
        if is_new && !synced.created {
            self.join(&key, tax_id);
        } else if is_new || outcome == Some(TaxIdOutcome::Accepted) {
            self.tax_id_filed(&key, Some(tax_id));
        }
    }

    /// The business is one that other platforms have named already.
    fn join(&mut self, key: &BusinessKey, tax_id: &str) {
        let holds = |record: &super::BusinessRecord| record.tax_id.as_deref() == Some(tax_id);
        let others = self.businesses.iter().filter(|(_, record)| holds(record));
        let others: Vec<BusinessKey> = others.map(|(other, _)| other.clone()).collect();
        let Some(first) = others.first().and_then(|other| self.businesses.get(other)) else {
            return;
        };
        let (tax_id, destination) = (first.tax_id.clone(), first.destination.clone());
        for other in &others {
            if let Some(record) = self.businesses.get_mut(other) {
                record.shared.push(key.clone());
            }
        }
        if let Some(record) = self.businesses.get_mut(key) {
            (record.tax_id, record.destination, record.shared) = (tax_id, destination, others);
        }
    }

    /// The business, as all its platforms name it.
    fn everywhere(&self, key: &BusinessKey) -> Vec<BusinessKey> {
        let shared = self.businesses.get(key).map_or(&[][..], |record| &record.shared);
        [key.clone()].into_iter().chain(shared.iter().cloned()).collect()
    }

    /// Looks at the business, as all its platforms name it, at the next check.
    pub(super) fn touch(&mut self, key: &BusinessKey) {
        let everywhere = self.everywhere(key);
        self.touched_businesses.extend(everywhere);
    }

    /// The tax id of a business is on file, or is not any more.
    pub(super) fn tax_id_filed(&mut self, key: &BusinessKey, tax_id: Option<&String>) {
        for key in self.everywhere(key) {
            if let Some(record) = self.businesses.get_mut(&key) {
                record.tax_id = tax_id.cloned();
            }
        }
    }

    /// The vendor is paid into this account from now on. Another one than before has its event (§6
    /// `organization.remittanceUpdated`).
    pub(super) fn destination_set(&mut self, key: &BusinessKey, destination: (String, String)) {
        for key in self.everywhere(key) {
            let Some(record) = self.businesses.get_mut(&key) else { continue };
            if record.destination.as_ref() != Some(&destination) {
                record.destination = Some(destination.clone());
                record.due.remittance += 1;
            }
            self.touched_businesses.push(key);
        }
    }
}

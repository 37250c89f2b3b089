//! The indexes of a restored service. They follow from its state, so that a snapshot does not hold them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::choices::Choices;
use crate::delivery::Delivery;
use crate::identity::{BusinessId, InvoiceId, RelationshipId};
use crate::sealed::ImpossibleState;
use crate::service::Service;
use crate::service::advances::FundingStage;
use crate::service::requirements::CollectionAccount;
use crate::service::timers::Timer;
use crate::timestamp::Timestamp;

impl<C: Choices> Service<C> {
    /// Restores every index. All references must exist.
    pub(super) fn restore_indexes(&mut self) -> Result<(), ImpossibleState> {
        for (number, relationship) in (0..).zip(self.relationships.values()) {
            let business = &mut self.businesses[relationship.business.0 as usize];
            business.relationships.push(RelationshipId(number));
        }
        for (id, subscription) in self.subscriptions.iter() {
            self.platforms[subscription.platform.0 as usize].subscriptions.push(*id);
        }
        self.timers = self.scheduled().collect::<BTreeSet<_>>().into();
        self.share_deliveries();
        self.index_tax_ids()
    }

    fn index_tax_ids(&mut self) -> Result<(), ImpossibleState> {
        for (number, business) in (0..).zip(self.businesses.iter()) {
            if let Some(tax_id) = business.tax_id
                && self.by_tax_id.insert(tax_id, BusinessId(number)).is_some()
            {
                return Err(ImpossibleState::new("two of its businesses have one tax id"));
            }
        }
        Ok(())
    }

    /// The hidden transitions to come: each state that ends by itself has one.
    fn scheduled(&self) -> impl Iterator<Item = (Timestamp, Timer)> {
        let businesses = (0..).zip(self.businesses.iter()).filter_map(|(number, business)| {
            let CollectionAccount::Verifying { opens_at, .. } = business.collection_account else {
                return None;
            };
            Some((opens_at, Timer::AccountOpens(BusinessId(number))))
        });
        let invoices = (0..).zip(self.invoices.values()).filter_map(|(number, invoice)| {
            let id = InvoiceId(number);
            match invoice.advance.as_ref()?.stage {
                FundingStage::Requested { funding_starts_at } => {
                    Some((funding_starts_at, Timer::FundingStarts(id)))
                }
                FundingStage::Funding { funded_due_at } => {
                    Some((funded_due_at, Timer::FundingCompletes(id)))
                }
                FundingStage::Funded { .. } | FundingStage::Repaid { .. } => None,
            }
        });
        businesses.chain(invoices)
    }

    /// A delivery that is both queued for the journal and pending is in memory once.
    fn share_deliveries(&mut self) {
        let pending: BTreeMap<u64, &Arc<Delivery>> =
            self.deliveries.pending().map(|delivery| (delivery.number, delivery)).collect();
        for delivery in &mut self.outbox {
            if let Some(same) = pending.get(&delivery.number).filter(|same| **same == delivery) {
                *delivery = Arc::clone(same);
            }
        }
    }
}

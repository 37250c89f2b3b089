//! Whether a restored state fits itself: what the rest of the service relies on, and so does not check.

use std::fmt::Debug;

use crate::cents::{Cents, FaceValue};
use crate::choices::{Choices, Token};
use crate::delivery::Delivery;
use crate::identity::{PlatformId, RelationshipId};
use crate::pricing::Offer;
use crate::sealed::ImpossibleState;
use crate::service::Service;
use crate::service::invoices::Invoice;
use crate::service::ledger::Account;
use crate::service::requirements::CollectionAccount;

/// The maximum of a counter of 32 bits: no service gets there, and none overflows from there.
const MOST_COUNTED: u32 = 1 << 30;

/// The same for a counter of names.
const MOST_MINTED: u64 = 1 << 62;

/// The maximum of a sum that no invoice explains. Cents.
const MOST_CENTS: Cents = Cents(1 << 60);

/// The problem and the value that has it, unless `holds`.
fn check(holds: bool, problem: &str, value: impl Debug) -> Result<(), ImpossibleState> {
    if holds { Ok(()) } else { Err(ImpossibleState::new(format!("{problem}: {value:?}"))) }
}

impl<C: Choices> Service<C> {
    /// Whether every identifier names something that exists.
    pub(super) fn check_references(&self) -> Result<(), ImpossibleState> {
        self.check_platform(PlatformId::DEFAULT)?;
        self.keys.values().try_for_each(|key| self.check_platform(key.platform))?;
        for (number, relationship) in (0..).zip(self.relationships.values()) {
            self.check_platform(PlatformId(self.relationships.owner(number)))?;
            let business = relationship.business;
            let exists = (business.0 as usize) < self.businesses.len();
            check(exists, "it names an unknown business", business)?;
        }
        for (number, invoice) in (0..).zip(self.invoices.values()) {
            self.check_relationship(RelationshipId(self.invoices.owner(number)))?;
            self.check_relationship(invoice.payor)?;
        }
        self.imports.keys().try_for_each(|(platform, _)| self.check_platform(*platform))?;
        self.invitations.keys().try_for_each(|(payee, _)| self.check_relationship(*payee))?;
        let mut links = self.session_links.values();
        links.try_for_each(|link| self.check_relationship(link.relationship))?;
        self.check_subscriptions()
    }

    fn check_platform(&self, id: PlatformId) -> Result<(), ImpossibleState> {
        check((id.0 as usize) < self.platforms.len(), "it names an unknown platform", id)
    }

    fn check_relationship(&self, id: RelationshipId) -> Result<(), ImpossibleState> {
        check((id.0 as usize) < self.relationships.len(), "it names an unknown relationship", id)
    }

    fn check_subscriptions(&self) -> Result<(), ImpossibleState> {
        let subscribed = self.subscribed;
        check(subscribed <= MOST_COUNTED, "it counts too many subscriptions", subscribed)?;
        for (id, subscription) in self.subscriptions.iter() {
            self.check_platform(subscription.platform)?;
            check(id.0 < subscribed, "it does not count a subscription", id)?;
        }
        let (queues, subscriptions) = (self.deliveries.queues(), &self.subscriptions);
        let each_has_one = queues.keys().eq(subscriptions.keys());
        check(each_has_one, "its queues are not those of its subscriptions", queues.len())?;
        let mut minted = self.minted.iter();
        minted.try_for_each(|(token, count)| {
            check(*count <= MOST_MINTED, "it counts too many names", (token, count))
        })?;
        let mut deliveries = self.deliveries.pending().chain(&self.outbox);
        deliveries.try_for_each(|delivery| self.check_delivery(delivery))
    }

    fn check_delivery(&self, delivery: &Delivery) -> Result<(), ImpossibleState> {
        self.check_platform(delivery.platform)?;
        let counted = delivery.number < self.minted(Token::Delivery);
        check(counted, "it does not count a delivery", delivery.number)
    }

    /// Whether every amount and every counter is in its range, and the books balance.
    pub(super) fn check_amounts(&self) -> Result<(), ImpossibleState> {
        for business in self.businesses.iter() {
            if let CollectionAccount::Closed { attempts }
            | CollectionAccount::Verifying { attempts, .. } = business.collection_account
            {
                check(attempts <= MOST_COUNTED, "it counts too many verifications", attempts)?;
            }
        }
        for import in self.imports.values() {
            import.check()?;
        }
        self.invoices.values().try_for_each(check_invoice)?;
        let sums = [self.unadvanced, self.ledger.balance(Account::Suspense)];
        let possible = sums.iter().all(|sum| (Cents::ZERO..=MOST_CENTS).contains(sum));
        check(possible, "it keeps an impossible amount", sums)?;
        Ok(self.audit_money()?)
    }
}

fn check_invoice(invoice: &Invoice) -> Result<(), ImpossibleState> {
    let possible = Cents::ZERO..=Cents(FaceValue::MAX);
    check(
        possible.contains(&invoice.paid_in),
        "an invoice collected an impossible amount",
        invoice.paid_in,
    )?;
    let Some(advance) = &invoice.advance else { return Ok(()) };
    let offer @ Offer { face_value, financeable, advance, fee } = advance.offer;
    let all = [face_value, financeable, advance, fee];
    let fits = all.iter().all(|cents| possible.contains(cents))
        && face_value == invoice.face_value.cents()
        && financeable <= face_value
        && offer.owed() <= financeable;
    check(fits, "an advance does not fit its invoice", offer)
}

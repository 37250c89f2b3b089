//! A platform's part of the service, seen from inside.

use std::collections::BTreeMap;

use crate::choices::Choices;
use crate::identity::{InvoiceId, PlatformId, RelationshipId};
use crate::service::Service;
use crate::service::businesses::Relationship;
use crate::service::invoices::Invoice;
use crate::service::ledger::Account;
use crate::service::requirements::CollectionAccount;
use crate::timestamp::Timestamp;
use crate::wire::overview::{Books, BusinessSeen, InvoiceSeen, Money, Overview, Wanted};

impl Invoice {
    fn money(&self) -> Money {
        let Some(advance) = &self.advance else {
            return Money { forwarded: self.paid_in, ..Money::default() };
        };
        let applied = advance.recovered(self.paid_in);
        let (recovered, fee, forwarded) = (applied.advance, applied.fee, applied.forwarded);
        Money { held: self.paid_in - recovered - fee - forwarded, recovered, fee, forwarded }
    }
}

impl<C: Choices> Service<C> {
    pub(super) fn seen(&self, now: Timestamp, caller: PlatformId, wanted: Wanted<'_>) -> Overview {
        let text = wanted.text.to_lowercase();
        let has = |name: &str| text.is_empty() || name.to_lowercase().contains(&text);
        let mut businesses = self
            .own_relationships(caller)
            .filter(|(id, it)| has(self.relationships.name(id.0)) || has(&it.details.name));
        let mut invoices = self.own_invoices(caller).filter(|(id, _)| {
            let payee = self.payee(*id);
            has(self.invoices.name(id.0)) || has(self.relationships.name(payee.0))
        });
        let seen = |(id, it)| (id, self.business_seen(now, id, it));
        let mut businesses_seen: BTreeMap<_, _> =
            businesses.by_ref().take(wanted.most).map(seen).collect();
        for (id, invoice) in self.own_invoices(caller) {
            if let Some(payee) = businesses_seen.get_mut(&self.payee(id)) {
                payee.payee = true;
            }
            if let Some(payor) = businesses_seen.get_mut(&invoice.payor) {
                payor.payor = true;
            }
        }
        // The map has the oldest first.
        let businesses_seen = businesses_seen.into_values().rev().collect();
        let seen = |(id, it)| self.invoice_seen(id, it);
        let invoices_seen = invoices.by_ref().take(wanted.most).map(seen).collect();
        Overview {
            businesses: businesses_seen,
            invoices: invoices_seen,
            more: businesses.next().is_some() || invoices.next().is_some(),
            subscriptions: self.subscriptions_of(caller),
            books: self.books(),
        }
    }

    /// The newest first.
    fn own_relationships(
        &self,
        caller: PlatformId,
    ) -> impl Iterator<Item = (RelationshipId, &Relationship)> {
        let newest = self.relationships.newest();
        newest
            .filter(move |(number, _)| self.relationships.owner(*number) == caller.0)
            .map(|(number, it)| (RelationshipId(number), it))
    }

    /// The newest first.
    fn own_invoices(&self, caller: PlatformId) -> impl Iterator<Item = (InvoiceId, &Invoice)> {
        let newest = self.invoices.newest();
        newest
            .filter(move |(it, _)| self.relationships.owner(self.invoices.owner(*it)) == caller.0)
            .map(|(number, it)| (InvoiceId(number), it))
    }

    fn business_seen(
        &self,
        now: Timestamp,
        id: RelationshipId,
        relationship: &Relationship,
    ) -> BusinessSeen {
        let business = self.business(relationship.business);
        let opens_at = match business.collection_account {
            CollectionAccount::Verifying { opens_at, .. } => Some(opens_at),
            CollectionAccount::Closed { .. } | CollectionAccount::Open { .. } => None,
        };
        BusinessSeen {
            shown: self.business_shown(id, self.relationships.name(id.0)),
            claimed: relationship.claimed,
            invited: self.open_invitations(now, id).cloned().collect(),
            opens_at,
            outstanding: business.outstanding,
            test_account: business.test_account,
            payee: false,
            payor: false,
        }
    }

    fn invoice_seen(&self, id: InvoiceId, invoice: &Invoice) -> InvoiceSeen {
        InvoiceSeen {
            payee: self.relationships.name(self.payee(id).0).to_owned(),
            payor: self.relationships.name(invoice.payor.0).to_owned(),
            external_id: self.invoices.name(id.0).to_owned(),
            status: invoice.status,
            face_value: invoice.face_value.cents(),
            collected: invoice.collected(),
            collection_state: invoice.collection_state(),
            due_date: invoice.due_date,
            advance: invoice.advance.as_ref().map(|advance| advance.view(invoice.paid_in)),
            money: invoice.money(),
        }
    }

    fn books(&self) -> Books {
        let of = |account| self.ledger.balance(account);
        Books {
            funder: of(Account::Funder),
            vendor: of(Account::Vendor),
            payor: of(Account::Payor),
            held: of(Account::Held),
            fees: of(Account::Fees),
            suspense: of(Account::Suspense),
        }
    }
}

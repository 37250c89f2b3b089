//! Invoices (§4 `GET …/invoices/{externalId}` and `PUT /v1/invoices/{externalId}`).

use serde::{Deserialize, Serialize};

use crate::cents::{Cents, FaceValue};
use crate::choices::Choices;
use crate::face::Answer;
use crate::identity::{InvoiceId, PlatformId, RelationshipId};
use crate::operation::InvoiceSync;
use crate::readings::Reading;
use crate::service::advances::Advance;
use crate::service::subscriptions::EventSubject;
use crate::service::{Service, UNSYNCED, UNSYNCED_INVOICE};
use crate::timestamp::Timestamp;
use crate::wire::reply;
use crate::wire::reply::{InvoiceSynced, Reply};
use crate::words::{CollectionState, EventType, InvoiceStatus, SyncOutcome};

/// An invoice as last synced, with the payor's payments and its advance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Invoice {
    pub(super) payor: RelationshipId,
    /// As the caller synced it: nothing else changes it (`3.invoice.intro.1`, `2.invoice.status.2`).
    pub(super) status: InvoiceStatus,
    /// Whether it was announced as paid, where it is once (`gap.eventCauses`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_announced_as_paid: bool,
    pub(super) face_value: FaceValue,
    pub(super) issue_date: Timestamp,
    pub(super) due_date: Timestamp,
    /// All payments by the payor, in cents; responses show [`Invoice::collected`].
    pub(super) paid_in: Cents,
    pub(super) advance: Option<Box<Advance>>,
}

impl Invoice {
    /// The payor's payments, capped at the face value (`2.invoice.collected`, `2.invoice.collected.2`,
    /// `gap.faceValueLowered`). Cents.
    pub(super) fn collected(&self) -> Cents {
        self.paid_in.min(self.face_value.cents())
    }

    /// `3.collection.1`, `gap.collectionThresholds`
    pub(super) fn collection_state(&self) -> CollectionState {
        match self.collected() {
            Cents::ZERO => CollectionState::Uncollected,
            all if all == self.face_value.cents() => CollectionState::Collected,
            _ => CollectionState::PartiallyCollected,
        }
    }
}

impl<C: Choices> Service<C> {
    /// `GET /v1/organizations/{payeeExternalId}/invoices/{externalId}`: the invoice and its advance
    /// (`4.invoice.1`, `2.invoice.advance`, `2.invoice.fundable`).
    pub(super) fn get_invoice(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        payee: &str,
        external_id: &str,
    ) -> Answer {
        let payee = self.known_relationship(caller, payee, UNSYNCED)?;
        let id = self.known_invoice(payee, external_id, UNSYNCED_INVOICE)?;
        let objection = self.eligible_offer(now, id).err();
        let invoice = self.invoice(id);
        Ok(Reply::Invoice(Box::new(reply::Invoice {
            external_id: external_id.to_owned(),
            status: invoice.status,
            face_value: invoice.face_value.cents(),
            collected: invoice.collected(),
            collection_state: invoice.collection_state(),
            issue_date: invoice.issue_date,
            due_date: invoice.due_date,
            advance: invoice.advance.as_ref().map(|advance| advance.view(invoice.paid_in)),
            fundable: objection.is_none(),
            not_fundable_reason: objection.map(|objection| objection.sentence()),
        })))
    }

    /// `PUT /v1/invoices/{externalId}`.
    pub(super) fn sync_invoice(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        sync: InvoiceSync,
    ) -> Reply {
        let external_id = sync.invoice.clone();
        let (outcome, reason) = self.apply_sync(now, caller, sync);
        Reply::InvoiceSynced(InvoiceSynced { external_id, outcome, reason })
    }

    /// Creates or updates an invoice (`4.invoiceSync.1`, `4.invoiceSync.2`), and creates unknown parties
    /// (`4.invoiceSync.3`). Also applies each row of an import (§4 imports rule 2, `4.imports.2`).
    pub(super) fn apply_sync(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        sync: InvoiceSync,
    ) -> (SyncOutcome, Option<&'static str>) {
        let known = self
            .find_relationship(caller, &sync.payee.business)
            .and_then(|payee| self.find_invoice(payee, &sync.invoice));
        if let Some(id) = known.filter(|id| self.invoice(*id).advance.is_some()) {
            // §3 Invoice status rule 2 (`3.invoice.2`, `3.invoice.2.2`, `4.invoiceSync.6`);
            // `gap.statusOnlyParties`
            self.invoice_mut(id).status = sync.status;
            if !self.profile.readings.status_only_adds_nobody {
                self.link_party(now, caller, sync.payee);
                self.link_party(now, caller, sync.payor);
            }
            let reason = "An advance stands against the invoice, so only its status was updated.";
            return (SyncOutcome::StatusOnly, Some(reason));
        }
        let payee = self.link_party(now, caller, sync.payee);
        let payor = self.link_party(now, caller, sync.payor);
        let synced = Invoice {
            payor,
            status: sync.status,
            is_announced_as_paid: false,
            face_value: sync.face_value,
            issue_date: sync.issue_date,
            due_date: sync.due_date,
            paid_in: Cents::ZERO,
            advance: None,
        };
        match known {
            None => {
                let id = InvoiceId(self.invoices.add(payee.0, &sync.invoice, synced));
                self.emit(now, EventType::InvoiceCreated, EventSubject::Invoice(id));
                (SyncOutcome::Created, None)
            }
            Some(id) => {
                let known = self.invoice(id);
                let before = known.collection_state();
                let mut synced = Invoice {
                    paid_in: known.paid_in,
                    is_announced_as_paid: known.is_announced_as_paid,
                    ..synced
                };
                // `gap.faceValueLowered`
                if synced.collected() < synced.paid_in && !self.reads_so(Reading::KeptPayments) {
                    synced.paid_in = synced.collected();
                }
                *self.invoice_mut(id) = synced;
                self.announce_collection(now, id, before);
                (SyncOutcome::Updated, None)
            }
        }
    }

    /// The payee of an invoice.
    pub(super) fn payee(&self, id: InvoiceId) -> RelationshipId {
        RelationshipId(self.invoices.owner(id.0))
    }
}

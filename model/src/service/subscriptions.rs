//! Webhook subscriptions, and the events queued for them (§4 webhooks, §6).

use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::choices::{Choices, Token};
use crate::clause;
use crate::delivery::Delivery;
use crate::face::Answer;
use crate::identity::{BusinessId, InvoiceId, PlatformId, RelationshipId, SubscriptionId};
use crate::readings::Reading;
use crate::refusal::{Code, Refusal};
use crate::service::Service;
use crate::signature::SigningKey;
use crate::timestamp::{Shift, Timestamp};
use crate::wire::event::{Event, EventData};
use crate::wire::reply;
use crate::wire::reply::{Reply, Subscribed};
use crate::words::{EventKind, EventType};

/// How many references of revoked subscriptions a platform keeps.
const MOST_REVOKED: usize = 100;

/// A live subscription.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Subscription {
    pub(super) platform: PlatformId,
    reference: Arc<str>,
    /// As the caller sent it, for responses.
    url: String,
    /// The normalised URL: the same for all spellings of one destination.
    destination: Arc<str>,
    event_types: Option<Vec<EventType>>,
    created_at: Timestamp,
}

impl Subscription {
    /// `6.subscription.3`: without event types, every event, even future ones.
    fn wants(&self, event: EventKind) -> bool {
        self.event_types
            .as_ref()
            .is_none_or(|kinds| kinds.iter().any(|kind| EventKind::Listed(*kind) == event))
    }

    /// `6.subscription.3`
    pub(super) fn gets_every_event(&self) -> bool {
        self.event_types.is_none()
    }

    pub(super) fn shift(&mut self, shift: Shift) {
        self.created_at = shift.ahead(self.created_at);
    }

    fn view(&self) -> reply::Subscription {
        reply::Subscription {
            reference: self.reference.to_string(),
            url: self.url.clone(),
            event_types: self.event_types.clone(),
            created_at: self.created_at,
        }
    }
}

/// The subject of an event, which determines its recipients (`gap.eventPayload`, `gap.sharedBusiness`).
#[derive(Clone, Copy)]
pub(super) enum EventSubject {
    /// A business, under the identifier of one platform.
    Business(RelationshipId),
    /// An invoice.
    Invoice(InvoiceId),
    /// The collected amount of an invoice.
    Collection(InvoiceId),
    /// The financing state of an invoice.
    Financing(InvoiceId),
    /// An advance.
    Advance(InvoiceId),
}

impl EventSubject {
    /// The business or the invoice, without what happened to it.
    fn alone(self) -> EventSubject {
        match self {
            EventSubject::Business(_) | EventSubject::Invoice(_) => self,
            EventSubject::Collection(id)
            | EventSubject::Financing(id)
            | EventSubject::Advance(id) => EventSubject::Invoice(id),
        }
    }
}

impl<C: Choices> Service<C> {
    /// `POST /v1/webhooks`: the only write that is not safe to repeat (`4.idempotency.3`). After a deletion,
    /// the URL can subscribe again (`4.recovery.3`).
    pub(super) fn subscribe(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        url: &str,
        event_types: Option<Vec<EventType>>,
        addresses: &[IpAddr],
    ) -> Answer {
        let destination = self.destinations.judge(url, addresses).map_err(|why| {
            Refusal::new(Code::DestinationRefused, clause!("4.webhooks.4")).because(why.to_string())
        })?;
        let destination = destination.as_str();
        if self.live(caller).any(|(_, subscription)| *subscription.destination == *destination) {
            return Err(Refusal::new(Code::AlreadySubscribed, clause!("4.webhooks.3")));
        }
        self.has_room_for_subscription()?;
        let reference = self.mint(Token::SubscriptionReference).into();
        let secret = self.mint(Token::SubscriptionSecret);
        let subscription = Subscription {
            platform: caller,
            reference,
            url: url.to_owned(),
            destination: destination.into(),
            event_types,
            created_at: now,
        };
        let view = subscription.view();
        let id = SubscriptionId(self.subscribed);
        self.subscribed += 1;
        // The response shows the secret once.
        self.deliveries.open(id, SigningKey::new(&secret));
        self.subscriptions.insert(id, subscription);
        self.platform_mut(caller).subscriptions.push(id);
        Ok(Reply::Subscribed(Subscribed { subscription: view, secret }))
    }

    /// A bound of whoever runs this service. Of the document's codes, the one for a URL that nothing is sent to fits.
    fn has_room_for_subscription(&self) -> Result<(), Refusal> {
        let most = *self.most_subscriptions;
        if self.subscriptions.len() < most {
            return Ok(());
        }
        let why = format!(
            "This mock keeps at most {most} subscriptions in a world; delete one, or start it with a larger \
             --max-subscriptions."
        );
        Err(Refusal::new(Code::DestinationRefused, clause!("4.webhooks.4")).because(why))
    }

    /// `GET /v1/webhooks`: with references (`4.recovery.1`), without secrets.
    pub(super) fn list_subscriptions(&self, caller: PlatformId) -> Reply {
        Reply::Subscriptions(self.subscriptions_of(caller))
    }

    pub(super) fn subscriptions_of(&self, caller: PlatformId) -> Vec<reply::Subscription> {
        self.live(caller).map(|(_, one)| one.view()).collect()
    }

    /// `DELETE /v1/webhooks/{reference}`, with a reference from the list (`4.recovery.2`): drops the
    /// deliveries queued for this subscription only (`4.webhookDeletion.1`).
    pub(super) fn unsubscribe(&mut self, caller: PlatformId, reference: &str) -> Answer {
        if let Some(id) = self.find_subscription(caller, reference) {
            self.end_subscription(id);
            return Ok(Reply::Unsubscribed);
        }
        let is_revoked = self.revoked(caller).any(|it| it == reference);
        if is_revoked && !self.reads_so(Reading::ForgottenRevoked) {
            self.platform_mut(caller).revoked.retain(|it| it != reference);
            return Ok(Reply::Unsubscribed);
        }
        let is_theirs = |other: PlatformId| {
            self.find_subscription(other, reference).is_some()
                || self.revoked(other).any(|it| it == reference)
        };
        let withheld = self.others(caller).any(is_theirs);
        let theirs = clause!("5.authentication.4.2");
        let clause = if withheld { theirs } else { clause!("4.webhookDeletion.2") };
        Err(Refusal::new(Code::SubscriptionNotFound, clause))
    }

    /// The references of a platform's last revoked subscriptions that were not deleted.
    fn revoked(&self, platform: PlatformId) -> impl Iterator<Item = &str> {
        let known = self.platforms.get(platform.0 as usize);
        known.into_iter().flat_map(|platform| platform.revoked.iter().map(String::as_str))
    }

    /// A receiver has revoked the subscription with this reference (`6.delivery.2`). `false` if there is none.
    pub fn revoke(&mut self, owner: PlatformId, reference: &str) -> bool {
        let id = self.find_subscription(owner, reference);
        id.map(|id| self.revoke_subscription(id)).is_some()
    }

    pub(super) fn revoke_subscription(&mut self, id: SubscriptionId) {
        let Some(gone) = self.end_subscription(id) else { return };
        let revoked = &mut self.platform_mut(gone.platform).revoked;
        if revoked.len() == MOST_REVOKED {
            revoked.pop_front();
        }
        revoked.push_back(gone.reference.to_string());
    }

    /// A platform's subscriptions, in the order of their creation.
    fn live(&self, platform: PlatformId) -> impl Iterator<Item = (SubscriptionId, &Subscription)> {
        let live = self.platform(platform).subscriptions.iter();
        live.map(|id| (*id, &self.subscriptions[id]))
    }

    pub(super) fn find_subscription(
        &self,
        platform: PlatformId,
        reference: &str,
    ) -> Option<SubscriptionId> {
        // A delivery may come from before a reset.
        self.known_platform(platform).ok()?;
        let mut live = self.live(platform);
        live.find(|(_, subscription)| *subscription.reference == *reference).map(|(id, _)| id)
    }

    /// Removes a subscription, together with all deliveries queued for it.
    fn end_subscription(&mut self, id: SubscriptionId) -> Option<Subscription> {
        let gone = self.subscriptions.remove(&id)?;
        self.platform_mut(gone.platform).subscriptions.retain(|live| *live != id);
        self.deliveries.close(id);
        Some(gone)
    }

    /// Queues an event for every platform of the business, with that platform's identifier
    /// (`gap.sharedBusiness`).
    pub(super) fn emit_to_all(&mut self, now: Timestamp, event: EventType, business: BusinessId) {
        for index in 0..self.business(business).relationships.len() {
            let relationship = self.business(business).relationships[index];
            self.emit(now, event, EventSubject::Business(relationship));
        }
    }

    /// Queues an event for each subscription of the platform concerned that wants it. An event of an unlisted
    /// kind may follow (`9.versioning.4`).
    pub(super) fn emit(&mut self, now: Timestamp, event: EventType, subject: EventSubject) {
        let number = self.minted(Token::Event);
        self.queue(now, event.into(), subject);
        if self.minted(Token::Event) > number
            && let Some(event) = self.choices.unlisted_event(number)
        {
            self.queue(now, EventKind::Unlisted(event), subject.alone());
        }
    }

    fn queue(&mut self, now: Timestamp, event: EventKind, subject: EventSubject) {
        let platform = self.platform_concerned(subject);
        let wanted = self.live(platform).filter(|(_, subscription)| subscription.wants(event));
        let wanted: Vec<SubscriptionId> = wanted.map(|(id, _)| id).collect();
        if wanted.is_empty() {
            return;
        }
        let id = self.mint(Token::Event);
        let body = Event::new(&id, event, now, self.event_data(subject)).body();
        for id in wanted {
            let delivery = Arc::new(self.delivery(now, id, event, Arc::clone(&body)));
            self.outbox.push_back(Arc::clone(&delivery));
            self.send(now, id, delivery);
        }
    }

    fn delivery(
        &mut self,
        now: Timestamp,
        id: SubscriptionId,
        event: EventKind,
        body: Arc<[u8]>,
    ) -> Delivery {
        let number = self.minted(Token::Delivery);
        let delivery_id = self.mint(Token::Delivery);
        let Subscription { platform, reference, destination, .. } = &self.subscriptions[&id];
        Delivery {
            number,
            id: delivery_id,
            platform: *platform,
            subscription: Arc::clone(reference),
            url: Arc::clone(destination),
            event,
            queued_at: now,
            body,
        }
    }

    fn platform_concerned(&self, subject: EventSubject) -> PlatformId {
        let relationship = match subject {
            EventSubject::Business(relationship) => relationship,
            EventSubject::Invoice(id)
            | EventSubject::Collection(id)
            | EventSubject::Financing(id)
            | EventSubject::Advance(id) => self.payee(id),
        };
        PlatformId(self.relationships.owner(relationship.0))
    }

    fn event_data(&self, subject: EventSubject) -> EventData<'_> {
        match subject {
            EventSubject::Business(id) => {
                EventData::Business { external_id: self.relationships.name(id.0) }
            }
            EventSubject::Invoice(id) => self.invoice_data(id),
            EventSubject::Collection(id) => EventData::Collection {
                payee_external_id: self.payee_name(id),
                invoice_external_id: self.invoices.name(id.0),
                collected: self.invoice(id).collected(),
            },
            EventSubject::Financing(id) => match &self.invoice(id).advance {
                None => self.invoice_data(id),
                Some(advance) => EventData::Financing {
                    payee_external_id: self.payee_name(id),
                    invoice_external_id: self.invoices.name(id.0),
                    state: advance.stage.state(),
                },
            },
            EventSubject::Advance(id) => match &self.invoice(id).advance {
                None => self.invoice_data(id),
                Some(advance) => EventData::Advance {
                    payee_external_id: self.payee_name(id),
                    invoice_external_id: self.invoices.name(id.0),
                    advance_amount: advance.offer.advance,
                },
            },
        }
    }

    fn invoice_data(&self, id: InvoiceId) -> EventData<'_> {
        EventData::Invoice {
            payee_external_id: self.payee_name(id),
            invoice_external_id: self.invoices.name(id.0),
        }
    }

    fn payee_name(&self, id: InvoiceId) -> &str {
        self.relationships.name(self.payee(id).0)
    }
}

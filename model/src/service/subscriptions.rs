//! Webhook subscriptions, and the events queued for them (§4 webhooks, §6).

use crate::choices::{Choices, Token};
use crate::clause;
use crate::destination;
use crate::event::Delivery;
use crate::face::Answer;
use crate::identity::{BusinessId, InvoiceId, PlatformId, RelationshipId};
use crate::refusal::{Code, Refusal};
use crate::secret::Secret;
use crate::service::Service;
use crate::timestamp::Timestamp;
use crate::wire::event::{Event, EventData};
use crate::wire::reply::{self, Reply, Subscribed};
use crate::wire::words::EventType;

/// A live subscription.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subscription {
    /// As the caller sent it, and is told it.
    url: String,
    /// The same, normalised: two spellings of one destination are one.
    destination: String,
    event_types: Option<Vec<EventType>>,
    created_at: Timestamp,
    secret: Secret,
}

impl Subscription {
    /// `6.subscription.3`: without kinds, every event, future ones included.
    fn wants(&self, event: EventType) -> bool {
        self.event_types.as_ref().is_none_or(|kinds| kinds.contains(&event))
    }

    fn view(&self, reference: &str) -> reply::Subscription {
        reply::Subscription {
            reference: reference.to_owned(),
            url: self.url.clone(),
            event_types: self.event_types.clone(),
            created_at: self.created_at,
        }
    }
}

/// What an event is about, and with it who is told (`gap.eventPayload`, `gap.sharedBusiness`).
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// A business, under the identifier of one platform.
    Business(RelationshipId),
    /// An invoice.
    Invoice(InvoiceId),
    /// What an invoice collected.
    Collection(InvoiceId),
    /// The financing state of an invoice.
    Financing(InvoiceId),
    /// An advance.
    Advance(InvoiceId),
}

impl<C: Choices> Service<C> {
    /// `POST /v1/webhooks`: the one write that is not safe to repeat (`4.idempotency.3`). A URL that was
    /// deleted can subscribe again (`4.recovery.3`).
    pub(super) fn subscribe(
        &mut self,
        now: Timestamp,
        caller: PlatformId,
        url: &str,
        event_types: Option<Vec<EventType>>,
    ) -> Answer {
        let destination = destination::judge(url).map_err(|why| {
            Refusal::new(Code::DestinationRefused, clause!("4.webhooks.4")).because(why.to_string())
        })?;
        let destination = destination.to_string();
        let live = &self.platform(caller).subscriptions;
        let mut live = live.iter().filter_map(|reference| self.subscription(caller, reference));
        if live.any(|subscription| subscription.destination == destination) {
            return Err(Refusal::new(Code::AlreadySubscribed, clause!("4.webhooks.3")));
        }
        let reference = self.mint(Token::SubscriptionReference);
        let secret = self.mint(Token::SubscriptionSecret);
        let subscription = Subscription {
            url: url.to_owned(),
            destination,
            event_types,
            created_at: now,
            secret: secret.clone().into(),
        };
        let view = subscription.view(&reference);
        self.subscriptions.insert((caller, reference.clone()), subscription);
        self.platform_mut(caller).subscriptions.push(reference);
        Ok(Reply::Subscribed(Subscribed { subscription: view, secret }))
    }

    /// `GET /v1/webhooks`: with references (`4.recovery.1`), without secrets.
    pub(super) fn list_subscriptions(&self, caller: PlatformId) -> Reply {
        let live = self.platform(caller).subscriptions.iter();
        Reply::Subscriptions(
            live.filter_map(|reference| {
                Some(self.subscription(caller, reference)?.view(reference))
            })
            .collect(),
        )
    }

    /// `DELETE /v1/webhooks/{reference}`, as the list tells it (`4.recovery.2`): what is queued for it is
    /// not sent any more (`4.webhookDeletion.1`).
    pub(super) fn unsubscribe(&mut self, caller: PlatformId, reference: String) -> Answer {
        let key = (caller, reference);
        if self.subscriptions.remove(&key).is_none() {
            let code = Code::SubscriptionNotFound;
            return Err(Refusal::new(code, clause!("4.webhookDeletion.2")));
        }
        self.platform_mut(caller).subscriptions.retain(|live| *live != key.1);
        self.outbox.retain(|delivery| delivery.subscription != key.1);
        Ok(Reply::Unsubscribed)
    }

    fn subscription(&self, platform: PlatformId, reference: &str) -> Option<&Subscription> {
        self.subscriptions.get(&(platform, reference.to_owned()))
    }

    /// Tells every platform of the business, each under its own identifiers (`gap.sharedBusiness`).
    pub(super) fn emit_to_all(&mut self, now: Timestamp, event: EventType, business: BusinessId) {
        for index in 0..self.business(business).relationships.len() {
            let relationship = self.business(business).relationships[index];
            self.emit(now, event, Subject::Business(relationship));
        }
    }

    /// Queues an event for each subscription of the platform concerned that wants it.
    pub(super) fn emit(&mut self, now: Timestamp, event: EventType, subject: Subject) {
        let platform = self.platform_concerned(subject);
        let live = &self.platform(platform).subscriptions;
        let wanted: Vec<String> = live
            .iter()
            .filter(|reference| {
                self.subscription(platform, reference).is_some_and(|live| live.wants(event))
            })
            .cloned()
            .collect();
        if wanted.is_empty() {
            return;
        }
        let id = self.mint(Token::Event);
        let body = Event::new(&id, event, now, self.event_data(subject)).body();
        for reference in wanted {
            let delivery_id = self.mint(Token::Delivery);
            let Some(subscription) = self.subscription(platform, &reference) else { continue };
            let delivery = Delivery {
                id: delivery_id,
                platform,
                url: subscription.destination.clone(),
                subscription: reference,
                event,
                queued_at: now,
                body: body.clone(),
            };
            self.outbox.push_back(delivery);
        }
    }

    fn platform_concerned(&self, subject: Subject) -> PlatformId {
        let relationship = match subject {
            Subject::Business(relationship) => relationship,
            Subject::Invoice(id)
            | Subject::Collection(id)
            | Subject::Financing(id)
            | Subject::Advance(id) => self.payee(id),
        };
        PlatformId(self.relationships.owner(relationship.0))
    }

    fn event_data(&self, subject: Subject) -> EventData<'_> {
        match subject {
            Subject::Business(id) => {
                EventData::Business { external_id: self.relationships.name(id.0) }
            }
            Subject::Invoice(id) => self.invoice_data(id),
            Subject::Collection(id) => EventData::Collection {
                payee_external_id: self.payee_name(id),
                invoice_external_id: self.invoices.name(id.0),
                collected: self.invoice(id).collected(),
            },
            Subject::Financing(id) => match &self.invoice(id).advance {
                None => self.invoice_data(id),
                Some(advance) => EventData::Financing {
                    payee_external_id: self.payee_name(id),
                    invoice_external_id: self.invoices.name(id.0),
                    state: advance.stage.state(),
                },
            },
            Subject::Advance(id) => match &self.invoice(id).advance {
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

//! The events that a platform's subscription got, counted by their subjects.

use std::collections::btree_map::Entry;

use serde::Deserialize;
use tideover_model::words::EventType;
use tideover_model::{PlatformId, clause};

use crate::simulation::auditor::{Auditor, Invariant};

/// The fields of an event that the auditor reads (`gap.eventPayload`). The client reads them by code of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventContent {
    pub(super) business: String,
    pub(super) invoice: Option<String>,
    sequence: Option<u32>,
}

#[derive(Deserialize)]
struct Event {
    sequence: Option<u32>,
    data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    external_id: Option<String>,
    payee_external_id: Option<String>,
    invoice_external_id: Option<String>,
}

impl EventContent {
    pub(super) fn read(body: &[u8]) -> Option<EventContent> {
        let Event { sequence, data } = serde_json::from_slice(body).ok()?;
        let business = data.external_id.or(data.payee_external_id)?;
        Some(EventContent { business, invoice: data.invoice_external_id, sequence })
    }

    pub(super) fn subject(&self) -> String {
        match &self.invoice {
            None => format!("business {}", self.business),
            Some(invoice) => format!("invoice {invoice} of {}", self.business),
        }
    }
}

/// How often each event of an invoice came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct InvoiceEvents {
    pub(super) created: u32,
    pub(super) paid: u32,
    /// The last sequence of `factoredUpdated`.
    pub(super) sequence: u32,
    pub(super) advance_created: u32,
    pub(super) advance_issued: u32,
    pub(super) advance_paid: u32,
}

impl InvoiceEvents {
    /// The first event that did not come as often as `expected`, for a reader.
    pub(super) fn difference(&self, expected: &InvoiceEvents) -> Option<String> {
        let counts = |events: &InvoiceEvents| {
            [
                (EventType::InvoiceCreated, events.created),
                (EventType::InvoicePaid, events.paid),
                (EventType::AdvanceCreated, events.advance_created),
                (EventType::AdvanceIssued, events.advance_issued),
                (EventType::AdvancePaid, events.advance_paid),
            ]
        };
        if self.sequence != expected.sequence {
            let (seen, expected) = (self.sequence, expected.sequence);
            return Some(format!("the last factoredUpdated had sequence {seen}, not {expected}"));
        }
        let mut pairs = counts(self).into_iter().zip(counts(expected));
        let ((event, seen), (_, expected)) = pairs.find(|(seen, expected)| seen != expected)?;
        Some(format!("{} came {seen} times, not {expected}", event.name()))
    }
}

/// How often each event of a business came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct BusinessEvents {
    pub(super) added: u32,
    pub(super) opted_in: u32,
    pub(super) remittance: u32,
}

impl BusinessEvents {
    /// What the first look at a business asks for.
    pub(super) const AT_FIRST: BusinessEvents =
        BusinessEvents { added: 1, opted_in: 0, remittance: 0 };

    pub(super) fn add(&mut self, more: &BusinessEvents) {
        self.added += more.added;
        self.opted_in += more.opted_in;
        self.remittance += more.remittance;
    }

    /// The first event that did not come as often as `expected`, for a reader.
    pub(super) fn difference(&self, expected: &BusinessEvents) -> Option<String> {
        let pairs = [
            (EventType::BusinessAdded, self.added, expected.added),
            (EventType::BusinessOptedIn, self.opted_in, expected.opted_in),
            (EventType::RemittanceUpdated, self.remittance, expected.remittance),
        ];
        let differs = |(_, seen, expected): &(EventType, u32, u32)| seen != expected;
        let (event, seen, expected) = pairs.into_iter().find(differs)?;
        Some(format!("{} came {seen} times, not {expected}", event.name()))
    }
}

impl Auditor {
    /// Follows the events of a new subscription, unless another one is followed.
    pub(super) fn follow(&mut self, platform: PlatformId, reference: &str) {
        if let Entry::Vacant(vacant) = self.followed.entry(platform) {
            vacant.insert(reference.to_owned());
            self.forget_events(platform);
        }
    }

    pub(super) fn unfollow(&mut self, platform: PlatformId, reference: &str) {
        self.retried.retain(|(subscription, _), _| **subscription != *reference);
        if self.followed.get(&platform).is_some_and(|followed| followed == reference) {
            self.followed.remove(&platform);
            self.forget_events(platform);
        }
    }

    /// Forgets the counts: while no subscription is followed, changes of state have no events that could be counted.
    fn forget_events(&mut self, platform: PlatformId) {
        for (key, record) in &mut self.businesses {
            if key.0 == platform {
                record.events = None;
            }
        }
        for (key, record) in &mut self.invoices {
            record.events = record.events.take().filter(|_| key.0 != platform);
        }
    }

    /// Counts an event. Events of a subject whose state at the time of the subscription is not yet known are
    /// not counted: the first look at it counts them all.
    pub(super) fn count(&mut self, platform: PlatformId, event: EventType, content: &EventContent) {
        match &content.invoice {
            None => self.count_for_business(platform, event, content),
            Some(invoice) => {
                let key = (platform, content.business.clone(), invoice.clone());
                let Some(record) = self.invoices.get_mut(&key) else { return };
                let Some(events) = &mut record.events else { return };
                if let Err(detail) = count_for_invoice(events, event, content.sequence) {
                    self.report(Invariant::EventsFollowState, content.subject(), detail);
                }
            }
        }
    }

    fn count_for_business(
        &mut self,
        platform: PlatformId,
        event: EventType,
        content: &EventContent,
    ) {
        let Some(record) = self.businesses.get_mut(&(platform, content.business.clone())) else {
            return;
        };
        let Some(events) = &mut record.events else { return };
        match event {
            EventType::BusinessAdded => events.added += 1,
            EventType::BusinessOptedIn => events.opted_in += 1,
            EventType::RemittanceUpdated => events.remittance += 1,
            EventType::InvoiceCreated
            | EventType::InvoicePaid
            | EventType::FactoredUpdated
            | EventType::AdvanceCreated
            | EventType::AdvanceIssued
            | EventType::AdvancePaid => {}
        }
        if events.added > 1 {
            let detail = "organization.added came twice";
            self.report(Invariant::EventsFollowState, content.subject(), detail);
        }
    }
}

/// Counts an event of an invoice: the sequence of `factoredUpdated` grows by one (§6 delivery rule 5).
fn count_for_invoice(
    events: &mut InvoiceEvents,
    event: EventType,
    sequence: Option<u32>,
) -> Result<(), String> {
    match event {
        EventType::InvoiceCreated => events.created += 1,
        EventType::InvoicePaid => events.paid += 1,
        EventType::AdvanceCreated => events.advance_created += 1,
        EventType::AdvanceIssued => events.advance_issued += 1,
        EventType::AdvancePaid => events.advance_paid += 1,
        EventType::FactoredUpdated => {
            let Some(sequence) = sequence else {
                return Err(format!("an event has no sequence ({})", clause!("6.delivery.5")));
            };
            if sequence != events.sequence + 1 {
                return Err(format!("sequence {sequence} follows {}", events.sequence));
            }
            events.sequence = sequence;
        }
        EventType::BusinessAdded | EventType::BusinessOptedIn | EventType::RemittanceUpdated => {}
    }
    let counts =
        [events.created, events.advance_created, events.advance_issued, events.advance_paid];
    if counts.into_iter().any(|count| count > 1) {
        return Err(format!("{} came twice", event.name()));
    }
    Ok(())
}

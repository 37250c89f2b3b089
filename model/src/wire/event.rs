//! The bodies of webhook deliveries (`gap.eventPayload`).

use std::sync::Arc;

use serde::Serialize;

use crate::cents::Cents;
use crate::timestamp::Timestamp;
use crate::words::{AdvanceState, EventKind};

/// The event in a delivery's body.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<'a> {
    /// Identifies the event across its deliveries.
    pub id: &'a str,
    /// What kind of event it is.
    #[serde(rename = "type")]
    pub event: EventKind,
    /// When the transaction began (§6 delivery rule 6).
    pub occurred_at: Timestamp,
    /// The number of the financing state (§6 delivery rule 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u32>,
    /// The subject of the event.
    pub data: EventData<'a>,
}

/// The subject of an event.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "fields say what they are")]
pub enum EventData<'a> {
    /// A business.
    Business { external_id: &'a str },
    /// An invoice.
    Invoice { payee_external_id: &'a str, invoice_external_id: &'a str },
    /// The collected amount of an invoice.
    Collection { payee_external_id: &'a str, invoice_external_id: &'a str, collected: Cents },
    /// The state of an invoice's advance.
    Financing { payee_external_id: &'a str, invoice_external_id: &'a str, state: AdvanceState },
    /// The amount that an invoice's advance paid out.
    Advance { payee_external_id: &'a str, invoice_external_id: &'a str, advance_amount: Cents },
}

impl<'a> Event<'a> {
    /// The event; `sequence` follows from `data`.
    pub fn new(
        id: &'a str,
        event: impl Into<EventKind>,
        occurred_at: Timestamp,
        data: EventData<'a>,
    ) -> Event<'a> {
        let sequence = match &data {
            EventData::Financing { state, .. } => Some(state.sequence()),
            EventData::Business { .. }
            | EventData::Invoice { .. }
            | EventData::Collection { .. }
            | EventData::Advance { .. } => None,
        };
        Event { id, event: event.into(), occurred_at, sequence, data }
    }

    /// The bytes to send: the same at every attempt.
    pub fn body(&self) -> Arc<[u8]> {
        serde_json::to_vec(self).expect("an event has only strings and numbers").into()
    }
}

//! The bodies of webhook deliveries (`gap.eventPayload`).

use std::sync::Arc;

use serde::Serialize;

use crate::cents::Cents;
use crate::timestamp::Timestamp;
use crate::wire::words::{AdvanceState, EventType};

/// What subscribers are told.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event<'a> {
    pub(crate) id: &'a str,
    #[serde(rename = "type")]
    pub(crate) event: EventType,
    /// When the transaction began (§6 delivery rule 6).
    pub(crate) occurred_at: Timestamp,
    /// §6 delivery rule 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sequence: Option<u32>,
    pub(crate) data: EventData<'a>,
}

/// What it is about.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum EventData<'a> {
    Business { external_id: &'a str },
    Invoice { payee_external_id: &'a str, invoice_external_id: &'a str },
    Collection { payee_external_id: &'a str, invoice_external_id: &'a str, collected: Cents },
    Financing { payee_external_id: &'a str, invoice_external_id: &'a str, state: AdvanceState },
    Advance { payee_external_id: &'a str, invoice_external_id: &'a str, advance_amount: Cents },
}

impl<'a> Event<'a> {
    pub(crate) fn new(
        id: &'a str,
        event: EventType,
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
        Event { id, event, occurred_at, sequence, data }
    }

    /// The bytes to send: the same at every attempt.
    pub(crate) fn body(&self) -> Arc<[u8]> {
        serde_json::to_vec(self).expect("an event has only strings and numbers").into()
    }
}

//! The bodies of webhook deliveries (`gap.eventPayload`).

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::cents::Cents;
use crate::timestamp::Timestamp;
use crate::words::{AdvanceState, EventKind};

/// The event in a delivery's body.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event<'a> {
    /// Identifies the event across its deliveries.
    pub id: &'a str,
    /// What kind of event it is.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub event: EventKind,
    /// When the transaction began (§6 delivery rule 6).
    #[schema(value_type = String, format = DateTime)]
    pub occurred_at: Timestamp,
    /// The number of the financing state (§6 delivery rule 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    pub sequence: Option<u32>,
    /// The subject of the event.
    pub data: EventData<'a>,
}

/// The subject of an event. The title of each form is the name of its schema.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum EventData<'a> {
    /// A business.
    #[schema(title = "EventBusiness", rename_all = "camelCase")]
    Business {
        /// The caller's business identifier.
        external_id: &'a str,
    },
    /// An invoice.
    #[schema(title = "EventInvoice", rename_all = "camelCase")]
    Invoice {
        /// The payee's identifier.
        payee_external_id: &'a str,
        /// The invoice's identifier.
        invoice_external_id: &'a str,
    },
    /// The collected amount of an invoice.
    #[schema(title = "EventCollection", rename_all = "camelCase")]
    Collection {
        /// The payee's identifier.
        payee_external_id: &'a str,
        /// The invoice's identifier.
        invoice_external_id: &'a str,
        /// Cents that the payor has paid.
        #[schema(value_type = i64, minimum = 0)]
        collected: Cents,
    },
    /// The state of an invoice's advance.
    #[schema(title = "EventFinancing", rename_all = "camelCase")]
    Financing {
        /// The payee's identifier.
        payee_external_id: &'a str,
        /// The invoice's identifier.
        invoice_external_id: &'a str,
        /// The financing state.
        state: AdvanceState,
    },
    /// The amount that an invoice's advance paid out.
    #[schema(title = "EventAdvance", rename_all = "camelCase")]
    Advance {
        /// The payee's identifier.
        payee_external_id: &'a str,
        /// The invoice's identifier.
        invoice_external_id: &'a str,
        /// Cents that the vendor gets.
        #[schema(value_type = i64, minimum = 0)]
        advance_amount: Cents,
    },
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

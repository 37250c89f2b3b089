//! The document's enumerated values, spelled as on the wire.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::ToSchema;

/// A word of the document, read only from a JSON string: a derived enumeration would also accept
/// `{"ISSUED": null}`.
trait Word: Copy + 'static {
    /// Writes the expected values, for an error message.
    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result;

    fn spelled(word: &str) -> Option<Self>;
}

fn read_word<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<W, D::Error> {
    struct Spelled<W>(PhantomData<W>);
    impl<W: Word> de::Visitor<'_> for Spelled<W> {
        type Value = W;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            W::expect(f)
        }
        fn visit_str<E: de::Error>(self, word: &str) -> Result<W, E> {
            W::spelled(word).ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
        }
    }
    deserializer.deserialize_str(Spelled(PhantomData))
}

impl Word for InvoiceStatus {
    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ISSUED, PARTIALLY_PAID, PAID or VOIDED")
    }

    fn spelled(word: &str) -> Option<InvoiceStatus> {
        InvoiceStatus::parse(word)
    }
}

impl<'de> Deserialize<'de> for InvoiceStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<InvoiceStatus, D::Error> {
        read_word(deserializer)
    }
}

impl Word for EventType {
    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, .., last] = EventType::ALL;
        f.write_str("the name of an event: ")?;
        for event in EventType::ALL {
            let before = match event {
                _ if event == first => "",
                _ if event == last => " or ",
                _ => ", ",
            };
            write!(f, "{before}{}", event.name())?;
        }
        Ok(())
    }

    fn spelled(word: &str) -> Option<EventType> {
        EventType::ALL.into_iter().find(|event| event.name() == word)
    }
}

impl<'de> Deserialize<'de> for EventType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EventType, D::Error> {
        read_word(deserializer)
    }
}

/// An invoice's status, as the caller last synced it (§2 Invoice, `status`). The service never changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InvoiceStatus {
    /// Sent to the payor; the only status that can receive an advance.
    Issued,
    /// Paid in part, according to the caller.
    PartiallyPaid,
    /// Paid, according to the caller.
    Paid,
    /// Withdrawn.
    Voided,
}

impl InvoiceStatus {
    /// All values, in the document's order.
    pub const ALL: [InvoiceStatus; 4] = [
        InvoiceStatus::Issued,
        InvoiceStatus::PartiallyPaid,
        InvoiceStatus::Paid,
        InvoiceStatus::Voided,
    ];

    /// How the document writes it.
    pub const fn word(self) -> &'static str {
        match self {
            InvoiceStatus::Issued => "ISSUED",
            InvoiceStatus::PartiallyPaid => "PARTIALLY_PAID",
            InvoiceStatus::Paid => "PAID",
            InvoiceStatus::Voided => "VOIDED",
        }
    }

    /// The value that the document writes as `word`.
    pub fn parse(word: &str) -> Option<InvoiceStatus> {
        InvoiceStatus::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// How much of an invoice the payor has paid: follows from `collected` and `faceValue` (§3 Collection state).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CollectionState {
    /// Nothing.
    Uncollected,
    /// Something, not all.
    PartiallyCollected,
    /// All.
    Collected,
}

/// How far an advance is (§3 Financing state).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AdvanceState {
    /// Requested by the caller.
    Requested,
    /// The money is in transit.
    Funding,
    /// The vendor has it.
    Funded,
    /// The payor's payments have recovered advance and fee.
    Repaid,
}

impl AdvanceState {
    /// All values, in the order in which an advance passes through them.
    pub const ALL: [AdvanceState; 4] = [
        AdvanceState::Requested,
        AdvanceState::Funding,
        AdvanceState::Funded,
        AdvanceState::Repaid,
    ];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            AdvanceState::Requested => "REQUESTED",
            AdvanceState::Funding => "FUNDING",
            AdvanceState::Funded => "FUNDED",
            AdvanceState::Repaid => "REPAID",
        }
    }

    /// The place of this state in an advance's life, from 1: the `sequence` of its event.
    pub fn sequence(self) -> u32 {
        match self {
            AdvanceState::Requested => 1,
            AdvanceState::Funding => 2,
            AdvanceState::Funded => 3,
            AdvanceState::Repaid => 4,
        }
    }
}

/// Why compliance is cleared (§2 Business, `complianceRoute`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ComplianceRoute {
    /// The vendor confirmed its number.
    VendorAssertion,
    /// The vendor sent a form W-9.
    W9Upload,
    /// The caller sent the number; the vendor has not confirmed it.
    PartnerSupplied,
}

/// The effect of a sync on an invoice (§2 Invoice sync response, `outcome`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum SyncOutcome {
    /// The invoice is new.
    Created,
    /// The invoice existed, and all of it follows the sync.
    Updated,
    /// The invoice has an advance, so that only `status` changed.
    StatusOnly,
}

/// The outcome of a row of an import (§2 Import report).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum RowOutcome {
    /// As for a single sync.
    Created,
    /// As for a single sync.
    Updated,
    /// As for a single sync.
    StatusOnly,
    /// The row is bad; it doesn't affect the others (§4 imports rule 6).
    Rejected,
}

impl From<SyncOutcome> for RowOutcome {
    fn from(outcome: SyncOutcome) -> RowOutcome {
        match outcome {
            SyncOutcome::Created => RowOutcome::Created,
            SyncOutcome::Updated => RowOutcome::Updated,
            SyncOutcome::StatusOnly => RowOutcome::StatusOnly,
        }
    }
}

/// The outcome of a tax id sent for a business that the caller already synced.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum TaxIdOutcome {
    /// It is now on file, and compliance is cleared.
    Accepted,
    /// It was on file already.
    Unchanged,
    /// It isn't a tax id.
    Malformed,
    /// Another one is on file.
    Differs,
    /// Another business has it.
    HeldByAnother,
}

/// The kinds of event, in the document's order (§6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
pub enum EventType {
    /// A business that the caller synced exists.
    #[serde(rename = "partner.organization.added")]
    BusinessAdded,
    /// A business has completed onboarding.
    #[serde(rename = "partner.organization.optedIn")]
    BusinessOptedIn,
    /// The destination of a business's funds has changed.
    #[serde(rename = "partner.organization.remittanceUpdated")]
    RemittanceUpdated,
    /// An invoice that the caller synced exists.
    #[serde(rename = "partner.invoice.created")]
    InvoiceCreated,
    /// The payor has paid an invoice.
    #[serde(rename = "partner.invoice.paid")]
    InvoicePaid,
    /// The financing state of an advance has changed.
    #[serde(rename = "partner.invoice.factoredUpdated")]
    FactoredUpdated,
    /// An advance exists.
    #[serde(rename = "partner.loan.created")]
    AdvanceCreated,
    /// The vendor has been paid.
    #[serde(rename = "partner.loan.issued")]
    AdvanceIssued,
    /// An advance is settled.
    #[serde(rename = "partner.loan.paid")]
    AdvancePaid,
}

impl EventType {
    /// All kinds, in the document's order.
    pub const ALL: [EventType; 9] = [
        EventType::BusinessAdded,
        EventType::BusinessOptedIn,
        EventType::RemittanceUpdated,
        EventType::InvoiceCreated,
        EventType::InvoicePaid,
        EventType::FactoredUpdated,
        EventType::AdvanceCreated,
        EventType::AdvanceIssued,
        EventType::AdvancePaid,
    ];

    /// The name, as on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            EventType::BusinessAdded => "partner.organization.added",
            EventType::BusinessOptedIn => "partner.organization.optedIn",
            EventType::RemittanceUpdated => "partner.organization.remittanceUpdated",
            EventType::InvoiceCreated => "partner.invoice.created",
            EventType::InvoicePaid => "partner.invoice.paid",
            EventType::FactoredUpdated => "partner.invoice.factoredUpdated",
            EventType::AdvanceCreated => "partner.loan.created",
            EventType::AdvanceIssued => "partner.loan.issued",
            EventType::AdvancePaid => "partner.loan.paid",
        }
    }
}

/// A kind of event that a service may have added to the document's list (`9.versioning.4`). It fits a business
/// as well as an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnlistedEvent {
    /// Somebody has looked at the subject.
    AccountReviewed,
    /// There is a document about it.
    DocumentAvailable,
    /// Somebody was notified of it.
    NoticeSent,
    /// It was put into an archive.
    RecordArchived,
}

impl UnlistedEvent {
    /// All kinds.
    pub const ALL: [UnlistedEvent; 4] = [
        UnlistedEvent::AccountReviewed,
        UnlistedEvent::DocumentAvailable,
        UnlistedEvent::NoticeSent,
        UnlistedEvent::RecordArchived,
    ];

    /// The name, as on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            UnlistedEvent::AccountReviewed => "partner.account.reviewed",
            UnlistedEvent::DocumentAvailable => "partner.document.available",
            UnlistedEvent::NoticeSent => "partner.notice.sent",
            UnlistedEvent::RecordArchived => "partner.record.archived",
        }
    }
}

/// As its name.
impl Serialize for UnlistedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A kind of event: of the document's list, or one that the service has added to it (`9.versioning.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum EventKind {
    /// Of the document's list.
    Listed(EventType),
    /// Not of the document's list.
    Unlisted(UnlistedEvent),
}

impl EventKind {
    /// The name, as on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            EventKind::Listed(event) => event.name(),
            EventKind::Unlisted(event) => event.name(),
        }
    }
}

impl PartialEq<EventType> for EventKind {
    fn eq(&self, event: &EventType) -> bool {
        *self == EventKind::Listed(*event)
    }
}

impl Word for EventKind {
    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EventType::expect(f)
    }

    fn spelled(word: &str) -> Option<EventKind> {
        let unlisted = || UnlistedEvent::ALL.into_iter().find(|event| event.name() == word);
        EventType::spelled(word)
            .map(EventKind::Listed)
            .or_else(|| unlisted().map(EventKind::Unlisted))
    }
}

impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EventKind, D::Error> {
        read_word(deserializer)
    }
}

impl From<EventType> for EventKind {
    fn from(event: EventType) -> EventKind {
        EventKind::Listed(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_serialization() {
        for status in InvoiceStatus::ALL {
            let json = serde_json::to_string(&status).unwrap();
            assert_eq!(serde_json::from_str::<InvoiceStatus>(&json).unwrap(), status);
        }
        for event in EventType::ALL {
            let json = serde_json::to_string(&event).unwrap();
            assert_eq!(json, format!("{:?}", event.name()));
            assert_eq!(serde_json::from_str::<EventType>(&json).unwrap(), event);
        }
        for event in UnlistedEvent::ALL {
            let json = serde_json::to_string(&EventKind::Unlisted(event)).unwrap();
            assert_eq!(json, format!("{:?}", event.name()));
            let read = serde_json::from_str::<EventKind>(&json).unwrap();
            assert_eq!(read, EventKind::Unlisted(event));
        }
    }

    #[test]
    fn a_word_must_be_a_string() {
        for json in [r#"{"ISSUED":null}"#, r#"["ISSUED"]"#, "0", "null", r#""issued""#] {
            assert!(serde_json::from_str::<InvoiceStatus>(json).is_err(), "{json}");
        }
        assert!(serde_json::from_str::<EventType>(r#"{"partner.loan.paid":null}"#).is_err());
    }
}

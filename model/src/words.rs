//! The document's enumerated values, spelled as on the wire.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, de};
use utoipa::ToSchema;

/// A word of the document, read only from a JSON string: a derived enumeration would also accept
/// `{"ISSUED": null}`.
trait Word: Copy + 'static {
    /// What the words are, for an error message; empty where the list says it.
    const WHAT: &'static str;

    /// All words of the document.
    const WORDS: &'static [&'static str];

    fn spelled(word: &str) -> Option<Self>;
}

fn read_word<'de, W: Word, D: Deserializer<'de>>(deserializer: D) -> Result<W, D::Error> {
    struct Spelled<W>(PhantomData<W>);
    impl<W: Word> de::Visitor<'_> for Spelled<W> {
        type Value = W;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(W::WHAT)?;
            for (index, word) in W::WORDS.iter().enumerate() {
                let before = match index {
                    0 => "",
                    _ if index + 1 == W::WORDS.len() => " or ",
                    _ => ", ",
                };
                write!(f, "{before}{word}")?;
            }
            Ok(())
        }
        fn visit_str<E: de::Error>(self, word: &str) -> Result<W, E> {
            W::spelled(word).ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
        }
    }
    deserializer.deserialize_str(Spelled(PhantomData))
}

/// Enumerations whose values are words of the document. `$spelling` is the method that gives the word. The word is a
/// `tt`, since utoipa does not see a literal that a macro has parsed.
macro_rules! words {
    ($(
        $(#[$attribute:meta])*
        $name:ident $what:literal $spelling:ident {
            $($(#[$meaning:meta])* $value:ident = $word:tt,)*
        }
    )*) => {
        $(
            $(#[$attribute])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
            pub enum $name {
                $($(#[$meaning])* #[serde(rename = $word)] $value,)*
            }

            impl $name {
                /// All values, in the document's order.
                pub const ALL: [$name; [$($word),*].len()] = [$($name::$value),*];

                /// All values as on the wire, in the document's order.
                pub const WORDS: [&'static str; $name::ALL.len()] = [$($word),*];

                /// The value, as on the wire.
                pub const fn $spelling(self) -> &'static str {
                    match self {
                        $($name::$value => $word,)*
                    }
                }

                /// The value that the document writes as `word`.
                pub fn parse(word: &str) -> Option<$name> {
                    $name::ALL.into_iter().find(|value| value.$spelling() == word)
                }
            }

            impl Word for $name {
                const WHAT: &'static str = $what;
                const WORDS: &'static [&'static str] = &$name::WORDS;

                fn spelled(word: &str) -> Option<$name> {
                    $name::parse(word)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                    read_word(deserializer)
                }
            }
        )*
    };
}

words! {
    /// An invoice's status, as the caller last synced it (§2 Invoice, `status`). The service never changes it.
    InvoiceStatus "" word {
        /// Sent to the payor; the only status that can receive an advance.
        Issued = "ISSUED",
        /// Paid in part, according to the caller.
        PartiallyPaid = "PARTIALLY_PAID",
        /// Paid, according to the caller.
        Paid = "PAID",
        /// Withdrawn.
        Voided = "VOIDED",
    }

    /// How much of an invoice the payor has paid: follows from `collected` and `faceValue` (§3 Collection state).
    CollectionState "" word {
        /// Nothing.
        Uncollected = "UNCOLLECTED",
        /// Something, not all.
        PartiallyCollected = "PARTIALLY_COLLECTED",
        /// All.
        Collected = "COLLECTED",
    }

    /// How far an advance is (§3 Financing state).
    AdvanceState "" name {
        /// Requested by the caller.
        Requested = "REQUESTED",
        /// The money is in transit.
        Funding = "FUNDING",
        /// The vendor has it.
        Funded = "FUNDED",
        /// The payor's payments have recovered advance and fee.
        Repaid = "REPAID",
    }

    /// Why compliance is cleared (§2 Business, `complianceRoute`).
    ComplianceRoute "" word {
        /// The vendor confirmed its number.
        VendorAssertion = "VENDOR_ASSERTION",
        /// The vendor sent a form W-9.
        W9Upload = "W9_UPLOAD",
        /// The caller sent the number; the vendor has not confirmed it.
        PartnerSupplied = "PARTNER_SUPPLIED",
    }

    /// The effect of a sync on an invoice (§2 Invoice sync response, `outcome`).
    SyncOutcome "" word {
        /// The invoice is new.
        Created = "created",
        /// The invoice existed, and all of it follows the sync.
        Updated = "updated",
        /// The invoice has an advance, so that only `status` changed.
        StatusOnly = "statusOnly",
    }

    /// The outcome of a row of an import (§2 Import report).
    RowOutcome "" word {
        /// As for a single sync.
        Created = "created",
        /// As for a single sync.
        Updated = "updated",
        /// As for a single sync.
        StatusOnly = "statusOnly",
        /// The row is bad; it doesn't affect the others (§4 imports rule 6).
        Rejected = "rejected",
    }

    /// The outcome of a tax id sent for a business that the caller already synced.
    TaxIdOutcome "" word {
        /// It is now on file, and compliance is cleared.
        Accepted = "accepted",
        /// It was on file already.
        Unchanged = "unchanged",
        /// It isn't a tax id.
        Malformed = "malformed",
        /// Another one is on file.
        Differs = "differs",
        /// Another business has it.
        HeldByAnother = "heldByAnother",
    }

    /// The kinds of event, in the document's order (§6).
    EventType "the name of an event: " name {
        /// A business that the caller synced exists.
        BusinessAdded = "partner.organization.added",
        /// A business has completed onboarding.
        BusinessOptedIn = "partner.organization.optedIn",
        /// The destination of a business's funds has changed.
        RemittanceUpdated = "partner.organization.remittanceUpdated",
        /// An invoice that the caller synced exists.
        InvoiceCreated = "partner.invoice.created",
        /// The payor has paid an invoice.
        InvoicePaid = "partner.invoice.paid",
        /// The financing state of an advance has changed.
        FactoredUpdated = "partner.invoice.factoredUpdated",
        /// An advance exists.
        AdvanceCreated = "partner.loan.created",
        /// The vendor has been paid.
        AdvanceIssued = "partner.loan.issued",
        /// An advance is settled.
        AdvancePaid = "partner.loan.paid",
    }

    /// A kind of event that a service may have added to the document's list (`9.versioning.4`). It fits a business
    /// as well as an invoice.
    UnlistedEvent "the name of an event: " name {
        /// Somebody has looked at the subject.
        AccountReviewed = "partner.account.reviewed",
        /// There is a document about it.
        DocumentAvailable = "partner.document.available",
        /// Somebody was notified of it.
        NoticeSent = "partner.notice.sent",
        /// It was put into an archive.
        RecordArchived = "partner.record.archived",
    }
}

impl AdvanceState {
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

impl From<SyncOutcome> for RowOutcome {
    fn from(outcome: SyncOutcome) -> RowOutcome {
        match outcome {
            SyncOutcome::Created => RowOutcome::Created,
            SyncOutcome::Updated => RowOutcome::Updated,
            SyncOutcome::StatusOnly => RowOutcome::StatusOnly,
        }
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
    const WHAT: &'static str = EventType::WHAT;
    const WORDS: &'static [&'static str] = &EventType::WORDS;

    fn spelled(word: &str) -> Option<EventKind> {
        let unlisted = || UnlistedEvent::parse(word).map(EventKind::Unlisted);
        EventType::parse(word).map(EventKind::Listed).or_else(unlisted)
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

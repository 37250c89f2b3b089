//! A rule: which requests or deliveries it selects, and what happens to them.

use serde::{Deserialize, Serialize};
use tideover_model::OperationKind;
use tideover_model::words::{EventKind, EventType};
use utoipa::ToSchema;

use crate::event_subject::EventSubject;

/// A fault, and the requests or the deliveries that it is for: its act says which of the two. Every condition that is
/// given must hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FaultRule)]
pub struct Rule {
    /// The label of the fault in a journal or a trace; the name of its act, unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// Only requests of this operation, by its `operationId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub operation: Option<OperationKind>,
    /// Only requests that name this business, invoice, import or subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub identifier: Option<String>,
    /// Only deliveries of events of this type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = EventType, required = false)]
    pub event: Option<EventType>,
    /// Only deliveries about this business, or about an invoice of this payee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub payee: Option<String>,
    /// Only deliveries about this invoice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub invoice: Option<String>,
    /// Only the request or the delivery of this number, from 1, among those that the conditions above select.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    pub nth: Option<u64>,
    /// Only this percentage of those that the conditions above select, at random from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 100)]
    pub percent: Option<u32>,
    /// What happens.
    #[serde(flatten)]
    #[schema(value_type = ActFields)]
    pub act: Act,
}

/// The fields of any [`Act`], for the schema of a rule: a client finds one object easier than one of many.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct ActFields {
    /// What happens to a request or to a delivery.
    act: ActName,
    /// For `upstreamFails` and `connectionDrops`: before or after the effect of the request.
    #[schema(nullable = false)]
    when: Option<When>,
    /// For `answerCut`: how many bytes of the body arrive.
    #[schema(nullable = false)]
    after_bytes: Option<u64>,
    /// For `importStops`: how many rows are carried out.
    #[schema(nullable = false)]
    after_rows: Option<u64>,
    /// For `answerDelayed`: how late the answer is.
    #[schema(nullable = false)]
    milliseconds: Option<u64>,
    /// For `requestThrottled`: the value of `Retry-After`.
    #[schema(nullable = false)]
    retry_after_seconds: Option<u32>,
    /// For `deliveryLate`: how late it is, by the world's clock.
    #[schema(nullable = false, minimum = 1)]
    seconds: Option<u64>,
    /// For `deliveryDropped`, `signedWithAnotherSecret` and `signedAnHourAgo`: how many attempts, from the first; 1 if it
    /// is left out.
    #[schema(nullable = false, minimum = 1)]
    attempts: Option<u32>,
}

/// The events with a value that the document enumerates (§6 Events).
pub(super) const WITH_A_VALUE: EventType = EventType::FactoredUpdated;

/// What happens: the first seven to a request, the others to a delivery.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum ActName {
    UpstreamFails,
    ConnectionDrops,
    AnswerCut,
    ImportStops,
    AnswerDelayed,
    RequestRepeated,
    RequestThrottled,
    DeliveryLate,
    DeliveryDuplicated,
    DeliverySwapped,
    DeliveryDropped,
    UnknownEventType,
    UnknownField,
    UnknownValue,
    BodyIndented,
    SignedWithAnotherSecret,
    SignedAnHourAgo,
}

/// What happens to a request, or to a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Act {
    /// The answer is 502 `upstream_failed` (`7.codes.upstream_failed`).
    UpstreamFails {
        /// Before or after the service carries the request out.
        when: When,
    },
    /// The connection drops without an answer.
    ConnectionDrops {
        /// Before or after the service carries the request out.
        when: When,
    },
    /// The connection drops after so many bytes of the answer's body. The request is carried out.
    AnswerCut {
        /// Bytes of the body that arrive.
        after_bytes: u64,
    },
    /// The import stops after so many rows, and the connection drops. An import that has no more rows left is
    /// not interrupted, and other requests are not affected.
    ImportStops {
        /// Rows that are carried out.
        after_rows: u64,
    },
    /// The answer is late. The request is carried out at once.
    AnswerDelayed {
        /// How late. Milliseconds.
        milliseconds: u64,
    },
    /// The request arrives twice, as a retry by a proxy does. The second answer is the one that arrives.
    RequestRepeated,
    /// The answer is 429 with `Retry-After`, and the request is not carried out. The document shows no such answer
    /// (`gap.requestRate`).
    RequestThrottled {
        /// The value of `Retry-After`. Seconds.
        retry_after_seconds: u32,
    },
    /// Something happens to a delivery.
    #[serde(untagged)]
    Delivery(DeliveryAct),
}

/// What happens to a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "camelCase")]
pub enum DeliveryAct {
    /// Its first attempt comes late (`6.delivery.4`).
    #[serde(rename = "deliveryLate")]
    Late {
        /// How late after its event, by the world's clock. Seconds.
        seconds: u64,
    },
    /// It is sent once more after it was accepted (`6.delivery.3`).
    #[serde(rename = "deliveryDuplicated")]
    Duplicated,
    /// It waits until the receiver has answered a later delivery of the same subscription (`6.delivery.4`), at most a day
    /// of the world's clock.
    #[serde(rename = "deliverySwapped")]
    Swapped,
    /// Its first attempts never leave, and count as attempts that the receiver does not answer (`6.delivery.1.2`).
    #[serde(rename = "deliveryDropped")]
    Dropped {
        /// How many attempts.
        attempts: u32,
    },
    /// Its event has a type that the document does not list (`9.versioning.4`).
    UnknownEventType,
    /// Its event and its data each have a field that the document does not show (`gap.eventFields`).
    UnknownField,
    /// Its event, a `partner.invoice.factoredUpdated`, has a financing state that the document does not list
    /// (`9.versioning.2`).
    UnknownValue,
    /// Its body has line breaks and tabs between the tokens (`6.signature.2`).
    BodyIndented,
    /// Its first attempts are signed with a secret that is not the subscription's (`6.signature.3`).
    SignedWithAnotherSecret {
        /// How many attempts.
        attempts: u32,
    },
    /// Its first attempts have a valid signature of an hour before (`6.signature.4`).
    SignedAnHourAgo {
        /// How many attempts.
        attempts: u32,
    },
}

impl From<DeliveryAct> for Act {
    fn from(act: DeliveryAct) -> Act {
        Act::Delivery(act)
    }
}

/// Whether a fault comes before or after the service carries the request out.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum When {
    /// The request has no effect.
    BeforeCommit,
    /// The request has its effect.
    AfterCommit,
}

/// What a rule looks at in a request.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The operation, if the path and the method name one.
    pub operation: Option<OperationKind>,
    /// The businesses, invoices, imports and subscriptions that it names.
    pub identifiers: &'a [&'a str],
}

/// What a rule looks at in a delivery.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// The type of its event.
    pub(crate) event: EventKind,
    /// Whom its event is about.
    pub(crate) subject: EventSubject,
    /// Whether its subscription gets events of every type.
    pub(crate) gets_every_event: bool,
    /// Whether another delivery of its subscription waits to be overtaken.
    pub(crate) is_behind_another: bool,
}

impl Act {
    /// Its stable name, with the time of the fault where that matters: `upstreamFails.beforeCommit`.
    pub fn name(self) -> &'static str {
        match self {
            Act::UpstreamFails { when: When::BeforeCommit } => "upstreamFails.beforeCommit",
            Act::UpstreamFails { when: When::AfterCommit } => "upstreamFails.afterCommit",
            Act::ConnectionDrops { when: When::BeforeCommit } => "connectionDrops.beforeCommit",
            Act::ConnectionDrops { when: When::AfterCommit } => "connectionDrops.afterCommit",
            Act::AnswerCut { .. } => "answerCut",
            Act::ImportStops { .. } => "importStops",
            Act::AnswerDelayed { .. } => "answerDelayed",
            Act::RequestRepeated => "requestRepeated",
            Act::RequestThrottled { .. } => "requestThrottled",
            Act::Delivery(act) => act.name(),
        }
    }

    /// The seconds after which the answer asks the client to come again.
    pub(crate) fn retry_after(self) -> Option<u32> {
        match self {
            Act::RequestThrottled { retry_after_seconds } => Some(retry_after_seconds),
            _ => None,
        }
    }
}

impl DeliveryAct {
    /// How many attempts it changes, if not all.
    pub(super) fn attempts(self) -> Option<u32> {
        match self {
            DeliveryAct::Dropped { attempts }
            | DeliveryAct::SignedWithAnotherSecret { attempts }
            | DeliveryAct::SignedAnHourAgo { attempts } => Some(attempts),
            _ => None,
        }
    }

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryAct::Late { .. } => "deliveryLate",
            DeliveryAct::Duplicated => "deliveryDuplicated",
            DeliveryAct::Swapped => "deliverySwapped",
            DeliveryAct::Dropped { .. } => "deliveryDropped",
            DeliveryAct::UnknownEventType => "unknownEventType",
            DeliveryAct::UnknownField => "unknownField",
            DeliveryAct::UnknownValue => "unknownValue",
            DeliveryAct::BodyIndented => "bodyIndented",
            DeliveryAct::SignedWithAnotherSecret { .. } => "signedWithAnotherSecret",
            DeliveryAct::SignedAnHourAgo { .. } => "signedAnHourAgo",
        }
    }
}

impl Rule {
    /// A rule for every request, or for every delivery.
    pub fn always(act: impl Into<Act>) -> Rule {
        Rule {
            label: None,
            operation: None,
            identifier: None,
            event: None,
            payee: None,
            invoice: None,
            nth: None,
            percent: None,
            act: act.into(),
        }
    }

    /// The label of the fault.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(self.act.name())
    }

    /// The same without a label of its own.
    pub(crate) fn unlabelled(&self) -> Rule {
        Rule { label: None, ..self.clone() }
    }

    /// Whether it is for requests, and operation and identifier are those of the rule.
    pub fn selects(&self, call: &Call<'_>) -> bool {
        let can_act = match self.act {
            Act::Delivery(_) => false,
            Act::ImportStops { .. } => call.operation == Some(OperationKind::ImportInvoices),
            _ => true,
        };
        let is_named = |name: &String| call.identifiers.contains(&name.as_str());
        can_act
            && self.operation.is_none_or(|kind| call.operation == Some(kind))
            && self.identifier.as_ref().is_none_or(is_named)
    }

    /// Whether it is for deliveries, and event, payee and invoice are those of the rule.
    pub(crate) fn selects_delivery(&self, notice: &Notice) -> bool {
        let can_act = match self.act {
            // A subscription that names its types gets no other.
            Act::Delivery(DeliveryAct::UnknownEventType) => notice.gets_every_event,
            Act::Delivery(DeliveryAct::UnknownValue) => notice.event == WITH_A_VALUE,
            Act::Delivery(DeliveryAct::Swapped) => !notice.is_behind_another,
            Act::Delivery(_) => true,
            _ => false,
        };
        can_act
            && self.event.is_none_or(|event| notice.event == event)
            && notice.subject.is(self.payee.as_deref(), self.invoice.as_deref())
    }

    /// Whether it fires for the request or the delivery of this number, from 1, among those that it selects. `percentile`
    /// is the random number of it, from 0 to 99.
    pub fn fires(&self, number: u64, percentile: u32) -> bool {
        self.nth.is_none_or(|nth| nth == number)
            && self.percent.is_none_or(|percent| percentile < percent)
    }
}

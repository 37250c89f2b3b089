//! A rule: which requests it selects, and what happens to them.

use serde::{Deserialize, Serialize};
use tideover_model::OperationKind;
use utoipa::ToSchema;

/// A fault and the requests that it is for. Every condition that is given must hold.
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
    /// Only the request of this number, from 1, among those that the conditions above select.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    pub nth: Option<u64>,
    /// Only this percentage of the requests that the conditions above select, at random from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 100)]
    pub percent: Option<u32>,
    /// What happens.
    #[serde(flatten)]
    #[schema(value_type = ActFields)]
    pub act: Act,
}

/// The fields of any [`Act`], for the schema of a rule: a client finds one object easier than one of six.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct ActFields {
    /// What happens to a request.
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
}

/// What happens to a request.
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
}

/// What happens to a request.
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
        }
    }
}

impl Rule {
    /// A rule for every request.
    pub fn always(act: Act) -> Rule {
        Rule { label: None, operation: None, identifier: None, nth: None, percent: None, act }
    }

    /// The label of the fault.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(self.act.name())
    }

    /// The same without a label of its own.
    pub(crate) fn unlabelled(&self) -> Rule {
        Rule { label: None, ..self.clone() }
    }

    /// Whether operation and identifier are those of the rule.
    pub fn selects(&self, call: &Call<'_>) -> bool {
        let is_operation = self.operation.is_none_or(|kind| call.operation == Some(kind));
        let is_named = |name: &String| call.identifiers.contains(&name.as_str());
        let is_import = call.operation == Some(OperationKind::ImportInvoices);
        let can_act = is_import || !matches!(self.act, Act::ImportStops { .. });
        is_operation && self.identifier.as_ref().is_none_or(is_named) && can_act
    }

    /// Whether it fires for the request of this number, from 1, among those that it selects. `percentile` is
    /// the random number of this request, from 0 to 99.
    pub fn fires(&self, number: u64, percentile: u32) -> bool {
        self.nth.is_none_or(|nth| nth == number)
            && self.percent.is_none_or(|percent| percentile < percent)
    }
}

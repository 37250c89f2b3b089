//! The history of concurrent requests: calls and responses, in the order of time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tideover_exchange::step::Step;
use tideover_exchange::{Prepared, PreparedAction, Response};
use tideover_model::wire::action::name_in;
use tideover_model::{Operation, OperationKind, Timestamp};

/// The client of the steps before and after a race. The clients of the race are numbered from 1.
pub(super) const ALONE: usize = 0;

/// Requests with the times of their calls and responses, on one monotonic clock.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// In the order of their calls.
    pub requests: Vec<TimedRequest>,
    /// Whether the clock counts microseconds. In process it counts calls and responses.
    pub is_timed: bool,
}

/// A request with its response, on the clock of its history.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedRequest {
    /// Who sent it. A client has one request in flight at a time, unless a response was lost.
    pub client: usize,
    pub step: Step,
    pub sent: Prepared,
    /// When it was sent, on the monotonic clock.
    pub called: u64,
    /// The target's time then.
    pub now: Timestamp,
    /// `None` if no response came.
    pub response: Option<TimedResponse>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TimedResponse {
    /// When it came, on the monotonic clock.
    pub at: u64,
    pub seen: Response,
}

/// When a request was under way, where others were as well.
// These comments are descriptions in the schema of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interval {
    /// Who sent it, from 1; 0 if nothing else was under way.
    pub client: usize,
    /// When, on a monotonic clock: microseconds, or in process what has happened.
    pub called: u64,
    /// When it was answered; nothing if it was not.
    pub answered: Option<u64>,
}

impl History {
    pub(crate) fn operation(&self, request: usize) -> Option<&Operation> {
        self.requests[request].operation()
    }

    /// Each request with its operation, if it has one.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (usize, &TimedRequest, &Operation)> {
        let all = self.requests.iter().enumerate();
        all.filter_map(|(index, request)| Some((index, request, request.operation()?)))
    }

    /// The number of requests with an unknown outcome.
    pub fn unknown(&self) -> usize {
        self.requests.iter().filter(|request| request.outcome().is_none()).count()
    }
}

impl Interval {
    /// Whether other requests were in flight.
    pub fn is_at_once(&self) -> bool {
        self.client != ALONE
    }
}

impl TimedRequest {
    pub(crate) fn interval(&self) -> Interval {
        let answered = self.response.as_ref().map(|response| response.at);
        Interval { client: self.client, called: self.called, answered }
    }

    pub(crate) fn seen(&self) -> Option<&Response> {
        self.response.as_ref().map(|response| &response.seen)
    }

    /// The response, if it says whether the request was carried out. After a failure of the service or of a gateway,
    /// the request may still be carried out (`7.retrying.1`).
    pub fn outcome(&self) -> Option<&TimedResponse> {
        self.response.as_ref().filter(|response| response.seen.status < 500)
    }

    /// How long the response took, on the monotonic clock.
    pub(crate) fn took(&self) -> Option<u64> {
        Some(self.response.as_ref()?.at.saturating_sub(self.called))
    }

    /// Whether it was sent before a race or after it.
    pub(crate) fn is_alone(&self) -> bool {
        self.client == ALONE
    }

    /// The response, if it is a success.
    pub(crate) fn success(&self) -> Option<&TimedResponse> {
        self.outcome().filter(|response| response.seen.is_success())
    }

    pub(crate) fn kind(&self) -> Option<OperationKind> {
        self.sent.kind()
    }

    /// Whether it changes nothing, whatever its outcome.
    pub(crate) fn reads(&self) -> bool {
        self.kind().is_some_and(OperationKind::reads)
    }

    /// The operation, if the request has the documented form.
    pub(crate) fn operation(&self) -> Option<&Operation> {
        self.sent.call()?.operation()
    }

    /// The request in words.
    pub(crate) fn described(&self) -> String {
        match &self.sent.action {
            PreparedAction::Call(call) => format!("{} {}", call.method, call.path),
            PreparedAction::Act(fields) => {
                format!("the action {}", name_in(fields).unwrap_or_default())
            }
            PreparedAction::Advance(_) => "the clock".to_owned(),
            PreparedAction::Deliveries => "the deliveries".to_owned(),
        }
    }

    /// Whether its response came before `other` was sent.
    pub(crate) fn precedes(&self, other: &TimedRequest) -> bool {
        self.response.as_ref().is_some_and(|response| response.at < other.called)
    }

    /// Whether it may have taken effect before the response to `other`.
    pub(crate) fn may_precede(&self, other: &TimedRequest) -> bool {
        other.outcome().is_none_or(|response| self.called <= response.at)
    }
}

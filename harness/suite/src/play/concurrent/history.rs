//! The history of concurrent requests: calls and responses, in order of time.

use schemars::JsonSchema;
use serde::Serialize;
use tideover_exchange::step::Step;
use tideover_exchange::{Prepared, PreparedAction, PreparedCall, Response};
use tideover_model::wire::action::name_in;
use tideover_model::{ActionKind, Operation, OperationKind, Timestamp};

/// Who sends what comes before the race and after it; the clients in it are numbered from 1.
pub(super) const ALONE: usize = 0;

/// Requests, each with when it was called and answered, on one monotonic clock.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// In the order in which they were called.
    pub requests: Vec<Request>,
    /// Whether its clock counts microseconds; in process it counts what happens.
    pub is_timed: bool,
}

/// A request and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who sent it: a client has one request under way at a time, unless its answer was lost.
    pub client: usize,
    /// What was to be done.
    pub step: Step,
    /// What was sent.
    pub sent: Prepared,
    /// When, on the monotonic clock.
    pub called: u64,
    /// What the target's clock showed then.
    pub now: Timestamp,
    /// What was answered; nothing if no answer came.
    pub answer: Option<Answer>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// When it came, on the monotonic clock.
    pub at: u64,
    /// What it was.
    pub seen: Response,
}

/// When a request was under way, where others were as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// The operation that a request asks for, if it is one of the published form.
    pub(crate) fn operation(&self, request: usize) -> Option<&Operation> {
        self.requests[request].operation()
    }

    /// Each request with its operation, if it has one.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (usize, &Request, &Operation)> {
        let all = self.requests.iter().enumerate();
        all.filter_map(|(index, request)| Some((index, request, request.operation()?)))
    }
}

impl Interval {
    /// Whether other requests were under way.
    pub fn is_at_once(&self) -> bool {
        self.client != ALONE
    }
}

impl Request {
    /// When it was under way.
    pub fn interval(&self) -> Interval {
        let answered = self.answer.as_ref().map(|answer| answer.at);
        Interval { client: self.client, called: self.called, answered }
    }

    /// The answer, if it says whether the request was carried out: after a failure of the service or of whatever
    /// stands before it, that may still happen (`7.retrying.1`).
    pub fn outcome(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|answer| answer.seen.status < 500)
    }

    /// How long the answer took, on the monotonic clock.
    pub(crate) fn took(&self) -> Option<u64> {
        Some(self.answer.as_ref()?.at.saturating_sub(self.called))
    }

    /// Whether it was sent before a race or after it.
    pub(crate) fn is_alone(&self) -> bool {
        self.client == ALONE
    }

    /// The answer, if the target did as it was asked.
    pub(crate) fn success(&self) -> Option<&Answer> {
        self.outcome().filter(|answer| answer.seen.is_success())
    }

    /// The operation that was asked for, if it was one.
    pub(crate) fn kind(&self) -> Option<OperationKind> {
        self.sent.kind()
    }

    /// Whether it cannot change anything, whatever came of it.
    pub(crate) fn reads(&self) -> bool {
        self.kind().is_some_and(OperationKind::reads)
    }

    /// The operation that was asked for, if it was one of the published form.
    pub(crate) fn operation(&self) -> Option<&Operation> {
        self.call()?.operation()
    }

    /// The request, if it was one of the partner API.
    pub(crate) fn call(&self) -> Option<&PreparedCall> {
        self.sent.call()
    }

    /// The action of the operator port, if it was one.
    pub(crate) fn acts(&self) -> Option<ActionKind> {
        self.sent.acts()
    }

    /// What was asked for, in short.
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

    /// Whether it was answered before `other` was called.
    pub(crate) fn precedes(&self, other: &Request) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.at < other.called)
    }

    /// Whether it may have taken effect before `other` was answered.
    pub(crate) fn may_precede(&self, other: &Request) -> bool {
        other.outcome().is_none_or(|answer| self.called <= answer.at)
    }
}

impl History {
    /// How many requests have an unknown outcome.
    pub fn unknown(&self) -> usize {
        self.requests.iter().filter(|request| request.outcome().is_none()).count()
    }

    /// How many clients sent them.
    pub fn clients(&self) -> usize {
        let clients: std::collections::BTreeSet<usize> =
            self.requests.iter().map(|request| request.client).collect();
        clients.len()
    }
}

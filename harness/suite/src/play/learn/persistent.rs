//! Requests that fail whenever they are sent, although others are answered.
//!
//! One failure may be an outage. So a request is a suspect if it must be refused and fails each time that it is sent again
//! at once, or if it fails with the status of a crash. Its steps are played once more with the request several times among
//! others: by itself it comes too seldom to be accused.

use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::step::Step;
use tideover_exchange::{Exchange, Prepared};
use tideover_judge::{has_failed, is_informative};
use tideover_model::{Code, OperationKind, clause};

use crate::generate::BODY_LIMIT;
use crate::generate::plain::plain;
use crate::generate::requests;
use crate::play::learn::failing::{AGAIN_AT_ONCE, CRASH};

/// How often a request that must be refused has to fail in one case, each time with an answered request before it.
const TIMES: usize = 4;

/// The same for one of which nobody knows what becomes of it: each time with an answered request of its kind before it.
const TIMES_IF_OPEN: usize = 8;

/// The largest body that is sent again and again: one that is just over the usual limit, but none of many times as much.
/// Bytes.
const MOST_BYTES: usize = 2 * BODY_LIMIT;

/// The requests of a case that failed each time so far.
#[derive(Clone, Debug, Default)]
pub struct Persistent {
    failed: Vec<FailedRequest>,
}

#[derive(Clone, Debug)]
struct FailedRequest {
    sent: Prepared,
    /// The step that failed first, by its index.
    index: usize,
    /// The code with which it must be refused, if it must.
    due: Option<Code>,
    times: usize,
    /// Whether another request was answered since.
    is_past: bool,
}

/// The steps that show whether a request fails whenever it is sent.
#[derive(Clone, Debug)]
pub struct Probe {
    pub steps: Vec<Step>,
    /// Whether nobody knows what becomes of it.
    pub is_open: bool,
}

impl FailedRequest {
    /// Whether the answer to `exchange` shows that the failure is no outage.
    fn is_shown_to_work_by(&self, exchange: &Exchange<'_>) -> bool {
        self.due.is_some() || self.sent.kind() == exchange.kind()
    }

    fn finding(&self, exchange: &Exchange<'_>) -> Option<Finding> {
        let status = exchange.seen.status;
        let of = |clause, expected, times, others| {
            let seen = format!("{status} each of {times} times, while {others} were answered");
            Finding::new(clause, exchange.operation(), "status", expected, seen)
        };
        match self.due {
            Some(code) => (self.times >= TIMES).then(|| {
                of(code.clause(), code.name(), self.times * (AGAIN_AT_ONCE + 1), "others")
            }),
            None => (self.times >= TIMES_IF_OPEN).then(|| {
                let clause = clause!("7.codes.upstream_failed");
                of(clause, "a success or a refusal", self.times, "others of its kind")
            }),
        }
    }
}

impl Persistent {
    /// Counts the response to the step of this index, which failed `again` times before. `due` is the code with which
    /// it had to be refused. The finding, once it has failed often enough.
    pub(crate) fn record(
        &mut self,
        exchange: &Exchange<'_>,
        due: Option<Code>,
        again: usize,
        index: usize,
    ) -> Option<Finding> {
        if !has_failed(exchange.sent, exchange.seen) {
            if is_informative(exchange.seen) {
                let failed = self.failed.iter_mut();
                failed.for_each(|failed| failed.is_past |= failed.is_shown_to_work_by(exchange));
            }
            return None;
        }
        let due = due.filter(|_| again >= AGAIN_AT_ONCE);
        if due.is_none() && !has_crashed(exchange) {
            return None;
        }
        // What is due for one request may change.
        let is_it =
            |failed: &&mut FailedRequest| failed.sent == *exchange.sent && failed.due == due;
        match self.failed.iter_mut().find(is_it) {
            Some(known) => {
                known.times += usize::from(std::mem::take(&mut known.is_past));
                known.finding(exchange)
            }
            None => {
                let sent = exchange.sent.clone();
                self.failed.push(FailedRequest { sent, index, due, times: 1, is_past: false });
                None
            }
        }
    }

    /// The steps that show whether a suspect of `steps` fails whenever it is sent, each with others between.
    pub(crate) fn probes<'a>(&'a self, steps: &'a [Step]) -> impl Iterator<Item = Probe> + 'a {
        self.failed.iter().filter_map(|failed| {
            let (before, last) = (steps.get(..failed.index)?, steps.get(failed.index)?);
            let (times, other) = match failed.due {
                Some(_) => (TIMES, requests::list_subscriptions()),
                None => (TIMES_IF_OPEN, plain(last.kind()?)),
            };
            // Nothing would be answered between.
            if other.action == last.action && other.caller == last.caller {
                return None;
            }
            let sent = (0..times).flat_map(|_| [other.clone(), last.clone()]);
            let steps = before.iter().cloned().chain(sent).collect();
            Some(Probe { steps, is_open: failed.due.is_none() })
        })
    }
}

/// Whether the service failed at a request that may be sent again, and does not blame what is behind it.
fn has_crashed(exchange: &Exchange<'_>) -> bool {
    let is_once = exchange.kind().is_none_or(|kind| kind == OperationKind::Subscribe);
    let is_large = exchange.call().is_some_and(|call| call.body().len() > MOST_BYTES);
    exchange.seen.status == CRASH && !is_once && !is_large
}

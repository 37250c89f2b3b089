//! Requests that must be refused and fail instead, whenever they are sent, although others are answered.
//!
//! One failure may be an outage. So a request that fails each time that it is sent again at once is a suspect, and its
//! steps are played once more with the request several times among others. Only then is it accused.

use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::step::Step;
use tideover_exchange::{Exchange, Prepared};
use tideover_judge::{has_failed, is_informative};
use tideover_model::Code;

use crate::generate::requests;
use crate::play::learn::failing::AGAIN_AT_ONCE;

/// How often a request must fail at once in one case, each time with an answered request before it.
const TIMES: usize = 4;

/// The requests of a case that failed each time that they were sent again at once.
#[derive(Clone, Debug, Default)]
pub struct Persistent {
    failed: Vec<FailedRequest>,
    /// The steps, by index, that failed so for the first time.
    suspects: Vec<usize>,
}

#[derive(Clone, Debug)]
struct FailedRequest {
    sent: Prepared,
    times: usize,
    /// Whether another request was answered since.
    is_past: bool,
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
                self.failed.iter_mut().for_each(|failed| failed.is_past = true);
            }
            return None;
        }
        let code = due.filter(|_| again >= AGAIN_AT_ONCE)?;
        let known = self.failed.iter_mut().find(|failed| failed.sent == *exchange.sent);
        let Some(known) = known else {
            let sent = exchange.sent.clone();
            self.failed.push(FailedRequest { sent, times: 1, is_past: false });
            self.suspects.push(index);
            return None;
        };
        known.times += usize::from(std::mem::take(&mut known.is_past));
        let (times, status) = (known.times * (AGAIN_AT_ONCE + 1), exchange.seen.status);
        (known.times >= TIMES).then(|| {
            let seen = format!("{status} each of {times} times, while others were answered");
            Finding::new(code.clause(), exchange.operation(), "status", code.name(), seen)
        })
    }

    /// The steps that show whether a suspect of `steps` fails whenever it is sent, each with others between.
    pub(crate) fn probes<'a>(&'a self, steps: &'a [Step]) -> impl Iterator<Item = Vec<Step>> + 'a {
        self.suspects.iter().filter_map(|index| {
            let (before, last) = (steps.get(..*index)?, steps.get(*index)?);
            let sent = (0..TIMES).flat_map(|_| [requests::list_subscriptions(), last.clone()]);
            Some(before.iter().cloned().chain(sent).collect())
        })
    }
}

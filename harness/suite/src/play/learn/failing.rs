//! Requests that fail each time, although others are served (§7 `upstream_failed`).

use std::collections::BTreeMap;
use std::mem::take;

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_judge::{has_failed, is_informative};
use tideover_model::{ActionKind, Code, OperationKind, clause};

/// How often a kind of request must fail, and in how many cases, before that is a finding: an outage would hit other
/// requests of the same cases, too.
const OFTEN: u64 = 5;
const CASES: u64 = 3;

/// A kind of request with the outcome that was due.
type Asked = (OperationKind, Due);

/// The outcome that was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Success,
    Refusal(Code),
    /// The model follows the failure, so that it predicts nothing else.
    Unknown,
}

impl Due {
    fn of(refusal: Option<Code>) -> Due {
        match refusal {
            None => Due::Success,
            Some(Code::UpstreamFailed) => Due::Unknown,
            Some(code) => Due::Refusal(code),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Due::Success => "a success",
            Due::Refusal(code) => code.name(),
            Due::Unknown => "a response",
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Failures {
    times: u64,
    cases: u64,
    /// The last response.
    last: String,
}

/// Which kinds of requests failed, and which were answered.
///
/// A failure says nothing of the service if no later request of the case is answered, or if the operator port announced
/// it.
#[derive(Clone, Debug, Default)]
pub struct Failing {
    failed: BTreeMap<Asked, Failures>,
    answered: BTreeMap<Asked, u64>,
    /// Failures since the last answered request of this case.
    open: Vec<(Asked, String)>,
    is_announced: bool,
}

impl Failing {
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>) {
        self.is_announced |= exchange.acts() == Some(ActionKind::UpstreamFails);
        let (Some(kind), false) = (exchange.kind(), self.is_announced) else { return };
        if has_failed(exchange.sent, exchange.seen) {
            let code = exchange.seen.code().unwrap_or_default();
            let due = Due::of(exchange.predicted_refusal.map(|(code, _)| code));
            self.open.push(((kind, due), format!("{} {code}", exchange.seen.status)));
        } else if is_informative(exchange.seen) {
            let seen = Due::of(exchange.seen.code().and_then(Code::parse));
            *self.answered.entry((kind, seen)).or_default() += 1;
            for (asked, last) in take(&mut self.open) {
                let failures = self.failed.entry(asked).or_default();
                *failures = Failures { times: failures.times + 1, cases: 1, last };
            }
        }
    }

    pub fn add(&mut self, other: &Failing) {
        for (asked, failures) in &other.failed {
            let known = self.failed.entry(*asked).or_default();
            known.times += failures.times;
            known.cases += failures.cases;
            known.last.clone_from(&failures.last);
        }
        for (asked, times) in &other.answered {
            *self.answered.entry(*asked).or_default() += times;
        }
    }

    /// The kinds of requests that failed each time.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let always = self.failed.iter().filter(|(asked, failures)| {
            let is_often = failures.times >= OFTEN && failures.cases >= CASES;
            let is_answered = match asked.1 {
                Due::Unknown => self.answered.keys().any(|(kind, _)| *kind == asked.0),
                Due::Success | Due::Refusal(_) => self.answered.contains_key(*asked),
            };
            is_often && !is_answered
        });
        let finding = |((kind, due), Failures { times, last, .. }): (&Asked, &Failures)| {
            let due = due.words();
            let expected = format!("{due}, at least once in {times} requests");
            let seen = format!("{} each time", last.trim_end());
            let clause = clause!("7.codes.upstream_failed");
            let operation = format!("{} {}", kind.method(), kind.path());
            (Finding::new(clause, operation, "status", expected, seen), *times)
        };
        always.map(finding).collect()
    }
}

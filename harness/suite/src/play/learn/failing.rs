//! Requests that fail each time, although others are served (§7 `upstream_failed`).

use std::collections::BTreeMap;
use std::mem::take;

use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::step::lets_fail;
use tideover_exchange::{Exchange, Prepared, Response};
use tideover_judge::{has_failed, is_informative};
use tideover_model::{ActionKind, Clause, Code, OperationKind, clause};

/// How often a kind of request must fail, and in how many cases, before that is a finding: an outage would hit other
/// requests of the same cases, too.
const OFTEN: u64 = 4;
const CASES: u64 = 3;

/// In how many cases it is enough if the same request failed each time it was sent again at once, and the next one was
/// answered.
const CASES_AT_ONCE: u64 = 2;

/// How often a failed request that must be refused is sent again at once.
pub(crate) const AGAIN_AT_ONCE: usize = 3;

/// A kind of request, if the path is served, with the outcome that was due.
type Asked = (Option<OperationKind>, Due);

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

    /// The sentence that asks for it.
    fn clause(self) -> Clause {
        match self {
            Due::Refusal(code) => code.clause(),
            Due::Success | Due::Unknown => clause!("7.codes.upstream_failed"),
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

/// How often one kind of request was not answered as it had to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures {
    pub(super) times: u64,
    pub(super) cases: u64,
    /// In how many cases the same request failed again and again at once.
    at_once: u64,
    /// The last response.
    pub(super) last: String,
}

impl Failures {
    /// Counts one more in the same case.
    pub(super) fn count(&mut self, last: String) {
        *self = Failures { times: self.times + 1, cases: 1, at_once: self.at_once, last };
    }

    /// Adds those of other cases.
    pub(super) fn add(&mut self, other: &Failures) {
        self.times += other.times;
        self.cases += other.cases;
        self.at_once += other.at_once;
        if other.times > 0 {
            self.last.clone_from(&other.last);
        }
    }
}

/// Which kinds of requests failed, and which were answered.
///
/// A failure says nothing of the service if no later request of the case is answered, or if the operator port announced
/// it. One that asks for a retry counts only once the same request has failed again.
#[derive(Clone, Debug, Default)]
pub struct Failing {
    failed: BTreeMap<Asked, Failures>,
    answered: BTreeMap<Asked, u64>,
    /// Failures since the last answered request of this case.
    open: Vec<OpenFailure>,
    /// The requests of this case whose failure asked for a retry.
    to_retry: Vec<Prepared>,
    /// The actions of the operator port in this case.
    acts: Vec<ActionKind>,
    announced: Announced,
}

/// How failures that the operator port had announced were answered (§7 `upstream_failed`).
#[derive(Clone, Debug, Default)]
struct Announced {
    /// How many of this case are still to come at least.
    left: u64,
    /// Those with the status of a crash.
    crashes: Failures,
    is_documented: bool,
}

impl Announced {
    fn record(&mut self, exchange: &Exchange<'_>) {
        if exchange.acts() == Some(ActionKind::UpstreamFails) && exchange.seen.is_success() {
            self.left += 1;
        }
        if self.left == 0 || exchange.call().is_none() {
            return;
        }
        if has_failed(exchange.sent, exchange.seen) {
            self.left -= 1;
        }
        match exchange.seen.status {
            BAD_GATEWAY => self.is_documented = true,
            CRASH => self.crashes.count(CRASH.to_string()),
            _ => {}
        }
    }

    fn add(&mut self, other: &Announced) {
        self.crashes.add(&other.crashes);
        self.is_documented |= other.is_documented;
    }

    fn finding(&self) -> Option<(Finding, u64)> {
        let Failures { times, cases, last, .. } = &self.crashes;
        let is_found = *times >= OFTEN && *cases >= CASES && !self.is_documented;
        is_found.then(|| {
            let clause = clause!("7.codes.upstream_failed");
            let expected = format!("{BAD_GATEWAY}, at least once in {times} announced failures");
            let seen = format!("{last} each time");
            (Finding::new(clause, "any request", "status", expected, seen), *times)
        })
    }
}

/// A failure that no answered request has followed yet.
#[derive(Clone, Debug)]
struct OpenFailure {
    asked: Asked,
    last: String,
    /// Whether the same request failed again and again at once, and nothing has failed since.
    at_once: bool,
}

/// Whether the same request may succeed a moment later (§7 Retrying 1).
pub(crate) fn asks_for_retry(seen: &Response) -> bool {
    matches!(seen.status, BAD_GATEWAY | UNAVAILABLE)
}

const BAD_GATEWAY: u16 = 502;
const UNAVAILABLE: u16 = 503;

/// The status of a service that failed by itself: others blame what is behind it, or before it.
pub(crate) const CRASH: u16 = 500;

impl Failing {
    /// Whether the operator port was asked to let a request of this kind fail.
    pub(crate) fn is_announced(&self, sent: &Prepared) -> bool {
        self.acts.iter().any(|action| lets_fail(*action, sent.kind()))
    }

    /// Counts an answered or failed request, which failed `again` times before. `due` is the code with which it had to be
    /// refused.
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>, due: Option<Code>, again: usize) {
        self.acts.extend(exchange.acts());
        self.announced.record(exchange);
        let is_announced = self.is_announced(exchange.sent);
        if exchange.kind() == Some(OperationKind::ImportInvoices) {
            // No later one is interrupted.
            self.acts.retain(|action| *action != ActionKind::InterruptNextImport);
        }
        if exchange.call().is_none() || is_announced {
            return;
        }
        let kind = exchange.kind();
        if has_failed(exchange.sent, exchange.seen) {
            self.open.iter_mut().for_each(|open| open.at_once = false);
            let at_once = again >= AGAIN_AT_ONCE;
            if asks_for_retry(exchange.seen) && !at_once && !self.to_retry.contains(exchange.sent) {
                self.to_retry.push(exchange.sent.clone());
                return;
            }
            let code = exchange.seen.code().unwrap_or_default();
            let due = Due::of(due.or(exchange.predicted_refusal.map(|(code, _)| code)));
            let last = format!("{} {code}", exchange.seen.status);
            self.open.push(OpenFailure { asked: (kind, due), last, at_once });
            return;
        }
        // Another code may come in place of the one that is due.
        let predicted = exchange.predicted_refusal.map(|(code, _)| code);
        for code in due.into_iter().chain(predicted) {
            *self.answered.entry((kind, Due::Refusal(code))).or_default() += 1;
        }
        if is_informative(exchange.seen) {
            let seen = Due::of(exchange.seen.code().and_then(Code::parse));
            *self.answered.entry((kind, seen)).or_default() += 1;
            for OpenFailure { asked, last, at_once } in take(&mut self.open) {
                let failures = self.failed.entry(asked).or_default();
                failures.count(last);
                failures.at_once |= u64::from(at_once);
            }
        }
    }

    pub fn add(&mut self, other: &Failing) {
        for (asked, failures) in &other.failed {
            self.failed.entry(*asked).or_default().add(failures);
        }
        self.announced.add(&other.announced);
        for (asked, times) in &other.answered {
            *self.answered.entry(*asked).or_default() += times;
        }
    }

    /// The kinds of requests that failed each time.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let always = self.failed.iter().filter(|(asked, failures)| {
            // An outage of what one kind of request needs ends.
            let is_served = || self.answered.keys().any(|(kind, _)| *kind == asked.0);
            let is_often = failures.times >= OFTEN && failures.cases >= CASES
                || failures.at_once >= CASES_AT_ONCE && is_served();
            let is_answered = match asked.1 {
                Due::Unknown => is_served(),
                Due::Success | Due::Refusal(_) => self.answered.contains_key(*asked),
            };
            is_often && !is_answered
        });
        // A kind of request that never succeeds fails for one reason, whatever was due.
        let is_refusal = |due: &Due| matches!(due, Due::Refusal(_));
        let never_succeeds =
            |kind| always.clone().any(|((other, due), _)| *other == kind && !is_refusal(due));
        let causes =
            always.clone().filter(|((kind, due), _)| !is_refusal(due) || !never_succeeds(*kind));
        let finding = |((kind, due), Failures { times, last, .. }): (&Asked, &Failures)| {
            let expected = format!("{}, at least once in {times} requests", due.words());
            let seen = format!("{} each time", last.trim_end());
            let clause = due.clause();
            let operation = kind.map_or_else(|| "any request".to_owned(), |kind| kind.to_string());
            (Finding::new(clause, operation, "status", expected, seen), *times)
        };
        causes.map(finding).chain(self.announced.finding()).collect()
    }
}

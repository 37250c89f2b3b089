//! The outcome of a case.

use std::time::Duration;

use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::evidence::{CaseShapes, Gaps, Point};
use tideover_exchange::matcher::Mismatch;
use tideover_exchange::target::Unreachable;
use tideover_exchange::{Arrival, Exchange, Prepared, Response};
use tideover_judge::{Belief, has_failed};
use tideover_model::{Code, OperationKind, Timestamp, clause};

use crate::play::learn::{
    Constant, Failing, Lessons, MediaTypes, Persistent, Renamed, Repeats, Replaced, Variants,
};

/// The outcome of a case, or of steps that are played again.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// When each step was played, and its response if one came.
    pub answers: Vec<(Timestamp, Option<Response>)>,
    /// How often each clause was met.
    pub met: Tally,
    /// How many clauses were met after each judged step.
    pub met_after: Vec<usize>,
    pub coverage: Coverage,
    /// What came to the inbox, each with the index of its step.
    pub arrivals: Vec<(usize, Arrival)>,
    /// The response times, where they are worth measuring.
    pub latencies: Vec<(OperationKind, Duration)>,
    /// The findings of the last step: a case ends with the first step that has any.
    pub findings: Vec<Finding>,
    /// Findings that end no case, stalled and inconclusive ones, each with the index of its step.
    pub noticed: Vec<(usize, Finding)>,
    /// What a foreign target did where the document is silent.
    pub gaps: Gaps,
    /// The fields of responses and events, where they are not known.
    pub shapes: CaseShapes,
    /// The listed codes in whose place others came.
    pub replaced: Replaced,
    /// Which media types of files were taken, and which were refused.
    pub media_types: MediaTypes,
    /// The members of enumerations in whose place other words came.
    pub renamed: Renamed,
    /// Which properties the responses to requests for advances had.
    pub variants: Variants,
    /// Which texts of the caller were the same for everybody.
    pub constant: Constant,
    /// How the repeats of writes were answered.
    pub repeats: Repeats,
    /// Which kinds of requests failed, and which were answered.
    pub failing: Failing,
    /// Which requests failed again and again although they must be refused.
    pub persistent: Persistent,
    /// What the responses show of the target's choices.
    pub lessons: Lessons,
    /// The number of requests without a response.
    pub unanswered: u64,
    /// The steps, by index, that got no response although the target answers others, and what happened.
    pub lost: Vec<(usize, String)>,
    /// Set if the target stopped answering.
    pub stopped: Option<Stopped>,
    /// Why nothing more can be sent, if the target did not stop.
    pub ended: Option<String>,
    /// The reason for each request that was not sent.
    pub unsent: Vec<String>,
    /// Whether the target is in the known world.
    pub is_known: bool,
    /// Where a response is not what the transcript expects, each with the index of its step.
    pub mismatches: Vec<(usize, Mismatch)>,
    /// How long the judgement took, where that is measured.
    pub judging: Duration,
}

/// Where a case ended because the target stopped answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Whether a request was in flight; otherwise it stopped after its last response.
    pub in_flight: bool,
    /// What happened, in words.
    pub why: String,
}

impl Played {
    /// This outcome, if the steps did not end because nothing more could be sent.
    pub(super) fn whole(self) -> Result<Played, Unreachable> {
        match self.ended {
            Some(why) => Err(Unreachable(why)),
            None => Ok(self),
        }
    }

    /// Takes what a response shows of the run as a whole. `due` is the code with which the request had to be refused,
    /// and `again` how often it failed before. Returns the finding if it fails whenever it is sent.
    pub(super) fn take_in(
        &mut self,
        exchange: &Exchange<'_>,
        due: Option<Code>,
        again: usize,
    ) -> Option<Finding> {
        self.replaced.learn(exchange);
        if let Some(due) = due.filter(|_| !has_failed(exchange.sent, exchange.seen)) {
            self.replaced.record(due, exchange);
        }
        self.media_types.record(exchange, due);
        self.renamed.record(exchange);
        self.variants.record(exchange);
        self.constant.record(exchange);
        self.repeats.record(exchange, due);
        let is_announced = self.failing.is_announced(exchange.sent);
        self.failing.record(exchange, due, again);
        let index = self.answers.len();
        (!is_announced).then(|| self.persistent.record(exchange, due, again, index)).flatten()
    }

    /// Whether nothing was found and every expectation held.
    pub fn held(&self) -> bool {
        self.findings.is_empty() && self.mismatches.is_empty()
    }

    /// Keeps what an exchange shows of a target that is not known.
    pub(super) fn see(&mut self, exchange: &Exchange<'_>, gaps: &Gaps) {
        self.gaps.add(gaps);
        self.shapes.record(exchange);
    }

    /// Records that a read was stale.
    pub(super) fn lag(&mut self, sent: &Prepared) {
        let point = Point {
            clause: clause!("gap.readOwnWrites"),
            holds: false,
            field: String::new(),
            expected: "what was written".into(),
            seen: "first what was there before, then what was written".into(),
        };
        self.met.meet(point.clause);
        self.gaps.record(&sent.operation(), None, &point);
    }

    /// Learns what an exchange shows of a foreign target's choices. Adds stalled and inconclusive findings.
    pub(super) fn learn(
        &mut self,
        exchange: &Exchange<'_>,
        belief: &Belief,
        open_points: Vec<Point>,
    ) {
        self.lessons.observe(exchange, belief);
        let overdue = self.lessons.overdue(belief.profile());
        let open_points = open_points.into_iter().map(|point| (Verdict::Inconclusive, point));
        let overdue = overdue.into_iter().map(|point| (Verdict::Stalled, point));
        let at = self.answers.len();
        self.noticed.extend(open_points.chain(overdue).map(|(verdict, point)| {
            let Point { clause, field, expected, seen, .. } = point;
            let finding = Finding::new(clause, exchange.operation(), field, expected, seen);
            (at, Finding { verdict, ..finding })
        }));
    }
}

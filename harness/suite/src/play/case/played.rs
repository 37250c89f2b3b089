//! The outcome of a case.

use std::time::Duration;

use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::evidence::{Gaps, Point};
use tideover_exchange::matcher::Mismatch;
use tideover_exchange::target::Unreachable;
use tideover_exchange::{Arrival, Exchange, Prepared, Response};
use tideover_judge::Belief;
use tideover_model::{OperationKind, Timestamp, clause};

use crate::play::learn::{Failing, Lessons, Replaced};

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// When each step was played and what was answered, if an answer came.
    pub answers: Vec<(Timestamp, Option<Response>)>,
    /// How often each clause was met.
    pub met: Tally,
    /// How many clauses were met after each judged step.
    pub met_after: Vec<usize>,
    /// What was reached.
    pub coverage: Coverage,
    /// What came to the inbox, with the index of the step that it came with.
    pub arrivals: Vec<(usize, Arrival)>,
    /// How long the answers to requests took, where that says something of the target.
    pub latencies: Vec<(OperationKind, Duration)>,
    /// The findings of the last step: a run ends with the first step that has any.
    pub findings: Vec<Finding>,
    /// What ends no run: what stalls, and what nothing could be concluded from, with the index of the step that
    /// showed it.
    pub noticed: Vec<(usize, Finding)>,
    /// What was seen where the document is silent, of a target whose choices are its own.
    pub gaps: Gaps,
    /// The listed codes in whose place others came.
    pub replaced: Replaced,
    /// Which kinds of requests failed, and which were answered.
    pub failing: Failing,
    /// What its responses show of its choices.
    pub lessons: Lessons,
    /// Requests that were not answered.
    pub unanswered: u64,
    /// The steps, by index, to which the target gave no answer although it answers others, and what happened.
    pub lost: Vec<(usize, String)>,
    /// Set if the target does not answer any more.
    pub stopped: Option<Stopped>,
    /// Why nothing more can be sent, if something else ended the run.
    pub ended: Option<String>,
    /// Why each request that was not sent was not.
    pub unsent: Vec<String>,
    /// Whether the model knows the state of the target: it is in the world of the header.
    pub is_known: bool,
    /// Where an answer was not what the transcript expects, by the index of the step.
    pub mismatches: Vec<(usize, Mismatch)>,
    /// How long the judgement took, where that is measured.
    pub judging: Duration,
}

/// Where a case ended because the target does not answer any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Whether a request was under way; otherwise it stopped after its last answer.
    pub in_flight: bool,
    /// What happened, in words.
    pub why: String,
}

impl Played {
    /// The same, unless nothing more could be sent before the last step was played.
    ///
    /// # Errors
    /// [`Unreachable`] with the reason.
    pub(super) fn whole(self) -> Result<Played, Unreachable> {
        match self.ended {
            Some(why) => Err(Unreachable(why)),
            None => Ok(self),
        }
    }

    /// Whether nothing was found and every expectation held.
    pub fn held(&self) -> bool {
        self.findings.is_empty() && self.mismatches.is_empty()
    }

    /// Notices that an answer lagged behind what was written.
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

    /// Learns what an exchange shows of a target's choices. Notes what stalls, and what stays inconclusive
    /// from.
    pub(super) fn learn(
        &mut self,
        exchange: &Exchange<'_>,
        belief: &Belief,
        open_points: Vec<Point>,
    ) {
        self.lessons.observe(exchange, belief);
        let overdue = self.lessons.overdue(exchange, belief.profile());
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

//! What came of many cases: each failure once for its cause, and what was counted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::finding::{Cause, Finding, Verdict};
use tideover_exchange::evidence::latency::Latencies;
use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::evidence::{Effort, Ending, Gaps, Reproduced};
use tideover_exchange::step::Step;
use tideover_exchange::transcript::{Header, Transcript};
use tideover_exchange::{Arrival, Response};
use tideover_model::{Clause, Timestamp, clause};

use crate::play::case::Played;
use crate::play::concurrent::Interval;
use crate::play::learn::{Failing, Lessons, Replaced, Stated};

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases that were played.
    pub cases: u64,
    /// Steps that were played.
    pub steps: u64,
    /// How often each clause was met.
    pub met: Tally,
    /// In how many cases each clause was not as it should be, and how bad that was at worst.
    pub broken: BTreeMap<Clause, (u64, Verdict)>,
    /// What was reached.
    pub coverage: Coverage,
    /// How long the answers took.
    pub latencies: Latencies,
    /// Requests that were not answered.
    pub unanswered: u64,
    /// Requests without an answer that got one when their steps were played again.
    pub lost_in_vain: u64,
    /// Why each request that was not sent was not.
    pub unsent: Vec<String>,
    /// What fails no run, by its cause: what stalls, and what nothing could be concluded from.
    pub noticed: BTreeMap<Cause, Noticed>,
    /// What was seen where the document is silent, of a target whose choices are its own.
    pub gaps: Gaps,
    /// The listed codes in whose place others came.
    pub replaced: Replaced,
    /// Which kinds of requests failed, and which were answered.
    pub failing: Failing,
    /// What its responses show of its choices.
    pub lessons: Lessons,
    /// What failed, made small: one for each cause, in the order in which they were met.
    pub failures: Vec<Failure>,
    /// How long the judgement took, where that is measured.
    pub judging: Duration,
    /// What it took against a live target.
    pub effort: Effort,
    /// Why no more was played.
    pub ending: Ending,
}

/// A failure, as small as it could be made.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The case that it was met in.
    pub case: u64,
    /// How many steps that took.
    pub steps_before: usize,
    /// How many runs it took to make it small.
    pub probes: usize,
    /// Whether it is as small as it can be made.
    pub is_small: bool,
    /// How often its steps showed it again; none where they are not played again.
    pub reproduced: Option<Reproduced>,
    /// How many cases met its cause.
    pub met: u64,
    /// The steps of the case that were not played, because it ended with the failure.
    pub unplayed: Vec<Step>,
    /// What was found: the first finding names the failure.
    pub findings: Vec<Finding>,
    /// The steps that show it.
    pub transcript: Transcript,
    /// When each was played and what was answered, if an answer came.
    pub answers: Vec<(Timestamp, Option<Response>)>,
    /// What came to the inbox, with the index of the step that it came with.
    pub arrivals: Vec<(usize, Arrival)>,
    /// When each step was under way, if some were at once; none if one came after the other.
    pub raced: Vec<Interval>,
    /// Whether the model knows the state of the target, so that it can tell what a step changes.
    pub is_known: bool,
}

/// What was found and fails no run: it is not made small.
#[derive(Clone, Debug)]
pub struct Noticed {
    /// What was found.
    pub finding: Finding,
    /// How often it was met.
    pub times: u64,
    /// How many cases met it.
    pub cases: u64,
    /// The first of them, up to the step that showed it; none where only the run as a whole does.
    pub first: Option<Failure>,
}

impl Noticed {
    fn new(finding: Finding, first: Option<Failure>) -> Noticed {
        Noticed { finding, times: 0, cases: 0, first }
    }
}

impl Failure {
    pub(crate) fn of(header: &Header, case: u64, mut steps: Vec<Step>, played: Played) -> Failure {
        let unplayed = steps.split_off(played.answers.len().min(steps.len()));
        let finding = played.findings.first().map(Finding::name);
        Failure {
            case,
            steps_before: steps.len(),
            probes: 0,
            is_small: false,
            reproduced: None,
            met: 1,
            unplayed,
            findings: played.findings,
            transcript: Transcript { finding, ..Transcript::new(header.clone(), steps) },
            answers: played.answers,
            arrivals: played.arrivals,
            raced: Vec::new(),
            is_known: played.is_known,
        }
    }

    /// What was played until the step of this index showed `found`.
    fn noticed(
        header: &Header,
        case: u64,
        steps: &[Step],
        played: &Played,
        at: usize,
        found: &Finding,
    ) -> Failure {
        let arrived = played.arrivals.iter().filter(|(with, _)| *with <= at);
        let until_then = Played {
            answers: played.answers[..=at].to_vec(),
            arrivals: arrived.cloned().collect(),
            findings: vec![found.clone()],
            is_known: played.is_known,
            ..Played::default()
        };
        Failure::of(header, case, steps.to_vec(), until_then)
    }

    /// How many requests arrived at the inbox with each step.
    pub fn arrivals_by_step(&self) -> Vec<usize> {
        let with = |index| self.arrivals.iter().filter(|(with, _)| *with == index).count();
        (0..self.transcript.steps.len()).map(with).collect()
    }

    /// The finding that names it.
    pub fn finding(&self) -> &Finding {
        &self.findings[0]
    }

    /// How bad it is.
    pub fn verdict(&self) -> Verdict {
        self.finding().verdict
    }
}

impl Summary {
    /// Takes up what was counted of another run against the same target; its failures come after, unless their causes
    /// are known.
    pub fn absorb(&mut self, other: Summary) {
        if self.cases == 0 {
            self.ending = other.ending;
        }
        self.cases += other.cases;
        self.steps += other.steps;
        self.met.add(&other.met);
        self.coverage.add(&other.coverage);
        self.unanswered += other.unanswered;
        self.lost_in_vain += other.lost_in_vain;
        self.unsent.extend(other.unsent);
        self.gaps.add(&other.gaps);
        self.replaced.add(&other.replaced);
        self.failing.add(&other.failing);
        for (clause, (times, verdict)) in other.broken {
            let (known, worst) = self.broken.entry(clause).or_insert((0, verdict));
            (*known, *worst) = (*known + times, verdict.min(*worst));
        }
        for failure in other.failures {
            let is_known = |known: &&mut Failure| known.finding().is_same(failure.finding());
            match self.failures.iter_mut().find(is_known) {
                Some(known) => known.met += failure.met,
                None => self.failures.push(failure),
            }
        }
    }

    /// Takes up a case that was played; a failure of a new cause is given back.
    pub fn take(
        &mut self,
        header: &Header,
        case: u64,
        steps: &[Step],
        played: &Played,
    ) -> Option<&mut Failure> {
        self.add(played, |at, found| Failure::noticed(header, case, steps, played, at, found));
        if played.findings.is_empty() {
            return None;
        }
        self.count(Failure::of(header, case, steps.to_vec(), played.clone()))
    }

    /// Counts a failure with those of the same cause; the first of them is given back.
    pub fn count(&mut self, failure: Failure) -> Option<&mut Failure> {
        let is_known = |known: &&mut Failure| known.finding().is_same(failure.finding());
        if let Some(known) = self.failures.iter_mut().find(is_known) {
            known.met += 1;
            return None;
        }
        self.failures.push(failure);
        self.failures.last_mut()
    }

    /// Takes up what only the run as a whole shows: what was learned otherwise than a profile
    /// states it, that listed codes never came where they were due, and that a kind of request failed each time.
    pub fn conclude(&mut self, stated: &Stated) {
        let doubts =
            self.replaced.doubts(&self.coverage).into_iter().chain(self.failing.findings());
        for (finding, met) in self.lessons.against(stated).into_iter().chain(doubts) {
            self.notice(finding, met);
        }
        self.settle();
    }

    /// Drops the findings that an operation serves another platform's business, where it serves unknown ones too:
    /// nothing of the other platform need be shown then.
    fn drop_withheld(&mut self) {
        let withheld = clause!("5.authentication.4");
        let outcomes = self.failures.iter().map(Failure::finding).filter(|one| one.is_outcome());
        let unsynced: BTreeSet<String> = outcomes
            .filter(|one| one.clause != withheld && one.verdict == Verdict::Violated)
            .map(|one| one.operation.clone())
            .collect();
        let count = self.failures.len();
        self.failures.retain(|failure| {
            let Finding { clause, operation, .. } = failure.finding();
            *clause != withheld || !unsynced.contains(operation)
        });
        let is_left = self.failures.iter().any(|failure| failure.finding().clause == withheld);
        if self.failures.len() < count && !is_left {
            self.broken.entry(withheld).and_modify(|(_, worst)| *worst = Verdict::Inconclusive);
        }
    }

    /// Drops what is inconclusive or stalls beside a violation: whatever comes after one may be because of it. The
    /// clauses keep their status.
    fn settle(&mut self) {
        self.drop_withheld();
        if self.failures.iter().any(|failure| failure.verdict() == Verdict::Violated) {
            self.noticed.retain(|_, Noticed { finding, .. }| {
                !matches!(finding.verdict, Verdict::Inconclusive | Verdict::Stalled)
            });
        }
    }

    fn notice(&mut self, finding: Finding, met: u64) {
        let (broken, worst) = self.broken.entry(finding.clause).or_insert((0, finding.verdict));
        (*broken, *worst) = (*broken + 1, finding.verdict.min(*worst));
        let noticed = self.noticed.entry(finding.cause()).or_insert(Noticed::new(finding, None));
        noticed.times += met;
    }

    /// Notices a failure from which nothing can be concluded.
    pub(crate) fn notice_first(&mut self, failure: Failure) {
        self.count_broken(&failure.findings);
        let finding = failure.finding().clone();
        let first = || Noticed::new(finding.clone(), Some(failure));
        let noticed = self.noticed.entry(finding.cause()).or_insert_with(first);
        noticed.times += 1;
        noticed.cases += 1;
    }

    /// What can be played again: the failures, and what was noticed, as far as a case shows it.
    pub fn shown(&self) -> impl Iterator<Item = &Failure> {
        let noticed = self.noticed.values().filter_map(|noticed| noticed.first.as_ref());
        self.failures.iter().chain(noticed)
    }

    /// Adds a case. `shown` gives the steps that were played up to the index of a finding.
    pub fn add(&mut self, played: &Played, shown: impl Fn(usize, &Finding) -> Failure) {
        self.cases += 1;
        self.steps += played.answers.len() as u64;
        self.coverage.add(&played.coverage);
        self.unanswered += played.unanswered;
        self.unsent.extend(played.unsent.iter().cloned());
        self.gaps.add(&played.gaps);
        self.replaced.add(&played.replaced);
        self.failing.add(&played.failing);
        self.lessons.add(&played.lessons);
        for (at, finding) in &played.noticed {
            let first = || Noticed::new(finding.clone(), Some(shown(*at, finding)));
            self.noticed.entry(finding.cause()).or_insert_with(first).times += 1;
        }
        let causes: BTreeSet<Cause> =
            played.noticed.iter().map(|(_, finding)| finding.cause()).collect();
        for cause in causes {
            self.noticed.entry(cause).and_modify(|noticed| noticed.cases += 1);
        }
        self.met.add(&played.met);
        self.judging += played.judging;
        for (kind, took) in &played.latencies {
            self.latencies.record(*kind, *took);
        }
        self.count_broken(&played.findings);
    }

    /// Counts each clause of `findings` once.
    pub fn count_broken(&mut self, findings: &[Finding]) {
        let broken: BTreeMap<Clause, Verdict> =
            findings.iter().rev().map(|found| (found.clause, found.verdict)).collect();
        for (clause, verdict) in broken {
            let (times, worst) = self.broken.entry(clause).or_insert((0, verdict));
            (*times, *worst) = (*times + 1, verdict.min(*worst));
        }
    }
}

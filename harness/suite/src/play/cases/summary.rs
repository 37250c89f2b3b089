//! The outcome of many cases: one failure for each cause, and what was counted.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::time::Duration;

use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::finding::{Cause, Finding, Verdict};
use tideover_exchange::evidence::latency::Latencies;
use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::evidence::{Effort, Ending, Gaps, Reproduced, Shapes};
use tideover_exchange::secrets::Secrets;
use tideover_exchange::step::Step;
use tideover_exchange::transcript::{Header, PlayedSteps, Transcript};
use tideover_exchange::{Arrival, Response};
use tideover_model::{Clause, Timestamp, clause};

use crate::play::case::Played;
use crate::play::concurrent::Interval;
use crate::play::learn::{
    Constant, Failing, Lessons, MediaTypes, Probe, Renamed, Repeats, Replaced, Stated, Variants,
};

/// How many requests of one kind are suspected at most.
const MOST_SUSPECTS: usize = 3;

/// The outcome of many cases.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub cases: u64,
    pub steps: u64,
    /// How often each clause was met.
    pub met: Tally,
    /// In how many cases each clause did not hold, and the worst verdict of them.
    pub broken: BTreeMap<Clause, (u64, Verdict)>,
    pub coverage: Coverage,
    pub latencies: Latencies,
    /// Requests without a response.
    pub unanswered: u64,
    /// Requests without a response that got one when their steps were played again.
    pub lost_in_vain: u64,
    /// The reason for each request that was not sent.
    pub unsent: Vec<String>,
    /// Findings that fail no run, by their cause: stalled and inconclusive ones.
    pub noticed: BTreeMap<Cause, Noticed>,
    /// What a foreign target did where the document is silent.
    pub gaps: Gaps,
    /// The fields of a foreign target's responses and events.
    pub shapes: Shapes,
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
    /// The steps that show whether a request fails whenever it is sent, each with the number of its case.
    pub suspects: Vec<(u64, Probe)>,
    /// What the responses show of the target's choices.
    pub lessons: Lessons,
    /// One failure for each cause, in the order in which they were met.
    pub failures: Vec<Failure>,
    /// How long the judgement took, where that is measured.
    pub judging: Duration,
    /// The cost of a run against a live target.
    pub effort: Effort,
    /// Why the run ended.
    pub ending: Ending,
}

/// Steps that show a finding, with the evidence.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The case that met it.
    pub case: u64,
    /// The number of steps before shrinking.
    pub steps_before: usize,
    /// The number of plays that shrinking took.
    pub probes: usize,
    /// Whether shrinking came to its end.
    pub is_small: bool,
    /// How often its steps showed it again; `None` where they are not played again.
    pub reproduced: Option<Reproduced>,
    /// The number of cases with the same cause.
    pub met: u64,
    /// Where an earlier run kept it, if it was played from there.
    pub regression: Option<String>,
    /// The steps of the case that were not played, because it ended with the failure.
    pub unplayed: Vec<Step>,
    /// The first finding names the failure.
    pub findings: Vec<Finding>,
    /// The steps that show it.
    pub transcript: Transcript,
    /// When each step was played, and its response if one came.
    pub answers: Vec<(Timestamp, Option<Response>)>,
    /// What came to the inbox, each with the index of its step.
    pub arrivals: Vec<(usize, Arrival)>,
    /// When each step of a race was in flight; empty if the steps were played one after the other.
    pub raced: Vec<Interval>,
    /// Whether the target is in the known world, so that the model can tell what a step changes.
    pub is_known: bool,
}

/// A finding that fails no run. It is not shrunk.
#[derive(Clone, Debug)]
pub struct Noticed {
    pub finding: Finding,
    /// How often it was met.
    pub times: u64,
    /// The number of cases that met it.
    pub cases: u64,
    /// The first case, up to the step that showed it; `None` where only the run as a whole shows it.
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
            regression: None,
            unplayed,
            findings: played.findings,
            transcript: Transcript { finding, ..Transcript::new(header.clone(), steps) },
            answers: played.answers,
            arrivals: played.arrivals,
            raced: Vec::new(),
            is_known: played.is_known,
        }
    }

    /// A failure of an earlier run, as it was played again. It is as small as it was then.
    pub(crate) fn played_again(transcript: &Transcript, played: Played) -> Failure {
        let steps = transcript.steps.clone();
        let failure = Failure::of(&transcript.header, 0, steps, played);
        let race = transcript.race.clone();
        Failure { is_small: true, transcript: Transcript { race, ..failure.transcript }, ..failure }
    }

    /// The steps up to the one at index `at`, which showed `found`.
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

    /// Takes over the steps and the evidence of a play that showed the same finding.
    pub(crate) fn take_evidence(&mut self, shown: Failure) {
        let Failure { steps_before, probes, is_small, reproduced, met, .. } = *self;
        let regression = self.regression.take();
        *self = Failure { steps_before, probes, is_small, reproduced, met, regression, ..shown };
    }

    /// Writes its steps as a transcript, with what was answered and what arrived.
    ///
    /// # Errors
    /// Those of the file.
    pub fn write(&self, path: &Path, secrets: &Secrets) -> io::Result<()> {
        let steps = PlayedSteps { answers: &self.answers, arrivals: &self.arrivals };
        self.transcript.write(path, steps, secrets)
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

    pub fn verdict(&self) -> Verdict {
        self.finding().verdict
    }
}

impl Summary {
    /// Adds another run against the same target. Failures with known causes only count.
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
        self.shapes.add(&other.shapes);
        self.replaced.add(&other.replaced);
        self.media_types.add(&other.media_types);
        self.renamed.add(&other.renamed);
        self.variants.add(&other.variants);
        self.constant.add(&other.constant);
        self.repeats.add(&other.repeats);
        self.failing.add(&other.failing);
        self.suspects.extend(other.suspects);
        for (clause, (times, verdict)) in other.broken {
            self.break_clause(clause, times, verdict);
        }
        for failure in other.failures {
            self.count(failure);
        }
    }

    /// Adds a case. Returns its failure if the cause is new.
    pub fn take(
        &mut self,
        header: &Header,
        case: u64,
        steps: &[Step],
        played: &Played,
    ) -> Option<&mut Failure> {
        self.add(played, |at, found| Failure::noticed(header, case, steps, played, at, found));
        self.suspect(case, steps, played);
        if played.findings.is_empty() {
            return None;
        }
        self.count(Failure::of(header, case, steps.to_vec(), played.clone()))
    }

    /// Keeps the suspects of a case: of each kind of request a few, since by chance another one may fail before.
    fn suspect(&mut self, case: u64, steps: &[Step], played: &Played) {
        let kind = |probe: &Probe| (probe.is_open, probe.steps.last().and_then(Step::kind));
        for probe in played.persistent.probes(steps) {
            let alike = |(_, known): &&(u64, Probe)| kind(known) == kind(&probe);
            if self.suspects.iter().filter(alike).count() < MOST_SUSPECTS {
                self.suspects.push((case, probe));
            }
        }
    }

    /// Adds what earlier runs have found and is still there. Cases that meet it again only count.
    pub fn recall(&mut self, failures: impl IntoIterator<Item = Failure>) {
        for failure in failures {
            self.count_broken(&failure.findings);
            self.count(failure);
        }
    }

    /// The number of failures that no earlier run has kept.
    pub fn new_failures(&self) -> usize {
        self.failures.iter().filter(|failure| failure.regression.is_none()).count()
    }

    /// Counts a failure. Returns it if the cause is new.
    pub fn count(&mut self, failure: Failure) -> Option<&mut Failure> {
        let is_known = |known: &&mut Failure| known.finding().is_same(failure.finding());
        if let Some(known) = self.failures.iter_mut().find(is_known) {
            known.met += failure.met;
            return None;
        }
        self.failures.push(failure);
        self.failures.last_mut()
    }

    /// Adds what only the run as a whole shows: choices that differ from the stated profile, listed codes that never
    /// came where they were due, and kinds of requests that failed each time.
    pub fn conclude(&mut self, stated: &Stated) {
        let doubts = self.replaced.doubts().into_iter();
        let doubts = doubts
            .chain(self.media_types.findings())
            .chain(self.renamed.findings())
            .chain(self.constant.findings())
            .chain(self.variants.findings())
            .chain(self.repeats.findings());
        let doubts = doubts.chain(self.failing.findings()).chain(self.lessons.findings());
        for (finding, met) in self.lessons.against(stated).into_iter().chain(doubts) {
            self.notice(finding, met);
        }
        self.settle();
    }

    /// The sentences that no case alone shows to be broken, but the run as a whole.
    pub fn violated_as_a_whole(&self) -> impl Iterator<Item = &Finding> {
        let whole = self.noticed.values().filter(|noticed| noticed.first.is_none());
        whole.map(|noticed| &noticed.finding).filter(|one| one.verdict == Verdict::Violated)
    }

    /// Drops the findings that an operation serves another platform's business, where it serves unknown ones too: then
    /// nothing of the other platform need be shown.
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

    /// Drops inconclusive and stalled findings beside a violation, since the violation may have caused them. The clauses
    /// keep their status.
    fn settle(&mut self) {
        self.drop_withheld();
        if self.failures.iter().any(|failure| failure.verdict() == Verdict::Violated) {
            self.noticed.retain(|_, Noticed { finding, .. }| {
                !matches!(finding.verdict, Verdict::Inconclusive | Verdict::Stalled)
            });
        }
    }

    fn notice(&mut self, finding: Finding, met: u64) {
        self.break_clause(finding.clause, 1, finding.verdict);
        let noticed = self.noticed.entry(finding.cause()).or_insert(Noticed::new(finding, None));
        noticed.times += met;
    }

    /// Adds a failure from which nothing can be concluded.
    pub(crate) fn notice_first(&mut self, failure: Failure) {
        self.count_broken(&failure.findings);
        let finding = failure.finding().clone();
        let first = || Noticed::new(finding.clone(), Some(failure));
        let noticed = self.noticed.entry(finding.cause()).or_insert_with(first);
        noticed.times += 1;
        noticed.cases += 1;
    }

    /// Whatever can be played again: the failures, and the noticed findings that a case shows.
    pub fn shown(&self) -> impl Iterator<Item = &Failure> {
        let noticed = self.noticed.values().filter_map(|noticed| noticed.first.as_ref());
        self.failures.iter().chain(noticed)
    }

    /// Adds a case without its failure. `shown` makes one from the index of a noticed finding.
    pub fn add(&mut self, played: &Played, shown: impl Fn(usize, &Finding) -> Failure) {
        self.cases += 1;
        self.steps += played.answers.len() as u64;
        self.coverage.add(&played.coverage);
        self.unanswered += played.unanswered;
        self.unsent.extend(played.unsent.iter().cloned());
        self.gaps.add(&played.gaps);
        self.shapes.take(&played.shapes);
        self.replaced.add(&played.replaced);
        self.media_types.add(&played.media_types);
        self.renamed.add(&played.renamed);
        self.variants.add(&played.variants);
        self.constant.add(&played.constant);
        self.repeats.add(&played.repeats);
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

    /// Counts each clause of `findings` once, with the verdict of its first finding.
    pub fn count_broken<'a>(&mut self, findings: impl IntoIterator<Item = &'a Finding>) {
        let mut broken: BTreeMap<Clause, Verdict> = BTreeMap::new();
        for found in findings {
            broken.entry(found.clause).or_insert(found.verdict);
        }
        for (clause, verdict) in broken {
            self.break_clause(clause, 1, verdict);
        }
    }

    fn break_clause(&mut self, clause: Clause, times: u64, verdict: Verdict) {
        let (known, worst) = self.broken.entry(clause).or_insert((0, verdict));
        (*known, *worst) = (*known + times, verdict.min(*worst));
    }
}

//! Many cases, each in a fresh world. Failures are grouped by cause, and the first of each group is shrunk.

mod minimise;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Map;
use tideover_model::{ActionKind, Clause, Face, Service, Timestamp};

use crate::endpoint::{Bare, Http, INBOX, Target, Unreachable};
use crate::evidence::coverage::Coverage;
use crate::evidence::finding::{Cause, Finding, Verdict};
use crate::evidence::latency::Latencies;
use crate::evidence::tally::Tally;
use crate::evidence::{Effort, Ending, Gaps, Reproduced};
use crate::exchange::step::Step;
use crate::exchange::transcript::{Header, Transcript};
use crate::exchange::{Arrival, Prepared, PreparedAction, Seen};
use crate::generate;
use crate::judge::predicted::Case;
use crate::play::case::{Observed, Played, Stopped, play_case};
use crate::play::concurrent::Interval;
use crate::play::learn::{Lessons, Replaced, Stated};
pub(crate) use minimise::{minimise, reproduce};

/// Where a target comes from that has played nothing yet.
pub trait World {
    /// What is played against.
    type Target: Observed;

    /// How many simpler forms of the steps of a failure are tried at most.
    const MOST_FORMS: usize = 1500;

    /// How often the steps of a failure are played again, to see whether they show it each time.
    const PLAYS: u64 = 3;

    /// A target as it is at the start.
    ///
    /// # Errors
    /// [`Unreachable`] if there is none to be had.
    fn fresh(&mut self) -> impl Future<Output = Result<Self::Target, Unreachable>>;

    /// The same, for steps that are played again: before the next step, the webhooks of each step come to their
    /// end, so that a play does not depend on how fast they are. `arrivals` says how many came with each step before,
    /// as far as that is known.
    fn again(
        &mut self,
        _arrivals: &[usize],
    ) -> impl Future<Output = Result<Self::Target, Unreachable>> {
        self.fresh()
    }

    /// The steps of case `number`.
    fn case(&self, header: &Header, number: u64, steps: u64) -> Vec<Step> {
        generate::case(header, number, steps)
    }

    /// The same, with what is forecast of them.
    fn walked(&self, header: &Header, number: u64, steps: u64) -> Case {
        self.case(header, number, steps).into()
    }

    /// Whether the target still answers, asked a moment after the last step.
    fn lasts(&mut self) -> impl Future<Output = bool> {
        std::future::ready(true)
    }

    /// Why the target does not answer any more, if it stopped.
    fn outage(&self) -> Option<String> {
        None
    }

    /// Finds out why the target gave no answer, and adds what it finds to `summary`.
    ///
    /// # Errors
    /// [`Unreachable`] if the target cannot be asked again.
    fn examine(
        &mut self,
        _header: &Header,
        _summary: &mut Summary,
        silent: Silent,
    ) -> impl Future<Output = Result<(), Unreachable>> {
        std::future::ready(silent.unexamined())
    }

    /// What the model makes of `steps`, where playing them costs so much that it is asked first.
    fn rehearse(
        &self,
        _header: &Header,
        _steps: &[Step],
        _clause: Clause,
    ) -> impl Future<Output = Option<Rehearsed>> {
        std::future::ready(None)
    }
}

/// What the model makes of steps, as far as it says whether they can show a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehearsed {
    /// The status of the last answer.
    pub status: u16,
    /// Its code, if it refuses.
    pub code: Option<String>,
    /// Whether the clause that the finding is about is met.
    pub met: bool,
}

/// How often a fresh target is asked for: the cleanup before it may bring the target down, too.
pub(crate) const MOST_TRIES: u32 = 3;

/// Steps that may have brought a target down.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The number of the case.
    pub case: u64,
    /// The steps of the case.
    pub steps: Vec<Step>,
    /// What came of them until the target stopped.
    pub played: Played,
}

/// A target that gave no answer.
#[derive(Clone, Debug)]
pub enum Silent {
    /// It does not answer any more.
    Stopped {
        /// The cases that may have brought it down, in the order in which they are tried.
        suspects: Vec<Suspect>,
        /// Where it stopped.
        stopped: Stopped,
    },
    /// It gave no answer to one request, and answers others.
    Lost {
        /// The case of the request.
        suspect: Suspect,
        /// The index of the request.
        index: usize,
        /// What happened, in words.
        why: String,
    },
}

impl Silent {
    /// The same where nobody can ask the target again.
    pub(crate) fn unexamined(self) -> Result<(), Unreachable> {
        match self {
            Silent::Stopped { stopped, .. } => Err(Unreachable(stopped.why)),
            Silent::Lost { .. } => Ok(()),
        }
    }
}

/// The bare model, or anything that has its face.
pub struct InProcess<F = Service> {
    face: F,
    start: Timestamp,
}

impl<F: Face + Clone> InProcess<F> {
    /// A world that starts with `face` as it is.
    pub fn new(face: F, start: Timestamp) -> InProcess<F> {
        InProcess { face, start }
    }
}

impl<F: Face + Clone + std::hash::Hash> World for InProcess<F> {
    type Target = Bare<F>;

    // Nothing depends on chance or time.
    const PLAYS: u64 = 1;

    async fn fresh(&mut self) -> Result<Bare<F>, Unreachable> {
        let mut target = Bare::over(self.face.clone(), self.start);
        // From here on, changes are seen.
        target.has_changed();
        Ok(target)
    }

    fn walked(&self, header: &Header, number: u64, steps: u64) -> Case {
        generate::walked(header, number, steps, Some(INBOX))
    }
}

/// A mock under a base URL, which is reset before each case.
pub struct OverHttp {
    target: Http,
}

impl OverHttp {
    /// The mock that `target` talks to; the harness must have started it itself.
    pub fn new(target: Http) -> OverHttp {
        OverHttp { target }
    }
}

impl World for OverHttp {
    type Target = Http;

    async fn fresh(&mut self) -> Result<Http, Unreachable> {
        let mut target = self.target.clone();
        let action = ActionKind::Reset.with(Map::new());
        let reset = Prepared { authorization: None, action: PreparedAction::Act(action) };
        let seen = target.send(&reset).await?;
        if seen.is_success() {
            Ok(target)
        } else {
            Err(Unreachable(format!("the mock could not be reset: {:?}", seen.body)))
        }
    }

    fn walked(&self, header: &Header, number: u64, steps: u64) -> Case {
        generate::walked(header, number, steps, self.target.inbox())
    }
}

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In which world.
    pub header: Header,
    /// The number of the first case.
    pub first: u64,
    /// How many cases.
    pub cases: u64,
    /// How many steps each has.
    pub steps: u64,
    /// How many failures of different causes are enough.
    pub max_findings: usize,
}

impl Plan {
    /// The numbers of the cases.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let first = self.first;
        (0..self.cases).map(move |number| first.wrapping_add(number))
    }
}

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
    pub answers: Vec<(Timestamp, Option<Seen>)>,
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

/// Plays the cases of `plan`, until enough is found.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn check<W: World>(world: &mut W, plan: &Plan) -> Result<Summary, Unreachable> {
    let mut suite = Suite::new(plan);
    suite.play(world, |_| {}).await?;
    Ok(suite.summary)
}

/// A suite while it is played. It can be stopped at any time, and then reports what it has played.
pub struct Suite<'a> {
    plan: &'a Plan,
    /// What came of it until now.
    pub summary: Summary,
    /// The case before this one, which may have brought the target down.
    previous: Option<Suspect>,
}

impl<'a> Suite<'a> {
    /// Nothing was played yet.
    pub fn new(plan: &'a Plan) -> Suite<'a> {
        Suite { plan, summary: Summary::default(), previous: None }
    }

    /// Plays the cases until enough is found. Calls `progress` after each.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer.
    pub async fn play<W: World>(
        &mut self,
        world: &mut W,
        mut progress: impl FnMut(&Summary),
    ) -> Result<(), Unreachable> {
        let Plan { header, steps, max_findings, .. } = self.plan;
        for case in self.plan.numbers() {
            let walked = world.walked(header, case, *steps);
            let mut target = self.fresh(world).await?;
            let played = play_case(&mut target, header, &walked).await;
            // It is kept before it is shrunk, so that an interrupted run still has it.
            if let Some(failure) = self.summary.take(header, case, &walked.steps, &played) {
                minimise(world, failure).await?;
            }
            self.examine(world, Suspect { case, steps: walked.steps, played }).await?;
            progress(&self.summary);
            if self.summary.failures.len() >= *max_findings {
                self.summary.ending = Ending::EnoughFound;
                return Ok(());
            }
            // A target in process never waits. The task that may end the run must get a turn.
            tokio::task::yield_now().await;
        }
        self.summary.ending = Ending::Complete;
        Ok(())
    }

    /// A fresh target. If it does not answer any more, the case before may have brought it down.
    async fn fresh<W: World>(&mut self, world: &mut W) -> Result<W::Target, Unreachable> {
        for _ in 1..MOST_TRIES {
            match (world.fresh().await, world.outage()) {
                (Err(_), Some(why)) => {
                    let stopped = Stopped { in_flight: false, why };
                    let suspects = self.previous.take().into_iter().collect();
                    let silent = Silent::Stopped { suspects, stopped };
                    world.examine(&self.plan.header, &mut self.summary, silent).await?;
                }
                (fresh, _) => return fresh,
            }
        }
        world.fresh().await
    }

    /// Finds out why the target gave no answer in a case, if it did not.
    async fn examine<W: World>(
        &mut self,
        world: &mut W,
        suspect: Suspect,
    ) -> Result<(), Unreachable> {
        let previous = self.previous.replace(suspect.clone());
        let Played { stopped, lost, ended, findings, .. } = suspect.played.clone();
        if let Some(why) = ended {
            return Err(Unreachable(why));
        }
        let silent = if let Some(stopped) = stopped {
            let answers = suspect.played.answers.len();
            let suspects = Some(suspect).filter(|_| answers > 0).into_iter();
            let suspects = suspects.chain(previous.filter(|_| answers < 2)).collect();
            Silent::Stopped { suspects, stopped }
        } else {
            match lost.into_iter().next().filter(|_| findings.is_empty()) {
                Some((index, why)) => Silent::Lost { suspect, index, why },
                None => return Ok(()),
            }
        };
        world.examine(&self.plan.header, &mut self.summary, silent).await
    }
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
    pub(crate) fn absorb(&mut self, other: Summary) {
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
    pub(crate) fn take(
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
    pub(crate) fn count(&mut self, failure: Failure) -> Option<&mut Failure> {
        let is_known = |known: &&mut Failure| known.finding().is_same(failure.finding());
        if let Some(known) = self.failures.iter_mut().find(is_known) {
            known.met += 1;
            return None;
        }
        self.failures.push(failure);
        self.failures.last_mut()
    }

    /// Takes up what only the run as a whole shows, which fails none: what was learned otherwise than a profile
    /// states it, and that listed codes never came where they were due, which nothing can be concluded from, since
    /// another may have been due, too.
    pub fn conclude(&mut self, stated: &Stated) {
        let doubts = self.replaced.doubts(&self.coverage);
        for (finding, met) in self.lessons.against(stated).into_iter().chain(doubts) {
            self.notice(finding, met);
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
    pub(crate) fn add(&mut self, played: &Played, shown: impl Fn(usize, &Finding) -> Failure) {
        self.cases += 1;
        self.steps += played.answers.len() as u64;
        self.coverage.add(&played.coverage);
        self.unanswered += played.unanswered;
        self.unsent.extend(played.unsent.iter().cloned());
        self.gaps.add(&played.gaps);
        self.replaced.add(&played.replaced);
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
    pub(crate) fn count_broken(&mut self, findings: &[Finding]) {
        let broken: BTreeMap<Clause, Verdict> =
            findings.iter().rev().map(|found| (found.clause, found.verdict)).collect();
        for (clause, verdict) in broken {
            let (times, worst) = self.broken.entry(clause).or_insert((0, verdict));
            (*times, *worst) = (*times + 1, verdict.min(*worst));
        }
    }
}

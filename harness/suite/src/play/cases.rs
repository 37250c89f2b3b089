//! Many cases, each against a fresh target. Failures are grouped by cause, and the first of each group is shrunk.

mod minimise;
mod summary;

use std::hash::Hash;
use std::mem::take;
use std::ops::Range;

use serde_json::Map;
use tideover_endpoint::Http;
use tideover_exchange::evidence::Ending;
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, ModelTarget, Target, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, PreparedAction};
use tideover_model::{ActionKind, Clause, Face, Service, Timestamp};

use crate::generate;
use crate::play::case::{Observed, Played, Stopped, play, play_case};
use crate::play::learn::Probe;
use crate::prediction::Case;
pub use minimise::{minimise, reproduce};
pub use summary::{Failure, Noticed, Summary};

/// Creates fresh targets, and says which cases are played against them.
pub trait Testbed {
    type Target: Observed;

    /// How many simpler forms of a failure are tried at most. In process each costs milliseconds. A whole shrinking
    /// takes 20 to 300 plays, so that only values that depend on one another come near this bound.
    const MOST_FORMS: usize = 1500;

    /// How often a failure is played again to see whether it is stable. With none, it is not shrunk either.
    const PLAYS: u64 = 3;

    /// Creates a target in its initial state.
    fn fresh(&mut self) -> impl Future<Output = Result<Self::Target, Unreachable>>;

    /// Creates a target for steps that are played again. Before each next step it waits for the webhooks of the step
    /// before, so that a play does not depend on their speed. `arrivals` says how many came with each step last time,
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

    /// The steps of case `number`, with the model's predictions if it has them.
    fn walked(&self, header: &Header, number: u64, steps: u64) -> Case {
        self.case(header, number, steps).into()
    }

    /// Whether the target still answers a moment after the last step.
    fn lasts(&mut self) -> impl Future<Output = bool> {
        std::future::ready(true)
    }

    /// Why the target stopped answering; `None` if it answers.
    fn outage(&self) -> Option<String> {
        None
    }

    /// Finds out why the target gave no response, and adds the finding to `summary`.
    fn examine(
        &mut self,
        _header: &Header,
        _summary: &mut Summary,
        silent: Silent,
    ) -> impl Future<Output = Result<(), Unreachable>> {
        std::future::ready(silent.unexamined())
    }

    /// Plays `steps` in the model. `None` where playing them against the target costs no more.
    fn rehearse(
        &self,
        _header: &Header,
        _steps: &[Step],
        _clause: Clause,
    ) -> impl Future<Output = Option<Rehearsed>> {
        std::future::ready(None)
    }
}

/// The model's outcome of steps: whether they can show a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehearsed {
    /// The status of the last response.
    pub status: u16,
    /// The code of the last response, if it is a refusal.
    pub code: Option<String>,
    /// Whether the clause of the finding is met.
    pub met: bool,
}

/// How often a fresh target is asked for: the cleanup before it may bring the target down, too.
pub(crate) const MOST_TRIES: u32 = 3;

/// Steps that may have brought a target down.
#[derive(Clone, Debug)]
pub struct Suspect {
    pub case: u64,
    pub steps: Vec<Step>,
    /// The outcome of the steps until the target stopped.
    pub played: Played,
}

/// A target that gave no response.
#[derive(Clone, Debug)]
pub enum Silent {
    /// It stopped answering.
    Stopped {
        /// The cases that may have brought it down, in the order in which they are tried.
        suspects: Vec<Suspect>,
        stopped: Stopped,
    },
    /// It gave no response to one request, and answers others.
    Lost {
        /// The case of the request.
        suspect: Box<Suspect>,
        /// The index of the request.
        index: usize,
        /// What happened, in words.
        why: String,
    },
}

impl Silent {
    /// The result where the target cannot be asked again.
    fn unexamined(self) -> Result<(), Unreachable> {
        match self {
            Silent::Stopped { stopped, .. } => Err(Unreachable(stopped.why)),
            Silent::Lost { .. } => Ok(()),
        }
    }
}

/// The model, or anything that has its face, in this process.
pub struct InProcess<F = Service> {
    face: F,
    start: Timestamp,
}

impl<F: Face + Clone> InProcess<F> {
    /// Every target starts as a copy of `face`.
    pub fn new(face: F, start: Timestamp) -> InProcess<F> {
        InProcess { face, start }
    }
}

impl<F: Face + Clone + Hash> Testbed for InProcess<F> {
    type Target = ModelTarget<F>;

    // Nothing here depends on chance or time.
    const PLAYS: u64 = 1;

    async fn fresh(&mut self) -> Result<ModelTarget<F>, Unreachable> {
        let mut target = ModelTarget::over(self.face.clone(), self.start);
        // Changes count from here on.
        target.has_changed();
        Ok(target)
    }

    fn walked(&self, header: &Header, number: u64, steps: u64) -> Case {
        generate::walked(header, number, steps, Some(INBOX))
    }
}

/// A mock under a base URL. It is reset before each case.
pub struct OverHttp {
    target: Http,
}

impl OverHttp {
    /// The mock that `target` talks to. Only a mock that the harness started may be reset.
    pub fn new(target: Http) -> OverHttp {
        OverHttp { target }
    }
}

impl Testbed for OverHttp {
    type Target = Http;

    async fn fresh(&mut self) -> Result<Http, Unreachable> {
        let mut target = self.target.clone();
        // The model predicts the names, too.
        let action = ActionKind::Reset.with(Map::from_iter([("repeat".to_owned(), true.into())]));
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

/// Which cases a run plays.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The world of each case.
    pub header: Header,
    /// The number of the first case.
    pub first: u64,
    pub cases: u64,
    /// The number of steps of each case.
    pub steps: u64,
    /// The run ends after so many failures with different causes.
    pub max_findings: usize,
}

impl Plan {
    /// The numbers of the cases.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        let first = self.first;
        (0..self.cases).map(move |number| first.wrapping_add(number))
    }
}

/// Plays the cases of `plan`, until enough is found.
pub async fn check<T: Testbed>(testbed: &mut T, plan: &Plan) -> Result<Summary, Unreachable> {
    let mut suite = Suite::new(plan);
    suite.play(testbed, |_| {}).await?;
    Ok(suite.summary)
}

/// Plays the steps again in which a request failed that may always fail. Returns the indexes of the failures that
/// they show.
pub async fn examine_suspects<T: Testbed>(
    testbed: &mut T,
    header: &Header,
    summary: &mut Summary,
) -> Result<Range<usize>, Unreachable> {
    let first = summary.failures.len();
    for (case, Probe { steps, .. }) in take(&mut summary.suspects) {
        let played = play(&mut testbed.fresh().await?, header, &steps).await?;
        if !played.findings.is_empty() {
            summary.count_broken(&played.findings);
            summary.count(Failure::of(header, case, steps, played));
        }
    }
    Ok(first..summary.failures.len())
}

/// A run of a plan. It can be stopped at any time: the summary is complete after each case.
pub struct Suite<'a> {
    plan: &'a Plan,
    /// The outcome so far.
    pub summary: Summary,
    /// The case before this one, which may have brought the target down.
    previous: Option<Suspect>,
}

impl<'a> Suite<'a> {
    /// A run of `plan` that has not begun.
    pub fn new(plan: &'a Plan) -> Suite<'a> {
        Suite { plan, summary: Summary::default(), previous: None }
    }

    /// The same run, which knows what earlier ones have found.
    #[must_use]
    pub fn knowing(mut self, failures: impl IntoIterator<Item = Failure>) -> Suite<'a> {
        self.summary.recall(failures);
        self
    }

    /// Plays the cases until enough is found. Calls `progress` after each.
    pub async fn play<T: Testbed>(
        &mut self,
        testbed: &mut T,
        mut progress: impl FnMut(&Summary),
    ) -> Result<(), Unreachable> {
        let Plan { header, steps, max_findings, .. } = self.plan;
        for case in self.plan.numbers() {
            let walked = testbed.walked(header, case, *steps);
            let mut target = self.fresh(testbed).await?;
            let played = play_case(&mut target, header, &walked).await;
            // The failure is kept before it is shrunk, so that an interrupted run still has it.
            if let Some(failure) = self.summary.take(header, case, &walked.steps, &played) {
                Box::pin(minimise(testbed, failure)).await?;
            }
            self.examine(testbed, Suspect { case, steps: walked.steps, played }).await?;
            progress(&self.summary);
            if self.summary.new_failures() >= *max_findings {
                self.summary.ending = Ending::EnoughFound;
                return Ok(());
            }
            // A target in process never waits, and the task that may end the run must get a turn.
            tokio::task::yield_now().await;
        }
        let plays = examine_suspects(testbed, header, &mut self.summary).await?;
        for index in plays {
            minimise(testbed, &mut self.summary.failures[index]).await?;
        }
        self.summary.ending = Ending::Complete;
        Ok(())
    }

    /// Creates a fresh target. If the target stopped answering, the case before may have brought it down.
    async fn fresh<T: Testbed>(&mut self, testbed: &mut T) -> Result<T::Target, Unreachable> {
        for _ in 1..MOST_TRIES {
            match (testbed.fresh().await, testbed.outage()) {
                (Err(_), Some(why)) => {
                    let stopped = Stopped { in_flight: false, why };
                    let suspects = self.previous.take().into_iter().collect();
                    let silent = Silent::Stopped { suspects, stopped };
                    testbed.examine(&self.plan.header, &mut self.summary, silent).await?;
                }
                (fresh, _) => return fresh,
            }
        }
        testbed.fresh().await
    }

    /// Finds out why the target gave no response in a case, if that happened.
    async fn examine<T: Testbed>(
        &mut self,
        testbed: &mut T,
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
                Some((index, why)) => Silent::Lost { suspect: Box::new(suspect), index, why },
                None => return Ok(()),
            }
        };
        testbed.examine(&self.plan.header, &mut self.summary, silent).await
    }
}

//! Many cases, each in a fresh world. Failures are grouped by cause, and the first of each group is shrunk.

mod minimise;
mod summary;

use serde_json::Map;
use tideover_endpoint::Http;
use tideover_exchange::evidence::Ending;
use tideover_exchange::step::Step;
use tideover_exchange::target::{INBOX, ModelTarget, Target, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Prepared, PreparedAction};
use tideover_model::{ActionKind, Clause, Face, Service, Timestamp};

use crate::generate;
use crate::play::case::{Observed, Played, Stopped, play_case};
use crate::prediction::Case;
pub use minimise::{minimise, reproduce};
pub use summary::{Failure, Noticed, Summary};

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

    /// The same, with what is predicted of them.
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
        suspect: Box<Suspect>,
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
    type Target = ModelTarget<F>;

    // Nothing depends on chance or time.
    const PLAYS: u64 = 1;

    async fn fresh(&mut self) -> Result<ModelTarget<F>, Unreachable> {
        let mut target = ModelTarget::over(self.face.clone(), self.start);
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
                Some((index, why)) => Silent::Lost { suspect: Box::new(suspect), index, why },
                None => return Ok(()),
            }
        };
        world.examine(&self.plan.header, &mut self.summary, silent).await
    }
}

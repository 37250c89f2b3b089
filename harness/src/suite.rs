//! Many cases, each in a fresh world; the first failure is made small.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tideover_model::{Clause, Face, Service, Timestamp};

use crate::coverage::Coverage;
use crate::finding::{Finding, Verdict};
use crate::generate;
use crate::run::{Observed, Played, play};
use crate::shrink::{Probe, shrink};
use crate::step::Step;
use crate::target::{Bare, Http, Prepared, PreparedAction, Seen, Target, Unreachable};
use crate::transcript::{Header, Transcript};

/// Where a target comes from that has played nothing yet.
pub trait World {
    /// What is played against.
    type Target: Observed;

    /// A target as it is at the start.
    ///
    /// # Errors
    /// [`Unreachable`] if there is none to be had.
    fn fresh(&mut self) -> impl Future<Output = Result<Self::Target, Unreachable>>;
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

    async fn fresh(&mut self) -> Result<Bare<F>, Unreachable> {
        let mut target = Bare::over(self.face.clone(), self.start);
        // From here on, changes are seen.
        target.has_changed();
        Ok(target)
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
        let action = Map::from_iter([("action".to_owned(), Value::from("reset"))]);
        let reset = Prepared { authorization: None, action: PreparedAction::Act(action) };
        let seen = target.send(&reset).await?;
        if seen.is_success() {
            Ok(target)
        } else {
            Err(Unreachable(format!("the mock could not be reset: {:?}", seen.body)))
        }
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
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases that were played.
    pub cases: u64,
    /// Steps that were played.
    pub steps: u64,
    /// How often each clause was met.
    pub met: BTreeMap<Clause, u64>,
    /// What was reached.
    pub coverage: Coverage,
    /// What failed, made small.
    pub failure: Option<Failure>,
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
    /// What was found: the first finding names the failure.
    pub findings: Vec<Finding>,
    /// The steps that show it.
    pub transcript: Transcript,
    /// When each was played and what was answered.
    pub answers: Vec<(Timestamp, Seen)>,
}

/// Plays the cases of `plan` until one fails.
///
/// # Errors
/// [`Unreachable`] if the target does not answer.
pub async fn check<W: World>(world: &mut W, plan: &Plan) -> Result<Summary, Unreachable> {
    let mut suite = Suite::new(plan);
    suite.play(world, |_| {}).await?;
    Ok(suite.summary)
}

/// A suite that is being played; it can be left at any time, and what was played until then is told.
pub struct Suite<'a> {
    plan: &'a Plan,
    /// What came of it until now.
    pub summary: Summary,
}

impl<'a> Suite<'a> {
    /// Nothing was played yet.
    pub fn new(plan: &'a Plan) -> Suite<'a> {
        Suite { plan, summary: Summary::default() }
    }

    /// Plays the cases until one fails. `progress` is told of each.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer.
    pub async fn play<W: World>(
        &mut self,
        world: &mut W,
        mut progress: impl FnMut(&Summary),
    ) -> Result<(), Unreachable> {
        let Plan { header, first, cases, steps } = self.plan;
        for case in (0..*cases).map(|number| first.wrapping_add(number)) {
            let steps = generate::case(header, case, *steps);
            let played = play(&mut world.fresh().await?, header, &steps).await?;
            self.summary.add(&played);
            if let Some(finding) = played.findings.first() {
                let finding = finding.clone();
                // Kept as it is first: whoever ends the run now still has it.
                let failure = self.summary.failure.insert(Failure::of(header, case, steps, played));
                *failure = minimise(world, failure, finding).await?;
                break;
            }
            progress(&self.summary);
            // A target in process never waits; whoever wants to end the run must get a turn.
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

impl Failure {
    fn of(header: &Header, case: u64, mut steps: Vec<Step>, played: Played) -> Failure {
        steps.truncate(played.answers.len());
        Failure {
            case,
            steps_before: steps.len(),
            probes: 0,
            findings: played.findings,
            transcript: Transcript { header: header.clone(), steps },
            answers: played.answers,
        }
    }

    /// Whether a sentence of the document does not hold.
    pub fn is_violation(&self) -> bool {
        self.findings.iter().any(|finding| finding.verdict() == Verdict::Violated)
    }
}

impl Summary {
    fn add(&mut self, played: &Played) {
        self.cases += 1;
        self.steps += played.answers.len() as u64;
        self.coverage.add(&played.coverage);
        for (clause, times) in &played.met {
            *self.met.entry(*clause).or_default() += times;
        }
    }
}

/// The same failure, as small as it can be made.
async fn minimise<W: World>(
    world: &mut W,
    failure: &Failure,
    finding: Finding,
) -> Result<Failure, Unreachable> {
    let Transcript { header, steps } = &failure.transcript;
    let mut probe = SameFinding { world, header, finding, probes: 0 };
    let steps = shrink(steps.clone(), &mut probe).await?;
    let probes = probe.probes;
    let played = play(&mut world.fresh().await?, header, &steps).await?;
    let small = Failure::of(header, failure.case, steps, played);
    Ok(Failure { steps_before: failure.steps_before, probes, ..small })
}

struct SameFinding<'a, W> {
    world: &'a mut W,
    header: &'a Header,
    finding: Finding,
    probes: usize,
}

impl<W: World> Probe for SameFinding<'_, W> {
    async fn still_fails(&mut self, steps: &[Step]) -> Result<bool, Unreachable> {
        self.probes += 1;
        let played = play(&mut self.world.fresh().await?, self.header, steps).await?;
        // The finding must come with the last step, so that nothing stands behind it.
        let at_the_end = played.answers.len() == steps.len();
        Ok(at_the_end && played.findings.iter().any(|found| found.is_same(&self.finding)))
    }
}

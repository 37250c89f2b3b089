//! Races, one after the other, until enough is found.

use tideover_exchange::Race;
use tideover_exchange::evidence::Ending;
use tideover_exchange::target::{INBOX, ModelTarget, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_model::Timestamp;

use crate::generate::Size;
use crate::play::case::{Observed, Played, Stopped};
use crate::play::cases::{MOST_TRIES, OverHttp, Plan, Silent, Suspect, World};
use crate::play::concurrent::course::Course;
use crate::play::concurrent::history::History;
use crate::play::concurrent::interleave::{Interleaved, Schedule, interleave};
use crate::play::concurrent::known::Known;
use crate::play::concurrent::minimise::minimise;
use crate::play::concurrent::play::play;
use crate::play::concurrent::summary::{Summary, schedule_of};

/// Races while they run. They can be stopped at any time, and then report what they have seen.
pub struct Races<'a> {
    plan: &'a Plan,
    size: Size,
    /// What came of them until now.
    pub summary: Summary,
    /// The race before this one, which may have brought the target down.
    previous: Option<Suspect>,
}

impl<'a> Races<'a> {
    /// The races of `plan`, whose steps are shared among so many clients, at least one.
    pub fn new(plan: &'a Plan, clients: usize) -> Races<'a> {
        let steps = usize::try_from(plan.steps).unwrap_or(usize::MAX);
        let size = Size { clients, steps: steps.div_ceil(clients.max(1)) };
        Races { plan, size, summary: Summary::default(), previous: None }
    }

    /// Runs them until enough is found. Calls `progress` after each.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer.
    pub async fn run<C: Course>(
        &mut self,
        course: &mut C,
        mut progress: impl FnMut(&Summary),
    ) -> Result<(), Unreachable> {
        let Plan { header, max_findings, .. } = self.plan;
        for number in self.plan.numbers() {
            let race = course.race(header, number, self.size);
            let seed = schedule_of(header, number);
            let mut tries = MOST_TRIES;
            let (history, known) = loop {
                tries -= 1;
                match (course.run(header, &race, seed).await, course.outage()) {
                    (Err(_), Some(why)) if tries > 0 => self.examine(course, why, false).await?,
                    (ran, _) => break ran?,
                }
            };
            let outage = course.outage();
            let (suspect, in_flight) = suspect(number, &history);
            self.previous = Some(suspect);
            self.take(course, number, &history, &known).await?;
            if let Some(why) = outage {
                self.examine(course, why, in_flight).await?;
            }
            progress(&self.summary);
            if self.summary.counted.failures.len() >= *max_findings {
                self.summary.counted.ending = Ending::EnoughFound;
                return Ok(());
            }
            // Whoever wants to end the run must get a turn.
            tokio::task::yield_now().await;
        }
        self.summary.counted.ending = Ending::Complete;
        Ok(())
    }

    /// Takes up what was seen of race `number`, and makes what is new in it small.
    ///
    /// # Errors
    /// [`Unreachable`] if the target does not answer.
    pub async fn take<C: Course>(
        &mut self,
        course: &mut C,
        number: u64,
        history: &History,
        known: &Known,
    ) -> Result<(), Unreachable> {
        let header = &self.plan.header;
        let seed = schedule_of(header, number);
        for new in self.summary.add(header, number, history, known) {
            let failure = &mut self.summary.counted.failures[new.failure];
            minimise(course, header, (history, seed), new, failure).await?;
        }
        Ok(())
    }

    /// Finds out why the target stopped answering in the last race or after it.
    async fn examine<C: Course>(
        &mut self,
        course: &mut C,
        why: String,
        in_flight: bool,
    ) -> Result<(), Unreachable> {
        let suspects = self.previous.take().into_iter().collect();
        let silent = Silent::Stopped { suspects, stopped: Stopped { in_flight, why } };
        course.examine(&self.plan.header, &mut self.summary.counted, silent).await
    }

    /// Which races there are.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// How large each is.
    pub fn size(&self) -> Size {
        self.size
    }
}

/// The steps of a race in which the target stopped answering, in the order in which they were sent, and whether a
/// request of it got no answer.
pub fn suspect(case: u64, history: &History) -> (Suspect, bool) {
    let sent = history.requests.iter();
    let steps = sent.clone().map(|request| request.step.clone()).collect();
    let in_flight = sent.clone().any(|request| request.answer.is_none());
    let answers = sent
        .clone()
        .map(|request| (request.now, request.answer.as_ref().map(|answer| answer.seen.clone())));
    let played = Played { answers: answers.collect(), ..Played::default() };
    (Suspect { case, steps, played }, in_flight)
}

/// The bare model, or anything that has its face: a schedule decides when each request takes effect.
pub struct InProcess<F> {
    face: F,
    start: Timestamp,
}

impl<F: Interleaved> InProcess<F> {
    /// Races that start with `face` as it is.
    pub fn new(face: F, start: Timestamp) -> InProcess<F> {
        InProcess { face, start }
    }
}

impl<F: Interleaved> Course for InProcess<F> {
    /// Each is as dear as the tries that a race gets.
    const MOST_FORMS: usize = 400;

    fn tries(&self) -> u64 {
        20
    }

    async fn run(
        &mut self,
        header: &Header,
        race: &Race,
        seed: u64,
    ) -> Result<(History, Known), Unreachable> {
        let mut target = ModelTarget::over(self.face.clone(), self.start);
        let history = interleave(&mut target, race, Schedule { seed, lost: 0 });
        Ok((history, Known::of(header, INBOX)))
    }
}

/// A mock, which is reset before each race.
impl Course for OverHttp {
    const MOST_FORMS: usize = 400;

    fn tries(&self) -> u64 {
        3
    }

    async fn run(
        &mut self,
        header: &Header,
        race: &Race,
        _seed: u64,
    ) -> Result<(History, Known), Unreachable> {
        run_in(self, header, race).await
    }
}

/// What is seen of `race` at a fresh target of `world`, where nobody decides who meets whom.
pub async fn run_in<W>(
    world: &mut W,
    header: &Header,
    race: &Race,
) -> Result<(History, Known), Unreachable>
where
    W: World<Target: Clone + 'static>,
{
    run_at(world.fresh().await?, header, race).await
}

/// What is seen of `race` at a target that has played nothing yet.
pub async fn run_at<T: Observed + Clone + 'static>(
    mut target: T,
    header: &Header,
    race: &Race,
) -> Result<(History, Known), Unreachable> {
    let known = Known::of_target(header, &mut target);
    Ok((play(&target, race, known.start).await, known))
}

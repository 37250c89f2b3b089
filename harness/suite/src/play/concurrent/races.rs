//! Races, one after the other, until enough is found.

use tideover_exchange::evidence::Ending;
use tideover_exchange::target::Unreachable;

use crate::generate::Size;
use crate::play::case::{Played, Stopped};
use crate::play::cases::{MOST_TRIES, Plan, Silent, Suspect};
use crate::play::concurrent::history::History;
use crate::play::concurrent::known::Known;
use crate::play::concurrent::minimise::minimise;
use crate::play::concurrent::summary::{Summary, schedule_of};
use crate::play::concurrent::testbed::RaceTestbed;

/// A run of races. It can be stopped at any time: the summary is complete after each race.
pub struct Races<'a> {
    plan: &'a Plan,
    size: Size,
    /// The outcome so far.
    pub summary: Summary,
    /// The race before this one, which may have brought the target down.
    previous: Option<Suspect>,
}

impl<'a> Races<'a> {
    /// The races of `plan`. The steps of a race are divided among `clients`, at least one.
    pub fn new(plan: &'a Plan, clients: usize) -> Races<'a> {
        let steps = usize::try_from(plan.steps).unwrap_or(usize::MAX);
        let size = Size { clients, steps: steps.div_ceil(clients.max(1)) };
        Races { plan, size, summary: Summary::default(), previous: None }
    }

    /// Runs them until enough is found. Calls `progress` after each.
    pub async fn run<T: RaceTestbed>(
        &mut self,
        testbed: &mut T,
        mut progress: impl FnMut(&Summary),
    ) -> Result<(), Unreachable> {
        let Plan { header, max_findings, .. } = self.plan;
        for number in self.plan.numbers() {
            let race = testbed.race(header, number, self.size);
            let seed = schedule_of(header, number);
            let mut tries = MOST_TRIES;
            let (history, known) = loop {
                tries -= 1;
                match (testbed.run(header, &race, seed).await, testbed.outage()) {
                    (Err(_), Some(why)) if tries > 0 => self.examine(testbed, why, false).await?,
                    (ran, _) => break ran?,
                }
            };
            let outage = testbed.outage();
            let (suspect, in_flight) = suspect(number, &history);
            self.previous = Some(suspect);
            self.take(testbed, number, &history, &known).await?;
            if let Some(why) = outage {
                self.examine(testbed, why, in_flight).await?;
            }
            progress(&self.summary);
            if self.summary.counted.failures.len() >= *max_findings {
                self.summary.counted.ending = Ending::EnoughFound;
                return Ok(());
            }
            // A target in process never waits, and the task that may end the run must get a turn.
            tokio::task::yield_now().await;
        }
        self.summary.counted.ending = Ending::Complete;
        Ok(())
    }

    /// Judges the history of race `number`, and shrinks its new failures.
    pub async fn take<T: RaceTestbed>(
        &mut self,
        testbed: &mut T,
        number: u64,
        history: &History,
        known: &Known,
    ) -> Result<(), Unreachable> {
        let header = &self.plan.header;
        let seed = schedule_of(header, number);
        for new in self.summary.add(header, number, history, known) {
            let failure = &mut self.summary.counted.failures[new.failure];
            minimise(testbed, header, (history, seed), new, failure).await?;
        }
        Ok(())
    }

    /// Finds out why the target stopped answering in the last race or after it.
    async fn examine<T: RaceTestbed>(
        &mut self,
        testbed: &mut T,
        why: String,
        in_flight: bool,
    ) -> Result<(), Unreachable> {
        let suspects = self.previous.take().into_iter().collect();
        let silent = Silent::Stopped { suspects, stopped: Stopped { in_flight, why } };
        testbed.examine(&self.plan.header, &mut self.summary.counted, silent).await
    }

    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    pub fn size(&self) -> Size {
        self.size
    }
}

/// The steps of a race in the order in which they were sent, as what may have brought the target down, and whether a
/// request got no response.
pub fn suspect(case: u64, history: &History) -> (Suspect, bool) {
    let requests = &history.requests;
    let steps = requests.iter().map(|request| request.step.clone()).collect();
    let in_flight = requests.iter().any(|request| request.response.is_none());
    let answers = requests.iter().map(|request| (request.now, request.seen().cloned())).collect();
    let played = Played { answers, ..Played::default() };
    (Suspect { case, steps, played }, in_flight)
}

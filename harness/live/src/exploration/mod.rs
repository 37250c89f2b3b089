//! The exploration of a live target: cases and races, several at once, within a budget.
//!
//! - Input: the plan of a run and its session. Output: the findings, in the order of the plan.
//! - `items` lists what is played, the cases that show the most first, `flow` plays it, and this file collects the
//!   outcomes.
//! - The outcome does not depend on how many are played at once. Each play has its own names, part of the inbox and
//!   subscriptions. What moves the clock of the target, or announces failures to all of its users, is played alone.
//!   Outcomes are collected in the order of the plan. A case begins only if its requests fit in what the cases before
//!   it leave of the budget.

mod flow;
mod items;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use tideover_exchange::evidence::tally::Tally;
use tideover_exchange::evidence::{Activity, Effort, Ending, Reached, Spent, TimeSpent};
use tideover_exchange::target::Unreachable;
use tideover_suite::play::case::Stopped;
use tideover_suite::play::cases::{
    Failure, Plan, Silent, Summary, Suspect, Testbed, examine_suspects, minimise, reproduce,
};
use tideover_suite::play::concurrent::{self, Races, suspect};

use crate::exploration::flow::{Ended, Flow, Next, Outcome};
use crate::exploration::items::Items;
use crate::session::Session;
use crate::target::LiveWorld;

/// An exploration under way. It can be stopped at any time, and then has what it has seen.
pub struct Exploration<'a> {
    plan: &'a Plan,
    session: Rc<Session>,
    world: LiveWorld,
    races: Option<Races<'a>>,
    pub summary: Summary,
    /// How many cases there are to play.
    pub cases: u64,
    /// How many were played at once at most.
    workers: usize,
    /// How many clauses were met after each case.
    reached: Vec<Reached>,
    /// The index of the finding that is being shrunk.
    shrinking: Option<usize>,
    /// The indexes of failures that need no shrinking: the examination of an outage has shrunk them.
    small: BTreeSet<usize>,
    /// The case before, which may have brought the target down.
    previous: Option<Suspect>,
    /// The time that the run itself took: the order of the cases, the shrinking.
    own: TimeSpent,
    began: Instant,
    /// Where the time went until the shrinking began.
    explored: Option<TimeSpent>,
    met: Tally,
}

/// A play in which the target gave no answer.
struct SilentPlay {
    play: u64,
    suspect: Suspect,
    /// Set if the target does not answer any more.
    stopped: Option<Stopped>,
}

impl<'a> Exploration<'a> {
    /// The cases of `plan` in `world`, and the races of `races`, if there are any.
    pub fn new(
        plan: &'a Plan,
        session: Rc<Session>,
        world: LiveWorld,
        races: Option<Races<'a>>,
    ) -> Exploration<'a> {
        Exploration {
            plan,
            session,
            world,
            races,
            summary: Summary::default(),
            cases: plan.cases,
            workers: 1,
            reached: Vec::new(),
            shrinking: None,
            small: BTreeSet::new(),
            previous: None,
            own: TimeSpent::default(),
            began: Instant::now(),
            explored: None,
            met: Tally::default(),
        }
    }

    /// Adds what earlier runs have found and is still there. It is small already.
    pub fn recall(&mut self, failures: impl IntoIterator<Item = Failure>) {
        self.summary.recall(failures);
        self.small.extend(0..self.summary.failures.len());
    }

    /// The summary of the races, if there were any.
    pub fn raced(&self) -> Option<&concurrent::Summary> {
        self.races.as_ref().map(|races| &races.summary)
    }

    pub fn effort(&self) -> Effort {
        let mut spent = self.explored.clone().unwrap_or_else(|| self.session.spent());
        let judging = Spent { times: self.summary.steps, took: self.summary.judging };
        spent.add(Activity::Judging, judging);
        self.own.iter().for_each(|(activity, part)| spent.add(activity, part));
        Effort { spent, reached: self.reached.clone(), workers: self.workers }
    }

    /// Which finding is being shrunk, from 1, and how many there are.
    pub fn shrinking(&self) -> Option<(usize, usize)> {
        self.shrinking.map(|index| (index + 1, self.summary.failures.len()))
    }

    /// Plays until the plan or the budget ends, or enough is found; then shrinks what was found. Calls `progress` after
    /// each case.
    pub async fn run(
        &mut self,
        mut progress: impl FnMut(&Exploration<'_>),
    ) -> Result<(), Unreachable> {
        let explored = self.explore(&mut progress).await;
        self.explored = Some(self.session.spent());
        let began = Instant::now();
        if self.shrink(&mut progress).await {
            self.own.record(Activity::Shrinking, began.elapsed());
        }
        explored
    }

    async fn explore(
        &mut self,
        progress: &mut impl FnMut(&Exploration<'_>),
    ) -> Result<(), Unreachable> {
        let (plan, began) = (self.plan, Instant::now());
        let races = self.races.as_ref().map(|races| (races.plan(), races.size()));
        let mut flow = Flow::new(Rc::clone(&self.session), self.world.clone(), &plan.header);
        let (session, world) = (Rc::clone(&self.session), self.world.clone());
        let mut items = Items::of(plan, session, world, races).await;
        self.own.record(Activity::Ordering, began.elapsed());
        self.cases = items.count();
        // Outcomes that wait for those before them in the plan.
        let mut done: BTreeMap<usize, Ended> = BTreeMap::new();
        let (mut taken, mut ended, mut rests) = (0, None, false);
        loop {
            while ended.is_none() && !rests {
                match flow.next(&mut items) {
                    Next::Begin(item) => flow.begin(item),
                    Next::Wait => break,
                    Next::Over => ended = Some(Ok(())),
                }
            }
            self.workers = self.workers.max(flow.at_once());
            match flow.ended().await {
                Some(item) => {
                    // A target that gave no answer is examined once nothing else is under way.
                    rests |= item.is_silent() || self.session.outage().is_some();
                    done.insert(item.place, item);
                }
                None if !rests => break,
                None => {}
            }
            if rests && flow.at_once() > 0 {
                continue;
            }
            let before = self.previous.clone();
            let mut silent = Vec::new();
            while let Some(item) = done.remove(&taken) {
                taken += 1;
                silent.extend(self.silence_in(&item));
                match self.take(item).await {
                    Ok(()) => {}
                    Err(unreachable) => ended = ended.or(Some(Err(unreachable))),
                }
                progress(self);
            }
            if std::mem::take(&mut rests) {
                match self.examine(silent, before).await {
                    Ok(()) => ended = ended.filter(|_| self.session.ended().is_some()),
                    Err(unreachable) => ended = Some(Err(unreachable)),
                }
            }
            if self.is_enough() {
                self.session.stop_exploring();
                ended = ended.or(Some(Ok(())));
            }
        }
        self.conclude(items.peek().is_none());
        ended.unwrap_or(Ok(()))
    }

    /// Records why the exploration ended.
    fn conclude(&mut self, is_over: bool) {
        self.summary.ending = match self.session.ended() {
            _ if self.is_enough() => Ending::EnoughFound,
            None if is_over => Ending::Complete,
            // The session knows why.
            _ => Ending::Interrupted,
        };
    }

    fn is_enough(&self) -> bool {
        let raced = self.raced().map_or(0, |raced| raced.counted.failures.len());
        self.summary.new_failures() + raced >= self.plan.max_findings
    }

    /// Collects the outcome of an item. What was played after enough was found does not count.
    async fn take(&mut self, item: Ended) -> Result<(), Unreachable> {
        if self.is_enough() {
            return Ok(());
        }
        let failures = self.summary.failures.len();
        match item.outcome? {
            Outcome::Case(case) => {
                self.met.add(&case.played.met);
                let Suspect { case: number, steps, played } = &*case;
                self.summary.take(&self.plan.header, *number, steps, played);
                self.previous = Some(*case);
            }
            Outcome::Race(number, history, known) => {
                let Some(races) = &mut self.races else { return Ok(()) };
                let began = Instant::now();
                races.take(&mut self.world, number, &history, &known).await?;
                self.own.record(Activity::Judging, began.elapsed());
                self.met.add(&races.summary.counted.met);
            }
        }
        if self.summary.failures.len() > failures {
            self.session.keep_for_shrinking();
        }
        let milliseconds = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (requests, clauses) = (self.session.requests(), self.met.distinct());
        self.reached.push(Reached { requests, milliseconds, clauses });
        Ok(())
    }

    /// The play, if the target gave no answer in it.
    fn silence_in(&self, item: &Ended) -> Option<SilentPlay> {
        let play = item.play;
        match item.outcome.as_ref().ok()? {
            Outcome::Case(case) => item.is_silent().then(|| {
                let stopped = case.played.stopped.clone();
                SilentPlay { play, suspect: (**case).clone(), stopped }
            }),
            Outcome::Race(number, history, _) => self.session.outage().map(|why| {
                let (suspect, in_flight) = suspect(*number, history);
                SilentPlay { play, suspect, stopped: Some(Stopped { in_flight, why }) }
            }),
        }
    }

    /// Finds out why the target gave no answer. Of several plays that were under way when it stopped, those come first
    /// that did what it never survived before, and then those with a request under way.
    async fn examine(
        &mut self,
        silent: Vec<SilentPlay>,
        before: Option<Suspect>,
    ) -> Result<(), Unreachable> {
        let failures = self.summary.failures.len();
        let examined = self.examine_each(silent, before).await;
        // The examination has shrunk them.
        self.small.extend(failures..self.summary.failures.len());
        examined
    }

    async fn examine_each(
        &mut self,
        silent: Vec<SilentPlay>,
        before: Option<Suspect>,
    ) -> Result<(), Unreachable> {
        let Exploration { plan, session, world, summary, .. } = self;
        let (mut stopped, lost): (Vec<_>, Vec<_>) =
            silent.into_iter().partition(|one| one.stopped.is_some());
        let outage = session.outage().map(|why| Stopped { in_flight: false, why });
        let new = session.suspects();
        let in_flight = |one: &SilentPlay| one.stopped.as_ref().is_some_and(|it| it.in_flight);
        stopped.sort_by_key(|one| (!new.contains(&one.play), !in_flight(one)));
        let first = stopped.first().and_then(|first| first.stopped.clone()).or(outage);
        if let Some(first) = first {
            let answers = stopped.iter().map(|one| one.suspect.played.answers.len()).max();
            let before = before.filter(|_| answers.unwrap_or(0) < 2);
            let suspects = stopped.into_iter().map(|one| one.suspect);
            let suspects = suspects.filter(|one| !one.played.answers.is_empty()).chain(before);
            let silent = Silent::Stopped { suspects: suspects.collect(), stopped: first };
            return world.examine(&plan.header, summary, silent).await;
        }
        for SilentPlay { suspect, .. } in lost {
            let Some((index, why)) = suspect.played.lost.first().cloned() else { continue };
            let silent = Silent::Lost { suspect: Box::new(suspect), index, why };
            world.examine(&plan.header, summary, silent).await?;
        }
        Ok(())
    }

    /// The indexes of the failures that are to be shrunk.
    fn large(&self) -> Vec<usize> {
        (0..self.summary.failures.len()).filter(|index| !self.small.contains(index)).collect()
    }

    /// Plays suspects again, and shrinks what was found, with a budget of its own. Returns whether there was anything to
    /// do.
    async fn shrink(&mut self, progress: &mut impl FnMut(&Exploration<'_>)) -> bool {
        let is_sandbox = self.session.settings.sandbox.is_some();
        let has_suspects = is_sandbox && !self.summary.suspects.is_empty();
        if self.large().is_empty() && !has_suspects || !self.session.begin_shrinking() {
            return false;
        }
        if has_suspects {
            let (world, header) = (&mut self.world, &self.plan.header);
            // What the budget has no room for stays unknown.
            let _ = examine_suspects(world, header, &mut self.summary).await;
        }
        let large = self.large();
        // First tries to reproduce each, because the budget may end while one is being shrunk.
        for index in &large {
            let failure = &mut self.summary.failures[*index];
            if reproduce(&mut self.world, failure).await.is_err() {
                break;
            }
        }
        for (nth, index) in large.iter().enumerate() {
            self.shrinking = Some(*index);
            progress(self);
            let failure = &mut self.summary.failures[*index];
            if failure.reproduced.is_some_and(|so_far| so_far.times == 0 && so_far.plays > 0) {
                continue;
            }
            self.session.share_rest(large.len() - nth);
            // If the budget ends, the failure keeps the smallest form so far.
            if minimise(&mut self.world, failure).await.is_err() && self.session.is_given_up() {
                break;
            }
        }
        self.session.end_shrinking();
        true
    }
}

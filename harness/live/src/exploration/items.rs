//! The list of what an exploration plays: cases in their order, and races, which take a tenth of the requests.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use tideover_exchange::Race;
use tideover_exchange::step::{Action, Step};
use tideover_model::{ActionKind, OperationKind};
use tideover_suite::generate::{Size, round};
use tideover_suite::play::cases::{Plan, Testbed};
use tideover_suite::play::concurrent::RaceTestbed;
use tideover_suite::play::order::{Candidate, Planned, ordered};

use crate::rehearsal::shown_by;
use crate::scope::disturbs;
use crate::session::Session;
use crate::target::LiveWorld;

/// One request in so many goes into races.
const RACES: u64 = 10;

/// A case or a race.
pub(super) struct Item {
    pub(super) kind: Kind,
    /// The requests that it takes.
    pub(super) cost: u64,
    /// Whether nothing else is played meanwhile, because it moves the clock or announces failures to everybody.
    pub(super) is_alone: bool,
}

pub(super) enum Kind {
    Case { number: u64, steps: Vec<Step> },
    Race { number: u64, race: Race },
}

/// What is still to be played.
pub(super) struct Items<'a> {
    plan: &'a Plan,
    session: Rc<Session>,
    world: LiveWorld,
    races: Option<(&'a Plan, Size)>,
    raced: u64,
    /// The ordered cases.
    planned: VecDeque<Planned>,
    /// The cases after them, counted from the first of the plan.
    later: Range<u64>,
    /// The next item, once [`Items::peek`] has generated it.
    next: Option<Item>,
    /// The requests of the cases and of the races so far.
    spent: (u64, u64),
}

impl Item {
    fn case(number: u64, steps: Vec<Step>, around: u64) -> Item {
        let (cost, is_alone) = (steps.len() as u64 + around, steps.iter().any(affects_everybody));
        Item { kind: Kind::Case { number, steps }, cost, is_alone }
    }

    fn race(number: u64, race: Race, around: u64) -> Item {
        let clients = race.clients.iter().flatten();
        let steps = || race.before.iter().chain(clients.clone()).chain(&race.after);
        let (cost, is_alone) = (steps().count() as u64 + around, steps().any(affects_everybody));
        Item { kind: Kind::Race { number, race }, cost, is_alone }
    }

    /// The beginning of a case, for so many requests; `None` if nothing of it fits.
    pub(super) fn cut_to(self, left: u64) -> Option<Item> {
        let Kind::Case { number, mut steps } = self.kind else { return None };
        let around = self.cost - steps.len() as u64;
        let length = usize::try_from(left.checked_sub(around)?).unwrap_or(usize::MAX);
        steps.truncate(length);
        (!steps.is_empty()).then(|| Item::case(number, steps, around))
    }
}

/// Whether a step affects every user of the target.
fn affects_everybody(step: &Step) -> bool {
    match &step.action {
        Action::Advance(_) => true,
        Action::Act(fields) => ActionKind::of(fields).is_none_or(disturbs),
        Action::Call(_) | Action::Deliveries => false,
    }
}

impl<'a> Items<'a> {
    /// The cases of `plan` and the races. In a sandbox the model says which cases come first.
    pub(super) async fn of(
        plan: &'a Plan,
        session: Rc<Session>,
        world: LiveWorld,
        races: Option<(&'a Plan, Size)>,
    ) -> Items<'a> {
        let is_sandbox = session.settings.sandbox.is_some();
        // Each goal comes once in a round. The cases after it follow in the order of their numbers.
        let some = if is_sandbox { plan.cases.min(round()) } else { 0 };
        let mut items = Items {
            plan,
            session,
            world,
            races,
            raced: 0,
            planned: VecDeque::new(),
            later: some..plan.cases,
            next: None,
            spent: (0, 0),
        };
        items.planned = items.first(some).await.into();
        items
    }

    /// The first cases, in the order of what they meet.
    async fn first(&self, some: u64) -> Vec<Planned> {
        let Plan { header, steps, .. } = self.plan;
        let has_inbox = self.session.inbox_url.is_some();
        let mut candidates = Vec::new();
        for number in self.plan.numbers().take(usize::try_from(some).unwrap_or(usize::MAX)) {
            let steps = self.world.case(header, number, *steps);
            let shown = shown_by(&self.session.settings, has_inbox, header, &steps).await;
            candidates.push(Candidate { number, steps, shown });
            // Lets a signal end the run.
            tokio::task::yield_now().await;
        }
        let cases: u64 = candidates.iter().map(|one| self.cost(&one.steps)).sum();
        let cost = if self.races.is_some() { cases + cases / (RACES - 1) } else { cases };
        // Nothing of a single case is played twice.
        let requests = if some < 2 { cost } else { self.session.room() };
        ordered(candidates, cost, requests)
    }

    /// How many cases there are to play.
    pub(super) fn count(&self) -> u64 {
        self.planned.len() as u64 + (self.later.end - self.later.start)
    }

    pub(super) fn peek(&mut self) -> Option<&Item> {
        if self.next.is_none() {
            self.next = self.generate();
        }
        self.next.as_ref()
    }

    pub(super) fn take(&mut self) -> Option<Item> {
        let item = self.next.take().or_else(|| self.generate())?;
        match item.kind {
            Kind::Case { .. } => self.spent.0 += item.cost,
            Kind::Race { .. } => self.spent.1 += item.cost,
        }
        Some(item)
    }

    fn generate(&mut self) -> Option<Item> {
        if let Some(race) = self.race() {
            self.raced += 1;
            return Some(race);
        }
        let Planned { number, steps } = self.planned.pop_front().or_else(|| self.another())?;
        let around = self.cost(&steps) - steps.len() as u64;
        Some(Item::case(number, steps, around))
    }

    /// The next case that is not ordered.
    fn another(&mut self) -> Option<Planned> {
        let number = self.plan.first.wrapping_add(self.later.next()?);
        let steps = self.world.case(&self.plan.header, number, self.plan.steps);
        Some(Planned { number, steps })
    }

    /// The next race, if the races have taken less than their part until now.
    fn race(&self) -> Option<Item> {
        let (plan, size) = self.races?;
        if self.raced >= plan.cases {
            return None;
        }
        let number = plan.first.wrapping_add(self.raced);
        let race = self.world.race(&plan.header, number, size);
        let around = u64::from(self.session.abilities().moves_clock);
        let item = Item::race(number, race, around);
        let (cases, races) = self.spent;
        ((races + item.cost) * RACES <= cases + races + item.cost).then_some(item)
    }

    /// The requests that a case takes: its steps, a look at the clock, and the deletion of its subscriptions.
    fn cost(&self, steps: &[Step]) -> u64 {
        let subscribes = |step: &&Step| match &step.action {
            Action::Call(call) => call.kind() == Some(OperationKind::Subscribe),
            Action::Act(_) | Action::Advance(_) | Action::Deliveries => false,
        };
        let subscriptions = steps.iter().filter(subscribes).count() as u64;
        let list = u64::from(subscriptions > 0);
        let clock = u64::from(self.session.abilities().moves_clock);
        steps.len() as u64 + clock + list + subscriptions
    }
}

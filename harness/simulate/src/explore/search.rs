//! The exhaustive search of a world.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model, Path, Property};
use tideover_defects::Defect;

use crate::explore::counterexample::Counterexample;
use crate::explore::milestone::{Milestone, Milestones, ShowsMilestones, properties};
use crate::explore::shown::Step;
use crate::explore::state::State;
use crate::explore::world::SmallWorld;
use crate::simulation::auditor::Invariant;

/// How long the search waits before it shows its progress again.
const TICK: Duration = Duration::from_millis(20);

/// A world to search, with what its steps have shown.
pub(super) struct SearchModel {
    world: &'static SmallWorld,
    planted: Option<&'static Defect>,
    bounds: Bounds,
    /// How many states were generated, the first one included.
    generated: AtomicUsize,
    /// Whether a bound kept a state out of the search.
    is_cut: AtomicBool,
    is_over: AtomicBool,
    shown: AtomicU32,
    stop: Arc<AtomicBool>,
}

/// The bounds of a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How many threads search. With one, the depth and the counterexample are always the same.
    pub threads: NonZeroUsize,
    /// The most states to generate, repeated ones included.
    pub states: Option<NonZeroUsize>,
    /// The most actions in a row.
    pub depth: Option<usize>,
}

/// The result of a search.
#[derive(Debug)]
pub struct Explored {
    /// The world.
    pub world: &'static SmallWorld,
    /// How many states were generated, repeated ones included.
    pub generated: usize,
    /// How many different states there are.
    pub states: usize,
    /// The most actions on the way to a state.
    pub depth: usize,
    /// How long it took.
    pub took: Duration,
    /// Whether the search reached every state.
    pub is_exhausted: bool,
    /// The milestones of the world that some step showed.
    pub reached: Vec<Milestone>,
    /// Those that no step showed.
    pub missed: Vec<Milestone>,
    /// The shortest path to a breach, if there is one.
    pub counterexample: Option<Counterexample>,
}

macro_rules! invariants {
    ($($invariant:ident)*) => {
        /// The invariants that a search checks: those of the service.
        pub const INVARIANTS: [Invariant; [$(Invariant::$invariant,)*].len()] =
            [$(Invariant::$invariant,)*];

        /// A property for each invariant: no state has a breach of it.
        fn invariants() -> Vec<Property<SearchModel>> {
            vec![$(Property::always(Invariant::$invariant.name(), |_, state: &State| {
                state.breach().is_none_or(|breach| breach.invariant != Invariant::$invariant)
            }),)*]
        }
    };
}

invariants! {
    CentsConserved
    LimitHeld
    FourRequirements
    OneAdvance
    EventsFollowState
    StateMovesForward
    RowsOnce
    DeliveryConstant
    PlatformsApart
    NoTimerInThePast
}

impl ShowsMilestones for SearchModel {
    fn has_shown(&self, milestone: Milestone) -> bool {
        Milestones::from(self.shown.load(Ordering::Relaxed)).has(milestone)
    }
}

impl Model for SearchModel {
    type State = State;
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![self.world.start(self.planted)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        if state.breach().is_some() || self.stop.load(Ordering::Relaxed) {
            return;
        }
        if self.bounds.depth.is_some_and(|most| state.depth.0 >= most) {
            self.is_cut.store(true, Ordering::Relaxed);
            return;
        }
        actions.extend(self.world.possible(state));
    }

    fn next_state(&self, before: &State, number: usize) -> Option<State> {
        let (after, seen) = self.world.step(before, number);
        let after = after.map(State::normal);
        if after.is_some() && !self.is_open() {
            return None;
        }
        let step = Step { before, action: self.world.action(number), seen: &seen };
        self.shown.fetch_or(step.milestones().bits(), Ordering::Relaxed);
        let after = after?;
        self.generated.fetch_add(1, Ordering::Relaxed);
        Some(after)
    }

    fn properties(&self) -> Vec<Property<SearchModel>> {
        let milestones = properties().into_iter();
        let wanted = milestones.filter(|(milestone, _)| self.world.milestones.contains(milestone));
        invariants().into_iter().chain(wanted.map(|(_, property)| property)).collect()
    }
}

impl SearchModel {
    /// Whether another state may be generated.
    fn is_open(&self) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return true;
        }
        let most = self.bounds.states.map_or(usize::MAX, NonZeroUsize::get);
        let is_full = self.generated.load(Ordering::Relaxed) >= most;
        let is_open = !is_full && !self.stop.load(Ordering::Relaxed);
        if !is_open {
            self.is_cut.store(true, Ordering::Relaxed);
        }
        is_open
    }
}

/// A search to be made.
#[derive(Clone, Debug)]
pub struct Search {
    /// The world.
    pub world: &'static SmallWorld,
    /// The defect of its service, if it has one.
    pub planted: Option<&'static Defect>,
    /// The bounds of the search.
    pub bounds: Bounds,
    /// Once this is true, the search ends early, without a counterexample.
    pub stop: Arc<AtomicBool>,
}

impl Search {
    /// Searches the world for a breach, and for its milestones. `watch` learns how many states were found so
    /// far.
    pub fn explore(&self, watch: &dyn Fn(usize)) -> Explored {
        let began = Instant::now();
        let mut explored = self.search(watch);
        // A checker keeps the last breach of a block of states, not the first.
        while let Some(found) = &explored.counterexample {
            let depth = Some(found.steps.len().saturating_sub(1));
            let bounds = Bounds { threads: NonZeroUsize::MIN, states: None, depth };
            let shorter = Search { bounds, ..self.clone() }.search(watch).counterexample;
            if shorter.is_none() {
                break;
            }
            explored.counterexample = shorter;
        }
        Explored { took: began.elapsed(), ..explored }
    }

    fn search(&self, watch: &dyn Fn(usize)) -> Explored {
        let Search { world, planted, bounds, .. } = *self;
        let search = SearchModel {
            world,
            planted,
            bounds,
            generated: AtomicUsize::new(1),
            is_cut: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            shown: AtomicU32::new(0),
            stop: self.stop.clone(),
        };
        let builder = search.checker().threads(bounds.threads.get());
        let builder = builder.finish_when(HasDiscoveries::AnyFailures);
        let mut checker = builder.spawn_bfs();
        let handles = checker.handles();
        while !handles.iter().all(thread::JoinHandle::is_finished) {
            watch(checker.unique_state_count());
            thread::sleep(TICK);
        }
        for handle in handles {
            handle.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        self.explored(&checker)
    }

    fn explored(&self, checker: &impl Checker<SearchModel>) -> Explored {
        let Search { world, .. } = *self;
        let is_stopped = self.stop.load(Ordering::Relaxed);
        let is_cut = checker.model().is_cut.load(Ordering::Relaxed);
        // To rebuild a path, the checker takes its steps again: no bound may stop them.
        checker.model().is_over.store(true, Ordering::Relaxed);
        let counterexample = if is_stopped { None } else { self.counterexample(checker) };
        let has_shown = |milestone: &Milestone| checker.model().has_shown(*milestone);
        let (reached, missed) = world.milestones.iter().partition(|it| has_shown(it));
        Explored {
            world,
            generated: checker.state_count(),
            states: checker.unique_state_count(),
            depth: checker.max_depth().saturating_sub(1),
            took: Duration::ZERO,
            is_exhausted: !is_cut && !is_stopped && counterexample.is_none(),
            reached,
            missed,
            counterexample,
        }
    }

    fn counterexample(&self, checker: &impl Checker<SearchModel>) -> Option<Counterexample> {
        let mut discoveries = checker.discoveries();
        let breaches = INVARIANTS.iter().filter_map(|it| discoveries.remove(it.name()));
        let shown =
            |path: Path<State, usize>| Counterexample::from_path(self.world, path.into_vec());
        breaches.filter_map(shown).min_by_key(|found| found.steps.len())
    }
}

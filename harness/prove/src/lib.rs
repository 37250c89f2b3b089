//! The proof that the suite can fail.
//!
//! - In comes the catalogue of [`defects`], which `harness/defects` keeps. Out comes, for each defect, how many seeds
//!   find it and after how many requests.
//! - [`stranger`] hides what is known of a target, so that the suite treats it as a foreign service.
//!   [`clauses`] lists the evidence for each clause.
//! - Never here: a check that only the proof uses, how a result looks.
//! - Begin at [`defects`], then [`prove`].

mod beside;
pub mod clauses;
pub mod generated;
mod order;
pub mod right;
pub mod stranger;
mod unseen;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tideover_endpoint::{Http, embedded_with};
use tideover_exchange::evidence::finding::{Finding, Verdict};
use tideover_exchange::evidence::latency::percentile;
use tideover_exchange::target::{INBOX, ModelTarget, NO_INBOX, Unreachable};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Race, start};
use tideover_judge::Outside;
use tideover_live::facilities::OTHER;
use tideover_model::{
    ActionKind, Altered, Clause, Destinations, Face, Happening, Outcome, PlatformId, Profile,
    Seeded,
};
use tideover_sim::Mock;
use tideover_suite::generate;
use tideover_suite::generate::Size;
use tideover_suite::play::cases;
use tideover_suite::play::cases::{Failure, InProcess, Plan, Summary, Testbed};
use tideover_suite::play::concurrent::{Known, Schedule, interleave, judge};
use tideover_suite::play::learn::Stated;
use tokio::runtime::Runtime;

use crate::beside::Offered;
use crate::defects::{Defect, Defective};
use crate::order::Order;
use crate::stranger::{Strangers, begun};

pub use tideover_defects as defects;
pub use unseen::{Setup, UNSEEN, Undetectable, obstacle};

/// The budget for each defect.
#[derive(Clone, Debug)]
pub struct ProofBudget {
    /// The seeds to try.
    pub seeds: RangeInclusive<u64>,
    /// How many requests each seed may send. A case that has begun is finished.
    pub requests: u64,
    /// How many steps each case has.
    pub steps: u64,
}

/// One seed, tried with a defect.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// Requests until the suite found something or gave up. Actions of the outside world and moves of
    /// the clock count too.
    pub requests: u64,
    /// What it found.
    pub found: Option<FirstFinding>,
    /// Whether any response or event was another than a right service's, where the two were compared.
    pub differs: bool,
}

/// The first finding of a seed.
#[derive(Clone, Debug)]
pub struct FirstFinding {
    /// The clauses that the findings name, in order.
    pub named: Vec<Clause>,
    /// Whether it violates the document, not only an assumption.
    pub violated: bool,
    /// The number of steps of the shrunk sequence. All of them, where only the run as a whole shows it.
    pub steps: usize,
}

/// All seeds, tried with a defect.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The defect.
    pub defect: &'static Defect,
    /// The setup of the proof.
    pub setup: Setup,
    /// The trials, in the order of the seeds.
    pub trials: Vec<Trial>,
}

impl From<&Failure> for FirstFinding {
    fn from(failure: &Failure) -> FirstFinding {
        let mut named = Vec::new();
        for finding in &failure.findings {
            if !named.contains(&finding.clause) {
                named.push(finding.clause);
            }
        }
        let violated = failure.verdict() == Verdict::Violated;
        FirstFinding { named, violated, steps: failure.transcript.steps.len() }
    }
}

impl FirstFinding {
    /// What no case shows, but all of them together.
    fn of_whole(summary: &Summary) -> Option<FirstFinding> {
        let violated = summary.violated_as_a_whole();
        let named: Vec<Clause> = violated.map(|finding| finding.clause).collect();
        let steps = usize::try_from(summary.steps).unwrap_or(usize::MAX);
        (!named.is_empty()).then_some(FirstFinding { named, violated: true, steps })
    }
}

impl Proof {
    /// The trials that found the defect.
    pub fn found(&self) -> impl Iterator<Item = (&Trial, &FirstFinding)> {
        self.trials.iter().filter_map(|trial| Some((trial, trial.found.as_ref()?)))
    }

    /// Whether no seed found the defect.
    pub fn survived(&self) -> bool {
        self.found().next().is_none()
    }

    /// Why this setup cannot detect the defect, if it cannot.
    pub fn reason(&self) -> Option<&'static str> {
        self.setup.reason(self.defect)
    }

    /// Whether no seed found the defect although the setup can detect it.
    pub fn is_missed(&self) -> bool {
        self.survived() && self.reason().is_none()
    }

    /// How many seeds named the clause that the catalogue expects.
    pub fn named_as_expected(&self) -> usize {
        let named = self.defect.named;
        self.found().filter(|(_, found)| found.named.contains(&named)).count()
    }

    /// The clause that most seeds named first.
    pub fn mostly_named(&self) -> Option<Clause> {
        let first = |found: &FirstFinding| found.named.first().copied();
        let named: Vec<Clause> = self.found().filter_map(|(_, found)| first(found)).collect();
        named.iter().copied().max_by_key(|one| named.iter().filter(|other| *other == one).count())
    }

    /// The number of requests that `percent` of the successful seeds needed at most.
    pub fn requests(&self, percent: usize) -> Option<u64> {
        percentile(self.found().map(|(trial, _)| trial.requests).collect(), percent)
    }

    /// The median length of the shrunk sequences, in steps.
    pub fn steps(&self) -> Option<usize> {
        percentile(self.found().map(|(_, found)| found.steps).collect(), 50)
    }
}

/// A mock of the world of `header` on a free port, with `defect` if any, and a target that talks to it.
///
/// # Errors
/// [`Unreachable`] if no port is free.
pub async fn embedded(
    header: &Header,
    defect: Option<&'static Defect>,
) -> Result<(Mock, Http), Unreachable> {
    let (profile, seed) = (&header.profile, header.seed);
    let face = |destinations: &Destinations| -> Option<Box<dyn Face>> {
        Some(Box::new(defect?.service(profile.clone(), seed, destinations.clone())))
    };
    embedded_with(header, face).await
}

/// Tries every seed with every defect on `threads` threads. The proofs keep the order of `defects`.
/// Once `stop` is set, no new trial starts.
///
/// # Errors
/// [`Unreachable`] if the runtime cannot start, or the service in process does not respond.
pub fn prove(
    setup: Setup,
    defects: &[&'static Defect],
    budget: &ProofBudget,
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Proof>, Unreachable> {
    prove_by(Attempt::Plain, setup, defects, budget, threads, stop, progress)
}

/// Who tries a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    /// The suite in its setup. Whatever it finds counts.
    Plain,
    /// The same. Only what violates the document counts.
    Strict,
    /// The suite that knows the service, with the requests of the setup. Only what violates the document counts.
    Knowing,
}

/// The same, by one of the two.
fn prove_by(
    attempt: Attempt,
    setup: Setup,
    defects: &[&'static Defect],
    budget: &ProofBudget,
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Proof>, Unreachable> {
    let trials: Vec<(&'static Defect, u64)> = defects
        .iter()
        .flat_map(|defect| budget.seeds.clone().map(|seed| (*defect, seed)))
        .collect();
    let orders = orders(setup, budget)?;
    let tried = try_each(&trials, threads, stop, progress, |(defect, seed)| {
        let is_strict = attempt != Attempt::Plain;
        let order = orders.get(seed).cloned().unwrap_or_default();
        let experiment = Experiment::new(setup, Some(defect), *seed, budget);
        let experiment = Experiment { is_strict, order, ..experiment };
        match attempt {
            Attempt::Plain | Attempt::Strict => experiment.run(),
            Attempt::Knowing => experiment.run_knowing(),
        }
    });
    let mut proofs: Vec<Proof> = Vec::new();
    for ((defect, _), trial) in trials.iter().copied().zip(tried) {
        let trial = trial?;
        match proofs.last_mut().filter(|proof| std::ptr::eq(proof.defect, defect)) {
            Some(proof) => proof.trials.push(trial),
            None => proofs.push(Proof { defect, setup, trials: vec![trial] }),
        }
    }
    Ok(proofs)
}

/// The order of the cases for each seed: who knows the service plays them by their numbers.
fn orders(setup: Setup, budget: &ProofBudget) -> Result<BTreeMap<u64, Order>, Unreachable> {
    if setup == Setup::Known {
        return Ok(BTreeMap::new());
    }
    let runtime = runtime()?;
    let order_of = |seed| {
        let right = Experiment::new(setup, None, seed, budget);
        Ok((seed, runtime.block_on(right.order())?))
    };
    budget.seeds.clone().map(order_of).collect()
}

fn runtime() -> Result<Runtime, Unreachable> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.map_err(|error| Unreachable(error.to_string()))
}

/// Tries each of `trials` on `threads` threads; the results have their order. Once `stop` is set, no new trial starts,
/// and those that have begun are the first of them.
fn try_each<T: Sync, R: Send>(
    trials: &[T],
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
    attempt: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(trial) = trials.get(index) else { break };
                let tried = attempt(trial);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((index, tried));
                progress();
            }
        };
        for _ in 0..threads.max(1) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, tried)| tried).collect()
}

/// The number of clients in a race.
const RACERS: usize = 4;

/// Offset of the service's seed in setups that must not know its choices.
const STRANGE: u64 = 1000;

/// A seed that is tried with a defect, or with a right service.
struct Experiment<'a> {
    setup: Setup,
    defect: Option<&'static Defect>,
    budget: &'a ProofBudget,
    header: Header,
    order: Order,
    /// Whether only what violates the document counts.
    is_strict: bool,
}

/// So many findings may differ from an assumption before the one that violates the document.
const MOST_DIFFERENCES: usize = 8;

impl Experiment<'_> {
    fn new<'a>(
        setup: Setup,
        defect: Option<&'static Defect>,
        seed: u64,
        budget: &'a ProofBudget,
    ) -> Experiment<'a> {
        let header = Header::new(seed, start(), Profile::default());
        Experiment { setup, defect, budget, header, order: Order::default(), is_strict: false }
    }

    /// Plays with a service that has the defect until the suite finds something.
    fn run(&self) -> Result<Trial, Unreachable> {
        let runtime = runtime()?;
        let is_raced = self.defect.is_some_and(Defect::is_raced);
        match self.setup {
            Setup::Known if is_raced => Ok(self.race(|race| race)),
            Setup::Known => runtime.block_on(self.play(&mut self.world())),
            Setup::Stranger | Setup::Caller => {
                let mut strangers = self.strangers().in_order(self.order.clone());
                if is_raced {
                    return Ok(self.race(|race| strangers.facilities().offered_in(race)));
                }
                runtime.block_on(self.play(&mut strangers))
            }
        }
    }

    /// Plays the steps that the setup offers, with everything known.
    fn run_knowing(&self) -> Result<Trial, Unreachable> {
        let differs = Arc::new(AtomicBool::new(false));
        let mut beside = self.beside(Arc::clone(&differs));
        let trial = runtime()?.block_on(self.play(&mut beside))?;
        Ok(Trial { differs: differs.load(Ordering::Relaxed), ..trial })
    }

    /// The order of the cases in a live run with the set-up.
    async fn order(&self) -> Result<Order, Unreachable> {
        // There is nothing to compare.
        let mut right = self.beside(Arc::new(AtomicBool::new(true)));
        Order::of(&mut right, &self.header, self.budget.steps, self.budget.requests).await
    }

    /// The service beside a right one, with the steps that the setup offers.
    fn beside(&self, differs: Arc<AtomicBool>) -> Offered<impl Fn(ActionKind) -> bool + use<>> {
        // What comes to an inbox shows only where the setup has one.
        let world = |defect| InProcess::new(self.service_of(defect, self.header.seed), start());
        Offered {
            wrong: world(self.defect),
            right: world(None),
            facilities: self.strangers().facilities(),
            order: self.order.clone(),
            differs,
        }
    }

    /// The service in its initial state. Who does not know it must not know its seed.
    fn service(&self) -> Defective {
        let seed = match self.setup {
            Setup::Known => self.header.seed,
            Setup::Stranger | Setup::Caller => self.header.seed + STRANGE,
        };
        self.service_of(self.defect, seed)
    }

    fn service_of(&self, defect: Option<&'static Defect>, seed: u64) -> Defective {
        let destinations = match self.setup {
            Setup::Known | Setup::Stranger => Destinations::PublicAnd(INBOX.to_owned()),
            Setup::Caller => Destinations::Public,
        };
        Defective::new(defect, self.header.profile.clone(), Seeded { seed }, destinations)
    }

    fn world(&self) -> InProcess<Defective> {
        InProcess::new(self.service(), start())
    }

    fn strangers(&self) -> Strangers<Defective> {
        if self.setup == Setup::Caller {
            return Strangers::with_one_key(InProcess::new(self.service(), begun()));
        }
        let mut service = self.service();
        let issue = Happening::IssueKey { platform: Some(OTHER.into()) };
        // The key was issued before the defect took effect.
        let issued = service.unaltered_mut().happen(begun(), PlatformId::DEFAULT, issue);
        let strangers = Strangers::new(InProcess::new(service, begun()), Outside::Controlled);
        match issued {
            Ok(Outcome::KeyIssued { key, .. }) => strangers.and_key(&key),
            _ => strangers,
        }
    }

    /// Plays cases, one after the other.
    async fn play<W: Testbed>(&self, world: &mut W) -> Result<Trial, Unreachable> {
        let (header, most, steps) = (&self.header, self.budget.requests, self.budget.steps);
        let mut whole = Summary::default();
        for first in 0..most {
            // A proof counts the first finding.
            let max_findings = if self.is_strict { MOST_DIFFERENCES } else { 1 };
            let plan = Plan { header: header.clone(), first, cases: 1, steps, max_findings };
            let summary = cases::check(world, &plan).await?;
            let found = summary.failures.iter().find(|failure| self.counts(failure));
            let found = found.map(FirstFinding::from);
            whole.absorb(summary);
            if found.is_some() {
                return Ok(self.trial(whole.steps, found));
            }
            if whole.steps >= most {
                whole.conclude(&Stated::default());
                let found = FirstFinding::of_whole(&whole);
                return Ok(self.trial(whole.steps.min(most), found));
            }
        }
        Ok(self.trial(whole.steps, None))
    }

    fn counts(&self, failure: &Failure) -> bool {
        let violates = |finding: &Finding| finding.verdict == Verdict::Violated;
        !self.is_strict || failure.findings.iter().any(violates)
    }

    /// Races until a response contradicts the document. The steps of the finding are the racing requests
    /// that show it.
    fn race(&self, offered: impl Fn(Race) -> Race) -> Trial {
        let (header, face, known) = (&self.header, self.service(), self.known());
        let steps = usize::try_from(self.budget.steps).unwrap_or(usize::MAX).div_ceil(RACERS);
        let mut requests = 0;
        for number in 0..self.budget.requests {
            let race = offered(generate::race(header, number, Size { clients: RACERS, steps }));
            let mut target = ModelTarget::over(face.clone(), header.start);
            let schedule = Schedule { seed: header.seed.wrapping_add(number), lost: 0 };
            let history = interleave(&mut target, &race, schedule);
            requests += history.requests.len() as u64;
            let contradictions = judge(&history, &known).contradictions;
            if let Some(first) = contradictions.first() {
                let named = contradictions.iter().map(|one| one.finding.clause).collect();
                let found = FirstFinding { named, violated: true, steps: first.requests.len() };
                return self.trial(requests, Some(found));
            }
            if requests >= self.budget.requests {
                break;
            }
        }
        self.trial(requests, None)
    }

    /// What is known of the service before the race.
    fn known(&self) -> Known {
        let known = Known::of(&self.header, INBOX);
        match self.setup {
            Setup::Known => known,
            Setup::Stranger => Known { limit: None, ..known },
            Setup::Caller => {
                let inbox = NO_INBOX.to_owned();
                Known { limit: None, outside: Outside::Open, inbox, ..known }
            }
        }
    }

    /// A finding beyond the budget does not count.
    fn trial(&self, requests: u64, found: Option<FirstFinding>) -> Trial {
        let found = found.filter(|_| requests <= self.budget.requests);
        let differs = found.is_some();
        Trial { seed: self.header.seed, requests, found, differs }
    }
}

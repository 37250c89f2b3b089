//! The proof that the suite can fail: it is run against each defect of the catalogue, over many seeds.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use tideover_model::{Clause, Destinations, Profile};

use crate::concurrent::{Known, Schedule, interleave, judge};
use crate::defects::{Defect, Defective};
use crate::finding::Verdict;
use crate::generate::{self, Size};
use crate::latency::percentile;
use crate::suite::{self, Failure, InProcess, Plan};
use crate::target::{Bare, INBOX, Unreachable, start};
use crate::transcript::Header;

/// How much is spent on each defect.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How many seeds, from 1 on.
    pub seeds: u64,
    /// How many cases each has at most.
    pub cases: u64,
    /// How many steps a case has.
    pub steps: u64,
}

/// What one seed made of a defect.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The seed.
    pub seed: u64,
    /// Requests that were sent until the suite had something to tell, or had enough; a move of the outside
    /// world or of the clock is one, too.
    pub requests: u64,
    /// What it told.
    pub found: Option<Found>,
}

/// What a seed found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The clauses that the findings name, the first one first.
    pub named: Vec<Clause>,
    /// Whether a sentence of the document is violated, and not an assumption alone.
    pub violated: bool,
    /// How many steps the shrunk sequence has.
    pub steps: usize,
}

/// What all seeds made of a defect.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The defect.
    pub defect: &'static Defect,
    /// The seeds that were tried, in order.
    pub trials: Vec<Trial>,
}

impl From<&Failure> for Found {
    fn from(failure: &Failure) -> Found {
        let mut named = Vec::new();
        for finding in &failure.findings {
            if !named.contains(&finding.clause) {
                named.push(finding.clause);
            }
        }
        let violated = failure.verdict() == Verdict::Violated;
        Found { named, violated, steps: failure.transcript.steps.len() }
    }
}

impl Proof {
    /// The seeds that found it.
    pub fn found(&self) -> impl Iterator<Item = (&Trial, &Found)> {
        self.trials.iter().filter_map(|trial| Some((trial, trial.found.as_ref()?)))
    }

    /// Whether no seed found it.
    pub fn survived(&self) -> bool {
        self.found().next().is_none()
    }

    /// How many seeds named the clause that the catalogue says is named.
    pub fn named_as_expected(&self) -> usize {
        let named = self.defect.named();
        self.found().filter(|(_, found)| found.named.contains(&named)).count()
    }

    /// The clause that most seeds named first.
    pub fn mostly_named(&self) -> Option<Clause> {
        let first = |found: &Found| found.named.first().copied();
        let named: Vec<Clause> = self.found().filter_map(|(_, found)| first(found)).collect();
        named.iter().copied().max_by_key(|one| named.iter().filter(|other| *other == one).count())
    }

    /// Of the seeds that found it, the requests that a share of them needed, in percent.
    pub fn requests(&self, percent: usize) -> Option<u64> {
        percentile(self.found().map(|(trial, _)| trial.requests).collect(), percent)
    }

    /// Of the seeds that found it, the median length of the shrunk sequence.
    pub fn steps(&self) -> Option<usize> {
        percentile(self.found().map(|(_, found)| found.steps).collect(), 50)
    }
}

/// Tries every seed with every defect, on `threads` threads; in the order of `defects`, whichever thread was
/// faster. Once `stop` is set, only what has begun is ended.
///
/// # Errors
/// [`Unreachable`] if the service in process cannot be asked, or there is no thread.
pub fn prove(
    defects: &[&'static Defect],
    budget: Budget,
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Proof>, Unreachable> {
    let trials: Vec<(&'static Defect, u64)> =
        defects.iter().flat_map(|defect| (1..=budget.seeds).map(|seed| (*defect, seed))).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some((defect, seed)) = trials.get(index) else { break };
                let tried = attempt(defect, *seed, budget);
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
    let mut proofs: Vec<Proof> = Vec::new();
    for (index, trial) in done {
        let (defect, trial) = (trials[index].0, trial?);
        match proofs.last_mut().filter(|proof| std::ptr::eq(proof.defect, defect)) {
            Some(proof) => proof.trials.push(trial),
            None => proofs.push(Proof { defect, trials: vec![trial] }),
        }
    }
    Ok(proofs)
}

/// Plays with a service that has `defect` until the suite has something to tell.
fn attempt(defect: &'static Defect, seed: u64, budget: Budget) -> Result<Trial, Unreachable> {
    let profile = Profile::default();
    let inbox = Destinations::PublicAnd(INBOX.to_owned());
    let header = Header::new(seed, start(), profile.clone());
    if defect.is_raced() {
        let face = defect.service(profile, seed, inbox);
        return Ok(attempt_at_once(&face, &header, budget));
    }
    let Budget { cases, steps, .. } = budget;
    // What is told first is what a proof is about.
    let plan = Plan { header, first: 0, cases, steps, max_findings: 1 };
    let mut world = InProcess::new(defect.service(profile, seed, inbox), start());
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| Unreachable(error.to_string()))?;
    let summary = runtime.block_on(suite::check(&mut world, &plan))?;
    let found = summary.failures.first().map(Found::from);
    Ok(Trial { seed, requests: summary.steps, found })
}

/// So many clients race for what shows only in a race.
const RACERS: usize = 4;

/// Races with `face` until an answer contradicts the document. What is counted as a step of what was found are the
/// requests that show it, which raced.
fn attempt_at_once(face: &Defective, header: &Header, budget: Budget) -> Trial {
    let (seed, mut requests) = (header.seed, 0);
    let known = Known::of(header, INBOX);
    let steps = usize::try_from(budget.steps).unwrap_or(usize::MAX).div_ceil(RACERS);
    for case in 0..budget.cases {
        let race = generate::race(header, case, Size { clients: RACERS, steps });
        let mut target = Bare::over(face.clone(), header.start);
        let schedule = Schedule { seed: seed.wrapping_add(case), lost: 0 };
        let history = interleave(&mut target, &race, schedule);
        requests += history.requests.len() as u64;
        let contradictions = judge(&history, &known).contradictions;
        if let Some(first) = contradictions.first() {
            let named = contradictions.iter().map(|one| one.finding.clause).collect();
            let found = Found { named, violated: true, steps: first.requests.len() };
            return Trial { seed, requests, found: Some(found) };
        }
    }
    Trial { seed, requests, found: None }
}

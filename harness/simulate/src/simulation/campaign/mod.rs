//! A campaign: the worlds of many seeds, on all cores.

mod report;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError};
use std::thread;

use tideover_exchange::evidence::Shard;

use crate::simulation::bugs::Bug;
use crate::simulation::plan::{Plan, Size};
use crate::simulation::run;
use crate::simulation::world::Run;

pub use report::{CampaignReport, Found, Incompatible, Matrix, merge};

/// Seeds to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seeds.
    pub seeds: Range<u64>,
    /// The part of the seeds to run: every `of`th, from `index`, which is below `of`.
    pub shard: Shard,
    /// How large each world is.
    pub size: Size,
    /// The planted bug, if there is one.
    pub bug: Option<Bug>,
    /// The number of threads.
    pub jobs: usize,
    /// Whether to stop at the first finding: that of the lowest seed, whatever the number of threads.
    pub until_found: bool,
}

/// What the threads of a campaign share.
struct Shared<'a> {
    campaign: &'a Campaign,
    next: AtomicU64,
    stop: &'a AtomicBool,
    done: &'a (dyn Fn(u64) + Sync),
    tally: Mutex<Tally>,
}

/// The result of a campaign so far.
struct Tally {
    report: CampaignReport,
    /// Runs that are done while an earlier one is not, by their numbers in the shard.
    waiting: BTreeMap<u64, (u64, Run)>,
    /// The number of the next run to add.
    next: u64,
    has_found: bool,
}

/// The number of seeds of a part: it runs every `of`th.
fn seeds_of(shard: Shard, seeds: &Range<u64>) -> u64 {
    let seeds = seeds.end.saturating_sub(seeds.start);
    seeds.saturating_sub(shard.index).div_ceil(shard.of.max(1))
}

impl Campaign {
    /// The number of seeds of its shard.
    pub fn own_seeds(&self) -> u64 {
        seeds_of(self.shard, &self.seeds)
    }

    /// The seed of this number in its shard, from 0.
    fn seed(&self, number: u64) -> Option<u64> {
        let Shard { index, of } = self.shard;
        let offset = number.checked_mul(of)?.checked_add(index)?;
        let seed = self.seeds.start.checked_add(offset)?;
        (seed < self.seeds.end).then_some(seed)
    }

    /// Runs all seeds, or until `stop`. Calls `done` after each with the number of seeds done.
    pub fn run(&self, stop: &AtomicBool, done: &(dyn Fn(u64) + Sync)) -> CampaignReport {
        let report = CampaignReport::new(self);
        let tally = Tally { report, waiting: BTreeMap::new(), next: 0, has_found: false };
        let tally = Mutex::new(tally);
        let shared = Shared { campaign: self, next: AtomicU64::new(0), stop, done, tally };
        thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| shared.work());
            }
        });
        let tally = shared.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        tally.report
    }
}

impl Shared<'_> {
    fn work(&self) {
        let Campaign { size, bug, .. } = self.campaign;
        while !self.stop.load(Ordering::Relaxed) && !self.tally().has_found {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = self.campaign.seed(number) else { break };
            let run = run(&Plan::draw(seed, *size), *bug, false);
            self.add(number, seed, run);
        }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run. If the first finding ends the campaign, runs are added in the order of their seeds.
    fn add(&self, number: u64, seed: u64, run: Run) {
        let mut tally = self.tally();
        let tally = &mut *tally;
        if !self.campaign.until_found {
            tally.report.add(seed, &run);
            return (self.done)(tally.report.runs);
        }
        tally.waiting.insert(number, (seed, run));
        while !tally.has_found
            && let Some((seed, run)) = tally.waiting.remove(&tally.next)
        {
            tally.next += 1;
            tally.has_found = run.breach.is_some();
            tally.report.add(seed, &run);
        }
        (self.done)(tally.report.runs);
    }
}

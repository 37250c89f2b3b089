//! A campaign: many seeds on all cores, and what they reached together.

mod report;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

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
    /// Whether to stop at the first finding.
    pub until_found: bool,
}

/// A part of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shard {
    /// Which part, from 0.
    pub index: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// The whole campaign.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };
}

/// What the threads of a campaign share.
struct Shared<'a> {
    campaign: &'a Campaign,
    next: AtomicU64,
    stop: &'a AtomicBool,
    done: &'a (dyn Fn(u64) + Sync),
    report: Mutex<CampaignReport>,
}

impl Campaign {
    /// The number of seeds of its shard.
    pub fn own_seeds(&self) -> u64 {
        let seeds = self.seeds.end.saturating_sub(self.seeds.start);
        seeds.saturating_sub(self.shard.index).div_ceil(self.shard.of.max(1))
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
        let report = Mutex::new(CampaignReport::new(self));
        let shared = Shared { campaign: self, next: AtomicU64::new(0), stop, done, report };
        thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| shared.work());
            }
        });
        shared.report.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared<'_> {
    fn work(&self) {
        let Campaign { size, bug, until_found, .. } = self.campaign;
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = self.campaign.seed(number) else { break };
            let run = run(&Plan::draw(seed, *size), *bug, false);
            if run.breach.is_some() && *until_found {
                self.stop.store(true, Ordering::Relaxed);
            }
            self.add(seed, &run);
        }
    }

    fn add(&self, seed: u64, run: &Run) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.add(seed, run);
        (self.done)(report.runs);
    }
}

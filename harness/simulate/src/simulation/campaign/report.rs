//! The report of a campaign, as data. The reports of its parts add up to that of the whole.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tideover_exchange::evidence::Shard;

use crate::simulation::auditor::Breach;
use crate::simulation::campaign::{Campaign, seeds_of};
use crate::simulation::chain::RunHash;
use crate::simulation::plan::Size;
use crate::simulation::queue::DAY;
use crate::simulation::reached::{Fault, Reached};
use crate::simulation::world::Run;

/// The findings that a report keeps: those of the lowest seeds.
const FINDINGS_KEPT: usize = 20;

/// The name of the format.
const FORMAT: &str = "tideover-campaign";
/// The version of the format: version 1 did not say which parts ended early.
const VERSION: u32 = 2;

/// The result of a campaign, or of a part of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CampaignReport {
    format: String,
    version: u32,
    /// The version of Tideover.
    pub tideover: String,
    /// The first seed.
    pub from: u64,
    /// The seed after the last one.
    pub to: u64,
    /// The parts that are in it.
    pub shards: Vec<Shard>,
    /// The seeds that each part has run, in the order of the parts.
    pub runs_of_shards: Vec<u64>,
    /// How large each world is.
    pub size: Size,
    /// The planted bug, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<String>,
    /// The worlds that were run.
    pub runs: u64,
    /// Their events.
    pub events: u64,
    /// Their virtual time. Milliseconds.
    pub lasted: u64,
    /// The hash of all runs: the sum of the hashes of seeds and runs.
    pub hash: RunHash,
    /// The worlds in which an invariant did not hold.
    pub failed: u64,
    /// The findings of the lowest seeds.
    pub findings: Vec<Found>,
    /// The states reached against the faults met.
    pub matrix: Matrix,
}

/// A finding of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The seed of the world.
    pub seed: u64,
    /// What did not hold.
    pub breach: Breach,
}

/// In how many worlds a state was reached and a fault was met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Matrix {
    /// For each state: the worlds that reached it.
    pub reached: Vec<(Reached, u64)>,
    /// For each fault: the worlds that met it.
    pub met: Vec<(Fault, u64)>,
    /// For each state, in order, and each fault, in order: the worlds with both.
    pub both: Vec<Vec<u64>>,
}

/// Why reports cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incompatible {
    /// There is none.
    #[error("there is no report to merge")]
    None,
    /// It is not a report, or one of a later version.
    #[error("it is not a report of a campaign that this version of tideover reads")]
    Foreign,
    /// They are of different campaigns.
    #[error("the reports are of different campaigns: {0}")]
    Different(String),
    /// A part is numbered as no part is.
    #[error("there is no shard {0} of {1}: at most 1000000 shards, numbered from 0")]
    Impossible(u64, u64),
    /// A part is there twice.
    #[error("shard {0} of {1} is there twice")]
    Twice(u64, u64),
}

impl CampaignReport {
    pub(super) fn new(campaign: &Campaign) -> CampaignReport {
        CampaignReport {
            format: FORMAT.to_owned(),
            version: VERSION,
            tideover: env!("CARGO_PKG_VERSION").to_owned(),
            from: campaign.seeds.start,
            to: campaign.seeds.end,
            shards: vec![campaign.shard],
            runs_of_shards: vec![0],
            size: campaign.size,
            bug: campaign.bug.map(|bug| bug.name().to_owned()),
            runs: 0,
            events: 0,
            lasted: 0,
            hash: RunHash::NONE,
            failed: 0,
            findings: Vec::new(),
            matrix: Matrix::new(),
        }
    }

    /// Adds a run.
    pub(super) fn add(&mut self, seed: u64, run: &Run) {
        self.runs += 1;
        if let [runs] = &mut self.runs_of_shards[..] {
            *runs += 1;
        }
        self.events += run.events;
        self.lasted += run.lasted;
        self.hash = self.hash.and(run.hash.of_seed(seed));
        if let Some(breach) = &run.breach {
            self.failed += 1;
            self.findings.push(Found { seed, breach: breach.clone() });
            self.keep_first_findings();
        }
        self.matrix.add(run);
    }

    fn keep_first_findings(&mut self) {
        self.findings.sort_by_key(|found| found.seed);
        self.findings.truncate(FINDINGS_KEPT);
    }

    /// The states that no world reached.
    pub fn never_reached(&self) -> Vec<Reached> {
        self.matrix.reached.iter().filter(|(_, runs)| *runs == 0).map(|(state, _)| *state).collect()
    }

    /// The faults that no world met.
    pub fn never_met(&self) -> Vec<Fault> {
        self.matrix.met.iter().filter(|(_, runs)| *runs == 0).map(|(fault, _)| *fault).collect()
    }

    /// The parts that are missing.
    pub fn missing_shards(&self) -> Vec<u64> {
        let of = self.shards.first().map_or(1, |shard| shard.of);
        let there: BTreeSet<u64> = self.shards.iter().map(|shard| shard.index).collect();
        (0..of).filter(|index| !there.contains(index)).collect()
    }

    /// The parts that ended early: the seeds that each has run, and how many it has.
    pub fn short_shards(&self) -> Vec<(Shard, u64, u64)> {
        let seeds = self.from..self.to;
        let parts = self.shards.iter().zip(&self.runs_of_shards);
        let counted = parts.map(|(shard, runs)| (*shard, *runs, seeds_of(*shard, &seeds)));
        counted.filter(|(_, runs, seeds)| runs < seeds).collect()
    }

    /// Whether its parts have the form of a campaign's.
    fn check_parts(&self) -> Result<(), Incompatible> {
        let is_possible = |shard: &&Shard| !shard.is_possible();
        if let Some(shard) = self.shards.iter().find(is_possible) {
            return Err(Incompatible::Impossible(shard.index, shard.of));
        }
        let of = self.shards.first().map(|shard| shard.of);
        let ascend = self.shards.windows(2).all(|pair| pair[0].index < pair[1].index);
        let seeds = self.from..self.to;
        let mut parts = self.shards.iter().zip(&self.runs_of_shards);
        let fit = parts.try_fold(0_u64, |sum, (shard, runs)| {
            sum.checked_add(*runs).filter(|_| *runs <= seeds_of(*shard, &seeds))
        });
        let is_one = self.shards.iter().all(|shard| Some(shard.of) == of);
        let have_runs = self.shards.len() == self.runs_of_shards.len() && fit == Some(self.runs);
        if of.is_some() && ascend && is_one && have_runs {
            Ok(())
        } else {
            Err(Incompatible::Foreign)
        }
    }

    /// The virtual time of all worlds. Days.
    pub fn days(&self) -> u64 {
        self.lasted / DAY
    }

    /// The report in this JSON.
    ///
    /// # Errors
    /// [`Incompatible::Foreign`] if it is something else.
    pub fn read(json: &[u8]) -> Result<CampaignReport, Incompatible> {
        let report: CampaignReport =
            serde_json::from_slice(json).map_err(|_| Incompatible::Foreign)?;
        let is_own = report.format == FORMAT && report.version == VERSION;
        let has_form = report.matrix.has_form();
        if !is_own || !has_form {
            return Err(Incompatible::Foreign);
        }
        report.check_parts()?;
        Ok(report)
    }

    fn identity(&self) -> String {
        let bug = self.bug.as_deref().unwrap_or("none");
        let of = self.shards.first().map_or(1, |shard| shard.of);
        let Size { platforms, businesses, days } = self.size;
        format!(
            "tideover {}, seeds {}..{}, {of} shards, {platforms} platforms, {businesses} businesses, {days} days, bug {bug}",
            self.tideover, self.from, self.to
        )
    }
}

/// The whole campaign from its parts, in any order.
///
/// # Errors
/// [`Incompatible`]: `None`, `Different`, `Twice`.
pub fn merge(parts: Vec<CampaignReport>) -> Result<CampaignReport, Incompatible> {
    let mut parts = parts.into_iter();
    let mut whole = parts.next().ok_or(Incompatible::None)?;
    for part in parts {
        if part.identity() != whole.identity() {
            let both = format!("({}) and ({})", whole.identity(), part.identity());
            return Err(Incompatible::Different(both));
        }
        let there: BTreeSet<u64> = whole.shards.iter().map(|shard| shard.index).collect();
        if let Some(twice) = part.shards.iter().find(|shard| there.contains(&shard.index)) {
            return Err(Incompatible::Twice(twice.index, twice.of));
        }
        let own = whole.shards.into_iter().zip(whole.runs_of_shards);
        let parts = own.chain(part.shards.into_iter().zip(part.runs_of_shards));
        let mut parts: Vec<(Shard, u64)> = parts.collect();
        parts.sort_by_key(|(shard, _)| shard.index);
        (whole.shards, whole.runs_of_shards) = parts.into_iter().unzip();
        whole.runs += part.runs;
        whole.events += part.events;
        whole.lasted += part.lasted;
        whole.failed += part.failed;
        whole.hash = whole.hash.and(part.hash);
        whole.findings.extend(part.findings);
        whole.keep_first_findings();
        whole.matrix.merge(&part.matrix);
    }
    Ok(whole)
}

impl Matrix {
    fn new() -> Matrix {
        Matrix {
            reached: Reached::ALL.map(|state| (state, 0)).to_vec(),
            met: Fault::ALL.map(|fault| (fault, 0)).to_vec(),
            both: vec![vec![0; Fault::ALL.len()]; Reached::ALL.len()],
        }
    }

    fn has_form(&self) -> bool {
        self.reached.iter().map(|(state, _)| *state).eq(Reached::ALL)
            && self.met.iter().map(|(fault, _)| *fault).eq(Fault::ALL)
            && self.both.len() == Reached::ALL.len()
            && self.both.iter().all(|row| row.len() == Fault::ALL.len())
    }

    fn add(&mut self, run: &Run) {
        for (fault, runs) in &mut self.met {
            *runs += u64::from(run.counts.met(*fault) > 0);
        }
        for ((state, runs), row) in self.reached.iter_mut().zip(&mut self.both) {
            if run.counts.reached(*state) == 0 {
                continue;
            }
            *runs += 1;
            for (fault, cell) in Fault::ALL.into_iter().zip(row) {
                *cell += u64::from(run.counts.met(fault) > 0);
            }
        }
    }

    fn merge(&mut self, other: &Matrix) {
        for (one, (_, runs)) in self.reached.iter_mut().zip(&other.reached) {
            one.1 += runs;
        }
        for (one, (_, runs)) in self.met.iter_mut().zip(&other.met) {
            one.1 += runs;
        }
        for (row, others) in self.both.iter_mut().zip(&other.both) {
            for (cell, other) in row.iter_mut().zip(others) {
                *cell += other;
            }
        }
    }
}

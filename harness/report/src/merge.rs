//! The report of a whole run, from those of its parts.
//!
//! - In come the reports of parts that ran on several machines; out comes one, as if one machine had played everything.
//! - Counts add up, a clause has the worst status of all parts, and of each cause the first finding stays.
//! - Response times and the course of the run stay with the parts: percentiles do not add up.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use const_hex::encode;
use sha2::{Digest, Sha256};
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::outcome::Demands;
use tideover_exchange::evidence::{Ending, Shard};

use crate::baseline::Baseline;
use crate::compose::{Conclusion, extent, untried};
use crate::document::{
    AskedInState, ClauseReport, FindingReport, GapReport, RacesReport, Report, ShapeReport,
    StateGroup, StateMatrix, TimeReport, UnaskedReport, VERSION,
};

/// Why a file is no part of a run, or why parts do not fit together.
#[derive(Debug, thiserror::Error)]
pub enum Unmergeable {
    #[error("there is no report to merge")]
    None,
    #[error("it is not a report that --json printed: {0}")]
    Foreign(#[from] serde_json::Error),
    #[error("a report of version {0}, not {VERSION}")]
    Version(u32),
    #[error("the reports are of different runs: ({0}) and ({1})")]
    Different(String, String),
    #[error("part {0} is there twice")]
    Twice(Shard),
    #[error("there is no part {0}")]
    Impossible(Shard),
    #[error("the parts have {0} and {1} cases, so that they are not of one run")]
    Uneven(u64, u64),
}

impl Report {
    /// Reads a report that was printed as JSON.
    ///
    /// # Errors
    /// [`Unmergeable`]: `Foreign`, `Version`, `Impossible`.
    pub fn read(json: &[u8]) -> Result<Report, Unmergeable> {
        let report: Report = serde_json::from_slice(json)?;
        if report.version != VERSION {
            return Err(Unmergeable::Version(report.version));
        }
        match report.shards.iter().find(|shard| !shard.is_possible()) {
            Some(shard) => Err(Unmergeable::Impossible(*shard)),
            None => Ok(report),
        }
    }

    /// The report of the whole run from its parts, in any order. `baseline` and `demands` are those of the whole.
    ///
    /// # Errors
    /// [`Unmergeable`]: `None`, `Different`, `Uneven`, `Twice`.
    pub fn merge(
        mut parts: Vec<Report>,
        baseline: Option<&Baseline>,
        demands: &Demands,
    ) -> Result<Report, Unmergeable> {
        parts.sort_by_key(|part| part.shards.first().copied());
        refuse_strangers(&parts)?;
        for part in &mut parts {
            part.name_warnings();
        }
        let mut parts = parts.into_iter();
        let mut whole = parts.next().ok_or(Unmergeable::None)?;
        (whole.latency, whole.reached) = (Vec::new(), Vec::new());
        for part in parts {
            whole.add(part);
        }
        whole.settle(baseline);
        whole.conclude(demands);
        Ok(whole)
    }

    /// The hash of what was played and found. What depends on time, and the order of findings, is not in it.
    pub(crate) fn hashed(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: String| hash.update(text + "\n");
        add(format!("{:?} {} {}", self.seed, self.cases, self.steps));
        for ClauseReport { clause, status, exercised, broken, .. } in &self.clauses {
            add(format!("{clause} {} {exercised} {broken}", status.words()));
        }
        let findings = self.findings.iter().map(|finding| {
            let FindingReport { fingerprint, times, cases, first_case, steps, .. } = finding;
            format!("{fingerprint} {times} {cases} {first_case:?} {}", steps.len())
        });
        findings.collect::<BTreeSet<String>>().into_iter().for_each(add);
        encode(&hash.finalize()[..8])
    }

    /// What all parts of a run have in common.
    fn identity(&self) -> String {
        let Report { tideover, command, target, seed, shards, plan, .. } = self;
        let of = shards.first().map_or(1, |shard| shard.of);
        let seed = seed.map_or_else(|| "no seed".to_owned(), |seed| format!("seed {seed}"));
        format!("tideover {tideover}, {command} against {target}, {seed}, {plan}, {of} parts")
    }

    /// Says whose warnings they are.
    fn name_warnings(&mut self) {
        if let [shard] = self.shards[..] {
            self.warnings.iter_mut().for_each(|one| *one = format!("part {shard}: {one}"));
        }
    }

    /// Takes back what a part has counted of the regressions that `self` has played, too. One run plays them once.
    fn forget_replays(&self, part: &mut Report) {
        let is_shared = |one: &&mut FindingReport| {
            one.regression.is_some()
                && self.findings.iter().any(|own| own.regression == one.regression)
        };
        for finding in part.findings.iter_mut().filter(is_shared) {
            finding.times = finding.times.saturating_sub(1);
            finding.cases = finding.cases.saturating_sub(1);
            for found in [&finding.found].into_iter().chain(&finding.also) {
                let clause = part.clauses.iter_mut().find(|one| one.clause == found.clause);
                if let Some(clause) = clause {
                    clause.broken = clause.broken.saturating_sub(1);
                }
            }
        }
    }

    fn add(&mut self, mut part: Report) {
        self.forget_replays(&mut part);
        self.shards.extend(part.shards);
        self.began = self.began.min(part.began);
        self.cases += part.cases;
        self.cases_left += part.cases_left;
        self.steps += part.steps;
        self.milliseconds = self.milliseconds.max(part.milliseconds);
        if severity(part.ending) < severity(self.ending) {
            (self.ending, self.ended_because) = (part.ending, part.ended_because);
        }
        for (own, other) in self.clauses.iter_mut().zip(part.clauses) {
            add_clause(own, other);
        }
        add_each(
            &mut self.findings,
            part.findings,
            |one, other| one.fingerprint == other.fingerprint,
            add_finding,
        );
        self.gone.retain(|known| part.gone.contains(known));
        // Each part has played them.
        add_each(
            &mut self.regressions,
            part.regressions,
            |one, other| one.file == other.file,
            |_, _| {},
        );
        add_each(&mut self.gaps, part.gaps, is_same_gap, add_gap);
        add_each(&mut self.shapes, part.shapes, |one, other| one.of == other.of, add_shape);
        add_each(&mut self.time, part.time, |one, other| one.activity == other.activity, add_time);
        self.workers = self.workers.max(part.workers);
        add_each(&mut self.states, part.states, |one, other| one.title == other.title, add_states);
        add_each(
            &mut self.state_matrix,
            part.state_matrix,
            |one, other| one.subject == other.subject,
            add_matrix,
        );
        self.races = match (self.races.take(), part.races) {
            (Some(own), Some(other)) => Some(own.and(other)),
            (own, other) => own.or(other),
        };
        self.warnings.extend(part.warnings);
        self.left_behind.extend(part.left_behind);
        add_each(
            &mut self.unasked,
            part.unasked,
            |one, other| one.because == other.because,
            add_unasked,
        );
        for verdict in part.fail_on {
            if !self.fail_on.contains(&verdict) {
                self.fail_on.push(verdict);
            }
        }
    }

    /// Orders the findings as one machine would have met them, and drops doubts beside a violation, which may have
    /// caused them.
    fn settle(&mut self, baseline: Option<&Baseline>) {
        let is_violated = |one: &FindingReport| {
            one.first_case.is_some() && one.found.verdict == Verdict::Violated
        };
        if self.findings.iter().any(is_violated) {
            self.findings.retain(|one| {
                !matches!(one.found.verdict, Verdict::Inconclusive | Verdict::Stalled)
            });
        }
        self.findings.sort_by_key(|one| (one.found.verdict != Verdict::Violated, one.first_case));
        if let Some(baseline) = baseline {
            for finding in &mut self.findings {
                finding.known |= baseline.has(&finding.fingerprint);
            }
            self.gone = baseline.without(&self.findings);
        }
    }

    /// Decides the outcome. A run of which a part is missing is not at its end.
    fn conclude(&mut self, demands: &Demands) {
        self.warnings.retain(|warning| !warning.starts_with(MISSING));
        let (mut ending, mut ended_because) = (self.ending, self.ended_because.clone());
        let missing = self.missing_shards();
        if !missing.is_empty() {
            let named: Vec<String> =
                missing.iter().take(MOST_NAMED).map(Shard::to_string).collect();
            let more = if missing.len() > MOST_NAMED { " and more" } else { "" };
            let why = format!("{MISSING}{}{more}", named.join(", "));
            self.warnings.push(why.clone());
            (ending, ended_because) = (Ending::GivenUp, Some(why));
        }
        let fail_on = self.fail_on.iter().chain(&demands.fail_on).copied().collect();
        let demands = Demands { fail_on, min_coverage: demands.min_coverage };
        self.extent = extent(&self.clauses, self.extent.reads_only);
        self.untried = untried(&self.clauses);
        let races = self.races.as_ref().filter(|races| races.races >= self.cases);
        let conclusion = Conclusion {
            findings: &self.findings,
            extent: self.extent,
            ending,
            ended_because: ended_because.as_deref(),
            open_parts: races.map_or(0, |races| races.undecided + races.inconclusive),
            judged: self.steps,
            demands: &demands,
        };
        let outcome = conclusion.outcome();
        (self.headline, self.outcome) = (conclusion.headline(outcome), outcome);
        self.fail_on = demands.fail_on;
        self.hash = self.hashed();
    }

    /// The parts that are not there.
    pub fn missing_shards(&self) -> Vec<Shard> {
        let of = self.shards.first().map_or(1, |shard| shard.of);
        let all = (0..of).map(|index| Shard { index, of });
        all.filter(|shard| !self.shards.contains(shard)).collect()
    }
}

/// How the warning about missing parts begins.
const MISSING: &str = "a part is missing: ";

/// The most missing parts that are named.
const MOST_NAMED: usize = 8;

fn refuse_strangers(parts: &[Report]) -> Result<(), Unmergeable> {
    for pair in parts.windows(2) {
        let [one, other] = [&pair[0], &pair[1]].map(Report::identity);
        if one != other {
            return Err(Unmergeable::Different(one, other));
        }
    }
    // The shares of a run differ by one case at most. Races beside the cases come on top.
    let mut sizes: Vec<u64> = (parts.iter())
        .filter(|part| part.shards.len() == 1 && part.races.is_none())
        .map(|part| part.cases + part.cases_left)
        .collect();
    sizes.sort_unstable();
    if let [least, .., most] = sizes[..]
        && most - least > 1
    {
        return Err(Unmergeable::Uneven(least, most));
    }
    let mut there = BTreeSet::new();
    let mut all = parts.iter().flat_map(|part| &part.shards);
    all.find(|shard| !there.insert(**shard)).map_or(Ok(()), |twice| Err(Unmergeable::Twice(*twice)))
}

/// How much an ending says about the whole run; the worst is the least.
fn severity(ending: Ending) -> usize {
    let worst_first = [
        Ending::Interrupted,
        Ending::GivenUp,
        Ending::Spent,
        Ending::EnoughFound,
        Ending::Complete,
    ];
    worst_first.iter().position(|one| *one == ending).unwrap_or(0)
}

/// Adds the report of the same clause. The worst status stays, with its reason: the statuses are ordered so that what
/// one part has examined, another need not.
fn add_clause(own: &mut ClauseReport, other: ClauseReport) {
    let (exercised, broken) = (own.exercised + other.exercised, own.broken + other.broken);
    if other.status < own.status {
        *own = other;
    }
    (own.exercised, own.broken) = (exercised, broken);
}

/// Adds each of `others` to the one of `own` that is of the same, or puts it there.
fn add_each<T>(
    own: &mut Vec<T>,
    others: Vec<T>,
    is_same: impl Fn(&T, &T) -> bool,
    add: impl Fn(&mut T, T),
) {
    for other in others {
        match own.iter_mut().find(|one| is_same(one, &other)) {
            Some(one) => add(one, other),
            None => own.push(other),
        }
    }
}

/// Adds a finding of the same cause. The first case stays.
fn add_finding(own: &mut FindingReport, mut other: FindingReport) {
    other.times += own.times;
    other.cases += own.cases;
    let is_first = match (other.first_case, own.first_case) {
        (Some(other), Some(own)) => other < own,
        (other, own) => other.is_some() && own.is_none(),
    };
    if is_first {
        *own = other;
    } else {
        (own.times, own.cases) = (other.times, other.cases);
    }
}

/// Whether two are of one gap at one place, and of requests of which the same is assumed.
fn is_same_gap(one: &GapReport, other: &GapReport) -> bool {
    one.clause == other.clause && one.place == other.place && one.assumed == other.assumed
}

fn add_gap(own: &mut GapReport, other: GapReport) {
    add_each(
        &mut own.seen,
        other.seen,
        |one, other| one.value == other.value,
        |own, other| {
            own.times = own.times.zip(other.times).map(|(own, other)| own + other);
        },
    );
    let counted = own.seen.iter().filter(|seen| seen.times.is_some()).count();
    own.constant = own.constant && other.constant && counted <= 1;
    if own.spans.is_empty() {
        own.spans = other.spans;
    }
}

fn add_shape(own: &mut ShapeReport, other: ShapeReport) {
    own.bodies += other.bodies;
    add_each(
        &mut own.fields,
        other.fields,
        |one, other| one.name == other.name,
        |own, other| {
            for (form, times) in other.forms {
                *own.forms.entry(form).or_default() += times;
            }
        },
    );
}

fn add_time(own: &mut TimeReport, other: TimeReport) {
    own.times += other.times;
    own.milliseconds += other.milliseconds;
}

fn add_states(own: &mut StateGroup, other: StateGroup) {
    add_each(
        &mut own.states,
        other.states,
        |one, other| one.name == other.name,
        |own, other| {
            own.times += other.times;
        },
    );
}

fn add_matrix(own: &mut StateMatrix, other: StateMatrix) {
    let mut asked: BTreeMap<String, AskedInState> = BTreeMap::new();
    for one in own.asked.drain(..).chain(other.asked) {
        match asked.entry(one.state.clone()) {
            Entry::Vacant(free) => drop(free.insert(one)),
            Entry::Occupied(mut known) => {
                known.get_mut().requests.extend(one.requests);
                known.get_mut().refusals.extend(one.refusals);
            }
        }
    }
    let unmet = std::mem::take(&mut own.unmet);
    let unmet = unmet.intersection(&other.unmet).cloned();
    *own = StateMatrix::of(other.subject, unmet, asked.into_values().collect());
}

fn add_unasked(own: &mut UnaskedReport, other: UnaskedReport) {
    own.requests += other.requests;
    add_each(
        &mut own.clauses,
        other.clauses,
        |one, other| one.clause == other.clause,
        |own, other| {
            own.requests += other.requests;
            own.met |= other.met;
        },
    );
}

impl RacesReport {
    /// Those of two parts.
    fn and(mut self, other: RacesReport) -> RacesReport {
        let RacesReport { races, clients, unknown, explained, undecided, inconclusive, .. } = other;
        self.races += races;
        self.clients = self.clients.max(clients);
        self.unknown += unknown;
        self.explained += explained;
        self.undecided += undecided;
        self.inconclusive += inconclusive;
        self.contradicted += other.contradicted;
        self.unexplained.extend(other.unexplained);
        self
    }
}

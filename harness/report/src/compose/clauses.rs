//! The report of a clause: its status, the number of checks, and the reason for the status.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::outcome::Extent;
use tideover_judge::checks::registry::Needs;
use tideover_live::unasked::{LeftOut, Why};
use tideover_model::Clause;
use tideover_model::clause::Kind;
use tideover_prove::clauses::Evidence;
use tideover_suite::play::cases::Summary;
use tideover_suite::play::concurrent::contradictions::can_contradict;

use crate::compose::FinishedRun;
use crate::document::{ClauseKind, ClauseReport, Shares, Status, UntriedReport};

/// What reaches the clauses that need the inbox, where nothing came to it.
const UNPROVEN_INBOX: &str =
    "a --webhook-url that leads from the target to --webhook-listen: nothing arrived";

/// The status of a clause, and the reason for it.
struct Assessment {
    status: Status,
    reason: Option<String>,
    remedy: Option<String>,
}

/// What keeps a run from meeting a clause.
#[derive(Clone, Copy)]
enum Barrier {
    /// The target or the options lack something that each check needs.
    Lacks(Needs),
    /// The requests that would have met it were left out.
    LeftOut(Why),
    /// Races do not test it.
    Races,
}

impl FinishedRun<'_> {
    pub(super) fn clause(&self, clause: Clause) -> ClauseReport {
        let Assessment { status, reason, remedy } = self.assess(clause);
        ClauseReport {
            clause: clause.name().to_owned(),
            place: clause.place().to_owned(),
            wording: clause.wording().to_owned(),
            kind: match clause.kind() {
                Kind::Documented => ClauseKind::Documented,
                Kind::Assumed { .. } => ClauseKind::Assumed,
            },
            status,
            reason,
            remedy,
            exercised: self.summary.met.times(clause),
            broken: self.summary.broken.get(&clause).map_or(0, |(times, _)| *times),
        }
    }

    fn assess(&self, clause: Clause) -> Assessment {
        let Summary { met, broken, .. } = self.summary;
        let evidence = Evidence::of(clause);
        if let Some((_, verdict)) = broken.get(&clause) {
            return Assessment::of(Status::from(*verdict));
        }
        if let Some(barrier) = self.hidden(evidence) {
            return self.unmet(Some(barrier), None);
        }
        if met.times(clause) > 0 {
            return match evidence.hidden_by(self.offers) {
                None => Assessment::of(Status::Held),
                Some(hidden) => Assessment {
                    reason: Some(hidden.why.to_owned()),
                    ..Assessment::of(Status::Argued)
                },
            };
        }
        let can_check = evidence.is_checked() && self.lacking(evidence).is_none();
        if !can_check && !evidence.shows_in.is_empty() {
            return self.shown(evidence);
        }
        if evidence.is_checked() {
            return self.unmet(self.barrier(clause), None);
        }
        let words = evidence.words().join("; ");
        let reason = match evidence.unobservable {
            Some(_) => words,
            None => format!("no check of a run covers it: {words}"),
        };
        Assessment { reason: Some(reason), ..Assessment::of(Status::NotObservable) }
    }

    /// The status of a clause whose breaches show in other clauses, and the reason. The clause itself may not
    /// have been met even if the others were.
    fn shown(&self, evidence: &Evidence) -> Assessment {
        let Summary { met, broken, .. } = self.summary;
        let shows_in = &evidence.shows_in;
        let doubtful = || shows_in.iter().filter(|one| broken.contains_key(one));
        if doubtful().next().is_some() {
            let reason = format!("a breach shows in {}, which is broken", names(doubtful()));
            return Assessment { reason: Some(reason), ..Assessment::of(Status::Inconclusive) };
        }
        let reason = Some(format!("a breach would show in {}", names(shows_in)));
        let is_met = |clause: Clause| met.times(clause) > 0;
        if evidence.proven_in(self.offers).any(is_met) {
            return Assessment { reason, ..Assessment::of(Status::Covered) };
        }
        let mut seen = shows_in.iter().filter(|one| self.hidden(Evidence::of(**one)).is_none());
        if seen.any(|one| is_met(*one)) {
            return Assessment { reason, ..Assessment::of(Status::Argued) };
        }
        let checked = shows_in.iter().filter(|one| Evidence::of(**one).is_checked());
        let barriers: Option<Vec<Barrier>> = checked.map(|one| self.barrier(*one)).collect();
        let Some(barriers) = barriers.filter(|barriers| !barriers.is_empty()) else {
            return self.unmet(None, reason);
        };
        // One check within reach is enough.
        let own = self.lacking(evidence).map(Barrier::Lacks);
        let mut all = own.into_iter().chain(barriers.iter().copied());
        let removable = all.find(|barrier| barrier.remedy().is_some());
        self.unmet(removable.or(barriers.first().copied()), reason)
    }

    /// A clause that was not met, perhaps for a barrier. What reads alone do not meet needs writes.
    fn unmet(&self, barrier: Option<Barrier>, shows: Option<String>) -> Assessment {
        let needs_writes = self.reads_only() && !self.is_recorded();
        let barrier = barrier.or(needs_writes.then_some(Barrier::Lacks(Needs::Writes)));
        let Some(barrier) = barrier else {
            return Assessment { reason: shows, ..Assessment::of(Status::NotMet) };
        };
        let is_unproven =
            matches!(barrier, Barrier::Lacks(needs) if self.unproven.contains(&needs));
        let remedy = if is_unproven { Some(UNPROVEN_INBOX) } else { barrier.remedy() };
        let remedy = remedy.filter(|_| !self.is_recorded()).map(str::to_owned);
        let status = match &remedy {
            Some(_) if is_unproven => Status::NotMet,
            Some(_) => Status::OutOfReach,
            None => Status::NotObservable,
        };
        let why = barrier.why();
        let reason = Some(shows.map_or_else(|| why.clone(), |shows| format!("{shows}: {why}")));
        Assessment { status, reason, remedy }
    }

    /// The option without which the run sees no breach of a clause: what it meets of it says nothing.
    fn hidden(&self, evidence: &Evidence) -> Option<Barrier> {
        evidence.hidden_by(self.offers)?.lacks.map(Barrier::Lacks)
    }

    /// What keeps the run from meeting a clause that a check covers, if anything does.
    fn barrier(&self, clause: Clause) -> Option<Barrier> {
        if let Some(hidden) = self.hidden(Evidence::of(clause)) {
            return Some(hidden);
        }
        if self.races().is_some() {
            return (!can_contradict(clause)).then_some(Barrier::Races);
        }
        let lacking = self.lacking(Evidence::of(clause)).map(Barrier::Lacks);
        lacking.or_else(|| self.left_out(clause).map(Barrier::LeftOut))
    }

    /// Why the requests that would have met a clause were not sent, if there were any.
    fn left_out(&self, clause: Clause) -> Option<Why> {
        let would_meet = |(why, left_out): (Why, &LeftOut)| {
            Some((left_out.clauses.times(clause), why)).filter(|(requests, _)| *requests > 0)
        };
        self.unasked?.iter().filter_map(would_meet).max().map(|(_, why)| why)
    }

    /// What the target or the options lack, if no check of a clause is possible without it.
    fn lacking(&self, evidence: &Evidence) -> Option<Needs> {
        let missing =
            |needs: &[Needs]| needs.iter().find(|one| !self.offers.contains(one)).copied();
        let mut lacking = evidence.checks.iter().map(|(_, needs)| missing(needs));
        let first = lacking.next().flatten()?;
        let first =
            if first.remedy().is_some() && self.reads_only() { Needs::Writes } else { first };
        lacking.all(|missing| missing.is_some()).then_some(first)
    }

    pub(super) fn reads_only(&self) -> bool {
        !self.offers.contains(&Needs::Writes)
    }
}

/// How much of the document was examined.
pub(crate) fn extent(clauses: &[ClauseReport], reads_only: bool) -> Extent {
    let documented = clauses.iter().filter(|clause| clause.kind == ClauseKind::Documented);
    let shares = Shares::of(documented);
    Extent {
        proven: shares.proven,
        argued: shares.argued,
        broken: shares.broken + shares.differs,
        reachable: shares.reachable(),
        observable: shares.observable(),
        reads_only,
    }
}

/// The documented clauses out of reach, by the option that reaches them.
pub(crate) fn untried(clauses: &[ClauseReport]) -> Vec<UntriedReport> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let documented = clauses.iter().filter(|clause| clause.kind == ClauseKind::Documented);
    for remedy in documented.filter_map(|clause| clause.remedy.as_deref()) {
        *counts.entry(remedy).or_default() += 1;
    }
    let untried = counts.into_iter();
    let untried =
        untried.map(|(remedy, clauses)| UntriedReport { clauses, remedy: remedy.to_owned() });
    let mut untried: Vec<UntriedReport> = untried.collect();
    untried.sort_by_key(|untried| Reverse(untried.clauses));
    untried
}

fn names<'a>(clauses: impl IntoIterator<Item = &'a Clause>) -> String {
    clauses.into_iter().map(|clause| clause.name()).collect::<Vec<_>>().join(", ")
}

impl Assessment {
    fn of(status: Status) -> Assessment {
        Assessment { status, reason: None, remedy: None }
    }
}

impl Barrier {
    /// Why the clause cannot be met.
    fn why(self) -> String {
        match self {
            Barrier::Lacks(needs) => needs.lacking().to_owned(),
            Barrier::LeftOut(why) => format!("not asked, because {why}"),
            Barrier::Races => "races do not test it".to_owned(),
        }
    }

    /// The option that removes it, in words; `None` if there is none.
    fn remedy(self) -> Option<&'static str> {
        match self {
            Barrier::Lacks(needs) => needs.remedy(),
            Barrier::LeftOut(why) => why.remedy(),
            Barrier::Races => Some("one request at a time (leave out --concurrency)"),
        }
    }
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Violated => Status::Violated,
            Verdict::Inconclusive => Status::Inconclusive,
            Verdict::Stalled => Status::Stalled,
            Verdict::DiffersFromAssumption => Status::Differs,
        }
    }
}

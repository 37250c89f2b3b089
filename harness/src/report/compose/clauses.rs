//! The report of a clause: whether it holds, how often it was checked, and why no more can be said.

use tideover_model::Clause;
use tideover_model::clause::Kind;

use crate::evidence::finding::Verdict;
use crate::judge::checks::registry::Needs;
use crate::live::unasked::{LeftOut, Why};
use crate::play::cases::Summary;
use crate::play::concurrent::contradictions::can_contradict;
use crate::prove::clauses::Evidence;
use crate::report::compose::Run;
use crate::report::document::{ClauseKind, ClauseReport, Status};

impl Run<'_> {
    pub(super) fn clause(&self, clause: Clause) -> ClauseReport {
        let (status, exercised, reason) = self.standing(clause);
        let reason = match status {
            Status::NotExercised => self.not_asked(clause).or(reason),
            _ => reason,
        };
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
            exercised,
            broken: self.summary.broken.get(&clause).map_or(0, |(times, _)| *times),
        }
    }

    /// Why what would have met a clause was not asked, if anything would.
    fn not_asked(&self, clause: Clause) -> Option<String> {
        let would_meet = |(why, left_out): (Why, &LeftOut)| {
            Some((left_out.clauses.times(clause), why)).filter(|(requests, _)| *requests > 0)
        };
        let most = self.unasked?.iter().filter_map(would_meet).max()?;
        Some(format!("not asked, because {}", most.1))
    }

    /// Whether a clause holds, how often it was checked, and why no more can be said.
    fn standing(&self, clause: Clause) -> (Status, u64, Option<String>) {
        let Summary { met, broken, .. } = self.summary;
        let standing = Evidence::of(clause);
        if let Some((_, verdict)) = broken.get(&clause) {
            return (Status::from(*verdict), met.times(clause), None);
        }
        if met.times(clause) > 0 {
            return (Status::Held, met.times(clause), None);
        }
        if self.races().is_some() {
            let why = || "races are not about it".to_owned();
            return match can_contradict(clause) {
                true => (Status::NotExercised, 0, None),
                false => (Status::Unreachable, 0, Some(why())),
            };
        }
        if standing.is_checked() {
            return match self.lacking(standing) {
                Some(lacking) => (Status::Unreachable, 0, Some(lacking.to_owned())),
                None => (Status::NotExercised, 0, None),
            };
        }
        if standing.is_shown() {
            let (status, reason) = self.shown(&standing.shows_in);
            return (status, 0, Some(reason));
        }
        let words = standing.words().join("; ");
        let reason = match standing.unobservable {
            Some(_) => words,
            None => format!("no check of a run counts it: {words}"),
        };
        (Status::Unreachable, 0, Some(reason))
    }

    /// The report of a clause whose breaches show under others, and why: that those were met does not say
    /// that it was.
    fn shown(&self, shows_in: &[Clause]) -> (Status, String) {
        let Summary { met, broken, .. } = self.summary;
        let doubtful = || shows_in.iter().filter(|one| broken.contains_key(one));
        if doubtful().next().is_some() {
            let reason = format!("a breach shows in {}, which is broken", names(doubtful()));
            return (Status::Inconclusive, reason);
        }
        let shows = format!("a breach would show in {}", names(shows_in));
        let checked = shows_in.iter().map(|one| Evidence::of(*one)).filter(|one| one.is_checked());
        let lacking: Option<Vec<&str>> = checked.map(|one| self.lacking(one)).collect();
        match lacking.as_deref() {
            _ if shows_in.iter().any(|one| met.times(*one) > 0) => (Status::Covered, shows),
            Some([lacking, ..]) => (Status::Unreachable, format!("{shows}: {lacking}")),
            Some([]) | None => (Status::NotExercised, shows),
        }
    }

    /// What the target lacks, if no check of a clause can do without it.
    fn lacking(&self, standing: &Evidence) -> Option<&'static str> {
        let missing =
            |needs: &[Needs]| needs.iter().find(|one| !self.offers.contains(one)).copied();
        let mut lacking = standing.checks.iter().map(|(_, needs)| missing(needs));
        let first = lacking.next().flatten()?;
        lacking.all(|missing| missing.is_some()).then(|| first.lacking())
    }
}

fn names<'a>(clauses: impl IntoIterator<Item = &'a Clause>) -> String {
    clauses.into_iter().map(|clause| clause.name()).collect::<Vec<_>>().join(", ")
}

impl Needs {
    /// Why a clause cannot be met without it.
    pub(in crate::report) fn lacking(self) -> &'static str {
        match self {
            Needs::Requests => "nothing was asked",
            Needs::Vendor => "no vendor is through with onboarding",
            Needs::Operator => "nobody plays the outside world",
            Needs::OwnPort => "what another operator port answers is no evidence",
            Needs::Inbox => "webhooks do not come to the suite",
            Needs::Known => "what the service is like is not known beforehand",
            Needs::Inside => "only a service in process can be looked into",
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
            Verdict::Held => Status::Held,
        }
    }
}

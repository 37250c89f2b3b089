//! The report of a clause: its status, the number of checks, and the reason for the status.

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
        let (status, exercised, reason) = self.status_of(clause);
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

    /// Why the requests that would have met a clause were not sent, if there were any.
    fn not_asked(&self, clause: Clause) -> Option<String> {
        let would_meet = |(why, left_out): (Why, &LeftOut)| {
            Some((left_out.clauses.times(clause), why)).filter(|(requests, _)| *requests > 0)
        };
        let most = self.unasked?.iter().filter_map(would_meet).max()?;
        Some(format!("not asked, because {}", most.1))
    }

    /// The status of a clause, the number of checks, and the reason for the status.
    fn status_of(&self, clause: Clause) -> (Status, u64, Option<String>) {
        let Summary { met, broken, .. } = self.summary;
        let evidence = Evidence::of(clause);
        if let Some((_, verdict)) = broken.get(&clause) {
            return (Status::from(*verdict), met.times(clause), None);
        }
        if met.times(clause) > 0 {
            return (Status::Held, met.times(clause), None);
        }
        if self.races().is_some() {
            let why = || "races do not test it".to_owned();
            return match can_contradict(clause) {
                true => (Status::NotExercised, 0, None),
                false => (Status::Unreachable, 0, Some(why())),
            };
        }
        if evidence.is_checked() {
            return match self.lacking(evidence) {
                Some(lacking) => (Status::Unreachable, 0, Some(lacking.to_owned())),
                None => (Status::NotExercised, 0, None),
            };
        }
        if evidence.is_shown() {
            let (status, reason) = self.shown(&evidence.shows_in);
            return (status, 0, Some(reason));
        }
        let words = evidence.words().join("; ");
        let reason = match evidence.unobservable {
            Some(_) => words,
            None => format!("no check of a run covers it: {words}"),
        };
        (Status::Unreachable, 0, Some(reason))
    }

    /// The status of a clause whose breaches show in other clauses, and the reason. The clause itself may not
    /// have been met even if the others were.
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

    /// Why no check of a clause is possible, if the target lacks something that each needs.
    fn lacking(&self, evidence: &Evidence) -> Option<&'static str> {
        let missing =
            |needs: &[Needs]| needs.iter().find(|one| !self.offers.contains(one)).copied();
        let mut lacking = evidence.checks.iter().map(|(_, needs)| missing(needs));
        let first = lacking.next().flatten()?;
        lacking.all(|missing| missing.is_some()).then(|| first.lacking())
    }
}

fn names<'a>(clauses: impl IntoIterator<Item = &'a Clause>) -> String {
    clauses.into_iter().map(|clause| clause.name()).collect::<Vec<_>>().join(", ")
}

impl Needs {
    /// Why a clause cannot be met without this.
    pub(in crate::report) fn lacking(self) -> &'static str {
        match self {
            Needs::Requests => "no request was sent",
            Needs::Vendor => "no vendor is onboarded",
            Needs::Operator => "there is no operator port to play the outside world",
            Needs::OwnPort => "the responses of another operator port prove nothing",
            Needs::Inbox => "webhooks do not come to the suite",
            Needs::Known => "the behavior of the service is not known beforehand",
            Needs::Inside => "only a service in process shows its inner state",
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

//! What to do after a run.

use tideover_exchange::evidence::Ending;
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::outcome::Outcome;

use crate::document::{ClauseKind, ClauseReport, FindingReport, Report, Status, UntriedReport};

impl Report {
    /// The next step, in one or two sentences.
    pub fn next(&self) -> String {
        match self.outcome {
            Outcome::Fail => self.next_after_failure(),
            Outcome::Interrupted => format!("Run it again to its end{}.", self.with_seed()),
            Outcome::Inconclusive => self.next_in_doubt(),
            Outcome::Stalled => self.advice(Verdict::Stalled),
            Outcome::Differs => self.advice(Verdict::DiffersFromAssumption),
            Outcome::Partial => self.next_to_examine(),
            Outcome::Pass if self.seed.is_none() => "Nothing to do.".to_owned(),
            Outcome::Pass => "Nothing to do. Another seed plays other steps (--seed).".to_owned(),
        }
    }

    fn next_after_failure(&self) -> String {
        let mut new = self.findings.iter().filter(|finding| !finding.known);
        match new.find(|finding| finding.replay.is_some()) {
            Some(_) => {
                "Read the first finding, and paste its replay command to see it again.".to_owned()
            }
            None => "Read the first finding.".to_owned(),
        }
    }

    fn next_in_doubt(&self) -> String {
        if self.ending == Ending::GivenUp {
            return format!(
                "Find out why the target does so: see the first line. Then run it again{}.",
                self.with_seed()
            );
        }
        if self.extent.examined() == 0 {
            return self.next_to_examine();
        }
        self.advice(Verdict::Inconclusive)
    }

    /// The option that plays the same steps, if any were played.
    fn with_seed(&self) -> String {
        self.seed.map_or_else(String::new, |seed| format!(" (--seed {seed})"))
    }

    /// The advice of the first finding with this verdict.
    fn advice(&self, verdict: Verdict) -> String {
        let is_meant =
            |finding: &&FindingReport| !finding.known && finding.found.verdict == verdict;
        let mut meant = self.findings.iter().filter(is_meant);
        let advice = meant.find_map(|finding| finding.advice.clone());
        advice.unwrap_or_else(|| self.next_to_examine())
    }

    /// Whether the next step is the option of the first line on what was not tried.
    pub(super) fn next_is_untried(&self) -> bool {
        self.outcome == Outcome::Partial && !self.untried.is_empty()
    }

    /// The documented clauses in reach that were not examined, or of which nothing can be concluded.
    pub(super) fn unmet(&self) -> impl Iterator<Item = &str> {
        let is_open = |clause: &&ClauseReport| {
            let is_open = matches!(clause.status, Status::NotMet | Status::Inconclusive);
            is_open && clause.kind == ClauseKind::Documented && clause.remedy.is_none()
        };
        self.clauses.iter().filter(is_open).map(|clause| clause.clause.as_str())
    }

    /// How to examine more.
    fn next_to_examine(&self) -> String {
        let unmet = self.with_status(Status::NotMet);
        match self.untried.first() {
            Some(UntriedReport { clauses, remedy }) => {
                format!("To examine {clauses} more clauses, the run needs {remedy}.")
            }
            None if unmet > 0 && self.seed.is_none() => {
                format!("To examine {unmet} more clauses, record traffic that meets them.")
            }
            None if unmet > 0 => format!(
                "To examine {unmet} more clauses, play longer (--cases, --steps, --max-requests) or with another seed."
            ),
            None => "See the warnings.".to_owned(),
        }
    }
}

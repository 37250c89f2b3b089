//! The outcome of a run, and the one line that says it.

use tideover_exchange::evidence::Ending;
use tideover_exchange::evidence::finding::{Verdict, outage_words};
use tideover_exchange::evidence::outcome::{Extent, Grounds, Outcome};

use crate::compose::FinishedRun;
use crate::document::FindingReport;

/// The most clauses that a headline names.
const MOST_NAMED: usize = 3;

impl FinishedRun<'_> {
    pub(super) fn outcome(&self, findings: &[FindingReport], extent: Extent) -> Outcome {
        let verdicts: Vec<Verdict> = new(findings).map(|finding| finding.found.verdict).collect();
        let grounds = Grounds {
            verdicts: &verdicts,
            ending: self.ending(),
            open_parts: self.open_parts(),
            judged: self.judged(),
            extent,
        };
        grounds.outcome(self.demands)
    }

    /// The outcome and its reason, in one line.
    pub(super) fn headline(
        &self,
        outcome: Outcome,
        findings: &[FindingReport],
        extent: Extent,
    ) -> String {
        let (word, basis) = (outcome.word(), extent.basis());
        let reason = match outcome {
            Outcome::Pass => return format!("{word}: {}, {basis}", extent.words()),
            Outcome::Partial => return format!("{word} ({}): {basis}", extent.scope()),
            Outcome::Fail => {
                let fails = |verdict: Verdict| {
                    verdict == Verdict::Violated || self.demands.fail_on.contains(&verdict)
                };
                let outage = || new(findings).find_map(|finding| outage(finding, fails));
                outage().unwrap_or_else(|| named(findings, fails))
            }
            Outcome::Stalled => named(findings, |verdict| verdict == Verdict::Stalled),
            Outcome::Differs => {
                named(findings, |verdict| verdict == Verdict::DiffersFromAssumption)
            }
            Outcome::Interrupted => "a signal ended the run".to_owned(),
            Outcome::Inconclusive => self.doubt(findings, extent),
        };
        if extent.examined() == 0 {
            return format!("{word}: {reason}; nothing was examined");
        }
        format!("{word}: {reason}; {} examined, {basis}", extent.words())
    }

    /// Why nothing can be concluded.
    fn doubt(&self, findings: &[FindingReport], extent: Extent) -> String {
        match (&self.ended, self.open_parts()) {
            (Some((Ending::GivenUp, why)), _) => why.clone(),
            _ if new(findings).any(|one| one.found.verdict == Verdict::Inconclusive) => {
                named(findings, |verdict| verdict == Verdict::Inconclusive)
            }
            (_, parts @ 1..) => format!("nothing can be concluded about {parts} parts of races"),
            _ if extent.examined() == 0 => "no request met a clause".to_owned(),
            _ if self.judged() == 0 => "no request could be judged".to_owned(),
            _ => {
                let demanded = self.demands.min_coverage.unwrap_or_default();
                format!("{} % examined, and --min-coverage demands {demanded} %", extent.percent())
            }
        }
    }

    fn judged(&self) -> u64 {
        self.summary.steps.saturating_sub(self.unjudged)
    }

    fn open_parts(&self) -> u64 {
        self.races().map_or(0, |parts| parts.open())
    }
}

fn new(findings: &[FindingReport]) -> impl Iterator<Item = &FindingReport> {
    findings.iter().filter(|finding| !finding.known)
}

/// When the target gave no response, if that is the finding and its verdict is such.
fn outage(finding: &FindingReport, is_meant: impl Fn(Verdict) -> bool) -> Option<String> {
    let found = &finding.found;
    let words = outage_words(&found.field, &found.seen).filter(|_| is_meant(found.verdict))?;
    Some(format!("{words} ({})", found.operation))
}

/// The clauses of the new findings with such a verdict, and of what came with them, the first few by name.
fn named(findings: &[FindingReport], is_meant: impl Fn(Verdict) -> bool) -> String {
    let meant = || new(findings).filter(|finding| is_meant(finding.found.verdict));
    let words = meant().last().map(|one| one.found.verdict.words_at(&one.found.operation));
    let words = words.unwrap_or_default();
    let also = meant().flat_map(|finding| &finding.also).filter(|found| is_meant(found.verdict));
    let mut clauses: Vec<&str> = Vec::new();
    // What a finding is named by comes before what came with it.
    for found in meant().map(|finding| &finding.found).chain(also) {
        if !clauses.contains(&&*found.clause) {
            clauses.push(&found.clause);
        }
    }
    let shown = clauses.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    match clauses.len().saturating_sub(MOST_NAMED) {
        0 => format!("{shown} {words}"),
        more => format!("{shown} and {more} more {words}"),
    }
}

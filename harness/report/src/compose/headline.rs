//! The outcome of a run, and the one line that says it.

use tideover_exchange::evidence::Ending;
use tideover_exchange::evidence::finding::{Verdict, outage_words};
use tideover_exchange::evidence::outcome::{Demands, Extent, Grounds, Outcome};

use crate::document::FindingReport;

/// The most clauses that a headline names.
const MOST_NAMED: usize = 3;

/// What the outcome of a run rests on.
pub(crate) struct Conclusion<'a> {
    pub(crate) findings: &'a [FindingReport],
    pub(crate) extent: Extent,
    pub(crate) ending: Ending,
    /// Why it ended before its plan, if it did.
    pub(crate) ended_because: Option<&'a str>,
    /// The parts of races about which nothing can be concluded.
    pub(crate) open_parts: u64,
    /// The steps that could be judged.
    pub(crate) judged: u64,
    pub(crate) demands: &'a Demands,
}

impl Conclusion<'_> {
    pub(crate) fn outcome(&self) -> Outcome {
        let verdicts: Vec<Verdict> =
            new(self.findings).map(|finding| finding.found.verdict).collect();
        let grounds = Grounds {
            verdicts: &verdicts,
            ending: self.ending,
            open_parts: self.open_parts,
            judged: self.judged,
            extent: self.extent,
        };
        grounds.outcome(self.demands)
    }

    /// The outcome and its reason, in one line.
    pub(crate) fn headline(&self, outcome: Outcome) -> String {
        let Conclusion { findings, extent, .. } = self;
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
            Outcome::Inconclusive => self.doubt(),
        };
        if extent.examined() == 0 {
            return format!("{word}: {reason}; nothing was examined");
        }
        format!("{word}: {reason}; {} examined, {basis}", extent.words())
    }

    /// Why nothing can be concluded.
    fn doubt(&self) -> String {
        let Conclusion { findings, extent, .. } = self;
        match (self.ended_because, self.open_parts) {
            (Some(why), _) if self.ending == Ending::GivenUp => why.to_owned(),
            _ if new(findings).any(|one| one.found.verdict == Verdict::Inconclusive) => {
                named(findings, |verdict| verdict == Verdict::Inconclusive)
            }
            (_, parts @ 1..) => format!("nothing can be concluded about {parts} parts of races"),
            _ if extent.examined() == 0 => "no request met a clause".to_owned(),
            _ if self.judged == 0 => "no request could be judged".to_owned(),
            _ => {
                let demanded = self.demands.min_coverage.unwrap_or_default();
                format!("{} % examined, and --min-coverage demands {demanded} %", extent.percent())
            }
        }
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

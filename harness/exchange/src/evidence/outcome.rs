//! The outcome of a run. The terminal, HTML, JUnit, JSON and the exit code all show this one value.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Ending;
use crate::evidence::finding::Verdict;

/// The outcome of a run, in the order in which it is decided: the first whose condition holds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The contract is violated.
    Fail,
    /// A signal ended the run.
    Interrupted,
    /// Nothing can be concluded.
    Inconclusive,
    /// Something takes too long.
    Stalled,
    /// A gap is not as assumed.
    Differs,
    /// What was examined holds, but not everything was examined.
    Partial,
    /// Everything in reach was examined, and holds.
    Pass,
}

impl Outcome {
    /// All outcomes, in the order in which they are decided.
    pub const ALL: [Outcome; 7] = [
        Outcome::Fail,
        Outcome::Interrupted,
        Outcome::Inconclusive,
        Outcome::Stalled,
        Outcome::Differs,
        Outcome::Partial,
        Outcome::Pass,
    ];

    /// The row of this outcome: its name, its condition and the exit code.
    const fn row(self) -> (&'static str, &'static str, u8) {
        match self {
            Outcome::Fail => (
                "FAIL",
                "a sentence of the document does not hold, or --fail-on names what was found",
                1,
            ),
            Outcome::Interrupted => (
                "INTERRUPTED",
                "Ctrl-C or another signal ended the run; what it examined until then holds",
                130,
            ),
            Outcome::Inconclusive => (
                "INCONCLUSIVE",
                "the target stopped answering, nothing was examined, less was examined than --min-coverage \
                 demands, or an observation can be explained either way",
                3,
            ),
            Outcome::Stalled => {
                ("STALLED", "the document holds; something takes longer than the profile allows", 0)
            }
            Outcome::Differs => (
                "DIFFERS",
                "the document holds; a gap is not as assumed, or not as --profile states",
                0,
            ),
            Outcome::Partial => (
                "PASS (partial)",
                "what was examined holds; some clauses in reach were not examined, or only reads were allowed",
                0,
            ),
            Outcome::Pass => {
                ("PASS", "every clause in reach of the given options was examined, and holds", 0)
            }
        }
    }

    /// The name, as it is printed.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The first word of the name, with which every headline begins.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Partial => Outcome::Pass.name(),
            other => other.name(),
        }
    }

    /// When a run has this outcome, in one line.
    pub const fn condition(self) -> &'static str {
        self.row().1
    }

    /// The exit code of the command.
    pub const fn exit_code(self) -> u8 {
        self.row().2
    }

    /// Whether CI goes on: the exit code is 0.
    pub const fn passes(self) -> bool {
        self.exit_code() == 0
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the user demands of a run.
#[derive(Clone, Debug, Default)]
pub struct Demands {
    /// Verdicts, besides violations, that fail the run.
    pub fail_on: Vec<Verdict>,
    /// The share of the clauses in reach that must be examined, in percent.
    pub min_coverage: Option<u8>,
}

/// What decides the outcome of a run.
#[derive(Clone, Debug)]
pub struct Grounds<'a> {
    /// The verdicts of the findings outside the baseline.
    pub verdicts: &'a [Verdict],
    /// Why the run ended.
    pub ending: Ending,
    /// The parts of races about which nothing can be concluded.
    pub open_parts: u64,
    /// The steps whose responses were judged.
    pub judged: u64,
    /// How much was examined.
    pub extent: Extent,
}

/// How much of the document a run has examined. Assumptions do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extent {
    /// Documented clauses that a check met, or that a defect of the catalogue proves to show in a clause that a check
    /// met.
    pub proven: u64,
    /// Documented clauses whose breach would show in a clause that a check met: a table says so, and no defect proves
    /// it.
    pub argued: u64,
    /// Documented clauses that are violated, that stall, or about which nothing can be concluded.
    pub broken: u64,
    /// Documented clauses that the given options can reach.
    pub reachable: u64,
    /// Documented clauses that some option could reach at this target.
    pub observable: u64,
    /// Whether the run could send only reads and quotes.
    pub reads_only: bool,
}

impl Extent {
    /// The clauses that were examined, whether they hold or not.
    pub fn examined(&self) -> u64 {
        self.proven + self.argued + self.broken
    }

    /// Whether everything was examined that the options can reach, and they allow more than reads.
    pub fn is_whole(&self) -> bool {
        !self.reads_only && self.examined() >= self.reachable
    }

    /// The share of the clauses that was examined, in percent, rounded down. The share is of the clauses in reach or,
    /// if only reads are allowed, of the observable ones.
    pub fn percent(&self) -> u64 {
        (self.examined() * 100).checked_div(self.whole()).unwrap_or(0)
    }

    /// What the examined clauses are a share of.
    fn whole(&self) -> u64 {
        if self.reads_only { self.observable } else { self.reachable }
    }

    /// How much was examined, in words: `198 of 219 clauses in reach`.
    pub fn words(&self) -> String {
        let of = if self.reads_only { "observable clauses" } else { "clauses in reach" };
        format!("{} of {} {of}", self.examined(), self.whole())
    }

    /// The same, as it stands in the name of a partial pass: `partial: 198 of 219 clauses in reach`.
    pub fn scope(&self) -> String {
        let kind = if self.reads_only { "reads only" } else { "partial" };
        format!("{kind}: {}", self.words())
    }

    /// What the clauses that hold rest on, in words: `131 proven, 67 argued`.
    pub fn basis(&self) -> String {
        format!("{} proven, {} argued", self.proven, self.argued)
    }
}

impl Grounds<'_> {
    /// The outcome.
    pub fn outcome(&self, demands: &Demands) -> Outcome {
        let met = |verdict| self.verdicts.contains(&verdict);
        let share = demands.min_coverage.map_or(0, u64::from);
        if met(Verdict::Violated) || demands.fail_on.iter().any(|verdict| met(*verdict)) {
            Outcome::Fail
        } else if self.ending == Ending::Interrupted {
            Outcome::Interrupted
        } else if met(Verdict::Inconclusive)
            || self.open_parts > 0
            || self.ending == Ending::GivenUp
            || self.judged == 0
            || self.extent.examined() == 0
            || self.extent.percent() < share
        {
            Outcome::Inconclusive
        } else if met(Verdict::Stalled) {
            Outcome::Stalled
        } else if met(Verdict::DiffersFromAssumption) {
            Outcome::Differs
        } else if self.extent.is_whole() {
            Outcome::Pass
        } else {
            Outcome::Partial
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Extent = Extent {
        proven: 6,
        argued: 4,
        broken: 0,
        reachable: 10,
        observable: 20,
        reads_only: false,
    };

    fn of(verdicts: &[Verdict], ending: Ending, extent: Extent) -> Outcome {
        let grounds = Grounds { verdicts, ending, open_parts: 0, judged: 1, extent };
        grounds.outcome(&Demands::default())
    }

    #[test]
    fn the_worst_ground_decides() {
        let all = [Verdict::Violated, Verdict::Inconclusive, Verdict::Stalled];
        let decided = |from: usize, ending| of(&all[from..], ending, WHOLE);
        assert_eq!(decided(0, Ending::Interrupted), Outcome::Fail);
        assert_eq!(decided(1, Ending::Interrupted), Outcome::Interrupted);
        assert_eq!(decided(1, Ending::Complete), Outcome::Inconclusive);
        assert_eq!(decided(2, Ending::GivenUp), Outcome::Inconclusive);
        assert_eq!(decided(2, Ending::Complete), Outcome::Stalled);
        assert_eq!(of(&[Verdict::DiffersFromAssumption], Ending::Spent, WHOLE), Outcome::Differs);
        assert_eq!(decided(3, Ending::Complete), Outcome::Pass);
    }

    #[test]
    fn a_run_passes_only_what_it_examined() {
        let with = |extent| of(&[], Ending::Complete, extent);
        assert_eq!(with(WHOLE), Outcome::Pass);
        assert_eq!(with(Extent { argued: 3, ..WHOLE }), Outcome::Partial);
        assert_eq!(with(Extent { reads_only: true, ..WHOLE }), Outcome::Partial);
        assert_eq!(with(Extent { proven: 0, argued: 0, ..WHOLE }), Outcome::Inconclusive);
        let (verdicts, ending) = (&[][..], Ending::Complete);
        let unjudged = Grounds { verdicts, ending, open_parts: 0, judged: 0, extent: WHOLE };
        assert_eq!(unjudged.outcome(&Demands::default()), Outcome::Inconclusive);
    }

    #[test]
    fn demands_are_met_or_the_run_does_not_pass() {
        let verdicts = &[Verdict::Stalled][..];
        let half = Extent { proven: 5, argued: 0, ..WHOLE };
        let ending = Ending::Complete;
        let grounds = Grounds { verdicts, ending, open_parts: 0, judged: 1, extent: half };
        let with = |fail_on: &[Verdict], min_coverage| {
            grounds.outcome(&Demands { fail_on: fail_on.to_vec(), min_coverage })
        };
        assert_eq!(with(&[], Some(50)), Outcome::Stalled);
        assert_eq!(with(&[], Some(51)), Outcome::Inconclusive);
        assert_eq!(with(&[Verdict::DiffersFromAssumption], None), Outcome::Stalled);
        assert_eq!(with(&[Verdict::Stalled], Some(51)), Outcome::Fail);
    }

    #[test]
    fn headlines_begin_with_a_word() {
        for outcome in Outcome::ALL {
            assert!(outcome.name().starts_with(outcome.word()), "{outcome}");
        }
    }
}

//! The results of a command in the form that CI understands: cases with a status, issues, and coverage.
//!
//! - Each command turns its own result into [`Results`]. Each format makes a report of them.
//! - A new command needs one conversion, a new format one row in `format.rs`.
//! - Never here: a verdict of its own, a path, the environment.

pub(super) mod allure;
pub(super) mod code_quality;
pub(super) mod ctrf;
pub(super) mod junit;
mod of_check;
mod of_proof;
mod of_receiver;
pub(super) mod summary;
pub(super) mod workflow;

use std::time::Duration;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::Timestamp;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The identifier of the case that is the outcome of the run.
pub(crate) const OUTCOME: &str = "outcome";

#[derive(Clone, Debug)]
pub struct Results {
    /// The command: `check`.
    pub command: String,
    /// What was tested, in words.
    pub target: String,
    /// The outcome, as the exit code shows it.
    pub outcome: Outcome,
    /// The outcome in one line. It begins with the word of the outcome.
    pub headline: String,
    pub began: Timestamp,
    pub took: Duration,
    /// What was tested. Their identifiers differ.
    pub cases: Vec<Entry>,
    /// What a reader should act on, the worst first.
    pub issues: Vec<Issue>,
    /// How much of each part was examined; empty if the command has no such measure.
    pub coverage: Vec<Coverage>,
    /// Further facts by name: the seed, the number of steps.
    pub facts: Vec<(&'static str, String)>,
    /// What limits the value of the results, and what to do next.
    pub notes: Vec<String>,
}

/// Something that was tested.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// An identifier that stays the same from run to run: `2.invoice.fundable`.
    pub id: String,
    /// What must hold, in one line.
    pub name: String,
    /// The groups that it belongs to, the outermost first. At least one.
    pub suites: Vec<String>,
    /// Its status, in the four words that all formats have.
    pub status: EntryStatus,
    /// Its status in the command's own words.
    pub own_status: String,
    /// Why it has this status, if that is not obvious.
    pub message: Option<String>,
    /// The evidence, in several lines.
    pub details: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    Passed,
    Failed,
    /// Nothing could be concluded.
    Broken,
    /// It was not examined, or it need not hold.
    Skipped,
}

impl Serialize for EntryStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl EntryStatus {
    /// All statuses, the worst first.
    pub const ALL: [EntryStatus; 4] =
        [EntryStatus::Failed, EntryStatus::Broken, EntryStatus::Skipped, EntryStatus::Passed];

    /// The name, for people and programs.
    pub const fn name(self) -> &'static str {
        match self {
            EntryStatus::Passed => "passed",
            EntryStatus::Failed => "failed",
            EntryStatus::Broken => "inconclusive",
            EntryStatus::Skipped => "skipped",
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Issue {
    /// A short name of its cause that stays the same from run to run.
    pub fingerprint: String,
    pub severity: Severity,
    /// The broken rule, by its stable name.
    pub rule: String,
    /// Where the document has the rule.
    pub place: String,
    /// What the rule says, in one line.
    pub title: String,
    /// Where it shows: an operation and a field, a delivery, a seed.
    pub subject: String,
    pub expected: String,
    pub seen: String,
    /// The command that shows it again.
    pub replay: Option<String>,
    pub file: Option<String>,
}

/// How bad an issue is; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It fails the run.
    Error,
    /// It does not fail the run, and somebody should look at it.
    Warning,
    /// It is good to know.
    Notice,
}

/// The page shows the words of the verdicts.
impl Serialize for Severity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Severity::Error => "violated",
            Severity::Warning => "inconclusive",
            Severity::Notice => "differs",
        })
    }
}

/// How much of a part was examined.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The part: `§6 Events`.
    pub part: String,
    /// How many rules of it were examined.
    pub examined: u64,
    /// How many rules of it could have been examined.
    pub reachable: u64,
    /// How many of those examined are broken.
    pub broken: u64,
}

impl Results {
    /// Results with the outcome as their only case. `reason` says in a few words what the outcome rests on.
    pub fn new(
        command: &'static str,
        target: impl Into<String>,
        outcome: Outcome,
        reason: &str,
        (finished, took): (Timestamp, Duration),
    ) -> Results {
        let headline = format!("{}: {reason}", outcome.word());
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Results {
            command: command.to_owned(),
            target: target.into(),
            outcome,
            began: finished.before_milliseconds(milliseconds),
            took,
            cases: vec![Entry::outcome(outcome, &headline)],
            headline,
            issues: Vec::new(),
            coverage: Vec::new(),
            facts: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub fn count(&self, status: EntryStatus) -> usize {
        self.cases.iter().filter(|case| case.status == status).count()
    }

    /// The start, in milliseconds since 1970.
    fn began_at(&self) -> i64 {
        self.began.unix() * 1000
    }

    /// The duration of a case. Only the run as a whole has one.
    fn lasted(&self, case: &Entry) -> Duration {
        if case.id == OUTCOME { self.took } else { Duration::ZERO }
    }

    /// The end of the run, in milliseconds since 1970.
    fn ended_at(&self) -> i64 {
        self.began_at() + milliseconds(self.took)
    }
}

impl Entry {
    /// The identifier and what must hold, in one line.
    fn title(&self) -> String {
        if self.id == self.name { self.id.clone() } else { format!("{} {}", self.id, self.name) }
    }

    /// The outcome as a case, so that a run that ended early is no success.
    fn outcome(outcome: Outcome, headline: &str) -> Entry {
        Entry {
            id: OUTCOME.to_owned(),
            name: OUTCOME.to_owned(),
            suites: vec!["The run".to_owned()],
            status: match outcome {
                Outcome::Fail => EntryStatus::Failed,
                Outcome::Interrupted | Outcome::Inconclusive => EntryStatus::Broken,
                Outcome::Stalled | Outcome::Differs | Outcome::Partial | Outcome::Pass => {
                    EntryStatus::Passed
                }
            },
            own_status: outcome.name().to_owned(),
            message: Some(headline.to_owned()),
            details: Some(headline.to_owned()),
        }
    }
}

/// A short name that stays the same as long as the texts do.
pub fn fingerprint(texts: &[&str]) -> String {
    let digest = Sha256::digest(texts.join("\n"));
    const_hex::encode(&digest[..6])
}

impl Issue {
    /// Where it shows, what was expected there, and what was seen, in one line.
    fn observation(&self) -> String {
        let Issue { subject, expected, seen, .. } = self;
        match (expected.is_empty(), seen.is_empty()) {
            (true, true) => subject.clone(),
            (true, false) => format!("{subject}: {seen}"),
            (false, _) => format!("{subject}: expected {expected}, seen {seen}"),
        }
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 2)
}

/// A bar of `width` characters, filled as far as `part` of `whole`. It is full, or empty, only if the part is.
pub(crate) fn bar(part: u64, whole: u64, width: usize) -> String {
    let filled = filled(part, whole, width);
    "█".repeat(filled) + &"░".repeat(width - filled)
}

fn filled(part: u64, whole: u64, width: usize) -> usize {
    let most = width as u64;
    let rounded = (part.min(whole) * most * 2 + whole).checked_div(whole * 2).unwrap_or(0);
    let shown = match rounded {
        0 if part > 0 => 1,
        _ if rounded == most && part < whole => most - 1,
        rounded => rounded,
    };
    usize::try_from(shown).unwrap_or(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_only_if_all_is_done() {
        let filled = |part, whole| filled(part, whole, 10);
        assert_eq!([filled(0, 0), filled(0, 9), filled(9, 9)], [0, 0, 10]);
        assert_eq!([filled(1, 1000), filled(999, 1000), filled(45, 100)], [1, 9, 5]);
        assert_eq!(bar(1, 2, 4), "██░░");
    }
}

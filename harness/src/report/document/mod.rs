//! The report of a run as data, from which the terminal, JSON, JUnit and HTML are made.

mod finding;

use crate::evidence::Ending;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::evidence::finding::Verdict;

pub use finding::{
    Actor, Answer, Blame, Change, DeliveryReport, Difference, FindingReport, Found, Party,
    StepReport,
};

/// The version of this form. What is added does not change it.
pub const VERSION: u32 = 1;

/// What came of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The version of this form.
    pub version: u32,
    /// What was played against, in words.
    pub target: String,
    /// The seed of the steps and of the service's free choices.
    pub seed: u64,
    /// Cases that were played.
    pub cases: u64,
    /// Cases that were not, of those that were to be played.
    pub cases_left: u64,
    /// Steps that were played.
    pub steps: u64,
    /// How long that took.
    pub milliseconds: u64,
    /// The worst verdict of any finding outside the baseline.
    pub verdict: Verdict,
    /// Why no more was played.
    pub ending: Ending,
    /// Every clause, in document order, assumptions last.
    pub clauses: Vec<ClauseReport>,
    /// What does not hold: one finding for each cause, in the order in which they were met.
    pub findings: Vec<FindingReport>,
    /// The known findings that were not met.
    pub gone: Vec<Known>,
    /// What was seen where the document is silent.
    pub gaps: Vec<GapReport>,
    /// How long the answers took, by operation; none in process.
    pub latency: Vec<LatencyReport>,
    /// The interesting states, and how often each was reached.
    pub states: Vec<StateGroup>,
    /// What was concluded of the order of requests, if they were sent at once: each case was a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub races: Option<RacesReport>,
    /// What makes the run worth less than it looks.
    pub warnings: Vec<String>,
    /// What the run has left behind in the target.
    pub left_behind: Vec<String>,
    /// What a live endpoint was not asked, by the reason.
    pub unasked: Vec<UnaskedReport>,
}

/// What a live endpoint was not asked, for one reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnaskedReport {
    /// The reason.
    pub because: String,
    /// How many requests were left out.
    pub requests: u64,
    /// The clauses that these would have met.
    pub clauses: Vec<UnaskedClause>,
}

/// A clause that requests would have met which were not sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnaskedClause {
    /// The stable name.
    pub clause: String,
    /// How many of the requests would have met it.
    pub requests: u64,
    /// Whether others have met it.
    pub met: bool,
}

/// What was concluded of the order of requests that were sent at once. Each race has parts that touch nothing of one
/// another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RacesReport {
    /// How many races there were.
    pub races: u64,
    /// How many clients sent them.
    pub clients: u64,
    /// Requests with an unknown outcome.
    pub unknown: u64,
    /// Parts of which an order explains every answer.
    pub explained: u64,
    /// Parts for which the search ended before it found an order or had tried all.
    pub undecided: u64,
    /// Parts that no order explains, which alone violates nothing.
    pub inconclusive: u64,
    /// Parts whose answers contradict the document, in whatever order.
    pub contradicted: u64,
    /// Those that are undecided or inconclusive, the first few.
    pub unexplained: Vec<UnexplainedPart>,
}

/// A part of a race that no order was found for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnexplainedPart {
    /// In which case.
    pub case: u64,
    /// What of it is known, in words.
    pub words: String,
}

/// The report of a clause.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClauseReport {
    /// The stable name.
    pub clause: String,
    /// Where the document says it or, for an assumption, where it is silent.
    pub place: String,
    /// What it says, in one line.
    pub wording: String,
    /// Whether the document says it, or we assume it.
    pub kind: ClauseKind,
    /// Whether it holds.
    pub status: Status,
    /// Why it has this status, where the numbers don't show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often it was checked under its own name.
    pub exercised: u64,
    /// In how many cases it was not as it should be.
    pub broken: u64,
}

/// What a clause rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ClauseKind {
    /// The document says it.
    Documented,
    /// We assume it, where the document is silent.
    Assumed,
}

/// Whether a clause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// A sentence of the document does not hold.
    Violated,
    /// It may hold or not.
    Inconclusive,
    /// A hidden transition did not happen in time.
    Stalled,
    /// What the document leaves open is not as we assume.
    Differs,
    /// It was met, and nothing speaks against it.
    Held,
    /// Not counted itself: a breach would show in other clauses, some of which were checked, as the reason says.
    Covered,
    /// The run could have met it, and never did.
    NotExercised,
    /// The run could not meet it: the reason says why.
    Unreachable,
}

/// A finding that is known.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// The short name of its cause.
    pub fingerprint: String,
    /// The clause that did not hold.
    pub clause: String,
    /// What was asked for.
    pub operation: String,
    /// Which field of the answer.
    pub field: String,
}

/// What was seen where the document is silent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapReport {
    /// The name of the assumption.
    pub clause: String,
    /// What it says, in one line.
    pub wording: String,
    /// Where it shows: an operation, a code, a field of an answer or of the profile.
    pub place: String,
    /// The value that is assumed; empty if that depends on the request.
    pub assumed: String,
    /// The values that were seen.
    pub seen: Vec<SeenValue>,
    /// Whether it was always the same.
    pub constant: bool,
}

/// A value that was seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenValue {
    /// The value, or the interval that it lies in.
    pub value: String,
    /// How often; absent for a range that is narrowed from many responses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
}

/// How long the answers to an operation took, in microseconds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatencyReport {
    /// The method and the path.
    pub operation: String,
    /// How many answers there were.
    pub count: u64,
    /// Half of them took no longer.
    pub median: u64,
    /// 95 % of them took no longer.
    pub percentile95: u64,
    /// None took longer.
    pub max: u64,
}

/// States of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateGroup {
    /// What kind of states they are.
    pub title: String,
    /// Those that a run should reach.
    pub states: Vec<State>,
}

/// An interesting state.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// What it is called.
    pub name: String,
    /// How often it was reached.
    pub times: u64,
}

impl Report {
    /// How many clauses have this status.
    pub fn with_status(&self, status: Status) -> usize {
        self.clauses.iter().filter(|clause| clause.status == status).count()
    }
}

/// The JSON Schema of a report.
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}

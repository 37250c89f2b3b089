//! The report of a run as data, from which the terminal, JSON, JUnit and HTML are made.

mod finding;
mod shares;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::outcome::{Extent, Outcome};
use tideover_exchange::evidence::{Ending, Reproduced, Shard};
use tideover_model::Timestamp;

pub use finding::{
    Actor, Answer, Blame, Change, Culprit, DeliveryReport, Difference, FindingReport, Found,
    HeaderReport, Party, StepReport,
};
pub use shares::Shares;

/// The version of this form. Additions do not change it.
pub const VERSION: u32 = 2;

/// The report of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The version of this form.
    pub version: u32,
    /// The version of Tideover.
    pub tideover: String,
    /// The command: `check`, `judge` or `watch`.
    pub command: String,
    /// The wall time at the start.
    #[schemars(with = "String")]
    pub began: Timestamp,
    /// The target in words.
    pub target: String,
    /// The seed of the steps and of the service's free choices; none of recorded traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The parts of a run whose report this is. One part is the whole run if no other was asked for.
    pub shards: Vec<Shard>,
    /// What was to be played, but for the part: the steps of a case, and a hash of the profile.
    pub plan: String,
    /// The hash of what was played and found: the same in how many parts a run is made, if none ended early.
    pub hash: String,
    /// The number of cases that were played.
    pub cases: u64,
    /// The number of planned cases that were not played.
    pub cases_left: u64,
    /// The number of steps that were played.
    pub steps: u64,
    /// The duration of the run.
    pub milliseconds: u64,
    /// The outcome, which also decides the exit code.
    pub outcome: Outcome,
    /// The outcome and its reason, in one line.
    pub headline: String,
    /// How much of the document was examined.
    pub extent: Extent,
    /// What the given options do not reach, by the option that reaches it.
    pub untried: Vec<UntriedReport>,
    /// Verdicts, besides violations, that fail the run.
    pub fail_on: Vec<Verdict>,
    /// Why the run ended.
    pub ending: Ending,
    /// The same in words, where the run ended before its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_because: Option<String>,
    /// Every clause, in document order, assumptions last.
    pub clauses: Vec<ClauseReport>,
    /// One finding for each cause, in the order in which they were met.
    pub findings: Vec<FindingReport>,
    /// Findings of the baseline that were not met.
    pub gone: Vec<Known>,
    /// The findings that earlier runs have kept, and whether each still shows.
    #[serde(default)]
    pub regressions: Vec<RegressionReport>,
    /// What the service does where the document is silent.
    pub gaps: Vec<GapReport>,
    /// The fields of a foreign target's responses and events.
    #[serde(default)]
    pub shapes: Vec<ShapeReport>,
    /// Response times by operation; empty in process.
    pub latency: Vec<LatencyReport>,
    /// Where the time went; empty without a live target.
    pub time: Vec<TimeReport>,
    /// The most cases that were played at once.
    pub workers: u64,
    /// How the clauses were met in the course of the run; empty without a live target.
    pub reached: Vec<ReachedReport>,
    /// How often each interesting state was reached.
    pub states: Vec<StateGroup>,
    /// What was asked of invoices, and of businesses, in each of their states.
    pub state_matrix: Vec<StateMatrix>,
    /// What was concluded about the order of racing requests, if each case was a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub races: Option<RacesReport>,
    /// What limits the value of the run.
    pub warnings: Vec<String>,
    /// What the run left behind in the target.
    pub left_behind: Vec<String>,
    /// Requests that were not sent to a live endpoint, by reason.
    pub unasked: Vec<UnaskedReport>,
    /// What the client did of what the document asks of it; empty where only the service was judged.
    #[serde(default)]
    pub conduct: Vec<DutyReport>,
}

/// A duty of the client, and what was seen of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DutyReport {
    /// The stable name of the duty.
    pub duty: String,
    /// The clause that asks for it, or an assumption.
    pub clause: String,
    /// Where the document says it.
    pub place: String,
    /// The duty in one sentence.
    pub wording: String,
    /// What was seen of it.
    pub state: DutyState,
    /// The exchanges that show a breach, a line for each.
    pub shown: Vec<String>,
}

/// What was seen of a duty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DutyState {
    /// The client kept it, each time that it was seen.
    Met,
    /// The client broke it.
    Broken,
    /// Nothing showed whether the client keeps it.
    NotSeen,
}

/// Documented clauses that the given options do not reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UntriedReport {
    /// The number of clauses.
    pub clauses: u64,
    /// The option that reaches them, in words.
    pub remedy: String,
}

/// Requests that were not sent to a live endpoint, for one reason.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnaskedReport {
    /// The reason.
    pub because: String,
    /// The number of these requests.
    pub requests: u64,
    /// The clauses that these requests would have met.
    pub clauses: Vec<UnaskedClause>,
}

/// A clause that the omitted requests would have met.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnaskedClause {
    /// The stable name of the clause.
    pub clause: String,
    /// The number of omitted requests that would have met it.
    pub requests: u64,
    /// Whether other requests met it.
    pub met: bool,
}

/// What was concluded about the order of racing requests. A race consists of independent parts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RacesReport {
    /// The number of races.
    pub races: u64,
    /// The number of clients.
    pub clients: u64,
    /// Requests with an unknown outcome.
    pub unknown: u64,
    /// Parts with an order that explains every response.
    pub explained: u64,
    /// Parts for which the search ended before it found an order or tried all orders.
    pub undecided: u64,
    /// Parts that no order explains. That alone violates nothing.
    pub inconclusive: u64,
    /// Parts whose responses contradict the document in any order.
    pub contradicted: u64,
    /// The first few undecided or inconclusive parts.
    pub unexplained: Vec<UnexplainedPart>,
}

/// A part of a race without an order that explains it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnexplainedPart {
    /// The number of the case.
    pub case: u64,
    /// What is known of the part, in words.
    pub words: String,
}

/// The report of a clause.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClauseReport {
    /// The stable name of the clause.
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
    /// The option that brings it within reach, in words, if it is out of reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// How often it was checked under its own name.
    pub exercised: u64,
    /// The number of cases that broke it.
    pub broken: u64,
}

/// The basis of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ClauseKind {
    /// The document says it.
    Documented,
    /// We assume it because the document is silent.
    Assumed,
}

/// Whether a clause holds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// A sentence of the document does not hold.
    Violated,
    /// Nothing can be concluded: it may hold or not.
    Inconclusive,
    /// A hidden transition did not happen in time.
    Stalled,
    /// The service differs from our assumption where the document is silent.
    Differs,
    /// A check met it, and nothing contradicts it.
    Held,
    /// A check met a clause in which a defect of the catalogue that breaks this one shows.
    Covered,
    /// A check met a clause in which a breach would show; no defect of the catalogue proves that.
    Argued,
    /// No request of the run met it, although the given options reach it.
    NotMet,
    /// The given options do not reach it.
    OutOfReach,
    /// No option reaches it at this target.
    NotObservable,
}

impl Status {
    /// All statuses, the worst first.
    pub const ALL: [Status; 10] = [
        Status::Violated,
        Status::Inconclusive,
        Status::Stalled,
        Status::Differs,
        Status::Held,
        Status::Covered,
        Status::Argued,
        Status::NotMet,
        Status::OutOfReach,
        Status::NotObservable,
    ];

    /// The name in words, as every report prints it.
    pub const fn words(self) -> &'static str {
        match self {
            Status::Violated => "violated",
            Status::Inconclusive => "inconclusive",
            Status::Stalled => "stalled",
            Status::Differs => "differs",
            Status::Held => "held",
            Status::Covered => "covered",
            Status::Argued => "argued",
            Status::NotMet => "not met",
            Status::OutOfReach => "out of reach",
            Status::NotObservable => "not observable",
        }
    }

    /// When a clause has this status, in one line.
    pub const fn meaning(self) -> &'static str {
        match self {
            Status::Violated => "a response or a webhook contradicts it",
            Status::Inconclusive => "it may hold or not: what was seen can be explained either way",
            Status::Stalled => "what it promises takes longer than the profile allows",
            Status::Differs => {
                "the document leaves it open, and the service differs from the assumption"
            }
            Status::Held => "a check met it, and nothing contradicts it",
            Status::Covered => {
                "no check of its own; a defect of the catalogue proves that a breach shows in a clause that was met"
            }
            Status::Argued => {
                "no check of its own; a breach would show in a clause that was met, and no defect proves it"
            }
            Status::NotMet => "the given options reach it, and no request of the run met it",
            Status::OutOfReach => {
                "the given options do not reach it; the report names the option that does"
            }
            Status::NotObservable => "no option reaches it at this target",
        }
    }
}

/// A finding of the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// The fingerprint of its cause.
    pub fingerprint: String,
    /// The clause that did not hold.
    pub clause: String,
    /// The operation.
    pub operation: String,
    /// The field of the response.
    pub field: String,
}

/// A finding that an earlier run has kept, played again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegressionReport {
    /// The transcript.
    pub file: String,
    /// The finding.
    #[serde(flatten)]
    pub finding: Known,
    /// Whether it still shows.
    pub standing: RegressionStanding,
    /// Why its steps could not be played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often its steps showed it.
    pub reproduced: Reproduced,
}

/// Whether a finding still shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RegressionStanding {
    /// Its steps show it again.
    StillThere,
    /// Its steps were played to their end, and show it no more.
    Gone,
    /// Its steps could not be played as they were, so that nothing is known.
    NotPlayed,
}

/// What the service does where the document is silent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapReport {
    /// The name of the assumption.
    pub clause: String,
    /// What it says, in one line.
    pub wording: String,
    /// Where it shows: an operation, a code, a field of a response or of the profile.
    pub place: String,
    /// The assumed value; empty if it depends on the request.
    pub assumed: String,
    /// The values that were seen.
    pub seen: Vec<SeenValue>,
    /// Whether the value was always the same.
    pub constant: bool,
    /// The bounds of the value, if it is a number; of a list of numbers, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
}

/// The bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// It is at least this.
    pub least: u64,
    /// It is at most this.
    pub most: u64,
}

/// The fields of the responses to an operation, or of the events of a type.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShapeReport {
    /// The operation, with `, refused` for its refusals, or the type of event.
    pub of: String,
    /// The number of cases with any.
    pub bodies: u64,
    /// The fields, in the order of their names.
    pub fields: Vec<ShownField>,
}

/// A field of responses or events.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownField {
    /// Its name, dotted, `*` for each element of a list.
    pub name: String,
    /// In how many cases it came in each form: a word, a date-time without its digits, a JSON type, or `absent`.
    pub forms: BTreeMap<String, u64>,
}

/// An observed value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenValue {
    /// The value, or the interval that contains it.
    pub value: String,
    /// How often it was seen; absent for a range that many responses narrow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
}

/// Response times of an operation, in microseconds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatencyReport {
    /// The method and the path.
    pub operation: String,
    /// The number of responses.
    pub count: u64,
    /// The median.
    pub median: u64,
    /// The 95th percentile.
    pub percentile95: u64,
    /// The maximum.
    pub max: u64,
}

/// What a run spent time on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeReport {
    /// What it was spent on.
    pub activity: String,
    /// How often.
    pub times: u64,
    /// How long in all. What was done at once counts each time.
    pub milliseconds: u64,
}

/// How many clauses a run had met by some time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReachedReport {
    /// The requests that were sent until then.
    pub requests: u64,
    /// How long the run had taken.
    pub milliseconds: u64,
    /// The clauses that it had met.
    pub clauses: u64,
}

/// States of one kind.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateGroup {
    /// The kind of states.
    pub title: String,
    /// The states of this kind.
    pub states: Vec<State>,
}

/// Which requests followed while an invoice, a business, an import, a subscription, an invitation, an onboarding link or a
/// key was in which state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateMatrix {
    /// What has these states, such as `invoice`.
    pub subject: String,
    /// The number of states that were met.
    pub states: u64,
    /// The number of requests and actions that were sent about any of them.
    pub requests: u64,
    /// The number of pairs of a state and a request that were met.
    pub pairs: u64,
    /// The pairs that were not met.
    pub missing: Vec<MissingPair>,
    /// The pairs that were met, by state.
    pub asked: Vec<AskedInState>,
    /// The states that it can have and that the run never met.
    #[serde(default)]
    pub unmet: BTreeSet<String>,
}

/// A state, and the requests that were sent in it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedInState {
    /// What a read shows in this state.
    pub state: String,
    /// The operations, and the actions of the operator port.
    pub requests: BTreeSet<String>,
    /// The codes with which they were refused, each with its request.
    #[serde(default)]
    pub refusals: BTreeSet<RefusedInState>,
}

/// A code, and the request that was refused with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedInState {
    /// The code of the refusal.
    pub code: String,
    /// The operation.
    pub request: String,
}

/// A state, and a request that was never sent in it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissingPair {
    /// What a read shows in this state.
    pub state: String,
    /// The operation, or the action of the operator port.
    pub request: String,
}

/// An interesting state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// Its name.
    pub name: String,
    /// How often it was reached.
    pub times: u64,
}

impl StateMatrix {
    /// The matrix of a subject, from all its states and what was asked in each.
    pub(crate) fn of(
        subject: impl Into<String>,
        states: impl IntoIterator<Item = String>,
        asked: Vec<AskedInState>,
    ) -> StateMatrix {
        let is_met = |state: &String| asked.iter().any(|one| one.state == *state);
        let unmet = states.into_iter().filter(|state| !is_met(state)).collect();
        let requests: BTreeSet<&String> = asked.iter().flat_map(|one| &one.requests).collect();
        let missing = asked.iter().flat_map(|AskedInState { state, requests: met, .. }| {
            let missing = requests.iter().filter(|request| !met.contains(**request));
            missing.map(|request| MissingPair { state: state.clone(), request: (*request).clone() })
        });
        StateMatrix {
            subject: subject.into(),
            states: asked.len() as u64,
            requests: requests.len() as u64,
            pairs: asked.iter().map(|one| one.requests.len() as u64).sum(),
            missing: missing.collect(),
            asked,
            unmet,
        }
    }
}

impl StateMatrix {
    /// The number of triples of a state, a request and the code with which it was refused.
    pub fn refusals(&self) -> usize {
        self.asked.iter().map(|one| one.refusals.len()).sum()
    }
}

impl Report {
    /// The number of clauses with this status.
    pub fn with_status(&self, status: Status) -> usize {
        self.clauses.iter().filter(|clause| clause.status == status).count()
    }
}

/// The JSON Schema of a report.
pub fn schema() -> Value {
    schemars::schema_for!(Report).to_value()
}

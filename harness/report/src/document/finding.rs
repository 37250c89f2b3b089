//! A finding as data: the violation, the steps that show it, and the response to each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tideover_exchange::evidence::finding::Verdict;
use tideover_exchange::evidence::{Reproduced, Stability};
use tideover_suite::play::concurrent::Interval;

use crate::figures::counted;

/// A finding: the broken clause and the steps that show it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// A short name of the cause, stable from run to run.
    pub fingerprint: String,
    /// What was found: clause, expectation and observation.
    #[serde(flatten)]
    pub found: Found,
    /// Further findings of the last step.
    pub also: Vec<Found>,
    /// Whether the baseline has it.
    pub known: bool,
    /// How often it was met.
    pub times: u64,
    /// The number of cases that met it; 0 if only the run as a whole shows it.
    pub cases: u64,
    /// The file from which it was played first, if an earlier run kept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression: Option<String>,
    /// The number of the first such case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_case: Option<u64>,
    /// The number of steps before shrinking.
    pub steps_before: u64,
    /// The number of runs that shrinking took; 0 without shrinking.
    pub runs: u64,
    /// Whether shrinking came to its end, so that each step is necessary.
    pub shrunk: bool,
    /// How often its steps showed it again. Absent if they are not played again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reproduced: Option<Reproduced>,
    /// Whether it comes each time. Absent if its steps are not played again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<Stability>,
    /// Who is at fault.
    pub blame: Blame,
    /// What to do about it, where that is not obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The steps that show it.
    pub steps: Vec<StepReport>,
    /// The step that left the state wrong, where a sentence on it says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub culprit: Option<Culprit>,
    /// What the last step with an effect changed, according to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The command that replays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// What was found: clause, expectation and observation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The clause that does not hold.
    pub clause: String,
    /// Where the document says it or, for an assumption, where it is silent.
    pub place: String,
    /// What the clause says, in one line.
    pub wording: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The operation, or the action of the operator port.
    pub operation: String,
    /// The field of the response, dotted; `status` for the HTTP status.
    pub field: String,
    /// The expected value.
    pub expected: String,
    /// The observed value.
    pub seen: String,
}

/// The step that left the state wrong, and the sentence on what it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Culprit {
    /// The number of the step.
    pub step: u64,
    /// The clause.
    pub clause: String,
    /// Where the document says it.
    pub place: String,
    /// What the clause says, in one line.
    pub wording: String,
}

/// Who is at fault, and why.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Blame {
    /// Who.
    pub who: Party,
    /// The reason, in a sentence.
    pub why: String,
}

/// Who can be at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Party {
    /// The service.
    Service,
    /// The network between Tideover and the service.
    Network,
    /// Tideover: a wrong assumption, or missing knowledge.
    Us,
}

/// A step that was played.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// Its number, from 1.
    pub number: u64,
    /// Who acts.
    pub actor: Actor,
    /// The step in a few words.
    pub title: String,
    /// The step in plain words.
    pub words: String,
    /// The step as a curl command.
    pub curl: String,
    /// The clock after the step.
    pub at: String,
    /// The response.
    pub answer: Answer,
    /// The webhooks that arrived with the step.
    pub deliveries: Vec<DeliveryReport>,
    /// When the request was in flight, if some steps raced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// Who acts in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// A caller of the API.
    Caller,
    /// The outside world: a vendor, a bank, a payor, an operator, time.
    Outside,
}

/// The response.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The HTTP status; 0 without a response.
    pub status: u16,
    /// The error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The body, if it is JSON; keys, secrets and account numbers are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The beginning of the body, if it is not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A webhook that arrived.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryReport {
    /// The event type.
    pub event: String,
    /// The path of the inbox.
    pub path: String,
    /// The status that the inbox answered; 0 without a response.
    pub answered: u16,
    /// When it arrived, by the target's clock if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The headers, those that the document names first.
    pub headers: Vec<HeaderReport>,
    /// The body, if it is JSON; secrets and account numbers are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The beginning of the body, if it is not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeaderReport {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// The changes of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The number of the step.
    pub step: u64,
    /// The changed fields.
    pub changes: Vec<Change>,
}

/// A changed field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The business or invoice.
    pub subject: String,
    /// The field, dotted.
    pub field: String,
    /// The value before; null if it did not exist.
    pub before: Option<String>,
    /// The value after; null if it does not exist.
    pub after: Option<String>,
}

impl StepReport {
    /// The client that sent it, if requests raced.
    pub fn racer(&self) -> Option<usize> {
        self.interval.filter(Interval::is_at_once).map(|interval| interval.client)
    }
}

impl FindingReport {
    /// How often and where it was met, and how far the steps were shrunk.
    pub fn met(&self) -> String {
        if let Some(file) = &self.regression {
            let cases = match self.times - 1 {
                0 => String::new(),
                cases => format!(", and in {}", counted(cases, "case")),
            };
            let reproduced = self.reproduced.map_or_else(String::new, |it| format!("; {it}"));
            return format!("again, from {file}{cases}{reproduced}");
        }
        let Some(first) = self.first_case else {
            return format!("{}, in the run as a whole", counted(self.times, "time"));
        };
        let cases = match self.cases {
            1 => format!("in case {first}"),
            cases => format!("in {cases} cases, first in case {first}"),
        };
        let times =
            if self.times > self.cases { format!("{} times ", self.times) } else { String::new() };
        let (before, made) = (self.steps_before, self.steps.len() as u64);
        let steps = match self.runs {
            0 if before == made => format!("{} until then, not made fewer", counted(made, "step")),
            0 => format!("of {before} steps these {made} show it"),
            _ if !self.shrunk && before == made => {
                format!("{}, not made fewer before the run ended", counted(made, "step"))
            }
            _ if self.shrunk && before == made => {
                format!("{}, each necessary", counted(made, "step"))
            }
            runs if !self.shrunk => {
                let runs = counted(runs, "run");
                format!("shrunk from {before} steps to {made} in {runs}, then the run ended")
            }
            runs => {
                format!("shrunk from {before} steps to {made} in {}", counted(runs, "run"))
            }
        };
        match self.reproduced {
            None => format!("{times}{cases}; {steps}"),
            Some(reproduced) => format!("{times}{cases}; {steps}; {reproduced}"),
        }
    }

    /// Whether some of its steps raced.
    pub fn is_raced(&self) -> bool {
        self.steps.iter().any(|step| step.racer().is_some())
    }
}

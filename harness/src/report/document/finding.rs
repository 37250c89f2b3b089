//! A finding as data: the violation, the steps that show it, and the response to each.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::evidence::finding::Verdict;
use crate::play::concurrent::Interval;

/// A finding: what does not hold, and the steps that show it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    /// A short name of the cause, the same from run to run.
    pub fingerprint: String,
    /// What was found.
    #[serde(flatten)]
    pub found: Found,
    /// What else was found with the last step.
    pub also: Vec<Found>,
    /// Whether the baseline has it.
    pub known: bool,
    /// How often it was met.
    pub times: u64,
    /// How many cases met it; 0 if no case shows it, but the run as a whole.
    pub cases: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_case: Option<u64>,
    /// How many steps that took.
    pub steps_before: u64,
    /// How many runs it took to make them few; 0 if that was not tried.
    pub runs: u64,
    /// Whose fault it is.
    pub blame: Blame,
    /// What can be done about it, where that does not go without saying.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The steps that show it: of those that were made few, none can be left out.
    pub steps: Vec<StepReport>,
    /// What the last step that changed anything has changed, by the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// The command that replays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The clause that does not hold.
    pub clause: String,
    /// Where the document says it or, for an assumption, where it is silent.
    pub place: String,
    /// What the clause says, in one line.
    pub wording: String,
    /// How bad it is.
    pub verdict: Verdict,
    /// What was asked for: an operation, or an action of the operator port.
    pub operation: String,
    /// Which field of the answer, dotted; `status` for the HTTP status.
    pub field: String,
    /// What was expected there.
    pub expected: String,
    /// What was seen there.
    pub seen: String,
}

/// Whose fault a finding is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Blame {
    /// Who.
    pub who: Party,
    /// Why, in a sentence.
    pub why: String,
}

/// Who can be at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Party {
    /// The service.
    Service,
    /// What lies between.
    Network,
    /// Tideover: what it assumes, or what it could not find out.
    Us,
}

/// A step that was played.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// Its number, from 1.
    pub number: u64,
    /// Who acts.
    pub actor: Actor,
    /// What is done, in few words.
    pub title: String,
    /// What is done, in plain words.
    pub words: String,
    /// The same as a command.
    pub curl: String,
    /// What the clock showed after it.
    pub at: String,
    /// What was answered.
    pub answer: Answer,
    /// The webhooks that came with it.
    pub deliveries: Vec<DeliveryReport>,
    /// When it was under way, if some of the steps were at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// Who acts in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// A caller of the API.
    Caller,
    /// The outside world: a vendor, a bank, a payor, an operator, time.
    Outside,
}

/// What was answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The HTTP status; 0 if no answer came.
    pub status: u16,
    /// The code of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The body, if it is JSON; keys, secrets and account numbers are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The beginning of the body, if it is anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A webhook that came.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryReport {
    /// The kind of its event.
    pub event: String,
    /// Where it came.
    pub path: String,
    /// What it was answered; 0 where it was not.
    pub answered: u16,
}

/// What a step has changed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The number of the step.
    pub step: u64,
    /// What is read otherwise after it.
    pub changes: Vec<Change>,
}

/// A field that is read otherwise than before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Of what: a business or an invoice.
    pub subject: String,
    /// Which field of it, dotted.
    pub field: String,
    /// What was read there before; null if there was no such thing.
    pub before: Option<String>,
    /// What is read there after; null if there is no such thing.
    pub after: Option<String>,
}

impl StepReport {
    /// Who sent it, if others were sent at once.
    pub fn racer(&self) -> Option<usize> {
        self.interval.filter(Interval::is_at_once).map(|interval| interval.client)
    }
}

/// So many of them, in words.
fn many(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl FindingReport {
    /// How often it was met and where first, and what was made of the steps there.
    pub fn met(&self) -> String {
        let Some(first) = self.first_case else {
            return format!("{}, in the run as a whole", many(self.times, "time"));
        };
        let cases = match self.cases {
            1 => format!("in case {first}"),
            cases => format!("in {cases} cases, first in case {first}"),
        };
        let times =
            if self.times > self.cases { format!("{} times ", self.times) } else { String::new() };
        let (before, made) = (self.steps_before, self.steps.len() as u64);
        let steps = match self.runs {
            0 if before == made => format!("{} until then, not made fewer", many(made, "step")),
            0 => format!("of {before} steps these {made} show it"),
            runs => format!("shrunk from {before} steps to {made} in {runs} runs"),
        };
        format!("{times}{cases}; {steps}")
    }

    /// Whether some of its steps were at once.
    pub fn is_raced(&self) -> bool {
        self.steps.iter().any(|step| step.racer().is_some())
    }
}

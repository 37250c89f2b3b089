//! What came of an action, as it is sent.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::cents::Cents;
use crate::happening::{OnboardingStep, Outcome};

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ActionDone)]
pub enum Done<'a> {
    /// A key was issued.
    KeyIssued(KeyIssued<'a>),
    /// A payment came in.
    PaymentCollected(PaymentCollected),
    /// All four requirements of onboarding are met.
    OnboardingCompleted(OnboardingCompleted<'a>),
    /// It happened.
    Applied(Applied),
}

/// A new API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct KeyIssued<'a> {
    /// True.
    applied: bool,
    /// The key.
    key: &'a str,
    /// The platform that it belongs to.
    platform: &'a str,
}

/// What became of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentCollected {
    /// Cents collected on the invoice.
    #[schema(value_type = i64)]
    applied: Cents,
    /// Cents beyond its face value, kept in suspense.
    #[schema(value_type = i64)]
    suspense: Cents,
}

/// A business meets all four requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OnboardingCompleted<'a> {
    /// True.
    applied: bool,
    /// What was left to do, in order: names of actions.
    #[schema(value_type = Vec<String>)]
    steps: &'a [OnboardingStep],
}

/// It happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Applied {
    /// True.
    applied: bool,
}

impl Applied {
    /// It is.
    pub const IT_IS: Applied = Applied { applied: true };
}

impl<'a> From<&'a Outcome> for Done<'a> {
    fn from(outcome: &'a Outcome) -> Done<'a> {
        let applied = true;
        match outcome {
            Outcome::Applied => Done::Applied(Applied::IT_IS),
            Outcome::Onboarded { steps } => {
                Done::OnboardingCompleted(OnboardingCompleted { applied, steps })
            }
            &Outcome::Paid { applied, suspense } => {
                Done::PaymentCollected(PaymentCollected { applied, suspense })
            }
            Outcome::KeyIssued { key, platform } => {
                Done::KeyIssued(KeyIssued { applied, key, platform })
            }
        }
    }
}

/// What came of an action, written down.
pub fn written(outcome: &Outcome) -> Value {
    json!(Done::from(outcome))
}

//! A way to a breach, as a list of actions with what was seen.

use std::fmt;

use serde::Serialize;
use tideover_model::wire::reply::Reply;
use tideover_model::{Answer, Consequence, Outcome};

use crate::explore::state::{Observation, State};
use crate::explore::world::SmallWorld;
use crate::simulation::auditor::Breach;

/// The actions that lead to a breach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counterexample {
    /// What does not hold after the last action.
    pub breach: Breach,
    /// The actions, in order.
    pub steps: Vec<CounterexampleStep>,
}

/// An action and its effect, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CounterexampleStep {
    /// What was done.
    pub action: String,
    /// The answers, and their effects.
    pub seen: Vec<String>,
}

impl Counterexample {
    /// The actions of these numbers, from the start of `world` to a breach.
    pub(super) fn from_path(
        world: &SmallWorld,
        path: impl IntoIterator<Item = (State, Option<usize>)>,
    ) -> Option<Counterexample> {
        let mut steps = Vec::new();
        for (state, number) in path {
            let Some(number) = number else {
                return Some(Counterexample { breach: state.breach()?.clone(), steps });
            };
            let (_, seen) = world.step(&state, number);
            let action = world.action(number).to_string();
            steps.push(CounterexampleStep { action, seen: seen.iter().map(describe).collect() });
        }
        None
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in (1..).zip(&self.steps) {
            writeln!(f, "{number:>4}. {}", step.action)?;
            for seen in &step.seen {
                writeln!(f, "        {seen}")?;
            }
        }
        write!(f, "      {}", self.breach)
    }
}

fn describe(seen: &Observation) -> String {
    match seen {
        Observation::Answered(answer) => describe_answer(answer),
        Observation::Happened(Ok(Outcome::Paid { applied, suspense })) => {
            format!("{applied} cents applied, {suspense} in suspense")
        }
        Observation::Happened(Ok(_)) => "it happened".to_owned(),
        Observation::Happened(Err(why)) => format!("impossible: {why}"),
        Observation::Passed(seconds) => format!("{seconds} s later"),
        Observation::Queued(delivery) => {
            format!("{} to platform {}", delivery.event.name(), delivery.platform.0)
        }
        Observation::Attempted { delivery, number, consequence } => {
            let effect = match consequence {
                Consequence::Accepted => "accepted",
                Consequence::Again(_) => "failed, to be retried",
                Consequence::GivenUp => "failed, given up",
                Consequence::Revoked => "the subscription ends",
                Consequence::None => "without effect",
            };
            format!("attempt {number} of {}: {effect}", delivery.event.name())
        }
    }
}

fn describe_answer(answer: &Answer) -> String {
    match answer {
        Ok(Reply::AdvanceRequested(advance)) => {
            let amounts = &advance.amounts;
            format!("an advance of {} cents, fee {}", amounts.advance_amount, amounts.fee_total)
        }
        Ok(Reply::AdvanceRepeated(advance)) => {
            format!("the same advance of {} cents", advance.advance_amount)
        }
        Ok(Reply::InvoiceSynced(synced)) => format!("{:?}", synced.outcome).to_lowercase(),
        Ok(Reply::Imported(report)) => {
            format!("{} of {} rows", report.rows.len(), report.row_count)
        }
        Ok(Reply::BusinessSynced(synced)) => synced.reason.to_owned(),
        Ok(_) => "done".to_owned(),
        Err(refusal) => format!("{}: {}", refusal.code.name(), refusal.message),
    }
}

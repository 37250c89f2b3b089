//! Steps, printed instead of played.

use serde_json::json;
use tideover_exchange::step::Step;
use tideover_report::plain;
use tideover_suite::play::cases::Plan;

use crate::cli::{Outcome, Output, Problem};

/// Prints the steps of each case of `plan`.
pub(super) fn print_steps(
    output: &Output,
    plan: &Plan,
    steps_of: impl Fn(u64) -> Vec<Step>,
) -> Result<Outcome, Problem> {
    for case in plan.first..plan.first.saturating_add(plan.cases) {
        if output.is_closed() {
            break;
        }
        let steps = steps_of(case);
        output.print(
            format!("case {case} of seed {}", plan.header.seed),
            || json!({ "case": case, "seed": plan.header.seed }),
        )?;
        for (index, step) in steps.iter().enumerate() {
            output.print(format!("  {}. {}", index + 1, plain(step)), || json!(step))?;
        }
    }
    Ok(Outcome::Pass)
}

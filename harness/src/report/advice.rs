//! What can be done about what fails no run.

use crate::finding::{Finding, Verdict};

/// What whoever reads a finding can do to learn more, or to have it no more.
pub(super) fn advice(finding: &Finding) -> &'static str {
    let clause = finding.clause.name();
    match finding.verdict {
        Verdict::Stalled => {
            "If the service may take so long, say so in a profile (delays; --profile); if not, ask who runs it \
             what it waits for."
        }
        Verdict::DiffersFromAssumption => {
            "If it is meant to be so now, learn it anew (--learn); if not, ask who runs the service what has changed."
        }
        Verdict::Inconclusive if clause.starts_with("7.codes.") => {
            "Ask who runs the service whether it still has the code: none is ever removed."
        }
        Verdict::Inconclusive if clause.starts_with("7.shape.") => {
            "Ask who runs the service what answers so: what stands before it may, the service itself may not."
        }
        Verdict::Inconclusive if finding.field == "expiresAt" => {
            "Check it again while nobody moves the clock of the target; an operator port that tells it (--operator) \
             settles it."
        }
        Verdict::Inconclusive if finding.operation.starts_with("action ") => {
            "Ask who offers the operator port why it refuses that."
        }
        Verdict::Inconclusive | Verdict::Violated | Verdict::Held => {
            "Play it again alone: the fewer requests before it were not answered, the more can be concluded."
        }
    }
}

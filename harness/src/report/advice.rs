//! Advice on what does not fail a run.

use crate::evidence::finding::{Finding, Verdict};

/// What a reader can do to learn more about a finding, or to mend it.
pub(super) fn advice(finding: &Finding) -> &'static str {
    match finding.verdict {
        Verdict::Stalled => {
            "If the service may take so long, say so in a profile (delays; --profile); if not, ask who runs it \
             what it waits for."
        }
        Verdict::DiffersFromAssumption => {
            "If it is meant to be so now, learn it anew (--learn); if not, ask who runs the service what has changed."
        }
        Verdict::Inconclusive => undecided(finding),
        Verdict::Violated | Verdict::Held => {
            "Play it again alone: the fewer requests before it were not answered, the more can be concluded."
        }
    }
}

/// What can be done where nothing was concluded.
fn undecided(finding: &Finding) -> &'static str {
    let clause = finding.clause.name();
    if clause.strip_prefix("7.codes.") == Some(&*finding.expected) {
        "Ask who runs the service whether it still has the code: none is ever removed."
    } else if clause.starts_with("7.shape.") {
        "Ask who runs the service what answers so: what stands before it may, the service itself may not."
    } else if finding.field == "expiresAt" {
        "Check it again while nobody moves the clock of the target; an operator port that shows it (--operator) \
         settles it."
    } else if finding.operation.starts_with("action ") && is_refusal(&finding.seen) {
        "Ask who offers the operator port why it refuses that."
    } else {
        "More may have happened before it than is kept in mind: play it again alone, with fewer keys and fewer \
         requests that are not answered."
    }
}

/// Whether that is the status of a refusal, which may be followed by its code.
fn is_refusal(seen: &str) -> bool {
    let status = seen.split(' ').next().and_then(|status| status.parse().ok());
    status.is_some_and(|status: u16| status >= 400)
}

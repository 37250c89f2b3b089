//! Advice on what does not fail a run.

use tideover_exchange::evidence::finding::{Finding, Verdict, outage_words};

/// What a reader can do to clarify or settle a finding.
pub(super) fn advice(finding: &Finding, is_recorded: bool) -> &'static str {
    match finding.verdict {
        Verdict::Stalled => {
            "If the service may take so long, say so in a profile (delays; --profile); if not, ask its operators \
             what it waits for."
        }
        Verdict::DiffersFromAssumption => {
            "If that is intended, learn it anew (--learn); if not, ask the service's operators what has changed."
        }
        Verdict::Inconclusive => undecided(finding, is_recorded),
        Verdict::Violated if is_recorded => RECORD,
        Verdict::Violated => {
            "Replay it alone: the fewer earlier requests lack a response, the more can be concluded."
        }
    }
}

/// What helps where nothing can be replayed.
const RECORD: &str = "Record it again from the first request on, one request at a time: the fewer requests lack a response, the more can be \
     concluded.";

/// Advice on an inconclusive finding.
fn undecided(finding: &Finding, is_recorded: bool) -> &'static str {
    let clause = finding.clause.name();
    if !is_recorded && outage_words(&finding.field, &finding.seen).is_some() {
        "Replay it (--restart COMMAND brings the target back in between): if it stops again, the steps do it; if \
         not, something else stopped it."
    } else if clause.strip_prefix("7.codes.") == Some(&*finding.expected) {
        "Ask the service's operators whether it still has the code: codes are never removed."
    } else if clause.starts_with("7.shape.") {
        "Ask the service's operators what sends this response: a gateway may, the service itself may not."
    } else if is_recorded {
        RECORD
    } else if finding.field == "expiresAt" {
        "Check it again while nobody moves the clock of the target, or with an operator port that shows the clock \
         (--operator)."
    } else if finding.operation.starts_with("action ") && is_refusal(&finding.seen) {
        "Ask the owners of the operator port why it refuses that."
    } else {
        "More may have happened earlier than the suite keeps track of: replay it alone, with fewer keys and fewer \
         requests without a response."
    }
}

/// Whether the text begins with the status of a refusal.
fn is_refusal(seen: &str) -> bool {
    let status = seen.split(' ').next().and_then(|status| status.parse().ok());
    status.is_some_and(|status: u16| status >= 400)
}

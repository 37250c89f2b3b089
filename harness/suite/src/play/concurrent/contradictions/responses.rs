//! What a single response violates: shape, status, arithmetic.

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_judge::checks::{Checks, Notes};
use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, Status};

use crate::play::concurrent::contradictions::{Contradiction, Looked};
use crate::play::concurrent::history::History;

pub(super) fn look(history: &History, looked: &mut Looked) {
    let mut checks = Checks::of_answers();
    for (index, request) in history.requests.iter().enumerate() {
        let Some(seen) = request.seen() else { continue };
        let exchange = Exchange::alone(&request.sent, seen, request.now);
        let mut notes = Notes::default();
        checks.observe(&exchange, &mut notes);
        notes.excuse(&exchange);
        if let Some((clause, status)) = documented_status(&exchange) {
            looked.met.meet(clause);
            notes.findings.extend(other_status(&exchange, clause, status));
        }
        looked.coverage.record(&exchange);
        let is_documented = |clause: &Clause| clause.kind() == Kind::Documented;
        for (clause, times) in notes.met.iter().filter(|(clause, _)| is_documented(clause)) {
            looked.met.meet_often(clause, times);
        }
        let findings = notes.findings.into_iter().filter(|found| is_documented(&found.clause));
        let alone = |finding| Contradiction { finding, requests: vec![index] };
        looked.contradictions.extend(findings.map(alone));
    }
}

/// The clause and the status that the document states for the code of a response.
fn documented_status(exchange: &Exchange<'_>) -> Option<(Clause, u16)> {
    let code = exchange.seen.code().filter(|_| exchange.call().is_some()).and_then(Code::parse)?;
    let Status::Documented(status) = code.status() else { return None };
    Some((code.clause(), status))
}

/// The finding that a code came with another status than the document states.
fn other_status(exchange: &Exchange<'_>, clause: Clause, status: u16) -> Option<Finding> {
    (status != exchange.seen.status).then(|| {
        let (expected, seen) = (status.to_string(), exchange.seen.status.to_string());
        Finding::new(clause, exchange.operation(), "status", expected, seen)
    })
}

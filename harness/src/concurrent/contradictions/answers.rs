//! What an answer says by itself: its shape, its status, its arithmetic.

use tideover_model::clause::Kind;
use tideover_model::{Clause, Code, Status};

use crate::checks::{Asked, Checks, Exchange, Notes};
use crate::concurrent::decoded::Decoded;
use crate::concurrent::judgement::Contradiction;
use crate::finding::Finding;

pub(super) fn find(history: &Decoded<'_>) -> Vec<Contradiction> {
    let mut checks = Checks::of_answers();
    let mut found = Vec::new();
    for (index, request) in history.requests.iter().enumerate() {
        let Some(answer) = &request.answer else { continue };
        let exchange = Exchange {
            sent: &request.sent,
            asked: Asked::by(&request.sent),
            seen: &answer.seen,
            predicted: &answer.seen,
            predicted_refusal: None,
            platform: None,
            unsettled: true,
            since: request.now,
            now: request.now,
            ahead: Some(0),
            arrivals: &[],
            predicted_arrivals: &[],
            inside: None,
        };
        let mut notes = Notes::default();
        checks.observe(&exchange, &mut notes);
        notes.excuse(&exchange);
        notes.findings.extend(other_status(&exchange));
        let documented = |finding: &Finding| finding.clause.kind() == Kind::Documented;
        let findings = notes.findings.into_iter().filter(documented);
        found.extend(findings.map(|finding| Contradiction { finding, requests: vec![index] }));
    }
    found
}

/// A code whose status the document states has no other.
fn other_status(exchange: &Exchange<'_>) -> Option<Finding> {
    let code = exchange.seen.code().filter(|_| exchange.call().is_some()).and_then(Code::parse)?;
    let Status::Documented(status) = code.status() else { return None };
    let clause = Clause::find(&format!("7.codes.{code}"))?;
    (status != exchange.seen.status).then(|| {
        let (expected, seen) = (status.to_string(), exchange.seen.status.to_string());
        Finding::new(clause, exchange.operation(), "status", expected, seen)
    })
}

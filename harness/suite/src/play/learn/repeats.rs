//! Writes that are safe to repeat, and how their repeats were answered (§4 Idempotency summary).

use std::collections::{BTreeMap, BTreeSet};

use tideover_exchange::Exchange;
use tideover_exchange::evidence::finding::Finding;
use tideover_model::{Clause, Code, OperationKind, clause};

use super::failing::Failures;
use super::replaced::TOO_MANY;

/// How often a repeat must be refused, and in how many cases, before that is a finding.
const OFTEN: u64 = 4;
const CASES: u64 = 3;

/// How the repeats of writes that had succeeded were answered.
///
/// Codes may be added, so that one refusal with an unlisted code proves nothing. But where each repeat gets one, and none
/// succeeds, the write is not safe to repeat.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    /// The requests of this case that succeeded.
    succeeded: BTreeSet<String>,
    refused: BTreeMap<OperationKind, Failures>,
    repeated: BTreeSet<OperationKind>,
}

impl Repeats {
    /// Counts a response. `due` is the code with which the request had to be refused.
    pub(crate) fn record(&mut self, exchange: &Exchange<'_>, due: Option<Code>) {
        if exchange.acts().is_some() {
            // What happens outside may end what a repeat relies on.
            self.succeeded.clear();
        }
        let Some((kind, call)) = exchange.kind().zip(exchange.call()) else { return };
        if safe_to_repeat(kind).is_none() {
            return;
        }
        let body = String::from_utf8_lossy(call.body());
        let request = format!("{:?} {} {body}", exchange.sent.authorization, call.path);
        let is_repeat = self.succeeded.contains(&request);
        let seen = exchange.seen;
        let is_unlisted = seen.code().is_some_and(|code| Code::parse(code).is_none());
        match (is_repeat, seen.is_success()) {
            (false, true) => drop(self.succeeded.insert(request)),
            (true, true) => drop(self.repeated.insert(kind)),
            (true, false) if is_unlisted && due.is_none() && seen.status != TOO_MANY => {
                let last = format!("{} {}", seen.status, seen.code().unwrap_or_default());
                self.refused.entry(kind).or_default().count(last);
            }
            _ => {}
        }
    }

    pub fn add(&mut self, other: &Repeats) {
        for (kind, refused) in &other.refused {
            self.refused.entry(*kind).or_default().add(refused);
        }
        self.repeated.extend(&other.repeated);
    }

    /// The writes whose repeats were refused each time.
    pub(crate) fn findings(&self) -> Vec<(Finding, u64)> {
        let always = self.refused.iter().filter(|(kind, refused)| {
            refused.times >= OFTEN && refused.cases >= CASES && !self.repeated.contains(*kind)
        });
        let finding = |(kind, refused): (&OperationKind, &Failures)| {
            let expected = format!("a success, at least once in {} repeats", refused.times);
            let seen = format!("{} each time", refused.last);
            let clause = safe_to_repeat(*kind)?;
            Some((Finding::new(clause, kind.to_string(), "status", expected, seen), refused.times))
        };
        always.filter_map(finding).collect()
    }
}

/// The sentence that makes a write safe to repeat.
fn safe_to_repeat(kind: OperationKind) -> Option<Clause> {
    match kind {
        OperationKind::Invite => Some(clause!("4.idempotency.2")),
        OperationKind::SyncBusiness
        | OperationKind::SyncInvoice
        | OperationKind::SetPayoutAccount
        | OperationKind::RequestAdvance
        | OperationKind::ImportInvoices => Some(clause!("4.idempotency.1")),
        _ => None,
    }
}

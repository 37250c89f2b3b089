//! What contradicts the document in whatever order the requests took effect: one law per file.

mod answers;
mod first_requests;
mod import_files;
mod limits;
mod subscriptions;

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_model::{Clause, Operation, OperationKind};

use crate::concurrent::decoded::Decoded;
use crate::concurrent::history::Request;
use crate::concurrent::judgement::{Contradiction, Known};
use crate::finding::Finding;

/// Everything in `history`, which has these parts, that no order excuses.
pub(super) fn find(
    history: &Decoded<'_>,
    parts: &[Vec<usize>],
    known: &Known,
) -> Vec<Contradiction> {
    let mut found = answers::find(history);
    // After it, nothing that was is so still.
    if history.requests.iter().any(|request| request.acts() == Some("reset")) {
        return found;
    }
    found.extend(first_requests::find(history));
    found.extend(limits::find(history, parts, known));
    found.extend(subscriptions::find(history));
    found.extend(import_files::find(history));
    found
}

/// What a law says and how it is broken.
struct Broken {
    clause: Clause,
    kind: OperationKind,
    field: &'static str,
    expected: String,
    seen: String,
}

impl Broken {
    /// As `requests` show.
    fn by(self, mut requests: Vec<usize>) -> Contradiction {
        let Broken { clause, kind, field, expected, seen } = self;
        let operation = format!("{} {}", kind.method(), kind.path());
        requests.sort_unstable();
        requests.dedup();
        let finding = Finding::new(clause, operation, field, expected, seen);
        Contradiction { finding, requests }
    }
}

/// Something, as its platform names it: the key that it is named with, and the name.
type Named<'a> = (&'a Option<String>, &'a str);

/// An invoice, as its platform names it.
type Invoice = (Option<String>, String, String);

/// Which invoice an advance is requested for.
fn advanced(request: &Request, operation: &Operation) -> Option<Invoice> {
    match operation {
        Operation::RequestAdvance { payee, invoice } => {
            Some((request.sent.authorization.clone(), payee.clone(), invoice.clone()))
        }
        _ => None,
    }
}

/// The body of an answer to a request that was granted.
fn granted(request: &Request) -> Option<&Value> {
    request.success()?.seen.json()
}

/// The requests for advances, by invoice.
fn requests_for_advances(history: &Decoded<'_>) -> BTreeMap<Invoice, Vec<usize>> {
    let mut requests: BTreeMap<Invoice, Vec<usize>> = BTreeMap::new();
    for (index, request, operation) in history.operations() {
        if let Some(invoice) = advanced(request, operation) {
            requests.entry(invoice).or_default().push(index);
        }
    }
    requests
}

/// Whether a first request was granted.
fn is_first(request: &Request) -> bool {
    granted(request).is_some_and(|answer| answer["alreadyRequested"] == false)
}

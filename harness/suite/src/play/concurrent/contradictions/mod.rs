//! Violations that no order of the requests explains: one law per file.

mod answers;
mod created;
mod first_requests;
mod import_files;
mod limits;
mod subscriptions;

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::evidence::tally::Tally;
use tideover_judge::checks::registry;
use tideover_model::wire::field::Fields;
use tideover_model::{ActionKind, Clause, Operation, OperationKind, clause};

use crate::play::concurrent::history::{History, Request};
use crate::play::concurrent::known::Known;

/// A sentence of the document that does not hold, in whatever order the requests took effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// What does not hold.
    pub finding: Finding,
    /// The requests that show it, by index, in the order in which they were called.
    pub requests: Vec<usize>,
}

/// What of a history no order excuses.
#[derive(Default)]
pub(super) struct Looked {
    pub(super) contradictions: Vec<Contradiction>,
    /// How often each clause was met.
    pub(super) met: Tally,
    pub(super) coverage: Coverage,
}

/// Looks at `history`, which has these parts, with every law.
pub(super) fn look(history: &History, parts: &[Vec<usize>], known: &Known) -> Looked {
    let mut looked = Looked::default();
    answers::look(history, &mut looked);
    // After it, nothing that was is so still.
    if history.requests.iter().any(|request| request.acts() == Some(ActionKind::Reset)) {
        return looked;
    }
    created::look(history, &mut looked);
    first_requests::look(history, &mut looked);
    limits::look(history, parts, known, &mut looked);
    subscriptions::look(history, &mut looked);
    import_files::look(history, &mut looked);
    looked
}

/// Whether races are about `clause`. What else an answer alone may contradict, such as the status of a code, comes by
/// chance.
pub fn can_contradict(clause: Clause) -> bool {
    const LAWS: [Clause; 7] = [
        clause!("2.businessSynced.created"),
        clause!("2.invoiceSynced.outcome"),
        clause!("4.advances.2"),
        clause!("4.advances.2.2"),
        clause!("4.imports.8"),
        clause!("4.webhooks.3"),
        clause!("8.concentrationLimit"),
    ];
    LAWS.contains(&clause) || registry::shows_in_an_answer(clause)
}

impl Looked {
    /// Counts that `clause` was met.
    fn meet(&mut self, clause: Clause) {
        self.met.meet(clause);
    }
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
        let operation = kind.to_string();
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
fn requests_for_advances(history: &History) -> BTreeMap<Invoice, Vec<usize>> {
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
    granted(request).is_some_and(|answer| Fields::of(answer).already_requested() == Some(false))
}

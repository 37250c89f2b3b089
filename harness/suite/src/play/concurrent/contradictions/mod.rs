//! Violations in every order of the requests.

mod limits;
mod once;
mod responses;

use std::collections::BTreeMap;

use serde_json::Value;
use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::finding::Finding;
use tideover_exchange::evidence::tally::Tally;
use tideover_judge::checks::registry;
use tideover_model::wire::field::Fields;
use tideover_model::{ActionKind, Clause, Operation, OperationKind, clause};

use crate::play::concurrent::history::{History, TimedRequest};
use crate::play::concurrent::known::Known;

/// A sentence of the document that does not hold, in whatever order the requests took effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    pub finding: Finding,
    /// The requests that show it, by index, in the order of their calls.
    pub requests: Vec<usize>,
}

/// What holds and what does not, in every order.
#[derive(Default)]
pub(super) struct Looked {
    pub(super) contradictions: Vec<Contradiction>,
    pub(super) met: Tally,
    pub(super) coverage: Coverage,
}

/// Examines `history`, which has these parts, for every law.
pub(super) fn look(history: &History, parts: &[Vec<usize>], known: &Known) -> Looked {
    let mut looked = Looked::default();
    responses::look(history, &mut looked);
    // A reset lets everything happen again.
    if history.requests.iter().any(|request| request.sent.acts() == Some(ActionKind::Reset)) {
        return looked;
    }
    once::look_at_objects(history, &mut looked);
    once::look_at_advances(history, &mut looked);
    limits::look(history, parts, known, &mut looked);
    once::look_at_subscriptions(history, &mut looked);
    once::look_at_imports(history, &mut looked);
    looked
}

/// Whether races examine `clause`. What else a single response may contradict, such as the status of a code, they meet
/// by chance.
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

/// What a law says and how it is broken.
struct Broken {
    clause: Clause,
    kind: OperationKind,
    field: &'static str,
    expected: String,
    seen: String,
}

impl Looked {
    /// Adds a contradiction that `requests` show.
    fn contradict(&mut self, broken: Broken, mut requests: Vec<usize>) {
        let Broken { clause, kind, field, expected, seen } = broken;
        requests.sort_unstable();
        requests.dedup();
        let finding = Finding::new(clause, kind.to_string(), field, expected, seen);
        self.contradictions.push(Contradiction { finding, requests });
    }
}

/// A key, and a name that its platform gives.
type Named<'a> = (&'a Option<String>, &'a str);

/// A key, a payee and an invoice.
type Invoice = (Option<String>, String, String);

/// The invoice that an advance is requested for.
fn advanced(request: &TimedRequest, operation: &Operation) -> Option<Invoice> {
    match operation {
        Operation::RequestAdvance { payee, invoice } => {
            Some((request.sent.authorization.clone(), payee.clone(), invoice.clone()))
        }
        _ => None,
    }
}

/// The body of a success.
fn granted(request: &TimedRequest) -> Option<&Value> {
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

/// Whether a request created an advance.
fn is_first(request: &TimedRequest) -> bool {
    granted(request).is_some_and(|body| Fields::of(body).already_requested() == Some(false))
}

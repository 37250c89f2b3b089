//! The judgement of a history.

use serde_json::Value;
use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::tally::Tally;
use tideover_judge::{DEEPEST, Explainer, Hypothesis, Revealed};
use tideover_model::Operation;
use tideover_model::wire::field;

use crate::play::concurrent::contradictions::{self as laws, Contradiction, Looked};
use crate::play::concurrent::history::{History, Request};
use crate::play::concurrent::known::Known;
use crate::play::concurrent::linearise::{Search, Searched};
use crate::play::concurrent::parts::parts;

/// So many attempts to place a request are made in a search, for each request of a part. The more hidden moves may
/// have happened, the more each attempt costs, and the fewer are made.
const ATTEMPTS: [(usize, usize); 3] = [(0, 400), (1, 100), (DEEPEST, 25)];

/// What was concluded of a history.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Its parts.
    pub parts: Vec<Part>,
    /// What contradicts the document, whatever the order.
    pub contradictions: Vec<Contradiction>,
    /// How often each clause was met that an order excuses nobody from.
    pub met: Tally,
    /// What was reached.
    pub coverage: Coverage,
}

/// Requests that touch nothing that others touch, and what was concluded of their order.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its requests, by index, in the order in which they were called.
    pub requests: Vec<usize>,
    /// Whether there is an order that explains every answer.
    pub verdict: Verdict,
}

/// Whether there is an order that explains every answer of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// There is: this one, by index. Requests without an outcome that are not in it need not have happened.
    Explained(Vec<usize>),
    /// The search ended before it found one or had tried all.
    Undecided,
    /// There is none. The document promises none, so that this alone violates nothing.
    Inconclusive(Option<Stuck>),
}

/// Where the search came furthest.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuck {
    /// The requests that had their place, in order.
    pub placed: Vec<usize>,
    /// The request that had to come next.
    pub request: usize,
    /// What of its answer was not as expected there: the field, what was expected, what was seen.
    pub differs: Vec<(String, String, String)>,
}

impl Judgement {
    /// Whether every answer is explained, and none contradicts the document.
    pub fn held(&self) -> bool {
        self.contradictions.is_empty() && self.parts.iter().all(Part::is_explained)
    }

    /// How many parts are explained, undecided, inconclusive.
    pub fn tally(&self) -> [usize; 3] {
        let count = |is: fn(&Part) -> bool| self.parts.iter().filter(|part| is(part)).count();
        let inconclusive = |part: &Part| matches!(part.verdict, Verdict::Inconclusive(_));
        [
            count(Part::is_explained),
            count(|part| part.verdict == Verdict::Undecided),
            count(inconclusive),
        ]
    }
}

impl Part {
    /// Whether there is an order that explains every answer.
    pub fn is_explained(&self) -> bool {
        matches!(self.verdict, Verdict::Explained(_))
    }
}

/// What `history` lets be concluded of a target of which this is `known`.
pub fn judge(history: &History, known: &Known) -> Judgement {
    let parts = parts(history);
    let Looked { contradictions, met, coverage } = laws::look(history, &parts, known);
    let judged = |requests: Vec<usize>| {
        let verdict = explain(history, &requests, known);
        Part { requests, verdict }
    };
    Judgement { parts: parts.into_iter().map(judged).collect(), contradictions, met, coverage }
}

/// What of `history` no order excuses; whether there is an order is not asked.
pub fn contradictions(history: &History, known: &Known) -> Vec<Contradiction> {
    laws::look(history, &parts(history), known).contradictions
}

/// Looks for an order: first without hidden moves, then with as many as may stand between two answers.
fn explain(history: &History, part: &[usize], known: &Known) -> Verdict {
    let index: Vec<usize> =
        part.iter().copied().filter(|one| matters(&history.requests[*one])).collect();
    let requests: Vec<&Request> = index.iter().map(|one| &history.requests[*one]).collect();
    let revealed: Vec<Revealed> = index.iter().map(|one| revealed_later(history, *one)).collect();
    let Known { profile, api_key, inbox, start, outside, prior, .. } = known;
    let world = Hypothesis::new(profile.clone(), inbox, api_key, *start);
    let named = |order: Vec<usize>| order.into_iter().map(|one| index[one]).collect();
    let mut verdict = Verdict::Undecided;
    for (deepest, attempts) in ATTEMPTS {
        let unseen = Explainer { outside: *outside, prior: *prior, deepest };
        let budget = attempts * requests.len();
        let search = Search::new(requests.clone(), revealed.clone(), unseen, budget);
        verdict = match search.run(world.clone()) {
            Searched::Explained(order) => return Verdict::Explained(named(order)),
            Searched::Undecided => Verdict::Undecided,
            Searched::Unexplained(dead) => Verdict::Inconclusive(dead.map(|dead| {
                Stuck {
                    placed: named(dead.placed),
                    request: index[dead.stuck],
                    differs: dead
                        .points
                        .into_iter()
                        .map(|point| (point.field, point.expected, point.seen))
                        .collect(),
                }
            })),
        };
    }
    verdict
}

/// A read without an outcome says nothing.
fn matters(request: &Request) -> bool {
    request.outcome().is_some() || !request.reads()
}

/// What a request without a response chose, if another response about the same invoice shows it: an advance keeps its
/// amounts (`4.advances.2.2`).
fn revealed_later(history: &History, index: usize) -> Revealed {
    let request = &history.requests[index];
    let Some(Operation::RequestAdvance { payee, invoice }) =
        history.operation(index).filter(|_| request.outcome().is_none())
    else {
        return Revealed::default();
    };
    let shown = |(_, other, operation): (usize, &Request, &Operation)| {
        let same = match operation {
            Operation::RequestAdvance { payee: of, invoice: about }
            | Operation::GetInvoice { payee: of, invoice: about } => {
                (of, about) == (payee, invoice)
                    && other.sent.authorization == request.sent.authorization
            }
            _ => false,
        };
        let seen = &other.success().filter(|_| same)?.seen;
        let revealed = Revealed::by(seen);
        let advanced = seen.json()?.get(field::ADVANCE).is_none_or(Value::is_object);
        (advanced && revealed.has_offer()).then_some(revealed)
    };
    history.operations().find_map(shown).unwrap_or_default()
}

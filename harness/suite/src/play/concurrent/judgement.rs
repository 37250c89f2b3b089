//! The judgement of a history.

use serde_json::Value;
use tideover_exchange::evidence::coverage::Coverage;
use tideover_exchange::evidence::tally::Tally;
use tideover_judge::{DEEPEST, Explainer, Hypothesis, Revealed};
use tideover_model::Operation;
use tideover_model::wire::field;

use crate::play::concurrent::contradictions::{self as laws, Contradiction, Looked};
use crate::play::concurrent::history::{History, TimedRequest};
use crate::play::concurrent::known::Known;
use crate::play::concurrent::linearise::{OrderVerdict, Search};
use crate::play::concurrent::parts::parts;

/// The searches of a part, one after the other until one finds an order: how many hidden moves may stand between two
/// responses, and how many attempts to place a request are made for each request of the part. Most parts need no
/// hidden move. The more may have happened, the more worlds each attempt makes, so that fewer attempts take as long.
const ATTEMPTS: [(usize, usize); 3] = [(0, 2_000), (1, 100), (DEEPEST, 25)];

/// The judgement of a history.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub parts: Vec<Part>,
    /// What contradicts the document in every order.
    pub contradictions: Vec<Contradiction>,
    /// How often each clause was met that no order excuses.
    pub met: Tally,
    pub coverage: Coverage,
}

/// Requests that touch nothing that others touch, and the judgement of their order.
#[derive(Clone, Debug)]
pub struct Part {
    /// The requests, by index, in the order of their calls.
    pub requests: Vec<usize>,
    pub verdict: OrderVerdict,
}

impl Judgement {
    /// Whether every response is explained, and none contradicts the document.
    pub fn held(&self) -> bool {
        self.contradictions.is_empty() && self.parts.iter().all(Part::is_explained)
    }

    /// How many parts are explained, undecided, inconclusive.
    pub fn tally(&self) -> [usize; 3] {
        let count = |is: fn(&Part) -> bool| self.parts.iter().filter(|part| is(part)).count();
        [
            count(Part::is_explained),
            count(|part| part.verdict == OrderVerdict::Undecided),
            count(|part| matches!(part.verdict, OrderVerdict::Inconclusive(_))),
        ]
    }
}

impl Part {
    /// Whether some order explains every response.
    pub fn is_explained(&self) -> bool {
        matches!(self.verdict, OrderVerdict::Explained(_))
    }
}

/// Judges `history`, the record of a target of which this is `known`.
pub fn judge(history: &History, known: &Known) -> Judgement {
    let parts = parts(history);
    let Looked { contradictions, met, coverage } = laws::look(history, &parts, known);
    let judged = |requests: Vec<usize>| {
        let verdict = explain(history, &requests, known);
        Part { requests, verdict }
    };
    Judgement { parts: parts.into_iter().map(judged).collect(), contradictions, met, coverage }
}

/// What contradicts the document in every order. It does not search for an order, which takes longer.
pub fn contradictions(history: &History, known: &Known) -> Vec<Contradiction> {
    laws::look(history, &parts(history), known).contradictions
}

/// Looks for an order: first without hidden moves, then with some.
fn explain(history: &History, part: &[usize], known: &Known) -> OrderVerdict {
    let part: Vec<usize> =
        part.iter().copied().filter(|one| matters(&history.requests[*one])).collect();
    let revealed: Vec<Revealed> = part.iter().map(|one| revealed_later(history, *one)).collect();
    let Known { profile, api_key, inbox, start, outside, prior, .. } = known;
    let world = Hypothesis::new(profile.clone(), inbox, api_key, *start);
    let mut verdict = OrderVerdict::Undecided;
    for (deepest, attempts) in ATTEMPTS {
        let explainer = Explainer::new(*outside, *prior, false).within(deepest);
        let search = Search::new(history, &part, &revealed, explainer, attempts * part.len());
        verdict = search.run(world.clone());
        if matches!(verdict, OrderVerdict::Explained(_)) {
            break;
        }
    }
    verdict
}

/// Whether a request says anything: a read without a response does not.
fn matters(request: &TimedRequest) -> bool {
    request.outcome().is_some() || !request.reads()
}

/// The choices of a request without a response, if another response about the same invoice shows them: an advance keeps
/// its amounts (`4.advances.2.2`).
fn revealed_later(history: &History, index: usize) -> Revealed {
    let request = &history.requests[index];
    let Some(Operation::RequestAdvance { payee, invoice }) =
        history.operation(index).filter(|_| request.outcome().is_none())
    else {
        return Revealed::default();
    };
    let shown = |(_, other, operation): (usize, &TimedRequest, &Operation)| {
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

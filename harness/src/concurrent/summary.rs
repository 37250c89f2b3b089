//! What came of many races.

use crate::concurrent::history::History;
use crate::concurrent::judgement::{Contradiction, Judgement, Known, Verdict, judge};

/// What came of many races: they end with the first that contradicts the document.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Races that were played.
    pub cases: u64,
    /// Requests that were sent, those before and after the races included.
    pub requests: usize,
    /// Those that nothing told the outcome of.
    pub unknown: usize,
    /// Parts that were explained, undecided, inconclusive.
    pub parts: [usize; 3],
    /// Parts that were not explained, the first few.
    pub unexplained: Vec<Unexplained>,
    /// The race that contradicts the document.
    pub failure: Option<Failure>,
}

/// A part that no order was found for.
#[derive(Clone, Debug)]
pub struct Unexplained {
    /// In which race.
    pub case: u64,
    /// What of it is known, in words.
    pub words: String,
}

/// A race that contradicts the document.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which one.
    pub case: u64,
    /// What was seen.
    pub history: History,
    /// What no order excuses: each clause once.
    pub contradictions: Vec<Contradiction>,
    /// The parts of the history.
    pub parts: Vec<Vec<usize>>,
}

/// So many parts without an order are told of.
const TOLD: usize = 5;

impl Summary {
    /// Judges one race more.
    pub fn add(&mut self, case: u64, history: History, known: &Known) {
        let judgement = judge(&history, known);
        self.cases += 1;
        self.requests += history.requests.len();
        self.unknown += history.unknown();
        for (sum, more) in self.parts.iter_mut().zip(judgement.tally()) {
            *sum += more;
        }
        let room = TOLD - self.unexplained.len();
        self.unexplained.extend(unexplained(case, &history, &judgement).take(room));
        let Judgement { parts, contradictions: found } = judgement;
        let mut contradictions: Vec<Contradiction> = Vec::new();
        for one in found {
            if !contradictions.iter().any(|told| told.finding.is_same(&one.finding)) {
                contradictions.push(one);
            }
        }
        if !contradictions.is_empty() {
            let parts = parts.into_iter().map(|part| part.requests).collect();
            self.failure = Some(Failure { case, history, contradictions, parts });
        }
    }

    /// Parts that nothing could be concluded of.
    pub fn inconclusive(&self) -> usize {
        self.parts[1] + self.parts[2]
    }
}

fn unexplained(
    case: u64,
    history: &History,
    judgement: &Judgement,
) -> impl Iterator<Item = Unexplained> {
    judgement.parts.iter().filter_map(move |part| {
        let count = part.requests.len();
        let words = match &part.verdict {
            Verdict::Explained(_) => return None,
            Verdict::Undecided => format!("{count} requests: undecided, the search was ended"),
            Verdict::Inconclusive(None) => format!("{count} requests: no order explains them"),
            Verdict::Inconclusive(Some(stuck)) => {
                let request = &history.requests[stuck.request];
                let differs = stuck.differs.first().map(|(field, expected, seen)| {
                    format!("{field}: expected {expected}, seen {seen}")
                });
                format!(
                    "{count} requests: no order explains {} by client {}, after {} others: {}",
                    request.described(),
                    request.client,
                    stuck.placed.len(),
                    differs.unwrap_or_default(),
                )
            }
        };
        Some(Unexplained { case, words })
    })
}

//! How a response is explained: by the hypotheses as they are, or by hidden moves since.

use crate::belief::Observation;
use crate::belief::hidden::{Outside, PriorState, moves};
use crate::belief::hypothesis::{Fit, Hypothesis};

/// The most hidden moves between two responses.
///
/// Three are the timed transitions on the way of one advance: its account opens, its funding starts and completes. What
/// the vendor does for all four requirements is one move. Each further one makes the search about twelve times as
/// long.
pub const DEEPEST: usize = 3;

/// The most hypotheses to try at each depth of one response.
///
/// That is one move for each of 64 kept hypotheses, about six times over. Beyond it the rest is not tried, so the moves
/// stand in the order of how likely they are: lost requests, what the service does by itself, what the vendor does.
const WIDE: usize = 400;

/// The same, before a response is said to contradict the document. Where even this is too few, nothing is concluded.
const WIDEST: usize = 4_000;

/// The same for each of many groups with the same readings, which share it: every move of one hypothesis.
const LEAST_WIDE: usize = 24;

/// A hypothesis after a response, and how well the hypothesis explains it.
pub struct Candidate {
    pub hypothesis: Hypothesis,
    pub fit: Fit,
}

/// How much of a response stays unexplained. Less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Whether the document contradicts the outcome, and how many of its sentences the response contradicts.
    contradictions: (bool, usize),
    /// Points that suggest another state, where the document shows nothing. They have no fixed meaning, so no
    /// hypothesis is dropped because of them.
    differences: usize,
}

/// Searches for hidden moves that explain a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explainer {
    pub outside: Outside,
    pub prior: PriorState,
    pub deepest: usize,
}

impl Candidate {
    /// The hypothesis after a response: one for each reading that matters and is undecided.
    fn all_of(hypothesis: &Hypothesis, observed: Observation<'_>) -> Vec<Candidate> {
        let (after, fit) = hypothesis.answered(observed);
        match after.undecided() {
            None => vec![Candidate { hypothesis: after, fit }],
            Some(reading) => {
                let decided =
                    [true, false].map(|value| hypothesis.clone().deciding(reading, value));
                decided.iter().flat_map(|one| Candidate::all_of(one, observed)).collect()
            }
        }
    }

    /// What stays unexplained: the outcome, then sentences of the document, then signs of another state.
    pub(crate) fn rank(&self) -> Rank {
        let contradictions = (self.fit.contradicts_outcome(), self.fit.contradictions());
        Rank { contradictions, differences: self.fit.differences() }
    }
}

impl Explainer {
    /// The same, with at most so many hidden moves.
    pub(crate) fn within(self, deepest: usize) -> Explainer {
        Explainer { deepest, ..self }
    }

    /// Whether no hypothesis explains a response, even with hidden moves.
    pub(crate) fn contradicts(self, hypotheses: &[Hypothesis], observed: Observation<'_>) -> bool {
        let best = self.explain(hypotheses, observed);
        best.iter().all(|one| one.rank().contradictions != Default::default())
    }

    /// The candidates that explain a response best, with as few moves as possible.
    ///
    /// Hypotheses with other readings, or with other requests still without a response, are explained apart: one that
    /// needs a move to explain a response is as likely as one that needs none.
    pub fn explain(self, hypotheses: &[Hypothesis], observed: Observation<'_>) -> Vec<Candidate> {
        let (best, is_whole) = self.search(hypotheses, observed, WIDE);
        if is_whole || best.iter().all(|one| one.rank().contradictions == Default::default()) {
            return best;
        }
        let (mut best, is_whole) = self.search(hypotheses, observed, WIDEST);
        for one in &mut best {
            one.fit.diverged |= !is_whole && one.rank().contradictions != Default::default();
        }
        best
    }

    /// The same, with at most `widest` hypotheses at each depth, and whether all were tried.
    fn search(
        self,
        hypotheses: &[Hypothesis],
        observed: Observation<'_>,
        widest: usize,
    ) -> (Vec<Candidate>, bool) {
        let mut search = Search { explainer: self, widest, is_whole: true };
        let mut best = Vec::new();
        for alike in hypotheses.chunk_by(|one, other| one.readings() == other.readings()) {
            let groups: Vec<&[Hypothesis]> =
                alike.chunk_by(|one, other| one.open == other.open).collect();
            search.widest = (widest / groups.len()).max(LEAST_WIDE);
            best.extend(groups.into_iter().flat_map(|group| search.explain(group, observed)));
        }
        keep_least_contradicted(&mut best);
        (best, search.is_whole)
    }
}

/// One search for the hidden moves before a response.
struct Search {
    explainer: Explainer,
    widest: usize,
    is_whole: bool,
}

impl Search {
    /// The candidates of hypotheses that are explained together, those that explain a response best.
    fn explain(&mut self, hypotheses: &[Hypothesis], observed: Observation<'_>) -> Vec<Candidate> {
        let candidates = |hypothesis: &Hypothesis| Candidate::all_of(hypothesis, observed);
        let mut best: Vec<Candidate> = hypotheses.iter().flat_map(candidates).collect();
        let Some(mut least) = keep_least_contradicted(&mut best) else { return best };
        let mut frontier: Vec<Hypothesis> = Vec::new();
        for depth in 0..self.explainer.deepest {
            if least == Rank::default() {
                break;
            }
            let from = if depth == 0 { hypotheses } else { &frontier };
            frontier = self.moved(from, observed);
            let moved: Vec<Candidate> = frontier.iter().flat_map(candidates).collect();
            let Some(least_moved) = moved.iter().map(Candidate::rank).min() else { break };
            if least_moved < least {
                if least_moved.contradictions < least.contradictions {
                    best.clear();
                }
                least = least_moved;
                best.splice(0..0, moved.into_iter().filter(|one| one.rank() == least));
            }
        }
        if best.iter().all(|one| !one.fit.doubts.is_empty()) {
            // A refused action suggests another state, or only that the port refused.
            let moved = self.moved(hypotheses, observed);
            let explains = |one: &Candidate| one.rank() == least && one.fit.doubts.is_empty();
            best.extend(moved.iter().flat_map(candidates).filter(explains));
        }
        best
    }

    /// Every hypothesis that one more hidden move leads to.
    fn moved(&mut self, hypotheses: &[Hypothesis], observed: Observation<'_>) -> Vec<Hypothesis> {
        let Explainer { outside, prior, .. } = self.explainer;
        let mut moved = Vec::new();
        for hypothesis in hypotheses {
            let subject = hypothesis.subject(observed.sent);
            for hidden in moves(hypothesis, &subject, observed, outside, prior) {
                moved.extend(hypothesis.after(&|after| hidden.apply(after, &subject, observed)));
                if moved.len() >= self.widest {
                    self.is_whole = false;
                    return moved;
                }
            }
        }
        moved
    }
}

/// Sorts candidates by rank and keeps those that contradict the fewest sentences. The least rank.
fn keep_least_contradicted(candidates: &mut Vec<Candidate>) -> Option<Rank> {
    candidates.sort_by_key(Candidate::rank);
    let least = candidates.first()?.rank();
    candidates.retain(|one| one.rank().contradictions == least.contradictions);
    Some(least)
}

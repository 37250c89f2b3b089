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
/// That is a move or two for each of 256 kept hypotheses. Beyond it the rest is not tried, so the moves stand in the
/// order of how likely they are: lost requests, what the service does by itself, what the vendor does.
const WIDE: usize = 400;

/// The same, before hypotheses that explain nothing are dropped. Where even this is too few, nothing that contradicts the
/// document is concluded from then on.
const WIDEST: usize = 4_000;

/// The same for each of many groups that share it: every move of one hypothesis.
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
    /// Whether nobody else uses the keys.
    pub alone: bool,
    pub deepest: usize,
    /// How many hypotheses it tries at most at each depth of one response.
    widest: usize,
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

    /// Whether the response contradicts nothing.
    fn explains(&self) -> bool {
        self.rank().contradictions == Default::default()
    }
}

impl Explainer {
    pub fn new(outside: Outside, prior: PriorState, alone: bool) -> Explainer {
        Explainer { outside, prior, alone, deepest: DEEPEST, widest: WIDEST }
    }

    /// The same, with at most so many hidden moves.
    pub fn within(self, deepest: usize) -> Explainer {
        Explainer { deepest, ..self }
    }

    /// The same for one of so many searches, which together are as wide as one.
    pub(crate) fn one_of(self, searches: usize) -> Explainer {
        Explainer { widest: self.widest / searches.max(1), ..self }
    }

    /// Whether no hypothesis explains a response, even with hidden moves.
    pub(crate) fn contradicts(self, hypotheses: &[Hypothesis], observed: Observation<'_>) -> bool {
        let best = self.explain(hypotheses, observed);
        !best.iter().any(Candidate::explains)
    }

    /// The candidates that explain a response best, with as few moves as possible.
    ///
    /// Hypotheses with other readings, or with other requests still without a response, are explained apart: one that
    /// needs a move to explain a response is as likely as one that needs none.
    pub fn explain(self, hypotheses: &[Hypothesis], observed: Observation<'_>) -> Vec<Candidate> {
        let groups = Group::all_of(hypotheses);
        let search = |group: &Group<'_>, widest| self.search(group, observed, widest);
        let narrow = WIDE.min(self.widest);
        let mut found: Vec<Found> =
            groups.iter().map(|group| search(group, narrow / group.alike)).collect();
        let cut_short = found.iter().filter(|found| found.is_cut_short()).count();
        // Where other groups explain the response, those that are dropped share one search.
        let is_explained = found.iter().any(Found::explains);
        let widest = if is_explained { self.widest / cut_short.max(1) } else { self.widest };
        for (found, group) in found.iter_mut().zip(&groups).filter(|it| it.0.is_cut_short()) {
            *found = search(group, widest);
        }
        // What was dropped although not all of it was tried may be the truth.
        let diverged = found.iter().any(Found::is_cut_short);
        let mut best: Vec<Candidate> = found.into_iter().flat_map(|found| found.best).collect();
        keep_least_contradicted(&mut best);
        best.iter_mut().for_each(|one| one.fit.diverged |= diverged);
        best
    }

    /// The candidates of a group, where a search tries at most `widest` hypotheses at each depth.
    fn search(self, group: &Group<'_>, observed: Observation<'_>, widest: usize) -> Found {
        let widest = widest.max(LEAST_WIDE);
        let mut search = Search { explainer: self, widest, is_whole: true };
        let best = search.explain(&group.hypotheses, observed);
        Found { best, is_whole: search.is_whole }
    }
}

/// Hypotheses that are explained together: with the same readings, and the same requests still without a response.
struct Group<'a> {
    hypotheses: Vec<&'a Hypothesis>,
    /// How many groups have the same readings, this one included.
    alike: usize,
}

impl<'a> Group<'a> {
    /// All groups, in the order of their first hypotheses.
    fn all_of(hypotheses: &'a [Hypothesis]) -> Vec<Group<'a>> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        for hypothesis in hypotheses {
            let is_its = |group: &&mut Group<'_>| {
                let first = group.hypotheses[0];
                first.open == hypothesis.open && first.readings() == hypothesis.readings()
            };
            match groups.iter_mut().find(is_its) {
                Some(group) => group.hypotheses.push(hypothesis),
                None => groups.push(Group { hypotheses: vec![hypothesis], alike: 1 }),
            }
        }
        let readings = |group: &Group<'a>| group.hypotheses[0].readings();
        let alike = |group| groups.iter().filter(|it| readings(it) == readings(group)).count();
        let alike: Vec<usize> = groups.iter().map(alike).collect();
        groups.iter_mut().zip(alike).for_each(|(group, alike)| group.alike = alike);
        groups
    }
}

/// What a search found, and whether it tried everything.
struct Found {
    best: Vec<Candidate>,
    is_whole: bool,
}

impl Found {
    /// Whether it ended before it found an explanation, or had tried everything.
    fn is_cut_short(&self) -> bool {
        !self.is_whole && !self.explains()
    }

    fn explains(&self) -> bool {
        self.best.iter().any(Candidate::explains)
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
    fn explain(&mut self, hypotheses: &[&Hypothesis], observed: Observation<'_>) -> Vec<Candidate> {
        let candidates = |hypothesis: &Hypothesis| Candidate::all_of(hypothesis, observed);
        let mut best: Vec<Candidate> = hypotheses.iter().flat_map(|it| candidates(it)).collect();
        let Some(mut least) = keep_least_contradicted(&mut best) else { return best };
        let are_doubted = |best: &[Candidate]| best.iter().all(|one| !one.fit.doubts.is_empty());
        if least == Rank::default() && !are_doubted(&best) {
            return best;
        }
        let movable = hypotheses.iter().copied().filter(|it| !it.rules_out(observed));
        let movable: Vec<&Hypothesis> = movable.collect();
        for depth in 1..=self.explainer.deepest {
            if least == Rank::default() {
                break;
            }
            let (mut better, mut is_moved) = (Vec::new(), false);
            let before = least;
            self.after_moves(&movable, depth, observed, &mut |moved| {
                is_moved = true;
                for candidate in candidates(&moved) {
                    let rank = candidate.rank();
                    if rank < least {
                        better.clear();
                        least = rank;
                    }
                    if rank == least && least < before {
                        better.push(candidate);
                    }
                }
            });
            if !is_moved {
                break;
            }
            if least.contradictions < before.contradictions {
                best.clear();
            }
            best.splice(0..0, better);
        }
        if are_doubted(&best) {
            // A refused action suggests another state, or only that the port refused.
            self.after_moves(&movable, 1, observed, &mut |moved| {
                let explains = |one: &Candidate| one.rank() == least && one.fit.doubts.is_empty();
                best.extend(candidates(&moved).into_iter().filter(explains));
            });
        }
        best
    }

    /// Every hypothesis that so many more hidden moves lead to, as many as the search is wide.
    ///
    /// They are made one after the other and none is kept: each is a whole world.
    fn after_moves(
        &mut self,
        hypotheses: &[&Hypothesis],
        moves: usize,
        observed: Observation<'_>,
        visit: &mut dyn FnMut(Hypothesis),
    ) {
        let mut left = self.widest;
        for hypothesis in hypotheses {
            self.is_whole &= self.descend(hypothesis, moves, observed, &mut left, visit);
        }
    }

    /// The same from one hypothesis, until none is `left`. Whether all were visited.
    fn descend(
        &self,
        hypothesis: &Hypothesis,
        moves_left: usize,
        observed: Observation<'_>,
        left: &mut usize,
        visit: &mut dyn FnMut(Hypothesis),
    ) -> bool {
        let Explainer { outside, prior, alone, .. } = self.explainer;
        let subject = hypothesis.subject(observed.sent);
        for hidden in moves(hypothesis, &subject, observed, (outside, prior), alone) {
            for moved in hypothesis.after(&|after| hidden.apply(after, &subject, observed)) {
                if *left == 0 {
                    return false;
                }
                if moves_left > 1 {
                    if !self.descend(&moved, moves_left - 1, observed, left, visit) {
                        return false;
                    }
                } else {
                    *left -= 1;
                    visit(moved);
                }
            }
        }
        true
    }
}

/// Sorts candidates by rank and keeps those that contradict the fewest sentences. The least rank.
fn keep_least_contradicted(candidates: &mut Vec<Candidate>) -> Option<Rank> {
    candidates.sort_by_key(Candidate::rank);
    let least = candidates.first()?.rank();
    candidates.retain(|one| one.rank().contradictions == least.contradictions);
    Some(least)
}

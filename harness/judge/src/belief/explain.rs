//! How a response is explained: by the worlds as they are, or by hidden moves since.

use tideover_exchange::{Prepared, Seen};
use tideover_model::Timestamp;

use crate::belief::hidden::{Outside, PriorState, moves};
use crate::belief::hypothesis::{World, WorldReply};

/// The most hidden moves between two responses.
pub const DEEPEST: usize = 3;
/// The most worlds to try for one response.
const WIDEST: usize = 400;

/// A world after a response, and how well the world explains it.
pub struct Candidate {
    pub world: World,
    pub reply: WorldReply,
}

/// How much of a response stays unexplained. Less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Whether the document contradicts the outcome, and how many of its sentences the response contradicts.
    contradictions: (bool, usize),
    /// Points that suggest another state, where the document shows nothing. They have no fixed meaning, so no
    /// world is dropped because of them.
    differences: usize,
}

/// Searches for hidden moves that explain a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explainer {
    /// Who moves the outside world.
    pub outside: Outside,
    /// State that may predate this run.
    pub prior: PriorState,
    /// The most moves between two responses.
    pub deepest: usize,
}

impl Candidate {
    /// The world after a response: one for each reading that matters and is undecided.
    fn all_of(world: &World, sent: &Prepared, seen: &Seen, now: Timestamp) -> Vec<Candidate> {
        let (after, reply) = world.answered(sent, seen, now);
        match after.undecided() {
            None => vec![Candidate { world: after, reply }],
            Some(reading) => {
                let readings = [true, false].map(|value| world.clone().deciding(reading, value));
                let decided = readings.iter();
                decided.flat_map(|world| Candidate::all_of(world, sent, seen, now)).collect()
            }
        }
    }

    /// What stays unexplained: the outcome, then sentences of the document, then signs of another state.
    pub(crate) fn rank(&self) -> Rank {
        let contradictions = (self.reply.contradicts_outcome(), self.reply.contradictions());
        Rank { contradictions, differences: self.reply.differences() }
    }
}

impl Explainer {
    /// Whether no world explains a response, even with hidden moves.
    pub(crate) fn contradicts(
        self,
        worlds: &[World],
        sent: &Prepared,
        seen: &Seen,
        now: Timestamp,
    ) -> bool {
        let best = self.explain(worlds, sent, seen, now);
        let is_contradicted = |one: &Candidate| one.rank().contradictions != Default::default();
        best.iter().all(is_contradicted)
    }

    /// The candidates that explain a response best, with as few moves as possible.
    ///
    /// Worlds with other readings are explained apart: one that needs a move to explain a response is as likely as
    /// one that needs none.
    pub fn explain(
        self,
        worlds: &[World],
        sent: &Prepared,
        seen: &Seen,
        now: Timestamp,
    ) -> Vec<Candidate> {
        let by_readings = |one: &World, other: &World| one.readings() == other.readings();
        let mut best: Vec<Candidate> = worlds
            .chunk_by(by_readings)
            .flat_map(|alike| self.explain_alike(alike, sent, seen, now))
            .collect();
        best.sort_by_key(Candidate::rank);
        let least = best.first().map(|one| one.rank().contradictions);
        best.retain(|one| Some(one.rank().contradictions) == least);
        best
    }

    /// The same, for worlds with the same readings.
    fn explain_alike(
        self,
        worlds: &[World],
        sent: &Prepared,
        seen: &Seen,
        now: Timestamp,
    ) -> Vec<Candidate> {
        let candidates = |world: &World| Candidate::all_of(world, sent, seen, now);
        let mut best: Vec<Candidate> = worlds.iter().flat_map(candidates).collect();
        best.sort_by_key(Candidate::rank);
        let Some(mut least) = best.first().map(Candidate::rank) else { return best };
        best.retain(|one| one.rank().contradictions == least.contradictions);
        let mut frontier: Vec<World> = Vec::new();
        for depth in 0..self.deepest {
            if least == Rank::default() {
                break;
            }
            let from = if depth == 0 { worlds } else { &frontier };
            frontier = self.moved(from, sent, seen, now);
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
        if best.iter().all(|one| !one.reply.doubts.is_empty()) {
            // A refused action suggests another state, or only that the port refused.
            let moved = self.moved(worlds, sent, seen, now);
            let explains = |one: &Candidate| one.rank() == least && one.reply.doubts.is_empty();
            best.extend(moved.iter().flat_map(candidates).filter(explains));
        }
        best
    }

    /// Every world that one more hidden move leads to.
    fn moved(self, worlds: &[World], sent: &Prepared, seen: &Seen, now: Timestamp) -> Vec<World> {
        let mut moved = Vec::new();
        for world in worlds {
            let platform = world.subject(sent).platform;
            for hidden in moves(world, sent, seen, now, self.outside, self.prior) {
                moved.extend(world.after(&|after| hidden.apply(after, platform, seen, now)));
                if moved.len() >= WIDEST {
                    return moved;
                }
            }
        }
        moved
    }
}

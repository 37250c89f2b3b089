//! How an answer is explained: by the worlds as they are, or by what may have happened since, unseen.

use tideover_model::Timestamp;

use crate::exchange::{Prepared, Seen};
use crate::judge::hidden::{Before, Outside, moves};
use crate::judge::world::{Reply, World};

/// So many hidden moves may stand between two answers.
pub(crate) const DEEPEST: usize = 3;
/// So many worlds are looked at for one answer.
const WIDEST: usize = 400;

/// A world after an answer, and how well it explains it.
pub(crate) struct Attempt {
    pub(crate) world: World,
    pub(crate) reply: Reply,
}

/// How much of an answer is left unexplained; less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Whether the document contradicts that it is this success or refusal, and how many of its sentences do.
    contradictions: (bool, usize),
    /// Points that the document doesn't show and that tell of another state: what they mean is for the service
    /// to say, so that no world is forgotten for them.
    differences: usize,
}

/// What may have happened unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// Who moves the world outside.
    pub(crate) outside: Outside,
    /// What of that which is named may have been there before.
    pub(crate) before: Before,
    /// How many moves stand between two answers at most.
    pub(crate) deepest: usize,
}

impl Attempt {
    fn of(world: &World, sent: &Prepared, seen: &Seen, now: Timestamp) -> Attempt {
        let (world, reply) = world.answered(sent, seen, now);
        Attempt { world, reply }
    }

    /// What it leaves unexplained: the outcome, sentences of the document, then what tells of another state.
    pub(crate) fn rank(&self) -> Rank {
        let contradictions = (self.reply.contradicts_outcome(), self.reply.contradictions());
        Rank { contradictions, differences: self.reply.differences() }
    }
}

impl Unseen {
    /// Whether no world explains an answer, even with what may have happened unseen.
    pub(crate) fn contradicts(
        self,
        worlds: &[World],
        sent: &Prepared,
        seen: &Seen,
        now: Timestamp,
    ) -> bool {
        let best = self.explain(worlds, sent, seen, now);
        let is_contradicted = |one: &Attempt| one.rank().contradictions != Default::default();
        best.iter().all(is_contradicted)
    }

    /// The attempts that explain an answer best, with as few moves as can be.
    pub(crate) fn explain(
        self,
        worlds: &[World],
        sent: &Prepared,
        seen: &Seen,
        now: Timestamp,
    ) -> Vec<Attempt> {
        let attempt = |world: &World| Attempt::of(world, sent, seen, now);
        let mut best: Vec<Attempt> = worlds.iter().map(attempt).collect();
        best.sort_by_key(Attempt::rank);
        let Some(mut least) = best.first().map(Attempt::rank) else { return best };
        best.retain(|one| one.rank().contradictions == least.contradictions);
        let mut frontier: Vec<World> = Vec::new();
        for depth in 0..self.deepest {
            if least == Rank::default() {
                break;
            }
            let from = if depth == 0 { worlds } else { &frontier };
            frontier = self.moved(from, sent, seen, now);
            let attempts: Vec<Attempt> = frontier.iter().map(attempt).collect();
            let Some(least_moved) = attempts.iter().map(Attempt::rank).min() else { break };
            if least_moved < least {
                if least_moved.contradictions < least.contradictions {
                    best.clear();
                }
                least = least_moved;
                best.splice(0..0, attempts.into_iter().filter(|one| one.rank() == least));
            }
        }
        if best.iter().all(|one| !one.reply.doubts.is_empty()) {
            // A refused action tells of another state, or of nothing but the port.
            let moved = self.moved(worlds, sent, seen, now);
            let explains = |one: &Attempt| one.rank() == least && one.reply.doubts.is_empty();
            best.extend(moved.iter().map(attempt).filter(explains));
        }
        best
    }

    /// Every world that one hidden move more leads to.
    fn moved(self, worlds: &[World], sent: &Prepared, seen: &Seen, now: Timestamp) -> Vec<World> {
        let mut moved = Vec::new();
        for world in worlds {
            let platform = world.subject(sent).platform;
            for hidden in moves(world, sent, seen, now, self.outside, self.before) {
                let mut after = world.clone();
                if hidden.apply(&mut after, platform, seen, now) {
                    moved.push(after);
                }
                if moved.len() >= WIDEST {
                    return moved;
                }
            }
        }
        moved
    }
}

//! Where a world comes from, and where two worlds part.

use std::sync::Arc;

use crate::history::EntryName;
use crate::worlds::WorldId;

/// A world, and those that it was copied from. A reset begins a new line: nothing of the old one is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// Identifies the world. A reset makes a new one.
    own: Arc<()>,
    /// The nearest first.
    ancestors: Vec<Ancestor>,
}

/// A world that others were copied from.
#[derive(Clone, Debug)]
struct Ancestor {
    own: Arc<()>,
    world: WorldId,
    left: Left,
}

/// Where a copy has left a world.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) next: Next,
    /// The last entry before, as it was then.
    pub(crate) last: Option<NamedEntry>,
}

/// A place among the requests and the interventions of a world: the number of the next of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Next {
    pub(crate) request: u64,
    pub(crate) intervention: u64,
}

impl Next {
    /// Grows with every entry.
    fn order(self) -> u64 {
        self.request + self.intervention
    }
}

/// An entry in a few words.
#[derive(Clone, Debug)]
pub(crate) struct NamedEntry {
    pub(crate) entry: EntryName,
    /// What it was, as far as a log still has it.
    pub(crate) what: Option<String>,
}

/// Where two lines part.
#[derive(Clone, Debug)]
pub(crate) struct Parting {
    /// Whether both are one world.
    pub(crate) are_one: bool,
    /// The last entry that both have: in the world that both come from, or in one that that comes from.
    pub(crate) last: Option<(WorldId, NamedEntry)>,
    /// Where each goes on: the worlds to look at in turn, each from a place on and up to another.
    pub(crate) ways: [Vec<Way>; 2],
}

/// A part of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) world: WorldId,
    pub(crate) from: Next,
    /// Where the line leaves this world; `None` if it does not.
    pub(crate) until: Option<Next>,
}

impl Way {
    /// Whether the line goes through an entry at its beginning.
    pub(crate) fn has_an_entry(&self) -> bool {
        self.until.is_none_or(|until| until.order() > self.from.order())
    }
}

impl Line {
    /// The line of a copy of `world`, whose line this is.
    pub(crate) fn branch(&self, world: WorldId, left: Left) -> Line {
        let parent = Ancestor { own: Arc::clone(&self.own), world, left };
        let ancestors = std::iter::once(parent).chain(self.ancestors.iter().cloned()).collect();
        Line { own: Arc::default(), ancestors }
    }

    /// Each world of the line, the nearest first, with the place where the line leaves it.
    fn all(&self, id: WorldId) -> Vec<(&Arc<()>, WorldId, Option<&Left>)> {
        let ancestors = self.ancestors.iter().map(|it| (&it.own, it.world, Some(&it.left)));
        std::iter::once((&self.own, id, None)).chain(ancestors).collect()
    }
}

/// Where the lines of two worlds part; `None` if they share nothing.
pub(crate) fn parting(one: (WorldId, &Line), other: (WorldId, &Line)) -> Option<Parting> {
    let lines = [one.1.all(one.0), other.1.all(other.0)];
    let (here, there) = lines[0].iter().enumerate().find_map(|(here, (own, ..))| {
        let there = lines[1].iter().position(|(other, ..)| Arc::ptr_eq(own, other))?;
        Some((here, there))
    })?;
    let ((_, world, left_here), (_, _, left_there)) = (lines[0][here], lines[1][there]);
    let left = match (left_here, left_there) {
        (Some(one), Some(other)) if other.next.order() < one.next.order() => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    };
    let from = left.map(|left| left.next);
    let way = |line: &[(&Arc<()>, WorldId, Option<&Left>)], common: usize| {
        let Some(from) = from else { return Vec::new() };
        let part = |index: usize| {
            let (_, world, left) = line[index];
            let from = if index == common { from } else { Next::default() };
            Way { world, from, until: left.map(|left| left.next) }
        };
        (0..=common).rev().map(part).collect()
    };
    let ways = [way(&lines[0], here), way(&lines[1], there)];
    // A copy that was made at the start of a copy has its last common entry further back.
    let before = lines[0][here + 1..].iter().map(|(_, world, left)| (*world, *left));
    let last = std::iter::once((world, left)).chain(before);
    let last = last.filter_map(|(world, left)| Some((world, left?.last.clone()?))).next();
    Some(Parting { are_one: left.is_none(), last, ways })
}

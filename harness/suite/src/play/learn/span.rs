//! Bounds of a number.

use std::collections::BTreeMap;

/// A number between two others, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub min: u64,
    pub max: u64,
}

impl Span {
    pub(crate) fn exactly(value: u64) -> Span {
        Span { min: value, max: value }
    }

    /// The smallest span around both.
    pub(crate) fn hull(self, other: Span) -> Span {
        Span { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The span, wider by `slack` at both ends.
    pub(crate) fn give_or_take(self, slack: u64) -> Span {
        Span { min: self.min.saturating_sub(slack), max: self.max.saturating_add(slack) }
    }

    /// The intersection, unless it is empty.
    pub(crate) fn both(self, other: Span) -> Option<Span> {
        let both = Span { min: self.min.max(other.min), max: self.max.min(other.max) };
        (both.min <= both.max).then_some(both)
    }
}

/// The bounds of a number that stays the same, as far as it was seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Steady {
    #[default]
    Unseen,
    Within(Span),
    /// The bounds exclude each other: there is no such number, and none is learned.
    Contradicted,
}

impl Steady {
    pub(crate) fn narrow(&mut self, seen: Span) {
        *self = match self {
            Steady::Unseen => Steady::Within(seen),
            Steady::Within(known) => known.both(seen).map_or(Steady::Contradicted, Steady::Within),
            Steady::Contradicted => Steady::Contradicted,
        };
    }

    pub(crate) fn add(&mut self, other: Steady) {
        match other {
            Steady::Unseen => {}
            Steady::Within(seen) => self.narrow(seen),
            Steady::Contradicted => *self = other,
        }
    }

    pub(crate) fn span(self) -> Option<Span> {
        match self {
            Steady::Within(span) => Some(span),
            Steady::Unseen | Steady::Contradicted => None,
        }
    }
}

/// The bounds of several numbers, each with how often they were seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans(BTreeMap<Span, u64>);

impl Spans {
    pub(crate) fn note(&mut self, seen: Span) {
        *self.0.entry(seen).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Spans) {
        for (span, times) in &other.0 {
            *self.0.entry(*span).or_default() += times;
        }
    }

    /// The span around all of them.
    pub(crate) fn hull(&self) -> Option<Span> {
        self.0.keys().copied().reduce(Span::hull)
    }

    /// The span around those that are at most this wide, or around all if none is: wide bounds say little of their
    /// numbers, and would widen the result.
    pub(crate) fn hull_within(&self, width: u64) -> Option<Span> {
        let known = self.0.keys().filter(|span| span.max - span.min <= width).copied();
        known.reduce(Span::hull).or_else(|| self.hull())
    }

    /// The span around those that cannot lie in `range`, and their number.
    pub(crate) fn outside(&self, range: Span) -> Option<(Span, u64)> {
        let outside = self.0.iter().filter(|(span, _)| span.both(range).is_none());
        let outside = outside.map(|(span, times)| (*span, *times));
        outside.reduce(|(one, times), (other, more)| (one.hull(other), times + more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_exclude_each_other_are_those_of_no_number() {
        let mut steady = Steady::default();
        steady.narrow(Span { min: 10, max: 40 });
        steady.add(Steady::Within(Span { min: 30, max: 60 }));
        assert_eq!(steady.span(), Some(Span { min: 30, max: 40 }));
        let mut contradicted = steady;
        contradicted.narrow(Span { min: 61, max: 61 });
        contradicted.narrow(Span { min: 61, max: 61 });
        assert_eq!(contradicted.span(), None);
        steady.add(contradicted);
        assert_eq!(steady.span(), None);
    }
}

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

/// Narrows the bounds of a number. If `seen` contradicts them, the number has changed, and `seen` replaces them.
pub(crate) fn narrow(known: &mut Option<Span>, seen: Span) {
    *known = Some(known.and_then(|known| known.both(seen)).unwrap_or(seen));
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

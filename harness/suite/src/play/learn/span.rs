//! Bounds of a number.

use std::collections::BTreeMap;

/// A number between two others, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// It is at least this.
    pub min: u64,
    /// It is at most this.
    pub max: u64,
}

impl Span {
    /// The one number `value`.
    pub(crate) fn exactly(value: u64) -> Span {
        Span { min: value, max: value }
    }

    /// Whatever lies in either, or between them.
    pub(crate) fn hull(self, other: Span) -> Span {
        Span { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// It, and what is less or more by `slack`.
    pub(crate) fn give_or_take(self, slack: u64) -> Span {
        Span { min: self.min.saturating_sub(slack), max: self.max.saturating_add(slack) }
    }

    /// What lies in both; `None` if nothing does.
    pub(crate) fn both(self, other: Span) -> Option<Span> {
        let both = Span { min: self.min.max(other.min), max: self.max.min(other.max) };
        (both.min <= both.max).then_some(both)
    }
}

/// Narrows what is known of a number; what contradicts it starts anew, since it has changed then.
pub(crate) fn narrow(known: &mut Option<Span>, seen: Span) {
    *known = Some(known.and_then(|known| known.both(seen)).unwrap_or(seen));
}

/// What each of several numbers lies between, and how often that was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans(BTreeMap<Span, u64>);

impl Spans {
    /// One more.
    pub(crate) fn note(&mut self, seen: Span) {
        *self.0.entry(seen).or_default() += 1;
    }

    /// Those of another run, too.
    pub(crate) fn add(&mut self, other: &Spans) {
        for (span, times) in &other.0 {
            *self.0.entry(*span).or_default() += times;
        }
    }

    /// What all of them lie between.
    pub(crate) fn hull(&self) -> Option<Span> {
        self.0.keys().copied().reduce(Span::hull)
    }

    /// The same of those that are known so well, if any is: what is known of the others is less than what they are.
    pub(crate) fn hull_within(&self, width: u64) -> Option<Span> {
        let known = self.0.keys().filter(|span| span.max - span.min <= width).copied();
        known.reduce(Span::hull).or_else(|| self.hull())
    }

    /// What those lie between that cannot lie in `range`, and how many they are.
    pub(crate) fn outside(&self, range: Span) -> Option<(Span, u64)> {
        let outside = self.0.iter().filter(|(span, _)| span.both(range).is_none());
        let outside = outside.map(|(span, times)| (*span, *times));
        outside.reduce(|(one, times), (other, more)| (one.hull(other), times + more))
    }
}

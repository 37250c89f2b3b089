//! What a number lies between.

/// A number between two others, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Widens what is known of several numbers.
pub(crate) fn widen(known: &mut Option<Span>, seen: Option<Span>) {
    *known = match (*known, seen) {
        (Some(known), Some(seen)) => Some(known.hull(seen)),
        (known, seen) => known.or(seen),
    };
}

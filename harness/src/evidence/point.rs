//! One compared point of a response.

use tideover_model::Clause;
use tideover_model::clause::Kind;

/// One thing that an answer says, beside what was expected there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// By which sentence it is expected.
    pub(crate) clause: Clause,
    /// Whether it is as expected.
    pub(crate) holds: bool,
    /// Which field of the answer, dotted; `status` for the HTTP status.
    pub(crate) field: String,
    /// What was expected.
    pub(crate) expected: String,
    /// What was seen.
    pub(crate) seen: String,
}

impl Point {
    /// A sentence that an answer upholds as a whole.
    pub(crate) fn upheld(clause: Clause) -> Point {
        let (field, expected, seen) = Default::default();
        Point { clause, holds: true, field, expected, seen }
    }

    /// Whether a sentence of the document does not hold.
    pub(crate) fn contradicts(&self) -> bool {
        !self.holds && self.clause.kind() == Kind::Documented
    }
}

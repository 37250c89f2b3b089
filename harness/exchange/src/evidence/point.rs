//! One compared point of a response.

use tideover_model::Clause;
use tideover_model::clause::Kind;

/// One thing that an answer says, beside what was expected there.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub clause: Clause,
    pub holds: bool,
    /// Which field of the answer, dotted; `status` for the HTTP status.
    pub field: String,
    pub expected: String,
    pub seen: String,
}

impl Point {
    /// A sentence that an answer upholds as a whole.
    pub fn upheld(clause: Clause) -> Point {
        let (field, expected, seen) = Default::default();
        Point { clause, holds: true, field, expected, seen }
    }

    /// Whether a sentence of the document does not hold.
    pub fn contradicts(&self) -> bool {
        !self.holds && self.clause.kind() == Kind::Documented
    }
}

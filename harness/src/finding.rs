//! What a check found.

use std::fmt;

use serde::Serialize;
use tideover_model::Clause;
use tideover_model::clause::Kind;

/// A violation, or a difference from an assumption, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The sentence that does not hold.
    #[serde(serialize_with = "name_of")]
    pub clause: Clause,
    /// What was asked for: an operation, or an action of the operator port.
    pub operation: String,
    /// Which field of the answer, dotted; `status` for the HTTP status.
    pub field: String,
    /// What was expected there.
    pub expected: String,
    /// What was seen there.
    pub seen: String,
}

/// How bad a finding is; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// A sentence of the document does not hold.
    Violated,
    /// What the document leaves open is not as we assume.
    DiffersFromAssumption,
}

impl Finding {
    /// How bad it is: that depends on what the clause rests on.
    pub fn verdict(&self) -> Verdict {
        match self.clause.kind() {
            Kind::Documented => Verdict::Violated,
            Kind::Assumed { .. } => Verdict::DiffersFromAssumption,
        }
    }

    /// Whether `other` is the same finding, perhaps met by other steps: what shrinking must keep.
    pub fn is_same(&self, other: &Finding) -> bool {
        (self.clause, &self.operation, &self.field)
            == (other.clause, &other.operation, &other.field)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict() {
            Verdict::Violated => "violated",
            Verdict::DiffersFromAssumption => "differs from an assumption",
        };
        writeln!(f, "{} {verdict} ({})", self.clause.name(), self.clause.place())?;
        writeln!(f, "  {}", self.clause.wording())?;
        writeln!(f, "  {}: {}", self.operation, self.field)?;
        writeln!(f, "    expected  {}", self.expected)?;
        write!(f, "    seen      {}", self.seen)
    }
}

fn name_of<S: serde::Serializer>(clause: &Clause, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(clause.name())
}

//! What a check found.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tideover_model::Clause;
use tideover_model::clause::Kind;

use crate::transcript::FindingName;

/// A violation, or a difference from an assumption, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The sentence that does not hold.
    #[serde(serialize_with = "name_of")]
    pub clause: Clause,
    pub verdict: Verdict,
    /// What was asked for: an operation, or an action of the operator port.
    pub operation: String,
    /// Which field of the answer, dotted; `status` for the HTTP status.
    pub field: String,
    pub expected: String,
    pub seen: String,
}

/// The verdict of a finding; the worst first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// A sentence of the document does not hold.
    Violated,
    /// Nothing can be concluded: it may hold or not.
    Inconclusive,
    /// A hidden transition did not happen in time.
    Stalled,
    /// What the document leaves open is not as we assume.
    DiffersFromAssumption,
}

/// What one finding has in common with another that comes of the same: the clause, the operation, and the
/// field, whichever element of a list it is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    clause: Clause,
    operation: String,
    field: String,
}

impl Finding {
    /// That `clause` does not hold: how bad that is depends on what the clause rests on.
    pub fn new(
        clause: Clause,
        operation: impl Into<String>,
        field: impl Into<String>,
        expected: impl Into<String>,
        seen: impl Into<String>,
    ) -> Finding {
        let verdict = match clause.kind() {
            Kind::Documented => Verdict::Violated,
            Kind::Assumed { .. } => Verdict::DiffersFromAssumption,
        };
        let (operation, field) = (operation.into(), field.into());
        Finding { clause, verdict, operation, field, expected: expected.into(), seen: seen.into() }
    }

    /// That the target gave no response: `words` say when, `why` what happened instead.
    pub fn outage(clause: Clause, operation: impl Into<String>, words: &str, why: &str) -> Finding {
        let expected = "a response to every request";
        Finding::new(clause, operation, NO_RESPONSE, expected, format!("{words}{OUTAGE}{why}"))
    }

    /// The same, with another reason why there is no response.
    pub fn because(&self, why: &str) -> Finding {
        let words = outage_words(&self.field, &self.seen).unwrap_or_default();
        Finding::outage(self.clause, &*self.operation, words, why)
    }

    /// Whether a request was answered with a success or a code that was not due.
    pub fn is_outcome(&self) -> bool {
        self.field == OUTCOME
    }

    /// The first part of its field: `onboarding` of `onboarding.contract`.
    pub fn root(&self) -> &str {
        self.field.split('.').next().unwrap_or_default()
    }

    pub fn cause(&self) -> Cause {
        let any_element = |part| if str::parse::<usize>(part).is_ok() { "*" } else { part };
        let field: Vec<&str> = self.field.split('.').map(any_element).collect();
        let (clause, operation) = (self.clause, self.operation.clone());
        Cause { clause, operation, field: field.join(".") }
    }

    /// Whether `other` is the same finding, perhaps met by other steps: what shrinking must keep.
    pub fn is_same(&self, other: &Finding) -> bool {
        self.cause() == other.cause()
    }

    pub fn name(&self) -> FindingName {
        let cause = self.cause();
        FindingName {
            fingerprint: cause.fingerprint(),
            clause: cause.clause.name().to_owned(),
            operation: cause.operation,
            field: cause.field,
        }
    }

    pub fn is_named(&self, name: &FindingName) -> bool {
        self.cause().fingerprint() == name.fingerprint
    }

    /// Whether it breaks the clause that a transcript names. Which response shows it first may depend on time.
    pub fn breaks_named(&self, name: &FindingName) -> bool {
        self.clause.name() == name.clause
    }
}

impl Cause {
    /// A short name that stays the same from run to run.
    pub fn fingerprint(&self) -> String {
        let Cause { clause, operation, field } = self;
        let digest = Sha256::digest(format!("{clause}\n{operation}\n{field}"));
        const_hex::encode(&digest[..6])
    }
}

/// The field of a finding on whether a request succeeds, or on its code.
pub const OUTCOME: &str = "code";

/// The field of a finding that there is no response.
const NO_RESPONSE: &str = "response";

/// Whether a transcript names the finding that there is no response.
pub fn names_outage(name: &FindingName) -> bool {
    name.field == NO_RESPONSE
}

/// What stands between the two parts of what was seen then.
const OUTAGE: &str = ": ";

/// When the target gave no response, in words, if that is what was seen in a field.
pub fn outage_words<'a>(field: &str, seen: &'a str) -> Option<&'a str> {
    let (words, _) = seen.split_once(OUTAGE).filter(|_| field == NO_RESPONSE)?;
    Some(words)
}

/// The name of the operation, for a difference from the stated profile.
pub const PROFILE: &str = "the profile";

impl Verdict {
    pub fn words_at(self, operation: &str) -> &'static str {
        match self {
            Verdict::DiffersFromAssumption if operation == PROFILE => "differs from the profile",
            verdict => verdict.words(),
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Verdict::Violated => "violated",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Stalled => "stalled",
            Verdict::DiffersFromAssumption => "differs from an assumption",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.verdict.words_at(&self.operation);
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

#[cfg(test)]
mod tests {
    use tideover_model::clause;

    use super::*;

    #[test]
    fn a_fingerprint_does_not_depend_on_the_element_of_a_list() {
        let found = |field| {
            let clause = clause!("2.importReport.rows");
            Finding::new(clause, "GET /v1/invoices/imports/{externalId}", field, "a", "b")
        };
        let fingerprint = |field| found(field).cause().fingerprint();
        assert!(found("rows.0.outcome").is_same(&found("rows.17.outcome")));
        assert_eq!(fingerprint("rows.0.outcome"), fingerprint("rows.17.outcome"));
        assert_ne!(fingerprint("rows.0.outcome"), fingerprint("rows.0.code"));
        // Baselines are kept: it never changes.
        assert_eq!(fingerprint("rows.0.outcome"), "4e93f1a8d684");
    }

    #[test]
    fn a_difference_from_the_profile_says_so() {
        let printed = |operation| {
            Finding::new(clause!("gap.perInvoiceMaximum"), operation, "f", "1", "2").to_string()
        };
        assert!(printed(PROFILE).starts_with("gap.perInvoiceMaximum differs from the profile ("));
        assert!(printed("GET /").starts_with("gap.perInvoiceMaximum differs from an assumption ("));
    }
}

//! Defects that follow from the tables: whatever a field, a code, an endpoint or an event can have wrong.
//!
//! Each [`Operator`] goes over a table of the model. Nobody chooses what is wrong: a seed draws which of them are planted.

mod checks;
mod earlier;
mod effects;
mod events;
mod fields;
mod files;
mod identities;
mod ladders;
mod refusals;
mod requests;
mod texts;

use std::collections::BTreeMap;
use std::fmt;

use tideover_model::Clause;

use crate::{Defect, Hooks};

/// A kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// A field of a response has another value.
    Field,
    /// A refusal has another code, another status or another shape, or is none.
    Code,
    /// A rule of a refusal is left out, or comes before one that the document puts first.
    Ladder,
    /// A valid value is refused.
    Strict,
    /// An invalid value is accepted.
    Lax,
    /// The service reads another value than it was sent.
    Request,
    /// Identifiers that differ name the same thing.
    Identity,
    /// A write has no effect, or another one.
    Effect,
    /// A read shows an earlier state.
    Stale,
    /// An event does not come, or another one does.
    Event,
    /// A receiver's response has another consequence.
    Receipt,
    /// A window is longer or shorter.
    Time,
}

/// A defect that follows from a table, before it is planted.
pub struct Mutation {
    pub operator: Operator,
    /// What goes wrong, in one line.
    pub words: String,
    /// The clause that it breaks first.
    pub clause: Clause,
    hooks: Box<dyn Fn() -> Hooks + Send + Sync>,
}

impl Mutation {
    fn new(
        operator: Operator,
        clause: Clause,
        words: String,
        hooks: impl Fn() -> Hooks + Send + Sync + 'static,
    ) -> Mutation {
        Mutation { operator, words, clause, hooks: Box::new(hooks) }
    }

    /// Its name: the operator and what goes wrong, in one word.
    pub fn name(&self) -> String {
        let plain = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '-' };
        let words: String = self.words.chars().map(plain).collect();
        let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
        format!("{}-{}", self.operator, words.join("-").to_lowercase())
    }

    /// The defect. It is kept until the process ends, as those of the catalogues are.
    pub fn plant(&self) -> &'static Defect {
        Box::leak(Box::new(Defect {
            name: self.name().leak(),
            former: &[],
            clause: self.clause,
            named: self.clause,
            words: self.words.clone().leak(),
            hooks: (self.hooks)(),
        }))
    }
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 12] = [
        Operator::Field,
        Operator::Code,
        Operator::Ladder,
        Operator::Strict,
        Operator::Lax,
        Operator::Request,
        Operator::Identity,
        Operator::Effect,
        Operator::Stale,
        Operator::Event,
        Operator::Receipt,
        Operator::Time,
    ];
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Operator::Field => "field",
            Operator::Code => "code",
            Operator::Ladder => "ladder",
            Operator::Strict => "strict",
            Operator::Lax => "lax",
            Operator::Request => "request",
            Operator::Identity => "identity",
            Operator::Effect => "effect",
            Operator::Stale => "stale",
            Operator::Event => "event",
            Operator::Receipt => "receipt",
            Operator::Time => "time",
        })
    }
}

/// A mutation for each clause of a code, or of a field of a response.
pub(crate) fn of_rows() -> BTreeMap<Clause, Mutation> {
    let rows = refusals::of_codes().chain(fields::of_fields());
    rows.map(|mutation| (mutation.clause, mutation)).collect()
}

/// Every mutation, in the order of the tables.
pub fn mutations() -> Vec<Mutation> {
    let tables: [fn() -> Vec<Mutation>; 11] = [
        fields::mutations,
        fields::of_windows,
        earlier::mutations,
        refusals::mutations,
        ladders::mutations,
        checks::mutations,
        files::mutations,
        requests::mutations,
        identities::mutations,
        effects::mutations,
        events::mutations,
    ];
    tables.into_iter().flat_map(|table| table()).collect()
}

/// A second, a minute, an hour, a day. Seconds.
const UNITS: [u64; 4] = [1, 60, 3600, 86_400];

/// Keeps what a hook needs until the process ends.
fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tideover_model::clause::Kind;

    use super::*;

    /// What only differs from an assumption is lawful.
    #[test]
    fn every_mutation_breaks_a_sentence_of_the_document() {
        for mutation in mutations() {
            assert_eq!(mutation.clause.kind(), Kind::Documented, "{}", mutation.name());
        }
    }

    #[test]
    fn every_mutation_has_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for mutation in mutations() {
            assert!(names.insert(mutation.name()), "{} is there twice", mutation.name());
        }
        for operator in Operator::ALL {
            assert!(names.iter().any(|name| name.starts_with(&operator.to_string())));
        }
    }
}

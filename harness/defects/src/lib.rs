//! The service with one thing wrong: one engine, and the catalogues of what can be wrong.
//!
//! - In comes the name of a [`Defect`]; out comes a [`Defective`] service that has it. `prove`, `simulate` and `explore`
//!   plant the same defects under the same names.
//! - A defect is data: its names, the clause that it breaks, and the [`Hooks`] at which it does something else than the
//!   right service inside it ([`Inner`]).
//! - Never here: how a defect is found, how often, and by whom; a second service beside the model.
//! - Begin at [`Hooks`], then at a file of `catalogue`.

mod catalogue;
mod choices;
mod defective;
pub mod generated;
pub mod hooks;
mod inner;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use tideover_model::{Clause, Destinations, Profile, Seeded, clause};

use generated::Mutation;

pub use choices::{DefectiveChoices, WrongChoice};
pub use defective::Defective;
pub use hooks::Hooks;
pub use inner::{Inner, Memory, Reversible};

/// A deliberate violation.
#[derive(Debug)]
pub struct Defect {
    /// Its stable name.
    pub name: &'static str,
    /// Names that it had in one command, before all had the same. They are still understood.
    pub former: &'static [&'static str],
    /// The clause that it breaks.
    pub clause: Clause,
    /// The clause that a finding of it names: another one, where it shows first in something else.
    pub named: Clause,
    /// What goes wrong, in one line.
    pub words: &'static str,
    hooks: Hooks,
}

impl Defect {
    /// A new service with this defect.
    pub fn service(
        &'static self,
        profile: Profile,
        seed: u64,
        destinations: Destinations,
    ) -> Defective {
        Defective::new(Some(self), profile, Seeded { seed }, destinations)
    }

    /// Whether it shows only while other requests are in flight.
    pub fn is_raced(&self) -> bool {
        self.hooks.race.is_some()
    }

    /// What goes wrong, as a sentence.
    pub fn sentence(&self) -> String {
        let (first, rest) = self.words.split_at(1);
        format!("{}{rest}.", first.to_uppercase())
    }

    /// Whether it has, or had, this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.name == name || self.former.contains(&name)
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Defect { name, words, clause, .. } = self;
        write!(f, "{name}: {words} ({clause})")
    }
}

/// Every defect that the suite proves itself on, area by area of the document.
pub fn all() -> impl Iterator<Item = &'static Defect> {
    listed().chain(OF_ROWS.iter().copied())
}

fn listed() -> impl Iterator<Item = &'static Defect> {
    catalogue::PROVEN.iter().copied().flatten()
}

/// The defects of what a row of the model's tables states and no catalogue breaks: new rows, as a rule.
static OF_ROWS: LazyLock<Vec<&'static Defect>> = LazyLock::new(|| {
    let broken: BTreeSet<Clause> =
        listed().flat_map(|defect| [defect.clause, defect.named]).collect();
    let mut of_rows = generated::of_rows();
    of_rows.retain(|clause, _| !broken.contains(clause));
    of_rows.values().map(Mutation::plant).collect()
});

/// The defect of this name that the suite proves itself on.
pub fn find(name: &str) -> Option<&'static Defect> {
    all().find(|defect| defect.has_name(name))
}

/// The defect of this name in any catalogue: also one that shows only where all of a world is seen: its restarts, the
/// queue of its events, all of its money.
pub fn find_any(name: &str) -> Option<&'static Defect> {
    all().chain(catalogue::OVERSEEN).find(|defect| defect.has_name(name))
}

/// Documented clauses that a run meets but no defect breaks, each with the reason.
pub static WITHOUT_DEFECT: &[(Clause, &str)] = &[
    (
        clause!("1.service.3.3"),
        "a wrapper cannot make the service's books lose a cent, and a response that only claims so proves nothing",
    ),
    (clause!("6.signature.intro.1"), "the sender writes the header, behind the face"),
    (clause!("6.subscription.2.2"), "the sender answers to a redirect, behind the face"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_defect() {
        for clause in generated::of_rows().keys() {
            assert!(all().any(|one| [one.clause, one.named].contains(clause)), "{clause}");
        }
    }

    #[test]
    fn a_name_means_one_defect_in_all_catalogues() {
        let mut names = BTreeSet::new();
        for defect in all().chain(catalogue::OVERSEEN) {
            for name in defect.former.iter().chain([&defect.name]) {
                assert!(names.insert(*name), "{name} is there twice");
                assert!(std::ptr::eq(find_any(name).unwrap(), defect), "{name}");
            }
        }
    }
}

//! Stable names for every testable sentence of the document, and for every assumption where it is silent.
//!
//! A name gives the sentence's place: `3.onboarding.2` is the second onboarding rule of section 3, and
//! `2.invoice.fundable` the note on a field. Prose is numbered by sentence, so numbers skip untestable ones.
//! If one rule or note has several independent sentences, `.2` and `.3` follow the name of the first.
//! `gap.bodyLimit` is an assumption. Journals, reports and transcripts cite the names: they never change.

mod section;
mod table;

use std::fmt;

pub use section::Section;
use table::CLAUSES;

/// One testable sentence of the document, or one named assumption.
///
/// Clauses compare in document order, assumptions last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clause(u16);

/// Whether the document states a clause, or we assume it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The document states it.
    Documented,
    /// A value that we assume where the document is silent.
    Assumed {
        /// The profile key that changes the value, if the mock can vary it.
        profile: Option<&'static str>,
        /// Why this value and no other.
        reason: &'static str,
    },
}

impl Kind {
    /// The profile key that changes the value of an assumption, if the mock can vary it.
    pub const fn profile_key(self) -> Option<&'static str> {
        match self {
            Kind::Documented => None,
            Kind::Assumed { profile, .. } => profile,
        }
    }
}

impl Clause {
    /// The clause of this name, which must exist.
    ///
    /// # Panics
    ///
    /// If no clause has this name. In a const context, and so in [`clause!`](crate::clause!), compilation
    /// fails.
    pub const fn named(name: &str) -> Clause {
        match Clause::find(name) {
            Some(clause) => clause,
            None => panic!("no clause has this name"),
        }
    }

    /// The clause of this name, if there is one.
    pub const fn find(name: &str) -> Option<Clause> {
        let mut index = 0;
        while index < COUNT {
            if same(CLAUSES[index as usize].name, name) {
                return Some(Clause(index));
            }
            index += 1;
        }
        None
    }

    /// The clauses whose names begin with `prefix`; they must be adjacent.
    ///
    /// # Panics
    ///
    /// If they are not adjacent. In a const context, compilation fails.
    pub const fn beginning_with(prefix: &str) -> &'static [Clause] {
        let mut first = 0;
        while first < ALL.len() && !begins_with(CLAUSES[first].name, prefix) {
            first += 1;
        }
        let mut end = first;
        while end < ALL.len() && begins_with(CLAUSES[end].name, prefix) {
            end += 1;
        }
        let mut after = end;
        while after < ALL.len() {
            assert!(!begins_with(CLAUSES[after].name, prefix), "the clauses are not adjacent");
            after += 1;
        }
        ALL.split_at(end).0.split_at(first).1
    }

    /// Every clause, in document order, assumptions last.
    pub fn all() -> impl Iterator<Item = Clause> {
        (0..COUNT).map(Clause)
    }

    /// Its index among all clauses, from 0.
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The stable name.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The place in the document that states it or, for an assumption, that is silent.
    pub const fn place(self) -> &'static str {
        self.entry().place
    }

    /// Its content, in one line of our own words.
    pub const fn wording(self) -> &'static str {
        self.entry().wording
    }

    /// Documented or assumed.
    pub const fn kind(self) -> Kind {
        self.entry().kind
    }

    const fn entry(self) -> &'static ClauseEntry {
        &CLAUSES[self.0 as usize]
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The [`Clause`](crate::clause::Clause) of a name, looked up at compile time.
///
/// ```
/// let clause = tideover_model::clause!("3.onboarding.2");
/// assert_eq!(clause.place(), "§3 Onboarding rule 2");
/// ```
///
/// An unknown name doesn't compile:
///
/// ```compile_fail,E0080
/// tideover_model::clause!("3.onboarding.5");
/// ```
#[macro_export]
macro_rules! clause {
    ($name:literal) => {{
        // A const item, because `cargo check` does not evaluate inline consts.
        const CLAUSE: $crate::clause::Clause = $crate::clause::Clause::named($name);
        CLAUSE
    }};
}

struct ClauseEntry {
    name: &'static str,
    place: &'static str,
    wording: &'static str,
    kind: Kind,
}

const COUNT: u16 = {
    assert!(CLAUSES.len() <= u16::MAX as usize);
    CLAUSES.len() as u16
};

static ALL: [Clause; COUNT as usize] = {
    let mut all = [Clause(0); COUNT as usize];
    let mut index = 0;
    while index < COUNT {
        all[index as usize] = Clause(index);
        index += 1;
    }
    all
};

const fn documented(name: &'static str, place: &'static str, wording: &'static str) -> ClauseEntry {
    ClauseEntry { name, place, wording, kind: Kind::Documented }
}

const fn assumed(
    name: &'static str,
    place: &'static str,
    profile: Option<&'static str>,
    wording: &'static str,
    reason: &'static str,
) -> ClauseEntry {
    ClauseEntry { name, place, wording, kind: Kind::Assumed { profile, reason } }
}

/// `==` on strings, which a const fn can't call yet.
const fn same(left: &str, right: &str) -> bool {
    same_bytes(left.as_bytes(), right.as_bytes())
}

const fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    // Compares from the end, where names differ.
    let mut index = left.len();
    while index > 0 {
        index -= 1;
        if left[index] != right[index] {
            return false;
        }
    }
    true
}

const fn begins_with(name: &str, prefix: &str) -> bool {
    let (name, prefix) = (name.as_bytes(), prefix.as_bytes());
    match name.split_at_checked(prefix.len()) {
        Some((head, _)) => same_bytes(head, prefix),
        None => false,
    }
}

/// The clauses whose names differ in their last part alone.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    prefix: &'static str,
    clauses: &'static [Clause],
}

impl Family {
    /// The clauses whose names begin with `prefix`, which ends with a dot.
    ///
    /// # Panics
    /// As [`Clause::beginning_with`] does.
    pub const fn of(prefix: &'static str) -> Family {
        Family { prefix, clauses: Clause::beginning_with(prefix) }
    }

    /// The clause whose name ends with `last`.
    pub fn find(&self, last: &str) -> Option<Clause> {
        let length = self.prefix.len() + last.len();
        let is_it =
            |clause: &&Clause| clause.name().len() == length && clause.name().ends_with(last);
        self.clauses.iter().find(is_it).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let mut seen = BTreeSet::new();
        for clause in Clause::all() {
            assert!(seen.insert(clause.name()), "{clause} occurs twice");
        }
    }

    #[test]
    fn every_name_finds_its_clause() {
        for clause in Clause::all() {
            assert_eq!(Clause::find(clause.name()), Some(clause));
        }
        assert_eq!(Clause::find(""), None);
        assert_eq!(Clause::find("3.onboarding"), None);
        assert_eq!(Clause::find("3.onboarding.5"), None);
    }

    #[test]
    fn a_prefix_finds_its_clauses() {
        let families = ["2.invoice.", "7.codes.", "gap.", "", "10."].map(Clause::beginning_with);
        for (family, prefix) in
            families.into_iter().zip(["2.invoice.", "7.codes.", "gap.", "", "10."])
        {
            let named = Clause::all().filter(|clause| clause.name().starts_with(prefix));
            assert_eq!(family, named.collect::<Vec<_>>());
        }
    }

    #[test]
    fn names_are_well_formed() {
        for clause in Clause::all() {
            let (head, rest) = clause.name().split_once('.').expect("a dot");
            for part in rest.split('.') {
                let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                assert!(!part.is_empty() && part.chars().all(word), "{clause}");
            }
            match clause.kind() {
                Kind::Documented => {
                    assert!(("1"..="9").contains(&head) && head.len() == 1, "{clause}");
                    assert!(clause.place().starts_with(&format!("§{head} ")), "{clause}");
                }
                Kind::Assumed { .. } => {
                    assert!(head == "gap" && !rest.contains('.'), "{clause}");
                    assert!(clause.place().starts_with('§'), "{clause}");
                }
            }
        }
    }

    #[test]
    fn further_sentences_follow_the_first() {
        for clause in Clause::all() {
            if let Some((head, number)) = clause.name().rsplit_once('.')
                && let Some(first) = Clause::find(head)
            {
                assert!(first < clause, "{clause} comes before {first}");
                assert!(number.parse().is_ok_and(|n: u8| n > 1), "{clause}");
            }
        }
    }

    #[test]
    fn document_order_then_assumptions() {
        let rank = |clause: Clause| match clause.kind() {
            Kind::Documented => clause.name().as_bytes()[0],
            Kind::Assumed { .. } => b'a',
        };
        assert!(Clause::all().is_sorted_by_key(rank));
    }

    #[test]
    fn wordings_are_one_sentence_on_one_line() {
        let mut seen = BTreeSet::new();
        for clause in Clause::all() {
            let wording = clause.wording();
            assert!(wording.ends_with('.') && wording.len() <= 120, "{clause}");
            assert!(!wording.contains('\n'), "{clause}");
            assert!(seen.insert(wording), "{clause} repeats a wording");
        }
    }

    #[test]
    fn shown_by_name() {
        const ALL_FOUR: Clause = Clause::named("3.onboarding.2");
        assert_eq!(ALL_FOUR.to_string(), "3.onboarding.2");
        assert_eq!(format!("{ALL_FOUR:?}"), "3.onboarding.2");
        assert_eq!(format!("{ALL_FOUR:>16}"), "  3.onboarding.2");
        assert_eq!(ALL_FOUR.kind(), Kind::Documented);
    }

    #[test]
    fn an_assumption_names_its_profile_key() {
        let profile = Some("body_limit");
        assert_eq!(Clause::named("gap.bodyLimit").kind().profile_key(), profile);
        assert_eq!(Clause::named("gap.mask").kind().profile_key(), None);
    }
}

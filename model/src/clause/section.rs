//! The sections of the document, and the assumptions where it is silent.

use std::fmt;

use crate::clause::{Clause, Kind};

/// A section of the document, or the assumptions as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(u8);

/// The titles of the sections, from section 1.
const TITLES: [&str; 9] = [
    "What the service does",
    "Resources and their fields",
    "States and transitions",
    "Endpoints",
    "Authentication",
    "Events",
    "Errors",
    "Limits",
    "Versioning",
];

impl Section {
    /// The assumptions, which belong to no section.
    pub const ASSUMPTIONS: Section = Section(0);

    /// The sections in their order, the assumptions last.
    pub fn all() -> impl Iterator<Item = Section> {
        (1_u8..).zip(TITLES).map(|(number, _)| Section(number)).chain([Section::ASSUMPTIONS])
    }

    /// The title: `Events`, without the number.
    pub fn title(self) -> &'static str {
        let index = usize::from(self.0).checked_sub(1);
        index.and_then(|index| TITLES.get(index)).copied().unwrap_or("Assumptions")
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.pad(self.title()),
            number => f.pad(&format!("§{number} {}", self.title())),
        }
    }
}

impl Clause {
    /// The section that states it, or the assumptions.
    pub fn section(self) -> Section {
        match self.kind() {
            Kind::Documented => Section(self.name().as_bytes()[0] - b'0'),
            Kind::Assumed { .. } => Section::ASSUMPTIONS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clause;

    #[test]
    fn every_section_has_clauses_and_every_clause_a_section() {
        let sections: Vec<Section> = Section::all().collect();
        assert_eq!(sections.len(), 10);
        for section in &sections {
            assert!(Clause::all().any(|clause| clause.section() == *section), "{section}");
        }
        for clause in Clause::all() {
            assert!(sections.contains(&clause.section()), "{clause}");
        }
    }

    #[test]
    fn shown_by_number_and_title() {
        assert_eq!(clause!("6.delivery.3").section().to_string(), "§6 Events");
        assert_eq!(clause!("gap.bodyLimit").section().to_string(), "Assumptions");
        assert_eq!(Section::ASSUMPTIONS, clause!("gap.mask").section());
    }
}

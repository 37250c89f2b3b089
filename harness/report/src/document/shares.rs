//! How much of each section of the document was examined.

use serde::Serialize;
use tideover_model::Clause;
use tideover_model::clause::Section;

use crate::document::{ClauseReport, Report, Status};

/// Clauses, counted by what the run says about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shares {
    /// Violated, stalled, or met and inconclusive.
    pub broken: u64,
    /// Assumptions that differ.
    pub differs: u64,
    /// Held, or covered.
    pub proven: u64,
    /// Argued.
    pub argued: u64,
    /// In reach, and not met.
    pub unmet: u64,
    /// Out of reach of the given options.
    pub beyond: u64,
}

impl Shares {
    /// The shares of these clauses.
    pub fn of<'a>(clauses: impl IntoIterator<Item = &'a ClauseReport>) -> Shares {
        clauses.into_iter().fold(Shares::default(), Shares::and)
    }

    fn and(mut self, clause: &ClauseReport) -> Shares {
        match clause.status {
            Status::Violated | Status::Stalled => self.broken += 1,
            Status::Inconclusive if clause.broken > 0 => self.broken += 1,
            Status::Differs => self.differs += 1,
            Status::Held | Status::Covered => self.proven += 1,
            Status::Argued => self.argued += 1,
            Status::Inconclusive | Status::NotMet => self.unmet += 1,
            Status::OutOfReach => self.beyond += 1,
            Status::NotObservable => {}
        }
        self
    }

    /// Those that were examined.
    pub fn examined(&self) -> u64 {
        self.broken + self.differs + self.proven + self.argued
    }

    /// Those that the given options reach.
    pub fn reachable(&self) -> u64 {
        self.examined() + self.unmet
    }

    /// Those that some option reaches.
    pub fn observable(&self) -> u64 {
        self.reachable() + self.beyond
    }
}

impl Report {
    /// The clauses by section, in the order of the document, the assumptions last.
    pub fn by_section(&self) -> Vec<(Section, Vec<&ClauseReport>)> {
        let section = |clause: &&ClauseReport| Clause::find(&clause.clause).map(Clause::section);
        let of = |one: Section| {
            let clauses = self.clauses.iter().filter(|clause| section(clause) == Some(one));
            (one, clauses.collect())
        };
        Section::all().map(of).collect()
    }

    /// How much of each section was examined, in the order of the document. Sections of which nothing is observable
    /// are left out.
    pub fn shares(&self) -> Vec<(Section, Shares)> {
        let sections = self.by_section().into_iter();
        let shares = sections.map(|(section, clauses)| (section, Shares::of(clauses)));
        shares.filter(|(_, shares)| shares.observable() > 0).collect()
    }

    /// What the examined clauses are a share of: those in reach or, if only reads are allowed, the observable ones.
    pub fn whole(&self, shares: &Shares) -> u64 {
        if self.extent.reads_only { shares.observable() } else { shares.reachable() }
    }
}

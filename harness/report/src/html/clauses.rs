//! The clauses of the page, by section.

use serde::Serialize;

use crate::document::{ClauseReport, Report, Shares, Status};

#[derive(Serialize)]
pub(super) struct SectionView<'a> {
    title: String,
    parts: Shares,
    /// How many of its clauses were examined, of how many.
    share: String,
    /// What the folded part has, in words.
    summary: String,
    /// The clauses that a reader should look at.
    open: Vec<&'a ClauseReport>,
    folded: Vec<&'a ClauseReport>,
}

impl SectionView<'_> {
    /// The sections, in the order of the document.
    pub(super) fn all(report: &Report) -> Vec<SectionView<'_>> {
        let sections = report.by_section().into_iter().filter(|(_, clauses)| !clauses.is_empty());
        let view = |(section, clauses): (_, Vec<_>)| {
            let parts = Shares::of(clauses.iter().copied());
            let (open, folded): (Vec<_>, Vec<_>) =
                clauses.into_iter().partition(|clause| is_open(clause));
            SectionView {
                title: ToString::to_string(&section),
                share: format!("{} of {}", parts.examined(), report.whole(&parts)),
                summary: summary(&folded),
                parts,
                open,
                folded,
            }
        };
        sections.map(view).collect()
    }
}

/// Whether the clause neither holds nor was left out.
fn is_open(clause: &ClauseReport) -> bool {
    match clause.status {
        Status::Violated | Status::Stalled | Status::Differs => true,
        Status::Inconclusive => clause.broken > 0,
        Status::Held
        | Status::Covered
        | Status::Argued
        | Status::NotMet
        | Status::OutOfReach
        | Status::NotObservable => false,
    }
}

/// `12 held, 3 covered`
fn summary(clauses: &[&ClauseReport]) -> String {
    let count = |status| clauses.iter().filter(|clause| clause.status == status).count();
    let counts = Status::ALL.map(|status| (count(status), status.words()));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

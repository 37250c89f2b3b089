//! The page of a command that has no richer one: its issues and its cases.

use minijinja::Error;
use serde::Serialize;

use crate::figures::{duration, when};
use crate::html::render;
use crate::results::{Entry, EntryStatus, Issue, OUTCOME, Results, VERSION};

#[derive(Serialize)]
struct ResultsPage<'a> {
    command: &'a str,
    target: &'a str,
    outcome: tideover_exchange::evidence::outcome::Outcome,
    headline: &'a str,
    began: String,
    version: &'a str,
    took: String,
    facts: &'a [(&'static str, String)],
    issues: &'a [Issue],
    notes: &'a [String],
    statuses: Vec<&'static str>,
    suites: Vec<SuiteView<'a>>,
}

/// The cases of an outermost suite.
#[derive(Serialize)]
struct SuiteView<'a> {
    name: &'a str,
    summary: String,
    is_open: bool,
    cases: Vec<&'a Entry>,
}

/// The results of a command as an HTML page.
///
/// # Errors
/// Those of the template, which has none.
pub(crate) fn results(results: &Results) -> Result<String, Error> {
    let statuses = EntryStatus::ALL.into_iter().filter(|status| results.count(*status) > 0);
    let page = ResultsPage {
        command: &results.command,
        target: &results.target,
        outcome: results.outcome,
        headline: &results.headline,
        began: when(results.began),
        version: VERSION,
        took: duration(results.took),
        facts: &results.facts,
        issues: &results.issues,
        notes: &results.notes,
        statuses: statuses.map(EntryStatus::name).collect(),
        suites: suites(&results.cases),
    };
    render("results.html", page)
}

/// The cases by their outermost suite, in the order in which the suites come first.
fn suites(cases: &[Entry]) -> Vec<SuiteView<'_>> {
    let mut names: Vec<&str> = Vec::new();
    // The header shows the outcome.
    let cases = || cases.iter().filter(|case| case.id != OUTCOME);
    for name in cases().filter_map(|case| case.suites.first()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let of = |name| {
        let own = |case: &&Entry| case.suites.first().is_some_and(|suite| suite == name);
        let cases: Vec<&Entry> = cases().filter(own).collect();
        let count = |status| cases.iter().filter(|case| case.status == status).count();
        let counts = EntryStatus::ALL.map(|status| (count(status), status.name()));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let summary = counts.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>();
        SuiteView {
            name,
            summary: summary.join(", "),
            is_open: count(EntryStatus::Failed) + count(EntryStatus::Broken) > 0,
            cases,
        }
    };
    names.into_iter().map(of).collect()
}

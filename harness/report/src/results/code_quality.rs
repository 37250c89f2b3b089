//! Issues as a GitLab Code Quality report, which a merge request shows.

use serde::Serialize;

use crate::results::{Issue, Results, Severity};

/// The file of an issue that has none; GitLab wants a path.
const NO_FILE: &str = "tideover";

#[derive(Serialize)]
struct Violation<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// The issues as a line of JSON.
pub(crate) fn code_quality(results: &Results) -> String {
    let violations: Vec<Violation<'_>> = results.issues.iter().map(violation).collect();
    serde_json::to_string(&violations).unwrap_or_default() + "\n"
}

fn violation(issue: &Issue) -> Violation<'_> {
    Violation {
        description: format!("{} {} ({})", issue.title, issue.observation(), issue.place),
        check_name: &issue.rule,
        fingerprint: &issue.fingerprint,
        severity: match issue.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Notice => "info",
        },
        location: Location {
            path: issue.file.as_deref().unwrap_or(NO_FILE),
            lines: Lines { begin: 1 },
        },
    }
}

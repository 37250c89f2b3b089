//! The report of a check as results: a case for the outcome, one for each clause, and an issue for each finding.

use std::time::Duration;

use tideover_exchange::evidence::finding::Verdict;
use tideover_model::Clause;

use crate::document::{ClauseReport, DutyReport, DutyState, FindingReport, Report, Status};
use crate::figures::counted;
use crate::results::{Coverage, Entry, EntryStatus, Issue, Results, Severity, fingerprint};

impl From<&Report> for Results {
    fn from(report: &Report) -> Results {
        let clauses = report.clauses.iter().map(|clause| case(clause, report));
        let took = Duration::from_millis(report.milliseconds);
        let outcome = Entry::outcome(report.outcome, &report.headline);
        Results {
            command: report.command.clone(),
            target: report.target.clone(),
            outcome: report.outcome,
            headline: report.headline.clone(),
            began: report.began,
            took,
            cases: [outcome]
                .into_iter()
                .chain(clauses)
                .chain(report.conduct.iter().map(duty))
                .collect(),
            issues: issues(report).into_iter().chain(report.broken_duties().map(breach)).collect(),
            coverage: coverage(report),
            facts: facts(report),
            notes: notes(report),
        }
    }
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let seed = report.seed.map(|seed| ("seed", seed.to_string()));
    let others = [("played", report.played()), ("ended", report.ended().to_owned())];
    seed.into_iter().chain(others).collect()
}

fn notes(report: &Report) -> Vec<String> {
    let untried = report.untried.iter();
    let untried =
        untried.map(|untried| format!("{} clauses need {}", untried.clauses, untried.remedy));
    let next = format!("Next: {}", report.next());
    [next].into_iter().chain(untried).chain(report.warnings.iter().cloned()).collect()
}

fn coverage(report: &Report) -> Vec<Coverage> {
    let of = report.shares().into_iter();
    of.map(|(section, shares)| Coverage {
        part: section.to_string(),
        examined: shares.examined(),
        reachable: report.whole(&shares),
        broken: shares.broken + shares.differs,
    })
    .collect()
}

fn case(clause: &ClauseReport, report: &Report) -> Entry {
    let names = |finding: &&FindingReport| {
        let also = finding.also.iter().map(|also| &also.clause);
        also.chain([&finding.found.clause]).any(|name| *name == clause.clause)
    };
    let findings: Vec<&FindingReport> = report.findings.iter().filter(names).collect();
    let (status, message) = status(clause, &findings, report);
    let section = Clause::find(&clause.clause).map(|clause| clause.section().to_string());
    let details: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Entry {
        id: clause.clause.clone(),
        name: clause.wording.clone(),
        suites: section.into_iter().chain([clause.place.clone()]).collect(),
        status,
        own_status: clause.status.words().to_owned(),
        message,
        details: (!details.is_empty()).then(|| details.join("\n")),
    }
}

/// A duty of the client as a case.
fn duty(duty: &DutyReport) -> Entry {
    let status = match duty.state {
        DutyState::Met => EntryStatus::Passed,
        DutyState::Broken => EntryStatus::Failed,
        DutyState::NotSeen => EntryStatus::Skipped,
    };
    let own_status = match duty.state {
        DutyState::Met => "met",
        DutyState::Broken => "broken",
        DutyState::NotSeen => "not seen",
    };
    Entry {
        id: format!("client.{}", duty.duty),
        name: duty.wording.clone(),
        suites: vec!["The client".to_owned(), duty.place.clone()],
        status,
        own_status: own_status.to_owned(),
        message: (duty.state != DutyState::Met).then(|| own_status.to_owned()),
        details: (!duty.shown.is_empty()).then(|| duty.shown.join("\n")),
    }
}

fn breach(duty: &DutyReport) -> Issue {
    Issue {
        fingerprint: fingerprint(&["client", &duty.duty]),
        severity: Severity::Error,
        rule: duty.clause.clone(),
        place: duty.place.clone(),
        title: duty.wording.clone(),
        subject: format!("the client: {}", duty.duty),
        expected: String::new(),
        seen: duty.shown.join("; "),
        replay: None,
        file: None,
    }
}

/// The status of a case, and why. It fails if the clause fails the run; known findings do not.
fn status(
    clause: &ClauseReport,
    findings: &[&FindingReport],
    report: &Report,
) -> (EntryStatus, Option<String>) {
    let known = !findings.is_empty() && findings.iter().all(|finding| finding.known);
    let fails = |verdict| report.fail_on.contains(&verdict);
    let words = clause.status.words();
    let found = || match findings.first() {
        Some(finding) => Some(finding.found.to_string()),
        None => Some(format!("{words} in {}", counted(clause.broken, "case"))),
    };
    let why = || match clause.reason.as_deref() {
        Some(reason) => Some(format!("{words}: {reason}")),
        None => Some(words.to_owned()),
    };
    match clause.status {
        _ if known => (EntryStatus::Skipped, Some("known: the baseline has it".to_owned())),
        Status::Violated => (EntryStatus::Failed, found()),
        Status::Stalled if fails(Verdict::Stalled) => (EntryStatus::Failed, found()),
        Status::Differs if fails(Verdict::DiffersFromAssumption) => (EntryStatus::Failed, found()),
        Status::Inconclusive if clause.broken > 0 => (EntryStatus::Broken, found()),
        Status::Stalled | Status::Differs => (EntryStatus::Passed, found()),
        Status::Held | Status::Covered | Status::Argued => {
            (EntryStatus::Passed, clause.reason.clone())
        }
        Status::Inconclusive | Status::NotMet | Status::OutOfReach | Status::NotObservable => {
            (EntryStatus::Skipped, why())
        }
    }
}

/// The findings outside the baseline, the worst first.
fn issues(report: &Report) -> Vec<Issue> {
    let new = report.findings.iter().filter(|finding| !finding.known);
    let mut issues: Vec<Issue> = new.map(|finding| issue(finding, report)).collect();
    issues.sort_by_key(|issue| issue.severity);
    issues
}

fn issue(finding: &FindingReport, report: &Report) -> Issue {
    let found = &finding.found;
    Issue {
        fingerprint: finding.fingerprint.clone(),
        severity: match found.verdict {
            Verdict::Violated => Severity::Error,
            verdict if report.fail_on.contains(&verdict) => Severity::Error,
            Verdict::Inconclusive | Verdict::Stalled => Severity::Warning,
            Verdict::DiffersFromAssumption => Severity::Notice,
        },
        rule: found.clause.clone(),
        place: found.place.clone(),
        title: found.wording.clone(),
        subject: format!("{}: {}", found.operation, found.field),
        expected: found.expected.clone(),
        seen: found.seen.clone(),
        replay: finding.replay.clone(),
        file: None,
    }
}

//! A report as JUnit XML: a test case for the outcome, and one for each clause.

use std::time::Duration;

use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::evidence::finding::Verdict;
use crate::evidence::outcome::Outcome;
use crate::report::document::{ClauseReport, FindingReport, Report, Status};

/// The report as JUnit XML.
///
/// # Errors
/// Those of the writer, which has none.
pub fn junit(report: &Report) -> Result<String, SerializeError> {
    let time = Duration::from_millis(report.milliseconds);
    let mut suite = TestSuite::new(format!("{}, seed {}", report.target, report.seed));
    suite.set_time(time);
    suite.add_test_case(outcome(report));
    suite.add_test_cases(report.clauses.iter().map(|clause| case(clause, report)));
    let mut written = quick_junit::Report::new("tideover");
    written.set_time(time).add_test_suite(suite);
    written.to_string()
}

/// The outcome as a test case, so that a run that ended early is no success.
fn outcome(report: &Report) -> TestCase {
    let status = match report.outcome {
        Outcome::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Interrupted | Outcome::Inconclusive => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        Outcome::Stalled | Outcome::Differs | Outcome::Partial | Outcome::Pass => {
            TestCaseStatus::success()
        }
    };
    let mut case = TestCase::new("outcome", status);
    case.status.set_message(report.headline.as_str());
    case.set_classname("tideover");
    case.set_system_out(&report.headline);
    case
}

fn case(clause: &ClauseReport, report: &Report) -> TestCase {
    let names = |finding: &&FindingReport| {
        let also = finding.also.iter().map(|also| &also.clause);
        also.chain([&finding.found.clause]).any(|name| *name == clause.clause)
    };
    let findings: Vec<&FindingReport> = report.findings.iter().filter(names).collect();
    let mut case = TestCase::new(
        format!("{} {}", clause.clause, clause.wording),
        status(clause, &findings, report),
    );
    case.set_classname(format!("tideover.{}", clause.place));
    if !findings.is_empty() {
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        case.set_system_out(lines.join("\n"));
    } else if let (Status::Covered | Status::Argued, Some(reason)) = (clause.status, &clause.reason)
    {
        case.set_system_out(reason);
    }
    case
}

/// The status of a test case. It fails if the clause fails the run; known findings do not.
fn status(clause: &ClauseReport, findings: &[&FindingReport], report: &Report) -> TestCaseStatus {
    let known = !findings.is_empty() && findings.iter().all(|finding| finding.known);
    let kind = match clause.status {
        _ if known => return skipped("known: the baseline has it"),
        Status::Violated => NonSuccessKind::Failure,
        Status::Stalled if report.fail_on.contains(&Verdict::Stalled) => NonSuccessKind::Failure,
        Status::Differs if report.fail_on.contains(&Verdict::DiffersFromAssumption) => {
            NonSuccessKind::Failure
        }
        Status::Inconclusive if clause.broken > 0 => NonSuccessKind::Error,
        Status::Stalled | Status::Differs | Status::Held | Status::Covered | Status::Argued => {
            return TestCaseStatus::success();
        }
        Status::Inconclusive | Status::NotMet | Status::OutOfReach | Status::NotObservable => {
            let words = clause.status.words();
            let reason = clause.reason.as_deref().map(|reason| format!("{words}: {reason}"));
            return skipped(&reason.unwrap_or_else(|| words.to_owned()));
        }
    };
    let mut failed = TestCaseStatus::non_success(kind);
    let message = match findings.first() {
        Some(finding) => finding.found.to_string(),
        None => format!("broken in {} cases", clause.broken),
    };
    failed.set_message(message);
    failed
}

fn skipped(reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(reason);
    status
}

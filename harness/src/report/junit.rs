//! A report as JUnit XML: a test case for each clause.

use std::time::Duration;

use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::report::document::{ClauseReport, FindingReport, Report, Status};

/// The report as JUnit XML.
///
/// # Errors
/// Those of the writer, which has none.
pub fn junit(report: &Report) -> Result<String, SerializeError> {
    let time = Duration::from_millis(report.milliseconds);
    let mut suite = TestSuite::new(format!("{}, seed {}", report.target, report.seed));
    suite.set_time(time);
    suite.add_test_cases(report.clauses.iter().map(|clause| case(clause, &report.findings)));
    let mut written = quick_junit::Report::new("tideover");
    written.set_time(time).add_test_suite(suite);
    written.to_string()
}

fn case(clause: &ClauseReport, findings: &[FindingReport]) -> TestCase {
    let names = |finding: &&FindingReport| {
        let also = finding.also.iter().map(|also| &also.clause);
        also.chain([&finding.found.clause]).any(|name| *name == clause.clause)
    };
    let findings: Vec<&FindingReport> = findings.iter().filter(names).collect();
    let mut case =
        TestCase::new(format!("{} {}", clause.clause, clause.wording), status(clause, &findings));
    case.set_classname(format!("tideover.{}", clause.place));
    if !findings.is_empty() {
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        case.set_system_out(lines.join("\n"));
    } else if let (Status::Covered, Some(reason)) = (clause.status, &clause.reason) {
        case.set_system_out(reason);
    }
    case
}

/// The status of a test case. Differences from assumptions and known findings do not fail it.
fn status(clause: &ClauseReport, findings: &[&FindingReport]) -> TestCaseStatus {
    let known = !findings.is_empty() && findings.iter().all(|finding| finding.known);
    let kind = match clause.status {
        _ if known => return skipped("known: the baseline has it"),
        Status::Violated | Status::Stalled => NonSuccessKind::Failure,
        Status::Inconclusive if clause.broken > 0 => NonSuccessKind::Error,
        Status::Differs | Status::Held | Status::Covered => return TestCaseStatus::success(),
        Status::NotExercised => return skipped("the run never met it"),
        Status::Inconclusive | Status::Unreachable => {
            return skipped(clause.reason.as_deref().unwrap_or_default());
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

//! Results as JUnit XML.

use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::results::{Entry, EntryStatus, Results};

/// The results as JUnit XML.
///
/// # Errors
/// Those of the writer, which has none.
pub(crate) fn junit(results: &Results) -> Result<String, SerializeError> {
    let Results { command, target, took, facts, .. } = results;
    let mut suite = TestSuite::new(format!("tideover {command}: {target}"));
    suite.set_time(*took);
    suite.add_property(("outcome", results.outcome.name()));
    suite.add_property(("headline", results.headline.as_str()));
    for (name, value) in facts {
        suite.add_property((*name, value.as_str()));
    }
    suite.add_test_cases(results.cases.iter().map(|case| written(results, case)));
    if !results.notes.is_empty() {
        suite.set_system_out(results.notes.join("\n"));
    }
    let mut written = quick_junit::Report::new("tideover");
    written.set_time(*took).add_test_suite(suite);
    written.to_string()
}

fn written(results: &Results, case: &Entry) -> TestCase {
    let message = case.message.as_deref().unwrap_or(&case.own_status);
    let mut status = match case.status {
        EntryStatus::Passed => TestCaseStatus::success(),
        EntryStatus::Skipped => TestCaseStatus::skipped(),
        EntryStatus::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        EntryStatus::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    if case.status != EntryStatus::Passed {
        status.set_message(message);
    }
    let mut written = TestCase::new(case.title(), status);
    written.set_classname(format!("tideover.{}", case.suites.join(".")));
    written.set_time(results.lasted(case));
    let shown = case.details.as_deref().or(match case.status {
        EntryStatus::Passed => case.message.as_deref(),
        EntryStatus::Failed | EntryStatus::Broken | EntryStatus::Skipped => None,
    });
    if let Some(shown) = shown {
        written.set_system_out(shown);
    }
    written
}

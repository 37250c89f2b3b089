//! Results in the Common Test Report Format (<https://ctrf.io>).

use serde::Serialize;
use serde_json::{Map, Value};

use crate::results::{Entry, EntryStatus, Issue, Results, VERSION, milliseconds};

/// The version of the format.
const SPECIFICATION: &str = "0.0.0";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    report_format: &'static str,
    spec_version: &'static str,
    timestamp: String,
    generated_by: String,
    results: Body<'a>,
}

#[derive(Serialize)]
struct Body<'a> {
    tool: Tool,
    summary: Summary,
    tests: Vec<Test<'a>>,
    environment: Environment<'a>,
    extra: Value,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// The counts. Times in milliseconds since 1970, the duration in milliseconds.
#[derive(Serialize)]
struct Summary {
    tests: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
    pending: usize,
    other: usize,
    start: i64,
    stop: i64,
    duration: i64,
}

/// A case. Only the run as a whole has a duration.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Test<'a> {
    test_id: &'a str,
    name: String,
    status: &'static str,
    duration: i64,
    suite: &'a [String],
    raw_status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Environment<'a> {
    report_name: String,
    app_name: &'a str,
    healthy: bool,
}

/// The results as a line of JSON.
pub(crate) fn ctrf(results: &Results) -> String {
    let document = Document {
        report_format: "CTRF",
        spec_version: SPECIFICATION,
        timestamp: results.began.to_string(),
        generated_by: format!("tideover {VERSION}"),
        results: Body {
            tool: Tool { name: "tideover", version: VERSION },
            summary: summary(results),
            tests: results.cases.iter().map(|case| test(results, case)).collect(),
            environment: Environment {
                report_name: format!("tideover {}", results.command),
                app_name: &results.target,
                healthy: results.outcome.passes(),
            },
            extra: extra(results),
        },
    };
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}

fn summary(results: &Results) -> Summary {
    let count = |status| results.count(status);
    let (start, stop) = (results.began_at(), results.ended_at());
    Summary {
        tests: results.cases.len(),
        passed: count(EntryStatus::Passed),
        failed: count(EntryStatus::Failed),
        skipped: count(EntryStatus::Skipped),
        pending: 0,
        other: count(EntryStatus::Broken),
        start,
        stop,
        duration: stop - start,
    }
}

fn test<'a>(results: &Results, case: &'a Entry) -> Test<'a> {
    Test {
        test_id: &case.id,
        name: case.title(),
        status: match case.status {
            EntryStatus::Passed => "passed",
            EntryStatus::Failed => "failed",
            EntryStatus::Broken => "other",
            EntryStatus::Skipped => "skipped",
        },
        duration: milliseconds(results.lasted(case)),
        suite: &case.suites,
        raw_status: &case.own_status,
        message: case.message.as_deref(),
        trace: case.details.as_deref(),
    }
}

/// What the format has no place for: outcome, headline, facts, and the issues with their replay commands.
fn extra(results: &Results) -> Value {
    let facts = results.facts.iter();
    let facts: Map<String, Value> =
        facts.map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str()))).collect();
    let issues = results.issues.iter().map(|issue| {
        let Issue { fingerprint, rule, place, subject, expected, seen, replay, .. } = issue;
        serde_json::json!({
            "fingerprint": fingerprint,
            "rule": rule,
            "place": place,
            "subject": subject,
            "expected": expected,
            "seen": seen,
            "replay": replay,
        })
    });
    serde_json::json!({
        "outcome": results.outcome,
        "headline": results.headline,
        "facts": facts,
        "issues": issues.collect::<Vec<_>>(),
        "notes": results.notes,
    })
}

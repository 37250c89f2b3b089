//! Results as a folder that Allure reads (<https://allurereport.org/docs/how-it-works-test-result-file/>).

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::results::{Entry, EntryStatus, Results, VERSION, milliseconds};

/// The result of a case, in a file of its own. Times in milliseconds since 1970.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TestResult<'a> {
    uuid: &'a str,
    history_id: String,
    test_case_id: String,
    full_name: String,
    name: String,
    title_path: &'a [String],
    status: &'static str,
    status_details: StatusDetails<'a>,
    stage: &'static str,
    start: i64,
    stop: i64,
    labels: Vec<Label<'a>>,
}

#[derive(Serialize)]
struct StatusDetails<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a str>,
}

#[derive(Serialize)]
struct Label<'a> {
    name: &'static str,
    value: &'a str,
}

/// The files of the folder: one for each case, the environment and the categories.
pub(crate) fn allure(results: &Results) -> Vec<(String, String)> {
    let cases = results.cases.iter().map(|case| {
        let uuid = uuid(results, case);
        let result = test_result(results, case, &uuid);
        (format!("{uuid}-result.json"), serde_json::to_string(&result).unwrap_or_default())
    });
    let others = [
        ("environment.properties".to_owned(), environment(results)),
        ("categories.json".to_owned(), categories()),
    ];
    cases.chain(others).collect()
}

fn test_result<'a>(results: &Results, case: &'a Entry, uuid: &'a str) -> TestResult<'a> {
    let full_name = format!("tideover.{}:{}", results.command, case.id);
    let identifier = hex(&[&full_name]);
    TestResult {
        uuid,
        history_id: identifier.clone(),
        test_case_id: identifier,
        full_name,
        name: case.title(),
        title_path: &case.suites,
        status: match case.status {
            EntryStatus::Passed => "passed",
            EntryStatus::Failed => "failed",
            EntryStatus::Broken => "broken",
            EntryStatus::Skipped => "skipped",
        },
        status_details: StatusDetails {
            message: case.message.as_deref(),
            trace: case.details.as_deref(),
        },
        stage: "finished",
        start: results.began_at(),
        stop: results.began_at() + milliseconds(results.lasted(case)),
        labels: labels(case),
    }
}

fn labels(case: &Entry) -> Vec<Label<'_>> {
    let names = ["parentSuite", "suite", "subSuite"];
    // One group alone is the suite.
    let names = if case.suites.len() == 1 { &names[1..] } else { &names[..] };
    let suites = names.iter().zip(&case.suites).map(|(name, value)| Label { name, value });
    let others = [("framework", "tideover"), ("layer", "api"), ("tag", case.own_status.as_str())];
    suites.chain(others.map(|(name, value)| Label { name, value })).collect()
}

/// The facts of the run as Java properties.
fn environment(results: &Results) -> String {
    let own = [
        ("command", format!("tideover {}", results.command)),
        ("version", VERSION.to_owned()),
        ("target", results.target.clone()),
        ("outcome", results.outcome.name().to_owned()),
    ];
    let facts = results.facts.iter().map(|(name, value)| (*name, value.clone()));
    own.into_iter().chain(facts).fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{} = {}", name.replace(' ', "_"), property(&value));
        text
    })
}

/// A value of a property, on one line.
fn property(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// What a status means, for the tab of categories.
fn categories() -> String {
    json!([
        { "name": "The contract is violated", "matchedStatuses": ["failed"] },
        { "name": "Nothing can be concluded", "matchedStatuses": ["broken"] },
        { "name": "Not examined", "matchedStatuses": ["skipped"] },
    ])
    .to_string()
}

/// An identifier that no other case and no other run has, of version 8: it is made from what it names.
fn uuid(results: &Results, case: &Entry) -> String {
    let (began, took) = (results.began.to_string(), results.took.as_nanos().to_string());
    let seed = results.facts.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join("\n");
    let mut digits = hex(&[&results.command, &results.target, &began, &took, &seed, &case.id]);
    digits.replace_range(12..13, "8");
    digits.replace_range(16..17, "8");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}

/// 32 digits that stand for the texts.
fn hex(texts: &[&str]) -> String {
    let digest = Sha256::digest(texts.join("\0"));
    const_hex::encode(&digest[..16])
}

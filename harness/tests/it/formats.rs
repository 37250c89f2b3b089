//! The reports that CI reads: each format, by the rules of whoever reads it, and every command that writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};
use tideover_exchange::evidence::outcome::Outcome;
use tideover_exchange::start;
use tideover_report::results::{Coverage, Entry, EntryStatus, Issue, Results, Severity};
use tideover_report::{Format, Rendered, Report, Reported};

use crate::support::command::tideover;
use crate::support::pages::page;
use crate::support::receiver::{Fault, Receiver, SECRET};
use crate::support::reports::{plan, report, with_defect};

/// The report of a run with a finding of two clauses.
async fn found() -> Report {
    let plan = plan(60);
    report(&plan, &with_defect("void-invoices-are-fundable", &plan).await, None)
}

fn file(format: Format, reported: &dyn Reported) -> String {
    match format.render(reported).unwrap() {
        Rendered::File(text) => text,
        Rendered::Folder(files) => panic!("{} files", files.len()),
    }
}

fn folder(format: Format, reported: &dyn Reported) -> Vec<(String, String)> {
    match format.render(reported).unwrap() {
        Rendered::Folder(files) => files,
        Rendered::File(text) => panic!("{text}"),
    }
}

/// Results of a check with three findings, written by hand.
fn small() -> Results {
    let span = (start(), Duration::from_millis(83_400));
    let reason = "4.advances.2 violated; 54 of 60 clauses in reach examined, 40 proven, 12 argued";
    let mut results = Results::new("check", "https://staging.example", Outcome::Fail, reason, span);
    let case = |id: &str, status, own_status: &str| Entry {
        id: id.to_owned(),
        name: "what the clause says".to_owned(),
        suites: vec!["§4 Endpoints".to_owned(), "§4 POST /v1/advances rule 2".to_owned()],
        status,
        own_status: own_status.to_owned(),
        message: None,
        details: None,
    };
    results.cases.push(case("4.advances.2", EntryStatus::Failed, "violated"));
    results.cases.push(case("4.advances.3", EntryStatus::Passed, "held"));
    results.cases.push(case("4.advances.4", EntryStatus::Skipped, "not met"));
    let issue = |severity, rule: &str, replay: Option<&str>| Issue {
        fingerprint: format!("0000{rule}"),
        severity,
        rule: rule.to_owned(),
        place: "§4 POST /v1/advances rule 2".to_owned(),
        title: "A repeat request returns the existing advance.".to_owned(),
        subject: "POST /v1/advances: alreadyRequested".to_owned(),
        expected: "true".to_owned(),
        seen: format!("false {}", "and so on ".repeat(30)),
        replay: replay.map(str::to_owned),
        file: None,
    };
    let replay = "tideover replay 'tideover-failure.jsonl' --target 'https://staging.example'";
    results.issues.push(issue(Severity::Error, "4.advances.2", Some(replay)));
    results.issues.push(issue(Severity::Warning, "3.onboarding.3", None));
    results.issues.push(issue(Severity::Notice, "gap.retrySchedule", None));
    let coverage = |part: &str, examined, broken| Coverage {
        part: part.to_owned(),
        examined,
        reachable: 30,
        broken,
    };
    results.coverage = vec![coverage("§4 Endpoints", 30, 1), coverage("§6 Events", 24, 0)];
    results.facts =
        vec![("seed", "7".to_owned()), ("played", "1,204 steps in 30 cases".to_owned())];
    results.notes = vec!["Next: Read the first finding.".to_owned()];
    results
}

#[test]
fn a_summary_reads_well() {
    insta::assert_snapshot!(file(Format::Summary, &small()));
}

#[test]
fn annotations_are_commands_of_a_workflow() {
    insta::assert_snapshot!(file(Format::Github, &small()));
}

/// GitHub shows ten annotations of a kind: the last one says how many are left out.
#[test]
fn more_annotations_than_are_shown_are_counted() {
    let mut results = small();
    let first = results.issues[0].clone();
    results.issues = vec![first; 30];
    let annotations = file(Format::Github, &results);
    assert_eq!(annotations.lines().count(), 10);
    let last = annotations.lines().last().unwrap();
    assert_eq!(last, "::error title=tideover check::and 22 more; see the summary");
}

/// What a target says cannot end a command, a table or a page.
#[tokio::test]
async fn no_value_leaves_its_place() {
    const EVIL: &str = "\n::set-env name=X::y\r\n| a | `b` ``` <script>alert(1)</script> ]]> & 5%";
    let mut report = found().await;
    report.target = EVIL.to_owned();
    report.headline = format!("FAIL: {EVIL}");
    let finding = &mut report.findings[0];
    (finding.found.seen, finding.found.operation) = (EVIL.to_owned(), EVIL.to_owned());
    finding.replay = Some(EVIL.to_owned());
    let annotations = file(Format::Github, &report);
    for line in annotations.lines() {
        assert!(line.starts_with("::error title=") && !line.contains('\r'), "{line}");
    }
    let summary = file(Format::Summary, &report);
    assert!(!summary.contains("<script>alert") || summary.contains("````sh"), "{summary}");
    let rows = |text: &str| text.lines().filter(|line| line.starts_with("| ❌")).count();
    assert_eq!(rows(&summary), 1);
    let row = summary.lines().find(|line| line.starts_with("| ❌")).unwrap();
    assert_eq!(row.matches('|').count(), 6, "{row}");
    let junit = file(Format::Junit, &report);
    assert!(quick_junit::Report::deserialize_from_str(&junit).is_ok());
    for format in [Format::Ctrf, Format::Gitlab] {
        let written: Value = serde_json::from_str(&file(format, &report)).unwrap();
        assert!(written.to_string().contains("set-env"));
    }
}

fn assert_is_ctrf(text: &str) -> Value {
    let schema: Value = serde_json::from_str(&page("fixtures/reports/ctrf-schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let written: Value = serde_json::from_str(text).unwrap();
    let problems: Vec<_> = validator.iter_errors(&written).map(|it| it.to_string()).collect();
    assert_eq!(problems, [""; 0], "{written:#}");
    let tests = written["results"]["tests"].as_array().unwrap();
    for status in ["passed", "failed", "skipped", "other"] {
        let count = tests.iter().filter(|test| test["status"] == status).count();
        assert_eq!(written["results"]["summary"][status], count, "{status}");
    }
    assert_eq!(written["results"]["summary"]["tests"], tests.len());
    written
}

#[tokio::test]
async fn ctrf_is_valid() {
    let report = found().await;
    let written = assert_is_ctrf(&file(Format::Ctrf, &report));
    assert_eq!(written["results"]["summary"]["failed"], 2, "the outcome and a clause");
    let (start, stop) = ("start", "stop");
    let summary = &written["results"]["summary"];
    assert_eq!(summary[stop].as_i64().unwrap() - summary[start].as_i64().unwrap(), 1234);
    assert_eq!(written["results"]["extra"]["outcome"], "fail");
    assert_eq!(written["results"]["environment"]["healthy"], false);
}

/// Each result is a file by its own identifier, with the fields of Allure's documentation.
fn assert_is_allure(files: &[(String, String)]) {
    let results = files.iter().filter(|(name, _)| name.ends_with("-result.json"));
    let mut identifiers = BTreeSet::new();
    for (name, text) in results {
        let result: Value = serde_json::from_str(text).unwrap();
        let uuid = result["uuid"].as_str().unwrap();
        assert_eq!(*name, format!("{uuid}-result.json"));
        let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12], "{uuid}");
        assert!(identifiers.insert(uuid.to_owned()), "{uuid} occurs twice");
        let status = result["status"].as_str().unwrap();
        assert!(["passed", "failed", "broken", "skipped"].contains(&status), "{status}");
        assert!(result["stop"].as_i64() >= result["start"].as_i64());
        assert_eq!(result["stage"], "finished");
        let labels = result["labels"].as_array().unwrap();
        assert!(labels.iter().any(|label| label["name"] == "suite"), "{labels:?}");
        for key in ["historyId", "testCaseId", "fullName", "name"] {
            assert!(!result[key].as_str().unwrap().is_empty(), "{key}");
        }
    }
    assert!(identifiers.len() > 1);
    let of = |name: &str| &files.iter().find(|(other, _)| other == name).unwrap().1;
    let lines = of("environment.properties").lines();
    assert!(lines.clone().count() >= 4 && lines.clone().all(|line| line.contains(" = ")));
    assert!(serde_json::from_str::<Value>(of("categories.json")).unwrap().is_array());
}

#[tokio::test]
async fn allure_reads_a_file_for_each_case() {
    let report = found().await;
    let files = folder(Format::Allure, &report);
    assert_is_allure(&files);
    let failed = files.iter().filter(|(_, text)| text.contains("\"status\":\"failed\""));
    assert_eq!(failed.count(), 2);
    // Another run of the same cases has other results of the same cases.
    let mut later = report.clone();
    later.began = later.began.after_milliseconds(60_000);
    let key = |files: &[(String, String)], key: &str| -> BTreeSet<String> {
        let results = files.iter().filter(|(name, _)| name.ends_with("-result.json"));
        let results = results.map(|(_, text)| serde_json::from_str::<Value>(text).unwrap());
        results.map(|result| result[key].as_str().unwrap().to_owned()).collect()
    };
    let later = folder(Format::Allure, &later);
    assert_eq!(key(&files, "historyId"), key(&later, "historyId"));
    assert!(key(&files, "uuid").is_disjoint(&key(&later, "uuid")));
}

#[tokio::test]
async fn gitlab_reads_a_violation_for_each_finding() {
    let report = found().await;
    let written: Value = serde_json::from_str(&file(Format::Gitlab, &report)).unwrap();
    let [violation] = &written.as_array().unwrap()[..] else { panic!("{written}") };
    assert_eq!(violation["check_name"], "2.invoice.fundable");
    assert_eq!(violation["fingerprint"], report.findings[0].fingerprint);
    assert_eq!(violation["severity"], "critical");
    assert_eq!(violation["location"]["lines"]["begin"], 1);
    assert!(violation["location"]["path"].is_string());
    let description = violation["description"].as_str().unwrap();
    assert!(description.contains("expected false, seen true"), "{description}");
}

/// A known finding is no issue, and one that does not fail the run is none that fails.
#[tokio::test]
async fn the_baseline_silences_what_is_known() {
    let mut report = found().await;
    report.findings[0].known = true;
    assert_eq!(serde_json::from_str::<Value>(&file(Format::Gitlab, &report)).unwrap(), json!([]));
    assert_eq!(file(Format::Github, &report).lines().count(), 1, "the headline alone");
}

/// The names of the options that ask for every format, in a folder.
fn every_format(folder: &Path) -> Vec<String> {
    let wanted = Format::ALL.map(|format| {
        let path = folder.join(format.name());
        format!("--report={}={}", format.name(), path.display())
    });
    wanted.to_vec()
}

/// What a command wrote in every format agrees with its exit code.
fn assert_agree(folder: &Path, command: &str, output: &Output) {
    let code = output.status.code();
    let complaint = String::from_utf8_lossy(&output.stderr);
    let read = |format: Format| {
        std::fs::read_to_string(folder.join(format.name()))
            .unwrap_or_else(|error| panic!("{command}: {}: {error}: {complaint}", format.name()))
    };
    let ctrf = assert_is_ctrf(&read(Format::Ctrf));
    let headline = ctrf["results"]["extra"]["headline"].as_str().unwrap();
    let passes = code == Some(0);
    assert_eq!(ctrf["results"]["environment"]["healthy"], passes, "{command}: {headline}");
    assert_eq!(headline.starts_with("PASS"), passes, "{command}: {headline}");
    let report_name = format!("tideover {command}");
    assert_eq!(ctrf["results"]["environment"]["reportName"], report_name);
    let junit = quick_junit::Report::deserialize_from_str(&read(Format::Junit)).unwrap();
    assert_eq!(junit.failures + junit.errors == 0, passes, "{command}");
    assert!(junit.tests > 1, "{command}: {}", junit.tests);
    let kind = if passes { "::notice " } else { "::error " };
    assert!(read(Format::Github).starts_with(kind), "{command}");
    assert!(read(Format::Summary).starts_with(if passes { "## ✅ PASS" } else { "## ❌ " }));
    let violations: Value = serde_json::from_str(&read(Format::Gitlab)).unwrap();
    assert_eq!(violations.as_array().unwrap().is_empty(), code != Some(1), "{command}");
    assert!(read(Format::Html).starts_with("<!doctype html>"), "{command}");
    let files = std::fs::read_dir(folder.join(Format::Allure.name())).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    assert_is_allure(&files.collect::<Vec<_>>());
}

fn run(arguments: &[&str], code: i32) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tideover();
    command.args(arguments).args(every_format(folder.path())).current_dir(&folder);
    let output = command.env("TIDEOVER_SECRET", SECRET).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {complaint}");
    assert_agree(folder.path(), arguments[0], &output);
}

#[test]
fn a_check_writes_every_format() {
    run(&["check", "--in-process", "--seed", "1", "--cases", "40"], 0);
    let defect = ["--defect", "void-invoices-are-fundable"];
    let check = ["check", "--in-process", "--seed", "1", "--cases", "40"];
    run(&[&check[..], &defect].concat(), 1);
}

#[test]
fn a_search_writes_every_format() {
    run(&["explore", "--world", "limit", "--max-states", "300"], 3);
    run(&["explore", "--world", "import", "--bug", "limit-forgotten"], 1);
}

#[test]
fn a_proof_writes_every_format() {
    run(&["prove", "--as", "all", "--seeds", "1", "--defect", "list-shows-secrets"], 0);
}

#[test]
fn a_simulation_writes_every_format() {
    run(&["simulate", "--seed", "7"], 0);
    run(&["simulate", "--seeds", "0..3"], 0);
    run(&["simulate", "--seeds", "0..300", "--bug", "client-repeats-subscribe"], 1);
}

#[tokio::test]
async fn an_examination_writes_every_format() {
    for (fault, code) in [(Fault::BelievesTheFuture, 1), (Fault::None, 0)] {
        let receiver = Receiver::start(fault, None).await;
        let url = receiver.url();
        tokio::task::spawn_blocking(move || run(&["receiver-check", "--url", &url], code))
            .await
            .unwrap();
    }
}

#[test]
fn recorded_traffic_is_judged_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let har = folder.path().join("traffic.har");
    let entry = json!({
        "startedDateTime": "2026-01-01T00:00:00Z", "time": 5,
        "request": { "method": "GET", "url": "https://api.example/v1/organizations/acme", "headers": [
            { "name": "Authorization", "value": "Bearer rap_sk_recorded" }] },
        "response": { "status": 200, "headers": [], "content": {
            "mimeType": "application/json", "text": "{\"externalId\":\"other\"}" } },
    });
    std::fs::write(&har, json!({ "log": { "entries": [entry] } }).to_string()).unwrap();
    run(&["judge", har.to_str().unwrap()], 1);
}

/// What other steps wrote into the summary of a step stays; any other file is written anew.
#[test]
fn a_step_summary_is_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let [shared, own] = ["shared.md", "own.md"].map(|name| folder.path().join(name));
    for path in [&shared, &own] {
        std::fs::write(path, "# Before\n").unwrap();
    }
    let run = |path: &PathBuf| {
        let mut command = tideover();
        command
            .args(["check", "--in-process", "--seed", "1", "--cases", "2", "--summary"])
            .arg(path);
        command.env("GITHUB_STEP_SUMMARY", &shared).current_dir(&folder);
        assert!(command.output().unwrap().status.success());
        std::fs::read_to_string(path).unwrap()
    };
    let written = run(&shared);
    assert!(written.starts_with("# Before\n## ✅ PASS"), "{written}");
    let written = run(&own);
    assert!(written.starts_with("## ✅ PASS"), "{written}");
}

/// A dash prints a report, after the report for people, and beside JSON on standard error.
#[test]
fn a_dash_prints_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = tideover();
        command.args(["check", "--in-process", "--seed", "1", "--cases", "2"]).args(more);
        let output = command.arg("--report=github=-").current_dir(&folder).output().unwrap();
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [stdout, _] = run(&[]);
    assert!(stdout.trim_end().lines().last().unwrap().starts_with("::notice title="), "{stdout}");
    let [stdout, stderr] = run(&["--json"]);
    assert!(serde_json::from_str::<Value>(&stdout).is_ok(), "{stdout}");
    assert!(stderr.starts_with("::notice title="), "{stderr}");
}

#[test]
fn a_wrong_report_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    for (wanted, said) in [
        ("pdf=x", "pdf is no format; the formats are html, summary, junit, ctrf, allure"),
        ("junit", "expected FORMAT=PATH, such as junit=report.xml"),
        ("allure=-", "allure needs a folder"),
        ("ctrf=nowhere/report.json", "nowhere/report.json could not be written"),
    ] {
        let mut command = tideover();
        command.args(["check", "--report", wanted]).current_dir(&folder);
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{wanted}: {stderr}");
        assert!(stderr.contains(said), "{wanted}: {stderr}");
    }
    let mut command = tideover();
    let same = ["check", "--report", "ctrf=same", "--junit", "same"];
    let output = command.args(same).current_dir(&folder).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("--junit and --report ctrf name one file"), "{stderr}");
}

/// A command that is refused after its files were tried leaves none behind, and no link less.
#[cfg(unix)]
#[test]
fn a_refused_run_leaves_no_empty_report() {
    let folder = tempfile::tempdir().unwrap();
    let there = |name| folder.path().join(name).symlink_metadata().is_ok();
    std::os::unix::fs::symlink("elsewhere.html", folder.path().join("link.html")).unwrap();
    let mut command = tideover();
    let files = ["--junit", "new.xml", "--html", "link.html", "--report", "ctrf=nowhere/x.json"];
    let output = command.arg("check").args(files).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(there("link.html"), "the link is kept");
    assert!(!there("new.xml") && !there("elsewhere.html"));
}

/// The help of each command that writes reports, and the guide, have every format.
#[test]
fn every_format_is_described() {
    let guide = page("docs/reports.md");
    for command in ["check", "judge", "receiver-check", "simulate", "explore", "prove"] {
        let output = tideover().args([command, "--help"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        for format in Format::ALL {
            let line = format!("{:8} {}", format.name(), format.purpose());
            assert!(help.contains(&line), "{command} --help does not say\n{line}");
            let row = format!("| `{}` |", format.name());
            assert!(guide.contains(&row), "the guide has no row\n{row}");
        }
    }
}

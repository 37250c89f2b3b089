//! Each file of `fixtures/recordings/` is recorded traffic with the verdict that it must get.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::pages::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fixture {
    #[expect(dead_code, reason = "for readers")]
    about: String,
    exchanges: Vec<RecordedExchange>,
    expected: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedExchange {
    /// Method and path.
    request: String,
    body: Option<Value>,
    status: u16,
    response: Option<Value>,
    /// What its HAR entry has otherwise; `null` removes a field.
    #[serde(default)]
    har: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    exit: i32,
    /// Clause and verdict of each finding, in order.
    findings: Vec<String>,
    /// What the output contains.
    #[serde(default)]
    shows: Vec<String>,
    /// What the output does not contain.
    #[serde(default)]
    hides: Vec<String>,
}

#[test]
fn each_recording_gets_its_verdict() {
    let folder = root().join("fixtures/recordings");
    let mut wrong = Vec::new();
    let mut judged = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let fixture: Fixture =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        wrong.extend(differences(&fixture).into_iter().map(|it| format!("{path:?}: {it}")));
        judged += 1;
    }
    assert!(judged > 0, "there is no recording");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `judge` does otherwise than expected.
fn differences(fixture: &Fixture) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("traffic.har");
    fs::write(&archive, archive_of(&fixture.exchanges).to_string()).unwrap();
    let (exit, text) = judge(&archive);
    let Expected { exit: wanted, findings, shows, hides } = &fixture.expected;
    let mut differences = Vec::new();
    if exit != Some(*wanted) {
        differences.push(format!("exits with {exit:?} instead of {wanted}"));
    }
    let found = findings_of(&text);
    if found != *findings {
        differences.push(format!("finds {found:?} instead of {findings:?}"));
    }
    let missing = shows.iter().filter(|words| !text.contains(words.as_str()));
    differences.extend(missing.map(|words| format!("does not show {words:?}")));
    let surplus = hides.iter().filter(|words| text.contains(words.as_str()));
    differences.extend(surplus.map(|words| format!("shows {words:?}")));
    if !differences.is_empty() {
        differences.push(text);
    }
    differences
}

fn judge(archive: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = command.arg("judge").arg(archive).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

/// Clause and verdict of each finding that the output shows.
fn findings_of(text: &str) -> Vec<String> {
    let finding = |line: &str| {
        let mut words = line.split(' ');
        let (clause, verdict) = (words.next()?, words.next()?);
        let is_finding = !clause.is_empty() && !clause.ends_with(':');
        (is_finding && ["violated", "inconclusive", "stalled"].contains(&verdict))
            .then(|| format!("{clause} {verdict}"))
    };
    text.lines().filter_map(finding).collect()
}

/// A HAR archive of the exchanges, one each second.
fn archive_of(exchanges: &[RecordedExchange]) -> Value {
    let entries: Vec<Value> = exchanges.iter().enumerate().map(entry).collect();
    json!({ "log": { "version": "1.2", "entries": entries } })
}

fn entry((second, exchange): (usize, &RecordedExchange)) -> Value {
    let (method, path) = exchange.request.split_once(' ').unwrap();
    let mut request = json!({
        "method": method,
        "url": format!("https://api.example/base{path}"),
        "headers": [{ "name": "authorization", "value": "Bearer live_sk_recorded" }],
    });
    if let Some(body) = &exchange.body {
        request["postData"] = json!({ "mimeType": "application/json", "text": body.to_string() });
    }
    let mut content = json!({ "mimeType": "application/json" });
    if let Some(response) = &exchange.response {
        content["text"] = response.to_string().into();
    }
    let mut entry = json!({
        "startedDateTime": format!("2026-03-01T10:00:{second:02}.000Z"),
        "time": 12.5,
        "request": request,
        "response": { "status": exchange.status, "content": content },
    });
    patch(&mut entry, &exchange.har);
    entry
}

fn patch(value: &mut Value, changes: &Map<String, Value>) {
    for (name, change) in changes {
        match change {
            Value::Null => {
                value.as_object_mut().unwrap().remove(name);
            }
            Value::Object(inner) if value[name].is_object() => patch(&mut value[name], inner),
            change => value[name] = change.clone(),
        }
    }
}

//! A printed replay command reproduces its finding, or says that it does not and fails.

mod sandbox;
mod stability;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tideover_exchange::secrets::Secrets;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::transcript::{Header, Lanes, PlayedSteps, Transcript};
use tideover_exchange::{Race, start};
use tideover_model::Profile;

use crate::support::command::tideover;

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The findings of a check in `folder`.
fn findings(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let check = ["check", "--seed", "1", "--json"];
    let output = tideover().current_dir(folder).args(check).args(arguments).output().unwrap();
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    report["findings"].as_array().unwrap().clone()
}

/// Pastes a printed command into a shell.
fn paste(folder: &Path, command: &str) -> (Option<i32>, String) {
    let output = Command::new("sh").current_dir(folder).args(["-c", command]).output().unwrap();
    (output.status.code(), stdout(&output))
}

/// Findings of responses, of webhooks, and of requests at once, with HTTP and without.
const DEFECTS: [(&str, &[&str]); 5] = [
    ("void-invoices-are-fundable", &["--cases", "60", "--max-findings", "1"]),
    ("retries-have-bodies-of-their-own", &["--cases", "60", "--max-findings", "1"]),
    ("gone-is-not-heard", &["--cases", "60", "--max-findings", "1", "--in-process"]),
    (
        "race-returns-two-secrets-for-one-url",
        &["--cases", "12", "--concurrency", "4", "--steps", "40", "--in-process"],
    ),
    (
        "repeat-is-answered-as-the-first",
        &["--cases", "6", "--concurrency", "4", "--steps", "40", "--max-findings", "1"],
    ),
];

#[cfg(unix)]
#[test]
fn a_pasted_command_reproduces_its_finding_until_the_service_is_mended() {
    for (defect, options) in DEFECTS {
        let folder = tempfile::tempdir().unwrap();
        let arguments = [&["--defect", defect][..], options].concat();
        let found = findings(folder.path(), &arguments);
        assert!(!found.is_empty(), "{defect}");
        for finding in found {
            let replay = finding["replay"].as_str().unwrap();
            let clause = finding["clause"].as_str().unwrap();
            let (code, printed) = paste(folder.path(), replay);
            assert!(printed.starts_with("REPRODUCED  1 of "), "{defect}: {printed}");
            assert!(printed.lines().next().unwrap().contains(clause), "{printed}");
            assert_eq!(code, Some(1), "{defect}: {printed}");
            let mended = replay.replace(&format!(" --defect {defect}"), "");
            let (code, printed) = paste(folder.path(), &mended);
            assert!(printed.starts_with("NOT REPRODUCED  0 of "), "{defect}: {printed}");
            assert_eq!(code, Some(3), "{defect}: {printed}");
        }
    }
}

#[cfg(unix)]
#[test]
fn tries_count_how_often_a_finding_is_reproduced() {
    let folder = tempfile::tempdir().unwrap();
    let (defect, options) = DEFECTS[0];
    let found = findings(folder.path(), &[&["--defect", defect][..], options].concat());
    let replay = found[0]["replay"].as_str().unwrap();
    let (code, printed) = paste(folder.path(), &format!("{replay} --tries 4 --json"));
    assert_eq!(code, Some(1), "{printed}");
    let lines: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.iter().find(|line| line.get("reproduced").is_some()).unwrap();
    assert_eq!(last["reproduced"], json!({ "times": 4, "plays": 4 }));
    assert_eq!((&last["outcome"], &last["held"]), (&json!("fail"), &json!(false)));
    assert_eq!(last["expectedFinding"]["fingerprint"], found[0]["fingerprint"]);
    assert_eq!(lines[0]["expectedFinding"]["clause"], found[0]["clause"]);
    let mended = replay.replace(&format!(" --defect {defect}"), " --tries 2");
    let (code, printed) = paste(folder.path(), &mended);
    assert!(printed.starts_with("NOT REPRODUCED  0 of 2: 2.invoice.fundable"), "{printed}");
    assert_eq!(code, Some(3), "{printed}");
}

/// A replay that finds something else has not reproduced what it was asked to.
#[test]
fn another_finding_is_not_the_expected_one() {
    let folder = tempfile::tempdir().unwrap();
    let (defect, options) = DEFECTS[0];
    findings(folder.path(), &[&["--defect", defect][..], options].concat());
    let path = folder.path().join("tideover-failure.jsonl");
    let written = std::fs::read_to_string(&path).unwrap();
    let name = Transcript::read(&path).unwrap().finding.unwrap();
    let replay = || {
        let replay = ["replay", "tideover-failure.jsonl", "--defect", defect];
        let output = tideover().current_dir(folder.path()).args(replay).output().unwrap();
        (stdout(&output), output.status.code())
    };
    // The same clause in another response is the same finding.
    let written = written.replacen(&name.fingerprint, "000000000000", 1);
    std::fs::write(&path, &written).unwrap();
    let (printed, code) = replay();
    assert!(printed.starts_with("REPRODUCED  1 of 1"), "{printed}");
    assert_eq!(code, Some(1));
    std::fs::write(&path, written.replacen(&name.clause, "2.invoice.dueDate", 1)).unwrap();
    let (printed, code) = replay();
    assert!(printed.starts_with("NOT REPRODUCED  0 of 5"), "{printed}");
    assert!(printed.contains("2.invoice.fundable violated"), "{printed}");
    assert!(printed.contains("not reproduced in 5, another finding instead"), "{printed}");
    assert_eq!(code, Some(3));
}

/// Reads a webhook with its headers and its body, wherever a finding is shown.
#[test]
fn a_finding_shows_what_was_received() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (page, saved) = (path("r.html"), path("f.jsonl"));
    let check = ["check", "--seed", "1", "--cases", "40", "--max-findings", "1"];
    let defect = ["--defect", "attempts-are-signed-with-another-secret"];
    let check = [&check[..], &defect, &["--save", &saved, "--html", &page]].concat();
    let text = stdout(&tideover().args(&check).output().unwrap());
    let report = tideover().args(&check).arg("--json").output().unwrap();
    let report: Value = serde_json::from_str(&stdout(&report)).unwrap();
    let steps = report["findings"][0]["steps"].as_array().unwrap();
    let received = steps.iter().flat_map(|step| step["deliveries"].as_array().unwrap());
    let received: Vec<&Value> = received.collect();
    assert!(!received.is_empty(), "{report:#}");
    for delivery in &received {
        let event = delivery["event"].as_str().unwrap();
        assert!(event.starts_with("partner."), "{delivery}");
        assert!(text.contains(&format!("     received {event} on ")), "{text}");
        let names: Vec<&str> = delivery["headers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        assert_eq!(names[..2], ["Service-Delivery", "Service-Signature"], "{delivery}");
        assert!(names.contains(&"content-type"), "{delivery}");
        assert!(delivery["body"]["occurredAt"].is_string(), "{delivery}");
    }
    for part in ["Service-Delivery: ", "Service-Signature: t=", "\"occurredAt\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    for part in ["Service-Delivery: ", "Service-Signature: t=", "occurredAt"] {
        assert!(page.contains(part), "{part}");
    }
    let saved = std::fs::read_to_string(saved).unwrap();
    assert!(saved.contains(r#""received":[{"answered":200,"#), "{saved}");
    assert!(saved.contains(r#""Service-Signature":"t="#), "{saved}");
}

fn read(path: &str) -> Step {
    Step::new(Action::Call(Call::bare("GET", path)))
}

#[test]
fn a_race_keeps_its_clients_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("race.jsonl");
    let header = Header::new(1, start(), Profile::default());
    let steps: Vec<Step> = ["/0", "/1", "/2", "/3", "/4"].map(read).to_vec();
    let race = Some(Lanes { clients: vec![0, 2, 5, 2, 0], schedule: 7 });
    let written = Transcript { race, ..Transcript::new(header, steps.clone()) };
    written.write(&path, PlayedSteps::default(), &Secrets::default()).unwrap();
    let read = Transcript::read(&path).unwrap();
    assert_eq!((&read.race, &read.steps), (&written.race, &steps));
    let [zero, one, two, three, four] = <[Step; 5]>::try_from(steps).unwrap();
    let clients = vec![vec![one, three], vec![two]];
    let race = Race { before: vec![zero], clients, after: vec![four] };
    assert_eq!(read.as_race(), Some(race));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(r#","race":{"schedule":7}"#, "")).unwrap();
    let error = Transcript::read(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("line 3: a step has a client, and the first line has no race"),
        "{error}"
    );
}

//! The README's session is what is really printed.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use tideover_harness::endpoint::{Http, Target, inbox};
use tideover_harness::exchange::Memory;
use tideover_harness::exchange::step::{Action, Call, Step};
use tideover_harness::exchange::{Arrival, Body, Prepared};
use tideover_harness::generate;
use tideover_harness::prove::defects::Setup;
use tideover_harness::prove::{Budget, defects, prove};
use tideover_harness::report::matrix::Matrix;
use tideover_model::{Destinations, Timestamp};
use tideover_sim::Mock;

/// The commands of the session, each with what was printed.
pub(crate) fn session() -> Vec<(String, String)> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let (_, after) = readme.split_once("$ api() {").unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let mut lines = block.lines().skip(1).peekable();
    let mut session = Vec::new();
    while let Some(command) = lines.next() {
        let command = command.strip_prefix("$ api ").unwrap().to_owned();
        session.push((command, lines.next().unwrap().to_owned()));
    }
    session
}

pub(crate) fn step(command: &str) -> Step {
    let (method, rest) = command.split_once(' ').unwrap();
    let (path, body) = rest.split_once(' ').unwrap_or((rest, ""));
    let body = body.trim_matches('\'');
    Step::new(Action::Call(match body {
        "" => Call::bare(method, path),
        body => Call::text(method, path, body.to_owned(), "application/json"),
    }))
}

#[tokio::test]
async fn the_session_is_what_is_printed() {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let mock = Mock::builder().seed(1).start_at(start).start().await.unwrap();
    let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
    let session = session();
    assert!(session.len() > 10);
    for (command, printed) in session {
        let sent = Prepared::from_step(&step(&command), &Memory::default(), target.api_key());
        let seen = target.send(&sent).await.unwrap();
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(seen.body, Body::Json(Arc::new(printed)), "{command}");
    }
}

/// The session with a receiver, but for its port and what the time of day signs.
#[tokio::test]
async fn the_webhooks_are_what_is_printed() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let (_, section) = readme.split_once("## Webhooks").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let inbox = inbox::Server::start().await.unwrap();
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let builder = Mock::builder().seed(1).start_at(start).webhooks(Destinations::Local);
    let mock = builder.start().await.unwrap();
    let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
    let here = section.replace("http://127.0.0.1:8000", inbox.origin());
    let mut lines = here.lines();
    let mut asked = 0;
    while let Some(line) = lines.next() {
        if let Some(command) = line.strip_prefix("$ api ") {
            let step = step(command);
            let sent = Prepared::from_step(&step, &Memory::default(), target.api_key());
            let seen = target.send(&sent).await.unwrap();
            let printed = lines.next().unwrap();
            match serde_json::from_str(printed) {
                Ok(printed) => assert_eq!(seen.body, Body::Json(Arc::new(printed)), "{command}"),
                Err(_) => assert_eq!((seen.body, printed), (Body::Empty, ""), "{command}"),
            }
            asked += 1;
        } else if line.starts_with("/hooks ") {
            assert!(mock.quiet(Duration::from_secs(20)).await.quiet);
            let arrivals = inbox.inbox().take();
            let [Arrival { path, delivery: Some(delivery), body, .. }] = &arrivals[..] else {
                panic!("{arrivals:?}")
            };
            let body = String::from_utf8_lossy(body);
            assert_eq!(format!("{path} {delivery} {body}"), line);
        }
    }
    assert_eq!(asked, 6);
}

fn proof() -> String {
    let proof = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/proof.md");
    std::fs::read_to_string(proof).unwrap()
}

/// The page of the proof has every defect of the catalogue, found or with the reason why not.
#[test]
fn the_page_of_the_proof_has_every_defect() {
    let page = proof();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let names: Vec<String> = defects::all().map(|defect| format!("`{}`", defect.name)).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), names);
    for (row, defect) in rows.iter().zip(defects::all()) {
        let [_, clause, known, stranger, caller, why] = row[..] else { panic!("{row:?}") };
        assert_eq!(clause, defect.clause.to_string());
        assert_ne!(known, "-", "{row:?}");
        for (setup, cell) in [(Setup::Stranger, stranger), (Setup::Caller, caller)] {
            let reason = setup.reason(defect);
            assert_eq!(cell == "-", reason.is_some(), "{row:?}");
            assert!(reason.is_none_or(|reason| why.contains(reason)), "{row:?}");
        }
    }
}

/// What came of each way stands in the README, as on the page of the proof.
#[test]
fn the_readme_has_a_line_for_each_way_to_look() {
    let (readme, page) = (readme(), proof());
    let lines: Vec<&str> =
        page.lines().filter(|line| line.starts_with("- `tideover prove")).collect();
    assert_eq!(lines.len(), Setup::ALL.len());
    for line in lines {
        assert!(readme.lines().any(|shown| shown == line), "the README does not show\n{line}");
    }
}

/// The profile in the README is one.
#[test]
fn the_profile_is_possible() {
    let readme = readme();
    let (_, after) = readme.split_once("```toml").unwrap();
    let (text, _) = after.split_once("```").unwrap();
    let profile: tideover_model::Profile = toml::from_str(text).unwrap();
    profile.check().unwrap();
    assert_ne!(profile, tideover_model::Profile::default());
}

/// What a snapshot has.
fn printed(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let snapshot = std::fs::read_to_string(folder.join(name)).unwrap();
    snapshot.splitn(3, "---\n").nth(2).unwrap().trim_end().to_owned()
}

fn readme() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    std::fs::read_to_string(readme).unwrap()
}

/// The failure in the README is told as the snapshot is.
#[test]
fn the_failure_is_what_is_printed() {
    let printed = printed("it__planted__a_failure_is_told_in_plain_words_with_its_curl_lines.snap");
    assert!(readme().contains(&printed), "the README does not show\n{printed}");
}

/// The clauses are told as they are printed.
#[test]
fn the_clauses_are_what_is_printed() {
    let readme = readme();
    let command = "checks 4.imports.7";
    let (_, after) = readme.split_once(&format!("$ tideover {command}\n")).unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let mut tideover = std::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = tideover.args(command.split(' ')).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), block);
}

/// Two of the lines of the proof, proven again.
#[test]
fn the_proof_is_what_is_printed() {
    let readme = readme();
    for name in ["other-file-is-taken-for-the-same", "list-tells-secrets"] {
        let defect = defects::find(name).unwrap();
        let (setup, seeds) = (Setup::Known, 20);
        let budget = Budget { seeds, requests: setup.requests(), steps: generate::DEFAULT_STEPS };
        let stop = AtomicBool::new(false);
        let proofs = prove(setup, &[defect], budget, 2, &stop, &|| {}).unwrap();
        let matrix = Matrix { setup, proofs, seeds, took: Duration::ZERO }.to_string();
        let printed = words(matrix.lines().nth(1).unwrap());
        let shown = readme.lines().find(|line| line.starts_with(name)).map(words);
        assert_eq!(shown, Some(printed));
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// The scorecard in the README is what the snapshot is, but for what is left out at each line of dots.
#[test]
fn the_scorecard_is_what_is_printed() {
    let (readme, printed) = (readme(), printed("it__receiver_check__scorecard.snap"));
    let (_, after) = readme.split_once("$ tideover receiver-check ").unwrap();
    let (block, _) = after.split_once("```").unwrap();
    let (_, block) = block.split_once('\n').unwrap();
    let mut rest = printed.as_str();
    let parts: Vec<&str> = block.split("…\n").collect();
    assert!(parts.len() > 1);
    for part in parts {
        (_, rest) = rest.split_once(part.trim_end()).unwrap_or_else(|| {
            panic!("the README shows what is not printed there:\n{part}");
        });
    }
    assert_eq!(rest, "");
}

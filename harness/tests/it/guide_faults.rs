//! The pages about faults: their requests and receivers get what they print, and their profile files are ones.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tideover_endpoint::{Http, inbox};
use tideover_exchange::target::Target;
use tideover_exchange::{Arrival, Body, Memory, Prepared};
use tideover_model::Timestamp;
use tideover_sim::{Destinations, Mock, ProfileFile, Scenario};

use crate::support::pages::{page, rust, step};

#[tokio::test]
async fn the_faults_are_what_is_printed() {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let mock = Mock::builder().seed(1).start_at(start).start().await.unwrap();
    let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
    let page = page("docs/faults.md");
    let mut lines = page.lines();
    let (mut answered, mut dropped) = (0, 0);
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ api ") else { continue };
        let sent = Prepared::from_step(&step(command), &Memory::default(), target.api_key());
        let seen = target.send(&sent).await;
        match lines.next().unwrap() {
            "" => dropped += usize::from(seen.is_err()),
            printed => {
                let printed: Value = serde_json::from_str(printed).unwrap();
                assert_eq!(seen.unwrap().body, Body::Json(Arc::new(printed)), "{command}");
                answered += 1;
            }
        }
    }
    assert_eq!((answered, dropped), (10, 1));
}

/// The session with a receiver. It prints each delivery in a line.
#[tokio::test]
async fn the_faults_of_deliveries_are_what_is_printed() {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    let builder = Mock::builder().seed(1).start_at(start).webhooks(Destinations::Local);
    let mock = builder.scenario(Scenario::Onboarded).start().await.unwrap();
    let mut target = Http::new(mock.url(), mock.api_key()).unwrap();
    let inbox = inbox::Server::start().await.unwrap();
    let page = page(WEBHOOKS).replace("http://127.0.0.1:8000", inbox.origin());
    let mut lines = page.lines().peekable();
    let mut seen = Vec::new();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ api ") else { continue };
        let sent = Prepared::from_step(&step(command), &Memory::default(), target.api_key());
        let answer = target.send(&sent).await.unwrap();
        let printed: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        assert_eq!(answer.body, Body::Json(Arc::new(printed)), "{command}");
        assert!(mock.quiet(Duration::from_secs(20)).await.quiet);
        for Arrival { path, delivery, body, .. } in inbox.inbox().take() {
            let (id, body) = (delivery.unwrap(), String::from_utf8_lossy(&body).into_owned());
            seen.push(format!("{path} {id} {body}"));
            assert_eq!(lines.next(), seen.last().map(String::as_str), "{command}");
        }
        assert!(lines.peek().is_none_or(|line| !line.starts_with("/hooks ")), "{command}");
    }
    assert_eq!(seen.len(), 4);
}

/// What the page shows in each language is what the packages and the examples run.
#[test]
fn the_tests_of_webhooks_are_those_that_run() {
    let shown = page(WEBHOOKS);
    for (language, file) in [
        ("python", "sim/packages/python/tests/test_webhook_faults.py"),
        ("ts", "sim/packages/node/test/webhook-faults.test.ts"),
        ("go", "sim/packages/go/example/webhook_faults_test.go"),
    ] {
        assert!(shown.contains(&format!("```{language}\n{}```", page(file))), "{file}");
    }
    assert!(shown.contains(&format!("```rust\n{}```", rust("documented_faults.rs"))));
}

#[test]
fn the_file_with_rules_for_webhooks_is_one() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(ProfileFile::load(&file(WEBHOOKS, folder.path())).unwrap().faults.len(), 2);
}

const WEBHOOKS: &str = "docs/webhook-faults.md";

/// The profile file on a page.
fn file(path: &str, folder: &Path) -> std::path::PathBuf {
    let page = page(path);
    let (_, after) = page.split_once("```toml\n").unwrap();
    let path = folder.join("flaky.toml");
    std::fs::write(&path, after.split_once("```").unwrap().0).unwrap();
    path
}

#[test]
fn the_mock_takes_the_faults_of_a_file_and_other_commands_refuse_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = file("docs/faults.md", folder.path());
    assert_eq!(ProfileFile::load(&path).unwrap().faults.len(), 2);
    for command in [&["check", "--in-process", "--cases", "1"][..], &["judge", "recording.har"]] {
        let mut tideover = Command::new(env!("CARGO_BIN_EXE_tideover"));
        tideover.args(command).arg("--profile").arg(&path).current_dir(&folder);
        let output = tideover.output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains("faults: only the mock applies them"), "{complaint}");
    }
}

#[test]
fn serve_starts_with_the_faults_of_a_file() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let mut serve = Command::new(env!("CARGO_BIN_EXE_tideover"));
    serve
        .args(["serve", "--port", "0", "--json", "--profile"])
        .arg(file("docs/faults.md", folder.path()));
    let mut serve = serve.stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(serve.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let ready: Value = serde_json::from_str(&ready).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let body = runtime.block_on(async {
        let mut target = Http::new(ready["baseUrl"].as_str().unwrap(), "rap_sk_local").unwrap();
        let sent =
            Prepared::from_step(&step("GET /_sim/faults"), &Memory::default(), target.api_key());
        target.send(&sent).await.unwrap().body
    });
    serve.kill().unwrap();
    serve.wait().unwrap();
    let Body::Json(body) = body else { panic!("{body:?}") };
    assert_eq!(
        (&body["faults"][0]["afterRows"], &body["faults"][1]["percent"]),
        (&2.into(), &20.into())
    );
}

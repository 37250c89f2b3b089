//! The page about faults: its requests get what it prints, and its profile file is one.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use tideover_endpoint::Http;
use tideover_exchange::target::Target;
use tideover_exchange::{Body, Memory, Prepared};
use tideover_model::Timestamp;
use tideover_sim::{Mock, ProfileFile};

use crate::support::pages::{page, step};

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
    assert_eq!((answered, dropped), (9, 1));
}

/// The profile file on the page.
fn file(folder: &Path) -> std::path::PathBuf {
    let page = page("docs/faults.md");
    let (_, after) = page.split_once("```toml\n").unwrap();
    let path = folder.join("flaky.toml");
    std::fs::write(&path, after.split_once("```").unwrap().0).unwrap();
    path
}

#[test]
fn the_mock_takes_the_faults_of_a_file_and_other_commands_refuse_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path());
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
    serve.args(["serve", "--port", "0", "--json", "--profile"]).arg(file(folder.path()));
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

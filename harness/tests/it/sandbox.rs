//! A target that holds nothing real: it is asked everything, under names of its own, and a right one is not accused.

use serde_json::Value;
use tideover_harness::endpoint::wall_time;
use tideover_harness::exchange::Prepared;
use tideover_harness::exchange::step::{Action, Call, Step};
use tideover_model::Destinations;
use tideover_sim::{Mock, SigningTime};
use tokio::process::Command;

/// What a check of `mock` as a sandbox comes to: its exit code and its report.
async fn check(mock: &Mock, arguments: &[&str]) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder.path()).args([
        "check",
        "--json",
        "--sandbox",
        "--target",
        mock.url(),
    ]);
    command.args(["--seed", "1"]).args(arguments);
    command.env("TIDEOVER_KEY", mock.api_key());
    let output = command.output().await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = serde_json::from_str(&told).unwrap_or_else(|error| {
        panic!("{error}: {told}\n{}", String::from_utf8_lossy(&output.stderr))
    });
    (output.status.code(), report)
}

async fn still_mock(webhooks: Destinations) -> Mock {
    let builder = Mock::builder().resolver(tideover_sim::NoNames);
    let builder = builder.start_at(wall_time());
    builder.webhooks(webhooks).signing(SigningTime::Virtual).start().await.unwrap()
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn findings(report: &Value) -> Vec<&Value> {
    report["findings"].as_array().into_iter().flatten().collect()
}

#[tokio::test]
async fn our_mock_as_a_sandbox_holds_with_everything_and_with_a_key_alone() {
    let listen = format!("127.0.0.1:{}", free_port());
    let inbox = format!("http://{listen}");
    let (open, closed) =
        (still_mock(Destinations::Local).await, still_mock(Destinations::Public).await);
    let url = open.url().to_owned();
    let everything = ["--operator", &url, "--webhook-listen", &listen, "--webhook-url", &inbox];
    for (mock, arguments) in [(&open, &everything[..]), (&closed, &[])] {
        let arguments = [arguments, &["--max-requests", "2500"]].concat();
        let (code, report) = check(mock, &arguments).await;
        let seen = (&report["warnings"], &report["races"]);
        assert_eq!(code, Some(0), "{arguments:?}: {:#?} {seen:#?}", findings(&report));
        assert_eq!(report["races"]["races"], 6);
    }
}

/// Without an inbox of its own, a run cannot know that a door was opened for tests.
#[tokio::test]
async fn a_sandbox_that_sends_to_this_machine_is_accused_where_no_inbox_asks_for_it() {
    let mock = still_mock(Destinations::Local).await;
    let (code, report) = check(&mock, &["--max-requests", "2500"]).await;
    assert_eq!(code, Some(1));
    let clauses: Vec<&Value> =
        findings(&report).into_iter().map(|finding| &finding["clause"]).collect();
    assert!(!clauses.is_empty(), "{report:#}");
    assert!(clauses.iter().all(|clause| **clause == "4.webhooks.4"), "{clauses:?}");
}

#[tokio::test]
async fn two_runs_against_one_sandbox_do_not_meet() {
    let mock = still_mock(Destinations::Public).await;
    for _ in 0..2 {
        let (code, report) = check(&mock, &["--max-requests", "600"]).await;
        assert_eq!(code, Some(0), "{:#?}", findings(&report));
    }
}

#[tokio::test]
async fn a_sandbox_needs_no_test_accounts_and_is_not_paced() {
    let mock = still_mock(Destinations::Public).await;
    let folder = tempfile::tempdir().unwrap();
    let config = format!("target = \"{}\"\nsandbox = true\nmax_requests = 900\n", mock.url());
    std::fs::write(folder.path().join("sandbox.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder.path()).args(["check", "--seed", "1", "--config", "sandbox.toml"]);
    let output = command.env("TIDEOVER_KEY", mock.api_key()).output().await.unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("everything: the target is a sandbox"), "{told}");
    assert!(!told.contains("a second;"), "{told}");
    let found = told.find("\nfound      nothing that contradicts the document").unwrap();
    assert!(found < told.find("\nreached").unwrap(), "what was found is said first: {told}");
    assert!(told.contains("(--operator)"), "it says what would reach the rest: {told}");
}

#[tokio::test]
async fn a_range_of_tax_ids_that_is_none_is_refused() {
    for (range, expected) in [("1-2", "nine digits"), ("100000000-100000001", "greater")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
        let arguments = ["check", "--target", "http://127.0.0.1:1", "--sandbox", "--tax-id-range"];
        let output = command.args(arguments).arg(range).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(expected), "{told}");
    }
}

/// What was subscribed and could not be deleted is in nobody's way.
#[test]
fn every_play_subscribes_somewhere_else_where_there_is_no_inbox() {
    let settings = crate::scope::settings();
    let body = serde_json::json!({ "url": "${inbox}/accepts/1" });
    let step = Step::new(Action::Call(Call::json("POST", "/v1/webhooks", body)));
    let url = |play| {
        let sent = Prepared::from_step(&step, &settings.memory(None, play), "key");
        sent.call().unwrap().body().json().unwrap()["url"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        [url(1), url(2)],
        [1, 2].map(|n| format!("https://inbox.invalid/td-r1-{n}/accepts/1"))
    );
}

//! A sandbox target: the run sends everything, under names of its own, and accuses no correct sandbox.

use serde_json::Value;
use tideover_endpoint::wall_time;
use tideover_exchange::Prepared;
use tideover_exchange::step::{Action, Call, Step};
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_sim::grease::Freedom;
use tideover_sim::{Builder, Mock, SigningTime};
use tokio::process::Command;

/// Checks `mock` as a sandbox; returns the exit code and the report.
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
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = serde_json::from_str(&stdout).unwrap_or_else(|error| {
        panic!("{error}: {stdout}\n{}", String::from_utf8_lossy(&output.stderr))
    });
    (output.status.code(), report)
}

fn still_builder(webhooks: Destinations) -> Builder {
    let builder = Mock::builder().resolver(tideover_sim::NoNames);
    builder.start_at(wall_time()).webhooks(webhooks).signing(SigningTime::Virtual)
}

async fn still_mock(webhooks: Destinations) -> Mock {
    still_builder(webhooks).start().await.unwrap()
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn findings(report: &Value) -> Vec<&Value> {
    report["findings"].as_array().into_iter().flatten().collect()
}

#[tokio::test]
async fn our_mock_holds_as_a_sandbox() {
    let listen = format!("127.0.0.1:{}", free_port());
    let inbox = format!("http://{listen}");
    let (open, closed) =
        (still_mock(Destinations::Local).await, still_mock(Destinations::Public).await);
    let url = open.url().to_owned();
    let everything = ["--operator", &url, "--webhook-listen", &listen, "--webhook-url", &inbox];
    for (mock, arguments) in [(&open, &everything[..]), (&closed, &[])] {
        let arguments = [arguments, &["--max-requests", "1500"]].concat();
        let (code, report) = check(mock, &arguments).await;
        let seen = (&report["warnings"], &report["races"]);
        assert_eq!(code, Some(0), "{arguments:?}: {:#?} {seen:#?}", findings(&report));
        assert!(report["races"]["races"].as_u64() > Some(0), "{:#}", report["races"]);
    }
}

/// The delays that grease may make of the standard ones.
const GREASED_DELAYS: &str = "delays = { collection_account = { min = 0, max = 1200 }, \
    funding_starts = { min = 0, max = 120 }, funding_completes = { min = 0, max = 14400 } }";

/// Checks `mock` with everything that it offers, and so many requests.
async fn check_fully(mock: &Mock, most: &str) -> (Option<i32>, Value) {
    let profile = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(profile.path(), GREASED_DELAYS).unwrap();
    let profile = profile.path().to_str().unwrap();
    let listen = format!("127.0.0.1:{}", free_port());
    let inbox = format!("http://{listen}");
    let arguments =
        ["--operator", mock.url(), "--webhook-listen", &listen, "--webhook-url", &inbox];
    let budget = ["--max-requests", most, "--profile", profile];
    check(mock, &[&arguments[..], &budget].concat()).await
}

/// The run accepts whatever the document leaves free, and still checks the rest.
#[tokio::test]
async fn a_greased_mock_holds_as_a_sandbox() {
    let mut unmet = Freedom::ALL.to_vec();
    for seed in 1..=6 {
        // As many as it takes to meet each freedom.
        if unmet.is_empty() {
            break;
        }
        let builder = still_builder(Destinations::Local).seed(seed).grease(true);
        let mock = builder.start().await.unwrap();
        let (code, report) = check_fully(&mock, "5000").await;
        assert_eq!(code, Some(0), "seed {seed}: {:#?}", findings(&report));
        assert!(["pass", "partial"].contains(&report["outcome"].as_str().unwrap()));
        let clauses = report["clauses"].as_array().unwrap();
        let exercised = clauses.iter().map(|clause| clause["exercised"].as_u64().unwrap());
        let (checked, assertions) = exercised
            .filter(|times| *times > 0)
            .fold((0, 0), |(checked, sum), times| (checked + 1, sum + times));
        assert!(checked >= 125 && assertions >= 15_000, "{checked} clauses, {assertions} times");
        let missed = mock.coverage().unwrap().unmet();
        unmet.retain(|freedom| missed.contains(freedom));
    }
    assert_eq!(unmet, []);
}

#[tokio::test]
async fn a_defect_shows_through_grease() {
    for (name, clause) in [
        ("void-invoices-are-fundable", "2.invoice.fundable"),
        ("attempts-are-signed-with-another-secret", "6.signature.1"),
    ] {
        let defect = defects::find(name).unwrap();
        let face = defect.service(Profile::default(), 1, Destinations::Local);
        let builder = still_builder(Destinations::Local).face(Box::new(face)).grease(true);
        let mock = builder.start().await.unwrap();
        let (code, report) = check_fully(&mock, "2000").await;
        assert_eq!(code, Some(1), "{name}");
        let found = findings(&report);
        assert!(found.iter().any(|finding| finding["clause"] == clause), "{name}: {found:#?}");
    }
}

/// Without an inbox, a run cannot know that the sandbox allows local destinations for tests.
#[tokio::test]
async fn local_webhooks_without_an_inbox_are_accused() {
    let mock = still_mock(Destinations::Local).await;
    let (code, report) = check(&mock, &[]).await;
    assert_eq!(code, Some(1));
    let clauses: Vec<&Value> =
        findings(&report).into_iter().map(|finding| &finding["clause"]).collect();
    assert!(!clauses.is_empty(), "{report:#}");
    assert!(clauses.iter().all(|clause| **clause == "6.subscription.2"), "{clauses:?}");
}

/// A sandbox that accepts a local destination refuses it as subscribed the second time.
#[tokio::test]
async fn a_local_destination_may_be_subscribed_already() {
    let mock = still_mock(Destinations::Local).await;
    let listen = format!("127.0.0.1:{}", free_port());
    let inbox = format!("http://{listen}");
    let folder = tempfile::tempdir().unwrap();
    let subscribe = r#"{"call":{"method":"POST","path":"/v1/webhooks","body":{"url":"https://localhost/hooks"}}}"#;
    let header = r#"{"tideover":1,"seed":1,"start":"2026-01-01T00:00:00Z","profile":{},"live":{"target":"https://api.example","run":"td-a-","fresh":true}}"#;
    let steps = format!("{header}\n{subscribe}\n{subscribe}\n");
    std::fs::write(folder.path().join("twice.jsonl"), steps).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder.path()).args(["replay", "twice.jsonl", "--sandbox"]);
    command.args(["--target", mock.url(), "--webhook-listen", &listen, "--webhook-url", &inbox]);
    let output = command.env("TIDEOVER_KEY", mock.api_key()).output().await.unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}{output:?}");
    assert!(stdout.contains("409 already_subscribed"), "{stdout}");
}

#[tokio::test]
async fn two_runs_against_one_sandbox_do_not_collide() {
    let mock = still_mock(Destinations::Public).await;
    for _ in 0..2 {
        let (code, report) = check(&mock, &["--max-requests", "600"]).await;
        assert_eq!(code, Some(0), "{:#?}", findings(&report));
    }
}

#[tokio::test]
async fn a_sandbox_needs_no_accounts_and_no_pacing() {
    let mock = still_mock(Destinations::Public).await;
    let folder = tempfile::tempdir().unwrap();
    let config = format!("target = \"{}\"\nsandbox = true\nmax_requests = 900\n", mock.url());
    std::fs::write(folder.path().join("sandbox.toml"), config).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder.path()).args(["check", "--seed", "1", "--config", "sandbox.toml"]);
    let output = command.env("TIDEOVER_KEY", mock.api_key()).output().await.unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert!(stdout.contains("everything: the target is a sandbox"), "{stdout}");
    assert!(!stdout.contains("a second;"), "{stdout}");
    let found = stdout.find("\nfound       nothing that contradicts the document").unwrap();
    assert!(found < stdout.find("\nexamined").unwrap(), "what was found is said first: {stdout}");
    assert!(stdout.contains("(--operator)"), "it says what would reach the rest: {stdout}");
}

#[tokio::test]
async fn an_invalid_tax_id_range_is_refused() {
    for (range, expected) in [("1-2", "nine digits"), ("100000000-100000001", "greater")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
        let arguments = ["check", "--target", "http://127.0.0.1:1", "--sandbox", "--tax-id-range"];
        let output = command.args(arguments).arg(range).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(expected), "{stderr}");
    }
}

/// A subscription that could not be deleted doesn't disturb later plays.
#[test]
fn without_an_inbox_every_play_has_its_url() {
    let settings = crate::support::settings::settings();
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

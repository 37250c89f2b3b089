//! The same against a target that is not ours, with everything that the run was given.

use std::path::Path;

use serde_json::Value;
use tideover_endpoint::wall_time;
use tideover_model::{Destinations, Profile};
use tideover_prove::defects;
use tideover_sim::{Builder, Mock, NoNames, SigningTime};
use tokio::process::Command;

/// Answers, deliveries, retries, and requests at once.
const DEFECTS: [&str; 5] = [
    "void-invoices-are-fundable",
    "repeat-is-answered-as-the-first",
    "gone-is-not-heard",
    "deletion-is-forgotten",
    "attempts-are-signed-with-another-secret",
];

fn still() -> Builder {
    let builder = Mock::builder().resolver(NoNames).start_at(wall_time());
    builder.webhooks(Destinations::Local).signing(SigningTime::Virtual)
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn run(folder: &Path, mock: &Mock, command: &str) -> (Option<i32>, String) {
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", command]).env("TIDEOVER_KEY", mock.api_key());
    let output = shell.output().await.unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[cfg(unix)]
#[tokio::test]
async fn a_pasted_command_reproduces_its_finding_in_a_sandbox() {
    // At once, since each spends its time waiting for webhooks.
    let mut all = tokio::task::JoinSet::new();
    for defect in DEFECTS {
        all.spawn(each_finding_is_reproduced(defect));
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}

#[cfg(unix)]
async fn each_finding_is_reproduced(defect: &str) {
    let right = still().start().await.unwrap();
    let service = defects::find(defect).unwrap();
    let face = service.service(Profile::default(), 1, Destinations::Local);
    let mock = still().face(Box::new(face)).start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (url, listen) = (mock.url(), format!("127.0.0.1:{}", free_port()));
    let tideover = env!("CARGO_BIN_EXE_tideover");
    let check = format!(
        "'{tideover}' check --json --seed 1 --sandbox --target {url} --operator {url} --webhook-listen {listen} \
         --webhook-url http://{listen} --max-requests 4000 --max-findings 1"
    );
    let (_, printed) = run(folder.path(), &mock, &check).await;
    let report = printed.lines().find(|line| line.starts_with('{')).unwrap();
    let report: Value = serde_json::from_str(report).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let violations = findings.iter().filter(|finding| finding["verdict"] == "violated");
    let violations: Vec<&Value> = violations.collect();
    assert!(!violations.is_empty(), "{defect}: {report:#}");
    for finding in violations {
        let replay = finding["replay"].as_str().unwrap();
        let (code, printed) = run(folder.path(), &mock, replay).await;
        assert!(printed.starts_with("REPRODUCED  1 of "), "{defect}: {replay}\n{printed}");
        assert_eq!(code, Some(1), "{defect}: {printed}");
        let (code, printed) = run(folder.path(), &right, &replay.replace(url, right.url())).await;
        assert!(printed.starts_with("NOT REPRODUCED  0 of "), "{defect}: {printed}");
        assert_eq!(code, Some(3), "{defect}: {printed}");
    }
    mock.stop().await;
}

/// What a file says is in the command as well.
#[cfg(unix)]
#[tokio::test]
async fn a_finding_of_a_run_with_a_file_is_reproduced() {
    let service = defects::find(DEFECTS[0]).unwrap();
    let face = service.service(Profile::default(), 1, Destinations::Local);
    let mock = still().face(Box::new(face)).start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = mock.url();
    let file =
        format!("target = '{url}'\noperator = '{url}'\nsandbox = true\nmax_requests = 4000\n");
    std::fs::write(folder.path().join("sandbox.toml"), file).unwrap();
    let tideover = env!("CARGO_BIN_EXE_tideover");
    let check =
        format!("'{tideover}' check --json --seed 1 --config sandbox.toml --max-findings 1");
    let (_, printed) = run(folder.path(), &mock, &check).await;
    let report = printed.lines().find(|line| line.starts_with('{')).unwrap();
    let report: Value = serde_json::from_str(report).unwrap();
    let replay = report["findings"][0]["replay"].as_str().unwrap();
    let expected = format!(" --target '{url}' --operator '{url}' --sandbox --max-requests 4000");
    assert!(replay.ends_with(&expected), "{replay}");
    let (code, printed) = run(folder.path(), &mock, replay).await;
    assert!(printed.starts_with("REPRODUCED  1 of "), "{printed}");
    assert_eq!(code, Some(1), "{printed}");
}

/// At a mock there is no session, and so no journal.
#[tokio::test]
async fn a_replay_names_the_options_that_it_did_not_use() {
    let mock = still().start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let header = r#"{"tideover":1,"seed":1,"start":"2026-01-01T00:00:00Z"}"#;
    std::fs::write(folder.path().join("empty.jsonl"), header).unwrap();
    let tideover = env!("CARGO_BIN_EXE_tideover");
    let replay = format!("'{tideover}' replay empty.jsonl --target {} --timeout 5", mock.url());
    let (code, printed) = run(folder.path(), &mock, &replay).await;
    assert!(code == Some(0) && !printed.contains("not used"), "{printed}");
    let more = format!("{replay} --journal j.jsonl --max-requests 9");
    let (code, printed) = run(folder.path(), &mock, &more).await;
    assert_eq!(code, Some(0), "{printed}");
    let expected =
        "not used: --max-requests, --journal; a Tideover mock plays the transcript as it stands";
    assert!(printed.contains(expected), "{printed}");
}

/// The journal has the webhooks, the operator's actions and the moves of the clock, without a secret.
#[tokio::test]
async fn the_journal_keeps_what_was_received_and_what_the_operator_did() {
    let mock = still().start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (url, listen) = (mock.url(), format!("127.0.0.1:{}", free_port()));
    let tideover = env!("CARGO_BIN_EXE_tideover");
    let check = format!(
        "'{tideover}' check --seed 1 --sandbox --target {url} --operator {url} --webhook-listen {listen} \
         --webhook-url http://{listen} --max-requests 900 --journal j.jsonl"
    );
    let (code, printed) = run(folder.path(), &mock, &check).await;
    assert_eq!(code, Some(0), "{printed}");
    let journal = std::fs::read_to_string(folder.path().join("j.jsonl")).unwrap();
    let lines: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let having = |name: &str| lines.iter().filter(|line| line.get(name).is_some()).count();
    assert!(having("act") > 20 && having("advanceSeconds") > 3 && having("arrived") > 20);
    // The run itself has tried the inbox, before any case.
    let of_cases = lines.iter().filter(|line| line["case"] != 0);
    for line in of_cases.filter(|line| line.get("arrived").is_some()) {
        let arrived = &line["arrived"];
        assert!(arrived["headers"]["Service-Signature"].is_string(), "{line}");
        assert!(arrived["body"]["type"].is_string() && line["at"].is_string(), "{line}");
    }
    let secrets = journal.split("whsec_").skip(1);
    assert!(secrets.count() > 0, "subscriptions show secrets");
    let is_masked = |rest: &str| rest.chars().take(12).any(|it| it == '…');
    assert!(journal.split("whsec_").skip(1).all(is_masked), "{journal}");
    let (code, printed) = run(folder.path(), &mock, &format!("'{tideover}' judge j.jsonl")).await;
    assert_eq!(code, Some(0), "{printed}");
}

/// A replay gets the whole budget, not the share of a case.
#[tokio::test]
async fn three_subscriptions_are_no_budget_exceeded() {
    let mock = still().start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let listen = format!("127.0.0.1:{}", free_port());
    let header = r#"{"tideover":1,"seed":1,"start":"2026-01-01T00:00:00Z","live":{"target":"https://a.example","run":"td-a-","fresh":true}}"#;
    let step = |path: &str| {
        format!(
            r#"{{"call":{{"method":"POST","path":"/v1/webhooks","body":{{"url":"${{inbox}}/{path}"}}}}}}"#
        )
    };
    let text = [header, &step("accepts/1"), &step("accepts/2"), &step("fails/3")].join("\n");
    std::fs::write(folder.path().join("three.jsonl"), text).unwrap();
    let tideover = env!("CARGO_BIN_EXE_tideover");
    let replay = format!(
        "'{tideover}' replay three.jsonl --target {} --allow-writes --account-prefix test- --tries 2 \
         --webhook-listen {listen} --webhook-url http://{listen}",
        mock.url()
    );
    let (code, printed) = run(folder.path(), &mock, &replay).await;
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("3 of 3 steps played: held"), "{printed}");
    let (code, printed) =
        run(folder.path(), &mock, &format!("{replay} --max-subscriptions 2")).await;
    assert_eq!(code, Some(2), "{printed}");
    assert!(printed.contains("step 3: not sent: 2 subscriptions may exist at a time"), "{printed}");
}

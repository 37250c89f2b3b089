//! The page about the journal: its requests get what it prints, and the suite judges what the journal exports.

use std::process::Command;

use serde_json::{Value, json};
use tideover_exchange::step::Action;
use tideover_model::Timestamp;
use tideover_sim::Mock;

use crate::support::command::serve;
use crate::support::pages::{page, session, step};
use crate::support::plain;

async fn mock() -> Mock {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    Mock::builder().seed(1).start_at(start).start().await.unwrap()
}

/// The answer to a command of a session.
async fn answered(client: &reqwest::Client, mock: &Mock, command: &str) -> String {
    let Action::Call(call) = step(command).action else { panic!("{command}") };
    let url = format!("{}{}", mock.url(), call.path.trim_matches('\''));
    let request = client.request(call.method.parse().unwrap(), url).bearer_auth(mock.api_key());
    let body = command.split('\'').nth(1).filter(|_| call.method != "GET").unwrap_or_default();
    request.body(body.to_owned()).send().await.unwrap().text().await.unwrap()
}

/// A line of dots leaves something out.
#[tokio::test]
async fn the_journal_is_what_is_printed() {
    let (client, mock, page) = (plain::client(), mock().await, page("docs/journal.md"));
    let mut lines = page.lines();
    let mut asked = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ api ") else { continue };
        let printed = answered(&client, &mock, command).await;
        let mut rest = printed.as_str();
        for part in lines.next().unwrap().split('…') {
            (_, rest) = rest.split_once(part).unwrap_or_else(|| {
                panic!("{command}: the guide shows\n{part}\nbut this is printed:\n{printed}")
            });
        }
        asked += 1;
    }
    assert_eq!(asked, 9);
}

/// The story of the quick start, exported, is traffic of a right service.
#[tokio::test]
async fn an_exported_journal_is_judged() {
    let (client, mock) = (plain::client(), mock().await);
    for (command, _) in session() {
        answered(&client, &mock, &command).await;
    }
    let archive = answered(&client, &mock, "GET /_sim/journal.har").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("journal.har");
    std::fs::write(&file, archive).unwrap();
    let mut tideover = Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = tideover.arg("judge").arg(&file).current_dir(&folder).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(report.starts_with("PASS") && !report.contains("not judged"), "{report}");
}

#[tokio::test]
async fn serve_names_no_clause_if_told_so() {
    let client = plain::client();
    for (options, named) in [(&[][..], true), (&["--no-hints"], false)] {
        let (_served, ready) = serve(options);
        let url = format!("{}/v1/nothing", ready["baseUrl"].as_str().unwrap());
        let answer = client.get(url).send().await.unwrap();
        assert_eq!(answer.headers().contains_key("tideover-clause"), named, "{options:?}");
    }
}

#[tokio::test]
async fn serve_keeps_as_many_requests_as_it_is_told() {
    let client = plain::client();
    let (_served, ready) = serve(&["--journal", "2"]);
    let base = ready["baseUrl"].as_str().unwrap();
    for number in 0..3 {
        client.get(format!("{base}/v1/nothing/{number}")).send().await.unwrap();
    }
    let journal = client.get(format!("{base}/_sim/journal")).send().await.unwrap();
    let journal: Value = journal.json().await.unwrap();
    assert_eq!((journal["entries"].as_array().unwrap().len(), &journal["dropped"]), (2, &json!(1)));
}

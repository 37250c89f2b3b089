//! The state file of `tideover serve`: a process that is killed at any moment leaves the last good one.

use std::fs;

use reqwest::Client;
use serde_json::json;

use crate::support::command::{serve, tideover};

/// How often the process is killed. `TIDEOVER_KILLS` sets another number.
const KILLS: u32 = 60;

fn kills() -> u32 {
    std::env::var("TIDEOVER_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

/// Syncs a business; returns whether the answer came.
async fn sync(client: &Client, url: &str, name: &str) -> bool {
    let body = json!({ "legalName": "x".repeat(1000) }).to_string();
    let request = client.put(format!("{url}/v1/organizations/{name}"));
    let request = request.bearer_auth("rap_sk_local").header("content-type", "application/json");
    request.body(body).send().await.is_ok_and(|answer| answer.status() == 200)
}

/// Writes the state file; returns whether the answer came.
async fn save(client: &Client, url: &str) -> bool {
    let answer = client.post(format!("{url}/_sim/save")).send().await;
    answer.is_ok_and(|answer| answer.status() == 200)
}

async fn is_known(client: &Client, url: &str, name: &str) -> bool {
    let answer = client.get(format!("{url}/v1/organizations/{name}")).bearer_auth("rap_sk_local");
    answer.send().await.unwrap().status() == 200
}

/// Each round saves a business, and is killed while more are synced and saved. The next round finds it.
#[tokio::test]
async fn a_killed_process_never_loses_what_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let path = file.to_str().unwrap();
    let client = crate::support::plain::client();
    for round in 0..=kills() {
        let (mut mock, ready) = serve(&["--clock", "still", "--state", path]);
        let url = ready["baseUrl"].as_str().unwrap().to_owned();
        if round > 0 {
            let last = format!("saved-{}", round - 1);
            assert!(is_known(&client, &url, &last).await, "round {round}");
        }
        assert!(sync(&client, &url, &format!("saved-{round}")).await);
        assert!(save(&client, &url).await);
        let writes = tokio::spawn({
            let (client, url) = (client.clone(), url.clone());
            async move {
                let mut number = 0;
                while sync(&client, &url, &format!("more-{}", number % 50)).await {
                    save(&client, &url).await;
                    number += 1;
                }
            }
        });
        // Another number of saves each time, so that the kill comes at another moment.
        for _ in 0..round % 7 {
            save(&client, &url).await;
        }
        mock.0.kill().unwrap();
        mock.0.wait().unwrap();
        writes.await.unwrap();
    }
}

/// A file that cannot be used is named, and stays as it is.
#[test]
fn a_damaged_file_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    fs::write(&file, "{\"format\":\"tideover-state\",\"version\":9}").unwrap();
    let output = tideover().args(["serve", "--port", "0", "--state"]).arg(&file).output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("state.json") && complaint.contains("newer release"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert!(fs::read_to_string(&file).unwrap().contains("\"version\":9"));
}

/// The number of threads of a process.
#[cfg(target_os = "linux")]
fn threads(id: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    line.and_then(|count| count.trim().parse().ok()).unwrap()
}

/// Many want the state to be saved at once, and one writes it for all.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn saving_takes_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let (mock, ready) = serve(&["--clock", "still", "--state", file.to_str().unwrap()]);
    let url = ready["baseUrl"].as_str().unwrap().to_owned();
    let client = crate::support::plain::client();
    let before = threads(mock.0.id());
    let mut saves = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (client, url, id) = (client.clone(), url.clone(), mock.0.id());
        saves.spawn(async move {
            assert!(sync(&client, &url, &format!("b-{number}")).await);
            assert!(save(&client, &url).await);
            threads(id)
        });
    }
    while let Some(threads) = saves.join_next().await {
        let threads = threads.unwrap();
        assert!(threads <= before + 2, "{threads} threads, {before} before");
    }
}

/// The system ends a process that writes beyond this limit, unless the process does not let it.
#[cfg(unix)]
#[tokio::test]
async fn a_limit_of_the_size_of_files_is_an_error_and_not_the_end() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mut limited = Command::new("sh");
    // Some 100 kB, in blocks of 512 or of 1024 bytes.
    limited.args(["-c", "ulimit -f 100 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tideover")]);
    limited.args(["serve", "--port", "0", "--json", "--clock", "still", "--state"]).arg(&file);
    let child = limited.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut mock = crate::support::command::Served(child);
    let mut line = String::new();
    BufReader::new(mock.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    let url = ready["baseUrl"].as_str().unwrap();
    let client = crate::support::plain::client();
    assert!(sync(&client, url, "early").await && save(&client, url).await);
    let name = json!({ "legalName": "x".repeat(400_000) });
    let large =
        client.put(format!("{url}/v1/organizations/large")).bearer_auth("rap_sk_local").json(&name);
    assert_eq!(large.send().await.unwrap().status(), 200);
    let refused = client.post(format!("{url}/_sim/save")).send().await.unwrap();
    assert_eq!(refused.status(), 409);
    let why = refused.text().await.unwrap();
    assert!(why.contains("state.json") && why.to_lowercase().contains("file too large"), "{why}");
    // It goes on, and the last good version is there.
    assert!(is_known(&client, url, "large").await);
    drop(mock);
    let (_mock, ready) = serve(&["--clock", "still", "--state", file.to_str().unwrap()]);
    let url = ready["baseUrl"].as_str().unwrap();
    assert!(is_known(&client, url, "early").await && !is_known(&client, url, "large").await);
    let names = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name());
    assert!(names.into_iter().all(|name| name != "state.json.part"));
}

//! The `tideover` command, as a user types it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tideover_endpoint::{Http, inbox};
use tideover_exchange::Memory;
use tideover_exchange::Prepared;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::Target;
use tideover_model::Timestamp;

#[cfg(unix)]
use crate::support::command::is_heard;
use crate::support::command::{Served, serve, tideover};

fn run(arguments: &[&str]) -> Output {
    tideover().args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(path)
}

#[test]
fn check_plays_the_embedded_mock_and_prints_its_seed() {
    let output = run(&["check", "--seed", "7", "--cases", "5"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(
        printed.contains("against an embedded mock over HTTP") && printed.contains("seed 7"),
        "{printed}"
    );
    assert!(printed.starts_with("PASS (partial: "), "five cases do not meet everything: {printed}");
}

#[test]
fn check_prints_json_for_programs() {
    let output = run(&["check", "--in-process", "--seed", "7", "--cases", "5", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&printed["seed"], &printed["outcome"], &printed["cases"]),
        (&7.into(), &"partial".into(), &5.into())
    );
}

#[test]
fn check_plays_races_and_counts_explained_parts() {
    for place in [&[][..], &["--in-process"]] {
        let races = ["check", "--concurrency", "6", "--seed", "7", "--cases", "5"];
        let output = run(&[&races[..], place].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let printed = stdout(&output);
        assert!(printed.contains("5 races of 6 clients"), "{printed}");
        assert!(printed.contains("0 undecided · 0 inconclusive"), "{printed}");
    }
    let output = run(&["check", "--concurrency", "2", "--cases", "5", "--json", "--in-process"]);
    let printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&printed["outcome"], &printed["cases"]), (&"partial".into(), &5.into()));
    assert_eq!(printed["races"]["clients"], 2);
}

#[test]
fn a_race_that_is_known_fails_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (page, xml, known) = (path("race.html"), path("race.xml"), path("known.json"));
    let defect = "race-returns-two-secrets-for-one-url";
    let race = ["check", "--concurrency", "4", "--steps", "40", "--in-process", "--seed", "1"];
    let saved = path("race.jsonl");
    let race = [&race[..], &["--cases", "10", "--defect", defect, "--json"]].concat();
    let race = [&race[..], &["--save", &saved]].concat();
    let output = run(&[&race[..], &["--html", &page, "--junit", &xml]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    for file in [page, xml] {
        assert!(std::fs::read_to_string(file).unwrap().contains("4.webhooks.3"));
    }
    let printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let replay = printed["findings"][0]["replay"].as_str().unwrap();
    assert!(replay.ends_with(&format!("--on model --defect {defect}")), "{replay}");
    let saved = replay.split('\'').nth(1).unwrap();
    let again = ["replay", saved, "--on", "model", "--defect", defect];
    assert_eq!(run(&again).status.code(), Some(1), "{replay}");
    std::fs::write(&known, stdout(&output)).unwrap();
    let output = run(&[&race[..], &["--baseline", &known]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn the_same_seed_prints_the_same_steps() {
    let print = |seed| stdout(&run(&["check", "--print-steps", "--seed", seed, "--cases", "3"]));
    assert_eq!(print("3"), print("3"));
    assert_ne!(print("3"), print("4"));
    let one = stdout(&run(&["check", "--print-steps", "--seed", "3", "--case", "2"]));
    assert!(print("3").contains(&one));
}

#[test]
fn replay_plays_a_story_on_the_model_and_on_a_mock() {
    let story = fixture("stories/onboard-quote-advance-repay.jsonl");
    for place in ["model", "mock"] {
        let output = run(&["replay", story.to_str().unwrap(), "--on", place]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        assert!(stdout(&output).contains("held"), "{}", stdout(&output));
    }
}

#[test]
fn replay_with_an_unmet_expectation_exits_with_1() {
    let story = std::fs::read_to_string(fixture("stories/webhooks.jsonl")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.jsonl");
    std::fs::write(&path, story.replacen("\"status\":201", "\"status\":200", 1)).unwrap();
    let output = run(&["replay", path.to_str().unwrap(), "--on", "model"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("NOT AS EXPECTED, status: expected 200"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_wrong_command_exits_with_2_and_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let unknown = write("unknown.toml", "concentration = 5\n");
    let impossible = write("impossible.toml", "rates.fee = 10001\n");
    let empty = write("empty.jsonl", "");
    let garbled = write(
        "garbled.jsonl",
        "{\"tideover\":1,\"seed\":1,\"start\":\"2026-01-01T00:00:00Z\"}\n{\"cal\":1}\n",
    );
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (arguments, named) in [
        (vec!["serve", "--port", "0", "--profile", &unknown], "concentration"),
        (vec!["serve", "--port", "0", "--profile", &impossible], "rates.fee"),
        (vec!["check", "--profile", &impossible], "rates.fee"),
        (vec!["serve", "--profile", "/no/such/profile.toml"], "/no/such/profile.toml"),
        (vec!["serve", "--port", &port], port.as_str()),
        (vec!["serve", "--webhook-ca", "/no/such/ca.pem"], "/no/such/ca.pem"),
        (vec!["serve", "--webhook-ca", &empty], "no certificate"),
        (vec!["serve", "--clock", "still", "--speed", "2"], "--speed"),
        (vec!["replay", "/no/such/file.jsonl"], "/no/such/file.jsonl"),
        (vec!["replay", &empty], "empty"),
        (vec!["replay", &garbled], "line 2"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let complaint = stderr(&output);
        assert!(complaint.contains(named), "{complaint}");
        assert_eq!(complaint.trim_end().lines().count(), 1, "{complaint}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_target_that_cannot_be_reached_exits_with_3() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let story = fixture("stories/webhooks.jsonl");
    let url = format!("http://{free}");
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal.jsonl");
    let arguments = ["--key", "rap_sk_k", "--journal", journal.to_str().unwrap()];
    let output =
        run(&[&["replay", story.to_str().unwrap(), "--target", &url][..], &arguments].concat());
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains(&url), "{}", stderr(&output));
}

#[tokio::test]
async fn serve_answers_once_it_says_that_it_is_ready() {
    let (_served, ready) = serve(&["--clock", "still", "--start", "2026-05-01T00:00:00Z"]);
    let url = ready["baseUrl"].as_str().unwrap();
    let mut target = Http::new(url, ready["apiKey"].as_str().unwrap()).unwrap();
    let mut send = async |action| {
        let sent = Prepared::from_step(&Step::new(action), &Memory::default(), target.api_key());
        target.send(&sent).await.unwrap()
    };
    let list = send(Action::Call(Call::bare("GET", "/v1/webhooks"))).await;
    assert_eq!((list.status, list.json()), (200, Some(&json!([]))));
    let clock = send(Action::Advance(60)).await;
    assert_eq!(clock.json(), Some(&json!({ "now": "2026-05-01T00:01:00Z" })));
}

/// A log that goes to a file or a pipe is plain text.
#[tokio::test]
async fn serve_logs_in_colours_to_a_terminal_alone() {
    let mut child = tideover()
        .args(["serve", "--port", "0", "--json", "--log", "info"])
        .env_remove("NO_COLOR")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let _served = Served(child);
    let ready: Value = serde_json::from_str(&line).unwrap();
    let mut target = Http::new(ready["baseUrl"].as_str().unwrap(), "any").unwrap();
    let get = Step::new(Action::Call(Call::bare("GET", "/v1/nowhere")));
    let sent = Prepared::from_step(&get, &Memory::default(), target.api_key());
    assert_eq!(target.send(&sent).await.unwrap().status, 404);
    let mut logged = String::new();
    log.read_line(&mut logged).unwrap();
    assert!(logged.contains("INFO") && logged.contains("unknown_endpoint"), "{logged:?}");
    assert!(!logged.contains('\u{1b}'), "{logged:?}");
}

/// Options decide where webhooks may go and what signs them, and the first lines show it.
#[tokio::test]
async fn serve_sends_webhooks_as_its_options_say() {
    let inbox = inbox::Server::start().await.unwrap();
    let body = json!({ "url": format!("{}/accepts", inbox.origin()) });
    let subscribe = Step::new(Action::Call(Call::json("POST", "/v1/webhooks", body)));
    let business = json!({ "legalName": "Acme" });
    let sync = Step::new(Action::Call(Call::json("PUT", "/v1/organizations/acme", business)));
    let send = async |ready: &Value, step: &Step| {
        let mut target = Http::new(ready["baseUrl"].as_str().unwrap(), "rap_sk_local").unwrap();
        let sent = Prepared::from_step(step, &Memory::default(), target.api_key());
        target.send(&sent).await.unwrap()
    };
    let (_public, ready) = serve(&[]);
    assert_eq!(ready["webhooks"], "public");
    assert_eq!(send(&ready, &subscribe).await.code(), Some("destination_refused"));
    let long_ago = ["--clock", "still", "--start", "1999-01-01T00:00:00Z"];
    for (sign_with, is_old) in [("wall", false), ("virtual", true)] {
        let options = [&long_ago[..], &["--webhooks", "local", "--sign-with", sign_with]].concat();
        let (_local, ready) = serve(&options);
        assert_eq!(ready["webhooks"], "local");
        assert_eq!(send(&ready, &subscribe).await.status, 201);
        assert_eq!(send(&ready, &sync).await.status, 200);
        let wait = json!({ "patienceSeconds": 20 });
        let wait = Step::new(Action::Call(Call::json("POST", "/_sim/deliveries/wait", wait)));
        assert_eq!(send(&ready, &wait).await.status, 200);
        let signed_at = inbox.inbox().take()[0].signed_at().unwrap();
        let signed_at = Timestamp::from_unix(i64::try_from(signed_at).unwrap()).unwrap();
        assert_eq!(signed_at.to_string().starts_with("1999"), is_old, "{sign_with}: {signed_at}");
    }
}

#[tokio::test]
async fn serve_with_a_defect_says_so_and_answers_wrongly() {
    let (_served, ready) = serve(&["--defect", "unknown-path-is-405"]);
    assert_eq!(ready["defect"], "unknown-path-is-405");
    let mut target = Http::new(ready["baseUrl"].as_str().unwrap(), "any").unwrap();
    let mut get = async |path| {
        let step = Step::new(Action::Call(Call::bare("GET", path)));
        let sent = Prepared::from_step(&step, &Memory::default(), target.api_key());
        target.send(&sent).await.unwrap()
    };
    assert_eq!(get("/v1/nowhere").await.status, 405);
    let health = get("/_sim/health").await;
    let defect = health.json().unwrap()["defect"].as_str().unwrap();
    assert!(defect.contains("unknown-path-is-405") && defect.contains("7.codes"), "{defect}");
}

#[test]
fn checks_lists_what_stands_for_each_clause() {
    let printed = stdout(&run(&["checks", "4.imports.8"]));
    assert!(
        printed.starts_with("4.imports.8 (documented, §4 PUT /v1/invoices/imports/"),
        "{printed}"
    );
    assert!(printed.contains("checked by prediction"), "{printed}");
    assert!(
        printed.contains("proven by the defects other-file-is-taken-for-the-same"),
        "{printed}"
    );
    let printed = stdout(&run(&["checks", "--json"]));
    let clauses: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(clauses.len(), tideover_model::Clause::all().count());
    let hidden = clauses.iter().find(|clause| clause["clause"] == "2.payoutAccount.label.2");
    assert!(hidden.unwrap()["unobservable"].is_string());
    assert_eq!(run(&["checks", "10."]).status.code(), Some(2));
}

/// A defect shows what a finding looks like, and its transcript shows it again.
#[test]
fn check_with_a_defect_fails_and_replays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("failure.jsonl");
    let path = path.to_str().unwrap();
    let defect = "void-invoices-are-fundable";
    let check = ["check", "--seed", "11", "--cases", "60", "--save", path, "--defect", defect];
    for (way, on) in [(&["--in-process"][..], "model"), (&[], "mock")] {
        let output = run(&[&check, way].concat());
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let printed = stdout(&output);
        assert!(printed.contains("2.invoice.fundable violated"), "{printed}");
        let replay = format!("replay '{path}' --on {on} --defect {defect}");
        assert!(printed.contains(&replay), "{printed}");
        let output = run(&["replay", path, "--on", on, "--defect", defect]);
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        let mended = run(&["replay", path, "--on", on]);
        assert_eq!(mended.status.code(), Some(3), "{}", stdout(&mended));
    }
    let printed = run(&["replay", path, "--target", "http://127.0.0.1:1", "--defect", defect]);
    assert_eq!(printed.status.code(), Some(2));
}

/// A former report accepts what it has, and the reports that are asked for are written.
#[test]
fn check_writes_reports_and_takes_one_as_a_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [save, former, page, junit] = ["f.jsonl", "former.json", "r.html", "r.xml"].map(path);
    let defect = ["--in-process", "--seed", "11", "--cases", "60", "--save", &save, "--defect"];
    let check = |more: &[&str]| run(&[&["check"], &defect[..], more].concat());
    let output = check(&["void-invoices-are-fundable", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    std::fs::write(&former, &output.stdout).unwrap();
    let known = ["--baseline", &former, "--html", &page, "--junit", &junit];
    let output = check(&[&["void-invoices-are-fundable"], &known[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!doctype html>"));
    assert!(std::fs::read_to_string(junit).unwrap().contains("failures=\"0\""));
    let output = check(&["repeat-is-answered-as-the-first", "--baseline", &former]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("gone: "), "{}", stdout(&output));
    assert_eq!(
        check(&["repeat-is-answered-as-the-first", "--baseline", &save]).status.code(),
        Some(2)
    );
    let nowhere = check(&["void-invoices-are-fundable", "--html", "/no/such/folder/r.html"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("/no/such/folder/r.html"));
}

/// What is not as assumed fails only if it is to.
#[test]
fn a_difference_from_an_assumption_fails_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("failure.jsonl");
    let save = ["--save", path.to_str().unwrap()];
    let defect = ["--defect", "issued-advance-has-no-event", "--in-process", "--seed", "1"];
    let check = |more: &[&str]| run(&[&["check"], &save[..], &defect, more].concat());
    let output = check(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("differs from an assumption"), "{}", stdout(&output));
    assert_eq!(check(&["--fail-on", "stalled"]).status.code(), Some(0));
    assert_eq!(check(&["--fail-on", "differs,stalled"]).status.code(), Some(1));
    assert_eq!(check(&["--fail-on", "held"]).status.code(), Some(2));
}

#[test]
fn prove_prints_what_is_found_and_what_survives() {
    let proven = ["prove", "--defect", "unknown-path-is-405", "--seeds", "2"];
    let output = run(&proven);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.contains("2/2") && printed.contains("1 of 1 defects found"), "{printed}");
    let output =
        run(&["prove", "--defect", "limit-is-never-reached", "--seeds", "1", "--requests", "50"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("survived: limit-is-never-reached"), "{}", stdout(&output));
    let unseen = ["--defect", "limit-is-never-reached", "--seeds", "1", "--requests", "500"];
    let output = run(&[&["prove", "--as", "stranger"], &unseen[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let printed = stdout(&output);
    assert!(printed.contains("the document does not state the limit"), "{printed}");
    let output = run(&[&["prove", "--as", "all", "--json"], &unseen[..]].concat());
    let printed = stdout(&output);
    let report: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let setups: Vec<&Value> = report.iter().map(|report| &report["setup"]).collect();
    assert_eq!(setups, ["known", "stranger", "caller"]);
    assert_eq!(report[0]["defects"][0]["reason"], Value::Null);
    assert!(report[2]["defects"][0]["reason"].is_string(), "{report:#?}");
    let output = run(&["prove", "--list", "--json"]);
    let printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let listed = printed["defects"].as_array().unwrap().len();
    assert_eq!(listed, tideover_prove::defects::all().count());
}

/// What a seed draws stays the same, and so does what finds it.
#[test]
fn prove_draws_wrong_services_from_the_tables() {
    let drawn = || {
        let output = run(&["prove", "--generated", "6", "--first", "3", "--json"]);
        assert_eq!(output.status.code(), Some(0));
        stdout(&output)
    };
    let printed = drawn();
    assert_eq!(printed, drawn());
    let lines: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_all = lines.iter().find(|line| line["operator"] == "all").unwrap();
    assert_eq!((&of_all["setup"], &of_all["drawn"]), (&json!("stranger"), &json!(6)));
    assert!(of_all["found"].as_u64() <= of_all["shown"].as_u64(), "{of_all}");
    assert_eq!(run(&["prove", "--first", "3"]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn serve_ends_cleanly_on_each_signal() {
    for signal in ["-INT", "-TERM", "-HUP"].into_iter().filter(|signal| is_heard(signal)) {
        let (mut served, _) = serve(&[]);
        let sent =
            Command::new("kill").args([signal, &served.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(served.0.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = tideover()
        .args(["check", "--print-steps", "--seed", "1", "--cases", "400"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).is_empty(), "{}", stderr(&output));
}

#[tokio::test]
async fn serve_logs_every_request_with_its_option() {
    let mut child = tideover()
        .args(["serve", "--port", "0", "--json", "--log", "debug"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let mut logged = BufReader::new(child.stderr.take().unwrap());
    let _served = Served(child);
    let ready: Value = serde_json::from_str(&line).unwrap();
    let mut target = Http::new(ready["baseUrl"].as_str().unwrap(), "wrong").unwrap();
    let step = Step::new(Action::Call(Call::bare("GET", "/v1/webhooks")));
    let sent = Prepared::from_step(&step, &Memory::default(), target.api_key());
    target.send(&sent).await.unwrap();
    let mut log = String::new();
    while !log.contains("/v1/webhooks") {
        assert!(logged.read_line(&mut log).unwrap() > 0, "{log}");
    }
    assert!(log.contains("401 unauthorized (5.authentication.3)"), "{log}");
}

/// The mock says what helps if another program has its port.
#[test]
fn a_taken_port_is_no_dead_end() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = run(&["serve", "--port", &port]);
    assert_eq!(output.status.code(), Some(2));
    let complaint = stderr(&output);
    assert!(complaint.contains(&port) && complaint.contains("--port 0"), "{complaint}");
}

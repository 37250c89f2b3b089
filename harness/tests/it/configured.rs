//! `serve` takes its options from the command line, the environment, a file, or their defaults, in this order.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::command::{Served, serve, serve_with, tideover};

fn file(folder: &Path, text: &str) -> String {
    let path = folder.join("mock.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn output(command: &mut Command) -> Output {
    command.output().unwrap()
}

fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_command_line_comes_before_the_environment_before_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = "seed = 7\nwebhooks = \"local\"\nclock = \"still\"\nstart = 2026-03-01T00:00:00Z\n";
    let path = file(folder.path(), text);
    let start = |arguments: &[&str], variables: &[(&str, &str)]| {
        let (_served, ready) = serve_with(arguments, variables);
        (ready["seed"].clone(), ready["webhooks"].clone(), ready["now"].clone())
    };
    let expected = |seed: i32, webhooks: &str, now: &str| -> (Value, Value, Value) {
        (seed.into(), webhooks.into(), now.into())
    };
    let march = "2026-03-01T00:00:00Z";
    let with_file = ["--config", path.as_str()];
    assert_eq!(start(&with_file, &[]), expected(7, "local", march));
    let variables = [("TIDEOVER_SEED", "8"), ("TIDEOVER_WEBHOOKS", "anywhere")];
    assert_eq!(start(&with_file, &variables), expected(8, "anywhere", march));
    let both = ["--config", path.as_str(), "--seed", "9"];
    assert_eq!(start(&both, &variables), expected(9, "anywhere", march));
    let named = [("TIDEOVER_CONFIG", path.as_str()), ("TIDEOVER_START", "2026-04-01T00:00:00Z")];
    assert_eq!(start(&[], &named), expected(7, "local", "2026-04-01T00:00:00Z"));
    let none = start(&["--clock", "still", "--start", march], &[]);
    assert_eq!(none, expected(1, "public", march));
}

#[test]
fn what_is_on_in_the_file_is_off_in_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "grease = true\n");
    let greased = |variables: &[(&str, &str)]| {
        serve_with(&["--config", &path], variables).1["grease"].clone()
    };
    assert_eq!(greased(&[]), true);
    assert_eq!(greased(&[("TIDEOVER_GREASE", "false")]), false);
    assert_eq!(greased(&[("TIDEOVER_GREASE", "0")]), false);
    assert_eq!(serve_with(&[], &[("TIDEOVER_GREASE", "yes")]).1["grease"], true);
    assert_eq!(serve_with(&["--config", &path, "--grease=false"], &[]).1["grease"], false);
    let on = [("TIDEOVER_GREASE", "true")];
    assert_eq!(serve_with(&["--grease=false"], &on).1["grease"], false);
    assert_eq!(serve_with(&["--grease"], &[]).1["grease"], true);
}

/// A file permits nothing that the command line takes back.
#[test]
fn the_permissions_of_a_file_are_off_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = "target = 'http://127.0.0.1:1'\nallow_writes = true\naccount_prefix = 'test-'\n\
                webhook_listen = '127.0.0.1:0'\nwebhook_url = 'https://hooks.example'\n";
    let path = file(folder.path(), text);
    let check = |more: &[&str]| {
        let mut check = tideover();
        check.args(["check", "--config", &path, "--print-steps", "--cases", "1"]).args(more);
        output(check.current_dir(&folder).env("TIDEOVER_KEY", "rap_sk_key"))
    };
    assert_eq!(check(&[]).status.code(), Some(0));
    let off = complaint(&check(&["--allow-writes=false"]));
    assert!(off.contains("webhook-url needs sandbox or allow-writes"), "{off}");
    let elsewhere = ["--target", "http://127.0.0.1:2", "--allow-writes"];
    assert!(complaint(&check(&elsewhere)).contains("are for http://127.0.0.1:1"));
}

#[test]
fn an_option_that_no_replay_can_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut replay = tideover();
    replay.args(["replay", "x.jsonl", "--target", "http://127.0.0.1:1", "--workers", "3"]);
    let complaint = complaint(&output(replay.current_dir(&folder)));
    assert_eq!(complaint, "tideover: --workers is for a check: a replay plays one case\n");
}

#[test]
fn a_wrong_file_is_refused_with_its_line_and_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    for (text, problem) in [
        ("seed = 1\nprot = 4010\n", "2: prot is no option of tideover serve; do you mean port?"),
        (
            "webhook_cas = 'x'\n",
            "1: webhook-cas is no option of tideover serve; do you mean webhook-ca?",
        ),
        ("xyz = 1\n", "known are seed, profile,"),
        ("config = 'other.toml'\n", "1: config is no option"),
        ("help = true\n", "1: help is no option"),
        ("\n\nport = 'http'\n", "3: invalid value 'http' for '--port <PORT>': invalid digit"),
        ("port = 65536\n", "1: invalid value '65536' for '--port <PORT>'"),
        ("clock = 'stil'\n", "1: invalid value 'stil' for '--clock"),
        ("grease = 'yes'\n", "1: grease: expected true or false"),
        ("port = [1, 2]\n", "1: port: expected one value"),
        ("[port]\nnumber = 1\n", "1: port: expected a text, a number, true or false"),
        ("port = \n", "1: "),
        ("cors = ['nowhere']\n", "\"nowhere\" is no origin"),
        (
            "grease = true\ndefect = 'unknown-path-is-405'\n",
            "--grease and --defect exclude each other",
        ),
    ] {
        let path = file(folder.path(), text);
        let output = output(tideover().args(["serve", "--port", "0", "--config", &path]));
        let complaint = complaint(&output);
        assert!(complaint.contains(problem), "{text}{complaint}");
        assert_eq!(complaint.trim_end().lines().count(), 1, "{complaint}");
        if problem.starts_with(|letter: char| letter.is_ascii_digit()) {
            assert!(complaint.starts_with(&format!("tideover: {path}:{problem}")), "{complaint}");
        }
    }
    let missing = output(tideover().args(["serve", "--config", "/no/such/mock.toml"]));
    assert!(complaint(&missing).contains("/no/such/mock.toml"));
}

/// The file of a check names the nearest option as well.
#[test]
fn a_wrong_option_of_a_check_is_refused_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "tagret = 'https://staging.example.com'\n");
    let output = output(tideover().args(["check", "--config", &path]));
    let complaint = complaint(&output);
    let problem = "1: tagret is no option of tideover check; do you mean target?";
    assert!(complaint.trim_end().ends_with(problem), "{complaint}");
}

#[test]
fn the_help_names_each_variable_and_no_value() {
    let output = output(tideover().args(["serve", "--help"]).env("TIDEOVER_SEED", "4711"));
    let help = String::from_utf8(output.stdout).unwrap();
    for option in ["port", "seed", "webhook-ca", "grease", "cors", "config", "json"] {
        let variable = option.replace('-', "_").to_uppercase();
        assert!(help.contains(&format!("[env: TIDEOVER_{variable}]")), "{option}: {help}");
    }
    assert!(!help.contains("4711"), "{help}");
}

#[test]
fn localhost_is_an_address() {
    let (_served, ready) = serve(&["--address", "localhost"]);
    assert!(ready["baseUrl"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{ready}");
    let refused = output(tideover().args(["serve", "--address", "nowhere.example"]));
    assert!(complaint(&refused).contains("or localhost"));
}

#[tokio::test]
async fn a_listed_page_may_call_a_mock_that_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "cors = ['http://localhost:3000', 'http://localhost:3001']\n");
    let (_served, ready) = serve(&["--config", &path]);
    let client = crate::support::plain::client();
    let url = format!("{}/_sim/clock", ready["baseUrl"].as_str().unwrap());
    let preflight = client.request(reqwest::Method::OPTIONS, url);
    let preflight = preflight.header("Origin", "http://localhost:3001");
    let answer = preflight.header("Access-Control-Request-Method", "POST").send().await.unwrap();
    assert_eq!(answer.headers()["access-control-allow-origin"], "http://localhost:3001");
}

#[test]
fn a_wrong_variable_is_named_with_what_it_takes() {
    for (name, value, problem) in [
        (
            "TIDEOVER_PORT",
            "abc",
            "TIDEOVER_PORT: invalid value 'abc' for '--port <PORT>': invalid digit",
        ),
        ("TIDEOVER_CLOCK", "stil", "TIDEOVER_CLOCK: invalid value 'stil' for '--clock"),
        ("TIDEOVER_GREASE", "maybe", "expected true or false"),
    ] {
        let refused = output(tideover().arg("serve").env(name, value));
        let complaint = complaint(&refused);
        assert!(complaint.starts_with(&format!("tideover: {name}: invalid value")), "{complaint}");
        assert!(complaint.contains(problem), "{complaint}");
        assert_eq!(complaint.trim_end().lines().count(), 1, "{complaint}");
    }
    let given = output(tideover().args(["serve", "--port", "x"]).env("TIDEOVER_PORT", "y"));
    assert!(!complaint(&given).contains("TIDEOVER_PORT"));
}

/// The mock does not start, so that the output ends: the port is that of another one.
#[test]
fn a_misspelt_variable_and_a_busy_port_have_a_way_out() {
    let (_served, ready) = serve(&[]);
    let port = ready["baseUrl"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let mut second = tideover();
    second.args(["serve", "--port", &port]).env("TIDEOVER_PROT", "1").env("TIDEOVER_KEY", "k");
    let complaint = complaint(&output(&mut second));
    let (misspelt, busy) = complaint.trim_end().split_once('\n').unwrap();
    let expected =
        "tideover: TIDEOVER_PROT is no option of tideover serve; do you mean TIDEOVER_PORT?";
    assert_eq!(misspelt, expected);
    assert!(busy.contains(" is free, and --port 0 picks a free port"), "{busy}");
    let free = busy.split("--port ").nth(1).and_then(|it| it.split(' ').next()).unwrap();
    assert!(free.parse::<u16>().unwrap() > port.parse::<u16>().unwrap(), "{busy}");
}

#[tokio::test]
async fn a_variable_takes_several_pages() {
    let pages = "http://localhost:3000,http://localhost:3001";
    let (_served, ready) = serve_with(&[], &[("TIDEOVER_CORS", pages)]);
    let url = format!("{}/_sim/clock", ready["baseUrl"].as_str().unwrap());
    let asked = crate::support::plain::client().get(url).header("Origin", "http://localhost:3001");
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.headers()["access-control-allow-origin"], "http://localhost:3001");
}

/// What the file keeps goes before the options, and so the options are not what is shown.
#[test]
fn a_loaded_state_is_shown_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let kept = ["--state", file.to_str().unwrap()];
    let (mut served, first) = serve(&[&kept[..], &["--seed", "5", "--clock", "still"]].concat());
    assert_eq!((&first["seed"], &first["stateLoaded"]), (&5.into(), &false.into()));
    served.0.kill().unwrap();
    served.0.wait().unwrap();
    let (_served, second) = serve(&[&kept[..], &["--seed", "6"]].concat());
    assert_eq!((&second["seed"], &second["stateLoaded"]), (&Value::Null, &true.into()));
    assert_eq!(second["now"], first["now"]);
}

/// Nobody reads the log here, and the pipe is full after some hundred lines.
#[tokio::test]
async fn a_log_that_nobody_reads_stops_no_request() {
    let mut mock = tideover();
    mock.args(["serve", "--port", "0", "--json"]);
    mock.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut mock = Served(mock.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(mock.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let url = format!("{}/v1/organizations/acme", ready["baseUrl"].as_str().unwrap());
    let client = crate::support::plain::client();
    for _ in 0..1500 {
        let sync =
            client.put(&url).bearer_auth("rap_sk_local").header("Content-Type", "application/json");
        let sync = sync.body(r#"{"legalName":"Acme Ltd","taxid":"12-3456789"}"#).send();
        let answer = tokio::time::timeout(Duration::from_secs(20), sync).await;
        assert_eq!(answer.expect("the mock answers").unwrap().status(), 200);
    }
}

/// Each bound and the names of the operator port come from an option.
#[tokio::test]
async fn bounds_and_names_are_options() {
    let client = crate::support::plain::client();
    let ask = async |mock: &Value, method: reqwest::Method, path: &str, host: &str, body: Value| {
        let url = format!("{}{path}", mock["baseUrl"].as_str().unwrap());
        let request = client
            .request(method, url)
            .bearer_auth("rap_sk_local")
            .header("host", host)
            .json(&body);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let (post, get) = (reqwest::Method::POST, reqwest::Method::GET);
    let options = [
        "--max-worlds",
        "1",
        "--max-subscriptions",
        "0",
        "--max-waiting",
        "0",
        "--max-journals",
        "1",
        "--host",
        "mock.example,other.example",
        "--cors",
        "https://app.example",
    ];
    let (_served, mock) = serve(&options);
    let hook = serde_json::json!({ "url": "https://hooks.example/" });
    for (path, body, option) in [
        ("/_sim/worlds", Value::Null, "--max-worlds"),
        ("/v1/webhooks", hook, "--max-subscriptions"),
        ("/_sim/journal/wait", serde_json::json!({}), "--max-waiting"),
    ] {
        let (status, said) = ask(&mock, post.clone(), path, "localhost", body).await;
        assert!((status == 409 || status == 422) && said.contains(option), "{path}: {said}");
    }
    for (host, status) in [
        ("mock.example:4010", 200),
        ("other.example", 200),
        ("app.example", 200),
        ("127.0.0.1:1", 200),
        ("attacker.example", 403),
    ] {
        let (answered, said) = ask(&mock, get.clone(), "/_sim/clock", host, Value::Null).await;
        assert_eq!(answered, status, "{host}: {said}");
        assert_eq!(said.contains("--host attacker.example"), status == 403, "{said}");
    }
    let wrong = output(tideover().args(["serve", "--host", "http://mock.example"]));
    assert!(complaint(&wrong).contains("is no host name"), "{wrong:?}");
}

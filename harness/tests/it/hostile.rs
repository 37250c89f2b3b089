//! Endpoints that misbehave: each ends a check with a finding or with exit code 3, and none with a panic.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::hostile::{answer, endpoint};

/// The outcome of a check.
struct CheckOutcome {
    code: Option<i32>,
    text: String,
    journal: String,
}

/// Checks it; an answer is waited for so many seconds.
fn check(address: SocketAddr, timeout: &str) -> CheckOutcome {
    check_with(address, timeout, &[])
}

fn check_with(address: SocketAddr, timeout: &str, more: &[&str]) -> CheckOutcome {
    let folder = tempfile::tempdir().unwrap();
    let journal: PathBuf = folder.path().join("journal.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_tideover"))
        .current_dir(folder.path())
        .args(["check", "--target", &format!("http://{address}"), "--key", "rap_sk_hostile"])
        .args(["--seed", "1", "--cases", "30", "--requests-per-second", "100000"])
        .args(["--journal", journal.to_str().unwrap()])
        .args(["--timeout", timeout])
        .args(more)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains("panicked"), "{text}");
    assert!(!text.contains("rap_sk_hostile"), "{text}");
    let journal = std::fs::read_to_string(journal).unwrap_or_default();
    CheckOutcome { code: output.status.code(), text, journal }
}

/// The run is over, and the last line says which target it was and why.
fn assert_given_up(outcome: &CheckOutcome, address: SocketAddr, why: &str) {
    assert_eq!(outcome.code, Some(3), "{}", outcome.text);
    let last = outcome.text.trim_end().lines().last().unwrap();
    assert!(last.contains(&address.to_string()) && last.contains(why), "{}", outcome.text);
}

/// It took connections and answered nobody: a finding that says how.
fn assert_stopped(outcome: &CheckOutcome, why: &str) {
    assert_found(outcome);
    // A warning is wrapped to the width of a terminal.
    let text = outcome.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let stopped = "the service stopped answering during step 1: ";
    assert!(text.contains(stopped) && text.contains(why), "{}", outcome.text);
    assert!(text.contains("and did not answer again within 1s"), "{}", outcome.text);
}

/// What it says is no answer of this API: a finding, of a sentence of the document.
fn assert_found(outcome: &CheckOutcome) {
    assert_eq!(outcome.code, Some(1), "{}", outcome.text);
    assert!(outcome.text.contains("violated"), "{}", outcome.text);
}

#[test]
fn a_missing_endpoint_ends_the_run_at_once() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let outcome = check(address, "1");
    assert_given_up(&outcome, address, "cannot connect");
    assert!(outcome.journal.contains(r#""applied":"never""#), "{}", outcome.journal);
}

#[test]
fn a_silent_endpoint_ends_the_run_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let outcome = check(address, "1");
    assert_given_up(&outcome, address, "no answer within 1s");
    assert!(outcome.journal.contains(r#""applied":"mayBe""#), "{}", outcome.journal);
}

#[test]
fn closed_connections_are_a_finding() {
    let outcome = check(endpoint(|_, _| Ok(())), "1");
    assert_stopped(&outcome, "the connection was closed");
    assert!(outcome.text.contains("\nFAIL: "), "{}", outcome.text);
    let json = check_with(endpoint(|_, _| Ok(())), "1", &["--json"]).text;
    assert!(json.contains(r#""ending":"givenUp""#), "{json}");
}

#[test]
fn truncated_responses_are_a_finding() {
    let address = endpoint(|_, socket| {
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"half\":")
    });
    assert_stopped(&check(address, "1"), "in the middle of an answer of 200");
}

#[test]
fn one_that_does_not_speak_http_is_a_finding() {
    let address =
        endpoint(|_, socket| socket.write_all(&[0xde, 0xad, 0xbe, 0xef, b'\r', b'\n', 0, 0]));
    assert_stopped(&check(address, "1"), "the answer is not HTTP");
}

#[test]
fn one_that_always_answers_502_is_given_up() {
    let address = endpoint(|_, socket| {
        let body = br#"{"error":"x","code":"upstream_failed"}"#;
        answer(socket, "502 Bad Gateway", "", body)
    });
    let outcome = check(address, "1");
    // Without leave nothing fails upstream, so that the first of them is a finding as well.
    assert!(matches!(outcome.code, Some(1 | 3)), "{}", outcome.text);
}

#[test]
fn what_is_no_answer_of_the_api_is_a_finding() {
    let large = vec![b'x'; 10 << 20];
    let deep = [vec![b'['; 200_000], vec![b']'; 200_000]].concat();
    for body in [
        b"<!doctype html><title>Welcome</title>".to_vec(),
        b"{\"error\":".to_vec(),
        b"\xff\xfe\0\0".to_vec(),
        br#"{"error":7,"code":["x"]}"#.to_vec(),
        b"null".to_vec(),
        deep,
        large,
    ] {
        let shown = String::from_utf8_lossy(&body[..body.len().min(20)]).into_owned();
        let is_large = body.len() > 8 << 20;
        let address = endpoint(move |_, socket| answer(socket, "200 OK", "", &body));
        let outcome = check(address, "1");
        assert_found(&outcome);
        assert_eq!(outcome.text.contains("more than 8 MiB"), is_large, "{}", outcome.text);
        assert!(outcome.text.len() < 100_000, "{shown}: {} bytes are outcome", outcome.text.len());
        assert!(
            outcome.journal.len() < 1 << 20,
            "{shown}: {} bytes are kept",
            outcome.journal.len()
        );
    }
}

/// The date of an answer is a guess of the target's time, for what it is worth.
#[test]
fn a_date_header_is_the_first_guess() {
    let body = br#"{"error":"?","code":"unknown_endpoint"}"#;
    let date = "date: Thu, 01 Jan 1970 00:00:00 GMT\r\n";
    let address = endpoint(move |_, socket| answer(socket, "404 Not Found", date, body));
    let outcome = check(address, "1");
    let at = |line: &str| line.contains("\"at\":\"2036-01-01T00:0");
    let guessed = outcome.journal.lines().skip(2).filter(|line| at(line)).count();
    assert!(guessed > 2 && guessed == outcome.journal.lines().count() - 2, "{}", outcome.journal);
}

/// No more than a limit is read, however long it goes on.
#[test]
fn a_body_without_an_end_is_cut() {
    let address = endpoint(|_, socket| {
        socket.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
        loop {
            socket.write_all(&[b'x'; 1 << 16])?;
        }
    });
    let outcome = check(address, "20");
    assert_found(&outcome);
    assert!(outcome.journal.len() < 1 << 20);
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = endpoint(|_, _| panic!("it was followed"));
    let address = endpoint(move |_, socket| {
        answer(socket, "302 Found", &format!("location: http://{elsewhere}/\r\n"), b"")
    });
    let outcome = check(address, "1");
    assert_found(&outcome);
    assert!(outcome.text.contains("302"), "{}", outcome.text);
}

/// It is asked again when it says so, and the answer then is the one that counts.
#[test]
fn one_that_asks_to_wait_is_waited_for() {
    let address = endpoint(|number, socket| match number % 2 {
        1 => answer(socket, "429 Too Many Requests", "retry-after: 0\r\n", b""),
        _ => answer(socket, "200 OK", "", b"<html>"),
    });
    let outcome = check(address, "1");
    assert_found(&outcome);
    // A word of its own: a port may have these digits too.
    let mut words = outcome.text.split(|letter: char| !letter.is_alphanumeric());
    assert!(words.all(|word| word != "429"), "{}", outcome.text);
    assert!(outcome.journal.contains("429"));
}

#[test]
fn a_wait_of_an_hour_ends_the_run() {
    let address = endpoint(|_, socket| {
        answer(socket, "503 Service Unavailable", "retry-after: 3600\r\n", b"")
    });
    let outcome = check(address, "1");
    assert_given_up(&outcome, address, "asks to wait 3600s");
}

/// A date is as good as a number, and counts from the date of the answer.
#[test]
fn one_that_asks_to_wait_until_a_date_is_understood() {
    let at = |hour| format!("Sun, 06 Nov 1994 {hour}:49:37 GMT");
    let waits = move |until: &str| {
        let headers = format!("date: {}\r\nretry-after: {until}\r\n", at("08"));
        endpoint(move |_, socket| answer(socket, "429 Too Many Requests", &headers, b""))
    };
    for (until, seconds) in [(at("09"), "3600"), ("9".repeat(20), "18446744073709551615")] {
        let address = waits(&until);
        assert_given_up(&check(address, "1"), address, &format!("asks to wait {seconds}s"));
    }
    let address = waits(&at("08"));
    assert_given_up(&check(address, "1"), address, "too many requests for it");
}

#[test]
fn endless_waits_end_the_run() {
    let address =
        endpoint(|_, socket| answer(socket, "429 Too Many Requests", "retry-after: 0\r\n", b""));
    let outcome = check(address, "1");
    assert_given_up(&outcome, address, "too many requests for it");
    // Three repeats of each of ten, but for what it is not safe to repeat.
    let sent = outcome.journal.matches("\"status\":429").count();
    assert!((11..=40).contains(&sent), "{sent} requests");
}

/// The field name of the secret does not matter.
#[test]
fn an_echoed_key_is_not_printed() {
    let address = endpoint(|number, socket| {
        let body: &[u8] = match number % 2 {
            0 => br#"{"echo":"rap_sk_hostile","rap_sk_hostile":1}"#,
            _ => b"<p>\x1b[31mrap_sk_hostile",
        };
        answer(socket, "200 OK", "", body)
    });
    let outcome = check(address, "1");
    assert_found(&outcome);
    for text in [&outcome.text, &outcome.journal] {
        assert!(!text.contains("rap_sk_hostile") && text.contains("rap_sk_…tile"), "{text}");
    }
    assert!(!outcome.text.contains('\u{1b}'), "{}", outcome.text);
}

/// Nor in any file that a run writes.
#[test]
fn a_key_as_a_code_is_not_printed() {
    let address = endpoint(|number, socket| {
        let status = if number % 2 == 0 { "200 OK" } else { "400 Bad Request" };
        answer(socket, status, "", br#"{"error":"no","code":"rap_sk_hostile"}"#)
    });
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let files = ["r.html", "r.xml", "l.toml", "f.jsonl"].map(path);
    let [html, junit, learn, save] = &files;
    let outcome = ["--json", "--html", html, "--junit", junit, "--learn", learn, "--save", save];
    let outcome = check_with(address, "1", &outcome);
    assert_eq!(outcome.code, Some(1), "{}", outcome.text);
    let report: serde_json::Value =
        serde_json::from_str(outcome.text.lines().find(|it| it.starts_with('{')).unwrap()).unwrap();
    let places = report["gaps"].as_array().unwrap().iter().map(|gap| &gap["place"]);
    assert!(places.into_iter().any(|place| place.as_str().unwrap().contains("rap_sk_…tile")));
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(!text.is_empty() && !text.contains("rap_sk_hostile"), "{file}: {text}");
    }
}

/// What is repeated is sent, and counts.
#[test]
fn repeats_are_counted_in_the_budget() {
    let address =
        endpoint(|_, socket| answer(socket, "429 Too Many Requests", "retry-after: 0\r\n", b""));
    let outcome = check_with(address, "1", &["--max-requests", "9"]);
    assert!(outcome.text.contains("the budget of 9 requests is spent"), "{}", outcome.text);
    assert_eq!(outcome.journal.matches("\"call\":").count(), 9, "{}", outcome.journal);
}

/// A transcript is held to the same gate as a check; a mock of ours moves no money, and gets it as it stands.
#[test]
fn replay_sends_no_write_without_leave() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let address = endpoint(move |number, socket| {
        counted.store(number, Ordering::SeqCst);
        answer(socket, "200 OK", "", b"[]")
    });
    let folder = tempfile::tempdir().unwrap();
    let story = folder.path().join("story.jsonl");
    let header = r#"{"tideover":1,"seed":1,"start":"2026-01-01T00:00:00Z"}"#;
    let list = r#"{"call":{"method":"GET","path":"/v1/webhooks"}}"#;
    let write =
        r#"{"call":{"method":"PUT","path":"/v1/organizations/acme","body":{"legalName":"Acme"}}}"#;
    let replay = |steps: &str, more: &[&str]| {
        std::fs::write(&story, format!("{header}\n{steps}\n")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tideover"))
            .current_dir(folder.path())
            .args(["replay", story.to_str().unwrap(), "--key", "rap_sk_hostile"])
            .args(["--target", &format!("http://{address}")])
            .args(more)
            .output()
            .unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text, asked.load(Ordering::SeqCst))
    };
    let (code, text, before) = replay(&format!("{list}\n{write}"), &[]);
    assert!(code == Some(2) && text.contains("nothing is sent; step 2"), "{text}");
    let (code, text, after) = replay(list, &[]);
    assert!(code == Some(0) && text.contains("1 of 1 steps played"), "{text}");
    // What is asked for before: whether it is a mock, and whether it is there.
    assert_eq!(after - before, 3);
    let leave = ["--allow-writes", "--account", "acme"];
    let (code, text, last) = replay(write, &leave);
    assert!(last > after && text.contains("left behind: business acme"), "{text}");
    assert!(code == Some(1) && text.contains("violated"), "a list is no synced business: {text}");
}

//! `watch` passes traffic on unchanged, and judges both sides of it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tideover_model::signature::{DELIVERY_HEADER, HEADER};
use tideover_model::{SigningKey, Timestamp};
use tideover_sim::wall_time;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::support::command::{Served, serve, tideover};
use crate::support::plain::client;
use crate::support::receiver::{Fault, Receiver};

const KEY: &str = "rap_sk_local";

/// A `watch` that runs.
struct Watching {
    served: Served,
    lines: BufReader<std::process::ChildStdout>,
    url: String,
    webhooks: Option<String>,
}

impl Watching {
    fn start(target: &str, more: &[&str]) -> Watching {
        let mut child = tideover()
            .args(["watch", "--listen", "127.0.0.1:0", "--target", target])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = || {
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            line
        };
        let listens = |line: &str| line.split(' ').nth(1).unwrap().trim().to_owned();
        let url = listens(&line());
        let webhooks = more.contains(&"--webhooks-listen").then(|| listens(&line()));
        assert!(line().starts_with("Ctrl-C"));
        Watching { served: Served(child), lines, url, webhooks }
    }

    /// Everything printed up to a line that begins so, and that line.
    fn until(&mut self, beginning: &str) -> String {
        let mut printed = String::new();
        loop {
            let before = printed.len();
            assert_ne!(self.lines.read_line(&mut printed).unwrap(), 0, "no {beginning}: {printed}");
            if printed[before..].starts_with(beginning) {
                return printed;
            }
        }
    }

    /// Ends it as Ctrl-C does. Returns the exit code, and what it printed since.
    fn interrupt(self) -> (Option<i32>, String) {
        let id = self.served.0.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.finish()
    }

    fn finish(mut self) -> (Option<i32>, String) {
        let mut printed = String::new();
        self.lines.read_to_string(&mut printed).unwrap();
        (wait(&mut self.served.0), printed)
    }
}

fn wait(child: &mut Child) -> Option<i32> {
    child.wait().unwrap().code()
}

/// A client of the partner API.
struct Caller {
    client: Client,
    base: String,
}

impl Caller {
    fn of(base: &str) -> Caller {
        Caller { client: client(), base: base.to_owned() }
    }

    async fn send(&self, method: &str, path: &str, body: Value) -> Response {
        let url = format!("{}{path}", self.base);
        let request = self.client.request(method.parse().unwrap(), url).bearer_auth(KEY);
        let request = if body.is_null() { request } else { request.json(&body) };
        request.send().await.unwrap()
    }

    async fn json(&self, method: &str, path: &str, body: Value) -> Value {
        let response = self.send(method, path, body).await;
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default()
    }

    /// Syncs and reads a vendor and its invoice, prices it, and asks for an advance, which is refused.
    async fn tries(&self, vendor: &str) {
        let business = format!("/v1/organizations/{vendor}");
        let tax_id = json!({ "legalName": "Acme Ltd", "taxId": "12-3456789" });
        self.json("PUT", &business, tax_id).await;
        let account = json!({ "accountNumber": "000123456789", "routingNumber": "021000021" });
        self.json("PUT", &format!("{business}/payout-account"), account).await;
        let invoice = json!({
            "payee": { "externalId": vendor, "legalName": "Acme Ltd" },
            "payor": { "externalId": "shop", "legalName": "Shop Ltd" },
            "status": "ISSUED", "faceValue": 100_000,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2036-01-31T00:00:00Z",
        });
        self.json("PUT", "/v1/invoices/INV-1", invoice).await;
        self.json("GET", &business, Value::Null).await;
        self.json("GET", &format!("{business}/invoices/INV-1"), Value::Null).await;
        let quote = json!({ "externalId": vendor, "invoiceFaceValue": 100_000 });
        self.json("POST", "/v1/quotes", quote).await;
        let advance = json!({ "payeeExternalId": vendor, "invoiceExternalId": "INV-1" });
        self.json("POST", "/v1/advances", advance).await;
    }
}

fn base(ready: &Value) -> &str {
    ready["baseUrl"].as_str().unwrap()
}

fn named(folder: &Path, name: &str) -> (PathBuf, String) {
    let path = folder.join(name);
    (path.clone(), path.to_str().unwrap().to_owned())
}

fn judged(har: &Path) -> Value {
    judged_with(har, &[])
}

fn judged_with(har: &Path, options: &[&str]) -> Value {
    let output = tideover().arg("judge").arg(har).arg("--json").args(options).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The clauses of the findings, sorted.
fn found(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let mut found: Vec<&str> =
        findings.map(|finding| finding["clause"].as_str().unwrap()).collect();
    found.sort_unstable();
    found
}

#[tokio::test]
async fn a_right_client_and_a_right_service_have_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let (har, har_text) = named(folder.path(), "traffic.har");
    let (xml, xml_text) = named(folder.path(), "report.xml");
    let (_mock, ready) = serve(&[]);
    let options = ["--har", &har_text, "--junit", &xml_text];
    let watching = Watching::start(base(&ready), &options);
    let caller = Caller::of(&watching.url);
    let url = "https://hooks.example.com/tideover";
    let subscribed = caller.json("POST", "/v1/webhooks", json!({ "url": url })).await;
    caller.tries("acme").await;
    let (code, printed) = watching.interrupt();
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.trim_start().starts_with("PASS: no duty of the client is broken"), "{printed}");
    assert!(!printed.contains("service: ") || !printed.contains("\nservice: "), "{printed}");
    // The judge of recordings comes to the same.
    let report = judged(&har);
    assert_eq!(found(&report), [""; 0]);
    let extent = report["headline"].as_str().unwrap().split_once('(').unwrap().1;
    assert!(printed.contains(extent), "{extent}: {printed}");
    assert_eq!(report["steps"], 8);
    // Nothing secret is kept.
    let kept = std::fs::read_to_string(&har).unwrap();
    let secret = subscribed["secret"].as_str().unwrap_or("rap_sk_local");
    for text in [KEY, secret, "000123456789", "00012345"] {
        assert!(!kept.contains(text), "{text}: {kept}");
    }
    assert!(kept.contains("6789"), "the mask of an account stays");
    let junit = std::fs::read_to_string(&xml).unwrap();
    assert!(junit.contains("client.sends-key"), "{junit}");
}

#[tokio::test]
async fn a_defect_is_found_when_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let (har, har_text) = named(folder.path(), "traffic.har");
    let (_mock, ready) = serve(&["--defect", "quote-forwards-too-much"]);
    let mut watching = Watching::start(base(&ready), &["--har", &har_text]);
    Caller::of(&watching.url).tries("acme").await;
    let printed = watching.until("  1. ");
    assert!(printed.contains("service: 2.amounts.forwardedAtPayment violated"), "{printed}");
    assert!(printed.contains("    expected  ") && printed.contains("POST /v1/quotes"), "{printed}");
    let (code, printed) = watching.interrupt();
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("FAIL: no duty of the client is broken; service: 2.amounts."));
    assert_eq!(found(&judged(&har)), ["2.amounts.forwardedAtPayment"]);
}

#[tokio::test]
async fn a_broken_duty_is_told_when_it_happens() {
    let (_mock, ready) = serve(&[]);
    let account = json!({ "accountNumber": "12345678", "routingNumber": "021000022" });
    for (side, expected) in [("both", Some(1)), ("client", Some(1)), ("service", Some(0))] {
        let mut watching = Watching::start(base(&ready), &["--side", side]);
        let caller = Caller::of(&watching.url);
        caller.json("PUT", "/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
        for _ in 0..2 {
            let path = "/v1/organizations/acme/payout-account";
            caller.json("PUT", path, account.clone()).await;
        }
        let printed = watching.until("  request 3: ");
        assert!(printed.contains("client: changes-refused-request (7.retrying.2"), "{printed}");
        let (code, printed) = watching.interrupt();
        assert_eq!(code, expected, "{printed}");
        assert!(printed.contains("1 broken"), "{printed}");
    }
}

#[tokio::test]
async fn fail_fast_ends_at_the_first_finding() {
    let (_mock, ready) = serve(&[]);
    let watching = Watching::start(base(&ready), &["--fail-fast"]);
    client().get(format!("{}/v1/webhooks", watching.url)).send().await.unwrap();
    let (code, printed) = watching.finish();
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("client: sends-key"), "{printed}");
}

/// Takes one connection, reads until `ends` is there, answers, and returns what came.
async fn answering(
    listener: TcpListener,
    answers: &'static [(&'static [u8], &'static [u8])],
) -> Vec<u8> {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut came = Vec::new();
    for (ends, answer) in answers {
        read_until(&mut socket, &mut came, ends).await;
        socket.write_all(answer).await.unwrap();
    }
    came
}

async fn read_until(socket: &mut TcpStream, came: &mut Vec<u8>, ends: &[u8]) {
    let mut piece = [0; 4096];
    while !came.windows(ends.len()).any(|part| part == ends) {
        let read = tokio::time::timeout(Duration::from_secs(20), socket.read(&mut piece)).await;
        let length = read.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(came))).unwrap();
        assert_ne!(length, 0, "closed after {}", String::from_utf8_lossy(came));
        came.extend_from_slice(&piece[..length]);
    }
}

/// A listener, and a `watch` in front of it.
async fn before_a_socket() -> (TcpListener, Watching, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    let watching = Watching::start(&target, &[]);
    let socket = TcpStream::connect(watching.url.trim_start_matches("http://")).await.unwrap();
    (listener, watching, socket)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn bytes_pass_as_they_are() {
    let (listener, _watching, mut socket) = before_a_socket().await;
    let host = listener.local_addr().unwrap().to_string();
    let answer: &[u8] = b"HTTP/1.1 201 Created\r\nX-Odd-CASE: 1\r\nContent-Encoding: gzip\r\n\
        Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\n\x1f\x8b\xff\x00\x01\r\n2\r\nok\r\n\
        0\r\nX-Sum: 7\r\n\r\n";
    let answers: &[(&[u8], &[u8])] = Box::leak(Box::new([(&b"\r\n0\r\n\r\n"[..], answer)]));
    let served = tokio::spawn(answering(listener, answers));
    let request = "PUT /v1/organizations/a%2Fb?x=%20 HTTP/1.1\r\nHost: me\r\nX-FIRST: a\r\nx-second: b\r\n\
        Connection: TE, X-Hop\r\nX-Hop: gone\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n\
        4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n";
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    read_until(&mut socket, &mut seen, b"x-sum: 7\r\n\r\n").await;
    let came = text(&served.await.unwrap());
    let (head, body) = came.split_once("\r\n\r\n").unwrap();
    let mut lines = head.split("\r\n");
    assert_eq!(lines.next(), Some("PUT /v1/organizations/a%2Fb?x=%20 HTTP/1.1"));
    let lines: Vec<&str> = lines.collect();
    let expected = format!("Host: {host}");
    assert_eq!(lines[..3], [&*expected, "X-FIRST: a", "x-second: b"], "{came}");
    assert!(!came.contains("X-Hop: gone"), "{came}");
    assert_eq!(body, "4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n");
    let (head, body) = seen.split_at(seen.windows(4).position(|it| it == b"\r\n\r\n").unwrap() + 4);
    let head = text(head);
    assert!(
        head.starts_with("HTTP/1.1 201 Created\r\nX-Odd-CASE: 1\r\nContent-Encoding: gzip\r\n")
    );
    assert!(!head.to_lowercase().contains("\r\ndate:"), "{head}");
    let passed = b"5\r\n\x1f\x8b\xff\x00\x01\r\n2\r\nok\r\n0\r\nx-sum: 7\r\n\r\n";
    assert_eq!(body, passed, "{}", text(&seen));
}

#[tokio::test]
async fn a_body_is_asked_for_by_the_other_side() {
    let head =
        "POST /v1/quotes HTTP/1.1\r\nHost: me\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    // It asks for the body.
    let (listener, _watching, mut socket) = before_a_socket().await;
    let asks: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    let done: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
    let answers: &[(&[u8], &[u8])] =
        Box::leak(Box::new([(&b"\r\n\r\n"[..], asks), (&b"{}"[..], done)]));
    let served = tokio::spawn(answering(listener, answers));
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    read_until(&mut socket, &mut seen, b"100 Continue\r\n\r\n").await;
    socket.write_all(b"{}").await.unwrap();
    read_until(&mut socket, &mut seen, b"done").await;
    assert!(text(&served.await.unwrap()).contains("\r\nExpect: 100-continue\r\n"));
    // It does not want it.
    let (listener, _watching, mut socket) = before_a_socket().await;
    let refuses: &[u8] = b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno";
    let answers: &[(&[u8], &[u8])] = Box::leak(Box::new([(&b"\r\n\r\n"[..], refuses)]));
    let served = tokio::spawn(answering(listener, answers));
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    read_until(&mut socket, &mut seen, b"\r\n\r\nno").await;
    assert!(text(&seen).starts_with("HTTP/1.1 413 Too Large\r\n"), "{}", text(&seen));
    served.await.unwrap();
}

#[tokio::test]
async fn a_compressed_answer_is_judged() {
    let (listener, watching, mut socket) = before_a_socket().await;
    // `{"error": 1}`: prose is a string, and there is no code.
    let answer: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\
        Content-Encoding: gzip\r\nContent-Length: 32\r\n\r\n\
        \x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x2d\x2a\xca\x2f\x52\xb2\x52\x30\xac\x05\x00\xbd\xdf\x34\x38\x0c\x00\x00\x00";
    let answers: &[(&[u8], &[u8])] = Box::leak(Box::new([(&b"\r\n\r\n"[..], answer)]));
    let served = tokio::spawn(answering(listener, answers));
    let request =
        "GET /v1/organizations/acme HTTP/1.1\r\nHost: me\r\nAuthorization: Bearer a_sk_1\r\n\r\n";
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    read_until(&mut socket, &mut seen, &answer[answer.len() - 8..]).await;
    served.await.unwrap();
    let (code, printed) = watching.interrupt();
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("service: 7.shape."), "{printed}");
}

#[tokio::test]
async fn a_dead_target_is_no_answer_of_the_service() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut watching = Watching::start(&format!("http://127.0.0.1:{port}"), &[]);
    let caller = Caller::of(&watching.url);
    let answer = caller.send("PUT", "/v1/organizations/acme", json!({ "legalName": "A" })).await;
    assert_eq!(answer.status(), 502);
    let why = answer.headers()["tideover-watch"].to_str().unwrap().to_owned();
    assert!(why.contains("cannot connect"), "{why}");
    watching.until("note: the service cannot be reached");
    let (code, printed) = watching.interrupt();
    assert_eq!(code, Some(3), "{printed}");
    assert!(printed.contains("INCONCLUSIVE") && !printed.contains("violated"), "{printed}");
}

/// A request that is never answered keeps nobody from ending it.
#[tokio::test]
async fn a_hanging_target_is_left() {
    let (listener, watching, mut socket) = before_a_socket().await;
    let request = "GET /v1/webhooks HTTP/1.1\r\nHost: me\r\nAuthorization: Bearer a_sk_1\r\n\r\n";
    socket.write_all(request.as_bytes()).await.unwrap();
    let (mut hanging, _) = listener.accept().await.unwrap();
    read_until(&mut hanging, &mut Vec::new(), b"\r\n\r\n").await;
    let (code, printed) = watching.interrupt();
    assert_eq!(code, Some(3), "{printed}");
    assert!(printed.contains("1 request and 0 delivery attempts passed"), "{printed}");
}

#[tokio::test]
async fn wrong_options_say_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let own = format!("http://{taken}");
    drop(listener);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let busy = listener.local_addr().unwrap().to_string();
    let target = "http://127.0.0.1:9";
    for (arguments, expected) in [
        (vec!["--target", target, "--listen", &busy], "give --listen another"),
        (vec!["--target", "localhost:4010"], "expected a URL of http:// or https://"),
        (vec!["--target", "ftp://localhost"], "expected a URL of http:// or https://"),
        (vec!["--target", "http://me:secret@localhost"], "user"),
        (vec!["--target", target, "--listen", "nowhere"], "ADDRESS:PORT"),
        (vec!["--target", &own, "--listen", &taken], "are the same"),
        (vec!["--target", target, "--webhooks-listen", "127.0.0.1:0"], "--webhooks-target"),
        (vec!["--target", target, "--har", "/nowhere/a.har"], "/nowhere/a.har"),
    ] {
        let output = tideover().arg("watch").args(&arguments).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(expected) && !said.contains("secret"), "{arguments:?}: {said}");
    }
}

/// Posts a delivery as somebody who does not know the secret.
async fn forge(url: &str) -> u16 {
    let now = wall_time().unix_unsigned();
    let body = r#"{"type":"partner.loan.created","data":{}}"#;
    let signature = SigningKey::new("whsec_not_the_right_one").sign(now, body.as_bytes());
    let request = client().post(url).body(body).header(DELIVERY_HEADER, "dlv_forged");
    request.header(HEADER, signature.to_string()).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn the_receiver_is_watched_too() {
    for (fault, duty) in
        [(Fault::BelievesAnything, "verifies"), (Fault::Redirects, "answers-in-place")]
    {
        let receiver = Receiver::start(fault, None).await;
        let (_mock, ready) = serve(&["--webhooks", "local"]);
        let to = format!("http://127.0.0.1:{}", receiver.port);
        let options = ["--webhooks-listen", "127.0.0.1:0", "--webhooks-target", &to];
        let mut watching = Watching::start(base(&ready), &options);
        let caller = Caller::of(&watching.url);
        let url = format!("{}/hooks", watching.webhooks.clone().unwrap());
        let subscribed = caller.send("POST", "/v1/webhooks", json!({ "url": url })).await;
        assert!(subscribed.status().is_success());
        caller.json("PUT", "/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
        if fault == Fault::BelievesAnything {
            assert_eq!(forge(&url).await, 200);
        }
        // The receiver answers in this runtime.
        let until = move || {
            let printed = watching.until("  delivery ");
            (watching, printed)
        };
        let (watching, printed) = tokio::task::spawn_blocking(until).await.unwrap();
        assert!(printed.contains(&format!("client: {duty} (6.")), "{printed}");
        let (code, printed) = watching.interrupt();
        assert_eq!(code, Some(1), "{printed}");
        assert!(!printed.contains("0 delivery attempts"), "{printed}");
    }
}

/// Plays an advance through a `watch`, with one subscription to all events and one to events of business alone. Returns the
/// clauses that it accuses the service of, which are those that the judge of its recording finds.
async fn accused_of(defect: Option<&str>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (har, har_text) = named(folder.path(), "traffic.har");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = format!("http://{}", listener.local_addr().unwrap());
    let answers = async || StatusCode::NO_CONTENT;
    tokio::spawn(axum::serve(listener, Router::new().fallback(answers)).into_future());
    let serving = ["--webhooks", "local", "--scenario", "onboarded", "--clock", "still"];
    let wrong = defect.into_iter().flat_map(|defect| ["--defect", defect]);
    let (_mock, ready) = serve(&serving.into_iter().chain(wrong).collect::<Vec<_>>());
    let mut options = vec!["--webhooks-listen", "127.0.0.1:0", "--webhooks-target", &to, "--alone"];
    options.extend(["--har", &har_text, "--side", "service"]);
    let watching = Watching::start(base(&ready), &options);
    let caller = Caller::of(&watching.url);
    let webhooks = watching.webhooks.clone().unwrap();
    for (path, more) in [
        ("all", json!({})),
        ("some", json!({ "eventTypes": ["partner.organization.added", "partner.loan.paid"] })),
    ] {
        let mut body = json!({ "url": format!("{webhooks}/{path}") });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let subscribed = caller.send("POST", "/v1/webhooks", body).await;
        assert!(subscribed.status().is_success());
    }
    caller.json("PUT", "/v1/organizations/bolt", json!({ "legalName": "Bolt" })).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.json("POST", "/v1/advances", advance).await;
    caller.json("POST", "/_sim/clock", json!({ "untilQuiet": true })).await;
    let (code, printed) = watching.interrupt();
    assert!(!printed.contains(" 0 delivery attempts"), "{printed}");
    let report = judged_with(&har, &["--alone"]);
    let found: Vec<String> = found(&report).into_iter().map(str::to_owned).collect();
    assert_eq!(code, Some(i32::from(!found.is_empty())), "{printed}");
    for clause in &found {
        assert!(printed.contains(&format!("service: {clause} violated")), "{clause}: {printed}");
    }
    let at_once = printed.lines().filter(|line| line.starts_with("service: ")).count();
    assert_eq!(at_once, found.len(), "{printed}");
    found
}

/// Only deliveries show these defects.
#[tokio::test]
async fn what_a_service_says_in_deliveries_is_judged() {
    let expected = [
        (None, None),
        (Some("every-sequence-is-one"), Some("6.delivery.5")),
        (Some("occurred-at-is-missing"), Some("6.delivery.6")),
        (Some("one-name-for-every-delivery"), Some("6.delivery.3.2")),
        (Some("event-types-are-not-looked-at"), Some("2.subscription.eventTypes")),
        (Some("returned-secret-does-not-sign"), Some("6.signature.1")),
    ];
    for (defect, clause) in expected {
        let accused = accused_of(defect).await;
        assert_eq!(accused, Vec::from_iter(clause), "{defect:?}");
    }
}

/// No client sends stranger requests than a check: malformed ones, other paths, lost ones, receivers that fail. What is
/// masked of them, and what nobody knows, must accuse no right service.
#[tokio::test]
async fn a_check_through_a_watch_accuses_nobody() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let (_mock, ready) = serve(&["--webhooks", "local", "--clock", "still"]);
    let to = format!("http://{free}");
    let options =
        ["--webhooks-listen", "127.0.0.1:0", "--webhooks-target", &to, "--side", "service"];
    let watching = Watching::start(base(&ready), &options);
    let (url, webhooks) = (watching.url.clone(), watching.webhooks.clone().unwrap());
    let checked = tideover()
        .args(["check", "--sandbox", "--target", &url, "--operator", &url, "--key", KEY])
        .args(["--webhook-listen", &free, "--webhook-url", &webhooks])
        .args(["--seed", "3", "--max-requests", "2500", "--json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(found(&report), [""; 0]);
    let (code, printed) = watching.interrupt();
    let accused = printed.lines().filter(|line| line.starts_with("service: "));
    assert_eq!(accused.collect::<Vec<_>>(), [""; 0], "{printed}");
    assert_ne!(code, Some(1), "{printed}");
    let said = |what: &str| {
        let before = printed.split(what).next().unwrap().trim_end();
        before.rsplit([' ', '\n']).next().unwrap().replace(',', "").parse::<u64>().unwrap_or(0)
    };
    assert!(said("requests and") > 2_000 && said("delivery attempts") > 500, "{printed}");
    assert!(said("of 253 clauses in reach") > 200, "{printed}");
}

/// A receiver cannot verify what is signed with a secret that it never got. What it takes for its next subscription of the
/// same URL says nothing of that.
#[tokio::test]
async fn a_receiver_answers_for_the_secret_that_it_has() {
    let status = Arc::new(AtomicU16::new(401));
    let (came, mut comes) = mpsc::unbounded_channel();
    let answers = {
        let status = Arc::clone(&status);
        async move || {
            let status = StatusCode::from_u16(status.load(Ordering::SeqCst)).unwrap();
            came.send(()).unwrap();
            status
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, Router::new().fallback(answers)).into_future());
    let (_mock, ready) = serve(&["--webhooks", "local"]);
    let options = ["--webhooks-listen", "127.0.0.1:0", "--webhooks-target", &to];
    let watching = Watching::start(base(&ready), &options);
    let (unseen, caller) = (Caller::of(base(&ready)), Caller::of(&watching.url));
    let hooks = json!({ "url": format!("{}/hooks", watching.webhooks.clone().unwrap()) });
    let first = unseen.json("POST", "/v1/webhooks", hooks.clone()).await;
    let unknown = json!({ "rules": [{ "act": "unknownEventType", "nth": 1 }] });
    unseen.json("POST", "/_sim/faults", unknown).await;
    caller.json("PUT", "/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    comes.recv().await.unwrap();
    let first = format!("/v1/webhooks/{}", first["reference"].as_str().unwrap());
    assert!(unseen.send("DELETE", &first, Value::Null).await.status().is_success());
    status.store(200, Ordering::SeqCst);
    caller.json("POST", "/v1/webhooks", hooks).await;
    caller.json("PUT", "/v1/organizations/bolt", json!({ "legalName": "Bolt" })).await;
    comes.recv().await.unwrap();
    let (_, printed) = watching.interrupt();
    assert!(!printed.contains("accepts-unknown-events"), "{printed}");
    assert!(!printed.contains(" 0 delivery attempts"), "{printed}");
}

/// Requests of several businesses at once are judged; only writes to one business hide what they did.
#[test]
fn only_what_overlaps_about_one_business_is_not_judged() {
    let synced = |vendor: &str, from: &str, took: u32| {
        let answer = json!({ "externalId": vendor, "created": true, "reason": "New." });
        json!({
            "startedDateTime": format!("2026-03-01T10:00:{from}Z"), "time": took,
            "request": {
                "method": "PUT", "url": format!("https://api.example/v1/organizations/{vendor}"),
                "headers": [{ "name": "authorization", "value": "Bearer live_sk_recorded" }],
                "postData": { "mimeType": "application/json", "text": "{\"legalName\":\"Acme\"}" },
            },
            "response": {
                "status": 200,
                "content": { "mimeType": "application/json", "text": answer.to_string() },
            },
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic.har");
    let judged = |entries: &[Value]| {
        let archive = json!({ "log": { "version": "1.2", "entries": entries } });
        std::fs::write(&path, archive.to_string()).unwrap();
        judged(&path)
    };
    // The second time it is no new business, whoever was synced at the same time.
    let twice = [synced("a", "00.000", 900), synced("b", "00.100", 900), synced("a", "05.000", 10)];
    assert_eq!(found(&judged(&twice)), ["4.businessSync.intro.2"]);
    // Two at once about one business: nobody knows which came first, and only its state is forgotten.
    let at_once = [
        synced("b", "00.000", 10),
        synced("a", "01.000", 900),
        synced("a", "01.100", 900),
        synced("a", "05.000", 10),
        synced("b", "06.000", 10),
    ];
    let report = judged(&at_once);
    assert_eq!(found(&report), ["4.businessSync.intro.2"]);
    assert_eq!(report["findings"][0]["steps"].as_array().unwrap().len(), 2);
    assert!(report["warnings"].to_string().contains("2 requests not judged"), "{report}");
}

#[test]
fn a_microsecond_is_a_time() {
    let start = Timestamp::parse("2026-03-01T10:00:00Z").unwrap();
    let later = start.after_microseconds(1_500_001);
    assert_eq!(later.to_string(), "2026-03-01T10:00:01.500001Z");
    assert_eq!(start.microseconds_until(later), 1_500_001);
}

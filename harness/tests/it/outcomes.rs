//! Each situation has one outcome, and the terminal, the page, JUnit and the exit code say the same of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use quick_junit::{NonSuccessKind, TestCaseStatus};
use serde_json::{Value, json};
use tideover_exchange::evidence::outcome::Outcome;
use tideover_model::{Destinations, OperationKind};
use tideover_report::document::Status;
use tideover_sim::{Mock, NoNames, SigningTime};

use crate::support::app::serve;
#[cfg(unix)]
use crate::support::command::is_heard;
use crate::support::hostile::{answer, endpoint};
use crate::support::mortal::{self, Deployment, Dies};
use crate::support::plain;

/// The process of other tests: it serves until it dies.
#[tokio::test]
#[ignore = "the process of other tests"]
async fn a_mortal_service() {
    mortal::serve().await;
}

fn deployed(dies: Dies) -> Deployment {
    Deployment::start("outcomes::a_mortal_service", dies)
}

/// What a run says of its outcome.
struct Said {
    code: Option<i32>,
    /// All that it prints.
    text: String,
    /// The report for programs, of the same run.
    page: String,
    /// The test case of the outcome.
    case: quick_junit::TestCase,
}

impl Said {
    /// The headline, which is the last line on the terminal.
    fn headline(&self) -> &str {
        let report = self.text.split("\ntideover: ").next().unwrap_or_default();
        report.trim_end().lines().last().unwrap_or_default()
    }
}

/// A check of a target, with the files that it writes.
fn check(target: &str, arguments: &[&str]) -> Said {
    finished(command(target, arguments), |child| child.wait_with_output().unwrap())
}

fn command(target: &str, arguments: &[&str]) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.current_dir(folder.path()).env("TIDEOVER_KEY", "rap_sk_local");
    command.args(["check", "--target", target, "--html", "r.html", "--junit", "r.xml"]);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running { command, folder }
}

/// A check that is about to run.
struct Running {
    command: Command,
    folder: tempfile::TempDir,
}

fn finished(
    mut running: Running,
    end: impl FnOnce(std::process::Child) -> std::process::Output,
) -> Said {
    let output = end(running.command.spawn().unwrap());
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let read = |name| std::fs::read_to_string(running.folder.path().join(name)).unwrap();
    let junit = quick_junit::Report::deserialize_from_str(&read("r.xml"))
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    let case = junit.test_suites[0].test_cases[0].clone();
    Said { code: output.status.code(), text, page: read("r.html"), case }
}

/// Every form says `outcome`, with the same headline, which has these words.
fn assert_says(said: &Said, outcome: Outcome, words: &[&str]) {
    let headline = said.headline();
    assert!(headline.starts_with(outcome.word()), "{outcome}: {}", said.text);
    assert_eq!(headline.starts_with("PASS ("), outcome == Outcome::Partial, "{headline}");
    for word in words {
        assert!(headline.contains(word), "{word:?} is not in: {headline}\n{}", said.text);
    }
    assert_eq!(said.code, Some(outcome.exit_code().into()), "{}", said.text);
    let escaped = headline.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let escaped = escaped.replace('"', "&quot;").replace('\'', "&#x27;").replace('/', "&#x2f;");
    assert!(
        said.page.contains(&format!("<h1>{escaped}</h1>")),
        "{escaped}: {}",
        &said.page[..3000]
    );
    assert_eq!(said.case.name.as_str(), "outcome");
    assert_eq!(said.case.system_out.as_deref(), Some(headline));
    let kind = match &said.case.status {
        TestCaseStatus::Success { .. } => None,
        TestCaseStatus::NonSuccess { kind, .. } => Some(*kind),
        TestCaseStatus::Skipped { .. } => panic!("{:?}", said.case),
    };
    let expected = match outcome.exit_code() {
        0 => None,
        1 => Some(NonSuccessKind::Failure),
        _ => Some(NonSuccessKind::Error),
    };
    assert_eq!(kind, expected, "{outcome}");
}

async fn mock(webhooks: Destinations) -> Mock {
    let builder = Mock::builder().resolver(NoNames).webhooks(webhooks);
    builder.signing(SigningTime::Virtual).start().await.unwrap()
}

/// Runs what blocks beside the mock of the test.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}")
}

const STOPPED: &str = "the service stopped answering";

#[test]
fn a_crash_at_the_first_webhook_fails_with_every_seed() {
    for seed in ["1", "2"] {
        let service = deployed(Dies::AtWebhook);
        let port = format!("127.0.0.1:{}", free_port());
        let inbox = format!("http://{port}");
        let url = service.url();
        let said = check(
            &url,
            &[
                "--sandbox",
                "--seed",
                seed,
                "--operator",
                &url,
                "--webhook-listen",
                &port,
                "--webhook-url",
                &inbox,
                "--timeout",
                "1",
            ],
        );
        assert_says(&said, Outcome::Fail, &[STOPPED, " step "]);
        assert!(said.text.contains("and did not answer again within 1s"), "{}", said.text);
        assert!(said.text.contains("\n  1. "), "the steps are shown: {}", said.text);
    }
}

#[test]
fn with_a_restart_the_steps_that_bring_it_down_are_shrunk() {
    let service = deployed(Dies::AtWebhook);
    let port = format!("127.0.0.1:{}", free_port());
    let inbox = format!("http://{port}");
    let url = service.url();
    let said = check(
        &url,
        &[
            "--sandbox",
            "--seed",
            "1",
            "--operator",
            &url,
            "--webhook-listen",
            &port,
            "--webhook-url",
            &inbox,
            "--max-findings",
            "1",
            "--restart",
            service.restart(),
        ],
    );
    assert_says(&said, Outcome::Fail, &[STOPPED]);
    assert!(shown_steps(&said.text) <= 3, "{}", said.text);
    assert!(service.starts() > 2, "it was restarted to shrink the steps");
}

/// The number of steps of the first finding.
fn shown_steps(text: &str) -> usize {
    let finding = text.split_once("\nmet in case ").map_or("", |(_, finding)| finding);
    let (steps, _) = finding.split_once("\n\n").unwrap_or_default();
    let numbered = |line: &&str| {
        line.strip_prefix("  ")
            .and_then(|line| line.split_once(". "))
            .is_some_and(|(number, _)| number.parse::<u64>().is_ok())
    };
    steps.lines().filter(numbered).count()
}

#[test]
fn a_target_that_somebody_stops_is_inconclusive() {
    let service = deployed(Dies::After(700));
    let url = service.url();
    let said = check(&url, &["--sandbox", "--seed", "1", "--operator", &url, "--timeout", "1"]);
    assert_says(&said, Outcome::Inconclusive, &["stopped answering at ", "examined, "]);
    assert!(!said.headline().contains(" 0 of "), "it says what was examined: {}", said.headline());
}

/// The same with a restart: the steps are played again, and nothing happens.
#[test]
fn a_stop_that_no_replay_reproduces_is_inconclusive() {
    let service = deployed(Dies::After(200));
    let url = service.url();
    let said = check(
        &url,
        &[
            "--sandbox",
            "--seed",
            "1",
            "--operator",
            &url,
            "--max-requests",
            "500",
            "--restart",
            service.restart(),
        ],
    );
    assert_says(&said, Outcome::Inconclusive, &["7.shape.1 inconclusive"]);
    assert!(said.text.contains("--restart COMMAND"), "{}", said.text);
}

#[test]
fn a_death_at_an_operation_is_found_and_shrunk() {
    assert_deaths_are_found(OperationKind::ALL.into_iter().step_by(5));
}

#[test]
#[ignore = "takes a minute"]
fn a_death_at_any_operation_is_found_and_shrunk() {
    assert_deaths_are_found(OperationKind::ALL);
}

fn assert_deaths_are_found(kinds: impl IntoIterator<Item = OperationKind>) {
    for kind in kinds {
        let service = deployed(Dies::At(kind));
        let url = service.url();
        let said = check(
            &url,
            &[
                "--sandbox",
                "--seed",
                "1",
                "--operator",
                &url,
                "--max-findings",
                "1",
                "--restart",
                service.restart(),
            ],
        );
        assert_says(&said, Outcome::Fail, &[STOPPED, &format!("({kind})")]);
        assert!((1..=5).contains(&shown_steps(&said.text)), "{kind}: {}", said.text);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_what_was_examined_until_then() {
    if !is_heard("-INT") {
        return;
    }
    let service = deployed(Dies::After(u64::MAX));
    let url = service.url();
    let mut running = command(&url, &["--sandbox", "--seed", "1", "--operator", &url]);
    let journal = running.folder.path().join("journal.jsonl");
    running.command.arg("--journal").arg(&journal);
    let said = finished(running, |mut child| {
        let lines = || std::fs::read_to_string(&journal).unwrap_or_default().lines().count();
        while lines() < 1500 {
            assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
            std::thread::yield_now();
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        child.wait_with_output().unwrap()
    });
    assert_says(&said, Outcome::Interrupted, &["examined, "]);
    assert!(!said.headline().contains(" 0 of "), "{}", said.headline());
}

#[tokio::test]
async fn without_sandbox_only_reads_pass() {
    let mock = mock(Destinations::Public).await;
    let url = mock.url().to_owned();
    let said =
        beside(move || check(&url, &["--seed", "1", "--requests-per-second", "100000"])).await;
    assert_says(&said, Outcome::Partial, &["PASS (reads only: ", "observable clauses): "]);
    let hints: Vec<&str> = said.text.lines().filter(|line| line.contains("--sandbox")).collect();
    assert_eq!(hints.len(), 1, "{}", said.text);
    assert!(hints[0].starts_with("not tried"), "{hints:?}");
    let names = said.text.matches("7.codes.").count() + said.text.matches("2.invoice").count();
    assert!(names < 20, "no wall of names: {}", said.text);
}

#[tokio::test]
async fn a_demand_that_is_not_met_does_not_pass() {
    let mock = mock(Destinations::Public).await;
    let url = mock.url().to_owned();
    let short = ["--sandbox", "--seed", "1", "--max-requests", "60"];
    let said = beside(move || check(&url, &[&short[..], &["--min-coverage", "99"]].concat())).await;
    assert_says(&said, Outcome::Inconclusive, &["--min-coverage demands 99 %"]);
    let url = mock.url().to_owned();
    let said = beside(move || check(&url, &[&short[..], &["--min-coverage", "1"]].concat())).await;
    assert_says(&said, Outcome::Partial, &["PASS (partial: "]);
}

/// Before anything is played, the run says that its inbox is unproven. Then silence there is no pass.
#[tokio::test]
async fn a_webhook_url_that_leads_nowhere_is_no_ability() {
    let mock = mock(Destinations::Local).await;
    let url = mock.url().to_owned();
    let said = beside(move || {
        let listen = format!("127.0.0.1:{}", free_port());
        let dead = format!("http://127.0.0.1:{}", free_port());
        check(
            &url,
            &[
                "--sandbox",
                "--seed",
                "1",
                "--operator",
                &url,
                "--webhook-listen",
                &listen,
                "--webhook-url",
                &dead,
                "--max-requests",
                "1500",
            ],
        )
    })
    .await;
    assert_says(&said, Outcome::Partial, &["PASS (partial: "]);
    let warned = said.text.find("warning: the inbox is unproven").unwrap();
    assert!(warned < said.text.find("\nfound ").unwrap(), "{}", said.text);
    assert!(
        said.text.contains("clauses need a --webhook-url that leads from the target"),
        "{}",
        said.text
    );
}

#[tokio::test]
async fn a_wrong_key_is_inconclusive() {
    let mock = mock(Destinations::Public).await;
    let url = mock.url().to_owned();
    let said = beside(move || check(&url, &["--sandbox", "--key", "rap_sk_wrong"])).await;
    assert_says(
        &said,
        Outcome::Inconclusive,
        &["refuses the key rap_sk_…rong", "nothing was examined"],
    );
}

#[test]
fn a_target_that_nobody_serves_is_inconclusive() {
    let said = check(&format!("http://127.0.0.1:{}", free_port()), &["--sandbox"]);
    assert_says(&said, Outcome::Inconclusive, &["cannot connect", "nothing was examined"]);
}

#[test]
fn an_error_page_of_a_proxy_is_inconclusive() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let _ = socket.read(&mut [0; 4096]);
            let _ = answer(&mut socket, "502 Bad Gateway", "", b"<html>nginx</html>");
        }
    });
    let said = check(&url(address), &["--sandbox", "--timeout", "1"]);
    assert_says(&said, Outcome::Inconclusive, &["answers 502", "proxy", "nothing was examined"]);
}

#[test]
fn a_target_that_always_asks_to_wait_is_inconclusive() {
    for (headers, words) in [
        ("retry-after: 0\r\n", "too many requests for it"),
        ("retry-after: 3600\r\n", "asks to wait 3600s"),
    ] {
        let address =
            endpoint(move |_, socket| answer(socket, "429 Too Many Requests", headers, b""));
        let said = check(&url(address), &["--sandbox", "--timeout", "1", "--seed", "1"]);
        assert_says(&said, Outcome::Inconclusive, &[words]);
    }
}

/// Without the header, the run waits as long as is usual, and then asks again.
#[test]
fn a_429_without_a_time_is_waited_for() {
    let address = endpoint(|number, socket| match number {
        1 => answer(socket, "429 Too Many Requests", "", b""),
        _ => answer(socket, "200 OK", "", b"<html>"),
    });
    let said = check(&url(address), &["--sandbox", "--timeout", "1", "--seed", "1"]);
    assert_says(&said, Outcome::Fail, &["violated"]);
}

#[test]
fn a_response_without_an_end_fails() {
    let address = endpoint(|_, socket| {
        socket.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
        loop {
            socket.write_all(&[b'x'; 1 << 16])?;
        }
    });
    let said = check(&url(address), &["--sandbox", "--seed", "1"]);
    assert_says(&said, Outcome::Fail, &["violated"]);
}

/// It takes connections, and answers nobody any more: that is no answer of the form that §7 promises.
#[test]
fn a_target_that_hangs_fails() {
    let address = endpoint(|_, socket| {
        let mut nothing = [0];
        std::io::Read::read(socket, &mut nothing).map(drop)
    });
    let said = check(&url(address), &["--sandbox", "--timeout", "1", "--seed", "1"]);
    assert_says(&said, Outcome::Fail, &[STOPPED]);
    let closes = endpoint(|_, _| Ok(()));
    let said = check(&url(closes), &["--sandbox", "--timeout", "1", "--seed", "1"]);
    assert_says(&said, Outcome::Fail, &[STOPPED]);
}

#[test]
fn an_untrusted_certificate_is_inconclusive() {
    let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let address = crate::support::tls::untrusted(&signed);
    let said = check(&format!("https://{address}"), &["--sandbox", "--timeout", "5"]);
    assert_says(&said, Outcome::Inconclusive, &["--ca FILE", "nothing was examined"]);
}

/// The page of the guide has the table that the code has.
#[test]
fn the_guide_has_the_table_of_outcomes() {
    let page = include_str!("../../../docs/reports.md");
    for outcome in Outcome::ALL {
        let (name, condition, code) = (outcome.name(), outcome.condition(), outcome.exit_code());
        let row = format!("| `{name}` | {condition} | {code} |");
        assert!(page.contains(&row), "{row}");
    }
    for status in Status::ALL {
        let row = format!("| {} | {} |", status.words(), status.meaning());
        assert!(page.contains(&row), "{row}");
        let written = json!(status).as_str().unwrap().to_owned();
        let words: String = written
            .chars()
            .flat_map(|it| {
                if it.is_ascii_uppercase() { vec![' ', it.to_ascii_lowercase()] } else { vec![it] }
            })
            .collect();
        assert_eq!(words, status.words(), "JSON has the same words");
    }
}

/// JSON has the headline and the outcome that the terminal has.
#[tokio::test]
async fn json_has_the_same_outcome() {
    let mock = mock(Destinations::Public).await;
    let url = mock.url().to_owned();
    let output = beside(move || {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.current_dir(folder.path()).env("TIDEOVER_KEY", "rap_sk_local");
        command.args(["check", "--target", &url, "--sandbox", "--seed", "1", "--json"]);
        command.args(["--max-requests", "60"]).output().unwrap()
    })
    .await;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["outcome"], output.status.code()), (&json!("partial"), Some(0)));
    let extent = &report["extent"];
    let examined: u64 =
        ["proven", "argued", "broken"].iter().map(|it| extent[it].as_u64().unwrap()).sum();
    let headline = report["headline"].as_str().unwrap();
    assert!(headline.starts_with(&format!("PASS (partial: {examined} of ")), "{headline}");
}

/// The operator port of a mock, and how many moves of the clock a test has counted.
#[derive(Clone)]
struct Port {
    origin: String,
    client: reqwest::Client,
    moves: Arc<AtomicUsize>,
}

impl Port {
    fn of(mock: &Mock) -> Port {
        Port { origin: mock.url().to_owned(), client: plain::client(), moves: Arc::default() }
    }

    async fn forward(&self, request: Request) -> Response {
        plain::forward(&self.client, &self.origin, request).await.into_response()
    }

    /// Serves it. `on_move` handles each request to move the clock. The URL.
    async fn serve<F>(&self, on_move: fn(Port, Request) -> F) -> String
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let port = self.clone();
        let proxy = axum::Router::new().fallback(move |request: Request| {
            let port = port.clone();
            async move {
                if request.method() != "POST" || request.uri().path() != "/_sim/clock" {
                    return port.forward(request).await;
                }
                on_move(port, request).await
            }
        });
        serve(proxy).await
    }

    /// Counts a move; returns how many were counted before.
    fn count(&self) -> usize {
        self.moves.fetch_add(1, Ordering::Relaxed)
    }

    fn moves(&self) -> usize {
        self.moves.load(Ordering::Relaxed)
    }
}

fn assert_accuses_nobody(said: &Said) {
    assert!(!said.text.contains("violated"), "{}", said.text);
    assert_ne!(said.code, Some(1), "{}", said.text);
}

/// The document promises nothing of an operator port: one that soon answers no move of the clock is no violation.
#[tokio::test]
async fn an_operator_port_that_stops_answering_accuses_nobody() {
    const ANSWERED: usize = 3;
    async fn stop_answering(port: Port, request: Request) -> Response {
        if port.count() >= ANSWERED {
            return std::future::pending().await;
        }
        port.forward(request).await
    }
    let mock = mock(Destinations::Public).await;
    let port = Port::of(&mock);
    let operator = port.serve(stop_answering).await;
    let target = mock.url().to_owned();
    let said = beside(move || {
        let options = ["--sandbox", "--operator", &operator, "--timeout", "1", "--seed", "1"];
        check(&target, &[&options[..], &["--max-seconds", "20"]].concat())
    })
    .await;
    assert!(port.moves() > ANSWERED + 3, "the clock is not moved");
    assert_accuses_nobody(&said);
}

/// An import that the port interrupts may lose its connection. The mock says that it is not finished, instead.
#[tokio::test]
async fn an_interrupted_import_that_hangs_up_accuses_nobody() {
    let mock = mock(Destinations::Public).await;
    let (origin, client) = (mock.url().to_owned(), plain::client());
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&dropped);
    let proxy = axum::Router::new().fallback(move |request: Request| {
        let (origin, client, dropped) = (origin.clone(), client.clone(), Arc::clone(&counted));
        async move {
            let imports = request.method() == "PUT" && request.uri().path().contains("/imports/");
            let response = plain::forward(&client, &origin, request).await.into_response();
            if !imports {
                return response;
            }
            let (parts, body) = response.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            let report: Value = serde_json::from_slice(&body).unwrap_or_default();
            if report["finished"] == false {
                dropped.fetch_add(1, Ordering::Relaxed);
                panic!("the connection ends here");
            }
            Response::from_parts(parts, body.into())
        }
    });
    let target = serve(proxy).await;
    let said = beside(move || {
        let options = ["--sandbox", "--operator", &target, "--seed", "1"];
        check(&target, &[&options[..], &["--max-requests", "1500"]].concat())
    })
    .await;
    assert!(dropped.load(Ordering::Relaxed) > 0, "no import was interrupted");
    assert_accuses_nobody(&said);
}

/// Each fourth time that the clock is moved far, moves it in pieces, slowly, although nobody waits for the response.
async fn move_slowly(port: Port, request: Request) -> Response {
    const PIECES: u64 = 8;
    const FAR: u64 = 3600;
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let seconds = asked["advanceSeconds"].as_u64().unwrap();
    if seconds < FAR || !port.count().is_multiple_of(4) {
        return port.forward(Request::from_parts(parts, body.into())).await;
    }
    let piece = json!({ "advanceSeconds": seconds / PIECES });
    let moving = tokio::spawn(async move {
        let mut last = None;
        for _ in 0..PIECES {
            let part = Request::post("/_sim/clock").header("content-type", "application/json");
            last = Some(port.forward(part.body(piece.to_string().into()).unwrap()).await);
            tokio::time::sleep(Duration::from_millis(400)).await;
        }
        last.unwrap()
    });
    moving.await.unwrap()
}

/// A service that sends what is due on the way may take longer to move its clock than the run waits. Then its clock
/// moves while the next cases are played.
#[tokio::test]
async fn a_clock_that_arrives_late_accuses_nobody() {
    let mock = mock(Destinations::Local).await;
    let port = Port::of(&mock);
    let operator = port.serve(move_slowly).await;
    let target = mock.url().to_owned();
    let said = beside(move || {
        let listen = format!("127.0.0.1:{}", free_port());
        let inbox = format!("http://{listen}");
        let options = ["--sandbox", "--operator", &operator, "--timeout", "1", "--seed", "1"];
        let inbox = ["--webhook-listen", &listen, "--webhook-url", &inbox];
        check(&target, &[&options[..], &inbox, &["--max-seconds", "30"]].concat())
    })
    .await;
    assert!(port.moves() > 4, "the clock is not moved far");
    assert!(said.text.contains("not answered"), "{}", said.text);
    assert_accuses_nobody(&said);
}

//! `tideover receiver-check`, against receivers with one fault each.

use std::process::Output;

use serde_json::Value;
use tokio::process::Command;

use crate::support::receiver::{Fault, Receiver, SECRET};

fn receiver_check(url: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tideover"));
    command.args(["receiver-check", "--url", url]).args(more).env("TIDEOVER_SECRET", SECRET);
    command
}

async fn run(url: &str, more: &[&str]) -> Output {
    receiver_check(url, more).output().await.unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The exit code and the scorecard.
async fn examine(receiver: &Receiver, more: &[&str]) -> (Option<i32>, Value) {
    let output = run(&receiver.url(), &[&["--json"], more].concat()).await;
    let card = serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| {
        panic!("{error}: {}", stderr(&output));
    });
    (output.status.code(), card)
}

/// What was sent in the cases with this verdict.
fn with_verdict(card: &Value, verdict: &str) -> Vec<String> {
    sent_where(card, |case| case["verdict"] == verdict)
}

/// What was sent in the cases that failed, or that differ from an assumption.
fn failing(card: &Value) -> Vec<String> {
    sent_where(card, |case| case["verdict"] == "failed" || case["verdict"] == "differs")
}

/// What was sent in the wanted cases.
fn sent_where(card: &Value, wanted: impl Fn(&Value) -> bool) -> Vec<String> {
    let cases = card["cases"].as_array().unwrap().iter().filter(|case| wanted(case));
    cases.map(|case| case["sent"].as_str().unwrap().to_owned()).collect()
}

/// The consequences of the cases that failed.
fn consequences(card: &Value) -> Vec<&str> {
    let cases = card["cases"].as_array().unwrap().iter();
    let failed = cases.filter(|case| case["verdict"] == "failed" || case["verdict"] == "differs");
    let mut clauses: Vec<&str> = failed.filter_map(|case| case["consequence"].as_str()).collect();
    clauses.sort_unstable();
    clauses.dedup();
    clauses
}

const DUPLICATE: &str = "the same delivery again, signed anew";
const STALE: &str = "partner.invoice.factoredUpdated, sequence 2, after 3";
const EQUAL: &str = "partner.invoice.factoredUpdated, sequence 3 once more";
const ANOTHER: &str = "another vendor's invoice of that name, sequence 3, after 4";
const EARLIER: &str = "sequence 3, with an occurredAt an hour before that of 2";

#[tokio::test]
async fn a_correct_receiver_holds() {
    let receiver = Receiver::start(Fault::None, None).await;
    let (code, card) = examine(&receiver, &[]).await;
    assert_eq!((code, &card["held"]), (Some(0), &true.into()), "{card:#}");
    assert_eq!(with_verdict(&card, "failed"), [""; 0]);
    assert_eq!(with_verdict(&card, "unseen"), [STALE, EQUAL, ANOTHER, EARLIER, DUPLICATE]);
    assert_eq!(card["notSent"], 0);
    let counts = &card["conduct"]["counts"];
    assert_eq!((&counts["met"], &counts["broken"]), (&10.into(), &0.into()), "{card:#}");
}

#[tokio::test]
async fn a_second_run_uses_new_names() {
    let receiver = Receiver::start(Fault::FailsOnDuplicates, None).await;
    let (_, first) = examine(&receiver, &[]).await;
    let (_, second) = examine(&receiver, &[]).await;
    assert_ne!(first["run"], second["run"]);
    assert_eq!(with_verdict(&second, "failed"), [DUPLICATE]);
    examine(&receiver, &["--run", "same"]).await;
    let (_, same) = examine(&receiver, &["--run", "same"]).await;
    assert_eq!(failing(&same), sent_where(&same, |case| case["required"] == "accept"));
}

/// Each fault fails the cases that test it, and no other.
#[tokio::test]
async fn each_fault_fails_its_own_cases() {
    for (fault, failed, consequence) in [
        (
            Fault::WritesBodiesAgain,
            &[
                "a body with white space and escapes that parsing loses",
                "the same JSON in other bytes, under the signature of the real ones",
            ][..],
            Some("6.delivery.1.2"),
        ),
        (Fault::BelievesTheFuture, &["signed 330 s in the future"], None),
        (Fault::BelievesWithoutHeader, &["no Service-Signature header"], None),
        (
            Fault::ReadsNumbersUpToTheFirstLetter,
            &["letters after the digits of t", "v1 with = after the digest"],
            None,
        ),
        (
            Fault::ComparesTheBeginning,
            &["v1 with = after the digest", "v1 of half the digest", "v1 of the digest twice"],
            None,
        ),
        (Fault::KnowsItsEvents, &["an event type that is not known yet"], Some("6.delivery.1.2")),
        (
            Fault::KnowsItsStates,
            &["a financing state that is not known yet"],
            Some("6.delivery.1.2"),
        ),
        (
            Fault::KnowsItsFields,
            &["fields that are not known yet", "a body of 256 KiB"],
            Some("6.delivery.1.2"),
        ),
        (Fault::TakesSmallBodies, &["a body of 256 KiB"], Some("6.delivery.1.2")),
        (
            Fault::TakesWhatIsNew,
            &["what occurred 28 hours ago, signed now", EARLIER],
            Some("6.delivery.1.2"),
        ),
        (
            Fault::NeedsTheAdvanceFirst,
            &["partner.loan.issued, the first event about its invoice"],
            Some("6.delivery.1.2"),
        ),
        (Fault::FailsOnDuplicates, &[DUPLICATE], Some("6.delivery.1.2")),
    ] {
        let receiver = Receiver::start(fault, None).await;
        let (code, card) = examine(&receiver, &[]).await;
        assert_eq!(failing(&card), failed, "{fault:?}");
        assert_eq!(consequences(&card), consequence.as_slice(), "{fault:?}");
        // That bodies grow, and how much, is only an assumption.
        let assumed = [Fault::TakesSmallBodies, Fault::KnowsItsFields].contains(&fault);
        assert_eq!(code, Some(i32::from(!assumed)), "{fault:?}");
        assert_eq!(with_verdict(&card, "differs").is_empty(), !assumed, "{fault:?}");
    }
}

/// Together these two faults fail every case, so every case can fail.
#[tokio::test]
async fn indiscriminate_receivers_fail_every_opposite_case() {
    for (fault, required) in
        [(Fault::BelievesAnything, "reject"), (Fault::RefusesEverything, "accept")]
    {
        let receiver = Receiver::start(fault, None).await;
        let (code, card) = examine(&receiver, &[]).await;
        assert_eq!(failing(&card), sent_where(&card, |case| case["required"] == required));
        assert_eq!(code, Some(1));
    }
}

#[tokio::test]
async fn refusing_everything_questions_the_secret() {
    let question = "is this the secret that the receiver verifies with?";
    for (fault, is_asked) in [(Fault::RefusesEverything, true), (Fault::BelievesTheFuture, false)] {
        let receiver = Receiver::start(fault, None).await;
        let printed = stdout(&run(&receiver.url(), &[]).await);
        assert_eq!(printed.contains(question), is_asked, "{printed}");
    }
}

#[tokio::test]
async fn a_path_that_nobody_serves_is_named() {
    let receiver = Receiver::start(Fault::None, None).await;
    for path in ["hooks/elsewhere", "elsewhere"] {
        let url = receiver.url().replace("hooks", path);
        let output = run(&url, &[]).await;
        let printed = stdout(&output);
        let words = format!(
            "every delivery was answered 404; does the receiver listen at the path of {url}?"
        );
        assert!(printed.contains(&words) && !printed.contains("secret that"), "{printed}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[tokio::test]
async fn answering_410_to_bad_signatures_fails() {
    let receiver = Receiver::start(Fault::AnswersGone, None).await;
    let (code, card) = examine(&receiver, &[]).await;
    assert_eq!(failing(&card), sent_where(&card, |case| case["required"] == "reject"));
    assert_eq!((code, consequences(&card)), (Some(1), vec!["6.delivery.2"]));
}

#[tokio::test]
async fn a_redirect_fails_and_is_not_followed() {
    let receiver = Receiver::start(Fault::Redirects, None).await;
    let (code, card) = examine(&receiver, &[]).await;
    assert_eq!(failing(&card), sent_where(&card, |case| case["required"] == "accept"));
    assert_eq!((code, consequences(&card)), (Some(1), vec!["6.subscription.2.2"]));
}

#[tokio::test]
async fn a_timeout_fails_or_leaves_rejection_unseen() {
    let receiver = Receiver::start(Fault::HangsOnTheLastEvent, None).await;
    let (code, card) = examine(&receiver, &["--timeout", "3"]).await;
    assert_eq!(with_verdict(&card, "failed"), ["partner.loan.paid"]);
    assert_eq!((code, consequences(&card)), (Some(1), vec!["gap.retrySchedule"]));

    let receiver = Receiver::start(Fault::Hangs, None).await;
    let (code, card) = examine(&receiver, &["--timeout", "0.02"]).await;
    assert_eq!(failing(&card), sent_where(&card, |case| case["required"] == "accept"));
    assert_eq!(
        with_verdict(&card, "unseen"),
        sent_where(&card, |case| case["required"] == "reject")
    );
    assert_eq!(code, Some(1));
}

#[tokio::test]
async fn hanging_up_accepts_nothing() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let hanging_up = tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            drop(connection);
        }
    });
    let output = run(&url, &["--json"]).await;
    hanging_up.abort();
    let card: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(failing(&card), sent_where(&card, |case| case["required"] == "accept"));
    assert_eq!(
        with_verdict(&card, "passed"),
        sent_where(&card, |case| case["required"] == "reject")
    );
}

/// Examines a receiver with this fault through a probe.
#[cfg(unix)]
async fn probed(fault: Fault) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held.txt");
    let receiver = Receiver::start(fault, Some(file.clone())).await;
    examine(&receiver, &["--probe", &format!("cat '{}'", file.display())]).await
}

#[cfg(unix)]
#[tokio::test]
async fn a_probe_shows_what_is_dropped() {
    for (fault, failed) in [
        (Fault::None, &[][..]),
        (Fault::TakesDuplicates, &[DUPLICATE]),
        (Fault::TakesStaleSequences, &[STALE, EQUAL]),
        (Fault::TakesTheSameSequence, &[EQUAL]),
        (Fault::KnowsInvoicesByTheirNameAlone, &[ANOTHER]),
    ] {
        let (code, card) = probed(fault).await;
        assert_eq!(with_verdict(&card, "failed"), failed, "{fault:?}");
        assert_eq!(with_verdict(&card, "unseen"), [""; 0], "{fault:?}");
        assert_eq!(code, Some(i32::from(!failed.is_empty())));
    }
}

#[tokio::test]
async fn a_probe_that_shows_no_change_proves_nothing() {
    let receiver = Receiver::start(Fault::TakesStaleSequences, None).await;
    let (code, card) = examine(&receiver, &["--probe", "echo the same"]).await;
    assert_eq!((code, with_verdict(&card, "failed")), (Some(0), vec![]));
    assert_eq!(with_verdict(&card, "unseen"), [STALE, EQUAL, ANOTHER, EARLIER, DUPLICATE]);
    let unproven = "the probe shows no change: it proves nothing of what follows";
    assert_eq!(sent_where(&card, |case| case["remark"] == unproven).len(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn a_failing_probe_is_reported_before_sending() {
    let receiver = Receiver::start(Fault::None, None).await;
    for (command, why) in [
        ("echo alas >&2; exit 3", "exit status: 3: alas"),
        ("cat /no/such/file", "/no/such/file"),
        ("exec sleep 60", "it has not ended after 200ms"),
    ] {
        let output = run(&receiver.url(), &["--timeout", "0.2", "--probe", command]).await;
        let complaint = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(why) && complaint.contains("the probe"), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
    assert_eq!(receiver.deliveries(), 0);
}

#[tokio::test]
async fn a_host_name_is_a_valid_destination() {
    let receiver = Receiver::start(Fault::None, None).await;
    let output = run(&format!("http://localhost:{}/hooks", receiver.port), &[]).await;
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[tokio::test]
async fn an_invalid_command_exits_with_2() {
    for (url, more, named) in [
        ("http://8.8.8.8/hooks", &[][..], "--public"),
        ("https://[2606:4700::1111]/", &[], "--public"),
        ("http://[::ffff:8.8.8.8]/", &[], "--public"),
        ("ftp://127.0.0.1/", &[], "http://"),
        ("127.0.0.1:8080", &[], "127.0.0.1:8080"),
        ("http://user@127.0.0.1/", &[], "credentials"),
        ("http://127.0.0.1:9/", &["--timeout", "0"], "seconds"),
        ("http://127.0.0.1:9/", &["--timeout", "-1"], "-1"),
        ("http://127.0.0.1:9/", &["--run", "a b"], "letters"),
        ("http://127.0.0.1:9/", &["--secret-file", "/no/such/file"], "/no/such/file"),
        ("http://127.0.0.1:9/", &["--ca", "/no/such/file"], "/no/such/file"),
    ] {
        let output = run(url, more).await;
        assert_eq!(output.status.code(), Some(2), "{url} {more:?}");
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    let mut without_a_secret = receiver_check("http://127.0.0.1:9/", &[]);
    let output = without_a_secret.env_remove("TIDEOVER_SECRET").output().await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("TIDEOVER_SECRET"), "{}", stderr(&output));
}

#[tokio::test]
async fn an_unreachable_receiver_exits_with_3() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let receiver = Receiver::start(Fault::None, None).await;
    for url in [
        format!("http://{free}/"),
        "http://no-such-host.invalid/".to_owned(),
        receiver.url().replace("http:", "https:"),
    ] {
        let output = run(&url, &[]).await;
        assert_eq!(output.status.code(), Some(3), "{url}: {}", stderr(&output));
        let printed = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(printed.starts_with("INCONCLUSIVE: "), "{printed}");
        assert!(printed.trim_end().ends_with("; nothing was examined"), "{printed}");
        assert_eq!(stderr(&output), "");
    }
}

#[tokio::test]
async fn an_https_receiver_needs_a_trusted_authority() {
    let (receiver, certificate) = Receiver::start_tls().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, certificate).unwrap();
    let url = format!("https://localhost:{}/hooks", receiver.port);
    let output = run(&url, &["--ca", file.to_str().unwrap()]).await;
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = run(&url, &[]).await;
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stdout).contains("--ca"), "{output:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_prints_the_results_so_far() {
    let receiver = Receiver::start(Fault::HangsOnTheLastEvent, None).await;
    let mut child = receiver_check(&receiver.url(), &["--json"]);
    let child = child.stdout(std::process::Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    while receiver.deliveries() < 8 {
        receiver.requested().await;
    }
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130));
    let card: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(with_verdict(&card, "failed"), [""; 0]);
    assert!(card["notSent"].as_u64() > Some(0), "{card:#}");
}

#[tokio::test]
async fn the_scorecard_is_readable() {
    let receiver = Receiver::start(Fault::BelievesTheFuture, None).await;
    let output = run(&receiver.url(), &["--run", "1"]).await;
    let printed = stdout(&output).replace(&receiver.port.to_string(), "8080");
    insta::assert_snapshot!("scorecard", printed);
    assert!(!printed.contains(SECRET));
}

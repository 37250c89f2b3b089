//! Recorded traffic is judged as played traffic is, and nothing is sent.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tideover_harness::recorded::{Recording, judge};
use tideover_model::Profile;

/// An archive of exchanges: method, path, body, status, answer.
fn archive(exchanges: &[(&str, &str, Value, u16, Value)]) -> Value {
    let entries =
        exchanges.iter().enumerate().map(|(second, (method, path, body, status, answer))| {
            let content = json!({ "mimeType": "application/json", "text": answer.to_string() });
            let mut request = json!({
                "method": method,
                "url": format!("https://api.example/base{path}"),
                "headers": [{ "name": "authorization", "value": "Bearer live_sk_recorded" }],
            });
            if !body.is_null() {
                request["postData"] =
                    json!({ "mimeType": "application/json", "text": body.to_string() });
            }
            json!({
                "startedDateTime": format!("2026-03-01T10:00:{second:02}.000Z"),
                "time": 12.5,
                "request": request,
                "response": { "status": status, "content": content },
            })
        });
    json!({ "log": { "version": "1.2", "entries": entries.collect::<Vec<_>>() } })
}

fn business(contract: bool) -> Value {
    json!({
        "externalId": "acme", "name": "Acme Ltd", "taxIdOnFile": true,
        "complianceRoute": "W9_UPLOAD", "remittance": null,
        "onboarding": { "compliance": true, "contract": contract, "bank": false, "collectionAccount": false },
    })
}

fn quote(forwarded: i64) -> Value {
    json!({
        "financeableAmount": 1000, "advanceAmount": 800, "feeTotal": 20, "forwardedAtPayment": forwarded,
        "fundable": false, "notFundableReason": "Not yet.", "extra": {},
    })
}

fn kept(folder: &Path, archive: &Value) -> std::path::PathBuf {
    let path = folder.join("traffic.har");
    std::fs::write(&path, archive.to_string()).unwrap();
    path
}

fn command(path: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tideover")).arg("judge").arg(path).output().unwrap()
}

#[test]
fn what_some_history_explains_is_not_accused() {
    let folder = tempfile::tempdir().unwrap();
    let asked = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
    let path = kept(
        folder.path(),
        &archive(&[
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
            // The vendor has signed since.
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(true)),
            ("POST", "/v1/quotes", asked, 200, quote(180)),
        ]),
    );
    let output = command(&path);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("3 steps in 1 cases against https://api.example/base"), "{told}");
}

#[test]
fn what_no_history_explains_is_found_and_told_with_what_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let asked = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
    let path = kept(
        folder.path(),
        &archive(&[
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(true)),
            (
                "GET",
                "/v1/organizations/other",
                Value::Null,
                404,
                json!({ "error": "?", "code": "business_not_found" }),
            ),
            // An agreement is never unsigned.
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
            ("POST", "/v1/quotes", asked, 200, quote(181)),
        ]),
    );
    let recording = Recording::read(&path).unwrap();
    let summary = judge(&recording, &Profile::default());
    let found: Vec<_> = summary.failures.iter().map(|one| one.finding().clause.name()).collect();
    assert_eq!(found, ["2.business.onboarding", "2.quote.forwardedAtPayment"]);
    assert_eq!(summary.failures[0].transcript.steps.len(), 2, "the other business is left out");
    assert_eq!(command(&path).status.code(), Some(1));
}

/// What no invoice is worth is told, and never calculated with.
#[test]
fn amounts_that_cannot_be_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let asked = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
    let offer = |advance: i64, fee: i64, financeable: i64, forwarded: i64| {
        json!({
            "financeableAmount": financeable, "advanceAmount": advance, "feeTotal": fee,
            "forwardedAtPayment": forwarded, "fundable": true, "notFundableReason": null, "extra": {},
        })
    };
    let invoice = |collected: i64, advance: Value| {
        json!({
            "externalId": "i", "status": "ISSUED", "faceValue": 1000, "collected": collected,
            "collectionState": "UNCOLLECTED", "issueDate": "2026-01-01T00:00:00Z",
            "dueDate": "2026-04-01T00:00:00Z", "advance": advance, "fundable": false,
            "notFundableReason": "Not yet.",
        })
    };
    let huge = json!({
        "state": "FUNDED", "advanceAmount": i64::MAX, "feeTotal": i64::MAX,
        "amountSent": i64::MAX, "amountOwed": i64::MAX,
    });
    let quote = |answer| ("POST", "/v1/quotes", asked.clone(), 200, answer);
    let path = "/v1/organizations/acme/invoices/i";
    let read = |answer| ("GET", path, Value::Null, 200, answer);
    for exchanges in [
        vec![quote(offer(i64::MAX, i64::MAX, 1000, 0))],
        vec![quote(offer(i64::MAX, i64::MAX, i64::MAX, i64::MIN))],
        vec![quote(offer(100, i64::MIN, i64::MAX, 5))],
        vec![quote(offer(800, 20, 1000, 180)), quote(offer(i64::MAX, 1, i64::MAX, 0))],
        vec![read(invoice(500, Value::Null)), read(invoice(i64::MIN, Value::Null))],
        vec![read(invoice(i64::MAX, huge.clone()))],
    ] {
        let output = command(&kept(folder.path(), &archive(&exchanges)));
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{exchanges:?}: {told}");
    }
    // What an advance on an invoice amounts to is not shown.
    let output = command(&kept(folder.path(), &archive(&[read(invoice(0, huge))])));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(!told.contains("panicked"), "{told}");
}

#[test]
fn a_file_that_is_neither_is_told_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    for (text, expected) in [
        ("", "neither a HAR file nor a journal"),
        ("{\"log\":{\"entries\":[]}}", "no request to a path of /v1/"),
        ("{\"tideover\":1}", "line 1"),
    ] {
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        let output = command(&path);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected) && told.trim_end().lines().count() == 1, "{told}");
    }
}

/// What a run has written down before it was sent is judged as it was when it was played.
#[tokio::test]
async fn the_journal_of_a_run_against_a_right_service_holds() {
    let mock = tideover_sim::Mock::builder().seed(7).start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.current_dir(folder.path()).env("TIDEOVER_KEY", mock.api_key()).args(arguments);
        command.output()
    };
    let url = mock.url().to_owned();
    let played = run(&[
        "check",
        "--target",
        &url,
        "--operator",
        &url,
        "--allow-writes",
        "--account-prefix",
        "test-",
        "--payor",
        "payor-1",
        "--payor",
        "payor-2",
        "--email",
        "ann@vendor.example",
        "--tax-id",
        "12-3456789",
        "--tax-id",
        "98-7654321",
        "--bank",
        "123456789:021000021",
        "--requests-per-second",
        "100000",
        "--max-requests",
        "3000",
        "--max-financed",
        "100000000",
        "--seed",
        "3",
        "--cases",
        "30",
        "--learn",
        "learned.toml",
    ])
    .await
    .unwrap();
    assert_eq!(played.status.code(), Some(0), "{}", String::from_utf8_lossy(&played.stdout));
    let learned = std::fs::read_to_string(folder.path().join("learned.toml")).unwrap();
    let learned: Profile = toml::from_str(&learned).unwrap();
    learned.check().unwrap();
    let judged = run(&["judge", "tideover-journal.jsonl"]).await.unwrap();
    assert_eq!(judged.status.code(), Some(0), "{}", String::from_utf8_lossy(&judged.stdout));
}

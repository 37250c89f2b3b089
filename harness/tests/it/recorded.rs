//! `judge` checks recorded traffic as `check` checks played traffic, and sends nothing.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tideover_harness::recorded::{Recording, judge};
use tideover_model::Profile;

/// A HAR archive of exchanges: method, path, body, status, response body.
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

fn saved(folder: &Path, archive: &Value) -> std::path::PathBuf {
    let path = folder.join("traffic.har");
    std::fs::write(&path, archive.to_string()).unwrap();
    path
}

fn command(path: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tideover")).arg("judge").arg(path).output().unwrap()
}

#[test]
fn explainable_traffic_is_not_accused() {
    let folder = tempfile::tempdir().unwrap();
    let body = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
    let path = saved(
        folder.path(),
        &archive(&[
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
            // The vendor has signed since.
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(true)),
            ("POST", "/v1/quotes", body, 200, quote(180)),
        ]),
    );
    let output = command(&path);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert!(stdout.contains("3 steps in 1 cases against https://api.example/base"), "{stdout}");
}

/// The response contradicts itself, whatever came before.
#[test]
fn a_self_contradicting_response_is_accused() {
    let read = |fields: Value| {
        let mut business = business(true);
        business.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let folder = tempfile::tempdir().unwrap();
        let exchange = ("GET", "/v1/organizations/acme", Value::Null, 200, business);
        let recording = Recording::read(&saved(folder.path(), &archive(&[exchange]))).unwrap();
        let failures = judge(&recording, &Profile::default()).summary.failures;
        failures.iter().map(|it| it.findings[0].clause.name()).collect::<Vec<_>>()
    };
    assert!(read(json!({})).is_empty());
    let open =
        json!({ "compliance": true, "contract": true, "bank": true, "collectionAccount": true });
    let account = json!({ "accountNumber": "930000000000", "routingNumber": "021000021" });
    assert!(read(json!({ "onboarding": open, "remittance": account })).is_empty());
    assert_eq!(read(json!({ "onboarding": open })), ["2.business.remittance"]);
}

#[test]
fn unexplainable_traffic_is_found_with_its_context() {
    let folder = tempfile::tempdir().unwrap();
    let body = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
    let path = saved(
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
            ("POST", "/v1/quotes", body, 200, quote(181)),
        ]),
    );
    let recording = Recording::read(&path).unwrap();
    let summary = judge(&recording, &Profile::default()).summary;
    let found: Vec<_> = summary.failures.iter().map(|one| one.finding().clause.name()).collect();
    assert_eq!(found, ["2.business.onboarding", "2.quote.forwardedAtPayment"]);
    assert_eq!(summary.failures[0].transcript.steps.len(), 2, "the other business is left out");
    assert_eq!(command(&path).status.code(), Some(1));
}

/// A finding shows the requests that led to it, and masks whose they were.
#[test]
fn tax_ids_and_accounts_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let synced = json!({ "legalName": "Acme Ltd", "taxId": "12-3456789" });
    let account = json!({ "accountNumber": 123_456_789_012_u64, "routingNumber": "021000021" });
    let created = json!({ "externalId": "acme", "created": true, "reason": "Of 12 3456789." });
    let path = saved(
        folder.path(),
        &archive(&[
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(true)),
            ("PUT", "/v1/organizations/acme", synced, 200, created),
            (
                "PUT",
                "/v1/organizations/acme/payout-account",
                account,
                200,
                json!({ "externalId": "acme", "mask": 9012 }),
            ),
            ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
        ]),
    );
    let [page, junit] = ["report.html", "report.xml"].map(|name| folder.path().join(name));
    let files = ["--html".as_ref(), page.as_os_str(), "--junit".as_ref(), junit.as_os_str()];
    let printed = [judged_with(&path, &files), judged_with(&path, &["--json".as_ref()])];
    let written = [page, junit].map(|path| (Some(1), std::fs::read_to_string(path).unwrap()));
    for (code, text) in printed.into_iter().chain(written) {
        assert_eq!(code, Some(1), "{text}");
        for hidden in ["12-3456789", "123456789", "12 3456789", "123456789012"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
        assert!(text.contains("2.business.onboarding") && text.contains("…6789"), "{text}");
    }
}

/// A recording may hold bodies that no service can read.
#[test]
fn unreadable_bodies_are_masked_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic.har");
    let refused = json!({ "detail": "live_sk_recorded sent 12-3456789.", "code": "odd" });
    let mut traffic = archive(&[
        ("PUT", "/v1/organizations/acme?token=query-secret", json!(1), 400, refused.clone()),
        ("PUT", "/v1/invoices/imports/m1", json!(1), 400, refused),
    ]);
    let texts = ["{\"taxId\":\"12-3456789\",}", "payeeTaxId\n12-3456789\n"];
    for (entry, text) in traffic["log"]["entries"].as_array_mut().unwrap().iter_mut().zip(texts) {
        entry["request"]["postData"]["text"] = text.into();
        let url = entry["request"]["url"].as_str().unwrap();
        entry["request"]["url"] = url.replace("https://", "https://ann:pass-word@").into();
    }
    std::fs::write(&path, traffic.to_string()).unwrap();
    let (code, report) = judged_with(&path, &["--json".as_ref()]);
    assert!(code == Some(1) && report.contains("…6789"), "{code:?}");
    for hidden in ["12-3456789", "123456789", "live_sk_recorded", "query-secret", "pass-word"] {
        assert!(!report.contains(hidden), "{hidden}");
    }
}

/// A 410 revokes a subscription, and anyone with the key may delete it.
#[test]
fn subscriptions_ended_by_others_accuse_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let subscribed = |number| {
        json!({
            "reference": format!("whs_{number}"), "url": "https://h.example/x",
            "secret": format!("whsec_0123456789abcdef012345678{number}"),
        })
    };
    let body = json!({ "url": "https://h.example/x" });
    let unknown = json!({ "error": "?", "code": "subscription_not_found" });
    let path = saved(
        folder.path(),
        &archive(&[
            ("POST", "/v1/webhooks", body.clone(), 201, subscribed(1)),
            ("DELETE", "/v1/webhooks/whs_1", Value::Null, 404, unknown),
            ("POST", "/v1/webhooks", body, 201, subscribed(2)),
        ]),
    );
    let output = command(&path);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Prose is a string, whatever came before.
#[test]
fn non_string_prose_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let synced = json!({ "externalId": "acme", "created": true, "reason": 5 });
    let body = json!({ "legalName": "Acme Ltd" });
    let exchange = ("PUT", "/v1/organizations/acme", body, 200, synced);
    assert_eq!(command(&saved(folder.path(), &archive(&[exchange]))).status.code(), Some(1));
}

/// The exit code of `judge`, and its standard output.
fn judged_with(path: &Path, more: &[&OsStr]) -> (Option<i32>, String) {
    let mut judge = Command::new(env!("CARGO_BIN_EXE_tideover"));
    let output = judge.arg("judge").arg(path).args(more).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn known_findings_of_a_recording_fail_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let read = |met| ("GET", "/v1/organizations/acme", Value::Null, 200, business(met));
    let contradicted = json!({ "externalId": "acme", "onboarding": 1 });
    let broken = ("GET", "/v1/organizations/acme", Value::Null, 200, contradicted);
    let alone = saved(folder.path(), &archive(&[broken]));
    assert_baseline_silences(folder.path(), &alone);
    let path = saved(folder.path(), &archive(&[read(true), read(false)]));
    assert_baseline_silences(folder.path(), &path);
}

fn assert_baseline_silences(folder: &Path, path: &Path) {
    let (code, report) = judged_with(path, &["--json".as_ref()]);
    assert_eq!(code, Some(1), "{report}");
    let known = folder.join("known.json");
    std::fs::write(&known, report).unwrap();
    let (code, stdout) = judged_with(path, &["--baseline".as_ref(), known.as_os_str()]);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("findings known"), "{stdout}");
}

/// The judge reports impossible amounts, and never calculates with them.
#[test]
fn impossible_amounts_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let body = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
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
    let quote = |answer| ("POST", "/v1/quotes", body.clone(), 200, answer);
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
        let output = command(&saved(folder.path(), &archive(&exchanges)));
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{exchanges:?}: {printed}");
    }
    // The document doesn't show the amounts of an invoice's advance.
    let output = command(&saved(folder.path(), &archive(&[read(invoice(0, huge))])));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
}

const ORGANIZATION: &str = "/v1/organizations/acme";

/// A new business, a new invoice, and the first request for its advance.
fn financed() -> Value {
    let synced = json!({ "externalId": "acme", "created": true, "reason": "New." });
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let invoice = json!({
        "payee": party("acme"), "payor": party("payor"), "status": "ISSUED", "faceValue": 1000,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-06-01T00:00:00Z",
    });
    let created = json!({ "externalId": "i", "outcome": "created", "reason": null });
    let body = json!({ "payeeExternalId": "acme", "invoiceExternalId": "i" });
    archive(&[
        ("PUT", ORGANIZATION, json!({ "legalName": "Acme Ltd" }), 200, synced),
        ("PUT", "/v1/invoices/i", invoice, 200, created),
        ("POST", "/v1/advances", body, 201, advance(false)),
    ])
}

fn advance(again: bool) -> Value {
    json!({
        "alreadyRequested": again, "financeableAmount": 1000, "advanceAmount": 900, "feeTotal": 20,
        "forwardedAtPayment": 80,
        "remittance": { "accountNumber": "93000", "routingNumber": "112023247" },
    })
}

fn entries(archive: &mut Value) -> &mut Vec<Value> {
    archive["log"]["entries"].as_array_mut().unwrap()
}

/// The exit code of `judge`, and everything that it prints.
fn judged(archive: &Value) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = command(&saved(folder.path(), archive));
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

fn assert_held(archive: &Value, expected: &str) {
    let (code, text) = judged(archive);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_recording_without_keys_has_one_caller() {
    let mut archive = financed();
    for entry in entries(&mut archive) {
        entry["request"]["headers"] = json!([]);
    }
    assert_held(&archive, "PASS: ");
    // A single request without a key, among others with one, is unauthorized.
    let mut archive = financed();
    entries(&mut archive)[0]["request"]["headers"] = json!([]);
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("5.authentication.3 violated"), "{text}");
}

#[test]
fn an_omitted_body_is_not_judged() {
    let mut archive = financed();
    let content = json!({ "mimeType": "application/json", "size": 120 });
    entries(&mut archive)[2]["response"]["content"] = content.clone();
    assert_held(&archive, "1 requests are not judged: their answers were left out");
    let mut archive = financed();
    entries(&mut archive)[0]["request"]["postData"] = Value::Null;
    assert_held(&archive, "1 requests are not judged: their bodies were left out");
    let mut archive = financed();
    for entry in entries(&mut archive) {
        entry["response"]["content"] = content.clone();
    }
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("3 requests are not judged"), "{text}");
    assert!(text.contains("INCONCLUSIVE: "), "{text}");
}

#[test]
fn keys_may_belong_to_one_or_several_platforms() {
    let key = |name: &str| json!([{ "name": "Authorization", "value": format!("Bearer {name}") }]);
    let mut archive = financed();
    entries(&mut archive)[2]["request"]["headers"] = key("live_sk_rotated");
    assert_held(&archive, "PASS: ");
    // Then the old key is revoked.
    let refused = json!({ "error": "?", "code": "unauthorized" });
    let revoked = self::archive(&[("GET", "/v1/webhooks", Value::Null, 401, refused)]);
    let mut revoked = revoked["log"]["entries"][0].clone();
    revoked["startedDateTime"] = "2026-03-01T10:00:30.000Z".into();
    entries(&mut archive).push(revoked);
    assert_held(&archive, "1 requests are not judged: their keys were taken another time");
    // Another platform has its own business of the same name.
    let mut archive = financed();
    let mut other = entries(&mut archive)[0].clone();
    other["startedDateTime"] = "2026-03-01T10:00:31.000Z".into();
    other["request"]["headers"] = key("live_sk_other");
    entries(&mut archive).push(other);
    assert_held(&archive, "PASS: ");
    // The first response need not show that the key is another platform's.
    let read = self::archive(&[("GET", ORGANIZATION, Value::Null, 200, business(true))]);
    let mut read = read["log"]["entries"][0].clone();
    read["startedDateTime"] = "2026-03-01T10:00:31.000Z".into();
    read["request"]["headers"] = key("live_sk_other");
    let mut archive = financed();
    entries(&mut archive).push(read);
    assert_held(&archive, "PASS: ");
}

#[test]
fn too_many_keys_are_inconclusive() {
    let read = || ("GET", ORGANIZATION, Value::Null, 200, business(true));
    let unknown = json!({ "error": "?", "code": "business_not_found" });
    let mut exchanges: Vec<_> = (0..7).map(|_| read()).collect();
    exchanges.push(("GET", ORGANIZATION, Value::Null, 404, unknown));
    let mut archive = archive(&exchanges);
    for (number, entry) in entries(&mut archive).iter_mut().enumerate() {
        let key = format!("Bearer live_sk_{}", number % 7);
        entry["request"]["headers"] = json!([{ "name": "authorization", "value": key }]);
    }
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("7.codes.business_not_found inconclusive"), "{text}");
    assert!(text.contains("replay it alone, with fewer keys"), "{text}");
    assert!(!text.contains("still has the code"), "{text}");
}

#[test]
fn concurrent_requests_have_no_order() {
    let second = |archive: &mut Value, millisecond: u64| {
        let mut again = entries(archive)[2].clone();
        again["startedDateTime"] = format!("2026-03-01T10:00:01.{millisecond}Z").into();
        again["time"] = 200.into();
        again["response"]["content"]["text"] = advance(true).to_string().into();
        entries(archive).push(again);
    };
    // The second request starts before the first and ends after it.
    let mut archive = financed();
    second(&mut archive, 950);
    assert_held(&archive, "2 requests are not judged: others were under way with them");
    // The second request ends before the first starts.
    let mut archive = financed();
    second(&mut archive, 500);
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("POST /v1/advances: "), "{text}");
    // Overlapping reads that agree are still judged.
    let mut archive = self::archive(&[
        ("GET", ORGANIZATION, Value::Null, 200, business(true)),
        ("GET", ORGANIZATION, Value::Null, 200, business(true)),
        ("GET", ORGANIZATION, Value::Null, 200, business(false)),
    ]);
    entries(&mut archive)[0]["time"] = 1500.into();
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(1), "{text}");
    entries(&mut archive)[1]["time"] = 1500.into();
    assert_held(&archive, "2 requests are not judged: others were under way with them");
}

#[test]
fn browser_and_cache_requests_are_not_judged() {
    let mut archive = financed();
    for (second, (method, status)) in [("OPTIONS", 204), ("GET", 304)].into_iter().enumerate() {
        let mut entry = entries(&mut archive)[0].clone();
        entry["startedDateTime"] = format!("2026-03-01T10:00:2{second}.000Z").into();
        entry["request"]["method"] = method.into();
        entry["request"]["postData"] = Value::Null;
        entry["response"] = json!({ "status": status, "content": { "size": 0 } });
        entries(&mut archive).push(entry);
    }
    assert_held(&archive, "1 requests are not judged: a cache answered them");
    assert_held(&archive, "1 requests are not judged: browsers ask by them");
}

#[test]
fn a_recording_may_begin_in_the_middle() {
    let body = json!({ "payeeExternalId": "acme", "invoiceExternalId": "i" });
    let account = json!({ "accountNumber": "12345", "routingNumber": "021000021" });
    let set = json!({ "externalId": "acme", "mask": "2345" });
    let read = ("GET", ORGANIZATION, Value::Null, 200, business(true));
    assert_held(
        &archive(&[
            ("PUT", "/v1/organizations/acme/payout-account", account, 200, set),
            read.clone(),
        ]),
        "PASS: ",
    );
    let again = ("POST", "/v1/advances", body, 200, advance(true));
    assert_held(&archive(&[read, again.clone()]), "1 requests are not judged: what was there");
    let (code, text) = judged(&archive(&[again]));
    assert_eq!(code, Some(3), "{text}");
    // What no earlier state explains is still found.
    let synced = json!({ "externalId": "acme", "created": "yes", "reason": "?" });
    let sync = ("PUT", ORGANIZATION, json!({ "legalName": "Acme Ltd" }), 200, synced);
    let (code, text) = judged(&archive(&[sync]));
    assert_eq!(code, Some(1), "{text}");
}

const INVOICE: &str = "/v1/organizations/acme/invoices/i";

/// An invoice with or without an advance.
fn invoice(face_value: i64, collected: i64, advance: Value) -> Value {
    let state = match collected {
        0 => "UNCOLLECTED",
        _ if collected < face_value => "PARTIALLY_COLLECTED",
        _ => "COLLECTED",
    };
    json!({
        "externalId": "i", "status": "ISSUED", "faceValue": face_value, "collected": collected,
        "collectionState": state, "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2026-06-01T00:00:00Z", "advance": advance, "fundable": false,
        "notFundableReason": "An advance stands against it.",
    })
}

fn advance_state(state: &str, owed: i64) -> Value {
    json!({
        "state": state, "advanceAmount": 8_000_000, "feeTotal": 200_000,
        "amountSent": 8_000_000, "amountOwed": owed,
    })
}

fn repeated(again: bool, advance: i64) -> Value {
    json!({
        "alreadyRequested": again, "financeableAmount": 10_000_000, "advanceAmount": advance,
        "feeTotal": 200_000, "forwardedAtPayment": 29_800_000 - advance,
        "remittance": { "accountNumber": "93000", "routingNumber": "112023247" },
    })
}

#[test]
fn funding_may_predate_the_recording() {
    let read = |answer| ("GET", INVOICE, Value::Null, 200, answer);
    let body = json!({ "payeeExternalId": "acme", "invoiceExternalId": "i" });
    let request = |answer: Value| ("POST", "/v1/advances", body.clone(), 200, answer);
    let party = |name: &str| json!({ "externalId": name, "legalName": name });
    let synced = json!({
        "payee": party("acme"), "payor": party("payor"), "status": "ISSUED", "faceValue": 5_000,
        "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2026-04-01T00:00:00Z",
    });
    let sync = |outcome: &str| {
        let answer = json!({ "externalId": "i", "outcome": outcome, "reason": null });
        ("PUT", "/v1/invoices/i", synced.clone(), 200, answer)
    };
    let funded = || read(invoice(30_000_000, 0, advance_state("FUNDED", 8_200_000)));
    let right = [
        funded(),
        request(repeated(true, 8_000_000)),
        sync("statusOnly"),
        funded(),
        read(invoice(30_000_000, 1_000_000, advance_state("FUNDED", 7_200_000))),
        read(invoice(30_000_000, 30_000_000, advance_state("REPAID", 0))),
        request(repeated(true, 8_000_000)),
    ];
    let (code, text) = judged(&archive(&right));
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("not judged"), "{text}");
    // The document doesn't show the names of the amounts.
    let called = json!({ "state": "FUNDED", "sent": 8_000_000, "owed": 8_200_000 });
    let unnamed = || read(invoice(30_000_000, 0, called.clone()));
    assert_held(&archive(&[unnamed(), request(repeated(true, 8_000_000)), unnamed()]), "PASS: ");
    // The first response that shows an amount fixes it.
    let again = |advance| request(repeated(true, advance));
    assert_held(&archive(&[unnamed(), again(8_000_000), unnamed(), again(8_000_000)]), "PASS: ");
    let (code, text) = judged(&archive(&[unnamed(), again(8_000_000), again(8_000_001)]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("expected  8000000") && text.contains("seen      8000001"), "{text}");
    let wrong = [
        (request(repeated(false, 8_000_000)), "alreadyRequested"),
        (request(repeated(true, 8_000_001)), "advanceAmount"),
        (read(invoice(30_000_000, 0, Value::Null)), "advance"),
        (read(invoice(20_000_000, 0, advance_state("FUNDED", 8_200_000))), "faceValue"),
        (sync("updated"), "outcome"),
    ];
    for (answer, field) in wrong {
        let (code, text) = judged(&archive(&[funded(), answer]));
        assert_eq!(code, Some(1), "{field}: {text}");
        assert!(text.contains(&format!(": {field}\n")), "{field}: {text}");
    }
}

/// The recorder's clock may differ from the service's, but both run at the same speed.
#[test]
fn the_clock_of_a_recording_may_be_off() {
    let session = |number: u64, expires_at: &str| {
        let url = format!("https://onboard.example/{number}");
        let answer = json!({ "url": url, "expiresAt": expires_at });
        ("POST", "/v1/onboarding-sessions", json!({ "externalId": "acme" }), 201, answer)
    };
    let read = ("GET", ORGANIZATION, Value::Null, 200, business(true));
    let first = session(1, "2026-03-01T11:15:01Z");
    let off = archive(&[read.clone(), first.clone(), session(2, "2026-03-01T11:15:02Z")]);
    assert_held(&off, "PASS: ");
    // Someone may have moved the clock forward; nobody moves it back.
    let leap = || session(2, "2026-03-02T11:15:02Z");
    let (code, text) = judged(&archive(&[read.clone(), first.clone(), leap()]));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("unless the clock was moved") && text.contains("3 steps"), "{text}");
    let back = session(3, "2026-03-01T11:15:03Z");
    let (code, text) = judged(&archive(&[read, first, leap(), back]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("8.sessionLife violated"), "{text}");
}

#[test]
fn an_unknown_file_type_prints_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (text, expected) in [
        ("", "neither a HAR file nor a journal"),
        ("{\"log\":{\"entries\":[]}}", "no request to a path of /v1/"),
        ("{\"tideover\":1}", "line 1"),
    ] {
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        let output = command(&path);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected) && stderr.trim_end().lines().count() == 1, "{stderr}");
    }
}

const CREATED: &str = r#"{"externalId":"acme","created":true,"reason":"New."}"#;

/// A synced business, and then onboarding links for it.
fn with_links(links: &[(&str, &str)]) -> Value {
    let link = |(url, expires_at): &(&str, &str)| {
        let url: Value = serde_json::from_str(url).unwrap();
        let answer = json!({ "url": url, "expiresAt": expires_at });
        ("POST", "/v1/onboarding-sessions", json!({ "externalId": "acme" }), 201, answer)
    };
    let synced = serde_json::from_str(CREATED).unwrap();
    let sync = ("PUT", ORGANIZATION, json!({ "legalName": "Acme Ltd" }), 200, synced);
    archive(&[sync].into_iter().chain(links.iter().map(link)).collect::<Vec<_>>())
}

/// Someone may have set the recorder's clock in between.
#[test]
fn an_early_recorded_link_expiry_is_inconclusive() {
    let mut archive = with_links(&[
        (r#""https://onboard.example/1""#, "2026-03-01T10:15:01Z"),
        (r#""https://onboard.example/2""#, "2026-03-01T10:15:03Z"),
    ]);
    entries(&mut archive)[2]["startedDateTime"] = "2026-03-01T11:00:02.000Z".into();
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("unless the clock of the recorder was set"), "{text}");
}

/// A possible clock leap excuses nothing else in the response.
#[test]
fn a_clock_leap_hides_nothing_else() {
    let (code, text) = judged(&with_links(&[
        (r#""https://onboard.example/1""#, "2026-03-01T10:15:01Z"),
        ("5", "2026-03-01T11:15:02Z"),
    ]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("2.session.url violated"), "{text}");
    assert!(text.contains("8.sessionLife inconclusive"), "{text}");
}

/// The document doesn't show the status of `too_many_rows`. It may equal that of a body over the limit.
#[test]
fn too_many_rows_teaches_no_body_limit() {
    let rows = |rows: u64, name: &str| {
        let row =
            |n| format!("i{n},{name},B,ISSUED,100,2026-01-01T00:00:00Z,2026-06-01T00:00:00Z\n");
        let header =
            "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n";
        Value::String(header.to_owned() + &(0..rows).map(row).collect::<String>())
    };
    let outcomes = vec![json!({ "outcome": "created" }); 900];
    let report = json!({
        "externalId": "ok", "rowCount": 900, "finished": true, "summary": {}, "rows": outcomes,
    });
    let refused = json!({ "error": "?", "code": "too_many_rows" });
    let mut archive = archive(&[
        ("PUT", "/v1/invoices/imports/big", Value::Null, 413, refused),
        ("PUT", "/v1/invoices/imports/ok", Value::Null, 200, report),
    ]);
    let longer = "A".repeat(60);
    for (entry, text) in entries(&mut archive).iter_mut().zip([rows(1001, "A"), rows(900, &longer)])
    {
        entry["request"]["postData"] = json!({ "mimeType": "text/csv", "text": text });
    }
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("beyond it"), "{text}");
}

/// A recording need not show whose key it is. The mock's initial key belongs to nobody elsewhere.
#[test]
fn a_never_accepted_key_belongs_to_nobody() {
    let refused = || json!({ "error": "?", "code": "unauthorized" });
    let header = json!({
        "tideover": 1, "seed": 1, "start": "2026-03-01T10:00:00Z", "profile": {},
        "live": { "target": "https://api.example", "run": "td-a-", "fresh": true },
    });
    let at = "2026-03-01T10:00:00Z";
    let lines = [
        header,
        json!({ "at": at, "number": 1, "case": 0, "call": { "method": "GET", "path": "/v1/webhooks" } }),
        json!({ "at": at, "answers": 1, "seen": { "status": 401, "body": refused() } }),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    std::fs::write(&path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let output = command(&path);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_ne!(output.status.code(), Some(1), "{stdout}");
    let mut archive = financed();
    let left_over = self::archive(&[("GET", "/v1/webhooks", Value::Null, 401, refused())]);
    let mut left_over = left_over["log"]["entries"][0].clone();
    left_over["startedDateTime"] = "2026-03-01T10:00:31.000Z".into();
    left_over["request"]["headers"] =
        json!([{ "name": "authorization", "value": "Bearer rap_sk_local" }]);
    entries(&mut archive).push(left_over);
    assert_held(&archive, "PASS: ");
}

/// The body and the path of a read of a business. `met`: compliance, contract, bank, collection account.
fn business_read(name: &str, met: [bool; 4], account: Option<&str>) -> (Value, String) {
    let [compliance, contract, bank, open] = met;
    let remittance =
        account.map(|number| json!({ "accountNumber": number, "routingNumber": "112023247" }));
    let answer = json!({
        "externalId": name, "name": name, "taxIdOnFile": compliance, "remittance": remittance,
        "complianceRoute": compliance.then_some("PARTNER_SUPPLIED"),
        "onboarding": {
            "compliance": compliance, "contract": contract, "bank": bank, "collectionAccount": open,
        },
    });
    (answer, format!("/v1/organizations/{name}"))
}

const BEING_ONBOARDED: [bool; 4] = [false, true, true, false];

fn linked(name: &str) -> Value {
    json!({ "externalId": name, "created": false, "reason": "In its own words." })
}

/// The response to a sync, with the tax id's result in an undocumented form.
fn checked(name: &str) -> Value {
    let mut answer = linked(name);
    answer["taxIdCheck"] = json!({ "result": "?" });
    answer
}

/// Only the next read need show that the service didn't accept a tax id.
#[test]
fn an_account_waits_for_its_requirements() {
    let (missing, path) = business_read("acme", BEING_ONBOARDED, None);
    let address =
        json!({ "line1": "1 Quay", "city": "Portland", "state": "OR", "postalCode": "97201" });
    let contact = json!({ "legalName": "Acme", "contact": { "address": address } });
    let tax_id = json!({ "legalName": "Acme", "taxId": "12-3456789" });
    let late = |answer: &Value| {
        let mut archive = archive(&[
            ("GET", &path, Value::Null, 200, missing.clone()),
            ("PUT", &path, contact.clone(), 200, linked("acme")),
            ("PUT", &path, tax_id.clone(), 200, checked("acme")),
            ("GET", &path, Value::Null, 200, answer.clone()),
        ]);
        entries(&mut archive)[3]["startedDateTime"] = "2026-03-01T11:30:00.000Z".into();
        judged(&archive)
    };
    let (code, text) = late(&missing);
    assert!(code == Some(0) && !text.contains("stalled"), "{text}");
    let (due, _) = business_read("acme", [true, true, true, false], None);
    let (code, text) = late(&due);
    assert!(code == Some(0) && text.contains("gap.accountOpening stalled"), "{text}");
}

/// Only a later read need show that another business holds a tax id.
#[test]
fn a_tax_id_may_belong_to_another_business() {
    let (missing, acme) = business_read("acme", BEING_ONBOARDED, None);
    let (complete, other) = business_read("other", [true; 4], Some("93000"));
    let tax_id = json!({ "legalName": "Acme", "taxId": "12-3456789" });
    let mut archive = archive(&[
        ("GET", &acme, Value::Null, 200, missing.clone()),
        ("PUT", &acme, tax_id.clone(), 200, checked("acme")),
        ("PUT", &other, tax_id, 200, linked("other")),
        ("GET", &other, Value::Null, 200, complete),
        ("GET", &acme, Value::Null, 200, missing),
    ]);
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(0), "{text}");
    // A cleared business doesn't lose its agreement.
    let (contradicted, _) = business_read("other", [true, false, true, true], None);
    let mut last = entries(&mut archive)[3].clone();
    last["startedDateTime"] = "2026-03-01T10:00:30.000Z".into();
    last["response"]["content"]["text"] = contradicted.to_string().into();
    entries(&mut archive).push(last);
    let (code, text) = judged(&archive);
    assert_eq!(code, Some(1), "{text}");
}

/// A business without a known tax id is not another business for which the judge invents one.
#[test]
fn little_known_businesses_stay_distinct() {
    let (complete, other) = business_read("other", [true; 4], Some("95000"));
    let tax_id = json!({ "legalName": "Other", "taxId": "97-0000000" });
    let invited = json!({ "inviteId": "inv", "expiresAt": "2026-03-31T10:00:01.000Z" });
    let invitation = json!({ "externalId": "acme", "email": "ann@vendor.example" });
    let body = json!({ "externalId": "other", "invoiceFaceValue": 1000 });
    let mut fundable = quote(180);
    (fundable["fundable"], fundable["notFundableReason"]) = (true.into(), Value::Null);
    let mut financeable = invoice(1000, 0, Value::Null);
    (financeable["fundable"], financeable["notFundableReason"]) = (true.into(), Value::Null);
    let request = json!({ "payeeExternalId": "acme", "invoiceExternalId": "i" });
    let (code, text) = judged(&archive(&[
        ("PUT", &other, tax_id, 200, linked("other")),
        ("POST", "/v1/invitations", invitation, 201, invited),
        ("POST", "/v1/quotes", body, 200, fundable),
        ("GET", INVOICE, Value::Null, 200, financeable),
        ("POST", "/v1/advances", request, 201, advance(false)),
        ("GET", &other, Value::Null, 200, complete),
    ]));
    assert_eq!(code, Some(0), "{text}");
}

/// No response says which business a tax id has matched.
#[test]
fn an_identifier_may_match_a_known_business() {
    let (complete, acme) = business_read("acme", [true; 4], Some("93000"));
    let (same, alias) = business_read("alias", [true; 4], Some("93000"));
    let tax_id = json!({ "legalName": "Acme", "taxId": "12-3456789" });
    let (code, text) = judged(&archive(&[
        ("GET", &acme, Value::Null, 200, complete.clone()),
        ("PUT", &alias, tax_id, 200, linked("alias")),
        ("GET", &alias, Value::Null, 200, same),
        ("GET", &acme, Value::Null, 200, complete),
    ]));
    assert_eq!(code, Some(0), "{text}");
}

/// A masked tax id in a journal is not the one that another business has filed.
#[test]
fn a_masked_tax_id_is_nobody_elses() {
    let (mut filed, other) = business_read("other", [false; 4], None);
    filed["taxIdOnFile"] = true.into();
    let (missing, acme) = business_read("acme", BEING_ONBOARDED, None);
    let (cleared, _) = business_read("acme", [true, true, true, false], None);
    let tax_id = json!({ "legalName": "Acme", "taxId": "${own.taxIds.0}" });
    let call = |method: &str, path: &str, body: Value| json!({ "method": method, "path": path, "body": body });
    let exchanges = [
        (json!({ "method": "GET", "path": other }), filed),
        (json!({ "method": "GET", "path": acme }), missing),
        (call("PUT", &acme, tax_id), checked("acme")),
        (json!({ "method": "GET", "path": acme }), cleared),
    ];
    let start = "2026-03-01T10:00:00.000Z";
    let mut lines = vec![json!({ "tideover": 1, "seed": 1, "start": start, "profile": {} })];
    for (number, (call, answer)) in exchanges.into_iter().enumerate() {
        lines.push(json!({ "at": start, "case": 0, "number": number, "call": call }));
        let seen = json!({ "status": 200, "body": answer });
        lines.push(json!({ "at": start, "answers": number, "seen": seen }));
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let output = command(&path);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The journal of a run leads to the same verdict as the run.
#[tokio::test]
async fn the_journal_of_a_correct_service_holds() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--seed", "3", "--cases", "50", "--steps", "40", "--learn", "learned.toml"];
    let judged = judged_again(folder.path(), &more).await;
    assert_eq!(judged.status.code(), Some(0), "{}", String::from_utf8_lossy(&judged.stdout));
    let learned = std::fs::read_to_string(folder.path().join("learned.toml")).unwrap();
    let learned: Profile = toml::from_str(&learned).unwrap();
    learned.check().unwrap();
    // The journal shows only the last digits of accounts, and they match the assumption.
    let journal = folder.path().join("tideover-journal.jsonl");
    let again = folder.path().join("again.toml");
    let options = ["--json".as_ref(), "--learn".as_ref(), again.as_os_str()];
    let (_, report) = judged_with(&journal, &options);
    let report: Value = serde_json::from_str(&report).unwrap();
    let named = |part: &str, name| {
        let of_it = |one: &&Value| one["clause"] == name;
        report[part].as_array().unwrap().iter().find(of_it)
    };
    assert!(named("clauses", "2.payoutAccount.mask").unwrap()["exercised"].as_u64() > Some(0));
    assert_eq!(named("gaps", "gap.mask"), None);
    // An event that the operator port triggers teaches nothing about its usual delay.
    let learned: Profile = toml::from_str(&std::fs::read_to_string(again).unwrap()).unwrap();
    assert_eq!(learned.delays, Profile::default().delays);
}

/// Many cases issue keys through the operator port. Each case is judged by its own keys.
#[tokio::test]
async fn keys_of_one_case_do_not_affect_another() {
    for seed in ["1", "2", "3"] {
        let folder = tempfile::tempdir().unwrap();
        let more = ["--seed", seed, "--cases", "100", "--steps", "40"];
        let judged = judged_again(folder.path(), &more).await;
        let journal = std::fs::read_to_string(folder.path().join("tideover-journal.jsonl"));
        assert!(journal.unwrap().matches("\"issueKey\"").count() > 10, "seed {seed}");
        let stdout = String::from_utf8_lossy(&judged.stdout);
        assert_ne!(judged.status.code(), Some(1), "seed {seed}: {stdout}");
    }
}

/// Checks the mock, and judges the journal of that check.
async fn judged_again(folder: &Path, more: &[&str]) -> Output {
    let mock = tideover_sim::Mock::builder()
        .resolver(tideover_sim::NoNames)
        .seed(7)
        .start()
        .await
        .unwrap();
    let run = |arguments: &[&str]| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
        command.current_dir(folder).env("TIDEOVER_KEY", mock.api_key()).args(arguments);
        command.output()
    };
    let url = mock.url();
    let check = [
        "check",
        "--target",
        url,
        "--operator",
        url,
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
    ];
    let played = run(&[&check, more].concat()).await.unwrap();
    assert_eq!(played.status.code(), Some(0), "{}", String::from_utf8_lossy(&played.stdout));
    run(&["judge", "tideover-journal.jsonl"]).await.unwrap()
}

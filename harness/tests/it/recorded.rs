//! `judge` checks recorded traffic as `check` checks played traffic, and sends nothing.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tideover_live::recorded::{Recording, judge};
use tideover_model::{Profile, Timestamp};

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
    assert!(stdout.contains("3 steps in 1 case against https://api.example/base"), "{stdout}");
}

/// Others have sent the requests: there is no seed, no response time, and no option that reaches more.
/// What is no text is no routing number and no address either: no order of refusals is given.
#[test]
fn a_value_of_another_type_may_get_the_code_of_its_field() {
    let account =
        |routing: Value| json!({ "accountNumber": "000123456", "routingNumber": routing });
    let refused = |code: &str| json!({ "error": "No.", "code": code });
    let (path, invite) = ("/v1/organizations/acme/payout-account", "/v1/invitations");
    let (status, output) = judged(&archive(&[
        ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
        ("PUT", path, account(json!(21_000_021)), 400, refused("invalid_routing_number")),
        ("PUT", path, account(Value::Null), 400, refused("invalid_routing_number")),
        ("POST", invite, json!({ "externalId": "acme" }), 400, refused("invalid_invitee")),
        (
            "POST",
            invite,
            json!({ "externalId": "acme", "email": 7 }),
            400,
            refused("invalid_invitee"),
        ),
        ("POST", "/v1/webhooks", json!({ "url": 7 }), 400, refused("destination_refused")),
    ]));
    assert_ne!(status, Some(1), "{output}");
    let (status, output) = judged(&archive(&[
        ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
        ("PUT", path, account(json!("021000021")), 400, refused("invalid_routing_number")),
    ]));
    assert_eq!(status, Some(1), "{output}");
}

/// A response to HEAD has no body, so that it lacks no field.
#[test]
fn a_head_request_accuses_nobody() {
    let mut recording = archive(&[
        ("GET", "/v1/organizations/acme", Value::Null, 200, business(false)),
        ("HEAD", "/v1/organizations/acme", Value::Null, 200, Value::Null),
        ("HEAD", "/v1/organizations/acme", Value::Null, 404, Value::Null),
    ]);
    for entry in entries(&mut recording) {
        if entry["request"]["method"] == "HEAD" {
            entry["response"]["content"] = json!({ "mimeType": "application/json", "text": "" });
        }
    }
    let (status, output) = judged(&recording);
    assert_eq!(status, Some(0), "{output}");
    assert!(output.contains("2 requests not judged: HEAD gets no body"), "{output}");
}

#[test]
fn the_judge_advises_only_what_it_can_do() {
    let folder = tempfile::tempdir().unwrap();
    let read = || ("GET", "/v1/organizations/acme", Value::Null, 200, business(false));
    let refused =
        ("GET", "/v1/webhooks", Value::Null, 401, json!({ "error": "no", "code": "odd" }));
    let mut texts = Vec::new();
    for traffic in [vec![read()], vec![read(), refused]] {
        let path = saved(folder.path(), &archive(&traffic));
        let page = folder.path().join("report.html");
        texts.push(
            judged_with(&path, &["--verbose".as_ref(), "--html".as_ref(), page.as_os_str()]).1,
        );
        let json = judged_with(&path, &["--json".as_ref()]).1;
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((report.get("seed"), &report["untried"]), (None, &json!([])), "{json}");
        assert!(
            report["clauses"].as_array().unwrap().iter().all(|clause| clause["remedy"].is_null())
        );
        texts.extend([json, std::fs::read_to_string(page).unwrap()]);
    }
    for text in texts {
        for word in [
            "--webhook-listen",
            "--operator",
            "--sandbox",
            "--seed",
            "seed 0",
            "--cases",
            "--concurrency",
            "--restart",
            "answered within",
            "Response times",
        ] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
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
        let failures = judge(&recording, &Profile::default(), false).summary.failures;
        failures.iter().map(|it| it.findings[0].clause.name()).collect::<Vec<_>>()
    };
    assert!(read(json!({})).is_empty());
    let open =
        json!({ "compliance": true, "contract": true, "bank": true, "collectionAccount": true });
    let account = json!({ "accountNumber": "930000000000", "routingNumber": "021000021" });
    assert!(read(json!({ "onboarding": open, "remittance": account })).is_empty());
    assert_eq!(read(json!({ "onboarding": open })), ["3.onboarding.4.2"]);
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
    let summary = judge(&recording, &Profile::default(), false).summary;
    let found: Vec<_> = summary.failures.iter().map(|one| one.finding().clause.name()).collect();
    assert_eq!(found, ["3.requirement.contract", "2.amounts.forwardedAtPayment"]);
    assert_eq!(summary.failures[0].transcript.steps.len(), 2, "the other business is left out");
    assert_eq!(command(&path).status.code(), Some(1));
}

/// A finding is shown with the exchanges that it needs, and with no other about the same business.
#[test]
fn a_finding_is_shrunk_without_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let body = json!({ "externalId": "acme", "invoiceFaceValue": 1000 });
    let quoted = || ("POST", "/v1/quotes", body.clone(), 200, quote(180));
    let read = |signed| ("GET", "/v1/organizations/acme", Value::Null, 200, business(signed));
    let exchanges = [quoted(), read(false), quoted(), read(true), quoted(), quoted(), read(false)];
    let path = saved(folder.path(), &archive(&exchanges));
    let summary = judge(&Recording::read(&path).unwrap(), &Profile::default(), false).summary;
    let [failure] = &summary.failures[..] else { panic!("{:#?}", summary.failures) };
    assert_eq!(failure.finding().clause.name(), "3.requirement.contract");
    let bodies = failure.answers.iter().map(|(_, seen)| seen.as_ref().unwrap().json().unwrap());
    let signed: Vec<bool> =
        bodies.map(|body| body["onboarding"]["contract"].as_bool().unwrap()).collect();
    assert_eq!(signed, [true, false]);
    assert_eq!((failure.is_small, failure.steps_before), (true, 7));
}

/// A request that cannot be judged makes the judge forget only what the request can have changed.
#[test]
fn a_contradiction_survives_a_request_that_cannot_be_judged() {
    let subscribe = |url: &str| {
        let answer =
            json!({ "reference": "whs_1", "url": url, "secret": "whsec_0123456789abcdef" });
        ("POST", "/v1/webhooks", json!({ "url": url }), 201, answer)
    };
    let create = |vendor: &'static str| {
        let answer = json!({ "externalId": vendor, "created": true, "reason": "New." });
        let path =
            if vendor == "acme" { "/v1/organizations/acme" } else { "/v1/organizations/other" };
        ("PUT", path, json!({ "legalName": "Acme Ltd" }), 200, answer)
    };
    let found = |exchanges: &[(&str, &str, Value, u16, Value)]| {
        let folder = tempfile::tempdir().unwrap();
        let recording = Recording::read(&saved(folder.path(), &archive(exchanges))).unwrap();
        let judged = judge(&recording, &Profile::default(), false);
        assert_eq!(judged.summary.steps, exchanges.len() as u64);
        let failures = judged.summary.failures.iter();
        failures.map(|it| it.finding().clause.name()).collect::<Vec<_>>()
    };
    let twice = ["4.businessSync.intro.2"];
    assert_eq!(found(&[create("acme"), create("acme")]), twice);
    let between = [create("acme"), subscribe("http://127.0.0.1:9/x"), create("acme")];
    assert_eq!(found(&between), twice);
    // A response that contradicts what is known of one business says nothing of another.
    let unknown = json!({ "error": "?", "code": "business_not_found" });
    let lost = ("GET", "/v1/organizations/other", Value::Null, 404, unknown);
    assert_eq!(found(&[create("acme"), create("other"), lost, create("acme")])[1..], twice);
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
        assert!(text.contains("3.requirement.contract") && text.contains("…6789"), "{text}");
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
/// No response shows who owes an invoice that was there before the traffic. And a tax id that was sent before it may have
/// made two identifiers one business.
#[test]
fn an_invoice_may_be_owed_by_its_payee() {
    let invoice = json!({
        "externalId": "i", "status": "ISSUED", "faceValue": 50_000, "collected": 0,
        "collectionState": "UNCOLLECTED", "issueDate": "2026-02-01T00:00:00Z",
        "dueDate": "2026-06-01T00:00:00Z", "advance": null, "fundable": false,
        "notFundableReason": "A business cannot finance its own invoice.",
    });
    let party = |name: &str| json!({ "externalId": name, "legalName": "Acme Ltd" });
    let sync = |payor: &str| {
        json!({ "payee": party("acme"), "payor": party(payor), "status": "ISSUED",
            "faceValue": 50_000, "issueDate": "2026-02-01T00:00:00Z", "dueDate": "2026-06-01T00:00:00Z" })
    };
    let updated = json!({ "externalId": "i", "outcome": "updated", "reason": null });
    let asked = json!({ "payeeExternalId": "acme", "invoiceExternalId": "i" });
    let refused = json!({ "error": "no", "code": "self_dealing" });
    let read = ("GET", "/v1/organizations/acme/invoices/i", Value::Null, 200, invoice);
    let advance = ("POST", "/v1/advances", asked, 403, refused);
    let known = ("GET", "/v1/organizations/acme", Value::Null, 200, business(false));
    let traffic = [known, read.clone(), advance.clone(), advance.clone(), read];
    let (code, said) = judged(&archive(&traffic));
    assert_eq!(code, Some(0), "{said}");
    let synced = |payor| ("PUT", "/v1/invoices/i", sync(payor), 200, updated.clone());
    let with = |payor, last| [&traffic[..2], &[synced(payor), last]].concat();
    assert_eq!(judged(&archive(&with("acme", advance.clone()))).0, Some(0));
    assert_eq!(judged(&archive(&with("alias", advance.clone()))).0, Some(0));
    let unknown = json!({ "error": "no", "code": "invoice_not_found" });
    let (code, said) =
        judged(&archive(&with("alias", ("POST", advance.1, advance.2, 404, unknown))));
    assert_eq!(code, Some(1), "{said}");
}

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

fn entries(archive: &mut Value) -> &mut Vec<Value> {
    archive["log"]["entries"].as_array_mut().unwrap()
}

/// The exit code of `judge`, and everything that it prints.
fn judged(archive: &Value) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = command(&saved(folder.path(), archive));
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
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

/// The response to a sync, with the tax id's result in an undocumented form.
fn checked(name: &str) -> Value {
    json!({
        "externalId": name, "created": false, "reason": "In its own words.",
        "taxIdCheck": { "result": "?" },
    })
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

/// However long the retries take as a whole: the pause between two of them says whether they belong together.
#[test]
fn a_stale_read_is_one_with_its_retries() {
    let (shown, acme) = business_read("acme", [true, false, false, false], None);
    let created = json!({ "externalId": "acme", "created": true, "reason": "New." });
    let missing = json!({ "code": "business_not_found", "error": "There is none." });
    let sync = json!({ "legalName": "acme", "taxId": "123456789" });
    let read = |status, answer: &Value| ("GET", &*acme, Value::Null, status, answer.clone());
    let exchanges = [
        ("PUT", &*acme, sync, 200, created),
        read(404, &missing),
        read(404, &missing),
        read(404, &missing),
        read(200, &shown),
    ];
    for (pause, code) in [(7, 0), (70, 1)] {
        let mut archive = archive(&exchanges);
        for (index, entry) in entries(&mut archive).iter_mut().enumerate() {
            let second = index * pause;
            let at = format!("2026-03-01T10:{:02}:{:02}.000Z", second / 60, second % 60);
            entry["startedDateTime"] = at.into();
        }
        let (found, output) = judged(&archive);
        assert_eq!(found, Some(code), "{output}");
    }
}

/// What the request alone decides is judged although nobody knows what was there before.
#[test]
fn a_request_of_a_wrong_form_needs_no_known_state() {
    let subscribes = |url: &str, status, answer| {
        archive(&[("POST", "/v1/webhooks", json!({ "url": url }), status, answer)])
    };
    let accepts = |url: &str| {
        let secret = "whsec_0123456789abcdef";
        subscribes(url, 201, json!({ "reference": "whs_1", "url": url, "secret": secret }))
    };
    let routing = |number: &str| json!({ "accountNumber": "000123456", "routingNumber": number });
    let sets = |number: &str, status, answer| {
        let path = "/v1/organizations/acme/payout-account";
        archive(&[("PUT", path, routing(number), status, answer)])
    };
    let refusal = |code: &str| json!({ "code": code, "error": "No." });
    let public = "https://hooks.acme.example/in";
    for (archive, code, clause) in [
        (accepts("http://hooks.acme.example/in"), 1, "6.subscription.1"),
        (accepts("https://10.0.0.7/in"), 1, "6.subscription.2"),
        (accepts(public), 0, ""),
        (subscribes(public, 409, refusal("already_subscribed")), 0, ""),
        (subscribes(public, 400, refusal("invalid_request")), 1, "7.codes.invalid_request"),
        (sets("021000021", 422, refusal("invalid_routing_number")), 1, ""),
        (sets("021000021", 404, refusal("business_not_found")), 0, ""),
    ] {
        let (found, output) = judged(&archive);
        assert_eq!(found, Some(code), "{output}");
        assert!(output.contains(clause), "{clause}: {output}");
    }
}

/// The journal of a run leads to the same verdict as the run.
#[tokio::test]
async fn the_journal_of_a_correct_service_holds() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--seed", "3", "--cases", "30", "--steps", "40", "--learn", "learned.toml"];
    let judged = judged_again(folder.path(), &more).await;
    assert_eq!(judged.status.code(), Some(0), "{}", String::from_utf8_lossy(&judged.stdout));
    tideover_sim::load_profile(&folder.path().join("learned.toml")).unwrap();
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
    let learned = tideover_sim::load_profile(&again).unwrap();
    assert_eq!(learned.delays, Profile::default().delays);
}

/// Many cases issue keys through the operator port. Each case is judged by its own keys.
#[tokio::test]
async fn keys_of_one_case_do_not_affect_another() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--seed", "2", "--cases", "25", "--steps", "40"];
    let judged = judged_again(folder.path(), &more).await;
    let journal = std::fs::read_to_string(folder.path().join("tideover-journal.jsonl"));
    assert!(journal.unwrap().matches("\"issueKey\"").count() > 5);
    let stdout = String::from_utf8_lossy(&judged.stdout);
    assert_ne!(judged.status.code(), Some(1), "{stdout}");
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
        "--journal",
        "tideover-journal.jsonl",
    ];
    let played = run(&[&check, more].concat()).await.unwrap();
    assert_eq!(played.status.code(), Some(0), "{}", String::from_utf8_lossy(&played.stdout));
    run(&["judge", "tideover-journal.jsonl"]).await.unwrap()
}

/// What is known is bounded: the business that was asked about the longest ago is forgotten, and only it.
#[test]
fn businesses_beyond_the_bound_are_forgotten_one_by_one() {
    const BOUND: usize = 4096;
    let entry = |number: usize, second: usize| {
        let name = format!("v{number}");
        let answer = json!({ "externalId": name, "created": true, "reason": "New." });
        let started = Timestamp::parse("2026-03-01T10:00:00Z").unwrap().after(second as u64);
        json!({
            "startedDateTime": started.to_string(), "time": 1,
            "request": {
                "method": "PUT", "url": format!("https://api.example/v1/organizations/{name}"),
                "headers": [{ "name": "authorization", "value": "Bearer live_sk_recorded" }],
                "postData": { "mimeType": "application/json", "text": "{\"legalName\":\"Acme\"}" },
            },
            "response": {
                "status": 200,
                "content": { "mimeType": "application/json", "text": answer.to_string() },
            },
        })
    };
    let mut entries: Vec<Value> = (0..BOUND + 1).map(|number| entry(number, number)).collect();
    // The first is forgotten, so that it may be new again; the last is known.
    entries.extend([entry(0, BOUND + 1), entry(BOUND, BOUND + 2)]);
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), &json!({ "log": { "version": "1.2", "entries": entries } }));
    let judged = judge(&Recording::read(&path).unwrap(), &Profile::default(), false);
    let failures = &judged.summary.failures;
    assert_eq!((failures.len(), judged.forgotten), (1, 2));
    assert_eq!(failures[0].finding().clause.name(), "4.businessSync.intro.2");
    assert_eq!(failures[0].transcript.steps.len(), 2);
}

/// An invoice that shows another amount than was synced may have been synced by somebody else, unless there is nobody.
#[test]
fn a_lost_update_is_found_if_nobody_else_uses_the_keys() {
    let sync = |amount: i64, outcome: &str| {
        let body = json!({
            "payee": { "externalId": "acme", "legalName": "Acme" },
            "payor": { "externalId": "shop", "legalName": "Shop" },
            "status": "ISSUED", "faceValue": amount,
            "issueDate": "2026-01-01T00:00:00Z", "dueDate": "2036-01-01T00:00:00Z",
        });
        let answer = json!({ "externalId": "INV-1", "outcome": outcome, "reason": null });
        ("PUT", "/v1/invoices/INV-1", body, 200, answer)
    };
    let read = json!({
        "externalId": "INV-1", "status": "ISSUED", "faceValue": 1000, "collected": 0,
        "collectionState": "UNCOLLECTED", "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2036-01-01T00:00:00Z", "advance": null, "fundable": false,
        "notFundableReason": "Not yet.",
    });
    let path = "/v1/organizations/acme/invoices/INV-1";
    let read = ("GET", path, Value::Null, 200, read);
    let folder = tempfile::tempdir().unwrap();
    let exchanges = [sync(1000, "created"), sync(2000, "updated"), read];
    let path = saved(folder.path(), &archive(&exchanges));
    let found = |more: &[&OsStr]| judged_with(&path, more).0;
    assert_eq!((found(&[]), found(&["--alone".as_ref()])), (Some(0), Some(1)));
}

/// The report of an import says which invoices are known from then on.
#[test]
fn a_row_that_is_lost_is_found_if_nobody_else_uses_the_keys() {
    let import = |payee: &str| {
        let file = format!(
            "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
             INV-1,{payee},Acme,Shop,ISSUED,2000,2026-01-01T00:00:00Z,2036-01-01T00:00:00Z\n"
        );
        let row = json!({ "row": 1, "externalId": "INV-1", "payeeExternalId": "acme", "outcome": "created" });
        let report = json!({
            "externalId": "one", "rowCount": 1, "finished": true, "rows": [row],
            "summary": { "created": 1, "updated": 0, "statusOnly": 0, "rejected": 0 },
        });
        ("PUT", "/v1/invoices/imports/one", json!(file), 200, report)
    };
    let read = json!({
        "externalId": "INV-1", "status": "ISSUED", "faceValue": 1000, "collected": 0,
        "collectionState": "UNCOLLECTED", "issueDate": "2026-01-01T00:00:00Z",
        "dueDate": "2036-01-01T00:00:00Z", "advance": null, "fundable": false,
        "notFundableReason": "Not yet.",
    });
    let read = ("GET", "/v1/organizations/acme/invoices/INV-1", Value::Null, 200, read);
    let folder = tempfile::tempdir().unwrap();
    for (payee, expected) in [("acme", Some(1)), ("", Some(0))] {
        let mut archive = archive(&[import(payee), read.clone()]);
        let sent = &mut entries(&mut archive)[0]["request"]["postData"];
        let file: String = serde_json::from_str(sent["text"].as_str().unwrap()).unwrap();
        *sent = json!({ "mimeType": "text/csv", "text": file });
        let path = saved(folder.path(), &archive);
        let (code, printed) = judged_with(&path, &["--alone".as_ref()]);
        assert_eq!(code, expected, "{payee}: {printed}");
        assert_eq!(printed.contains("externalId}: faceValue"), expected == Some(1), "{printed}");
    }
}

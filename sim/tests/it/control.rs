//! The operator port: actions, the clock, and inspection.

use axum::body::Body;
use serde_json::{Value, json};
use tideover_model::{ActionKind, OperationKind, Profile};
use tideover_sim::Mock;

use crate::support::{Caller, invoice, world};

#[tokio::test]
async fn all_actions_are_listed() {
    let actions = Caller::standard().get("/_sim/actions").await.json();
    let names: Vec<_> = ActionKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(actions["actions"], json!(names));
    let described = actions["described"].as_array().unwrap();
    assert_eq!(described.iter().map(|it| &it["action"]).collect::<Vec<_>>(), names);
    let pays = described.iter().find(|it| it["action"] == "payorPays").unwrap();
    let amount =
        json!({ "name": "amount", "type": "integer", "required": true, "meaning": "Cents." });
    assert!(pays["fields"].as_array().unwrap().contains(&amount), "{pays}");
}

/// In the order of the list, each after what must come before it.
#[tokio::test]
async fn the_example_of_each_action_can_be_sent() {
    let caller = Caller::of(&world(Profile { session_links_live: true, ..Profile::default() }));
    let address = json!({ "line1": "1 Quay", "city": "Portland", "state": "OR",
        "postalCode": "97201" });
    let business = json!({ "legalName": "Acme", "contact": { "address": address } });
    caller.put("/v1/organizations/acme", business).await;
    caller.put("/v1/invoices/INV-7", invoice("acme", "globex")).await;
    let invitation = json!({ "externalId": "acme", "email": "ada@acme.example" });
    caller.post("/v1/invitations", invitation).await;
    let business = json!({ "externalId": "acme" });
    let session = caller.post("/v1/onboarding-sessions", business).await.json();
    let actions = caller.get("/_sim/actions").await.json();
    for described in actions["described"].as_array().unwrap() {
        let example = &described["example"];
        if example["action"] == "fundingStarts" {
            let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-7" });
            assert_eq!(caller.post("/v1/advances", names).await.status, 201);
        }
        let answer = caller.act(example.clone()).await;
        assert_eq!(answer.status, 200, "{example}: {answer:?}");
        if let Some(url) = example.get("url") {
            assert_eq!(*url, session["url"]);
        }
    }
}

#[tokio::test]
async fn the_outside_world_carries_an_advance_to_its_end() {
    let caller = Caller::standard();
    caller.onboard().await;
    let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    let act = async |action: &str, more: Value| {
        let mut body = names.clone();
        body["action"] = action.into();
        for (field, value) in more.as_object().into_iter().flatten() {
            body[field] = value.clone();
        }
        caller.act(body).await
    };
    act("payorPays", json!({ "amount": 1 })).await.refused(409, "action_refused");
    let opens = json!({ "action": "collectionAccountOpens", "payeeExternalId": "acme" });
    assert_eq!(caller.act(opens).await.json(), json!({ "applied": true }));
    assert_eq!(caller.post("/v1/advances", names.clone()).await.status, 201);
    assert_eq!(act("fundingStarts", json!({})).await.json(), json!({ "applied": true }));
    assert_eq!(act("fundingCompletes", json!({})).await.json(), json!({ "applied": true }));
    let paid = act("payorPays", json!({ "amount": 1_000_005 })).await;
    assert_eq!(paid.json(), json!({ "applied": 1_000_000, "suspense": 5 }));
    let invoice = caller.get("/v1/organizations/acme/invoices/INV-1").await.json();
    assert_eq!(invoice["advance"]["state"], "REPAID");
    act("fundingStarts", json!({})).await.refused(409, "action_refused");
}

#[tokio::test]
async fn a_bad_action_is_refused_by_its_error() {
    let caller = Caller::standard();
    for (body, status, code) in [
        ("", 400, "unreadable_request"),
        ("{", 400, "unreadable_request"),
        ("{\"action\":\"reset\"} x", 400, "unreadable_request"),
        ("[]", 400, "invalid_request"),
        ("null", 400, "invalid_request"),
        ("{}", 400, "invalid_request"),
        (r#"{"action":7}"#, 400, "invalid_request"),
        (r#"{"action":"reset","payeeExternalId":"acme"}"#, 400, "invalid_request"),
        (r#"{"action":"payorPays"}"#, 400, "invalid_request"),
        (r#"{"action":"upstreamFails","requests":-1}"#, 400, "invalid_request"),
        (r#"{"action":"upstreamFails","requests":1e3}"#, 400, "invalid_request"),
        (r#"{"action":"rob a bank"}"#, 404, "unknown_action"),
        (r#"{"action":"taxIdFoundWrong","payeeExternalId":"acme"}"#, 409, "action_refused"),
        (r#"{"action":"revokeKey","key":"never issued"}"#, 409, "action_refused"),
        (r#"{"action":"vendorOpensSession","url":"x"}"#, 409, "action_refused"),
    ] {
        let answer = caller.bytes("POST", "/_sim/actions", body).await;
        answer.refused(status, code);
    }
}

/// The field, what it expects, what came; and no word that only Rust has.
#[expect(clippy::too_many_lines, reason = "a table of bodies")]
#[tokio::test]
async fn a_wrong_body_is_refused_with_its_field() {
    let mock = Mock::start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let pays = |amount: Value| json!({ "action": "payorPays", "payeeExternalId": "acme", "invoiceExternalId": "I", "amount": amount });
    let route =
        json!({ "action": "vendorConfirmsTaxId", "payeeExternalId": "a", "route": "PHONE" });
    for (path, body, said) in [
        (
            "actions",
            json!([]),
            "the body: expected an object with the name of an action, got an empty list.",
        ),
        ("actions", json!({ "action": 7 }), "action: expected the name of an action, got 7."),
        ("actions", json!({}), "action: expected the name of an action, got nothing."),
        (
            "actions",
            pays(json!("5")),
            "amount: expected a whole number of cents from 1 to 2147483647, got \"5\".",
        ),
        (
            "actions",
            pays(json!(0)),
            "amount: expected a whole number of cents from 1 to 2147483647, got 0.",
        ),
        (
            "actions",
            json!({ "action": "taxIdFoundWrong" }),
            "payeeExternalId: expected a string, got nothing.",
        ),
        (
            "actions",
            json!({ "action": "upstreamFails", "requests": -1 }),
            "requests: expected a whole number, not negative, got -1.",
        ),
        (
            "actions",
            json!({ "action": "upstreamFails" }),
            "requests: expected a whole number, got nothing.",
        ),
        ("actions", route, "route: expected VENDOR_ASSERTION or W9_UPLOAD, got \"PHONE\"."),
        (
            "actions",
            json!({ "action": "issueKey", "platfrom": "x" }),
            "platfrom: no such field. Did you mean platform?",
        ),
        (
            "actions",
            json!({ "action": "reset", "hard": true }),
            "hard: no such field. The only field is repeat.",
        ),
        (
            "clock",
            json!({ "advanceSeconds": "5" }),
            "advanceSeconds: expected a whole number, not negative, got \"5\".",
        ),
        (
            "clock",
            json!({ "advanceTo": "noon" }),
            "advanceTo: expected an instant, such as \"2026-01-31T00:00:00Z\", got \"noon\".",
        ),
        (
            "clock",
            json!({ "advanceSecond": 5 }),
            "advanceSecond: no such field. Did you mean advanceSeconds?",
        ),
        ("clock", json!({ "nextEvent": false }), "nextEvent: expected true, got false."),
        (
            "clock",
            json!({ "nextEvent": true, "untilQuiet": true }),
            "the body: expected an object with one of \
            advanceSeconds, advanceTo, nextEvent, untilQuiet, got several of them.",
        ),
        ("worlds", json!({ "platform": 2 }), "platform: no such field. Did you mean platforms?"),
        (
            "worlds",
            json!({ "platforms": true }),
            "platforms: expected a number of platforms, or a list of their names, got true.",
        ),
        ("worlds", json!({ "platforms": 1001 }), "platforms: expected 1 to 1000, got 1001."),
        ("worlds", json!({ "seed": -1 }), "seed: expected a whole number, not negative, got -1."),
        (
            "worlds",
            json!({ "clock": "stopped" }),
            "clock: expected still or running, got \"stopped\".",
        ),
        ("worlds", json!({ "grease": "yes" }), "grease: expected true or false, got \"yes\"."),
        ("worlds", json!({ "faults": {} }), "faults: expected a list, got an object."),
        (
            "worlds",
            json!({ "scenario": "rich" }),
            "scenario: expected fresh, onboarded, funded, repaid or at-the-limit, got \"rich\".",
        ),
        (
            "worlds",
            json!({ "faults": [{ "act": "answerCut" }] }),
            "faults[0].afterBytes: expected a whole number, not negative, got nothing",
        ),
        (
            "faults",
            json!({ "act": "upstreamFails", "when": "later" }),
            "when: expected beforeCommit or afterCommit, got \"later\"",
        ),
        (
            "faults",
            json!({ "act": "requestRepeated", "percent": 101 }),
            "percent: expected a whole number from 1 to 100, got 101",
        ),
        (
            "deliveries/wait",
            json!({ "patience": 5 }),
            "patience: no such field. Did you mean patienceSeconds?",
        ),
        (
            "deliveries/wait",
            json!({ "patienceSeconds": 3601 }),
            "patienceSeconds: expected a whole number from 0 to 3600, got 3601.",
        ),
        (
            "journal/wait",
            json!({ "filter": { "status": [] } }),
            "filter.status: expected a string or a number, got an empty list.",
        ),
        (
            "journal/wait",
            json!({ "filter": { "after": "x" } }),
            "filter.after: expected the number of a request, such as 17, got \"x\".",
        ),
    ] {
        let answer = caller.post(&format!("/_sim/{path}"), body).await;
        answer.refused(400, "invalid_request");
        assert_eq!(answer.json()["error"], said);
    }
    for (query, start) in [
        ("deliveries?state=lost", "state: expected queued, underWay, "),
        ("deliveries?after=x", "after: expected the number of a delivery, such as 17, got \"x\"."),
        ("journal?operation=steal", "operation: expected get_invoice, "),
        (
            "journal?code=teapot",
            "code: expected a code of an error, such as unauthorized, got \"teapot\".",
        ),
    ] {
        let answer = caller.get(&format!("/_sim/{query}")).await;
        answer.refused(400, "invalid_request");
        let said = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(said.starts_with(start), "{said}");
    }
    // What may be a secret is not repeated.
    let tax_id = json!({ "action": "vendorConfirmsTaxId", "payeeExternalId": "a", "route": "W9_UPLOAD", "taxId": 123_456_789 });
    assert_eq!(caller.act(tax_id).await.json()["error"], "taxId: expected a string, got a number.");
}

#[tokio::test]
async fn an_unknown_path_of_the_port_names_the_nearest() {
    let caller = Caller::standard();
    for (method, path, meant) in [
        ("POST", "/_sim/actoins", " The nearest is POST /_sim/actions."),
        ("GET", "/_sim/journel", " The nearest is GET /_sim/journal."),
        ("DELETE", "/_sim/journal", " The nearest is GET /_sim/journal."),
        ("PATCH", "/_sim/worlds/w2", " The nearest is GET /_sim/worlds/{id}."),
        ("POST", "/_sim/clock/", " The nearest is POST /_sim/clock."),
        ("POST", "/_sim/world/w1/forks", " The nearest is POST /_sim/worlds/{id}/fork."),
        ("POST", "/_sim/deliveries/x/resent", " The nearest is POST /_sim/deliveries/{id}/resend."),
        ("GET", "/_sim/something/else", ""),
        ("GET", "/favicon.ico", ""),
    ] {
        let answer = caller.bytes(method, path, Body::empty()).await;
        answer.refused(404, "unknown_endpoint");
        let said = answer.json()["error"].clone();
        assert_eq!(said, format!("Nothing is served under {method} {path}.{meant}"));
    }
    let answer = caller.get("/api/v1/webhooks").await.json();
    let said = "Nothing is served under GET /api/v1/webhooks. The nearest is GET /v1/webhooks.";
    assert_eq!(answer["error"], said);
    let answer = caller.act(json!({ "action": "payorPay" })).await;
    answer.refused(404, "unknown_action");
    let said =
        r#"there is no action "payorPay"; the nearest is payorPays; GET /_sim/actions lists them"#;
    assert_eq!(answer.json()["error"], said);
}

#[tokio::test]
async fn any_key_ever_issued_identifies_its_platform() {
    let caller = Caller::standard();
    caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    let issue = json!({ "action": "issueKey", "platform": "second" });
    let issued = caller.act(issue).await.json();
    assert_eq!(issued["platform"], "second");
    let second = caller.with_key(issued["key"].as_str().unwrap());
    assert_eq!(second.get("/v1/webhooks").await.status, 200);

    let mark = json!({ "action": "markTestAccount", "externalId": "acme" });
    assert_eq!(caller.act(mark.clone()).await.status, 200);
    second.act(mark.clone()).await.refused(409, "action_refused");

    // Without a name, the caller's key is revoked. It still identifies its platform.
    assert_eq!(second.act(json!({ "action": "revokeKey" })).await.status, 200);
    second.get("/v1/webhooks").await.refused(401, "unauthorized");
    second.act(mark).await.refused(409, "action_refused");
    assert_eq!(second.get("/_sim/clock").await.status, 200);
}

#[tokio::test]
async fn an_unknown_key_gets_no_access() {
    let nobody = Caller::standard().with_key("rap_sk_guessed");
    let reset = json!({ "action": "reset" });
    nobody.act(reset).await.refused(401, "unauthorized");
    nobody.post("/_sim/reset", json!({})).await.refused(401, "unauthorized");
    nobody.post("/_sim/clock", json!({ "advanceSeconds": 1 })).await.refused(401, "unauthorized");
    for path in ["/_sim/clock", "/_sim/journal", "/_sim/deliveries", "/_sim/openapi.json"] {
        nobody.get(path).await.refused(401, "unauthorized");
    }
    assert_eq!(nobody.get("/_sim/health").await.status, 200);
    assert_eq!(nobody.get("/_sim/actions").await.status, 200);
}

#[tokio::test]
async fn a_clock_move_lets_due_things_happen_in_order() {
    let caller = Caller::standard();
    let hook = json!({ "url": "https://hooks.example/" });
    caller.post("/v1/webhooks", hook).await;
    caller.onboard().await;
    assert_eq!(caller.get("/_sim/clock").await.json()["now"], "2026-01-01T00:00:00Z");
    assert_eq!(caller.advance_clock(300).await["now"], "2026-01-01T00:05:00Z");
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(caller.post("/v1/advances", advance).await.status, 201);
    assert_eq!(caller.advance_clock(86_400).await["now"], "2026-01-02T00:05:00Z");

    let deliveries = caller.get("/_sim/deliveries").await.json();
    let queued: Vec<_> = deliveries["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|delivery| delivery["event"] == "partner.invoice.factoredUpdated")
        .map(|delivery| {
            let body = &delivery["body"];
            assert_eq!(delivery["queuedAt"], body["occurredAt"]);
            (delivery["queuedAt"].clone(), body["data"]["state"].clone())
        })
        .collect();
    let expected = [
        ("2026-01-01T00:05:00Z", "REQUESTED"),
        ("2026-01-01T00:05:30Z", "FUNDING"),
        ("2026-01-01T01:05:30Z", "FUNDED"),
    ];
    assert_eq!(queued, expected.map(|(at, state)| (json!(at), json!(state))));
}

#[tokio::test]
async fn the_clock_takes_whole_seconds_and_stops_at_the_last_instant() {
    let caller = Caller::standard();
    for (body, code) in [
        ("", "unreadable_request"),
        ("{\"advanceSeconds\":", "unreadable_request"),
        ("[]", "invalid_request"),
        ("[5]", "invalid_request"),
        ("5", "invalid_request"),
        ("{}", "invalid_request"),
        (r#"{"advanceSeconds":-1}"#, "invalid_request"),
        (r#"{"advanceSeconds":1.0}"#, "invalid_request"),
        (r#"{"advanceSeconds":1e3}"#, "invalid_request"),
        (r#"{"advanceSeconds":-0}"#, "invalid_request"),
        (r#"{"advanceSeconds":"1"}"#, "invalid_request"),
        (r#"{"advanceSeconds":null}"#, "invalid_request"),
        (r#"{"advanceSeconds":18446744073709551616}"#, "invalid_request"),
        (r#"{"advanceSeconds":1,"now":"2026-01-01T00:00:00Z"}"#, "invalid_request"),
    ] {
        caller.bytes("POST", "/_sim/clock", body).await.refused(400, code);
    }
    assert_eq!(caller.advance_clock(0).await["now"], "2026-01-01T00:00:00Z");
    for _ in 0..3 {
        assert_eq!(caller.advance_clock(u64::MAX).await["now"], "9999-12-31T23:59:59Z");
    }
    // The mock still responds at that instant.
    let sync = caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    assert_eq!(sync.status, 200);
    assert_eq!(caller.get("/_sim/health").await.json()["now"], "9999-12-31T23:59:59Z");
}

/// The journal without what the wall clock shows.
async fn timeless(caller: &Caller) -> Value {
    let mut journal = caller.get("/_sim/journal").await.json();
    for entry in journal["entries"].as_array_mut().unwrap() {
        assert!(entry.as_object_mut().unwrap().remove("realTime").unwrap().is_string());
    }
    journal
}

#[tokio::test]
async fn a_reset_restores_the_initial_state() {
    for reset in ["/_sim/reset", "/_sim/actions"] {
        let caller = Caller::standard();
        let story = async || {
            let mut bodies = Vec::new();
            let hook = json!({ "url": "https://hooks.example/" });
            bodies.push(caller.post("/v1/webhooks", hook).await.body);
            caller.onboard().await;
            let issue = json!({ "action": "issueKey", "platform": "second" });
            bodies.push(caller.act(issue).await.body);
            caller.advance_clock(3600).await;
            bodies.push(caller.get("/v1/organizations/acme").await.body);
            bodies.push(caller.get("/_sim/deliveries").await.body);
            bodies.push(timeless(&caller).await.to_string().into());
            bodies
        };
        let first = story().await;
        let asked = match reset {
            "/_sim/actions" => json!({ "action": "reset", "repeat": true }),
            _ => json!({ "repeat": true }),
        };
        assert_eq!(caller.post(reset, asked).await.status, 200);
        assert_eq!(caller.get("/_sim/clock").await.json()["now"], "2026-01-01T00:00:00Z");
        assert_eq!(caller.get("/_sim/journal").await.json()["entries"], json!([]));
        let empty = json!({ "deliveries": [], "next": 0, "dropped": 0 });
        assert_eq!(caller.get("/_sim/deliveries").await.json(), empty);
        assert_eq!(story().await, first);
    }
}

#[tokio::test]
async fn upstream_fails_as_often_as_announced() {
    let caller = Caller::standard();
    caller.act(json!({ "action": "upstreamFails", "requests": 2 })).await;
    // A request refused before it reaches the service does not count.
    caller.get("/nowhere").await.refused(404, "unknown_endpoint");
    caller.post("/v1/quotes", json!([])).await.refused(400, "invalid_request");
    caller.get("/v1/webhooks").await.refused(502, "upstream_failed");
    caller.get("/v1/webhooks").await.refused(502, "upstream_failed");
    assert_eq!(caller.get("/v1/webhooks").await.status, 200);
}

#[tokio::test]
async fn the_journal_shows_each_response_and_its_reason() {
    let caller = Caller::of(&world(Profile { body_limit: 500, ..Profile::default() }));
    caller.advance_clock(7).await;
    caller.get("/v1/webhooks?page=2").await;
    caller.get("/v1/organizations/acme").await;
    caller.get(&format!("/nowhere/{}", "x".repeat(1000))).await;
    caller.with_key("never issued").get("/v1/webhooks").await;
    caller.post("/v1/quotes", json!(["x".repeat(500)])).await;
    caller.get("/_sim/health").await;
    let mut journal = timeless(&caller).await;
    for entry in journal["entries"].as_array_mut().unwrap() {
        for whole in ["number", "query", "request", "response", "events"] {
            entry.as_object_mut().unwrap().remove(whole);
        }
    }
    let entry = |method: &str, path: &str, operation: Value, status: u16, why: [Value; 2]| {
        json!({ "time": "2026-01-01T00:00:07Z", "method": method, "path": path,
            "operation": operation, "status": status, "code": why[0], "clause": why[1],
            "note": null, "fault": null })
    };
    let cut = format!("/nowhere/{}", "x".repeat(256 - "/nowhere/".len()));
    let kind = |kind: OperationKind| json!(kind);
    let list = kind(OperationKind::ListSubscriptions);
    let why = |code: &str, clause: &str| [json!(code), json!(clause)];
    let mut expected = [
        entry("GET", "/v1/webhooks", list.clone(), 200, [Value::Null, json!("4.webhookList.1")]),
        entry(
            "GET",
            "/v1/organizations/acme",
            kind(OperationKind::GetBusiness),
            404,
            why("business_not_found", "7.codes.business_not_found"),
        ),
        entry("GET", &cut, Value::Null, 404, why("unknown_endpoint", "7.codes.unknown_endpoint")),
        entry("GET", "/v1/webhooks", list, 401, why("unauthorized", "5.authentication.3")),
        entry(
            "POST",
            "/v1/quotes",
            kind(OperationKind::Quote),
            413,
            why("payload_too_large", "8.requestBodySize"),
        ),
    ];
    expected[2]["cut"] = json!(["path"]);
    assert_eq!(journal, json!({ "entries": expected, "next": 5, "dropped": 0 }));
}

/// `gap.addressKnown`: journal and errors name the missing parts of an address.
#[tokio::test]
async fn an_incomplete_address_is_reported() {
    let caller = Caller::standard();
    let sync = async |address: Value| {
        let body = json!({ "legalName": "Acme", "contact": { "address": address } });
        assert_eq!(caller.put("/v1/organizations/acme", body).await.status, 200);
        let journal = caller.get("/_sim/journal").await.json();
        journal["entries"].as_array().unwrap().last().unwrap()["note"].clone()
    };
    let refused = async || {
        let opens = json!({ "action": "collectionAccountOpens", "payeeExternalId": "acme" });
        let answer = caller.act(opens).await;
        answer.refused(409, "action_refused");
        answer.json()["error"].as_str().unwrap().to_owned()
    };
    let needs = "the account needs compliance, contract, bank and an address first";
    let lacks = |parts: &str| {
        json!(format!("The address lacks {parts}: no collection account opens with it."))
    };
    assert_eq!(sync(json!({})).await, Value::Null);
    assert_eq!(refused().await, needs);
    let street = json!({ "line1": "1 Harbor Road", "city": " " });
    assert_eq!(sync(street).await, lacks("city, state and postalCode"));
    let why = format!("{needs}: the address lacks city, state and postalCode");
    assert_eq!(refused().await, why);
    assert_eq!(sync(json!({ "city": "Portland", "state": "OR" })).await, lacks("postalCode"));
    assert_eq!(sync(json!({ "postalCode": "97201" })).await, Value::Null);
    assert_eq!(refused().await, needs);
}

/// The address in the signed agreement counts as well.
#[tokio::test]
async fn the_more_complete_address_is_reported() {
    let caller = Caller::standard();
    let address = json!({ "line1": "1 Harbor Road" });
    let business = json!({ "legalName": "Acme", "contact": { "address": address } });
    caller.put("/v1/organizations/acme", business).await;
    let invitation = json!({ "externalId": "acme", "email": "ada@acme.example" });
    caller.post("/v1/invitations", invitation).await;
    let act = async |action: &str, more: Value| {
        let mut body = json!({ "action": action, "payeeExternalId": "acme" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        caller.act(body).await
    };
    act("vendorAcceptsInvitation", json!({ "email": "ada@acme.example" })).await;
    let signed = json!({ "line1": "1 Quay", "city": "Portland", "state": "OR" });
    assert_eq!(act("vendorSignsAgreement", json!({ "address": signed })).await.status, 200);
    let refused = act("collectionAccountOpens", json!({})).await.json();
    assert!(refused["error"].as_str().unwrap().ends_with(": the address lacks postalCode"));
}

#[tokio::test]
async fn journal_and_deliveries_count_dropped_entries() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    for number in 0..1010 {
        let answer =
            caller.put(&format!("/v1/organizations/b{number}"), json!({ "legalName": "B" })).await;
        assert_eq!(answer.status, 200);
    }
    let journal = caller.get("/_sim/journal").await.json();
    assert_eq!(journal["entries"].as_array().map(Vec::len), Some(1000));
    assert_eq!(
        (&journal["dropped"], &journal["entries"][0]["path"]),
        (&json!(11), &json!("/v1/organizations/b10"))
    );

    let deliveries = caller.get("/_sim/deliveries").await.json();
    assert_eq!((&deliveries["next"], &deliveries["dropped"]), (&json!(1010), &json!(10)));
    assert_eq!(deliveries["deliveries"].as_array().map(Vec::len), Some(1000));
    assert_eq!(deliveries["deliveries"][0]["index"], 10);
    let last = caller.get("/_sim/deliveries?after=1009").await.json();
    assert_eq!(last["deliveries"][0]["body"]["data"]["externalId"], "b1009");
    assert_eq!(last["deliveries"].as_array().map(Vec::len), Some(1));
    let none = caller.get("/_sim/deliveries?after=1010").await.json();
    assert_eq!(none, json!({ "deliveries": [], "next": 1010, "dropped": 10 }));
    for wrong in ["x", "-1", "", "1e3", "18446744073709551616"] {
        let path = format!("/_sim/deliveries?after={wrong}");
        caller.get(&path).await.refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_delivery_is_listed_with_its_body() {
    let caller = Caller::standard();
    let hook = caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/x" })).await;
    caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await;
    let delivery = caller.get("/_sim/deliveries?after=2").await.json()["deliveries"][0].take();
    assert_eq!(delivery["subscription"], hook.json()["reference"]);
    assert_eq!(delivery["url"], "https://hooks.example/x");
    assert_eq!(delivery["event"], "partner.invoice.created");
    assert_eq!(delivery["queuedAt"], "2026-01-01T00:00:00Z");
    assert!(delivery["id"].as_str().unwrap().starts_with("dlv_"));
    let about = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(delivery["body"]["data"], about);
}

/// An event about a business has no payee, only the identifier of the business.
#[tokio::test]
async fn deliveries_are_chosen_by_business() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    for business in ["acme", "globex"] {
        let path = format!("/v1/organizations/{business}");
        caller.put(&path, json!({ "legalName": "A business" })).await;
    }
    let listed = caller.get("/_sim/deliveries?payee=acme").await.json();
    let about: Vec<&Value> =
        listed["deliveries"].as_array().unwrap().iter().map(|one| &one["body"]["data"]).collect();
    assert_eq!(about, [&json!({ "externalId": "acme" })]);
}

#[tokio::test]
async fn the_operator_port_has_its_own_body_limit() {
    let caller = Caller::of(&world(Profile { body_limit: 10, ..Profile::default() }));
    for path in ["/_sim/actions", "/_sim/clock"] {
        let within = caller.bytes("POST", path, Body::from("x".repeat(11))).await;
        within.refused(400, "unreadable_request");
        let answer = caller.bytes("POST", path, Body::from("x".repeat((1 << 20) + 1))).await;
        answer.refused(413, "payload_too_large");
    }
}

#[tokio::test]
async fn keys_are_listed_by_platform_and_masked() {
    let caller = Caller::standard();
    let issued = caller.act(json!({ "action": "issueKey", "platform": "other" })).await.json();
    let key = issued["key"].as_str().unwrap();
    caller.act(json!({ "action": "revokeKey", "key": key })).await;
    let listed = caller.get("/_sim/keys").await.json();
    let other = listed["keys"].as_array().unwrap().iter().find(|key| key["platform"] == "other");
    let masked = format!("rap_sk_…{}", &key[key.len() - 4..]);
    assert_eq!(other, Some(&json!({ "platform": "other", "key": masked, "revoked": true })));
    assert!(!listed.to_string().contains(key));
}

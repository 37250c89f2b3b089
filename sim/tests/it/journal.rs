//! The journal: whole exchanges, searched, counted, waited for, and exported.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::{Value, json};
use tideover_model::{Code, OperationKind, Profile, clause};
use tideover_sim::fault::{Act, Rule, When};
use tideover_sim::{JournalFilter, JournalLimits, Mock, Waited, World};

use crate::support::{Answer, Caller, invoice, world};

const PATIENCE: Duration = Duration::from_secs(20);

async fn entries(caller: &Caller, query: &str) -> Vec<Value> {
    let answer = caller.get(&format!("/_sim/journal{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {answer:?}");
    answer.json()["entries"].as_array().unwrap().clone()
}

async fn numbers(caller: &Caller, query: &str) -> Vec<u64> {
    let entries = entries(caller, query).await;
    entries.iter().map(|entry| entry["number"].as_u64().unwrap()).collect()
}

/// Requests 0 to 5: a sync, an invoice, a quote of nobody, a request of another form, an unknown path, and a wrong key.
async fn story(caller: &Caller) {
    let business = json!({ "legalName": "Acme", "taxid": "12-3456789" });
    caller.put("/v1/organizations/acme", business).await;
    caller.put("/v1/invoices/INV-1?trace=7", invoice("acme", "globex")).await;
    caller.post("/v1/quotes", json!({ "externalId": "nobody", "invoiceFaceValue": 5 })).await;
    caller.put("/v1/invoices/INV-2", json!({ "status": "DRAFT" })).await;
    caller.get("/v1/invoice/INV-1").await;
    caller.with_key("rap_sk_guessed").get("/v1/webhooks").await;
}

#[tokio::test]
async fn an_entry_has_the_whole_exchange() {
    let caller = Caller::standard();
    let hook = caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    let sent = invoice("acme", "globex");
    let request = Request::put("/v1/invoices/INV-1?trace=7&trace=8")
        .header(header::AUTHORIZATION, "Bearer rap_sk_local")
        .header(header::COOKIE, "session=0123456789")
        .header("x-trace", "a")
        .header("x-trace", "b")
        .header(header::CONTENT_TYPE, "application/json");
    let answer = caller.send(request.body(Body::from(sent.to_string())).unwrap()).await;
    let [_, mut entry] = <[Value; 2]>::try_from(entries(&caller, "").await).unwrap();
    let body = |text: &str| json!({ "length": text.len(), "text": text });
    assert_eq!(entry["request"]["body"], body(&sent.to_string()));
    let headers = json!({ "authorization": "Bearer rap_sk_…ocal", "cookie": "…6789", "x-trace": "a, b",
        "content-type": "application/json" });
    assert_eq!(entry["request"]["headers"], headers);
    assert_eq!(entry["response"]["body"], body(str::from_utf8(&answer.body).unwrap()));
    let headers = json!({ "content-type": "application/json", "x-content-type-options": "nosniff",
        "tideover-clause": "4.invoiceSync.1" });
    assert_eq!(entry["response"]["headers"], headers);
    assert_eq!(entry["query"], "trace=7&trace=8");
    assert!(entry["realTime"].as_str().unwrap() > "2026-01-01T00:00:00Z");

    let deliveries = caller.get("/_sim/deliveries").await.json();
    let caused: Vec<Value> = deliveries["deliveries"].as_array().unwrap().iter().map(|it| {
        assert_eq!(it["subscription"], hook.json()["reference"]);
        json!({ "index": it["index"], "delivery": it["id"], "id": it["body"]["id"], "type": it["event"] })
    }).collect();
    assert_eq!((caused.len(), entry["events"].take()), (3, json!(caused)));
    assert!(!caller.get("/_sim/journal").await.json().to_string().contains("rap_sk_local"));
}

/// What time itself causes belongs to no request.
#[tokio::test]
async fn due_events_belong_to_no_request() {
    let caller = Caller::standard();
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.onboard().await;
    caller.advance_clock(300).await;
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.post("/v1/advances", advance).await;
    let last = entries(&caller, "?operation=request_advance").await.remove(0);
    let types: Vec<&Value> =
        last["events"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
    assert_eq!(types, ["partner.invoice.factoredUpdated", "partner.loan.created"]);
}

#[tokio::test]
async fn bodies_are_cut_and_the_whole_is_bounded() {
    let limits = JournalLimits { requests: 5, bytes: 4000, body: 1000 };
    let world = world(Profile::default()).journaling(limits);
    let caller = Caller::of(&world);
    let name = "€".repeat(600);
    caller.put("/v1/organizations/long", json!({ "legalName": name })).await;
    let body = &entries(&caller, "").await[0]["request"]["body"];
    assert_eq!((&body["length"], &body["cut"]), (&json!(1816), &json!(true)));
    assert_eq!(body["text"].as_str().unwrap().chars().last(), Some('€'));
    for _ in 0..10 {
        caller.bytes("PUT", "/v1/organizations/b", vec![255; 900]).await;
    }
    let journal = caller.get("/_sim/journal").await.json();
    let kept = journal["entries"].as_array().unwrap();
    assert_eq!((kept.len(), &journal["dropped"], &journal["next"]), (3, &json!(8), &json!(11)));
    assert_eq!(kept[0]["number"], 8);
    let body = &kept[0]["request"]["body"];
    assert!(body["base64"].as_str().unwrap().starts_with("////") && body.get("cut").is_none());
    // Even one that alone is too large is kept.
    let one = JournalLimits { requests: 5, bytes: 1, body: 1000 };
    let caller = Caller::of(&world.journaling(one));
    for number in 0..3 {
        caller.get("/v1/webhooks").await;
        assert_eq!(numbers(&caller, "").await, [number]);
    }
}

#[tokio::test]
async fn a_journal_that_is_off_counts_and_keeps_nothing() {
    let world = world(Profile::default());
    let off = JournalLimits { requests: 0, ..JournalLimits::default() };
    let caller = Caller::of(&world.journaling(off));
    caller.get("/v1/webhooks").await;
    caller.get("/v1/nowhere").await;
    let journal = caller.get("/_sim/journal").await.json();
    assert_eq!(journal, json!({ "entries": [], "next": 2, "dropped": 2 }));
}

/// Whoever repeats a request from the journal must know that it is another one.
#[tokio::test]
async fn what_is_not_kept_is_marked() {
    let caller = Caller::standard();
    let long = "x".repeat(300);
    caller.get(&format!("/v1/organizations/{long}?a={long}")).await;
    caller.get("/v1/webhooks").await;
    let method = "M".repeat(33);
    caller.bytes(&method, "/v1/webhooks", "unread").await;
    let stranger = caller.with_key("rap_sk_guessed");
    stranger.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    stranger.get("/v1/webhooks").await;
    let many = Request::get("/v1/webhooks").header("x-large", "x".repeat(17_000));
    caller.send(many.body(Body::empty()).unwrap()).await;
    let none = Value::Null;
    let expected = [
        (json!(["path", "query"]), none.clone()),
        (none.clone(), none.clone()),
        (json!(["method"]), json!(true)),
        (none.clone(), json!(true)),
        (none.clone(), none.clone()),
        (json!(["headers"]), none.clone()),
    ];
    let seen = entries(&caller, "").await;
    let marks = seen.iter().map(|entry| (entry["cut"].clone(), entry["request"]["unread"].clone()));
    assert_eq!(marks.collect::<Vec<_>>(), expected);
    let archive = caller.get("/_sim/journal.har").await.json();
    let seen = archive["log"]["entries"].as_array().unwrap();
    let marks =
        seen.iter().map(|entry| (entry["_cut"].clone(), entry["request"]["_unread"].clone()));
    assert_eq!(marks.collect::<Vec<_>>(), expected);
    let sizes: Vec<&Value> = seen.iter().map(|entry| &entry["request"]["bodySize"]).collect();
    assert_eq!(sizes, [0, 0, -1, -1, 0, 0]);
}

#[tokio::test]
async fn parameters_choose_among_the_requests() {
    let caller = Caller::standard();
    caller.post("/_sim/faults", json!({ "act": "requestRepeated", "operation": "quote" })).await;
    story(&caller).await;
    caller.csv("up", "externalId,payeeExternalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate\n\
        INV-9,acme,Acme,Globex,ISSUED,5,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z\n").await;
    for (query, chosen) in [
        ("", &[0, 1, 2, 3, 4, 5, 6][..]),
        ("?after=3", &[3, 4, 5, 6]),
        ("?operation=sync_invoice", &[1, 3]),
        ("?status=404", &[2, 4]),
        ("?status=4xx", &[2, 3, 4, 5]),
        ("?code=unauthorized", &[5]),
        ("?clause=4.quotes.6", &[2]),
        ("?clause=4.invoiceSync.1", &[1]),
        ("?path=INV-1", &[1, 4]),
        ("?payee=acme", &[0, 1, 6]),
        ("?payee=nobody", &[2]),
        ("?invoice=INV-1", &[1]),
        ("?invoice=INV-2", &[3]),
        ("?payee=acme&invoice=INV-9", &[6]),
        ("?payee=globex", &[]),
        ("?fault=requestRepeated", &[2]),
        ("?text=DRAFT", &[3]),
        ("?text=statusOnly", &[6]),
        ("?text=", &[0, 1, 2, 3, 4, 5, 6]),
        ("?operation=sync_invoice&status=2xx", &[1]),
    ] {
        assert_eq!(numbers(&caller, query).await, chosen, "{query}");
        let count = caller.get(&format!("/_sim/journal/count{query}")).await.json();
        assert_eq!(count, json!({ "count": chosen.len() }), "{query}");
    }
    for wrong in [
        "after=x",
        "operation=steal",
        "status=x",
        "status=6xx",
        "status=99",
        "code=teapot",
        "clause=9.9",
        "page=2",
    ] {
        for path in ["", "/count", "/unexpected", ".har"] {
            let path = format!("/_sim/journal{path}?{wrong}");
            let answer = caller.get(&path).await;
            answer.refused(400, "invalid_request");
            let name = wrong.split('=').next().unwrap();
            assert!(answer.json()["error"].as_str().unwrap().starts_with(name), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn what_is_unexpected_is_listed() {
    let caller = Caller::standard();
    story(&caller).await;
    let unexpected = caller.get("/_sim/journal/unexpected").await.json();
    let listed: Vec<&Value> =
        unexpected["entries"].as_array().unwrap().iter().map(|it| &it["number"]).collect();
    // Neither the success nor the 404 of a business.
    assert_eq!(listed, [0, 3, 4, 5]);
    let warning = "The field taxid is not known and was ignored. Did you mean taxId?";
    assert_eq!(unexpected["entries"][0]["warnings"], json!([warning]));
    assert_eq!(unexpected["entries"][1].get("warnings"), None);
}

/// Browsers ask for an icon, and whoever mistypes a path of the control plane does not mean the partner API.
#[tokio::test]
async fn what_no_client_of_the_api_sends_is_in_no_journal() {
    let caller = Caller::standard();
    caller.act(json!({ "action": "upstreamFails", "requests": 1 })).await;
    for (method, path) in [
        ("GET", "/"),
        ("HEAD", "/"),
        ("GET", "/favicon.ico"),
        ("GET", "/_sim"),
        ("HEAD", "/_sim/"),
        ("GET", "/_sim/journel"),
        ("PUT", "/_sim/clock"),
        ("OPTIONS", "/_sim/actions"),
        ("GET", "/_sim/page/none.js"),
    ] {
        let answer = caller.bytes(method, path, Body::empty()).await;
        assert_eq!(answer.status, 404, "{method} {path}");
        if method != "HEAD" {
            answer.refused(404, "unknown_endpoint");
        }
        assert!(!answer.headers.contains_key("tideover-clause"), "{method} {path}");
    }
    assert_eq!(entries(&caller, "").await, [Value::Null; 0]);
    for path in ["/_simulated", "/favicon.ico/", "/nowhere"] {
        caller.get(path).await.refused(404, "unknown_endpoint");
    }
    assert_eq!(numbers(&caller, "/unexpected").await, [0, 1, 2]);
}

/// Warnings change no answer.
#[tokio::test]
async fn ignored_fields_are_warned_of() {
    let caller = Caller::standard();
    let warnings = async |answer: Answer| {
        let last = entries(&caller, "").await.pop().unwrap();
        (answer.status, last.get("warnings").cloned().unwrap_or_default())
    };
    let deep = json!({ "legalName": "A", "contact": { "adress": { "city": "P" }, "email": "a@b.example" } });
    let said = "The field contact.adress is not known and was ignored. Did you mean address?";
    let answer = caller.put("/v1/organizations/a", deep).await;
    assert_eq!(warnings(answer).await, (200, json!([said])));

    let odd = json!({ "legalName": "A", "zodiac\n": { "sign": 1 } });
    let said = "The field zodiac\\n is not known and was ignored.";
    let answer = caller.put("/v1/organizations/a", odd).await;
    assert_eq!(warnings(answer).await, (200, json!([said])));

    // Also beside a refusal that it explains.
    let said = "The field legalname is not known and was ignored. Did you mean legalName?";
    let answer = caller.put("/v1/organizations/a", json!({ "legalname": "A" })).await;
    assert_eq!(answer.json()["error"], "legalName is missing.");
    assert_eq!(warnings(answer).await, (400, json!([said])));

    let file =
        "externalId,payeeLegalName,payorLegalName,status,faceValue,issueDate,dueDate,payeeTaxID,\n";
    let said = "The column payeeTaxID is not known and was ignored. Did you mean payeeTaxId?";
    let answer = caller.csv("up", file).await;
    assert_eq!(warnings(answer).await, (200, json!([said])));

    let many: Value = (0..100).map(|n| (format!("f{n}"), json!(n))).collect();
    let answer = caller.put("/v1/organizations/a", many).await;
    let (status, said) = warnings(answer).await;
    assert_eq!((status, said.as_array().map(Vec::len)), (400, Some(16)));
}

/// A request that comes ends the waiting; what is there already counts.
#[tokio::test]
async fn waiting_ends_with_the_last_request_that_is_wanted() {
    let world = world(Profile::default());
    let caller = Caller::of(&world);
    caller.get("/v1/organizations/acme").await;
    let filter =
        JournalFilter::new().operation(OperationKind::GetBusiness).code(Code::BusinessNotFound);
    assert_eq!(
        world.wait_for_requests(&filter, 1, PATIENCE).await,
        Waited { reached: true, count: 1 }
    );
    // Other requests do not count, and none counts twice.
    let early = tokio::select! {
        biased;
        waited = world.wait_for_requests(&filter, 3, PATIENCE) => Some(waited),
        () = async {
            for _ in 0..5 {
                caller.get("/v1/webhooks").await;
                tokio::task::yield_now().await;
            }
        } => None,
    };
    assert_eq!(early, None);
    let (waited, ()) = tokio::join!(world.wait_for_requests(&filter, 3, PATIENCE), async {
        for _ in 0..2 {
            caller.get("/v1/webhooks").await;
            tokio::task::yield_now().await;
            caller.get("/v1/organizations/acme").await;
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(waited, Waited { reached: true, count: 3 });
    assert_eq!(
        world.wait_for_requests(&filter, 4, Duration::ZERO).await,
        Waited { reached: false, count: 3 }
    );

    // A reset starts the count anew.
    let (waited, ()) = tokio::join!(world.wait_for_requests(&filter, 4, PATIENCE), async {
        tokio::task::yield_now().await;
        caller.post("/_sim/reset", json!({})).await;
        for _ in 0..4 {
            caller.get("/v1/organizations/acme").await;
        }
    });
    assert_eq!(waited, Waited { reached: true, count: 4 });
    assert_eq!(world.count_requests(&filter), 4);
}

#[tokio::test]
async fn the_operator_port_waits_for_requests() {
    let caller = Caller::standard();
    let wait = async |body: Value| caller.post("/_sim/journal/wait", body).await;
    let filter = json!({ "operation": "list_subscriptions", "status": 200 });
    let (waited, _) = tokio::join!(wait(json!({ "filter": filter, "count": 2 })), async {
        caller.get("/v1/webhooks").await;
        tokio::task::yield_now().await;
        caller.get("/v1/webhooks").await
    });
    assert_eq!(waited.json(), json!({ "reached": true, "count": 2 }));
    let impatient = json!({ "filter": filter, "count": 3, "patienceSeconds": 0 });
    assert_eq!(wait(impatient).await.json(), json!({ "reached": false, "count": 2 }));
    assert_eq!(wait(json!({})).await.json()["reached"], true);
    for (wrong, start) in [
        (json!([]), "the body: expected an object, got an empty list."),
        (json!({ "count": -1 }), "count: "),
        (json!({ "patienceSeconds": 3601 }), "patienceSeconds: "),
        (json!({ "filter": 3 }), "filter: "),
        (json!({ "filter": { "status": [] } }), "filter.status: "),
        (json!({ "filter": { "status": 7 } }), "filter.status: "),
        (json!({ "filter": { "page": 1 } }), "filter.page: "),
        (json!({ "times": 1 }), "times: "),
    ] {
        let answer = wait(wrong).await;
        answer.refused(400, "invalid_request");
        assert!(answer.json()["error"].as_str().unwrap().starts_with(start), "{answer:?}");
    }
}

#[tokio::test]
async fn the_archive_has_everything_but_secrets() {
    let caller = Caller::standard();
    let hook = caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    let secret = hook.json()["secret"].as_str().unwrap().to_owned();
    story(&caller).await;
    caller.bytes("PUT", "/v1/organizations/b", vec![255; 3]).await;
    let text = caller.get("/_sim/journal.har").await.json();
    let journal = caller.get("/_sim/journal").await.json();
    for shown in [text.to_string(), journal.to_string()] {
        assert!(!shown.contains(&secret) && !shown.contains("rap_sk_local"), "{shown}");
    }
    let log = &text["log"];
    assert_eq!((&log["version"], &log["creator"]["name"]), (&json!("1.2"), &json!("Tideover")));
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 8);
    let sync = &entries[2];
    assert_eq!(sync["request"]["url"], "http://localhost/v1/invoices/INV-1?trace=7");
    assert_eq!(sync["request"]["queryString"], json!([{ "name": "trace", "value": "7" }]));
    let sent = invoice("acme", "globex").to_string();
    assert_eq!(sync["request"]["postData"]["text"], sent);
    assert_eq!(
        (&sync["request"]["bodySize"], &sync["response"]["status"]),
        (&json!(sent.len()), &json!(200))
    );
    assert_eq!(
        (&sync["_clause"], &sync["_virtualTime"]),
        (&json!("4.invoiceSync.1"), &json!("2026-01-01T00:00:00Z"))
    );
    assert_eq!(sync["_events"].as_array().map(Vec::len), Some(2));
    assert_eq!(entries[1]["_warnings"].as_array().map(Vec::len), Some(1));
    let bytes = &entries[7]["request"]["postData"];
    assert_eq!((&bytes["text"], &bytes["_encoding"]), (&json!("////"), &json!("base64")));
    let shown = caller.get("/_sim/journal.har?operation=sync_invoice&status=200").await.json();
    assert_eq!(shown["log"]["entries"], json!([sync]));
}

#[tokio::test]
async fn an_answer_names_its_clause_unless_told_otherwise() {
    let clause_of = |answer: &Answer| {
        answer.headers.get("tideover-clause").map(|it| it.to_str().unwrap().to_owned())
    };
    for (hints, world) in
        [(true, world(Profile::default())), (false, world(Profile::default()).hinting(false))]
    {
        let caller = Caller::of(&world);
        let named = |name: &str| hints.then(|| name.to_owned());
        caller.onboard().await;
        caller.advance_clock(300).await;
        let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
        for (answer, clause) in [
            (caller.get("/v1/organizations/acme").await, "4.business.1"),
            (caller.get("/nowhere").await, "7.codes.unknown_endpoint"),
            (caller.with_key("x").get("/v1/webhooks").await, "5.authentication.3"),
            (caller.post("/v1/advances", advance.clone()).await, "4.advances.1"),
            (caller.post("/v1/advances", advance).await, "4.advances.2.2"),
            (caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await, "3.invoice.2.2"),
            (caller.delete("/v1/webhooks/whs_0").await, "4.webhookDeletion.2"),
        ] {
            assert_eq!(clause_of(&answer), named(clause), "{answer:?}");
        }
        assert_eq!(clause_of(&caller.get("/_sim/clock").await), None);
        let shown = &entries(&caller, "?operation=get_business").await[0];
        let header = shown["response"]["headers"].get("tideover-clause");
        assert_eq!((header.is_some(), &shown["clause"]), (hints, &json!("4.business.1")));
    }
}

#[tokio::test]
async fn all_objections_are_listed() {
    let caller = Caller::standard();
    let objections = async || {
        let listed = caller.get("/_sim/objections?payee=acme&invoice=INV-1").await.json();
        let listed = listed["objections"].as_array().unwrap().clone();
        listed.iter().map(|it| it["clause"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut sync = invoice("acme", "acme");
    sync["status"] = json!("PAID");
    caller.put("/v1/invoices/INV-1", sync).await;
    assert_eq!(
        objections().await,
        [
            "4.advances.4",
            "3.invoice.1",
            "3.onboarding.2.2",
            "3.onboarding.2.2",
            "3.onboarding.2.2",
            "3.onboarding.2.2"
        ]
    );
    let whole = caller.get("/_sim/objections?payee=acme&invoice=INV-1").await.json();
    let first = json!({ "code": "self_dealing", "clause": "4.advances.4",
        "sentence": "The payee and the payor are the same business." });
    assert_eq!(whole["objections"][0], first);

    // Nothing opens the account of a business without an address.
    let waits = &whole["objections"][5]["sentence"];
    assert!(waits.as_str().unwrap().ends_with(" before its whole address is known."), "{waits}");

    caller.onboard().await;
    assert_eq!(objections().await, ["3.onboarding.2.2"]);
    let whole = caller.get("/_sim/objections?payee=acme&invoice=INV-1").await.json();
    let waits = &whole["objections"][0]["sentence"];
    assert!(waits.as_str().unwrap().ends_with(": its collection account is not open."), "{waits}");
    caller.advance_clock(300).await;
    assert_eq!(objections().await, [""; 0]);
    let read = caller.get("/v1/organizations/acme/invoices/INV-1").await.json();
    assert_eq!(read["fundable"], true);
    let advance = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    assert_eq!(caller.post("/v1/advances", advance).await.status, 201);
    assert_eq!(objections().await, ["2.invoice.fundable"]);

    for (query, status, code) in [
        ("?payee=acme", 400, "invalid_request"),
        ("?payee=acme&invoice=INV-1&x=1", 400, "invalid_request"),
        ("?payee=nobody&invoice=INV-1", 404, "business_not_found"),
        ("?payee=acme&invoice=INV-9", 404, "invoice_not_found"),
    ] {
        caller.get(&format!("/_sim/objections{query}")).await.refused(status, code);
    }
}

#[tokio::test]
async fn the_library_asks_as_the_operator_port_does() {
    let mock = Mock::builder().hints(false).start().await.unwrap();
    let client = crate::plain::client();
    let get = async |path: &str| {
        let request = client.get(format!("{}{path}", mock.url())).bearer_auth(mock.api_key());
        request.send().await.unwrap()
    };
    mock.add_fault(Rule {
        nth: Some(2),
        ..Rule::always(Act::UpstreamFails { when: When::BeforeCommit })
    })
    .unwrap();
    let first = get("/v1/organizations/acme").await;
    assert!(!first.headers().contains_key("tideover-clause"));
    get("/v1/webhooks").await;
    let faulty = mock.requests(&JournalFilter::new().fault("upstreamFails.beforeCommit"));
    assert_eq!((faulty.len(), faulty[0].status), (1, Some(502)));
    assert_eq!(faulty[0].clause, Some(clause!("7.codes.upstream_failed")));
    let refused = JournalFilter::new().status_class(4).payee("acme").path("/organizations/");
    assert_eq!(mock.count_requests(&refused), 1);
    assert!(mock.wait_for_requests(&refused, 1, PATIENCE).await.reached);
    assert_eq!(mock.unexpected_requests(), []);
    get("/v1/organisations/acme").await;
    assert_eq!(mock.unexpected_requests()[0].path, "/v1/organisations/acme");
    assert!(mock.objections("acme", "INV-1").is_err());
    assert_eq!(mock.journal().len(), 3);
}

/// `5.authentication.4`: the objections of one platform are not another one's.
#[tokio::test]
async fn objections_have_the_identifiers_of_the_key() {
    let caller = Caller::standard();
    caller.put("/v1/invoices/INV-1", invoice("acme", "globex")).await;
    let issued = caller.act(json!({ "action": "issueKey", "platform": "second" })).await.json();
    let second = caller.with_key(issued["key"].as_str().unwrap());
    let path = "/_sim/objections?payee=acme&invoice=INV-1";
    second.get(path).await.refused(404, "business_not_found");
    assert_eq!(caller.get(path).await.status, 200);
}

/// Two runs with the same requests have the same journal, but for the real time.
#[tokio::test]
async fn real_time_makes_no_difference() {
    let run = async || -> World {
        let world = world(Profile::default());
        story(&Caller::of(&world)).await;
        world
    };
    assert_eq!(run().await.journal(), run().await.journal());
}

//! The document of the operator port, compared with the router and with real answers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use tideover_model::{Altered, Profile, Seeded, Service};
use tideover_sim::{Clock, ClockChoice, Limits, Mock, World};

use super::objections;
use crate::support::{Answer, Caller, invoice, start};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "DELETE", "PATCH"];

/// A route: its method and its path.
type Route = (&'static str, String);

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The paths under `/_sim` that the source gives to a router.
fn routed() -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(file).unwrap();
        let routes = text.split(".route(").skip(1);
        let literals =
            routes.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
        paths.extend(literals.filter(|path| path.starts_with("/_sim")).map(str::to_owned));
    }
    paths
}

fn documented(document: &Value) -> BTreeSet<Route> {
    let mut routes = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let known = METHODS.into_iter().find(|it| it.eq_ignore_ascii_case(method));
            routes.insert((known.expect("a method"), path.clone()));
        }
    }
    routes
}

/// A route that is missing here stands in no document: add it to `sim/src/openapi/operator/routes.rs`.
#[tokio::test]
async fn every_route_is_documented() {
    let caller = Caller::standard();
    let document = caller.get("/_sim/operator.json").await.json();
    let mut served = BTreeSet::new();
    let paths = routed();
    // Not exact: the loop compares each path. This only shows that the reading of `app.rs` finds them.
    assert!(paths.len() >= 14, "{paths:?}");
    for path in paths {
        let named = path.replace("{id}", "1");
        for method in METHODS {
            let answer = caller.begun(method, &named).await;
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            if body["code"] != "unknown_endpoint" {
                served.insert((method, path.clone()));
            }
        }
    }
    assert_eq!(documented(&document), served);
}

/// A caller of the operator port that compares each answer with the document.
struct Operator {
    caller: Caller,
    document: Value,
    /// Routes with the codes of their failures; `None` for a success.
    seen: RefCell<BTreeSet<(Route, Option<String>)>>,
}

impl Operator {
    async fn new() -> Operator {
        let caller = Caller::standard();
        let document = caller.get("/_sim/operator.json").await.json();
        Operator { caller, document, seen: RefCell::default() }
    }

    fn operation(&self, method: &str, path: &str) -> &Value {
        let operation = &self.document["paths"][path][method.to_ascii_lowercase()];
        assert!(operation.is_object(), "{method} {path}");
        operation
    }

    async fn ask(&self, method: &'static str, path: &str, body: impl Into<Body>) -> Value {
        self.ask_of(&self.caller, method, (path, path), body).await
    }

    /// Sends a request to `sent`, a form of `path`.
    async fn ask_of(
        &self,
        caller: &Caller,
        method: &'static str,
        (path, sent): (&str, &str),
        body: impl Into<Body>,
    ) -> Value {
        let answer: Answer = caller.bytes(method, sent, body).await;
        self.check(method, (path, sent), &answer)
    }

    /// Sends what a page of another origin would.
    async fn ask_from_elsewhere(&self, method: &'static str, (path, sent): (&str, &str)) {
        let request = Request::builder().method(method).uri(sent);
        let request = request.header("origin", "http://localhost:3000").body(Body::empty());
        self.check(method, (path, sent), &self.caller.send(request.unwrap()).await);
    }

    /// Sends what a page would whose name leads to the mock.
    async fn ask_by_another_name(&self, method: &'static str, (path, sent): (&str, &str)) {
        let request = Request::builder().method(method).uri(sent);
        let request = request.header("host", "mock.example").body(Body::empty());
        self.check(method, (path, sent), &self.caller.send(request.unwrap()).await);
    }

    /// Compares an answer with the document.
    fn check(&self, method: &'static str, (path, sent): (&str, &str), answer: &Answer) -> Value {
        let response = &self.operation(method, path)["responses"][answer.status.to_string()];
        let content = &response["content"]["application/json"];
        let body = answer.json();
        assert!(content.is_object(), "{method} {sent} does not answer {}: {body}", answer.status);
        let objections = objections(&self.document, &content["schema"], &body);
        assert_eq!(objections, [""; 0], "{method} {sent}: {body}");
        let code = (answer.status != 200).then(|| answer.code());
        if let Some(code) = &code {
            assert!(content["examples"].get(code).is_some(), "{method} {path}: {code}");
        }
        self.seen.borrow_mut().insert(((method, path.to_owned()), code));
        body
    }
}

/// The only route whose answer does not end.
const EVENTS: &str = "/_sim/events";
const RESEND: &str = "/_sim/deliveries/{id}/resend";
const FAULT: &str = "/_sim/faults/{id}";
const WORLD: &str = "/_sim/worlds/{id}";
const FORK: &str = "/_sim/worlds/{id}/fork";
const RESET: &str = "/_sim/worlds/{id}/reset";
const AT: &str = "/_sim/worlds/{id}/at/{entry}";
const DIFF: &str = "/_sim/worlds/{id}/diff";
const PARTING: &str = "/_sim/worlds/{id}/parting";

#[tokio::test]
async fn every_answer_is_as_described() {
    let port = Operator::new().await;
    succeed(&port).await;
    succeed_with_worlds(&port).await;
    fail(&port).await;
    fail_with_worlds(&port).await;
    let seen = port.seen.borrow();
    for route in documented(&port.document) {
        assert!(seen.contains(&(route.clone(), None)), "{route:?} never succeeded");
        let responses = port.operation(route.0, &route.1)["responses"].as_object().unwrap();
        for response in responses.values() {
            let examples = &response["content"]["application/json"]["examples"];
            for code in examples.as_object().into_iter().flat_map(serde_json::Map::keys) {
                // Two moves at once are needed for it.
                let is_rare = route.1 == "/_sim/clock" && code == "action_refused";
                let met = seen.contains(&(route.clone(), Some(code.clone())));
                assert!(met || is_rare, "{route:?} never answered {code}");
            }
        }
    }
}

/// What needs nothing to succeed.
const SIMPLE: [&str; 9] = [
    "actions",
    "clauses",
    "clock",
    "freedoms",
    "health",
    "keys",
    "openapi.json",
    "operator.json",
    "overview",
];

/// Everything that succeeds, with what the answers can have in them.
async fn succeed(port: &Operator) {
    let caller = &port.caller;
    caller.post("/v1/webhooks", json!({ "url": "https://hooks.example/" })).await;
    caller.onboard().await;
    for path in SIMPLE {
        port.ask("GET", &format!("/_sim/{path}"), Body::empty()).await;
    }
    succeed_with_events(port).await;
    let act = async |action: Value| port.ask("POST", "/_sim/actions", action.to_string()).await;
    act(json!({ "action": "collectionAccountOpens", "payeeExternalId": "acme" })).await;
    act(json!({ "action": "issueKey", "platform": "second" })).await;
    let names = json!({ "payeeExternalId": "acme", "invoiceExternalId": "INV-1" });
    caller.post("/v1/advances", names.clone()).await;
    port.ask("POST", "/_sim/clock", r#"{ "advanceSeconds": 3630 }"#).await;
    let mut pays = names;
    pays["action"] = "payorPays".into();
    pays["amount"] = 5.into();
    act(pays).await;
    for (name, example) in port.operation("POST", "/_sim/faults")["requestBody"]["content"]
        ["application/json"]["examples"]
        .as_object()
        .unwrap()
    {
        let added = port.ask("POST", "/_sim/faults", example["value"].to_string()).await;
        assert!(!added["ids"].as_array().unwrap().is_empty(), "{name}");
    }
    caller.get("/v1/organizations/nobody").await;
    caller.get("/nowhere").await;
    caller.put("/v1/invoices/INV-9", invoice("acme", "globex")).await;
    for path in [
        "faults",
        "interventions",
        "journal",
        "deliveries",
        "journal/count",
        "journal/unexpected",
        "journal.har",
    ] {
        let path = format!("/_sim/{path}");
        port.ask("GET", &path, Body::empty()).await;
    }
    let some =
        "/_sim/journal?after=1&operation=sync_invoice&status=2xx&payee=acme&path=INV&text=acme";
    port.ask_of(caller, "GET", ("/_sim/journal", some), Body::empty()).await;
    let wanted = json!({ "filter": { "status": 404 }, "count": 1, "patienceSeconds": 0 });
    port.ask("POST", "/_sim/journal/wait", wanted.to_string()).await;
    let objections = "/_sim/objections?payee=acme&invoice=INV-1";
    port.ask_of(caller, "GET", ("/_sim/objections", objections), Body::empty()).await;
    port.ask_of(caller, "DELETE", (FAULT, "/_sim/faults/1"), Body::empty()).await;
    port.ask("DELETE", "/_sim/faults", Body::empty()).await;
    port.ask_of(caller, "GET", ("/_sim/at/{entry}", "/_sim/at/4?text=a"), Body::empty()).await;
    port.ask_of(caller, "GET", ("/_sim/diff", "/_sim/diff?from=start&to=i2"), Body::empty()).await;
    let some =
        "/_sim/deliveries?after=0&type=partner.loan.paid&payee=acme&invoice=INV-1&state=queued";
    port.ask_of(caller, "GET", ("/_sim/deliveries", some), Body::empty()).await;
    succeed_with_deliveries(port).await;
    port.ask("POST", "/_sim/reset", Body::empty()).await;
}

async fn succeed_with_events(port: &Operator) {
    let streamed = port.caller.begun("GET", EVENTS).await;
    assert_eq!(streamed.headers["content-type"], "text/event-stream");
    assert!(streamed.body.starts_with(b"data: "), "{streamed:?}");
    port.seen.borrow_mut().insert((("GET", EVENTS.to_owned()), None));
}

async fn succeed_with_deliveries(port: &Operator) {
    let caller = &port.caller;
    port.ask("POST", "/_sim/receiver", "any webhook").await;
    let wait = "/_sim/deliveries/wait";
    port.ask("POST", wait, r#"{ "patienceSeconds": 0 }"#).await;
    let listed = port.ask("GET", "/_sim/deliveries", Body::empty()).await;
    let id = listed["deliveries"][0]["id"].as_str().unwrap();
    let resend = format!("/_sim/deliveries/{id}/resend");
    port.ask_of(caller, "POST", (RESEND, &resend), Body::empty()).await;
    let hooks = caller.get("/v1/webhooks").await.json();
    let hook = hooks[0]["reference"].as_str().unwrap();
    caller.bytes("DELETE", &format!("/v1/webhooks/{hook}"), Body::empty()).await;
    port.ask_of(caller, "POST", (RESEND, &resend), Body::empty()).await;
}

/// Worlds, which only a mock makes, and its state file.
async fn succeed_with_worlds(port: &Operator) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let mock = Mock::builder().state(&file).start().await.unwrap();
    let caller = Caller::of_mock(&mock);
    let options = json!({ "scenario": "onboarded", "platforms": 2 }).to_string();
    let worlds = "/_sim/worlds";
    port.ask_of(&caller, "POST", (worlds, worlds), options).await;
    port.ask_of(&caller, "GET", (worlds, worlds), Body::empty()).await;
    port.ask_of(&caller, "POST", (FORK, "/_sim/worlds/w1/fork"), Body::empty()).await;
    port.ask_of(&caller, "POST", (RESET, "/_sim/worlds/w2/reset"), Body::empty()).await;
    port.ask("GET", "/_sim/conduct", Body::empty()).await;
    let conduct = ("/_sim/worlds/{id}/conduct", "/_sim/worlds/w1/conduct?final=true");
    port.ask_of(&caller, "GET", conduct, Body::empty()).await;
    for (path, sent) in [
        (AT, "/_sim/worlds/w1/at/start"),
        (DIFF, "/_sim/worlds/w1/diff?from=start"),
        (PARTING, "/_sim/worlds/w1/parting?with=default"),
    ] {
        port.ask_of(&caller, "GET", (path, sent), Body::empty()).await;
    }
    let read = ("/_sim/worlds/{id}/snapshot", "/_sim/worlds/w1/snapshot");
    port.ask_of(&caller, "GET", read, Body::empty()).await;
    let snapshot = caller.bytes("GET", read.1, Body::empty()).await.body;
    port.ask_of(&caller, "PUT", read, snapshot).await;
    port.ask_of(&caller, "GET", (WORLD, "/_sim/worlds/w1"), Body::empty()).await;
    port.ask_of(&caller, "DELETE", (WORLD, "/_sim/worlds/w1"), Body::empty()).await;
    port.ask_of(&caller, "POST", ("/_sim/save", "/_sim/save"), Body::empty()).await;
    port.ask_of(&caller, "POST", ("/_sim/actions", "/_sim/actions"), {
        json!({ "action": "vendorCompletesOnboarding", "payeeExternalId": "nobody" }).to_string()
    })
    .await;
}

/// A service that cannot be written.
struct Unwritable(Service);

impl Altered for Unwritable {
    type Face = Service;

    fn unaltered(&self) -> &Service {
        &self.0
    }

    fn unaltered_mut(&mut self) -> &mut Service {
        &mut self.0
    }
}

async fn fail_with_worlds(port: &Operator) {
    port.ask("POST", "/_sim/save", Body::empty()).await;
    port.ask("POST", "/_sim/worlds", Body::empty()).await;
    port.ask_of(&port.caller, "DELETE", (WORLD, "/_sim/worlds/default"), Body::empty()).await;
    let snapshot = "/_sim/worlds/{id}/snapshot";
    let own = "/_sim/worlds/default/snapshot";
    port.ask_of(&port.caller, "PUT", (snapshot, own), "{").await;
    let damaged = r#"{"format":"tideover-world","version":3,"checksum":"0","state":{}}"#;
    port.ask_of(&port.caller, "PUT", (snapshot, own), damaged).await;
    let service = Unwritable(Service::new(Profile::default(), Seeded { seed: 1 }));
    let clock = Clock::new(start(), ClockChoice::Still);
    let caller = Caller::of(&World::new(Box::new(service), clock));
    port.ask_of(&caller, "GET", (snapshot, own), Body::empty()).await;
    port.ask_of(&caller, "POST", (FORK, "/_sim/worlds/default/fork"), Body::empty()).await;
    fail_with_entries(port, &caller).await;
}

/// Looks back at what is not kept, in the world of a caller without any states too.
async fn fail_with_entries(port: &Operator, without: &Caller) {
    for (path, named) in [
        ("/_sim/at/{entry}", "/_sim/at/"),
        (AT, "/_sim/worlds/default/at/"),
        ("/_sim/diff", "/_sim/diff?to="),
        (DIFF, "/_sim/worlds/default/diff?to="),
    ] {
        for entry in ["99", "x"] {
            port.ask_of(&port.caller, "GET", (path, &format!("{named}{entry}")), "").await;
        }
        port.ask_of(without, "GET", (path, &format!("{named}start")), "").await;
    }
    port.ask_of(&port.caller, "GET", (PARTING, "/_sim/worlds/default/parting"), "").await;
    for path in [DIFF, PARTING] {
        let sent = path.replace("{id}", "w9");
        port.ask_of(&port.caller, "GET", (path, &sent), "").await;
    }
    let at = r#"{ "at": "i99" }"#;
    port.ask_of(&port.caller, "POST", (FORK, "/_sim/worlds/default/fork"), at).await;
}

/// Everything that does not.
async fn fail(port: &Operator) {
    let nobody = port.caller.with_key("never issued");
    for (method, path) in documented(&port.document) {
        let named = path.replace("{id}", "0").replace("{entry}", "0");
        port.ask_from_elsewhere(method, (&path, &named)).await;
        port.ask_by_another_name(method, (&path, &named)).await;
        let responses = &port.operation(method, &path)["responses"];
        if responses.get("401").is_some() {
            port.ask_of(&nobody, method, (&path, &named), Body::empty()).await;
        }
        if responses.get("404").is_some() && path.contains('{') {
            port.ask_of(&port.caller, method, (&path, &named), Body::empty()).await;
        }
        if responses.get("413").is_some() {
            for body in ["x".repeat((1 << 20) + 1), "{".into(), "[]".into()] {
                port.ask(method, &path, body).await;
            }
        }
    }
    ask_unfit(port).await;
    let objections = "/_sim/objections";
    let of = |query: &str| format!("{objections}?{query}");
    port.ask("GET", objections, "").await;
    let fork = (FORK, "/_sim/worlds/default/fork");
    for body in ["x".repeat((1 << 20) + 1), "{".into(), r#"{ "seed": 1 }"#.into()] {
        port.ask_of(&port.caller, "POST", fork, body).await;
    }
    let reset = (RESET, "/_sim/worlds/default/reset");
    for body in ["x".repeat((1 << 20) + 1), "{".into(), r#"{ "hard": true }"#.into()] {
        port.ask_of(&port.caller, "POST", reset, body).await;
    }
    port.ask_of(&port.caller, "GET", (objections, &of("payee=nobody&invoice=x")), "").await;
    port.caller.put("/v1/organizations/acme", json!({ "legalName": "Acme" })).await;
    port.ask_of(&port.caller, "GET", (objections, &of("payee=acme&invoice=x")), "").await;
    port.ask("POST", "/_sim/actions", r#"{ "action": "payorPay" }"#).await;
    let full = Mock::builder().limits(Limits { waiting: 0, ..Limits::default() });
    let full = Caller::of_mock(&full.start().await.unwrap());
    for (method, path) in
        [("GET", EVENTS), ("POST", "/_sim/journal/wait"), ("POST", "/_sim/deliveries/wait")]
    {
        port.ask_of(&full, method, (path, path), "").await;
    }
    let opens = r#"{ "action": "collectionAccountOpens", "payeeExternalId": "acme" }"#;
    port.ask("POST", "/_sim/actions", opens).await;
    let many = json!({ "rules": vec![json!({ "act": "requestRepeated" }); 101] });
    port.ask("POST", "/_sim/faults", many.to_string()).await;
}

/// Reads with a parameter that has no such value.
async fn ask_unfit(port: &Operator) {
    for path in [
        "deliveries",
        "interventions",
        "journal",
        "journal/count",
        "journal/unexpected",
        "journal.har",
    ] {
        let path = format!("/_sim/{path}");
        let sent = format!("{path}?after=x");
        port.ask_of(&port.caller, "GET", (&path, &sent), "").await;
    }
    for (path, sent) in [
        ("/_sim/conduct", "/_sim/conduct?final=1"),
        ("/_sim/worlds/{id}/conduct", "/_sim/worlds/default/conduct?final=1"),
    ] {
        port.ask_of(&port.caller, "GET", (path, sent), "").await;
    }
}

/// The examples of requests satisfy their schemas.
#[tokio::test]
async fn every_example_is_as_described() {
    let port = Operator::new().await;
    for (method, path) in documented(&port.document) {
        let operation = port.operation(method, &path);
        let content = &operation["requestBody"]["content"]["application/json"];
        for (name, example) in content["examples"].as_object().into_iter().flatten() {
            let objections = objections(&port.document, &content["schema"], &example["value"]);
            assert_eq!(objections, [""; 0], "{method} {path}: {name}");
        }
        let has_body = operation.get("requestBody").is_some();
        assert_eq!(content["examples"].as_object().is_some_and(|it| !it.is_empty()), has_body);
    }
    let text = port.document.to_string();
    for found in text.split("\"$ref\":\"#").skip(1) {
        let reference = &found[..found.find('"').unwrap()];
        assert!(port.document.pointer(reference).is_some(), "{reference} leads nowhere");
    }
}

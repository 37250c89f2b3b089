//! Clients that other people's tools generate from the OpenAPI document: they read what the mock answers, and
//! what a later service may.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use axum::http::{Method, StatusCode, Uri};
use axum::{Json, Router};
use serde_json::{Value, json};
use tideover_exchange::START;
use tideover_model::{ActionKind, OperationKind};

use crate::support::command::serve;
use crate::support::foreign::{home, install_for_node, python, run, skip};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/clients")
}

/// How clients are generated from `api.json` and `operator.json` in their home, and run.
struct Client {
    home: PathBuf,
    generate: Vec<Command>,
    run: Command,
}

/// With `openapi-python-client`.
fn in_python() -> Result<Client, String> {
    let home = home("clients/python");
    let python = python(&home, &fixtures().join("requirements.txt"))?;
    for file in ["client.py", "openapi-python-client.yaml"] {
        std::fs::copy(fixtures().join(file), home.join(file)).unwrap();
    }
    let generate = |document: &str, package: &str| {
        let mut generate = Command::new(&python);
        generate.args(["-m", "openapi_python_client", "generate", "--path", document]);
        generate.args(["--output-path", package, "--meta", "none", "--overwrite"]);
        generate.args(["--config", "openapi-python-client.yaml"]);
        generate
    };
    let generate = [("api.json", "partner"), ("operator.json", "operator_port")]
        .map(|(document, package)| generate(document, package));
    let mut compile = Command::new(&python);
    compile.args(["-m", "compileall", "-q", "partner", "operator_port", "client.py"]);
    let generate = generate.into_iter().chain([compile]).collect();
    let mut run = Command::new(python);
    run.arg("client.py");
    Ok(Client { home, generate, run })
}

/// With `openapi-typescript`, and whatever the compiler has against it.
fn in_typescript() -> Result<Client, String> {
    let home = home("clients/node");
    for file in ["package.json", "client.ts"] {
        std::fs::copy(fixtures().join(file), home.join(file)).unwrap();
    }
    install_for_node(&home)?;
    let node = |script: &str, arguments: &[&str]| {
        let mut command = Command::new("node");
        command.arg(home.join(script)).args(arguments);
        command
    };
    let types = |name: &str| {
        let (document, types) = (format!("{name}.json"), format!("{name}.d.ts"));
        let script = "node_modules/openapi-typescript/bin/cli.js";
        node(script, &[document.as_str(), "--output", types.as_str()])
    };
    let strictly = ["--strict", "--noUncheckedIndexedAccess", "--noEmitOnError", "client.ts"];
    let here = ["--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom"];
    let generate = vec![
        types("api"),
        types("operator"),
        node("node_modules/typescript/bin/tsc", &[&here[..], &strictly].concat()),
    ];
    Ok(Client { generate, run: node("client.js", &[]), home })
}

#[tokio::test]
async fn clients_generated_in_python_play_a_repaid_advance() {
    match in_python() {
        Ok(client) => {
            let home = client.home.clone();
            examine(client).await;
            let tags = std::fs::read_dir(home.join("partner/api")).unwrap();
            let tags: Vec<PathBuf> = tags.map(|tag| tag.unwrap().path()).collect();
            for kind in OperationKind::ALL {
                let module = format!("{}.py", method_of("python", kind));
                assert!(tags.iter().any(|tag| tag.join(&module).is_file()), "{module}");
            }
        }
        Err(why) => skip(&why),
    }
}

#[tokio::test]
async fn clients_generated_in_typescript_play_a_repaid_advance() {
    match in_typescript() {
        Ok(client) => {
            let home = client.home.clone();
            examine(client).await;
            let types = std::fs::read_to_string(home.join("api.d.ts")).unwrap();
            for kind in OperationKind::ALL {
                let operation = method_of("python", kind);
                assert!(types.contains(&format!("\n    {operation}: {{")), "{operation}");
            }
        }
        Err(why) => skip(&why),
    }
}

/// The generators of the largest family, each with the start of what defines a method in it.
const OF_OPENAPI_GENERATOR: [(&str, &str); 4] =
    [("go", ") "), ("java", " "), ("typescript-fetch", "async "), ("python", "def ")];

/// None leaves out an operation, as some do with a body that is no JSON.
#[tokio::test]
async fn every_operation_survives_in_the_clients_of_openapi_generator() {
    let home = home("clients/generator");
    let ready = python(&home, &fixtures().join("openapi-generator.txt"));
    if let Err(why) = ready.and_then(|_| run(Command::new("java").arg("-version"))) {
        return skip(&why);
    }
    let (_served, ready) = serve(&["--clock", "still", "--start", START]);
    let [url, key] = ["baseUrl", "apiKey"].map(|name| ready[name].as_str().unwrap());
    let document = get(&format!("{url}/_sim/openapi.json"), key).await;
    std::fs::write(home.join("api.json"), document.to_string()).unwrap();
    for (generator, before) in OF_OPENAPI_GENERATOR {
        let mut generate = Command::new(home.join("bin/openapi-generator-cli"));
        generate.args(["generate", "-i", "api.json"]);
        generate.args(["-g", generator, "-o", generator]);
        ended_well(generate, &home, &[]).await;
        let source = text_of(&home.join(generator));
        for kind in OperationKind::ALL {
            let name = method_of(generator, kind);
            assert!(source.contains(&format!("{before}{name}(")), "{generator}: {name}");
        }
    }
}

/// The name of the method in a generated client.
fn method_of(generator: &str, kind: OperationKind) -> String {
    let name = format!("{kind:?}");
    match generator {
        "go" => name,
        "python" => json!(kind).as_str().unwrap().to_owned(),
        _ => name[..1].to_lowercase() + &name[1..],
    }
}

/// The text of all files in a folder.
fn text_of(folder: &Path) -> String {
    let of = |path: PathBuf| match path.is_dir() {
        true => text_of(&path),
        false => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
    };
    std::fs::read_dir(folder).unwrap().map(|entry| of(entry.unwrap().path())).collect()
}

/// Generates and runs a client, and returns its report.
async fn examine(Client { home, generate, run }: Client) {
    let (_served, ready) = serve(&["--clock", "still", "--start", START, "--webhooks", "local"]);
    let [url, key] = ["baseUrl", "apiKey"].map(|name| ready[name].as_str().unwrap());
    for (path, file) in [("openapi.json", "api.json"), ("operator.json", "operator.json")] {
        let document = get(&format!("{url}/_sim/{path}"), key).await;
        std::fs::write(home.join(file), document.to_string()).unwrap();
    }
    for command in generate {
        ended_well(command, &home, &[]).await;
    }
    let receiver = served(Router::new().fallback(async || StatusCode::NO_CONTENT)).await;
    let output = ended_well(run, &home, &[url, key, &later().await, &receiver]).await;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let read = get(&format!("{url}/v1/organizations/acme/invoices/INV-7"), key).await;
    reads_the_mock(&report["now"], &read["advance"]);
    reads_what_it_does_not_know(&report["later"]);
    let names: Vec<&str> = ActionKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(report["actions"], json!(names));
}

/// The amounts are those of the advance that there is.
fn reads_the_mock(now: &Value, advance: &Value) {
    let amounts = ["advanceAmount", "feeTotal"].map(|name| advance[name].as_u64().unwrap());
    let [advanced, fee] = amounts;
    assert!(advanced > 0 && fee > 0, "{advance}");
    let first = &now["first"];
    assert!(first["accountNumber"].as_str().is_some_and(|number| !number.is_empty()), "{first}");
    let expected = json!({
        "outcome": "created",
        "imported": ["created"],
        "quoted": false,
        "refused": "business_not_eligible",
        "first": {
            "financeableAmount": 1_000_000,
            "advanceAmount": advanced,
            "feeTotal": fee,
            "forwardedAtPayment": 1_000_000 - advanced - fee,
            "accountNumber": first["accountNumber"],
        },
        "repeat": { "advanceAmount": advanced, "feeTotal": fee },
        "read": { "status": "ISSUED", "state": "REQUESTED" },
        "repaid": {
            "before": "FUNDED",
            "applied": 1_000_000,
            "state": "REPAID",
            "owed": 0,
            "collectionState": "COLLECTED",
        },
        "events": ["REQUESTED", "FUNDING", "FUNDED", "REPAID"],
    });
    assert_eq!(*now, expected);
}

/// `7.shape.3`, `9.versioning.2`
fn reads_what_it_does_not_know(later: &Value) {
    let expected = json!({
        "refused": "not_known_yet",
        "outcome": "notKnownYet",
        "route": "NOT_KNOWN_YET",
        "status": "NOT_KNOWN_YET",
        "collectionState": "NOT_KNOWN_YET",
        "state": "NOT_KNOWN_YET",
        "eventTypes": ["partner.not.known.yet"],
    });
    assert_eq!(*later, expected);
}

async fn get(url: &str, key: &str) -> Value {
    crate::support::plain::client()
        .get(url)
        .bearer_auth(key)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

/// Runs a command to its end, which is to be a good one.
async fn ended_well(command: Command, home: &Path, arguments: &[&str]) -> Output {
    let mut command = tokio::process::Command::from(command);
    command.current_dir(home).args(arguments);
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    let output = command.output().await.unwrap();
    let complaint = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&complaint));
    output
}

/// A service that has added codes and values since; its URL.
async fn later() -> String {
    served(Router::new().fallback(async |method, uri| answer(&method, &uri))).await
}

/// Serves on a port of its own; returns the URL.
async fn served(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async { axum::serve(listener, router).await.unwrap() });
    url
}

fn answer(method: &Method, uri: &Uri) -> (StatusCode, Json<Value>) {
    let path = uri.path();
    let body = match (method.as_str(), path) {
        ("POST", _) => {
            let failure = json!({ "error": "Something new.", "code": "not_known_yet" });
            return (StatusCode::CONFLICT, Json(failure));
        }
        ("PUT", _) => json!({ "externalId": "INV-7", "outcome": "notKnownYet", "reason": null }),
        (_, "/v1/webhooks") => json!([{
            "reference": "whs_1", "url": "https://a.example/", "createdAt": START,
            "eventTypes": ["partner.not.known.yet"],
        }]),
        (_, "/v1/organizations/acme") => business(),
        _ => invoice(),
    };
    (StatusCode::OK, Json(body))
}

fn business() -> Value {
    let onboarding =
        json!({ "compliance": true, "contract": true, "bank": true, "collectionAccount": false });
    json!({
        "externalId": "acme", "name": "Acme Ltd", "taxIdOnFile": true,
        "complianceRoute": "NOT_KNOWN_YET", "onboarding": onboarding, "remittance": null,
    })
}

fn invoice() -> Value {
    let advance = json!({
        "state": "NOT_KNOWN_YET", "advanceAmount": 9, "feeTotal": 1, "amountSent": 0,
        "amountOwed": 0, "requestedAt": START, "fundedAt": null, "repaidAt": null,
    });
    json!({
        "externalId": "INV-7", "status": "NOT_KNOWN_YET", "faceValue": 10, "collected": 0,
        "collectionState": "NOT_KNOWN_YET", "issueDate": START, "dueDate": START,
        "advance": advance, "fundable": false, "notFundableReason": "It is not.",
    })
}

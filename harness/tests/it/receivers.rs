//! Receivers without our code: they verify the mock's webhooks with the official packages of another service
//! that signs in the same way.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reqwest::Client;
use serde_json::{Value, json};
use tideover_endpoint::Http;
use tideover_exchange::Memory;
use tideover_exchange::step::{Action, Call, Step};
use tideover_exchange::target::Target;
use tideover_exchange::{Prepared, START};
use tideover_model::SigningKey;
use tideover_model::signature::{DELIVERY_HEADER, HEADER};
use tideover_model::words::EventType;
use tideover_sim::wall_time;

use crate::support::command::{Served, serve};
use crate::support::foreign::{home, install_for_node, python, skip};
use crate::support::pages::{session, step};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/receivers")
}

/// The receiver in Python, with its packages in an environment of its own.
fn in_python() -> Result<Command, String> {
    let home = home("receivers/python");
    let mut receiver = Command::new(python(&home, &fixtures().join("requirements.txt"))?);
    receiver.arg(fixtures().join("receiver.py"));
    Ok(receiver)
}

/// The receiver in JavaScript, copied next to its packages: Node finds them nowhere else.
fn in_node() -> Result<Command, String> {
    let home = home("receivers/node");
    for file in ["package.json", "receiver.mjs"] {
        std::fs::copy(fixtures().join(file), home.join(file)).unwrap();
    }
    install_for_node(&home)?;
    let mut receiver = Command::new("node");
    receiver.arg(home.join("receiver.mjs"));
    Ok(receiver)
}

#[tokio::test]
async fn a_python_receiver_believes_only_the_mock() {
    match in_python() {
        Ok(receiver) => examine(receiver).await,
        Err(why) => skip(&why),
    }
}

#[tokio::test]
async fn a_node_receiver_believes_only_the_mock() {
    match in_node() {
        Ok(receiver) => examine(receiver).await,
        Err(why) => skip(&why),
    }
}

/// Starts a receiver that ends with the test; returns it and its URL.
fn started(receiver: &mut Command) -> (Served, String) {
    let mut child = receiver.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let Some(url) = line.trim_end().strip_prefix("listening on ") else {
        let mut complaint = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        panic!("{receiver:?} does not listen: {line}{complaint}");
    };
    (Served(child), url.to_owned())
}

/// The mock, as a user serves it. Its clock differs from the receiver's.
struct ServedMock {
    _served: Served,
    target: Http,
}

impl ServedMock {
    fn open() -> ServedMock {
        let (served, startup) =
            serve(&["--webhooks", "local", "--clock", "still", "--start", START]);
        let [url, key] = ["baseUrl", "apiKey"].map(|name| startup[name].as_str().unwrap());
        ServedMock { _served: served, target: Http::new(url, key).unwrap() }
    }

    async fn play(&mut self, step: &Step) -> Value {
        let sent = Prepared::from_step(step, &Memory::default(), self.target.api_key());
        self.target.send(&sent).await.unwrap().json().cloned().unwrap_or_default()
    }

    async fn send(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let call = Call::text(method, path, body.to_string(), "application/json");
        self.play(&Step::new(Action::Call(call))).await
    }

    /// The deliveries, once each of them is done.
    async fn deliveries(&mut self) -> Vec<Value> {
        let patience = json!({ "patienceSeconds": 20 });
        let wait = self.send("POST", "/_sim/deliveries/wait", &patience).await;
        assert_eq!(wait["quiet"], true, "{wait}");
        let body = self.play(&Step::new(Action::Call(Call::bare("GET", "/_sim/deliveries")))).await;
        body["deliveries"].as_array().unwrap().clone()
    }
}

/// The receiver's side.
struct Endpoint {
    client: Client,
    url: String,
    key: SigningKey,
}

impl Endpoint {
    async fn seen(&self) -> Value {
        self.client.get(format!("{}/seen", self.url)).send().await.unwrap().json().await.unwrap()
    }

    /// Posts `body` with these headers; returns the status.
    async fn post(&self, body: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = self.client.post(&self.url).body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap().status().as_u16()
    }

    /// Posts `body` as a delivery, with the signature of `signed` at so many seconds from now.
    async fn post_signed(&self, signed: &str, seconds: i64, body: &str) -> u16 {
        self.post_delivery("dlv_by_hand", signed, seconds, body).await
    }

    /// The same, for the delivery of that name.
    async fn post_delivery(&self, name: &str, signed: &str, seconds: i64, body: &str) -> u16 {
        let at = u64::try_from(wall_time().unix() + seconds).unwrap();
        let signature = self.key.sign(at, signed.as_bytes()).to_string();
        self.post(body, &[(HEADER, &signature), (DELIVERY_HEADER, name)]).await
    }
}

async fn examine(mut receiver: Command) {
    let folder = tempfile::tempdir().unwrap();
    let secret_file = folder.path().join("secret.txt");
    let (_receiver, url) = started(receiver.arg(&secret_file).arg("0"));
    let mut mock = ServedMock::open();
    let subscribed = mock.send("POST", "/v1/webhooks", &json!({ "url": url })).await;
    let secret = subscribed["secret"].as_str().unwrap();
    std::fs::write(&secret_file, secret).unwrap();
    let client = crate::support::plain::client();
    let endpoint = Endpoint { client, url, key: SigningKey::new(secret) };
    believes_the_mock(&mut mock, &endpoint).await;
    processes_each_once(&mut mock, &endpoint).await;
    distinguishes_vendors(&endpoint).await;
    refuses_forgeries(&endpoint).await;
}

/// From an unknown vendor to a repaid advance: events of every kind.
async fn believes_the_mock(mock: &mut ServedMock, endpoint: &Endpoint) {
    for (command, _) in session() {
        mock.play(&step(&command)).await;
        // Python's server has room for five connections that wait.
        mock.deliveries().await;
    }
    let deliveries = mock.deliveries().await;
    for delivery in &deliveries {
        assert_eq!(delivery["state"], "accepted", "{delivery}");
        assert_eq!(delivery["attempts"].as_array().unwrap().len(), 1, "{delivery}");
        assert_eq!(delivery["attempts"][0]["status"], 204, "{delivery}");
    }
    let seen = endpoint.seen().await;
    let counts = seen["counts"].as_object().unwrap();
    let kinds: BTreeSet<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(kinds, EventType::ALL.map(EventType::name).into(), "each kind, none dropped");
    let processed: u64 = counts.values().filter_map(Value::as_u64).sum();
    assert_eq!(processed, deliveries.len() as u64);
    let held = json!({ "payee": "acme", "invoice": "INV-7", "sequence": 4, "state": "REPAID" });
    assert_eq!(seen["invoices"], json!([held]));
}

/// `6.delivery.3`, `6.delivery.5`
async fn processes_each_once(mock: &mut ServedMock, endpoint: &Endpoint) {
    let before = endpoint.seen().await;
    let first = mock.deliveries().await.swap_remove(0);
    let path = format!("/_sim/deliveries/{}/resend", first["id"].as_str().unwrap());
    let resent = mock.send("POST", &path, &json!({})).await;
    assert_eq!(resent, json!({ "applied": true }));
    let again = mock.deliveries().await.swap_remove(0);
    assert_eq!(again["attempts"][1]["status"], 204, "{again}");
    let stale = json!({
        "type": EventType::FactoredUpdated.name(),
        "sequence": 3,
        "data": { "payeeExternalId": "acme", "invoiceExternalId": "INV-7", "state": "FUNDED" },
    })
    .to_string();
    assert_eq!(endpoint.post_signed(&stale, 0, &stale).await, 204);
    let mut expected = before;
    expected["counts"]["duplicate"] = 1.into();
    expected["counts"]["stale"] = 1.into();
    assert_eq!(endpoint.seen().await, expected);
}

/// `1.general.3`: a sequence that is stale for one vendor's invoice is new for another vendor's.
async fn distinguishes_vendors(endpoint: &Endpoint) {
    let mut expected = endpoint.seen().await;
    let body = json!({
        "type": EventType::FactoredUpdated.name(),
        "sequence": 1,
        "data": { "payeeExternalId": "initech", "invoiceExternalId": "INV-7", "state": "REQUESTED" },
    })
    .to_string();
    assert_eq!(endpoint.post_delivery("dlv_of_another_vendor", &body, 0, &body).await, 204);
    let held =
        json!({ "payee": "initech", "invoice": "INV-7", "sequence": 1, "state": "REQUESTED" });
    expected["invoices"].as_array_mut().unwrap().push(held);
    let count = &mut expected["counts"][EventType::FactoredUpdated.name()];
    *count = (count.as_u64().unwrap() + 1).into();
    assert_eq!(endpoint.seen().await, expected);
}

/// `6.signature.3`, `6.signature.4`
async fn refuses_forgeries(endpoint: &Endpoint) {
    let before = endpoint.seen().await;
    let (body, tampered) = (r#"{"type":"new","amount":1}"#, r#"{"type":"new","amount":9}"#);
    assert_eq!(endpoint.post_signed(body, 0, tampered).await, 400, "tampered");
    assert_eq!(endpoint.post_signed(body, -330, body).await, 400, "too old");
    assert_eq!(endpoint.post_signed(body, 330, body).await, 400, "too far in the future");
    assert_eq!(endpoint.post(body, &[(DELIVERY_HEADER, "dlv_by_hand")]).await, 400, "unsigned");
    let now = u64::try_from(wall_time().unix()).unwrap();
    let forged = SigningKey::new("another").sign(now, body.as_bytes()).to_string();
    // Node's package reads this as the number, and Python's takes the second field for the digest.
    let signed = endpoint.key.sign(now, body.as_bytes()).to_string();
    for signature in [forged, signed.replacen(',', "abc,", 1), format!("{signed}=")] {
        let headers = [(HEADER, signature.as_str()), (DELIVERY_HEADER, "dlv_another")];
        assert_eq!(endpoint.post(body, &headers).await, 400, "{signature}");
    }
    assert_eq!(endpoint.seen().await, before);
    // The signed bodies themselves are fine.
    assert_eq!(endpoint.post_signed(body, -290, body).await, 204, "signed a while ago");
    let headers = [(HEADER, signed.as_str()), (DELIVERY_HEADER, "dlv_another")];
    assert_eq!(endpoint.post(body, &headers).await, 204, "as signed");
}

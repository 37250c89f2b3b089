//! The client for services out there: what it sends, through whom, and what it shows to whom.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use serde_json::json;
use tideover_endpoint::client::{Client, HttpResponse, MOST_BYTES, Outgoing};
use tideover_exchange::Memory;
use tideover_exchange::target::{Applied, Unanswered};
use tideover_exchange::transcript::Header;
use tideover_exchange::{Body, Prepared, PreparedAction, start};
use tideover_model::Profile;
use tideover_sim::Authorities;
use tideover_suite::generate;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

const PATIENCE: Duration = Duration::from_secs(10);
const EMPTY_LIST: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]";

/// The heads of the requests that came.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn hear(&self, head: &str) {
        self.0.lock().unwrap().push(head.to_owned());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A server that answers each request with what `answer` makes of its head; with nothing, it closes.
async fn serve(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> (String, Heard) {
    let answer = Arc::new(answer);
    serve_each(move || {
        let answer = Arc::clone(&answer);
        move |head: &str| answer(head)
    })
    .await
}

/// The same, with an answer of its own for each connection.
async fn serve_each<A>(connected: impl Fn() -> A + Send + 'static) -> (String, Heard)
where
    A: FnMut(&str) -> Vec<u8> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heard = Heard::default();
    let hears = heard.clone();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let (hears, mut answer) = (hears.clone(), connected());
            tokio::spawn(async move {
                while let Some(head) = head(&mut socket).await {
                    hears.hear(&head);
                    let answer = answer(&head);
                    if answer.is_empty() || socket.write_all(&answer).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (url, heard)
}

/// The head of the next request, which is read with its body.
async fn head(socket: &mut TcpStream) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head.push(char::from(socket.read_u8().await.ok()?));
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    socket.read_exact(&mut body).await.ok()?;
    Some(head)
}

fn general(url: &str) -> Client {
    let tls = Authorities::default().client_config().unwrap();
    Client::general(url, PATIENCE, tls, &[]).unwrap()
}

async fn get(client: &Client, path: &str) -> Result<HttpResponse, Unanswered> {
    client.exchange(Outgoing { method: "GET", path, ..Outgoing::default() }).await
}

#[tokio::test]
async fn an_answer_may_be_compressed() {
    const ZIPPED: [u8; 37] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 139, 174, 86, 74, 206, 79, 73, 85, 178, 82, 42, 201, 207,
        73, 81, 170, 141, 5, 0, 72, 49, 1, 182, 17, 0, 0, 0,
    ];
    let (url, heard) = serve(|head| {
        let length = if head.contains("/whole") { ZIPPED.len() } else { ZIPPED.len() - 20 };
        let head = format!("content-encoding: gzip\r\ncontent-length: {length}\r\n\r\n");
        [b"HTTP/1.1 200 OK\r\n", head.as_bytes(), &ZIPPED[..length]].concat()
    })
    .await;
    let client = general(&url);
    let answer = get(&client, "/whole").await.unwrap();
    assert_eq!(answer.seen.json(), Some(&json!([{ "code": "told" }])));
    assert!(heard.take()[0].contains("accept-encoding: gzip\r\n"));
    let broken = get(&client, "/half").await.unwrap_err();
    assert_eq!(broken.applied, Applied::MayBe);
    assert!(broken.why.contains("in the middle of an answer of 200"), "{}", broken.why);
}

#[tokio::test]
async fn both_clients_put_the_same_on_the_wire() {
    let (url, heard) = serve(|_| EMPTY_LIST.to_vec()).await;
    let url = format!("{url}/base/");
    let clients = [general(&url), Client::new(&url, PATIENCE, None).unwrap()];
    let paths = [
        "/v1/organizations/a%2Fb%25%2e",
        "/v1/organizations/%252F%c3%A9/x%2f..%2F",
        "/v1/organizations/~!$&'()*+,;=:@[]",
        "/v1/a//b/",
        "/v1/../x/./y",
        "/v1/%2e%2E/x",
        "/v1/a?b=c%20d&e='f'",
        "/v1/a?",
        "/v1/a|b^c`",
        "/v1/a\\b",
        "/v1/{x}?y={z}",
        "/v1/\"x\"",
        "/v1/ab#c",
        "/v1/é",
        "/v1/a b",
        "/v1/a\tb",
        "x",
        "",
    ];
    for path in paths {
        let mut sent = Vec::new();
        for client in &clients {
            let answered = get(client, path).await;
            let lines = answered.map(|answer| answer.seen.status).map_err(|none| none.applied);
            let line = heard.take().pop().map(|head| head.lines().next().unwrap().to_owned());
            sent.push((lines, line));
        }
        assert_eq!(sent[0], sent[1], "{path}");
    }
    for value in ["Bearer  two  spaces ", "Bearer é", "Bearer a\nb", "Bearer \u{7f}", ""] {
        let mut sent = Vec::new();
        for client in &clients {
            let path = "/v1/webhooks";
            let authorization = Some(value);
            let outgoing = Outgoing { method: "GET", path, authorization, ..Outgoing::default() };
            let applied = client.exchange(outgoing).await.err().map(|none| none.applied);
            let is_own = |line: &&str| line.starts_with("authorization:");
            let head = heard.take().pop();
            sent.push((applied, head.and_then(|it| it.lines().find(is_own).map(str::to_owned))));
        }
        assert_eq!(sent[0], sent[1], "{value:?}");
    }
}

/// None of them is in need of the client by hand, which no proxy lets through: that one takes nothing in gzip.
#[tokio::test]
async fn paths_of_the_generator_arrive_byte_for_byte() {
    let (url, heard) = serve(|_| EMPTY_LIST.to_vec()).await;
    let client = general(&url);
    let header = Header::new(3, start(), Profile::default());
    let steps: Vec<_> = (0..200).flat_map(|case| generate::case(&header, case, 50)).collect();
    let path = |step| match Prepared::from_step(step, &Memory::default(), "k").action {
        PreparedAction::Call(call) => Some(call.path),
        _ => None,
    };
    let paths: BTreeSet<String> = steps.iter().filter_map(path).collect();
    assert!(paths.len() > 100 && paths.iter().any(|path| path.contains('%')), "{}", paths.len());
    for path in paths {
        let answered = get(&client, &path).await.map(|answer| answer.seen.status);
        assert_eq!(answered, Ok(200), "{path}");
        let head = heard.take().pop().unwrap();
        assert!(head.starts_with(&format!("GET {path} HTTP/1.1\r\n")), "{path}: {head}");
        assert!(head.contains("accept-encoding: gzip\r\n"), "{path}: {head}");
    }
}

#[tokio::test]
async fn only_a_failed_connection_means_never_applied() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let refused = get(&general(&format!("http://{free}")), "/v1/x").await.unwrap_err();
    assert_eq!(refused.applied, Applied::Never);
    assert!(refused.why.contains(&format!("GET http://{free}/v1/x: cannot connect: ")));
    assert!(refused.why.contains("refused"), "{}", refused.why);

    let (url, heard) = serve(|head| match head {
        head if head.contains("/closes") => Vec::new(),
        head if head.contains("/nonsense") => b"no such thing\r\n\r\n".to_vec(),
        _ => b"HTTP/1.1 302 Found\r\nlocation: /x\r\nretry-after: 7\r\n\
               date: Thu, 01 Jan 2026 00:00:00 GMT\r\ncontent-length: 0\r\n\r\n"
            .to_vec(),
    })
    .await;
    let client = general(&url);
    for (path, why) in [
        ("/closes", "the connection was closed before an answer came"),
        ("/nonsense", "the answer is not HTTP"),
    ] {
        let unanswered = get(&client, path).await.unwrap_err();
        assert_eq!(unanswered.applied, Applied::MayBe);
        assert!(unanswered.why.contains(why), "{}", unanswered.why);
        assert_eq!(heard.take().len(), 1, "nothing is sent twice");
    }
    let answer = get(&client, "/elsewhere").await.unwrap();
    assert_eq!((answer.seen.status, answer.retry_after.as_deref()), (302, Some("7")));
    assert!(answer.date.is_some());
    assert_eq!(heard.take().len(), 1, "a redirect is not followed");

    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let tls = Authorities::default().client_config().unwrap();
    let client = Client::general(&url, Duration::from_millis(100), tls, &[]).unwrap();
    let unanswered = get(&client, "/v1/x").await.unwrap_err();
    assert_eq!(unanswered.applied, Applied::MayBe);
    assert!(unanswered.why.ends_with("no answer within 100ms"), "{}", unanswered.why);
}

#[tokio::test]
async fn a_body_is_read_up_to_the_limit() {
    const LENGTH: usize = 9 << 20;
    let (url, _) = serve(|_| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {LENGTH}\r\n\r\n");
        [head.as_bytes(), &vec![b'x'; LENGTH]].concat()
    })
    .await;
    let clients = [general(&url), Client::new(&url, PATIENCE, None).unwrap()];
    let [one, other] = [get(&clients[0], "/").await, get(&clients[1], "/").await];
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one, other);
    assert!(matches!(one.seen.body, Body::Other(_)));
}

/// A server may refuse a body before it has read it, and then closes the connection without a word.
#[tokio::test]
async fn no_request_is_lost_after_a_refused_body() {
    let (url, _) = serve_each(|| {
        let mut is_refused = false;
        move |head: &str| match std::mem::replace(&mut is_refused, head.starts_with("PUT")) {
            true => Vec::new(),
            false if is_refused => {
                b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\n[]".to_vec()
            }
            false => EMPTY_LIST.to_vec(),
        }
    })
    .await;
    for client in [general(&url), Client::new(&url, PATIENCE, None).unwrap()] {
        let body = vec![b'x'; (1 << 20) + 1];
        let large = Outgoing { method: "PUT", path: "/", body, ..Outgoing::default() };
        assert_eq!(get(&client, "/").await.unwrap().seen.status, 200);
        assert_eq!(client.exchange(large).await.unwrap().seen.status, 413);
        assert_eq!(get(&client, "/").await.unwrap().seen.status, 200);
    }
}

/// A server that refuses a large body and closes the connection at once has answered.
#[tokio::test]
async fn an_early_refusal_is_read_while_the_body_is_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut head = [0; 64];
            socket.read_exact(&mut head).await.unwrap();
            let refusal = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]";
            socket.write_all(refusal).await.unwrap();
        }
    });
    for client in [general(&url), Client::new(&url, PATIENCE, None).unwrap()] {
        for _ in 0..20 {
            let body = vec![b'x'; 8 << 20];
            let large = Outgoing { method: "PUT", path: "/", body, ..Outgoing::default() };
            assert_eq!(client.exchange(large).await.unwrap().seen.status, 413);
        }
    }
}

/// Few bytes that are many once they are unpacked: a run of one letter that never ends.
fn packed_run(length: usize) -> Vec<u8> {
    const LONGEST: usize = 258;
    // The last block, of fixed codes: the letter, and again and again as much of it as a code can say.
    let codes = (0..length.div_ceil(LONGEST)).map(|_| "1100010100000");
    let bits: Vec<u8> = ["110", "10101000"].into_iter().chain(codes).flat_map(str::bytes).collect();
    let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | (bit - b'0'));
    let head = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3];
    head.into_iter().chain(bits.chunks(8).map(byte)).collect()
}

#[tokio::test]
async fn a_compressed_body_counts_unpacked() {
    let (url, _) = serve(|_| {
        let packed = packed_run(64 << 20);
        assert!(packed.len() < MOST_BYTES / 16);
        let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n";
        let head = format!("{head}content-length: {}\r\n\r\n", packed.len());
        [head.as_bytes(), &packed].concat()
    })
    .await;
    let answer = get(&general(&url), "/").await.unwrap();
    assert_eq!(answer.seen, tideover_exchange::Response::too_long(200, MOST_BYTES));
}

/// A folder with a transcript of one read.
struct Desk {
    folder: tempfile::TempDir,
    story: PathBuf,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let story = folder.path().join("list.jsonl");
        let header = "{\"tideover\":1,\"seed\":1,\"start\":\"2026-01-01T00:00:00Z\"}";
        let list =
            "{\"call\":{\"method\":\"GET\",\"path\":\"/v1/webhooks\"},\"expect\":{\"status\":200}}";
        std::fs::write(&story, format!("{header}\n{list}\n")).unwrap();
        Desk { folder, story }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, name: &str) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_tideover"));
        for proxy in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] {
            command.env_remove(proxy).env_remove(proxy.to_lowercase());
        }
        command.arg(name).env("TIDEOVER_KEY", "rap_sk_k_0123456789").current_dir(self.path());
        command.kill_on_drop(true);
        command
    }

    fn replay(&self, target: &str) -> tokio::process::Command {
        let mut command = self.command("replay");
        command.arg(&self.story).args(["--target", target]);
        command
    }
}

async fn code(command: &mut tokio::process::Command) -> (Option<i32>, String) {
    let output = command.output().await.unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).unwrap())
}

#[tokio::test]
async fn an_environment_proxy_is_never_used_for_loopback() {
    let desk = Desk::new();
    let (proxy, heard) = serve(|_| EMPTY_LIST.to_vec()).await;
    let (near, near_heard) = serve(|_| EMPTY_LIST.to_vec()).await;
    let with_user = proxy.replace("http://", "http://me:pass@");
    let far = code(desk.replay("http://service.invalid").env("HTTP_PROXY", &with_user)).await;
    assert_eq!(far.0, Some(0), "{}", far.1);
    let through = heard.take();
    let of = |start: &str| through.iter().filter(|head| head.starts_with(start)).count();
    assert_eq!(of("GET http://service.invalid/v1/webhooks HTTP/1.1\r\n"), 2);
    assert!(through.iter().all(|head| head.contains("proxy-authorization: Basic bWU6cGFzcw==")));

    let mut spared = desk.replay("http://service.invalid");
    let spared = code(spared.env("HTTP_PROXY", &proxy).env("NO_PROXY", "x.example,.invalid")).await;
    assert_eq!((spared.0, heard.take()), (Some(3), Vec::new()));
    assert!(spared.1.contains("cannot connect") && !spared.1.contains("proxy"), "{}", spared.1);

    let to_near = code(desk.replay(&near).env("ALL_PROXY", &proxy)).await;
    assert_eq!(to_near.0, Some(0), "{}", to_near.1);
    assert_eq!((heard.take(), near_heard.take().is_empty()), (Vec::new(), false));

    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let gone = format!("http://me:pass@{free}");
    let unreached = code(desk.replay("http://service.invalid").env("HTTP_PROXY", gone)).await;
    assert_eq!(unreached.0, Some(3));
    assert!(unreached.1.contains(&format!("through the proxy {free}")), "{}", unreached.1);
    assert!(!unreached.1.contains("pass"), "{}", unreached.1);
}

/// An endpoint of https that speaks HTTP/2 and HTTP/1.1.
struct Secured {
    port: u16,
    ca: PathBuf,
    heard: Heard,
}

impl Secured {
    /// One whose certificate is for `host`, and that asks for the certificate in `client`, if there is one.
    async fn new(folder: &Path, host: &str, client: Option<&CertifiedKey<KeyPair>>) -> Secured {
        let signed = generate_simple_self_signed([host.to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(default_provider());
        let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = match client {
            None => config.with_no_client_auth(),
            Some(client) => {
                let mut roots = RootCertStore::empty();
                roots.add(client.cert.der().clone()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                config.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let mut config = config.with_single_cert(vec![signed.cert.der().clone()], key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let ca = folder.join("ca.pem");
        std::fs::write(&ca, signed.cert.pem()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Heard::default();
        let (acceptor, hears) = (TlsAcceptor::from(Arc::new(config)), heard.clone());
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(list(acceptor.clone(), socket, hears.clone()));
            }
        });
        Secured { port, ca, heard }
    }
}

/// Answers every request over HTTP/2 with an empty list.
async fn list(acceptor: TlsAcceptor, socket: TcpStream, heard: Heard) {
    let socket = match acceptor.accept(socket).into_fallible().await {
        Ok(socket) => socket,
        // What was sent meanwhile is read, so that the alert is not lost when this end is closed.
        Err((_, mut socket)) => {
            let _ = socket.shutdown().await;
            let _ = tokio::io::copy(&mut socket, &mut tokio::io::sink()).await;
            return;
        }
    };
    let shows = socket.get_ref().1.peer_certificates().map_or(0, <[_]>::len);
    let service = service_fn(|request: Request<Incoming>| {
        heard.hear(&format!("{:?} {}, {shows} shown", request.version(), request.uri()));
        std::future::ready(Ok::<_, std::convert::Infallible>(Response::new(Full::new(
            Bytes::from_static(b"[]"),
        ))))
    });
    let http2 = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    let _ = http2.serve_connection(TokioIo::new(socket), service).await;
}

#[tokio::test]
async fn a_client_certificate_works_over_http_2() {
    let desk = Desk::new();
    let own = generate_simple_self_signed(["tideover".to_owned()]).unwrap();
    let secured = Secured::new(desk.path(), "127.0.0.1", Some(&own)).await;
    let (cert, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let file = desk.path().join("own.pem");
    std::fs::write(&file, format!("{cert}{key}")).unwrap();
    let url = format!("https://127.0.0.1:{}", secured.port);
    let with_ca = || {
        let mut command = desk.replay(&url);
        command.arg("--ca").arg(&secured.ca);
        command
    };
    let shown = code(with_ca().arg("--client-cert").arg(&file)).await;
    assert_eq!(shown.0, Some(0), "{}", shown.1);
    let heard = secured.heard.take();
    let expected = format!("HTTP/2.0 {url}/v1/webhooks, 1 shown");
    assert!(heard.len() > 1 && heard.contains(&expected), "{heard:?}");

    let unknown = code(&mut with_ca()).await;
    assert_eq!(unknown.0, Some(3));
    assert!(unknown.1.contains("--client-cert FILE"), "{}", unknown.1);
    let untrusted = code(desk.replay(&url).arg("--client-cert").arg(&file)).await;
    assert_eq!(untrusted.0, Some(3));
    assert!(untrusted.1.contains("--ca FILE trusts a private authority"), "{}", untrusted.1);
    assert!(secured.heard.take().is_empty());
}

#[tokio::test]
async fn a_tunnel_leads_through_a_proxy_to_https() {
    let desk = Desk::new();
    let secured = Secured::new(desk.path(), "service.invalid", None).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let (tunnels, port) = (Heard::default(), secured.port);
    let hears = tunnels.clone();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            hears.hear(&head(&mut socket).await.unwrap());
            let mut there = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            tokio::spawn(async move {
                let _ = tokio::io::copy_bidirectional(&mut socket, &mut there).await;
            });
        }
    });
    let mut command = desk.replay("https://service.invalid");
    let replayed = code(command.arg("--ca").arg(&secured.ca).env("https_proxy", proxy)).await;
    assert_eq!(replayed.0, Some(0), "{}", replayed.1);
    assert!(!secured.heard.take().is_empty());
    let asked = tunnels.take();
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|head| head.starts_with("CONNECT service.invalid:443 HTTP/1.1\r\n")));
}

#[tokio::test]
async fn an_extra_header_arrives_and_is_printed_nowhere() {
    let desk = Desk::new();
    // What is asked comes back in the answer, but for the list that the run begins with.
    let (url, heard) = serve(|head| {
        let printed = head.replace(['\r', '\n', '"'], " ");
        let printed = json!({ "error": printed, "code": "organization_not_found" }).to_string();
        if head.starts_with("GET /v1/webhooks ") {
            return EMPTY_LIST.to_vec();
        }
        format!("HTTP/1.1 500 Broken\r\ncontent-length: {}\r\n\r\n{printed}", printed.len()).into()
    })
    .await;
    std::fs::write(
        desk.path().join("live.toml"),
        format!(
            "target = \"{url}\"\nheader = [\"X-Gateway-Key: Token gw-0123456789abcdef\", \
             \"x-tenant: $TENANT\"]\n"
        ),
    )
    .unwrap();
    let mut command = desk.command("check");
    command.args(["--config", "live.toml", "--requests-per-second", "1000", "--cases", "3"]);
    command.args(["--account", "acme-test", "--html", "report.html"]);
    command.args(["--journal", "tideover-journal.jsonl"]);
    let (status, printed) = code(command.env("TENANT", "tenant-of-mine-77")).await;
    assert_eq!(status, Some(1), "{printed}");
    let heard = heard.take();
    assert!(heard.iter().all(|head| {
        head.contains("x-gateway-key: Token gw-0123456789abcdef\r\n")
            && head.contains("x-tenant: tenant-of-mine-77\r\n")
    }));
    let read = |name| std::fs::read_to_string(desk.path().join(name)).unwrap();
    let (journal, html) = (read("tideover-journal.jsonl"), read("report.html"));
    assert!(journal.contains("x-gateway-key") && journal.contains("…cdef"), "{journal}");
    assert!(printed.contains("headers   x-gateway-key, x-tenant"), "{printed}");
    assert!(html.contains("HEADER_1") && html.contains("HEADER_2"));
    for text in [&journal, &html, &printed] {
        assert!(!text.contains("gw-0123456789") && !text.contains("tenant-of-mine"), "{text}");
    }
    let again = code(
        desk.command("check")
            .args(["--target", &url, "--cases", "3"])
            .args(["--header", "X-Gateway-Key: gw-0123456789abcdef", "--header=X-Tenant:$TENANT"])
            .env("TENANT", "tenant-of-mine-77")
            .args(["--requests-per-second", "1000"]),
    )
    .await;
    assert!(again.1.contains("--header 'X-Gateway-Key: $HEADER_1'"), "{}", again.1);
    assert!(again.1.contains("--header 'X-Tenant: $TENANT'"), "{}", again.1);
}

#[tokio::test]
async fn a_wrong_option_gets_one_line() {
    let desk = Desk::new();
    let own = generate_simple_self_signed(["tideover".to_owned()]).unwrap();
    let other = generate_simple_self_signed(["tideover".to_owned()]).unwrap();
    let (cert, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    for (name, text) in [
        ("own.pem", format!("{key}{cert}")),
        ("none.pem", "nothing".to_owned()),
        ("half.pem", cert.clone()),
        ("mixed.pem", cert + &other.signing_key.serialize_pem()),
    ] {
        std::fs::write(desk.path().join(name), text).unwrap();
    }
    let (http, https) = ("http://127.0.0.1:1", "https://127.0.0.1:1");
    for (target, option, value, why) in [
        (https, "--client-cert", "gone.pem", "client-cert: gone.pem: No such file"),
        (https, "--client-cert", "none.pem", "no certificate in PEM form"),
        (https, "--client-cert", "half.pem", "no private key"),
        (https, "--client-cert", "mixed.pem", "not that of the first certificate"),
        (http, "--client-cert", "own.pem", "needs a target of https"),
        (http, "--header", "s3cret", "header: expected a name, a colon and a value"),
        (http, "--header", "X-Key: s3cret\u{1}", "header: the value of x-key"),
        (http, "--header", "X-Key:", "header: x-key has no value"),
        (http, "--header", "authorization: Bearer s3cret", "set TIDEOVER_KEY"),
        (http, "--header", "X-Key: $NOT_SET_AT_ALL", "NOT_SET_AT_ALL is not set"),
    ] {
        let (status, printed) = code(desk.replay(target).args([option, value])).await;
        assert_eq!(status, Some(2), "{printed}");
        assert!(printed.contains(why) && printed.lines().count() == 1, "{printed}");
        assert!(!printed.contains("s3cret"), "{printed}");
    }
}

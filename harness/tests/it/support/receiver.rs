//! A receiver as an integrator would write it, with one fault at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::serve::Listener;
use serde_json::Value;
use tideover_model::signature::{DELIVERY_HEADER, HEADER};
use tideover_model::words::{AdvanceState, EventType};
use tideover_model::{SigningKey, Timestamp};
use tideover_sim::wall_time;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::server::TlsStream;

pub(crate) const SECRET: &str = "whsec_5e2c";

/// What is wrong with a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    BelievesAnything,
    RefusesEverything,
    WritesBodiesAgain,
    BelievesTheFuture,
    AnswersGone,
    BelievesWithoutHeader,
    ReadsNumbersUpToTheFirstLetter,
    ComparesTheBeginning,
    Redirects,
    Hangs,
    HangsOnTheLastEvent,
    KnowsItsEvents,
    KnowsItsStates,
    KnowsItsFields,
    TakesSmallBodies,
    TakesWhatIsNew,
    NeedsTheAdvanceFirst,
    FailsOnDuplicates,
    TakesDuplicates,
    TakesStaleSequences,
    TakesTheSameSequence,
    KnowsInvoicesByTheirNameAlone,
}

/// A running receiver.
pub(crate) struct Receiver {
    pub(crate) port: u16,
    shared: Arc<Shared>,
    served: tokio::task::JoinHandle<()>,
}

struct Shared {
    fault: Fault,
    key: SigningKey,
    /// The file to which it writes its actions.
    file: Option<PathBuf>,
    memory: Mutex<Memory>,
    requested: Notify,
}

#[derive(Default)]
struct Memory {
    deliveries: BTreeSet<String>,
    sequences: BTreeMap<(String, String), u64>,
    advances: BTreeSet<String>,
    /// Its actions, one per line.
    done: Vec<String>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.served.abort();
    }
}

impl Receiver {
    pub(crate) async fn start(fault: Fault, file: Option<PathBuf>) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        Receiver::serve(fault, file, listener, port)
    }

    /// A correct receiver that speaks TLS for `localhost`, and its certificate in PEM form.
    pub(crate) async fn start_tls() -> (Receiver, String) {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![signed.cert.der().clone()], key)
            .unwrap();
        let sockets = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = sockets.local_addr().unwrap().port();
        let listener = TlsListener { sockets, acceptor: TlsAcceptor::from(Arc::new(config)) };
        (Receiver::serve(Fault::None, None, listener, port), signed.cert.pem())
    }

    fn serve<L>(fault: Fault, file: Option<PathBuf>, listener: L, port: u16) -> Receiver
    where
        L: Listener<Addr = SocketAddr>,
    {
        let shared = Arc::new(Shared {
            fault,
            key: SigningKey::new(SECRET),
            file,
            memory: Mutex::default(),
            requested: Notify::new(),
        });
        shared.write_down();
        let limit = if fault == Fault::TakesSmallBodies { 64 << 10 } else { 1 << 20 };
        let router = Router::new()
            .route("/hooks", axum::routing::post(receive))
            .layer(DefaultBodyLimit::max(limit))
            .with_state(Arc::clone(&shared));
        let served = tokio::spawn(async { axum::serve(listener, router).await.unwrap() });
        Receiver { port, shared, served }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hooks", self.port)
    }

    /// Waits for a request.
    pub(crate) async fn requested(&self) {
        self.shared.requested.notified().await;
    }

    /// How many deliveries it accepted.
    pub(crate) fn deliveries(&self) -> usize {
        self.shared.memory.lock().unwrap().deliveries.len()
    }
}

struct TlsListener {
    sockets: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (socket, address) = self.sockets.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(socket).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.sockets.local_addr()
    }
}

async fn receive(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, [(&'static str, &'static str); 1]) {
    shared.requested.notify_one();
    let last = EventType::AdvancePaid.name().as_bytes();
    let is_last = || body.windows(last.len()).any(|part| part == last);
    if shared.fault == Fault::Hangs || shared.fault == Fault::HangsOnTheLastEvent && is_last() {
        std::future::pending::<()>().await;
    }
    (shared.answer(&headers, &body), [("location", "https://example.com/")])
}

impl Shared {
    fn answer(&self, headers: &HeaderMap, body: &[u8]) -> StatusCode {
        let value = |name| headers.get(name).map(|value| value.as_bytes());
        match self.fault {
            Fault::BelievesAnything => return StatusCode::OK,
            Fault::RefusesEverything => return StatusCode::UNAUTHORIZED,
            Fault::Redirects => return StatusCode::PERMANENT_REDIRECT,
            _ => {}
        }
        if !self.believes(value(HEADER), body) {
            let gone = self.fault == Fault::AnswersGone;
            return if gone { StatusCode::GONE } else { StatusCode::UNAUTHORIZED };
        }
        let Ok(event) = serde_json::from_slice::<Value>(body) else {
            return StatusCode::BAD_REQUEST;
        };
        let delivery = String::from_utf8(value(DELIVERY_HEADER).unwrap().to_vec()).unwrap();
        let answer = self.take(delivery, &event);
        self.write_down();
        answer
    }

    fn believes(&self, header: Option<&[u8]>, body: &[u8]) -> bool {
        let now = u64::try_from(wall_time().unix()).unwrap();
        let is_valid =
            |header: Option<&[u8]>, body: &[u8], now| self.key.verify(header, body, now).is_ok();
        let header_as_text = || String::from_utf8(header.unwrap_or_default().to_vec()).unwrap();
        match self.fault {
            Fault::WritesBodiesAgain => is_valid(header, &written_again(body), now),
            Fault::BelievesTheFuture => {
                [now, now + 300, now + 600].into_iter().any(|now| is_valid(header, body, now))
            }
            Fault::BelievesWithoutHeader if header.is_none() => true,
            Fault::ReadsNumbersUpToTheFirstLetter => {
                let header = up_to_the_first_letter(&header_as_text());
                is_valid(Some(header.as_bytes()), body, now)
            }
            Fault::ComparesTheBeginning => {
                let header = header_as_text();
                let right = self.key.sign(now, body).to_string();
                let right_before = self.key.sign(now - 1, body).to_string();
                is_valid(Some(header.as_bytes()), body, now)
                    || [right, right_before].iter().any(|right| {
                        let shorter = right.len().min(header.len());
                        shorter > 40 && right[..shorter] == header[..shorter]
                    })
            }
            _ => is_valid(header, body, now),
        }
    }

    fn take(&self, delivery: String, event: &Value) -> StatusCode {
        let kind = event["type"].as_str().unwrap();
        let invoice = event["data"]["invoiceExternalId"].as_str().unwrap_or_default().to_owned();
        let mut memory = self.memory.lock().unwrap();
        let is_fit = match self.fault {
            Fault::KnowsItsEvents => EventType::ALL.iter().any(|event| event.name() == kind),
            Fault::KnowsItsStates => event["data"]["state"].as_str().is_none_or(|state| {
                AdvanceState::ALL.iter().any(|known| serde_json::json!(known) == state)
            }),
            Fault::KnowsItsFields => !event.to_string().contains("tideoverReceiverCheck\":"),
            Fault::TakesWhatIsNew => {
                let occurred = Timestamp::parse(event["occurredAt"].as_str().unwrap()).unwrap();
                occurred.whole_seconds_until(wall_time()) < 300
            }
            Fault::NeedsTheAdvanceFirst => {
                kind != "partner.loan.issued" || memory.advances.contains(&invoice)
            }
            _ => true,
        };
        if !is_fit {
            return StatusCode::UNPROCESSABLE_ENTITY;
        }
        if !memory.deliveries.insert(delivery) {
            match self.fault {
                Fault::FailsOnDuplicates => return StatusCode::INTERNAL_SERVER_ERROR,
                Fault::TakesDuplicates => {}
                _ => return StatusCode::NO_CONTENT,
            }
        }
        if let Some(sequence) = event["sequence"].as_u64() {
            let payee = match self.fault {
                Fault::KnowsInvoicesByTheirNameAlone => "",
                _ => event["data"]["payeeExternalId"].as_str().unwrap(),
            };
            let pair = (payee.to_owned(), invoice.clone());
            let newest = memory.sequences.entry(pair).or_default();
            let is_newer = match self.fault {
                Fault::TakesStaleSequences => true,
                Fault::TakesTheSameSequence => sequence >= *newest,
                _ => sequence > *newest,
            };
            if !is_newer {
                return StatusCode::NO_CONTENT;
            }
            *newest = sequence;
        }
        memory.done.push(format!("{kind} {invoice} {}", event["data"]["state"]));
        // In the document's order, an event of these kinds is the first to name an advance.
        if kind == "partner.invoice.factoredUpdated" || kind == "partner.loan.created" {
            memory.advances.insert(invoice);
        }
        StatusCode::NO_CONTENT
    }

    fn write_down(&self) {
        if let Some(file) = &self.file {
            std::fs::write(file, self.memory.lock().unwrap().done.join("\n")).unwrap();
        }
    }
}

/// A body after parsing and serialising, with its keys in their order.
fn written_again(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(body.to_vec()).unwrap();
    text.replace("\" : ", "\":").replace("\\u002e", ".").trim_end().as_bytes().to_vec()
}

/// A header as `parseInt` and `Buffer.from(…, "hex")` read it.
fn up_to_the_first_letter(header: &str) -> String {
    let (t, v1) = header.split_once(",v1=").unwrap_or((header, ""));
    let digits = t.trim_start_matches("t=");
    let end = digits.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(digits.len());
    let v1 = v1.split(|digit: char| !digit.is_ascii_hexdigit()).next().unwrap_or_default();
    format!("t={},v1={v1}", &digits[..end])
}

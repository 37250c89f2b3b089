//! HTTP to one base URL, over connections that are used again: one request at a time on each.
//!
//! Whether a request that was not answered may have been applied is told: it was never sent, or it may be.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, DATE, HOST, HeaderName, RETRY_AFTER,
    USER_AGENT,
};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Position, Url};

use crate::target::{Seen, Unanswered};

/// Bytes of a body that are read.
pub const MOST_BYTES: usize = 8 << 20;

const AGENT: &str = concat!("tideover/", env!("CARGO_PKG_VERSION"));

type Sender = SendRequest<Full<Bytes>>;

/// A client of one base URL. Clones share its connections.
#[derive(Clone)]
pub struct Client {
    base: Arc<Base>,
    idle: Arc<Mutex<Vec<Sender>>>,
    patience: Duration,
}

struct Base {
    /// As it was given, to be named in messages.
    text: String,
    url: Url,
    tls: Option<TlsConnector>,
}

/// A request, but for the base URL.
#[derive(Clone, Debug, Default)]
pub struct Outgoing<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, encoded, and the query.
    pub path: &'a str,
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer, and what of its headers is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Incame {
    /// What was seen of it.
    pub seen: Seen,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    /// The `Date` header, whoever has set it.
    pub date: Option<SystemTime>,
}

impl Client {
    /// A client of `base_url`, which waits `patience` for an answer; `tls` is for https.
    ///
    /// # Errors
    /// What is wrong with the URL.
    pub fn new(
        base_url: &str,
        patience: Duration,
        tls: Option<Arc<ClientConfig>>,
    ) -> Result<Client, String> {
        let text = base_url.trim_end_matches('/').to_owned();
        let url = Url::parse(&text).map_err(|error| format!("{text}: {error}"))?;
        if url.host().is_none() || !matches!(url.scheme(), "http" | "https") {
            return Err(format!("{text}: expected a URL of http:// or https://"));
        }
        let tls = match tls {
            Some(tls) => Some(TlsConnector::from(tls)),
            None if url.scheme() == "https" => return Err(format!("{text}: no TLS was set up")),
            None => None,
        };
        let base = Arc::new(Base { text, url, tls });
        Ok(Client { base, idle: Arc::default(), patience })
    }

    /// The base URL.
    pub fn base_url(&self) -> &str {
        &self.base.text
    }

    /// Sends a request and waits for the answer. Redirects are not followed.
    ///
    /// # Errors
    /// [`Unanswered`]; nothing is sent a second time.
    pub async fn exchange(&self, outgoing: Outgoing<'_>) -> Result<Incame, Unanswered> {
        let (method, path) = (outgoing.method.to_owned(), outgoing.path.to_owned());
        self.attempt(outgoing).await.map_err(|unanswered| Unanswered {
            why: format!("{method} {}{path}: {}", self.base.text, unanswered.why),
            ..unanswered
        })
    }

    async fn attempt(&self, outgoing: Outgoing<'_>) -> Result<Incame, Unanswered> {
        let mut request = self.base.request(outgoing)?;
        // A connection that the other side has closed meanwhile gives the request back.
        while let Some(sender) = self.idle() {
            match self.send(sender, request).await {
                Sent::Ended(answer) => return answer,
                Sent::NotSent(returned, _) => request = *returned,
            }
        }
        let sender = self.connect().await?;
        match self.send(sender, request).await {
            Sent::Ended(answer) => answer,
            Sent::NotSent(_, why) => Err(Unanswered::never(why)),
        }
    }

    fn idle(&self) -> Option<Sender> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|sender| !sender.is_closed())
    }

    async fn connect(&self) -> Result<Sender, Unanswered> {
        match timeout(self.patience, self.base.connect()).await {
            Ok(connected) => connected.map_err(Unanswered::never),
            Err(_) => Err(Unanswered::never(format!("no connection within {:?}", self.patience))),
        }
    }

    async fn send(&self, mut sender: Sender, request: Request<Full<Bytes>>) -> Sent {
        let exchange = async {
            if sender.ready().await.is_err() {
                return Err((Some(request), "the connection was closed".to_owned()));
            }
            match sender.try_send_request(request).await {
                Ok(response) => Ok(response),
                Err(mut error) => {
                    let returned = error.take_message();
                    Err((returned, in_words(error.error())))
                }
            }
        };
        let read = async {
            match exchange.await {
                Err((Some(request), why)) => Sent::NotSent(Box::new(request), why),
                Err((None, why)) => Sent::Ended(Err(Unanswered::may_be(why))),
                Ok(response) => Sent::Ended(read(response).await),
            }
        };
        let sent = match timeout(self.patience, read).await {
            Ok(sent) => sent,
            Err(_) => {
                let why = format!("no answer within {:?}", self.patience);
                return Sent::Ended(Err(Unanswered::may_be(why)));
            }
        };
        if matches!(sent, Sent::Ended(Ok(_))) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        }
        sent
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.base.text)
    }
}

enum Sent {
    Ended(Result<Incame, Unanswered>),
    /// The request itself, which never went over the wire.
    NotSent(Box<Request<Full<Bytes>>>, String),
}

impl Base {
    fn request(&self, outgoing: Outgoing<'_>) -> Result<Request<Full<Bytes>>, Unanswered> {
        let path = format!("{}{}", self.url.path().trim_end_matches('/'), outgoing.path);
        let mut request = Request::builder()
            .method(outgoing.method)
            .uri(path)
            .header(HOST, &self.url[Position::BeforeHost..Position::AfterPort])
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, "*/*")
            .header(ACCEPT_ENCODING, "identity");
        if let Some(authorization) = outgoing.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if let Some(content_type) = outgoing.content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let request = request.body(Full::new(Bytes::from(outgoing.body)));
        request.map_err(|error| Unanswered::never(format!("it cannot be sent: {error}")))
    }

    async fn connect(&self) -> Result<Sender, String> {
        let port = self.url.port_or_known_default().unwrap_or(80);
        let socket = match self.url.host() {
            Some(Host::Ipv4(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Ipv6(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Domain(name)) => TcpStream::connect((name, port)).await,
            None => return Err("it has no host".into()),
        };
        let socket = socket.map_err(|error| format!("cannot connect: {error}"))?;
        // Without it a small request may wait for an acknowledgement; it is only slower.
        let _ = socket.set_nodelay(true);
        match &self.tls {
            Some(tls) if self.url.scheme() == "https" => {
                let name = ServerName::try_from(self.server_name())
                    .map_err(|_| "no certificate can be for this host".to_owned())?;
                let socket = tls.connect(name, socket).await.map_err(|error| {
                    format!("no TLS with it: {error} (--ca FILE trusts a private authority)")
                })?;
                shake_hands(socket).await
            }
            _ => shake_hands(socket).await,
        }
    }

    fn server_name(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        host.trim_start_matches('[').trim_end_matches(']').to_owned()
    }
}

async fn shake_hands<S>(socket: S) -> Result<Sender, String>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) =
        http1::handshake(TokioIo::new(socket)).await.map_err(|error| in_words(&error))?;
    // It ends with an error when the connection does: then whoever waits for an answer is told.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

/// Reads an answer, as far as it is read.
async fn read(mut response: Response<Incoming>) -> Result<Incame, Unanswered> {
    let status = response.status().as_u16();
    let header = |name: HeaderName| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let retry_after = header(RETRY_AFTER);
    let date = header(DATE).and_then(|date| httpdate::parse_http_date(&date).ok());
    let mut body = Vec::new();
    while let Some(frame) = response.frame().await {
        let frame = frame.map_err(|error| {
            let why = in_words(&error);
            Unanswered::may_be(format!(
                "the connection ended in the middle of an answer of {status}: {why}"
            ))
        })?;
        let Ok(data) = frame.into_data() else { continue };
        body.extend_from_slice(&data);
        if body.len() > MOST_BYTES {
            return Ok(Incame { seen: Seen::too_long(status, MOST_BYTES), retry_after, date });
        }
    }
    Ok(Incame { seen: Seen::new(status, &body), retry_after, date })
}

fn in_words(error: &hyper::Error) -> String {
    if error.is_parse() || error.is_parse_too_large() || error.is_parse_status() {
        format!("the answer is not HTTP: {}", causes(error))
    } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        "the connection was closed before an answer came".to_owned()
    } else {
        causes(error)
    }
}

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

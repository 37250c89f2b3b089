//! Connections to the other side.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HeaderValue;
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Position, Url};

use crate::copy::Unreached;
use crate::proxy::tap::Tap;

/// How long to try to connect.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long an unused connection is kept. Servers close theirs after five seconds or more; a request that meets the close
/// would be lost.
const KEPT: Duration = Duration::from_secs(3);

pub(super) type Sender = SendRequest<Tap>;

/// Where requests go.
#[derive(Clone)]
pub struct Target {
    url: Url,
    host: HeaderValue,
    tls: Option<TlsConnector>,
    idle: Arc<Mutex<Vec<(Sender, Instant)>>>,
}

/// A URL that cannot be a target. The user gives another.
#[derive(Debug, thiserror::Error)]
pub enum InvalidTarget {
    #[error("{0}: {1}")]
    NoUrl(String, url::ParseError),
    #[error("{0}: expected a URL of http:// or https://, such as http://localhost:4010")]
    Scheme(String),
    #[error("{0}: a URL with a user, a query or a fragment cannot be a target")]
    TooMuch(String),
}

impl Target {
    /// The service, or the receiver, at `url`, over TLS with `tls` if it is https.
    ///
    /// # Errors
    /// [`InvalidTarget`]: no URL, another scheme, more than a host and a path.
    pub fn new(url: &str, tls: Arc<ClientConfig>) -> Result<Target, InvalidTarget> {
        let text = url.to_owned();
        let url = match Url::parse(url) {
            Err(error) => return Err(InvalidTarget::NoUrl(text, error)),
            Ok(url) => url,
        };
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(InvalidTarget::Scheme(text));
        }
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidTarget::TooMuch(url[Position::BeforeHost..].to_owned()));
        }
        let host = HeaderValue::from_str(&url[Position::BeforeHost..Position::AfterPort]);
        let host = host.map_err(|_| InvalidTarget::Scheme(text))?;
        let tls = (url.scheme() == "https").then(|| TlsConnector::from(tls));
        Ok(Target { url, host, tls, idle: Arc::default() })
    }

    /// The URL, without a slash at its end.
    pub fn url(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// Whether requests would come back to this address of this machine.
    pub fn is_at(&self, address: SocketAddr) -> bool {
        let is_here = match self.url.host() {
            Some(Host::Ipv4(host)) => {
                address.ip() == host || host.is_loopback() && address.ip().is_unspecified()
            }
            Some(Host::Ipv6(host)) => {
                address.ip() == host || host.is_loopback() && address.ip().is_unspecified()
            }
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        is_here && self.url.port_or_known_default() == Some(address.port())
    }

    pub(super) fn host(&self) -> &HeaderValue {
        &self.host
    }

    /// The path of a request there.
    pub(super) fn uri(&self, path: &str) -> Option<Uri> {
        let base = self.url.path().trim_end_matches('/');
        if base.is_empty() { path.parse().ok() } else { format!("{base}{path}").parse().ok() }
    }

    /// Sends a request. Returns the response, and the connection, which can be used again after it.
    pub(super) async fn send(
        &self,
        mut request: Request<Tap>,
    ) -> Result<(Response<Incoming>, Sender), Unreached> {
        // The other side may have closed a connection meanwhile. Then hyper returns the request unsent.
        while let Some(mut sender) = self.take_idle() {
            if sender.ready().await.is_err() {
                continue;
            }
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, sender)),
                Err(mut error) => match error.take_message() {
                    Some(returned) => request = returned,
                    None => return Err(Unreached::NoAnswer(in_words(error.error()))),
                },
            }
        }
        let mut sender = match timeout(PATIENCE, self.connect()).await {
            Ok(connected) => connected.map_err(Unreached::NotSent)?,
            Err(_) => {
                let why = format!("no connection within {PATIENCE:?}");
                return Err(Unreached::NotSent(why));
            }
        };
        let response = sender.send_request(request).await;
        let unanswered = |error| Unreached::NoAnswer(in_words(&error));
        response.map(|response| (response, sender)).map_err(unanswered)
    }

    /// Keeps a connection for the next request.
    pub(super) fn keep(&self, sender: Sender) {
        if !sender.is_closed() {
            self.lock().push((sender, Instant::now()));
        }
    }

    fn take_idle(&self) -> Option<Sender> {
        let mut idle = self.lock();
        idle.retain(|(sender, since)| !sender.is_closed() && since.elapsed() < KEPT);
        idle.pop().map(|(sender, _)| sender)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Sender, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self) -> Result<Sender, String> {
        let port = self.url.port_or_known_default().unwrap_or(80);
        let socket = match self.url.host() {
            Some(Host::Ipv4(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Ipv6(address)) => TcpStream::connect((address, port)).await,
            Some(Host::Domain(name)) => TcpStream::connect((name, port)).await,
            None => return Err("it has no host".to_owned()),
        };
        let socket = socket.map_err(|error| format!("cannot connect: {error}"))?;
        // Without it a small request may wait for an acknowledgement. An error only makes it slower.
        let _ = socket.set_nodelay(true);
        let Some(tls) = &self.tls else { return shake_hands(socket).await };
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host)
            .map_err(|_| "no certificate can be for this host".to_owned())?;
        let socket = tls.connect(name, socket).await;
        shake_hands(socket.map_err(|error| format!("no TLS: {error}"))?).await
    }
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Target({})", self.url())
    }
}

async fn shake_hands<S>(socket: S) -> Result<Sender, String>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::Builder::new()
        .preserve_header_case(true)
        .handshake(TokioIo::new(socket))
        .await
        .map_err(|error| in_words(&error))?;
    // The request that waits gets the error of the connection as well.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(sender)
}

fn in_words(error: &hyper::Error) -> String {
    let because = std::error::Error::source(error).map(|it| format!(": {it}")).unwrap_or_default();
    format!("no answer: {error}{because}")
}

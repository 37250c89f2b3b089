//! One POST of a delivery, to exactly the address that was checked: a client library that resolved the name again could
//! be led to another one. It follows no redirect, for the same reason.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tideover_model::destination::Unfit;
use tideover_model::{Destinations, signature};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::{Host, Position, Url};

use crate::deliveries::Headers;
use crate::sending::resolver::Resolver;
use crate::sending::tls::{Authorities, Tls, TlsError};

/// How much of a response's body is read, and ignored, before the rest does not matter. Bytes.
const READ_AT_MOST: usize = 1 << 16;

const AGENT: &str = concat!("tideover/", env!("CARGO_PKG_VERSION"));
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Why an attempt got no response.
#[derive(Debug, thiserror::Error)]
pub enum Unsent {
    /// The destination is not allowed.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// There is no address to connect to.
    #[error("the host name does not resolve: {0}")]
    Unresolved(io::Error),
    /// The connection failed.
    #[error("cannot connect to {0}: {1}")]
    Unconnected(SocketAddr, io::Error),
    /// The TLS connection failed.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The subscription ended while the connection was being made.
    #[error("the subscription ended before it was sent")]
    Withdrawn,
    /// It was sent, at least in part, but no response came.
    #[error("the connection ended before an answer came: {0}")]
    Broken(hyper::Error),
    /// A response with this status began, but did not end.
    #[error("the connection ended in the middle of an answer of {0}: {1}")]
    HalfAnswered(u16, hyper::Error),
    /// The response is not HTTP.
    #[error("the answer is not HTTP: {0}")]
    Garbled(hyper::Error),
    /// HTTP can't represent the request.
    #[error("it cannot be sent: {0}")]
    Unsendable(#[from] axum::http::Error),
}

/// A delivery to send.
#[derive(Clone, Debug)]
pub struct Letter {
    pub(crate) url: Arc<str>,
    pub(crate) headers: Headers,
    pub(crate) body: Arc<[u8]>,
}

/// The headers of an attempt, except those of the connection.
pub(crate) fn headers(delivery: &str, signature: Option<String>) -> Headers {
    let mut headers = Headers::from([
        ("Content-Type", "application/json".to_owned()),
        ("User-Agent", AGENT.to_owned()),
        (signature::DELIVERY_HEADER, delivery.to_owned()),
    ]);
    headers.extend(signature.map(|value| (signature::HEADER, value)));
    headers
}

impl Letter {
    /// A delivery of the raw `body` to `url`, with the identifier `delivery`. The service always signs.
    pub fn new(url: &str, delivery: &str, signature: Option<String>, body: Arc<[u8]>) -> Letter {
        Letter { url: url.into(), headers: headers(delivery, signature), body }
    }

    /// The letter as a request to the host of its URL.
    pub(crate) fn into_request(self) -> Result<Request<Body>, Unsent> {
        let url = Url::parse(&self.url).map_err(|_| Unfit::NotAUrl)?;
        Ok(request(&url, self)?)
    }
}

/// Sends deliveries.
pub struct Sender {
    resolver: Arc<dyn Resolver>,
    tls: Tls,
}

impl Sender {
    /// A sender that resolves names with `resolver`, and trusts `authorities` in addition to the system's.
    pub fn new(resolver: Arc<dyn Resolver>, authorities: Authorities) -> Sender {
        Sender { resolver, tls: Tls::new(authorities) }
    }

    /// Sends a letter, if `is_wanted` returns true once the connection is established. Returns the HTTP
    /// status of the complete response.
    ///
    /// # Errors
    /// [`Unsent`]: the destination is not allowed, or does not respond.
    pub async fn post(
        &self,
        destinations: &Destinations,
        letter: Letter,
        is_wanted: impl Fn() -> bool,
    ) -> Result<u16, Unsent> {
        let url = destinations.judge(&letter.url, &[])?;
        let addresses = self.addresses(&url).await?;
        destinations.judge(&letter.url, &addresses)?;
        let port = url.port_or_known_default().ok_or(Unfit::Port)?;
        let socket = connect(&addresses, port).await?;
        let request = request(&url, letter)?;
        if url.scheme() == "https" {
            let host = url.host_str().unwrap_or_default();
            let socket = self.tls.connect(host, socket).await?;
            exchange(socket, request, is_wanted).await
        } else {
            exchange(socket, request, is_wanted).await
        }
    }

    /// The addresses of the URL's host.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, Unsent> {
        match url.host() {
            Some(Host::Ipv4(address)) => Ok(vec![address.into()]),
            Some(Host::Ipv6(address)) => Ok(vec![address.into()]),
            Some(Host::Domain(name)) => match self.resolver.resolve(name).await {
                Ok(addresses) if addresses.is_empty() => {
                    Err(Unsent::Unresolved(io::ErrorKind::NotFound.into()))
                }
                resolved => resolved.map_err(Unsent::Unresolved),
            },
            None => Err(Unfit::NotAUrl.into()),
        }
    }
}

/// How long to try an address before the next one. The last one gets all the time that is left.
const EACH: Duration = Duration::from_millis(300);

/// A connection to the first address that accepts one.
async fn connect(addresses: &[IpAddr], port: u16) -> Result<TcpStream, Unsent> {
    let mut last = None;
    for (index, address) in addresses.iter().enumerate() {
        let address = SocketAddr::new(*address, port);
        let patience = if index + 1 == addresses.len() { Duration::MAX } else { EACH };
        match timeout(patience, TcpStream::connect(address)).await {
            Ok(Ok(socket)) => {
                // A failure only makes a small request slower, which may wait for an acknowledgement.
                let _ = socket.set_nodelay(true);
                return Ok(socket);
            }
            Ok(Err(error)) => last = Some(Unsent::Unconnected(address, error)),
            Err(_) => last = Some(Unsent::Unconnected(address, io::ErrorKind::TimedOut.into())),
        }
    }
    Err(last.unwrap_or_else(|| Unsent::Unresolved(io::ErrorKind::NotFound.into())))
}

fn request(url: &Url, letter: Letter) -> Result<Request<Body>, axum::http::Error> {
    let mut request = Request::post(&url[Position::BeforePath..Position::AfterQuery])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(CONNECTION, CLOSE);
    for (name, value) in letter.headers {
        request = request.header(name, value);
    }
    request.body(Body::from(axum::body::Bytes::from_owner(letter.body)))
}

async fn exchange<S>(
    socket: S,
    request: Request<Body>,
    is_wanted: impl Fn() -> bool,
) -> Result<u16, Unsent>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(socket)).await.map_err(Unsent::Broken)?;
    if !is_wanted() {
        return Err(Unsent::Withdrawn);
    }
    let answered = async move {
        let response = sender.send_request(request).await.map_err(unanswered)?;
        read(response).await
    };
    tokio::pin!(connection, answered);
    tokio::select! {
        status = &mut answered => status,
        // The response may still be in a buffer; if not, there is none.
        _ = &mut connection => answered.await,
    }
}

fn unanswered(error: hyper::Error) -> Unsent {
    if error.is_parse() || error.is_parse_too_large() || error.is_parse_status() {
        Unsent::Garbled(error)
    } else {
        Unsent::Broken(error)
    }
}

/// Reads a response to its end, and returns its status.
async fn read(mut response: Response<Incoming>) -> Result<u16, Unsent> {
    let status = response.status().as_u16();
    let mut length = 0;
    while let Some(frame) = response.frame().await {
        let frame = frame.map_err(|error| Unsent::HalfAnswered(status, error))?;
        length += frame.data_ref().map_or(0, |data| data.len());
        if length > READ_AT_MOST {
            break;
        }
    }
    Ok(status)
}
